"""Record the form of the data that was passed, and restore it.

The form is the container (pandas or NumPy), the index, the names and the dtype. `rows` are
positions in the data that was passed; `None` means all rows, in order.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
from scipy.sparse import issparse

from dr_core.plugins import Array, quote

__all__ = [
    "ColumnForm",
    "FrameForm",
    "as_column",
    "as_frame",
    "check_dense",
    "convert_foreign_frame",
]


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
    if _is_foreign(column):
        series = _convert_series(nw.from_native(column, series_only=True))
        return series, ColumnForm(None, None, series.to_numpy().dtype)
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
    frame = convert_foreign_frame(table)
    if frame is None:
        raise TypeError(
            f"X is a {type(table).__name__}; pass a pandas or polars DataFrame, or a "
            "two-dimensional NumPy array."
        )
    return frame, FrameForm(frame.index, frame.columns)


def check_dense(X: Any) -> None:
    """Raise TypeError if X is sparse: AIF360 datasets are dense.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> check_dense(csr_matrix((2, 2)))
    Traceback (most recent call last):
    TypeError: X is sparse (csr_matrix), but datasets of AIF360 are dense; pass X.toarray().
    """
    if issparse(X):
        raise TypeError(
            f"X is sparse ({type(X).__name__}), but datasets of AIF360 are dense; pass "
            "X.toarray()."
        )
    dtypes = X.dtypes.items() if isinstance(X, pd.DataFrame) else ()
    sparse = [name for name, dtype in dtypes if isinstance(dtype, pd.SparseDtype)]
    if sparse:
        raise TypeError(
            f"columns {quote(sparse)} of X are sparse, but datasets of AIF360 are dense; pass "
            "X with X[column].sparse.to_dense() for each of them."
        )


def convert_foreign_frame(table: Any) -> pd.DataFrame | None:
    """Return a frame of polars or another library as a pandas one; None for anything else.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["m", None], "age": [30, None]})
    >>> convert_foreign_frame(people).dtypes.tolist()
    [dtype('O'), Int64Dtype()]
    """
    frame = nw.from_native(table, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame) or isinstance(table, pd.DataFrame):
        return None
    return pd.DataFrame({name: _convert_series(frame[name]) for name in frame.columns})


def _is_foreign(column: Any) -> bool:
    return isinstance(nw.from_native(column, pass_through=True, series_only=True), nw.Series)


def _convert_series(series: Any) -> pd.Series:
    """Return a Series of another library as one of pandas, without pyarrow."""
    dtype, has_gaps = series.dtype, series.null_count() > 0
    if dtype in (nw.Categorical, nw.Enum):
        values: Any = pd.Categorical(series.to_list(), getattr(dtype, "categories", None))
    elif has_gaps and (dtype.is_integer() or dtype == nw.Boolean):
        name = "boolean" if dtype == nw.Boolean else "UInt64" if dtype == nw.UInt64 else "Int64"
        values = pd.array(series.to_list(), dtype=name)
    elif dtype.is_numeric() or dtype.is_temporal() or dtype == nw.Boolean:
        values = series.to_numpy()
    else:
        return pd.Series(series.to_list(), name=series.name, dtype=object)
    return pd.Series(values, name=series.name)


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
