"""The additive table of counts that every group measure is computed from.

A tally counts rows by (group, y, f(x), profile). The profile of a row is the distribution of f(x̃)
over the classes. A sampled x̃ has one prediction, so its profile is a one-hot vector. An exact risk
has few distinct profiles. Measures depend on a row only through its cell, so the tallies of parts
add up to the tally of the whole, and a bootstrap of rows is a multinomial draw over cells. Where
several rows are about one person, a bootstrap draws people, each with all their rows. The profile
of a randomised model is the joint distribution of f(x) and f(x̃).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from dr_core._tables import People, PeopleCounts, joint_positions
from dr_core._utils import (
    Array,
    MeanSample,
    exact_counts,
    exact_squares,
    exact_sums,
    iter_slices,
    round_probability,
    scale_sums,
    share,
    sort_values,
)

__all__ = ["Tally", "tally_predictions", "tally_profiles"]

N_GROUPS = 3
"""Marginalised, privileged, neither."""

MAX_NUMBERS_PER_BLOCK = 4_194_304
"""Numbers in a block of bootstrap tables."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts and weights of rows by (group, y, f(x), profile of f(x̃)).

    Attributes
    ----------
    classes : list
        The C class labels.
    profiles : array of shape (P, C), or (P, C · C) for a randomised model
        The distinct profiles, in ascending order: the probability of each class for f(x̃), or of
        each pair of classes for f(x) and f(x̃).
    counts : array of shape (3, C, F, P)
        Number of rows in each cell. F = C, the classes for f(x); F = 1 for a randomised model.
    sums : pair of arrays of shape (3, C, F, P), or None
        Exact sums of the weights in each cell, and of their squares; None if every weight is 1.
    people : People, or None
        Rows of each person by (group, y, f(x), profile); None if each row is another person.

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
    people: People | None = None

    @property
    def weights(self) -> Array:
        """Weight of the rows in each cell, shape (3, C, F, P); see `scale_sums` for the scale."""
        return self._weights_and_squares[0]

    @property
    def squares(self) -> Array:
        """Sum of the squared weights in each cell, shape (3, C, F, P), on the same scale."""
        return self._weights_and_squares[1]

    @cached_property
    def _weights_and_squares(self) -> tuple[Array, Array]:
        if self.sums is None:
            return self.counts.astype(float), self.counts.astype(float)
        return scale_sums(*self.sums)

    @property
    def group_rows(self) -> Array:
        """Number of rows in each group, shape (3,)."""
        return self.counts.sum(axis=(1, 2, 3))

    @property
    def table(self) -> Array:
        """Weighted counts over (group, y, f(x), f(x̃)), shape (3, C, C, C)."""
        return self._spread(self.weights)

    def _spread(self, weights: Array) -> Array:
        """Return tables (..., 3, C, C, C) of weights by cell, (..., 3, C, F, P)."""
        n_classes = len(self.classes)
        # F · width is C · C in both layouts: C times C, or 1 times the pairs of classes.
        spread = weights @ self.profiles
        return spread.reshape(*weights.shape[:-2], n_classes, n_classes)

    @property
    def _risks(self) -> Array:
        """Probability of a change in each cell of f(x) and profile, (F, P)."""
        n_classes = len(self.classes)
        if self.counts.shape[2] == 1:
            same = self.profiles.reshape(-1, n_classes, n_classes).trace(axis1=1, axis2=2)
            return 1 - same[None]
        return 1 - self.profiles.T

    @property
    def risk_sample(self) -> MeanSample:
        """Discriminative risk, with the effective number of rows; each row is another person."""
        risk = self._risks
        weights, squares = (each.sum(axis=(0, 1)) for each in (self.weights, self.squares))
        mean = float(share((weights * risk).sum(), weights.sum()))
        if self.sums is None:
            return MeanSample.of_rows(mean, int(self.counts.sum()))
        a, ab, b = (float((squares * risk**power).sum()) for power in (2, 1, 0))
        weight = float(weights.sum())
        return MeanSample.of(mean, weight, (a, ab, b), weight**2 / b, weight)

    def sum_squares_by_group(self) -> tuple[Array, Array]:
        """Return Σw and Σw² over the rows of each group, or over its people, (3,) each."""
        if self.people is None:
            return _sum_groups(self.weights), _sum_groups(self.squares)
        counts = self.people.counts
        weights = np.stack(
            [counts.total(counts.values[:, 0] == group) for group in range(N_GROUPS)]
        )
        return _sum_groups(weights), _sum_groups(weights**2)

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        classes = sort_values({*self.classes, *other.classes})
        mine, theirs = self._with_classes(classes), other._with_classes(classes)
        stacked = np.vstack([mine.profiles, theirs.profiles])
        profiles, position = np.unique(stacked, axis=0, return_inverse=True)
        my_place, their_place = np.split(position.ravel(), [len(mine.profiles)])
        aligned = theirs._with_profiles(profiles, their_place)
        total = mine._with_profiles(profiles, my_place)._add_aligned(aligned)
        if self.people is None or other.people is None:
            return total
        return replace(total, people=self.people + other.people)

    # For 100 rows in cells of 60, 30 and 10 rows, a replicate draws three counts, such as 57, 34
    # and 9, instead of 100 rows. If weights in the last cell have mean 2 and standard deviation ½,
    # then the 9 rows drawn from it weigh 9 · 2 + √9 · ½ · z, where z is standard normal.
    def bootstrap(self, n_boot: int, rng: np.random.Generator) -> Iterator[Array]:
        """Iterate over tables of bootstrap replicates, in blocks (replicates, 3, C, C, C).

        The numbers of rows in the cells are drawn from a multinomial. The weight of a cell is then
        drawn from a normal with the mean and variance of a sum of that many of its weights. Equal
        weights have variance 0, so for them this is the bootstrap of rows exactly. Where people
        are known, they are drawn instead, each with all their rows.
        """
        if self.people is not None:
            yield from self._bootstrap_people(self.people.counts, n_boot, rng)
            return
        filled = np.flatnonzero(self.counts)
        counts = self.counts.ravel()[filled]
        mean = self.weights.ravel()[filled] / counts
        spread = np.sqrt(np.maximum(self.squares.ravel()[filled] / counts - mean**2, 0))
        n_cells = self.counts.size
        n_numbers = n_cells + n_cells // self.counts.shape[-1]
        for block in iter_slices(n_boot, MAX_NUMBERS_PER_BLOCK // n_numbers):
            size = block.stop - block.start
            drawn = rng.multinomial(counts.sum(), counts / counts.sum(), size=size)
            noise = rng.standard_normal(drawn.shape) if spread.any() else 0.0
            cells = np.zeros((size, n_cells))
            cells[:, filled] = np.maximum(drawn * mean + np.sqrt(drawn) * spread * noise, 0)
            yield self._spread(cells.reshape(size, *self.counts.shape))

    # People 0, 1 and 2 have 1, 2 and 0 rows in some cell. A replicate draws three people, such as
    # 1, 1 and 2: the counts 0, 2 and 1 of people, times their rows, put 4 rows into the cell.
    def _bootstrap_people(
        self, counts: PeopleCounts, n_boot: int, rng: np.random.Generator
    ) -> Iterator[Array]:
        n_people, n_values = len(counts.people), len(counts.values)
        # Sorted, so that the order of rows does not affect the draws.
        entries = counts.weights, (counts.rank[counts.person], counts.value)
        rows = csr_array(entries, shape=(n_people, n_values)).T
        cells = self._find_cells(counts.values)
        for block in iter_slices(n_boot, MAX_NUMBERS_PER_BLOCK // max(n_people, cells[0].size)):
            size = block.stop - block.start
            drawn = rng.integers(n_people, size=(size, n_people))
            # Draws of replicate i are counted at i * n_people and after.
            drawn += n_people * np.arange(size)[:, None]
            times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
            yield np.tensordot((rows @ times.T).T, cells, axes=1)

    def _find_cells(self, values: Array) -> Array:
        """Return the table of one row with each of these values, (V, 3, C, C, C)."""
        n_values, n_classes = len(values), len(self.classes)
        cells = np.zeros((n_values, *self.counts.shape[:-1], self.profiles.shape[1]))
        group, y, f = values[:, :3].T.astype(np.intp)
        cells[np.arange(n_values), group, y, f] = values[:, 3:]
        return cells.reshape(n_values, N_GROUPS, n_classes, n_classes, n_classes)

    # The classes ["a", "c"] have the places [0, 2] in ["a", "b", "c"]. So the profile (0.3, 0.7)
    # becomes (0.3, 0, 0.7), and the cell of y = "c" and f(x) = "a" moves from [1, 0] to [2, 0].
    def _with_classes(self, classes: list[Any]) -> Tally:
        """Return the same tally over more classes."""
        if classes == self.classes:
            return self
        place = [classes.index(label) for label in self.classes]
        is_joint = self.counts.shape[2] == 1
        # Pairs of the classes 0 and 2 of three are the columns 0, 2, 6 and 8 of nine.
        columns = [a * len(classes) + b for a in place for b in place] if is_joint else place
        profiles = np.zeros((len(self.profiles), len(classes) ** (2 if is_joint else 1)))
        profiles[:, columns] = self.profiles
        f = [0] if is_joint else place
        shape = (N_GROUPS, len(classes), 1 if is_joint else len(classes), len(profiles))
        where = np.ix_(range(N_GROUPS), place, f, range(len(profiles)))
        return self._move_cells(classes, profiles, shape, where)

    def _with_profiles(self, profiles: Array, place: Array) -> Tally:
        """Return the same tally over more profiles, with its own at `place`."""
        shape = (*self.counts.shape[:-1], len(profiles))
        where = np.ix_(*(np.arange(size) for size in self.counts.shape[:-1]), place)
        return self._move_cells(self.classes, profiles, shape, where)

    def _move_cells(self, classes: list[Any], profiles: Array, shape: Any, where: Any) -> Tally:
        def move(old: Array) -> Array:
            new = np.zeros(shape, old.dtype)
            new[where] = old
            return new

        sums = None if self.sums is None else (move(self.sums[0]), move(self.sums[1]))
        return Tally(classes, profiles, move(self.counts), sums)

    def _add_aligned(self, other: Tally) -> Tally:
        """Add a tally over the same classes and profiles."""
        sums = None
        if self.sums is not None or other.sums is not None:
            my_sums, my_squares = self._exact_sums
            their_sums, their_squares = other._exact_sums
            sums = my_sums + their_sums, my_squares + their_squares
        return Tally(self.classes, self.profiles, self.counts + other.counts, sums)

    @property
    def _exact_sums(self) -> tuple[Array, Array]:
        return exact_counts(self.counts) if self.sums is None else self.sums


def _sum_groups(values: Array) -> Array:
    """Return the sum of each group, which does not depend on the order of its cells."""
    return np.array([fsum(of_group.ravel()) for of_group in values])


def tally_predictions(
    groups: Any,
    y: Any,
    f: Any,
    perturbed: Any,
    classes: list[Any],
    sample_weight: Any = None,
    person: Any = None,
) -> Tally:
    """Tally rows that have one perturbed prediction each.

    Parameters
    ----------
    groups : (n,) 0 for marginalised rows, 1 for privileged ones, 2 for neither
    y, f, perturbed : (n,) positions in `classes` of the label, of f(x) and of f(x̃)
    classes : list of class labels
    sample_weight : (n,), optional
    person : (n,), optional
        Identity of the person whom each row is about.
    """
    weights, profiles = sample_weight, np.eye(len(classes))
    return _count(groups, y, f, perturbed, classes, profiles, weights, person)


def tally_profiles(
    groups: Any,
    y: Any,
    f: Any,
    profiles: Array,
    classes: list[Any],
    sample_weight: Any = None,
    person: Any = None,
) -> Tally:
    """Tally rows whose perturbed prediction has a distribution, `profiles` of shape (n, C).

    For a randomised model, f is None and `profiles` are joint distributions of f(x) and f(x̃), of
    shape (n, C · C). Probabilities are rounded first (see `round_probability`).
    """
    profiles = round_probability(profiles)
    distinct = joint_positions(profiles.T)
    first = np.unique(distinct, return_index=True)[1]
    return _count(groups, y, f, distinct, classes, profiles[first], sample_weight, person)


def _number_cells(columns: Sequence[Any], shape: Sequence[int]) -> Array:
    """Return the positions of rows in the cells of an array of this shape, (n,).

    This is `np.ravel_multi_index` in a quarter of its time.
    """
    cell = np.zeros(len(columns[0]), dtype=np.intp)
    for column, width in zip(columns, shape, strict=True):
        cell *= width
        cell += column
    return cell


def _count(
    groups: Any,
    y: Any,
    f: Any,
    profile: Any,
    classes: list[Any],
    profiles: Array,
    weights: Any,
    person: Any,
) -> Tally:
    # Profiles are sorted, so that the order of rows does not affect the draws of a bootstrap.
    profiles, order = np.unique(profiles, axis=0, return_inverse=True)
    profile = order.ravel().take(np.asarray(profile, dtype=np.intp))
    shape = (N_GROUPS, len(classes), 1 if f is None else len(classes), len(profiles))
    f = np.zeros_like(y) if f is None else f
    cell, size = _number_cells((groups, y, f, profile), shape), int(np.prod(shape))
    counts = np.bincount(cell, minlength=size).reshape(shape)
    weights = None if weights is None else np.asarray(weights, dtype=float)
    people = None
    if person is not None:
        values = np.stack([groups, y, f, *profiles[profile].T])
        people = People((PeopleCounts.of(np.asarray(person), values, weights),))
    if weights is None:
        return Tally(classes, profiles, counts, people=people)
    sums, squares = (
        add(weights, cell, size).reshape(shape) for add in (exact_sums, exact_squares)
    )
    return Tally(classes, profiles, counts, (sums, squares), people)
