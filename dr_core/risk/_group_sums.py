"""What each group of people carries: exact sums, by combination of sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dr_core._tables import joint_positions
from dr_core._utils import Array, exact_sums

__all__ = ["Changes", "GroupSums"]


class Changes(NamedTuple):
    """How likely the prediction of each row is to change, (n,) each.

    Attributes
    ----------
    risk : into any other class
    loses : from the favourable class into another
    gains : from another class into the favourable one
    """

    risk: Array
    loses: Array
    gains: Array


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums over the rows of each group; those of parts add up to those of the whole.

    Attributes
    ----------
    sums : dictionary
        From the codes of the sensitive values to the number of rows and the exact sums of weight,
        of risk, and of what would lose and gain the favourable class.
    """

    sums: dict[tuple[int, ...], Array]

    @classmethod
    def of(cls, codes: Array, weights: Array | None, changes: Changes) -> GroupSums:
        """Sum up rows with these codes, (attributes, n).

        Examples
        --------
        >>> ones = np.array([1.0, 0.0, 1.0])
        >>> found = GroupSums.of(np.array([[0, 1, 0]]), None, Changes(ones, ones, ones))
        >>> [(codes, int(sums[0])) for codes, sums in found.sums.items()]
        [((0,), 2), ((1,), 1)]
        """
        position = joint_positions(codes)
        first = np.unique(position, return_index=True)[1]
        w = np.ones(len(position), dtype=bool) if weights is None else weights
        carried = [w, *(w * chance for chance in changes)]
        columns = [np.bincount(position).astype(object)]
        columns += [exact_sums(values, position, len(first)) for values in carried]
        keys = map(tuple, codes[:, first].T.tolist())
        return cls(dict(zip(keys, np.stack(columns, axis=1), strict=True)))

    def __add__(self, other: GroupSums) -> GroupSums:
        both = dict(self.sums)
        for key, sums in other.sums.items():
            both[key] = both[key] + sums if key in both else sums
        return GroupSums(both)

    @property
    def totals(self) -> Array:
        """Number of rows and exact sums of all groups together."""
        return np.sum(list(self.sums.values()), axis=0)
