"""People whom several rows are about: the rows of each person, counted by what they hold.

Rows of one person are not independent, so people are resampled and counted, not rows. Memory grows
with the number of people and of distinct values, not with the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables._table import find_first, joint_positions
from dr_core._utils import Array, exact_sums, scale_sums, sort_values

__all__ = ["People", "PeopleCounts"]


@dataclass(frozen=True, eq=False)
class PeopleCounts:
    """Number and weight of the rows of each person that hold the same values.

    Attributes
    ----------
    people : Index of the m identities, in the order of first appearance
    values : (V, columns) distinct values of rows, in ascending order
    person, value : (K,) positions in `people` and `values`, in ascending order
    counts : (K,) number of rows
    sums : (K,) exact sums of weights; None if every weight is 1
    """

    people: pd.Index
    values: Array
    person: Array
    value: Array
    counts: Array
    sums: Array | None

    @classmethod
    def of(cls, person: Array, values: Array, weights: Array | None) -> PeopleCounts:
        """Count rows with identities of shape (n,) and values of shape (columns, n).

        Examples
        --------
        >>> found = PeopleCounts.of(np.array(["b", "a", "b"]), np.array([[1, 0, 1]]), None)
        >>> found.people.tolist(), found.person.tolist(), found.counts.tolist()
        (['b', 'a'], [0, 1], [2, 1])
        """
        codes, people = pd.factorize(person)
        value = joint_positions(values)
        distinct = values[:, find_first(value)].T
        ones = np.ones(len(codes), dtype=np.int64)
        return _collect(pd.Index(people), distinct, codes, value, ones, weights)

    def __len__(self) -> int:
        return len(self.counts)

    def merge(self, other: PeopleCounts) -> PeopleCounts:
        """Return the counts of the rows of both, those of self first."""
        codes, people = pd.factorize(self.people.append(other.people))
        person = np.concatenate([self.person, len(self.people) + other.person])
        value = np.concatenate([self.value, len(self.values) + other.value])
        counts = np.concatenate([self.counts, other.counts])
        sums = None if self.sums is None else np.concatenate([self.sums, other.sums])
        distinct = np.vstack([self.values, other.values])
        return _collect(pd.Index(people), distinct, codes[person], value, counts, sums)

    @cached_property
    def weights(self) -> Array:
        """Weights as floats, (K,); see `scale_sums` for the scale."""
        if self.sums is None:
            return self.counts.astype(float)
        return scale_sums(self.sums, self.sums[:0])[0]

    @cached_property
    def rank(self) -> Array:
        """Position of each of `people` in ascending order, (m,)."""
        place = {one: i for i, one in enumerate(sort_values(self.people))}
        return np.array([place[one] for one in self.people], dtype=np.intp)

    def total(self, of_value: Array) -> Array:
        """Return Σ weight · of_value over the rows of each person, (m,)."""
        return np.bincount(self.person, self.weights * of_value[self.value], len(self.people))


# Rows of the people 0 1 0 0 with the values 1 0 1 0 are the pairs 01 10 01 00, hence the distinct
# pairs 00 01 10 with 1, 2 and 1 rows. Their order does not depend on how rows came in parts.
def _collect(
    people: pd.Index, values: Array, person: Array, value: Array, counts: Array, weights: Any
) -> PeopleCounts:
    """Add up the rows of each pair of a person and of values; both may be repeated."""
    values, order = np.unique(values.astype(float), axis=0, return_inverse=True)
    pairs = person.astype(np.int64) * len(values) + order.ravel()[value]
    pairs, position = np.unique(pairs, return_inverse=True)
    counts = np.bincount(position, counts, len(pairs)).astype(np.int64)
    sums = None if weights is None else _add_up(weights, position, len(pairs))
    return PeopleCounts(people, values, *np.divmod(pairs, len(values)), counts, sums)


def _add_up(weights: Array, position: Array, size: int) -> Array:
    if weights.dtype != object:
        return exact_sums(weights, position, size)
    sums = np.zeros(size, dtype=object)
    np.add.at(sums, position, weights)
    return sums


@dataclass(frozen=True, eq=False)
class People:
    """`PeopleCounts` of rows in parts; they add up.

    Parameters
    ----------
    parts : PeopleCounts of parts of the rows, in the order of the rows
    """

    parts: tuple[PeopleCounts, ...]

    def __add__(self, other: People) -> People:
        parts = [*self.parts, *other.parts]
        # A part is merged only with one that is at least half as long, so that thousands of
        # chunks do not merge the counts of all people thousands of times.
        while len(parts) > 1 and len(parts[-2]) <= 2 * len(parts[-1]):
            parts[-2:] = [parts[-2].merge(parts[-1])]
        return People(tuple(parts))

    @cached_property
    def counts(self) -> PeopleCounts:
        """Counts of all rows."""
        return reduce(PeopleCounts.merge, self.parts)
