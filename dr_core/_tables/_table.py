"""Tables of any kind as codes.

A `Table` wraps a pandas DataFrame, a NumPy array, or a frame of polars or another library that
narwhals supports. It reads columns, takes rows and replaces columns. It never changes the wrapped
table. A name that is not a column of a pandas DataFrame may be a level of its index.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype
from pandas.api.types import is_float_dtype, is_integer_dtype

from dr_core._tables._index_levels import Level, find_level, get_level, replace_level
from dr_core._utils import NUMERIC_KINDS, Array, find_repeated, quote

__all__ = [
    "Factorized",
    "Recoded",
    "Table",
    "Together",
    "as_table",
    "check_zero_one",
    "encode",
    "encode_known",
    "factorize",
    "find_dependent",
    "find_first",
    "joint_codes",
    "joint_positions",
    "read_zero_one",
    "restore_integers",
]

MAX_JOINT = 2**31
"""Combinations that are numbered directly; more are numbered as they occur."""

MAX_EXACT = 2**53
"""Up to here, each integer is one float64."""

MAX_RANGE, FIRST_ROWS = 2**12, 2**10
"""Integers in a smaller range are numbered by a look-up table, made from these first rows."""

MANY_ROWS = 100_000
"""Columns of at least this length are processed in one thread each."""

FEW_CELLS = 20_000
"""Cells of a frame that is copied as a whole, which takes less time than column by column."""

N_SAMPLED = 200
"""Rows, evenly spaced, that rule out most columns that do not depend on another one alone."""

COPY_ON_WRITE = int(pd.__version__.split(".")[0]) >= 3


@dataclass(frozen=True)
class Together:
    """Key of several columns or levels, whose values are tuples."""

    keys: tuple[Hashable, ...]


class Factorized(NamedTuple):
    """A column as positions in the list of its distinct values; -1 is a missing value."""

    codes: Array
    values: list[Any]


class Recoded(NamedTuple):
    """New content of a column: `values[codes]`; the old content stays where the code is -1."""

    values: Sequence[Any]
    codes: Array


def factorize(column: Any) -> Factorized:
    """Return the distinct values of a pandas or NumPy column, and the position of each row's.

    >>> factorize(np.array(["b", "a", "b"]))
    Factorized(codes=array([0, 1, 0]), values=['b', 'a'])
    """
    if getattr(column, "dtype", None) == np.float16:  # pandas has no index of this type
        column = column.astype(np.float32)
    codes, values = _number(column)
    # pandas turns dates and other objects into its own types; numbers need no such step.
    is_numeric = isinstance(values, np.ndarray) and values.dtype.kind in NUMERIC_KINDS
    listed = values.tolist() if is_numeric else pd.Index(values).tolist()
    return Factorized(codes, restore_integers(listed) if is_float_dtype(values.dtype) else listed)


# pandas reads the cells 1, 2 and an empty one as 1.0, 2.0 and NaN: a column of floats cannot say
# that its file has integers. Below 2⁵³, each integer is one float, and 1 == 1.0 has the same hash.
def restore_integers(values: Iterable[Any]) -> list[Any]:
    """Return values with floats that are integers as such, as they are in most files.

    >>> restore_integers([1.0, 2.5, float("inf")])
    [1, 2.5, inf]
    """
    return [
        int(value) if isinstance(value, float) and _is_exact_integer(value) else value
        for value in values
    ]


def _is_exact_integer(value: float) -> bool:
    return value.is_integer() and abs(value) < MAX_EXACT


def _number(column: Any) -> tuple[Array, Any]:
    """Return what `pd.factorize` returns, in less time for integers in a small range."""
    dtype = getattr(column, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iub" or not len(column):
        return pd.factorize(column)
    integers = np.asarray(column)
    lowest, highest = int(integers.min()), int(integers.max())
    if highest - lowest >= MAX_RANGE or highest >= 2**63:
        return pd.factorize(integers)
    return _look_up(integers, lowest, highest)


# The first rows of 7 7 5 7 … have the distinct values 7 5: the look-up table 1 -1 0 numbers 5 as
# 1 and 7 as 0. If it lacks the value of a later row, such as 6, more rows are looked at.
def _look_up(integers: Array, lowest: int, highest: int) -> tuple[Array, Array]:
    offsets = integers.astype(np.int64, copy=False) - lowest
    lookup, n_rows = np.full(highest - lowest + 1, -1), FIRST_ROWS
    while True:
        distinct = _list_distinct(offsets[:n_rows], len(lookup))
        lookup[distinct] = np.arange(len(distinct))
        codes = lookup.take(offsets)
        if n_rows >= len(offsets) or codes.min() >= 0:
            return codes, (distinct + lowest).astype(integers.dtype)
        n_rows *= 2**5


# Of several values written to one place the last stays, so rows are written from the last to the
# first: 4 0 4 2 first appear in the rows 1 - 3 - 0 ("-": never, row n), so the order is 4 0 2.
def _list_distinct(integers: Array, size: int) -> Array:
    n = len(integers)
    first = np.full(size, n)
    first[integers[::-1]] = np.arange(n - 1, -1, -1)
    return first.argsort(kind="stable")[: np.count_nonzero(first < n)]


def encode(factorized: Factorized, values: Sequence[Any], what: str) -> Array:
    """Return the positions of a factorized column in `values`; -1 where a value is missing.

    Raise ValueError, naming `what`, if the column has a value that is not in `values`.
    """
    _check_known(factorized.values, values, what)
    return encode_known(factorized, values)


def encode_known(factorized: Factorized, values: Sequence[Any]) -> Array:
    """Return the positions of a factorized column in `values`; -1 if missing or not in `values`.

    >>> encode_known(factorize(np.array(["b", "a", "c"])), ["a", "b"])
    array([ 1,  0, -1], dtype=int8)
    """
    position = {value: i for i, value in enumerate(values)}
    # Most of the work on codes is moving memory, so codes take one byte if they fit.
    dtype = np.int8 if len(values) < 128 else np.int32
    # Distinct values b, a, c become the lookup 1, 0, -1, and a last -1: with mode="wrap", the
    # code -1 of a missing value takes the last entry.
    lookup = np.array([position.get(v, -1) for v in factorized.values] + [-1], dtype=dtype)
    return lookup.take(factorized.codes, mode="wrap")


def read_zero_one(factorized: Factorized, column: Any) -> Array:
    """Return the content of a one-hot column; -1 where it is missing."""
    check_zero_one(factorized.values, column)
    return encode_known(factorized, (0, 1))


def check_zero_one(values: Iterable[Any], column: Any) -> None:
    """Raise ValueError if the distinct values of a one-hot column are not 0 and 1."""
    _check_known(values, (0, 1), f"one-hot column {column!r}")


def _check_known(found: Iterable[Any], values: Sequence[Any], what: str) -> None:
    known = set(values)
    unknown = [value for value in found if value not in known]
    if unknown:
        raise ValueError(
            f"{what} has {quote(unknown)}, which is not among the known values {quote(values)}."
        )


def joint_codes(columns: Iterable[Array]) -> Array:
    """Return one integer per row that stands for the codes of the row in all columns.

    Codes are integers of at least -1. The integers sort like the tuples of codes.

    >>> joint_codes(np.array([[0, 0, 1], [0, 1, -1]]))
    array([4, 5, 6])
    """
    joint, size = np.zeros(1, dtype=np.int64), 1
    for codes in columns:
        width = int(codes.max(initial=-1)) + 2
        if size * width > MAX_JOINT:
            joint, found = pd.factorize(joint, sort=True)
            size = len(found)
        joint = joint * width + codes + 1
        size *= width
    return joint


def joint_positions(columns: Iterable[Array]) -> Array:
    """Number the combinations of values that rows have, in the order of first appearance.

    `np.unique` along an axis does so by sorting, which takes many times as long.

    >>> joint_positions(np.array([[5, 5, 7, 5], [0, 1, 0, 0]]))
    array([0, 1, 2, 0])
    """
    codes = [c if c.dtype == np.int8 else _number(c)[0] for c in map(np.asarray, columns)]
    return _number(codes[0] if len(codes) == 1 else joint_codes(codes))[0]


def find_first(positions: Array) -> Array:
    """Return the row where each number first appears, for numbers in order of appearance.

    >>> find_first(np.array([0, 1, 0, 2, 1]))
    array([0, 1, 3])
    """
    # A number is new where the running maximum rises: 0 1 1 2 2 rises at rows 0, 1 and 3. No row
    # after the first with the largest number has a new one.
    last = positions.argmax() if len(positions) else 0
    highest = np.maximum.accumulate(positions[: last + 1])
    rises = highest >= 0
    np.greater(highest[1:], highest[:-1], out=rises[1:])
    return np.flatnonzero(rises)


def find_dependent(table: Table, keys: Sequence[Any], *attributes: Array) -> list[list[Any]]:
    """Return, for each attribute, the columns that depend on it alone.

    Such a column has one value for each value of the attribute, but not the same in all. Rows
    where the attribute is missing are left out. In a column, missing is a value. Columns of values
    that cannot be compared, such as lists and arrays, are not found.

    Parameters
    ----------
    table : Table
    keys : columns to look at
    *attributes : (n,) codes of the values of an attribute; -1 where it is missing

    Examples
    --------
    >>> table = as_table(pd.DataFrame({"title": ["Mr", "Ms", "Mr"], "age": [30, 30, 40]}))
    >>> find_dependent(table, table.keys(), np.array([0, 1, 0]), np.array([0, 0, 1]))
    [['title'], ['age']]
    """
    step = -(-table.n_rows // N_SAMPLED)
    sample = table if step == 1 else table.take(slice(None, None, step))
    found: list[list[Any]] = [[] for _ in attributes]
    for key in keys:
        values = _read_values(sample, key)
        likely = [i for i, codes in enumerate(attributes) if _depends(values, codes[::step])]
        # Columns are read one at a time: codes of all of them may not fit into memory.
        values = _read_values(table, key) if likely and step > 1 else values
        for i in likely:
            codes = attributes[i]
            if _depends(values, codes) and len(np.unique(values[codes >= 0])) > 1:
                found[i].append(key)
    return found


def _depends(values: Array, codes: Array) -> bool:
    """Return whether rows with the same code have the same value."""
    if codes.min() < 0:
        values, codes = values[codes >= 0], codes[codes >= 0]
    # With the codes 1 0 1 0, the last rows of codes 0 and 1 are rows 3 and 2: all rows must have
    # the value of row 3 or 2, whichever has their code.
    value_of_code = np.empty(codes.max(initial=-1) + 1, values.dtype)
    value_of_code[codes] = values
    return bool((value_of_code[codes] == values).all())


def _read_values(table: Table, key: Any) -> Array:
    """Return a column as numbers that differ where its values do."""
    try:
        numbers = table.numbers(key)
        if numbers is not None and not np.isnan(numbers).any():
            return numbers
        return factorize(table.column(key)).codes
    except Exception:
        # A column that has no part in the audit may hold arrays, or a type that its library cannot
        # compare; it is treated as if all its values were different.
        return np.arange(table.n_rows)


def _map_columns(function: Callable[[Any], Any], keys: list[Any], n_rows: int) -> list[Any]:
    """Apply a function to each column; use threads for long columns."""
    if n_rows < MANY_ROWS or len(keys) < 2:
        return [function(key) for key in keys]
    with ThreadPoolExecutor(min(len(keys), 8)) as pool:
        return list(pool.map(function, keys))


class Table(ABC):
    """A table with the operations that perturbation needs."""

    CHUNK_CELLS = 2**23
    """Cells that are perturbed at once by default; for more, memory takes most of the time."""

    def __init__(self, native: Any) -> None:
        self.native = native
        self._factorized: dict[Hashable, Factorized] = {}

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.native.shape[0]

    @abstractmethod
    def keys(self) -> list[Any]:
        """Return the names of the columns, or their positions in an array."""

    @abstractmethod
    def column(self, key: Hashable) -> Any:
        """Return one column in a form that `factorize` accepts."""

    @property
    def levels(self) -> list[Any]:
        """Names of the index levels, which models of some libraries read."""
        return []

    @property
    @abstractmethod
    def dtypes(self) -> dict[Any, Any]:
        """Type of each column."""

    @abstractmethod
    def drop(self, keys: Collection[Any]) -> Table:
        """Return the table without these columns."""

    @abstractmethod
    def take(self, rows: Array | slice) -> Table:
        """Return these rows, in this order."""

    @abstractmethod
    def append(self, others: Sequence[Table]) -> Table:
        """Return these rows and those of other tables of the same kind, with the same columns."""

    @abstractmethod
    def copy(self) -> Any:
        """Return a copy of the wrapped table, for a model that may write into its input."""

    @abstractmethod
    def recode(self, columns: Mapping[Any, Recoded], *, is_copy: bool = False) -> Any:
        """Return a table of the same kind as the wrapped one, with these columns replaced.

        `is_copy` says that `take` copied the wrapped table, and that no other object refers to it.
        """

    def read(self, keys: Iterable[Hashable]) -> None:
        """Factorize several columns ahead of their use."""
        self.map(self.factorize, keys)

    def map(self, function: Callable[[Any], Any], keys: Iterable[Any]) -> list[Any]:
        """Apply a function to each key; in threads if columns are long."""
        return _map_columns(function, list(keys), self.n_rows)

    def factorize(self, key: Hashable) -> Factorized:
        """Return a column as codes; it is read once and kept."""
        if key not in self._factorized:
            self._factorized[key] = self._factorize(key)
        return self._factorized[key]

    def numbers(self, key: Hashable) -> Array | None:
        """Return a column as an array of numbers, NaN where missing; None if it is not one."""
        column = self.column(key)
        return column if column.dtype.kind in "iuf" else None

    def distinct(self, key: Hashable) -> list[Any]:
        """Return the distinct values of a column, without missing ones."""
        return self.factorize(key).values

    def value_counts(self, key: Hashable) -> dict[Any, int]:
        """Return the number of rows with each value of a column, without missing ones."""
        codes, values = self.factorize(key)
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        return dict(zip(values, counts.tolist(), strict=True))

    def _factorize(self, key: Hashable) -> Factorized:
        if isinstance(key, Together):
            return _join([self.factorize(one) for one in key.keys])
        try:
            return factorize(self.column(key))
        except TypeError as error:
            raise TypeError(
                f"column {key!r} has values that cannot be hashed ({error}). Drop the column, or "
                "convert it to text."
            ) from error


def _join(columns: list[Factorized]) -> Factorized:
    """Return the distinct tuples of values of several columns; a missing value is None."""
    codes = joint_positions([column.codes for column in columns])
    rows = find_first(codes)
    values = [[c.values[i] if i >= 0 else None for i in c.codes[rows]] for c in columns]
    return Factorized(codes, list(zip(*values, strict=True)))


class PandasTable(Table):
    """A pandas DataFrame."""

    def keys(self) -> list[Any]:
        return list(self.native.columns)

    @property
    def levels(self) -> list[Any]:
        return [name for name in self.native.index.names if name is not None]

    def column(self, key: Hashable) -> Any:
        if self._is_column(key):
            return self.native[key]
        index = self.native.index
        return get_level(index, find_level(index, key))

    def _is_column(self, key: Any) -> bool:
        return not isinstance(key, Level) and key in self.native.columns

    def numbers(self, key: Hashable) -> Array | None:
        column = self.column(key)
        is_float = is_float_dtype(column.dtype)
        # Integers with missing values would become floats, which cannot hold all of them.
        if not (is_float or (is_integer_dtype(column.dtype) and not column.hasnans)):
            return None
        if hasattr(column.dtype, "numpy_dtype"):  # Int64, or a type of Arrow
            return column.to_numpy(column.dtype.numpy_dtype, na_value=np.nan)
        return column.to_numpy()

    @property
    def dtypes(self) -> dict[Any, Any]:
        return dict(self.native.dtypes)

    def drop(self, keys: Collection[Any]) -> Table:
        return PandasTable(self.native.drop(columns=list(keys)))

    def take(self, rows: Array | slice) -> Table:
        return PandasTable(self.native.iloc[rows])

    def append(self, others: Sequence[Table]) -> Table:
        return PandasTable(pd.concat([self.native, *(other.native for other in others)]))

    def copy(self) -> pd.DataFrame:
        return self._copy(but=())

    def _copy(self, but: Collection[Any]) -> pd.DataFrame:
        """Copy all columns except those that will be replaced."""
        if not COPY_ON_WRITE or self.native.size <= FEW_CELLS:
            return self.native.copy(deep=True)
        # A shallow copy shares columns until one is written. Only arrays of extension types, such
        # as Int64 or category, are really shared, so they are copied one by one.
        out = self.native.copy(deep=False)
        for key, dtype in self.native.dtypes.items():
            if isinstance(dtype, ExtensionDtype) and key not in but:
                out[key] = self.native[key].copy(deep=True)
        return out

    def recode(self, columns: Mapping[Any, Recoded], *, is_copy: bool = False) -> pd.DataFrame:
        # Before pandas 3, a frame made by `iloc` warns of columns that are replaced.
        out = self.native if is_copy and COPY_ON_WRITE else self._copy(but=columns)
        new = _map_columns(
            lambda key: _recode_series(self.column(key), columns[key]), list(columns), len(out)
        )
        index = out.index
        for key, column in zip(columns, new, strict=True):
            if self._is_column(key):
                out[key] = column
            else:
                index = replace_level(index, find_level(index, key), column)
        out.index = index  # last, because columns are aligned by the old one
        return out


def _recode_series(old: pd.Series, new: Recoded) -> pd.Series:
    if isinstance(old.dtype, pd.CategoricalDtype):
        lacking = [value for value in new.values if value not in old.dtype.categories]
        if lacking:
            raise ValueError(
                f"column {old.name!r} cannot hold {quote(lacking)}: its categories are "
                f"{quote(old.dtype.categories)}. Add the missing categories to the column first."
            )
    domain = _make_column(
        lambda values: pd.Series(values, dtype=old.dtype), new, old.name, old.dtype
    )
    # Values M, F and codes 1, -1, 0 give F, M, M; the row of code -1 gets its old value below.
    # The dtype is given because pandas 3 infers `str` from objects that are all text.
    taken = pd.Series(domain.array.take(new.codes), index=old.index, dtype=old.dtype)
    return taken if (new.codes >= 0).all() else taken.where(new.codes >= 0, old)


def _make_column(make: Callable[[list[Any]], Any], new: Recoded, key: Any, dtype: Any) -> Any:
    """Make a column of this dtype from the new values; raise ValueError if they would change."""
    try:
        column = make(list(new.values))
        as_list = column.to_list() if isinstance(column, nw.Series) else column.tolist()
        # pandas 1 makes floats of 0.5 where integers were asked for.
        unchanged = as_list == list(new.values) and column.dtype == dtype
    except (ValueError, TypeError, OverflowError):
        unchanged = False
    if not unchanged:
        raise ValueError(
            f"column {key!r} of dtype {dtype} cannot hold {quote(new.values)}. Convert the column "
            "to a dtype that can."
        )
    return column


class ArrayTable(Table):
    """A two-dimensional NumPy array; positions are the names of its columns."""

    CHUNK_CELLS = 2**22
    """Half as many as of frames, which cost a model some time for each column of each chunk."""

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

    def append(self, others: Sequence[Table]) -> Table:
        return ArrayTable(np.concatenate([self.native, *(other.native for other in others)]))

    def copy(self) -> Array:
        return self.native.copy()

    def recode(self, columns: Mapping[Any, Recoded], *, is_copy: bool = False) -> Array:
        out = self.native if is_copy else self.copy()
        for key, new in columns.items():
            domain = _make_column(lambda v: np.array(v, dtype=out.dtype), new, key, out.dtype)
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

    def numbers(self, key: Hashable) -> Array | None:
        series = self._frame[key]
        if series.dtype.is_float() or (series.dtype.is_integer() and not series.null_count()):
            return self.column(key)
        return None

    def _factorize(self, key: Hashable) -> Factorized:
        series = self._frame[key]
        if series.dtype.is_float():
            return super()._factorize(key)
        # Text is factorized by its own library: converting it to Python objects takes ten times
        # as long. Distinct values "b", None, "a" get the codes 0, -1, 1.
        distinct = series.unique().to_list()
        values = [value for value in distinct if value is not None]
        positions = iter(range(len(values)))
        codes = [-1 if value is None else next(positions) for value in distinct]
        return Factorized(
            series.replace_strict(distinct, codes, return_dtype=nw.Int64).to_numpy(), values
        )

    def take(self, rows: Array | slice) -> Table:
        return NarwhalsTable(self._frame[rows].to_native())

    def append(self, others: Sequence[Table]) -> Table:
        frames = [nw.from_native(other.native, eager_only=True) for other in others]
        return NarwhalsTable(nw.concat([self._frame, *frames]).to_native())

    def copy(self) -> Any:
        return self._frame.clone().to_native()

    def recode(self, columns: Mapping[Any, Recoded], *, is_copy: bool = False) -> Any:
        frame = self._frame
        new = [_recode_narwhals(frame[key], recoded) for key, recoded in columns.items()]
        return frame.with_columns(*new).to_native()


def _recode_narwhals(old: Any, new: Recoded) -> Any:
    namespace = nw.get_native_namespace(old)
    if old.dtype == nw.Boolean and set(new.values) <= {0, 1}:
        new = Recoded([bool(value) for value in new.values], new.codes)
    domain = _make_column(
        lambda values: nw.new_series(old.name, values, old.dtype, backend=namespace),
        new,
        old.name,
        old.dtype,
    )
    taken = domain[np.maximum(new.codes, 0)]
    kept = nw.new_series("kept", new.codes >= 0, nw.Boolean, backend=namespace)
    return taken.zip_with(kept, old)


def as_table(X: Any) -> Table:
    """Wrap X; a `Table` passes unchanged. Raise TypeError if X is no table."""
    if isinstance(X, Table):
        return X
    table = _wrap(X)
    if table.n_rows == 0:
        raise ValueError("X is empty: there is no row to perturb.")
    keys = table.keys()
    if len(set(keys)) < len(keys):
        twice = find_repeated(keys)
        raise ValueError(f"X has columns of the same name: {quote(twice)}. Rename them first.")
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
    name = type(X).__name__
    collected = "X.collect(), " if name == "LazyFrame" else ""
    raise TypeError(
        f"X is a {name}; pass {collected}a pandas or polars DataFrame, or a two-dimensional NumPy "
        "array."
    )
