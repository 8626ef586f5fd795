"""Any pandas column as float64 numbers, and back.

- `Numbers`: numbers and bools stay what they are; a missing one becomes a number next to the
  median that no row has.
- `Moments`: dates and durations become the count of their unit since 1970, or since 0.
- `Codes`: everything else becomes the position in a list of its distinct values.

What float64 cannot hold exactly, such as integers above 2**53, is coded by position too, so each
of them comes back as it was. Numbers that are no longer codes, because something else was written
over them, come back as numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from dr_core.plugins import Array, listed

__all__ = ["Codes", "Coding", "Numbers", "codes_for", "is_number", "learn_coding"]

EXACT = 2**53
"""Whole numbers up to this are exact in float64."""

NULLABLE = (
    pd.Int8Dtype,
    pd.Int16Dtype,
    pd.Int32Dtype,
    pd.Int64Dtype,
    pd.UInt8Dtype,
    pd.UInt16Dtype,
    pd.UInt32Dtype,
    pd.UInt64Dtype,
    pd.Float32Dtype,
    pd.Float64Dtype,
    pd.BooleanDtype,
)

HOMOGENEOUS = ("string", "bytes", "boolean", "date", "empty")
"""Kinds of object columns in which equal values are the same value."""


class Coding(Protocol):
    """How the values of a column become numbers, and numbers its values."""

    def encode(self, column: pd.Series) -> Array:
        """Numbers for the values of a column, shape (n,)."""

    def decode(self, numbers: Array) -> Any:
        """Values for numbers, as an array that a column of the original dtype can be made of."""


def learn_coding(column: pd.Series) -> Coding:
    """Find the coding for a column.

    Parameters
    ----------
    column : Series

    Examples
    --------
    >>> column = pd.Series(["low", "high", "low"], dtype="category")
    >>> coding = learn_coding(column)
    >>> coding.encode(column)
    array([1., 0., 1.])
    >>> list(coding.decode(np.array([0.0, 1.0])))
    ['high', 'low']
    """
    if is_number(column) and _fits(column):
        return Numbers(column.dtype, _sentinel(_as_floats(column)))
    if column.dtype.kind in "mM" and _moments_fit(column):
        return Moments(column.dtype, _sentinel(_moments(column)))
    try:
        return Codes(_distinct(column))
    except TypeError:
        raise TypeError(
            f"column {column.name!r} holds values that cannot be told apart by hashing, such as "
            f"{column.iloc[0]!r}; turn them into numbers, words or tuples first."
        ) from None


def is_number(column: pd.Series) -> bool:
    """Whether a column holds numbers or bools that are at most 64 bits wide.

    Examples
    --------
    >>> is_number(pd.Series([1.5])), is_number(pd.Series(["1.5"]))
    (True, False)
    """
    if isinstance(column.dtype, np.dtype):
        return column.dtype.kind in "biuf" and column.dtype.itemsize <= 8
    return isinstance(column.dtype, NULLABLE)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers as they are; `missing` stands for a missing one."""

    dtype: Any
    missing: float | None

    def encode(self, column: pd.Series) -> Array:
        return _filled(_as_floats(column), self.missing, column)

    def decode(self, numbers: Array) -> Any:
        if isinstance(self.dtype, np.dtype) and self.missing is None:
            return _cast(numbers, self.dtype)
        floats = _emptied(numbers, self.missing)
        if isinstance(self.dtype, np.dtype):
            return floats.astype(self.dtype)
        known = floats[~np.isnan(floats)]
        whole = self.dtype.kind == "f" or _cast(known, self.dtype.numpy_dtype).dtype != float
        return pd.array(floats, dtype=self.dtype if whole else "Float64")


@dataclass(frozen=True, eq=False)
class Moments:
    """Dates and durations as counts of their unit."""

    dtype: Any
    missing: float | None

    def encode(self, column: pd.Series) -> Array:
        return _filled(_moments(column), self.missing, column)

    def decode(self, numbers: Array) -> Any:
        floats = _emptied(numbers, self.missing)
        if not (np.isnan(floats) | (floats == np.round(floats))).all():
            return numbers
        with np.errstate(invalid="ignore"):
            counts = floats.astype(np.int64)
        stamps = counts.view(_plain(self.dtype))
        stamps[np.isnan(floats)] = "NaT"
        if self.dtype.kind == "m":
            return pd.TimedeltaIndex(stamps).array
        moments = pd.DatetimeIndex(stamps)
        zone = getattr(self.dtype, "tz", None)
        return moments.array if zone is None else moments.tz_localize("UTC").tz_convert(zone).array


@dataclass(frozen=True, eq=False)
class Codes:
    """Positions in a list of values, -1 for a missing one.

    Attributes
    ----------
    values : array of the column's own dtype
    """

    values: Any

    def encode(self, column: pd.Series) -> Array:
        position = {key: i for i, key in enumerate(_keys(self.values))}
        codes, distinct = _factorize(column)
        # The same value may come as another type: 1 as a number of Python, or of NumPy.
        equal = {value: i for i, value in enumerate(pd.Series(self.values).tolist())}
        lookup = [
            position.get(key, equal.get(value))
            for key, value in zip(_keys(distinct), pd.Series(distinct).tolist(), strict=True)
        ]
        unknown = [value for value, i in zip(distinct, lookup, strict=True) if i is None]
        if unknown:
            raise ValueError(
                f"column {column.name!r} has {listed(unknown)}, which is not among the known "
                f"values {listed(self.values)}."
            )
        return np.array([*lookup, -1], dtype=np.float64)[codes]

    def decode(self, numbers: Array) -> Any:
        codes = _cast(numbers, np.dtype(np.intp))
        extension = not isinstance(self.values, np.ndarray)
        lowest = -1 if extension else 0
        if codes.dtype.kind != "i" or ((codes < lowest) | (codes >= len(self.values))).any():
            return numbers
        return self.values.take(codes, allow_fill=True) if extension else self.values[codes]


