"""In which form data was given, so that it can be given back in that form.

Rows are told by their positions in the data that was given; `None` stands for all of them, in
order.
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
    """One column: a Series with its index and name, or an array of some dtype."""

    index: pd.Index | None
    name: Hashable
    dtype: Any

    def give(self, values: Any, rows: Array | None) -> Any:
        """Values in this form."""
        if self.index is None:
            return _as_array(np.asarray(values), self.dtype)
        return _as_series(values).set_axis(_taken(self.index, rows)).rename(self.name)


@dataclass(frozen=True, eq=False)
class FrameForm:
    """A table: a frame with its index and columns, or an array of some dtype."""

    index: pd.Index | None
    columns: pd.Index
    dtype: Any = None

    def give(self, values: list[Any], rows: Array | None, columns: pd.Index | None = None) -> Any:
        """Columns in this form; `columns` are their names when they are not the original ones."""
        series = dict(enumerate(map(_as_series, values)))
        if self.index is None:
            return _as_array(pd.DataFrame(series, copy=False).to_numpy(), self.dtype)
        index = _taken(self.index, rows)
        frame = pd.DataFrame(series, index=pd.RangeIndex(len(index)), copy=False)
        frame.index, frame.columns = index, self.columns if columns is None else columns
        return frame


def as_column(column: Any) -> tuple[pd.Series, ColumnForm]:
    """A column as a Series, and the form it came in.

    Examples
    --------
    >>> as_column([1, 2])[0].tolist()
    [1, 2]
    """
    if isinstance(column, pd.Series):
        return column, ColumnForm(column.index, column.name, column.dtype)
    array = np.asarray(column)
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    return pd.Series(array, dtype=_objects(array)), ColumnForm(None, None, array.dtype)


def as_frame(table: Any) -> tuple[pd.DataFrame, FrameForm]:
    """A table as a frame, and the form it came in.

    Examples
    --------
    >>> as_frame(np.zeros((2, 3)))[0].shape
    (2, 3)
    """
    if isinstance(table, pd.DataFrame):
        return table, FrameForm(table.index, table.columns)
    if isinstance(table, np.ndarray) and table.ndim == 2:
        frame = pd.DataFrame(table, dtype=_objects(table))
        return frame, FrameForm(None, frame.columns, table.dtype)
    raise TypeError(
        f"X is a {type(table).__name__}; pass a pandas DataFrame (polars: X.to_pandas()), or a "
        "two-dimensional NumPy array."
    )


def _taken(index: pd.Index, rows: Array | None) -> pd.Index:
    return index if rows is None else index.take(rows)


def _as_series(values: Any) -> pd.Series:
    is_array = isinstance(values, np.ndarray)
    return pd.Series(values, dtype=_objects(values) if is_array else None, copy=False)


def _objects(array: Array) -> type | None:
    """Objects stay objects, which pandas might take for strings otherwise."""
    return object if array.dtype.kind == "O" else None


def _as_array(array: Array, dtype: Any) -> Array:
    """Text in the dtype it came in; numbers have theirs already."""
    return array.astype(dtype) if dtype.kind in "OUS" else array
