"""The additive table of counts that every group measure is computed from.

A tally counts rows by (group, y, f(x), profile), where the profile of a row is the distribution of
f(x̃) over the classes. A sampled x̃ has a sure prediction, so there profile and f(x̃) are one and
the same; an exact risk has a handful of profiles. Rows with the same profile are alike in every
respect that a measure can see: tallies of parts add up to the tally of the whole, and a bootstrap
of rows is a multinomial draw over cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core.encoding import Array, sorted_values

__all__ = ["DIGITS", "GROUPS", "Tally", "tally_predictions", "tally_profiles"]

GROUPS = 3
"""Marginalised, privileged, neither."""

DIGITS = 14
"""Digits to which the probabilities of a profile are kept."""

BLOCK = 2**22
"""Numbers a block of bootstrap tables holds at the most."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Rows counted by (group, y, f(x), profile of f(x̃)).

    Attributes
    ----------
    classes : list
        Class labels; C of them.
    profiles : array of shape (P, C)
        Each profile: the probability that f(x̃) is each of the classes.
    counts, weights, squares : arrays of shape (3, C, C, P)
        Number of rows in each cell, the sum of their weights, and of the squares of these.

    Examples
    --------
    >>> tally = tally_predictions([1, 0], y=[1, 1], f=[1, 1], perturbed=[1, 0], classes=[0, 1])
    >>> float((tally + tally).table.sum())
    4.0
    """

    classes: list[Any]
    profiles: Array
    counts: Array
    weights: Array
    squares: Array

    @property
    def table(self) -> Array:
        """Weighted counts over (group, y, f(x), f(x̃)), shape (3, C, C, C)."""
        return self.weights @ self.profiles

    @property
    def n_effective(self) -> float:
        """Number of rows; with unequal weights, the number of equal ones worth as much (Kish)."""
        return float(self.weights.sum() ** 2 / self.squares.sum())

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        classes = sorted_values({*self.classes, *other.classes})
        mine, its = self._with_classes(classes), other._with_classes(classes)
        profiles, position = np.unique(
            np.vstack([mine.profiles, its.profiles]), axis=0, return_inverse=True
        )
        split = len(mine.profiles)
        return mine._with_profiles(profiles, position.ravel()[:split])._plus(
            its._with_profiles(profiles, position.ravel()[split:])
        )

    def bootstrap(self, n_boot: int, rng: np.random.Generator) -> Iterator[Array]:
        """Tables of bootstrap replicates, in blocks of shape (replicates, 3, C, C, C).

        Resampling n rows draws the numbers of rows in the cells from a multinomial. Given these,
        the weight of a cell is a sum of that many weights drawn from it: its mean and variance are
        matched, so equal weights (variance 0) are exact.
        """
        filled = np.flatnonzero(self.counts)
        counts = self.counts.ravel()[filled]
        mean = self.weights.ravel()[filled] / counts
        spread = np.sqrt(np.maximum(self.squares.ravel()[filled] / counts - mean**2, 0))
        step = max(1, BLOCK // (self.counts.size + self.counts.size // self.counts.shape[-1]))
        for start in range(0, n_boot, step):
            size = min(step, n_boot - start)
            drawn = rng.multinomial(counts.sum(), counts / counts.sum(), size=size)
            noise = rng.standard_normal(drawn.shape) if spread.any() else 0.0
            cells = np.zeros((size, self.counts.size))
            cells[:, filled] = np.maximum(drawn * mean + np.sqrt(drawn) * spread * noise, 0)
            yield cells.reshape(size, *self.counts.shape) @ self.profiles

    def _with_classes(self, classes: list[Any]) -> Tally:
        if classes == self.classes:
            return self
        place = [classes.index(label) for label in self.classes]
        profiles = np.zeros((len(self.profiles), len(classes)))
        profiles[:, place] = self.profiles
        shape = (GROUPS, len(classes), len(classes), len(profiles))
        where = np.ix_(range(GROUPS), place, place, range(len(profiles)))
        return self._moved(classes, profiles, shape, where)

    def _with_profiles(self, profiles: Array, place: Array) -> Tally:
        shape = (*self.counts.shape[:-1], len(profiles))
        where = np.ix_(*(np.arange(size) for size in self.counts.shape[:-1]), place)
        return self._moved(self.classes, profiles, shape, where)

    def _moved(self, classes: list[Any], profiles: Array, shape: Any, where: Any) -> Tally:
        moved = [np.zeros(shape, part.dtype) for part in (self.counts, self.weights, self.squares)]
        for new, old in zip(moved, (self.counts, self.weights, self.squares), strict=True):
            new[where] = old
        return Tally(classes, profiles, *moved)

    def _plus(self, other: Tally) -> Tally:
        return Tally(
            self.classes,
            self.profiles,
            self.counts + other.counts,
            self.weights + other.weights,
            self.squares + other.squares,
        )


def tally_predictions(
    groups: Any, y: Any, f: Any, perturbed: Any, classes: list[Any], sample_weight: Any = None
) -> Tally:
    """Tally rows with one perturbed prediction each.

    Parameters
    ----------
    groups : (n,) 0 for marginalised rows, 1 for privileged ones, 2 for neither
    y, f, perturbed : (n,) positions in `classes` of the label, of f(x) and of f(x̃)
    classes : list of class labels
    sample_weight : (n,), optional
    """
    return _count(groups, y, f, perturbed, classes, np.eye(len(classes)), sample_weight)


def tally_profiles(
    groups: Any, y: Any, f: Any, profiles: Array, classes: list[Any], sample_weight: Any = None
) -> Tally:
    """Tally rows whose perturbed prediction has a distribution, `profiles` of shape (n, C).

    Probabilities are rounded to fourteen digits, so that the same set of perturbations is the same
    profile in whatever order its probabilities were added up.
    """
    distinct = np.zeros(len(profiles), dtype=np.intp)
    for column in np.round(profiles, DIGITS).T:
        codes, values = pd.factorize(column)
        distinct, _ = pd.factorize(distinct * len(values) + codes)
    first = np.unique(distinct, return_index=True)[1]
    return _count(
        groups, y, f, distinct, classes, np.round(profiles[first], DIGITS), sample_weight
    )


def _count(
    groups: Any, y: Any, f: Any, profile: Any, classes: list[Any], profiles: Array, weights: Any
) -> Tally:
    shape = (GROUPS, len(classes), len(classes), len(profiles))
    cell = np.ravel_multi_index((groups, y, f, profile), shape)
    size = int(np.prod(shape))
    counts = np.bincount(cell, minlength=size).reshape(shape)
    if weights is None:
        return Tally(classes, profiles, counts, counts.astype(float), counts.astype(float))
    weights = np.asarray(weights, dtype=float)
    sums = [np.bincount(cell, w, size).reshape(shape) for w in (weights, weights**2)]
    return Tally(classes, profiles, counts, *sums)
