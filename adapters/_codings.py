"""Encode any pandas column as float64 numbers, and decode it.

- `NumberCoding`: numbers and booleans keep their values. A missing value becomes a number next to
  the median that no row has, or stays NaN.
- `TimeCoding`: dates and durations become the count of their unit, for dates since 1970.
- `CategoryCoding`: all other values become their position in a list of distinct values.

Values that float64 cannot represent exactly, such as integers above 2**53, are encoded by position
too, so all values are restored exactly. Numbers that are not codes, because the dataset was
modified, are decoded as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from dr_core.plugins import Array, quote

__all__ = [
    "CategoryCoding",
    "Coding",
    "NumberCoding",
    "TimeCoding",
    "is_numeric_column",
    "learn_coding",
    "make_category_coding",
]

MAX_EXACT_INTEGER = 2**53
"""float64 represents all integers up to this one exactly."""

NULLABLE_DTYPES = (
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

HOMOGENEOUS_KINDS = ("string", "bytes", "boolean", "date", "empty")
"""Kinds of object columns, by `infer_dtype`, in which equal values have the same type."""


class Coding(Protocol):
    """Conversion of the values of a column to numbers and back."""

    def encode(self, column: pd.Series) -> Array:
        """Return the numbers of the values of a column, shape (n,)."""

    def decode(self, numbers: Array) -> Any:
        """Return the values of numbers, as an array for a column of the original dtype."""


def learn_coding(column: pd.Series, *, keep_missing: bool = False) -> Coding:
    """Return the coding for a column; missing numbers and times are filled, or kept as NaN.

    Examples
    --------
    >>> column = pd.Series(["low", "high", "low"], dtype="category")
    >>> coding = learn_coding(column)
    >>> coding.encode(column)
    array([1., 0., 1.])
    >>> list(coding.decode(np.array([0.0, 1.0])))
    ['high', 'low']
    """
    if is_numeric_column(column) and _are_numbers_exact(column):
        numbers = _convert_numbers(column)
        return NumberCoding(column.dtype, np.nan if keep_missing else _choose_sentinel(numbers))
    if column.dtype.kind in "mM" and _are_times_exact(column):
        times = _convert_times(column)
        return TimeCoding(column.dtype, np.nan if keep_missing else _choose_sentinel(times))
    try:
        return CategoryCoding(_find_distinct_values(column))
    except TypeError:
        raise TypeError(
            f"column {column.name!r} holds values that cannot be hashed, such as "
            f"{column.iloc[0]!r}; convert them to numbers, strings or tuples first."
        ) from None


def is_numeric_column(column: pd.Series) -> bool:
    """Return whether a column holds numbers or booleans of at most 64 bits.

    Examples
    --------
    >>> is_numeric_column(pd.Series([1.5])), is_numeric_column(pd.Series(["1.5"]))
    (True, False)
    """
    if isinstance(column.dtype, np.dtype):
        return column.dtype.kind in "biuf" and column.dtype.itemsize <= 8
    return isinstance(column.dtype, NULLABLE_DTYPES)


@dataclass(frozen=True, eq=False)
class NumberCoding:
    """Numbers keep their values; `missing` encodes a missing value."""

    dtype: Any
    missing: float | None

    def encode(self, column: pd.Series) -> Array:
        return _fill_missing(_convert_numbers(column), self.missing, column)

    def decode(self, numbers: Array) -> Any:
        floats = _restore_missing(numbers, self.missing)
        if isinstance(self.dtype, np.dtype):
            return _cast_if_exact(floats, self.dtype)
        known = floats[~np.isnan(floats)]
        fits = self.dtype.kind == "f" or _cast_if_exact(known, self.dtype.numpy_dtype) is not known
        return pd.array(floats, dtype=self.dtype if fits else "Float64")


@dataclass(frozen=True, eq=False)
class TimeCoding:
    """Dates and durations become counts of their unit; `missing` encodes a missing value."""

    dtype: Any
    missing: float | None

    def encode(self, column: pd.Series) -> Array:
        return _fill_missing(_convert_times(column), self.missing, column)

    def decode(self, numbers: Array) -> Any:
        floats = _restore_missing(numbers, self.missing)
        if not (np.isnan(floats) | (floats == np.round(floats))).all():
            return numbers
        # Counts have the memory layout of datetime64: with unit "D", 0 and 1 viewed as
        # datetime64[D] are 1970-01-01 and 1970-01-02. NaN has no count, so it is set afterwards.
        with np.errstate(invalid="ignore"):
            counts = floats.astype(np.int64)
        times = counts.view(_get_numpy_dtype(self.dtype))
        times[np.isnan(floats)] = "NaT"
        if self.dtype.kind == "m":
            return pd.TimedeltaIndex(times).array
        dates = pd.DatetimeIndex(times)
        zone = getattr(self.dtype, "tz", None)
        return dates.array if zone is None else dates.tz_localize("UTC").tz_convert(zone).array


@dataclass(frozen=True, eq=False)
class CategoryCoding:
    """Values become positions in a list of values, a missing value in an extension array -1.

    Attributes
    ----------
    values : array of the column's own dtype
    """

    values: Any

    def encode(self, column: pd.Series) -> Array:
        codes, distinct = _factorize(column)
        positions = self._find_positions(distinct)
        unknown = [value for value, i in zip(distinct, positions, strict=True) if i is None]
        if unknown:
            raise ValueError(
                f"column {column.name!r} has {quote(unknown)}, which is not among the known "
                f"values {quote(self.values)}."
            )
        # The code -1 of a missing value selects the last item, which is -1:
        # positions 2, 0 and codes 0, 1, 1, -1  ->  [2, 0, -1][codes]  ->  2, 0, 0, -1
        return np.array([*positions, -1], dtype=np.float64)[codes]

    def decode(self, numbers: Array) -> Any:
        if not self.are_codes(numbers):
            return numbers
        codes = numbers.astype(np.intp)
        return self.values.take(codes, allow_fill=True) if self._can_miss else self.values[codes]

    def are_codes(self, numbers: Array) -> bool:
        """Return whether each number is the position of a value, or stands for a missing one."""
        codes = _cast_if_exact(numbers, np.dtype(np.intp))
        lowest = -1 if self._can_miss else 0
        is_outside = (codes < lowest) | (codes >= len(self.values))
        return codes.dtype.kind == "i" and not is_outside.any()

    @property
    def _can_miss(self) -> bool:
        return not isinstance(self.values, np.ndarray)

    def _find_positions(self, distinct: Any) -> list[int | None]:
        """Return the position of each value in `values`, or None if it is not there."""
        by_key = {key: i for i, key in enumerate(_make_keys(self.values))}
        # A value of another type may be equal: 1 of Python and 1 of NumPy.
        by_value = {value: i for i, value in enumerate(pd.Series(self.values).tolist())}
        return [
            by_key.get(key, by_value.get(value))
            for key, value in zip(_make_keys(distinct), pd.Series(distinct).tolist(), strict=True)
        ]


def make_category_coding(values: list[Any], column: pd.Series) -> CategoryCoding:
    """Return a coding of a column by positions in a list of values.

    Examples
    --------
    >>> sex = pd.Series(["Male", "Female"])
    >>> make_category_coding(["Female", "Male"], sex).encode(sex)
    array([1., 0.])
    """
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "O":
        return CategoryCoding(_make_object_array(values))
    array = pd.Series(values, dtype=column.dtype).array
    return CategoryCoding(array.to_numpy() if isinstance(column.dtype, np.dtype) else array)


def _convert_numbers(column: pd.Series) -> Array:
    """Return a numeric column as floats, with NaN for missing values."""
    if isinstance(column.dtype, np.dtype):
        return column.to_numpy().astype(np.float64)
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _are_numbers_exact(column: pd.Series) -> bool:
    """Return whether float64 represents every number of the column exactly."""
    if column.dtype.kind not in "iu" or not column.notna().any():
        return True
    return int(column.min()) >= -MAX_EXACT_INTEGER and int(column.max()) <= MAX_EXACT_INTEGER


def _choose_sentinel(numbers: Array) -> float | None:
    """Return a number for missing values that no row has, or None if no value is missing.

    It is the median, so that models treat a missing value as an ordinary one, or the next float
    that is free: 30, 50 and NaN get 40.0; 30, 40, 50 and NaN get 40.00000000000001.
    """
    known = numbers[~np.isnan(numbers)]
    if len(known) == len(numbers):
        return None
    middle = float(np.median(known)) if len(known) else 0.0
    sentinel = middle if np.isfinite(middle) else 0.0
    while (known == sentinel).any():
        sentinel = float(np.nextafter(sentinel, np.inf))
    return sentinel


def _fill_missing(numbers: Array, missing: float | None, column: pd.Series) -> Array:
    is_missing = np.isnan(numbers)
    if not is_missing.any():
        return numbers
    if missing is None:
        raise ValueError(
            f"column {column.name!r} has {is_missing.sum()} missing values, and had none when its "
            "coding was learned. Fill or drop them."
        )
    return np.where(is_missing, missing, numbers)


def _restore_missing(numbers: Array, missing: float | None) -> Array:
    return numbers if missing is None else np.where(numbers == missing, np.nan, numbers)


def _cast_if_exact(numbers: Array, dtype: Any) -> Array:
    """Return numbers in a dtype, or the same array if the dtype cannot represent them all.

    As int64, [1.0, 2.0] becomes [1, 2], and [1.0, 2.5] stays as it is.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        cast = numbers.astype(dtype)
    same = cast.astype(np.float64) == numbers
    # NaN is never equal to itself; it is exact in every float dtype.
    return cast if same.all() or (dtype.kind == "f" and np.isnan(cast[~same]).all()) else numbers


