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
from functools import cached_property
from typing import Any

import numpy as np

from dr_core._tables import joint_positions
from dr_core._utils import UNIT, Array, exact_squares, exact_sums, rounded, sorted_values

__all__ = ["DIGITS", "GROUPS", "Tally", "tally_predictions", "tally_profiles"]

GROUPS = 3
"""Marginalised, privileged, neither."""

DIGITS = 14
"""Digits to which the probabilities of a profile are kept."""

EXTREME = 400
"""Powers of 2 up to which a total weight is an ordinary one."""

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
        Each profile, in ascending order: the probability that f(x̃) is each of the classes.
    counts : array of shape (3, C, C, P)
        Number of rows in each cell.
    sums : pair of arrays of shape (3, C, C, P), or None
        Exact sums of the weights in each cell and of their squares; None where each row weighs 1.

    Examples
    --------
    >>> tally = tally_predictions([1, 0], y=[1, 1], f=[1, 1], perturbed=[1, 0], classes=[0, 1])
    >>> float((tally + tally).table.sum())
    4.0
    """

    classes: list[Any]
    profiles: Array
    counts: Array
    sums: tuple[Array, Array] | None = None

    @cached_property
    def weights(self) -> Array:
        """Weight of the rows in each cell, shape (3, C, C, P).

        Extreme weights are in a unit of their own, so that their squares are floats too.
        """
        if self.sums is None:
            return self.counts.astype(float)
        return rounded(self.sums[0], self._unit)

    @cached_property
    def squares(self) -> Array:
        """Sum of the squares of their weights, shape (3, C, C, P)."""
        if self.sums is None:
            return self.counts.astype(float)
        return rounded(self.sums[1], self._unit**2)

    @cached_property
    def _unit(self) -> int:
        """What counts as weight 1: 1, or a power of 2 near the total where that is extreme."""
        total = 0 if self.sums is None else int(self.sums[0].sum())
        size = total.bit_length() - UNIT.bit_length()
        return UNIT if abs(size) < EXTREME or not total else 1 << total.bit_length()

    @property
    def group_rows(self) -> Array:
        """Number of rows in each group, shape (3,)."""
        return self.counts.sum(axis=(1, 2, 3))

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
        def moved(old: Array) -> Array:
            new = np.zeros(shape, old.dtype)
            new[where] = old
            return new

        sums = None if self.sums is None else (moved(self.sums[0]), moved(self.sums[1]))
        return Tally(classes, profiles, moved(self.counts), sums)

    def _plus(self, other: Tally) -> Tally:
        sums = None
        if self.sums is not None or other.sums is not None:
            (mine, its), (squared, its_squared) = zip(self._exact, other._exact, strict=True)
            sums = mine + its, squared + its_squared
        return Tally(self.classes, self.profiles, self.counts + other.counts, sums)

    @property
    def _exact(self) -> tuple[Array, Array]:
        ones = self.counts.astype(object) * UNIT
        return (ones, ones * UNIT) if self.sums is None else self.sums


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
    profiles = np.round(profiles, DIGITS)
    distinct = joint_positions(profiles.T)
    first = np.unique(distinct, return_index=True)[1]
    return _count(groups, y, f, distinct, classes, profiles[first], sample_weight)


def _count(
    groups: Any, y: Any, f: Any, profile: Any, classes: list[Any], profiles: Array, weights: Any
) -> Tally:
    # In ascending order, so that no order of the rows shows, not even in a bootstrap.
    profiles, order = np.unique(profiles, axis=0, return_inverse=True)
    profile = order.ravel().take(np.asarray(profile, dtype=np.intp))
    shape = (GROUPS, len(classes), len(classes), len(profiles))
    cell = np.ravel_multi_index((groups, y, f, profile), shape)
    size = int(np.prod(shape))
    counts = np.bincount(cell, minlength=size).reshape(shape)
    if weights is None:
        return Tally(classes, profiles, counts)
    weights = np.asarray(weights, dtype=float)
    sums, squares = (
        add(weights, cell, size).reshape(shape) for add in (exact_sums, exact_squares)
    )
    return Tally(classes, profiles, counts, (sums, squares))
