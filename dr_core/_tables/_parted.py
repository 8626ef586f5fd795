"""Rows that are never all in one place."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from dr_core._tables._encoding import factorize
from dr_core._tables._parts import Function, Partitions, Y, require, split_named
from dr_core._tables._seen import Seen, SeenTable, see_part
from dr_core._tables._visits import Visit
from dr_core._utils import Array, check_column

__all__ = ["Columns", "Parted", "is_dask"]


class Parted(Partitions):
    """Frames that are never all in memory.

    Parameters
    ----------
    dtypes : mapping
        Columns of the frames and their types, which every part must have.
    columns : mapping
        What goes with the rows, by name: the name of a column of X, which the model then does not
        see; a list of arrays, one a part; or an array for all rows.
    want_labels : bool
        Whether the first pass also looks at y.
    """

    def __init__(
        self, dtypes: Mapping[Any, Any], columns: Mapping[str, Any], want_labels: bool
    ) -> None:
        self._dtypes = dict(dtypes)
        self._named, others = split_named(columns)
        self._listed = {key: parts for key, value in others.items() if (parts := _parts(value))}
        self._sliced = {
            key: np.asarray(value) for key, value in others.items() if key not in self._listed
        }
        for key, name in self._named.items():
            require(name, self._dtypes, key)
        self._want_labels = want_labels
        self._seen: Seen | None = None
        self.table = SeenTable(self)

    @abstractmethod
    def run(
        self, visit: Visit, keys: list[Any] | None, progress: bool, columns: Columns
    ) -> Iterable[Any]:
        """Visit each part in order, with what goes with it; only its `keys`, if given."""

    @property
    def n_rows(self) -> int:
        return sum(self._lengths)

    @property
    def labels(self) -> list[Any]:
        if Y in self._sliced:
            return factorize(check_column("y", self._sliced[Y], self.n_rows)).values
        return list(self._first_pass.labels)

    @property
    def dtypes(self) -> dict[Any, Any]:
        """Columns that the model sees, and their types."""
        hidden = set(self._named.values())
        return {key: dtype for key, dtype in self._dtypes.items() if key not in hidden}

    def see(self, keys: Collection[Any]) -> dict[Any, list[Any]]:
        """Distinct values of these columns, in one pass; the first pass also looks at y."""
        is_first = self._seen is None
        found = self._look(list(keys), self._want_labels and is_first)
        if is_first:
            self._seen = found
        return {key: list(found.values[key]) for key in keys}

    @property
    def _first_pass(self) -> Seen:
        if self._seen is None:
            self._seen = self._look([], self._want_labels)
        return self._seen

    @property
    def _lengths(self) -> list[int]:
        return self._first_pass.lengths

    def _look(self, keys: list[Any], at_labels: bool) -> Seen:
        named = {key: name for key, name in self._named.items() if key == Y and at_labels}
        parts = {key: some for key, some in self._listed.items() if key == Y and at_labels}
        needed = [key for key in self._dtypes if key in {*keys, *named.values()}]
        needed = needed or list(self._dtypes)[:1]
        visit = Visit(
            partial(see_part, keys=keys, at_labels=bool(named or parts)),
            {key: self._dtypes[key] for key in needed},
            named,
        )
        seen = Seen.nothing(keys)
        for found in self.run(visit, needed, False, Columns({}, parts, [])):
            seen.add(found)
        if not sum(seen.lengths):
            raise ValueError("X is empty: there is no row to perturb.")
        return seen

    def map(self, function: Function, *, progress: bool = False) -> Iterator[Any]:
        for key, array in self._sliced.items():
            if len(array) != self.n_rows:
                raise ValueError(f"{key} has length {len(array)}, but X has {self.n_rows} rows.")
        for key, parts in self._listed.items():
            if len(parts) != len(self._lengths):
                raise ValueError(
                    f"{key} has {len(parts)} parts, but X has {len(self._lengths)} partitions."
                )
        starts = list(accumulate(self._lengths, initial=0))
        visit = Visit(function, self._dtypes, self._named)
        columns = Columns(self._sliced, self._listed, starts)
        n_parts = 0
        for found in self.run(visit, None, progress, columns):
            n_parts += 1
            if found is not None:
                yield found
        if n_parts != len(self._lengths):
            raise ValueError(
                f"X has {n_parts} partitions, where it had {len(self._lengths)} in the first pass."
            )


class Columns(NamedTuple):
    """What goes with the rows of all parts."""

    sliced: Mapping[str, Array]
    listed: Mapping[str, list[Any]]
    starts: list[int]

    def of(self, number: int) -> tuple[slice | None, dict[str, Any]]:
        """Positions of the rows of a part, if known, and what goes with them."""
        for key, parts in self.listed.items():
            if number >= len(parts):
                raise ValueError(f"{key} has {len(parts)} parts, but X has more partitions.")
        found = {key: parts[number] for key, parts in self.listed.items()}
        if not self.starts:
            return None, found
        # A part that the first pass has not seen had no rows then.
        first, last = (self.starts[min(i, len(self.starts) - 1)] for i in (number, number + 1))
        rows = slice(first, last)
        return rows, found | {key: array[rows] for key, array in self.sliced.items()}


def _parts(value: Any) -> list[Any]:
    """One value for each part, if that is what they are; else nothing."""
    if is_dask(value):
        return list(np.ravel(value.to_delayed()))
    several = isinstance(value, list | tuple) and all(
        hasattr(part, "__len__") and not isinstance(part, str | bytes) for part in value
    )
    return list(value) if several else []


def is_dask(X: Any) -> bool:
    """Whether this is a collection of Dask, told without importing Dask."""
    return hasattr(X, "to_delayed") and hasattr(X, "npartitions")
