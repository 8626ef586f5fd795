"""Which features of a converted dataset still have the codes that `to_aif360` gave them.

Users scale `dataset.features` in place. A scaled code may be the code of another value: of the
jobs driver 0 and nurse 1, a column of nurses alone is scaled to 0, and the days since 1970 are
scaled to days in 1970. On the other hand, perturbed rows have other codes than before, which are
codes. `Originals` keeps what the features were, so that scaled ones are returned as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core.plugins import Array

from ._codings import CategoryCoding, Coding, NumberCoding, TimeCoding

__all__ = ["Originals"]


@dataclass(frozen=True, eq=False)
class Originals:
    """The numbers that features and protected attributes had when a dataset was created.

    Attributes
    ----------
    coded : the numbers of features that are codes, by name
    gaps : where features were missing, by name
    protected : (n, n_attributes)
    sensitive : for features with the coding of a protected attribute, its position
    """

    coded: Mapping[str, Array]
    gaps: Mapping[str, Array]
    protected: Array
    sensitive: Mapping[str, int]

    @classmethod
    def of(
        cls,
        codings: Mapping[str, Coding],
        columns: Mapping[str, Array],
        protected: Array,
        sensitive: Sequence[Coding],
    ) -> Originals:
        """Keep the numbers of these features in as little memory as they need."""
        known = {name: coding for name, coding in codings.items() if name in columns}
        return cls(
            {name: _pack(columns[name], one) for name, one in known.items() if _is_coded(one)},
            {
                name: _find_gaps(columns[name], one.missing)
                for name, one in known.items()
                if isinstance(one, NumberCoding | TimeCoding) and one.missing is not None
            },
            protected.copy(),
            {name: sensitive.index(one) for name, one in known.items() if one in sensitive},
        )

    def find_codes(
        self, columns: Mapping[str, Array], protected: Array, rows: Array | None, codings: Any
    ) -> set[str]:
        """Return the features whose numbers are still codes.

        Parameters
        ----------
        columns : current numbers of features, by name
        protected : current protected attributes
        rows : positions of the rows when the dataset was created; None for all
        codings : Coding of each feature
        """
        take = slice(None) if rows is None else rows
        coded = {name: numbers for name, numbers in columns.items() if name in self.coded}
        same = {n for n, numbers in coded.items() if np.array_equal(self.coded[n][take], numbers)}
        same |= {
            name
            for name, i in self.sensitive.items()
            if name in coded and np.array_equal(coded[name], protected[:, i])
        }
        others = {name: numbers for name, numbers in coded.items() if name not in same}
        # A dataset that was scaled as a whole has evidence in some feature: a sensitive one that
        # differs from its protected attribute, a date that is another one, a code of nothing.
        is_scaled = any(
            isinstance(codings[name], TimeCoding) or not _are_valid(codings[name], numbers)
            for name, numbers in others.items()
        ) or any(
            name in columns and not np.array_equal(columns[name], protected[:, i])
            for name, i in self.sensitive.items()
        )
        if is_scaled:
            return same
        is_perturbed = not np.array_equal(protected, self.protected[take])
        return same | {
            name
            for name, numbers in others.items()
            if is_perturbed or not _is_scaled(self.coded[name][take], numbers)
        }

    def restore_gaps(self, name: str, numbers: Array, rows: Array | None) -> Array:
        """Return a feature with NaN where it was missing.

        Where values were missing, all rows have the same number, also after scaling. Different
        numbers there were set by hand.
        """
        gaps = self.gaps[name] if rows is None else self.gaps[name][rows]
        filled = numbers[gaps]
        return np.where(gaps, np.nan, numbers) if (filled == filled[:1]).all() else numbers


def _is_coded(coding: Coding) -> bool:
    """Return whether numbers of a coding stand for something else: words, dates, booleans."""
    return not isinstance(coding, NumberCoding) or coding.dtype.kind == "b"


def _pack(numbers: Array, coding: Coding) -> Array:
    """Return a copy of numbers, of positions in the smallest type that holds them."""
    if not isinstance(coding, CategoryCoding):
        return numbers.copy()
    return numbers.astype(np.min_scalar_type(-max(len(coding.values), 1)))


def _find_gaps(numbers: Array, missing: float) -> Array:
    return np.isnan(numbers) if np.isnan(missing) else numbers == missing


def _are_valid(coding: Coding, numbers: Array) -> bool:
    """Return whether all numbers are codes of some value."""
    if isinstance(coding, CategoryCoding):
        return coding.are_codes(numbers)
    missing = getattr(coding, "missing", None)
    return bool(np.isin(numbers, (0, 1, 0 if missing is None else missing)).all())


def _is_scaled(before: Array, after: Array) -> bool:
    """Return whether numbers may be others times a positive factor, plus a constant.

    Codes 0, 2 and 4 may have become 0, 1 and 2. Equal numbers may have become any other.
    """
    low, high = before.argmin(), before.argmax()
    width = float(before[high]) - float(before[low])
    if width == 0:
        return True
    factor = (after[high] - after[low]) / width
    expected = after[low] + factor * (before.astype(float) - before[low])
    return bool(factor > 0 and np.allclose(after, expected))
