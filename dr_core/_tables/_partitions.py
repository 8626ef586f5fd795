"""Rows in parts: a table in memory, frames one after another, or a Dask DataFrame.

A table in memory is one part. `_parts` has rows that are not in memory.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from dr_core._tables._chunks import Chunks
from dr_core._tables._table import Table, as_table, factorize, find_first
from dr_core._utils import Array, check_column, check_part_weights, check_row_order, quote

__all__ = [
    "EMPTY",
    "PERSON",
    "WEIGHT",
    "Function",
    "Partition",
    "Partitions",
    "Y",
    "as_partitions",
    "is_dask",
    "split_named",
]

Y, WEIGHT, PERSON = "y", "sample_weight", "person"
"""Names of columns that belong to the rows, beside X."""


EMPTY = "X is empty: there is no row to perturb."


class RowColumns(NamedTuple):
    """What is known of rows beside X, checked.

    Attributes
    ----------
    start : position of the first of these rows among all rows
    y, weights, person : (n,) labels, weights and identities of people, or None
    """

    start: int
    y: Array | None
    weights: Array | None
    person: Array | None

    def take(self, rows: slice) -> RowColumns:
        """Return the columns of some of the rows."""
        start, *columns = self
        some = (None if column is None else column[rows] for column in columns)
        return RowColumns(start + rows.start, *some)


@dataclass(frozen=True, eq=False)
class Partition:
    """A part of the rows; of a table in memory, all rows.

    Attributes
    ----------
    start : position of its first row among all rows
    table : the columns that the model sees
    columns : other columns of its rows, by name
    """

    start: int
    table: Table
    columns: Mapping[str, Any]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    @property
    def y(self) -> Array | None:
        """True labels, if there are any."""
        return self.column(Y, "y") if Y in self.columns else None

    @property
    def weights(self) -> Array | None:
        """Weights of the rows, if there are any."""
        if WEIGHT not in self.columns:
            return None
        return check_part_weights(self.columns[WEIGHT], self.n_rows)

    @property
    def person(self) -> Array | None:
        """Identity of the person whom each row is about, if it is known."""
        return self.column(PERSON, "person") if PERSON in self.columns else None

    @property
    def row_columns(self) -> RowColumns:
        """Labels, weights and people of all rows, checked once."""
        return RowColumns(self.start, self.y, self.weights, self.person)

    @property
    def one_row_each(self) -> Table:
        """The first row of each person; all rows without `person`."""
        if self.person is None:
            return self.table
        return self.table.take(find_first(factorize(self.person).codes))

    def column(self, key: str, what: str) -> Array:
        """Return the column of this name; errors call it `what`."""
        return check_column(what, self.columns.get(key), self.n_rows)


Function = Callable[[Partition], Any]


class Partitions(ABC):
    """All rows, in parts. `learn_attributes` accepts it in place of a table.

    Columns of X that arguments such as `sample_weight` name are not passed to the model.
    """

    _named: Mapping[str, str] = MappingProxyType({})
    """Columns of X by the arguments that name them."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows of all parts."""

    @property
    @abstractmethod
    def labels(self) -> list[Any]:
        """Distinct values of y."""

    @property
    def whole(self) -> Partition | None:
        """The only part of a table in memory; None for all other rows."""
        return None

    @property
    @abstractmethod
    def sample(self) -> Table:
        """Some rows, without a pass over all of them; all, if they are in memory."""

    @abstractmethod
    def keys(self) -> list[Any]:
        """Return the names of the columns that the model sees."""

    @property
    @abstractmethod
    def levels(self) -> list[Any]:
        """Names of the index levels."""

    @abstractmethod
    def read(self, keys: Iterable[Hashable]) -> None:
        """Count the distinct values of several columns in one pass."""

    def distinct(self, key: Hashable) -> list[Any]:
        """Return the distinct values of a column, without missing ones."""
        return list(self.value_counts(key))

    @abstractmethod
    def value_counts(self, key: Hashable) -> dict[Any, int]:
        """Return the number of rows with each value of a column, without missing ones."""

    def note_named_columns(self, error: Exception) -> None:
        """Add a note to an error of a model that lacks a column which an argument names."""
        for argument, name in self._named.items():
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", str(error)):
                error.add_note(
                    f"{argument} is {name!r}, a column of X, so that X is passed to the model "
                    f"without this column. If the model needs it, pass its values as {argument}, "
                    "not its name."
                )

    @abstractmethod
    def map(self, function: Function, *, progress: bool = False) -> Iterator[Any]:
        """Apply a function to each part that has rows."""


