"""Rows and columns of X, whatever kind of table X is.

A `Table` wraps a pandas DataFrame, a NumPy array, or a frame of polars or another library that
narwhals knows. It reads columns, takes rows and replaces columns; it never changes what it wraps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype

from dr_core._tables._encoding import Factorized, factorize
from dr_core._utils import Array, listed

__all__ = ["Recoded", "Table", "as_table"]


class Recoded(NamedTuple):
    """New content of a column: `values[codes]`; the old content stays where the code is -1."""

    values: Sequence[Any]
    codes: Array


MANY_ROWS = 100_000
"""Columns of at least this length are worth a thread each."""


def _side_by_side(function: Callable[[Any], Any], keys: list[Any], n_rows: int) -> list[Any]:
    """Apply a function to each column; long ones in threads, as pandas and Arrow let them run."""
    if n_rows < MANY_ROWS or len(keys) < 2:
        return [function(key) for key in keys]
    with ThreadPoolExecutor(min(len(keys), 8)) as pool:
        return list(pool.map(function, keys))


class Table(ABC):
    """One table, seen through the few operations that perturbing it needs."""

    def __init__(self, native: Any) -> None:
        self.native = native
        self._factorized: dict[Hashable, Factorized] = {}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.native.shape[0]

    @abstractmethod
    def keys(self) -> list[Any]:
        """Names of the columns, or their positions in an array."""

    @abstractmethod
    def column(self, key: Hashable) -> Any:
        """One column, as something that can be factorized."""

    @property
    @abstractmethod
    def dtypes(self) -> dict[Any, Any]:
        """Type of each column."""

    @abstractmethod
    def drop(self, keys: Collection[Any]) -> Table:
        """Leave these columns out."""

    @abstractmethod
    def take(self, rows: Array | slice) -> Table:
        """Take these rows, in this order."""

    @abstractmethod
    def copy(self) -> Any:
        """A copy of the wrapped table, for a model that may write into what it is given."""

    @abstractmethod
    def recode(self, columns: Mapping[Any, Recoded]) -> Any:
        """Return a table of the same kind as the wrapped one, with these columns replaced."""

    def read(self, keys: Iterable[Hashable]) -> None:
        """Factorize several columns ahead of their use, side by side."""
        _side_by_side(self.factorize, list(keys), self.n_rows)

    def factorize(self, key: Hashable) -> Factorized:
        """Read one column once and remember its distinct values."""
        if key not in self._factorized:
            self._factorized[key] = self._factorize(key)
        return self._factorized[key]

    def _factorize(self, key: Hashable) -> Factorized:
        try:
            return factorize(self.column(key))
        except TypeError as error:
            raise TypeError(
                f"column {key!r} holds values that cannot be compared ({error}). Drop it, or turn "
                "them into text."
            ) from error


class PandasTable(Table):
    """A pandas DataFrame."""

    def keys(self) -> list[Any]:
        return list(self.native.columns)

    def column(self, key: Hashable) -> Any:
        return self.native[key]

    @property
    def dtypes(self) -> dict[Any, Any]:
        return dict(self.native.dtypes)

    def drop(self, keys: Collection[Any]) -> Table:
        return PandasTable(self.native.drop(columns=list(keys)))

    def take(self, rows: Array | slice) -> Table:
        return PandasTable(self.native.iloc[rows])

    def copy(self) -> pd.DataFrame:
        return self._copy(but=())

    def _copy(self, but: Collection[Any]) -> pd.DataFrame:
        """Copy all columns, but those that will be replaced."""
        if not COPY_ON_WRITE:
            return self.native.copy(deep=True)
        # Columns are shared until one is written, but for the arrays of pandas' own types.
        out = self.native.copy(deep=False)
        for key, dtype in self.native.dtypes.items():
            if isinstance(dtype, ExtensionDtype) and key not in but:
                out[key] = self.native[key].copy(deep=True)
        return out

    def recode(self, columns: Mapping[Any, Recoded]) -> pd.DataFrame:
        out = self._copy(but=columns)
        new = _side_by_side(
            lambda key: _recoded_series(self.native[key], columns[key]), list(columns), len(out)
        )
        for key, column in zip(columns, new, strict=True):
            out[key] = column
        return out


COPY_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3


def _recoded_series(old: pd.Series, new: Recoded) -> pd.Series:
    if isinstance(old.dtype, pd.CategoricalDtype):
        lacking = [value for value in new.values if value not in old.dtype.categories]
        if lacking:
            raise ValueError(
                f"column {old.name!r} cannot hold {listed(lacking)}: its categories are "
                f"{listed(old.dtype.categories)}. Add the missing categories to the column first."
            )
    domain = _held(lambda values: pd.Series(values, dtype=old.dtype), new, old.name, old.dtype)
    # As a series with its type: pandas 3 takes bare objects that are all text for its own text.
    taken = pd.Series(domain.array.take(new.codes), index=old.index, dtype=old.dtype)
    return taken if (new.codes >= 0).all() else taken.where(new.codes >= 0, old)


def _held(make: Callable[[list[Any]], Any], new: Recoded, key: Any, dtype: Any) -> Any:
    """Return the values as a column of this dtype, if it holds them unchanged."""
    try:
        held = make(list(new.values))
        unchanged = (held.to_list() if isinstance(held, nw.Series) else held.tolist()) == list(
            new.values
        )
    except (ValueError, TypeError, OverflowError):
        unchanged = False
    if not unchanged:
        raise ValueError(f"column {key!r} of dtype {dtype} cannot hold {listed(new.values)}.")
    return held


class ArrayTable(Table):
    """A two-dimensional NumPy array; its columns are named by their positions."""

    def keys(self) -> list[Any]:
        return list(range(self.native.shape[1]))

    def column(self, key: Hashable) -> Any:
        return self.native[:, key]

    @property
    def dtypes(self) -> dict[Any, Any]:
        return dict.fromkeys(self.keys(), self.native.dtype)

    def drop(self, keys: Collection[Any]) -> Table:
        return ArrayTable(np.delete(self.native, list(keys), axis=1))

    def take(self, rows: Array | slice) -> Table:
        return ArrayTable(self.native[rows])

    def copy(self) -> Array:
        return self.native.copy()

    def recode(self, columns: Mapping[Any, Recoded]) -> Array:
        out = self.copy()
        for key, new in columns.items():
            domain = _held(lambda v: np.array(v, dtype=out.dtype), new, key, out.dtype)
            out[:, key] = np.where(new.codes >= 0, domain[new.codes], out[:, key])
        return out


class NarwhalsTable(Table):
    """An eager frame of another library, through narwhals."""

    @property
    def _frame(self) -> Any:
        return nw.from_native(self.native, eager_only=True)

    def keys(self) -> list[Any]:
        return list(self._frame.columns)

    def column(self, key: Hashable) -> Any:
        return self._frame[key].to_numpy()

    @property
    def dtypes(self) -> dict[Any, Any]:
        return dict(self._frame.schema)

    def drop(self, keys: Collection[Any]) -> Table:
        return NarwhalsTable(self._frame.drop(*keys).to_native())

    def _factorize(self, key: Hashable) -> Factorized:
        series = self._frame[key]
        if series.dtype.is_float():
            return super()._factorize(key)
        # Text is factorized where it lies: turning it into Python objects costs ten times more.
        distinct = series.unique().to_list()
        values = [value for value in distinct if value is not None]
        place = iter(range(len(values)))
        codes = [-1 if value is None else next(place) for value in distinct]
        return Factorized(
            series.replace_strict(distinct, codes, return_dtype=nw.Int64).to_numpy(), values
        )

    def take(self, rows: Array | slice) -> Table:
        return NarwhalsTable(self._frame[rows].to_native())

    def copy(self) -> Any:
        return self._frame.clone().to_native()

    def recode(self, columns: Mapping[Any, Recoded]) -> Any:
        frame = self._frame
        new = [_recoded_narwhals(frame[key], recoded) for key, recoded in columns.items()]
        return frame.with_columns(*new).to_native()


def _recoded_narwhals(old: Any, new: Recoded) -> Any:
    namespace = nw.get_native_namespace(old)
    if old.dtype == nw.Boolean and set(new.values) <= {0, 1}:
        new = Recoded([bool(value) for value in new.values], new.codes)
    domain = _held(
        lambda values: nw.new_series(old.name, values, old.dtype, backend=namespace),
        new,
        old.name,
        old.dtype,
    )
    taken = domain[np.maximum(new.codes, 0)]
    kept = nw.new_series("kept", new.codes >= 0, nw.Boolean, backend=namespace)
    return taken.zip_with(kept, old)


def as_table(X: Any) -> Table:
    """Wrap X, or say what X may be; a table that was wrapped before passes unchanged."""
    if isinstance(X, Table):
        return X
    table = _wrap(X)
    if table.n_rows == 0:
        raise ValueError("X is empty: there is no row to perturb.")
    keys = table.keys()
    if len(set(keys)) < len(keys):
        twice = sorted({str(key) for key in keys if keys.count(key) > 1})
        raise ValueError(f"X has columns of the same name: {listed(twice)}. Rename them first.")
    return table


def _wrap(X: Any) -> Table:
    if isinstance(X, pd.DataFrame):
        return PandasTable(X)
    if isinstance(X, np.ndarray):
        if X.ndim != 2:
            raise ValueError(f"X must have two dimensions, rows and columns; it has {X.ndim}.")
        return ArrayTable(X)
    if isinstance(nw.from_native(X, pass_through=True, eager_only=True), nw.DataFrame):
        return NarwhalsTable(X)
    raise TypeError(
        f"X is a {type(X).__name__}; pass a pandas or polars DataFrame, or a two-dimensional "
        "NumPy array."
    )