def _get_numpy_dtype(dtype: Any) -> np.dtype:
    """Return NumPy's dtype for dates and durations, without a time zone."""
    return dtype if isinstance(dtype, np.dtype) else np.dtype(f"datetime64[{dtype.unit}]")


def _convert_times(column: pd.Series) -> Array:
    """Return dates or durations as floats, with NaN for missing values."""
    counts = _count_units(column).astype(np.float64)
    return np.where(column.isna(), np.nan, counts)


def _count_units(column: pd.Series) -> Array:
    if not isinstance(column.dtype, np.dtype):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
    return column.to_numpy().view(np.int64)


def _are_times_exact(column: pd.Series) -> bool:
    """Return whether float64 represents every date or duration of the column exactly."""
    if not isinstance(column.dtype, np.dtype | pd.DatetimeTZDtype):
        return False
    counts = _count_units(column[column.notna()])
    largest = np.abs(counts).max(initial=0)
    return bool(largest < 2**62 and (counts.astype(np.float64).astype(np.int64) == counts).all())


def _find_distinct_values(column: pd.Series) -> Any:
    """Return the distinct values of a column, sorted if possible; all levels of a category."""
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
    """Return the codes of a column and its distinct values.

    Values of different types are distinct: 1, 1.0 and True have three codes. A missing value in an
    extension array has the code -1. In an array of objects, None and NaN are distinct values.
    """
    if not isinstance(column.dtype, np.dtype):
        return pd.factorize(column.array)
    values = column.to_numpy()
    if values.dtype.kind == "O" and pd.api.types.infer_dtype(values) not in HOMOGENEOUS_KINDS:
        return _factorize_objects(values)
    codes, distinct = pd.factorize(values)
    # pandas gives every missing value the code -1. They are numbered again, by kind:
    # "a", None, NaN  ->  codes 0, -1, -1 of ["a"]  ->  codes 0, 1, 2 of ["a", None, NaN]
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        missing_codes, kinds = _factorize_objects(values[missing].astype(object))
        codes = codes.copy()
        codes[missing] = len(distinct) + missing_codes
        distinct = np.concatenate([distinct, kinds.astype(values.dtype)])
    return codes, distinct


def _factorize_objects(values: Array) -> tuple[Array, Array]:
    """Return codes and distinct values, compared by type and value."""
    first: dict[Any, int] = {}
    codes = np.array([first.setdefault(key, len(first)) for key in _make_keys(values)], np.intp)
    rows = np.unique(codes, return_index=True)[1]
    return codes, values[rows]


def _make_keys(values: Any) -> list[Any]:
    """Return hashable keys: type and value, or the type alone for NaN and other missing values."""
    return [(type(value), value if _equals_itself(value) else None) for value in values]


def _equals_itself(value: Any) -> bool:
    return value is not pd.NA and value is not pd.NaT and bool(value == value)


def _make_object_array(values: list[Any]) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