class InMemory(Partitions):
    """A table in memory."""

    def __init__(self, table: Table, columns: Mapping[str, Any]) -> None:
        self._named, others = split_named(columns, table.keys())
        check_row_order(table.native, others)
        others |= {key: table.column(name) for key, name in self._named.items()}
        seen = table.drop(set(self._named.values())) if self._named else table
        self._part = Partition(0, seen, others)

    @property
    def whole(self) -> Partition:
        return self._part

    @property
    def sample(self) -> Table:
        return self._part.table

    @property
    def n_rows(self) -> int:
        return self._part.n_rows

    @property
    def labels(self) -> list[Any]:
        return factorize(self._part.column(Y, "y")).values

    def keys(self) -> list[Any]:
        return self._part.table.keys()

    @property
    def levels(self) -> list[Any]:
        return self._part.table.levels

    def read(self, keys: Iterable[Hashable]) -> None:
        self._part.table.read(keys)

    def distinct(self, key: Hashable) -> list[Any]:
        return self._part.table.distinct(key)

    def value_counts(self, key: Hashable) -> dict[Any, int]:
        return self._part.table.value_counts(key)

    def map(self, function: Function, *, progress: bool = False) -> Iterator[Any]:
        yield function(self._part)


def as_partitions(X: Any, columns: Mapping[str, Any], *, want_labels: bool = False) -> Partitions:
    """Return X as partitions.

    Parameters
    ----------
    X : table, Dask DataFrame, `iter_chunks(...)`, iterable of frames, or a function returning one
        Partitions are returned as they are, with the columns that they have.
    columns : mapping
        Other columns of the rows, by name; see `Parts`. Values of None are left out.
    want_labels : bool
        Whether `labels` will be used.

    Examples
    --------
    >>> import pandas as pd
    >>> halves = [pd.DataFrame({"a": [1, 2], "y": [0, 1]}), pd.DataFrame({"a": [3], "y": [1]})]
    >>> data = as_partitions(halves, {"y": "y"}, want_labels=True)
    >>> data.n_rows, data.labels, data.keys(), data.distinct("a")
    (3, [0, 1], ['a'], [1, 2, 3])
    >>> [part.y.tolist() for part in data.map(lambda part: part)]
    [[0, 1], [1]]
    """
    if isinstance(X, Partitions):
        return X
    given = {key: value for key, value in columns.items() if value is not None}
    if want_labels and Y not in given:
        raise ValueError("y is None: pass the true labels, or the name of their column.")
    if is_dask(X):
        from dr_core._tables._dask import DaskParts

        return DaskParts(X, given, want_labels)
    if _has_parts(X):
        from dr_core._tables._parts import Frames

        return Frames(X, given, want_labels)
    return InMemory(as_table(X), given)


def is_dask(X: Any) -> bool:
    """Return whether X is a collection of Dask, without importing Dask."""
    return hasattr(X, "to_delayed") and hasattr(X, "npartitions")


def _has_parts(X: Any) -> bool:
    """Return whether X is chunks, frames or a function, rather than one table."""
    if isinstance(X, list | tuple) and any(isinstance(row, list | tuple) for row in X):
        raise TypeError(
            "X is a list of rows; pass a pandas or polars DataFrame, or a two-dimensional NumPy "
            "array, such as numpy.asarray(X)."
        )
    # `columns` of a LazyFrame resolves its schema, with a warning; that of its type does not.
    is_table = isinstance(X, Table) or hasattr(X, "shape") or hasattr(type(X), "columns")
    if isinstance(X, Chunks) or is_table or isinstance(X, str | bytes | Mapping | type):
        return isinstance(X, Chunks)
    return callable(X) or isinstance(X, Iterable)


def split_named(
    columns: Mapping[str, Any], keys: Collection[Any]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Split `columns` into names of columns of X and everything else."""
    named = {key: value for key, value in columns.items() if isinstance(value, str)}
    for key, name in named.items():
        if name not in keys:
            raise ValueError(f"{key} is to be read from {name!r}, but X has {quote(keys)}.")
    return named, {key: value for key, value in columns.items() if key not in named}
