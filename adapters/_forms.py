"""Record the form of the data that was passed, and restore it.

The form is the container (pandas or NumPy), the index, the names and the dtype. `rows` are
positions in the data that was passed; `None` means all rows, in order.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import Array

__all__ = ["ColumnForm", "FrameForm", "as_column", "as_frame"]


@dataclass(frozen=True, eq=False)
class ColumnForm:
    """A Series with its index and name, or an array (index None) of some dtype."""

    index: pd.Index | None
    name: Hashable
    dtype: Any

    def restore(self, values: Any, rows: Array | None) -> Any:
        """Return values in this form."""
        if self.index is None:
            return _restore_dtype(np.asarray(values), self.dtype)
        return _make_series(values).set_axis(_take_index(self.index, rows)).rename(self.name)


@dataclass(frozen=True, eq=False)
class FrameForm:
    """A DataFrame with its index and columns, or an array (index None) of some dtype."""

    index: pd.Index | None
    columns: pd.Index
    dtype: Any = None

    def restore(
        self, values: list[Any], rows: Array | None, columns: pd.Index | None = None
    ) -> Any:
        """Return columns in this form; `columns` are their names if these have changed."""
        series = dict(enumerate(map(_make_series, values)))
        if self.index is None:
            return _restore_dtype(pd.DataFrame(series, copy=False).to_numpy(), self.dtype)
        index = _take_index(self.index, rows)
        frame = pd.DataFrame(series, index=pd.RangeIndex(len(index)), copy=False)
        frame.index, frame.columns = index, self.columns if columns is None else columns
        return frame


def as_column(column: Any) -> tuple[pd.Series, ColumnForm]:
    """Return a column as a Series, and its form.

    Examples
    --------
    >>> as_column([1, 2])[0].tolist()
    [1, 2]
    """
    if isinstance(column, pd.Series):
        return column, ColumnForm(column.index, column.name, column.dtype)
    array = np.asarray(column)
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    return pd.Series(array, dtype=_get_series_dtype(array)), ColumnForm(None, None, array.dtype)


def as_frame(table: Any) -> tuple[pd.DataFrame, FrameForm]:
    """Return a table as a DataFrame, and its form.

    Examples
    --------
    >>> as_frame(np.zeros((2, 3)))[0].shape
    (2, 3)
    """
    if isinstance(table, pd.DataFrame):
        return table, FrameForm(table.index, table.columns)
    if isinstance(table, np.ndarray) and table.ndim == 2:
        frame = pd.DataFrame(table, dtype=_get_series_dtype(table))
        return frame, FrameForm(None, frame.columns, table.dtype)
    raise TypeError(
        f"X is a {type(table).__name__}; pass a pandas DataFrame (polars: X.to_pandas()), or a "
        "two-dimensional NumPy array."
    )


def _take_index(index: pd.Index, rows: Array | None) -> pd.Index:
    return index if rows is None else index.take(rows)


def _make_series(values: Any) -> pd.Series:
    is_array = isinstance(values, np.ndarray)
    return pd.Series(values, dtype=_get_series_dtype(values) if is_array else None, copy=False)


def _get_series_dtype(array: Array) -> type | None:
    """Return object for an array of objects, which pandas may convert to strings otherwise."""
    return object if array.dtype.kind == "O" else None


def _restore_dtype(array: Array, dtype: Any) -> Array:
    """Return text in its original dtype. Numbers are decoded to theirs already."""
    return array.astype(dtype) if dtype.kind in "OUS" else array
