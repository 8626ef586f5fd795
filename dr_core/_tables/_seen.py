"""What the first pass over the parts sees: numbers of rows, and distinct values."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from dr_core._tables._encoding import Factorized, factorize
from dr_core._tables._parts import Partition, Y
from dr_core._tables._table import Table
from dr_core._utils import Array

__all__ = ["Seen", "SeenTable", "see_part"]


class Seen(NamedTuple):
    """What a pass over the parts has seen."""

    lengths: list[int]
    values: dict[Any, dict[Any, None]]
    labels: dict[Any, None]

    @classmethod
    def nothing(cls, keys: Collection[Any]) -> Seen:
        """Before the first part."""
        return cls([], {key: {} for key in keys}, {})

    def add(self, other: Seen | None) -> None:
        """Put what was seen in one more part, None for an empty one, behind the rest."""
        self.lengths.extend([0] if other is None else other.lengths)
        if other is not None:
            self.labels.update(other.labels)
            for key, values in other.values.items():
                self.values[key].update(values)


def see_part(part: Partition, keys: list[Any], at_labels: bool) -> Seen:
    """Look at one part: the values of these columns, and those of y if asked."""
    values = {key: dict.fromkeys(part.table.factorize(key).values) for key in keys}
    labels = factorize(part.column(Y, "y")).values if at_labels else []
    return Seen([part.n_rows], values, dict.fromkeys(labels))


class Rows(Protocol):
    """Rows that can be looked at."""

    @property
    def dtypes(self) -> dict[Any, Any]: ...

    @property
    def n_rows(self) -> int: ...

    def see(self, keys: Collection[Any]) -> dict[Any, list[Any]]: ...


class SeenTable(Table):
    """Columns of rows that lie elsewhere, known by their distinct values alone."""

    def __init__(self, data: Rows) -> None:
        super().__init__(data)

    @property
    def n_rows(self) -> int:
        return self.native.n_rows

    def keys(self) -> list[Any]:
        return list(self.native.dtypes)

    @property
    def dtypes(self) -> dict[Any, Any]:
        return dict(self.native.dtypes)

    def read(self, keys: Iterable[Hashable]) -> None:
        new = [key for key in keys if key not in self._factorized]
        if new:
            for key, values in self.native.see(new).items():
                self._factorized[key] = Factorized(_unknown(self.native.n_rows), values)

    def _factorize(self, key: Hashable) -> Factorized:
        self.read([key])
        return self._factorized[key]

    def _elsewhere(self, *_: Any) -> Any:
        raise TypeError("these rows lie in partitions; they are never all in one place.")

    column = drop = take = copy = recode = _elsewhere  # type: ignore[assignment]


def _unknown(n_rows: int) -> Array:
    """Codes of rows that are not here: -1 each, in no memory."""
    return np.broadcast_to(np.intp(-1), (n_rows,))
