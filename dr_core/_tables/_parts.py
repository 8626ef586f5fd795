"""A part of the rows, and what can be done with all parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dr_core._tables._encoding import factorize
from dr_core._tables._table import Table
from dr_core._utils import Array, check_column, check_some_weights, listed

__all__ = ["WEIGHT", "Function", "Partition", "Partitions", "Whole", "Y", "require", "split_named"]

Y, WEIGHT = "y", "sample_weight"
"""Names of columns that go with the rows, beside X."""


@dataclass(frozen=True, eq=False)
class Partition:
    """A part of the rows; of a table in memory, all of them.

    Attributes
    ----------
    start : position of its first row among all
    table : what the model sees
    columns : what goes with its rows, by name
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
        return check_some_weights(self.columns[WEIGHT], self.n_rows)

    def column(self, key: str, what: str) -> Array:
        """What goes with the rows under this name; errors call it `what`."""
        return check_column(what, self.columns[key], self.n_rows)


Function = Callable[[Partition], Any]
"""What is done with a part."""


class Partitions(ABC):
    """All rows, in parts.

    Attributes
    ----------
    table : Table
        Knows the columns of X and their distinct values: enough for `learn_attributes`.
    """

    table: Table

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
        """The single part that a table in memory is; None for anything else."""
        return None

    @abstractmethod
    def map(self, function: Function, *, progress: bool = False) -> Iterator[Any]:
        """Apply a function to every part that has rows, where it lies."""


class Whole(Partitions):
    """A table in memory."""

    def __init__(self, table: Table, columns: Mapping[str, Any]) -> None:
        named, others = split_named(columns)
        read = {key: _column(table, name, key) for key, name in named.items()}
        self.table = table.drop(set(named.values())) if named else table
        self._part = Partition(0, self.table, {**others, **read})

    @property
    def whole(self) -> Partition:
        return self._part

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    @property
    def labels(self) -> list[Any]:
        return factorize(self._part.column(Y, "y")).values

    def map(self, function: Function, *, progress: bool = False) -> Iterator[Any]:
        yield function(self._part)


def split_named(
    columns: Mapping[str, Any],
) -> tuple[dict[str, str], dict[str, Any]]:
    """Names of columns of X, and everything else."""
    named = {key: value for key, value in columns.items() if isinstance(value, str)}
    return named, {key: value for key, value in columns.items() if key not in named}


def _column(table: Table, name: str, key: str) -> Any:
    require(name, table.keys(), key)
    return table.column(name)


def require(name: str, keys: Collection[Any], what: Any) -> None:
    """Refuse a name that is not among the columns of X."""
    if name not in keys:
        raise ValueError(f"{what} is to be read from {name!r}, but X has {listed(keys)}.")