def codes_for(values: list[Any], column: pd.Series) -> Codes:
    """Code a column by positions in a list of values, given in the order of their codes.

    Examples
    --------
    >>> sex = pd.Series(["Male", "Female"])
    >>> codes_for(["Female", "Male"], sex).encode(sex)
    array([1., 0.])
    """
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "O":
        return Codes(_objects(values))
    array = pd.Series(values, dtype=column.dtype).array
    return Codes(array.to_numpy() if isinstance(column.dtype, np.dtype) else array)


def _as_floats(column: pd.Series) -> Array:
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy().astype(np.float64)
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _fits(column: pd.Series) -> bool:
    """Whether float64 holds every number of the column exactly."""
    if column.dtype.kind not in "iu" or not column.notna().any():
        return True
    return int(column.min()) >= -EXACT and int(column.max()) <= EXACT


def _sentinel(numbers: Array) -> float | None:
    """A number for missing ones: near the median, and in no row. None when none is missing."""
    known = numbers[~np.isnan(numbers)]
    if len(known) == len(numbers):
        return None
    middle = float(np.median(known)) if len(known) else 0.0
    sentinel = middle if np.isfinite(middle) else 0.0
    while (known == sentinel).any():
        sentinel = float(np.nextafter(sentinel, np.inf))
    return sentinel


def _filled(numbers: Array, missing: float | None, column: pd.Series) -> Array:
    gaps = np.isnan(numbers)
    if not gaps.any():
        return numbers
    if missing is None:
        raise ValueError(
            f"column {column.name!r} has {gaps.sum()} missing values, and had none where its "
            "coding was learned. Fill or drop them."
        )
    return np.where(gaps, missing, numbers)


def _emptied(numbers: Array, missing: float | None) -> Array:
    return numbers if missing is None else np.where(numbers == missing, np.nan, numbers)


def _cast(numbers: Array, dtype: Any) -> Array:
    """Numbers in a dtype that holds them all; as they are when this one does not."""
    with np.errstate(invalid="ignore", over="ignore"):
        cast = numbers.astype(dtype)
    same = cast.astype(np.float64) == numbers
    return cast if same.all() or (dtype.kind == "f" and np.isnan(cast[~same]).all()) else numbers


def _plain(dtype: Any) -> np.dtype:
    """NumPy's dtype for dates and durations, without a time zone."""
    return dtype if isinstance(dtype, np.dtype) else np.dtype(f"datetime64[{dtype.unit}]")


def _moments(column: pd.Series) -> Array:
    counts = _counts(column).astype(np.float64)
    return np.where(column.isna(), np.nan, counts)


def _counts(column: pd.Series) -> Array:
    if not isinstance(column.dtype, np.dtype):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return column.to_numpy().view(np.int64)


def _moments_fit(column: pd.Series) -> bool:
    if not isinstance(column.dtype, np.dtype | pd.DatetimeTZDtype):
        return False
    counts = _counts(column[column.notna()])
    largest = np.abs(counts).max(initial=0)
    return bool(largest < 2**62 and (counts.astype(np.float64).astype(np.int64) == counts).all())


def _distinct(column: pd.Series) -> Any:
    """Distinct values of a column, sorted where they can be; all levels of a category."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return pd.Categorical(column.dtype.categories, dtype=column.dtype)
    values = _factorize(column)[1]
    if not isinstance(values, np.ndarray) or values.dtype.kind != "O":
        return values[values.argsort()]
    try:
        return values[sorted(range(len(values)), key=values.__getitem__)]
    except TypeError:
        return values


def _factorize(column: pd.Series) -> tuple[Array, Any]:
    """Codes of a column and its distinct values.

    Values of different types are never the same. The code of a missing value is -1 in an extension
    array, which has one kind of them; objects have several, each a value.
    """
    if not isinstance(column.dtype, np.dtype):
        return pd.factorize(column.array)
    values = column.to_numpy()
    if values.dtype.kind == "O" and pd.api.types.infer_dtype(values) not in HOMOGENEOUS:
        return _factorize_objects(values)
    codes, distinct = pd.factorize(values)
    gaps = np.flatnonzero(codes < 0)
    if len(gaps):
        gap_codes, kinds = _factorize_objects(values[gaps].astype(object))
        codes = codes.copy()
        codes[gaps] = len(distinct) + gap_codes
        distinct = np.concatenate([distinct, kinds.astype(values.dtype)])
    return codes, distinct


def _factorize_objects(values: Array) -> tuple[Array, Array]:
    """Factorize by type and value."""
    first: dict[Any, int] = {}
    codes = np.array([first.setdefault(key, len(first)) for key in _keys(values)], np.intp)
    rows = np.unique(codes, return_index=True)[1]
    return codes, values[rows]


def _keys(values: Any) -> list[Any]:
    """What tells values apart: the type, and the value unless it is not equal to itself."""
    return [(type(value), value if _equals_itself(value) else None) for value in values]


def _equals_itself(value: Any) -> bool:
    return value is not pd.NA and value is not pd.NaT and bool(value == value)


def _objects(values: list[Any]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
