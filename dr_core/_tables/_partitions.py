"""Rows in parts: a table in memory, frames one after another, or a Dask DataFrame.

Rows that are not in memory are read in two passes. The first pass reads only the columns that it
needs: it counts the rows of each part and collects distinct values. The second pass applies a
function to each part. All parts must have the same columns, types and order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError
from tqdm import tqdm

from dr_core._tables._chunks import Chunks, Digest
from dr_core._tables._table import Table, Together, as_table, factorize, find_first
from dr_core._utils import Array, check_column, check_part_weights, quote

__all__ = [
    "NAMED",
    "PERSON",
    "WEIGHT",
    "PartTask",
    "Partition",
    "Partitions",
    "Parts",
    "Y",
    "as_partitions",
    "name_partition_in_errors",
]

Y, WEIGHT, PERSON = "y", "sample_weight", "person"
"""Names of columns that belong to the rows, beside X."""

NAMED = "partition "
"""Start of each message that names a part."""

SAMPLE_ROWS = 10_000
"""Rows of the first frame that are kept as a sample."""

EMPTY = "X is empty: there is no row to perturb."


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
    """All rows, in parts. `learn_attributes` accepts it in place of a table."""

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
    def sample(self) -> Table | None:
        """Some rows that need no further reading; all, if they are in memory. None if unknown."""
        return None

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

    @abstractmethod
    def map(self, function: Function, *, progress: bool = False) -> Iterator[Any]:
        """Apply a function to each part that has rows."""


class InMemory(Partitions):
    """A table in memory."""

    def __init__(self, table: Table, columns: Mapping[str, Any]) -> None:
        named, others = _split_named(columns, table.keys())
        others |= {key: table.column(name) for key, name in named.items()}
        seen = table.drop(set(named.values())) if named else table
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


class PartValues(NamedTuple):
    """Result of the first pass for one part."""

    n_rows: int
    counts: dict[Any, dict[Any, int]]
    labels: list[Any]


class Parts(Partitions):
    """Frames that are never all in memory.

    Parameters
    ----------
    dtypes : mapping
        Columns of the frames and their types, which each part must have.
    columns : mapping
        Other columns of the rows: the name of a column of X, which the model then does not see; a
        list of arrays, one for each part; or an array for all rows.
    want_labels : bool
        Whether the first pass also collects the values of y.
    """

    def __init__(
        self, dtypes: Mapping[Any, Any], columns: Mapping[str, Any], want_labels: bool
    ) -> None:
        self._dtypes = dict(dtypes)
        self._named, others = _split_named(columns, self._dtypes)
        self._lists = {key: parts for key, value in others.items() if (parts := _as_list(value))}
        self._arrays = {
            key: np.asarray(value) for key, value in others.items() if key not in self._lists
        }
        self._want_labels = want_labels
        self._lengths: list[int] = []  # after the first pass, the number of rows of each part
        self._labels: list[Any] = []
        self._counts: dict[Any, dict[Any, int]] = {}

    @abstractmethod
    def _run(
        self, task: PartTask, keys: list[Any] | None, find_columns: FindColumns, progress: bool
    ) -> Iterable[Any]:
        """Apply a task to each part in order; read these columns of X only, all if None."""

    @property
    def n_rows(self) -> int:
        return sum(self._count_rows())

    @property
    def labels(self) -> list[Any]:
        if Y in self._arrays:
            return factorize(check_column("y", self._arrays[Y], self.n_rows)).values
        self._count_rows()
        return list(self._labels)

    def keys(self) -> list[Any]:
        hidden = set(self._named.values())
        return [key for key in self._dtypes if key not in hidden]

    def read(self, keys: Iterable[Hashable]) -> None:
        new = [key for key in keys if key not in self._counts]
        if new:
            self._collect(new)

    def value_counts(self, key: Hashable) -> dict[Any, int]:
        self.read([key])
        return self._counts[key]

    def map(self, function: Function, *, progress: bool = False) -> Iterator[Any]:
        self._check_lengths()
        task, n_parts = PartTask(function, self._dtypes, self._named), 0
        starts = list(accumulate(self._lengths, initial=0))
        find_columns = partial(_find_columns, self._lists, self._arrays, starts)
        for found in self._run(task, None, find_columns, progress):
            n_parts += 1
            if found is not None:
                yield found
        if n_parts != len(self._lengths):
            raise ValueError(
                f"X has {n_parts} partitions, but had {len(self._lengths)} in the first pass. "
                "X must give the same rows in each pass."
            )

    def _count_rows(self) -> list[int]:
        if not self._lengths:
            self._collect([])
        return self._lengths

    def _collect(self, keys: list[Any]) -> None:
        """Count the distinct values of these columns; at first, also lengths and labels."""
        is_first = not self._lengths
        found = self._read_values(keys, {Y} if is_first and self._want_labels else set())
        if not any(part.n_rows for part in found):
            raise ValueError(EMPTY)
        if is_first:
            self._lengths = [part.n_rows for part in found]
            self._labels = _unite(part.labels for part in found)
        for key in keys:
            self._counts[key] = _add_counts(part.counts.get(key, {}) for part in found)

    def _read_values(self, keys: list[Any], wanted: set[str]) -> list[PartValues]:
        """Read the distinct values of these columns, and of y if it is wanted, in one pass."""
        named = {key: name for key, name in self._named.items() if key in wanted}
        lists = {key: parts for key, parts in self._lists.items() if key in wanted}
        members = (key.keys if isinstance(key, Together) else (key,) for key in keys)
        read = {*chain(*members), *named.values()} or set(list(self._dtypes)[:1])
        dtypes = {key: dtype for key, dtype in self._dtypes.items() if key in read}
        collect = partial(_collect_values, keys=keys, with_labels=bool(named or lists))
        task = PartTask(collect, dtypes, named)
        results = self._run(task, list(dtypes), partial(_find_columns, lists, {}, []), False)
        return [part or PartValues(0, {}, []) for part in results]

    def _check_lengths(self) -> None:
        n_rows, n_parts = self.n_rows, len(self._lengths)
        for key, array in self._arrays.items():
            if len(array) != n_rows:
                raise ValueError(f"{key} has length {len(array)}, but X has {n_rows} rows.")
        for key, parts in self._lists.items():
            if len(parts) != n_parts:
                raise ValueError(f"{key} has {len(parts)} parts, but X has {n_parts} partitions.")


class Frames(Parts):
    """Frames in this process, one after another."""

    def __init__(self, source: Any, columns: Mapping[str, Any], want_labels: bool) -> None:
        self._source = source
        first = next((frame for frame in self._frames(None) if _get_length(frame)), None)
        if first is None:
            raise ValueError(EMPTY)
        with name_partition_in_errors(0):
            table = as_table(first)
        # A copy, because a slice of the frame would keep all of it in memory.
        self._sample = table.take(np.arange(min(table.n_rows, SAMPLE_ROWS)))
        super().__init__(table.dtypes, columns, want_labels)

    @property
    def sample(self) -> Table:
        return self._sample

    @property
    def levels(self) -> list[Any]:
        return self._sample.levels

    def _read_values(self, keys: list[Any], wanted: set[str]) -> list[PartValues]:
        """Return what chunks kept from the pass that found their types, to save another one."""
        is_chunked = isinstance(self._source, Chunks) and not wanted & {*self._lists}
        label = self._named.get(Y) if Y in wanted else None
        columns = {*keys, label} - {None}
        kept = self._source.recall(columns) if is_chunked and columns else None
        if kept is None:
            return super()._read_values(keys, wanted)
        return [_digest_values(n_rows, columns, keys, label) for n_rows, columns in kept]

    def _frames(self, keys: list[Any] | None) -> Iterable[Any]:
        if isinstance(self._source, Chunks):
            return self._source.select(keys)
        frames = self._source() if callable(self._source) else self._source
        if frames is iter(frames) and frames is self._source:
            raise TypeError(
                f"X is a {type(frames).__name__}, which can be iterated over only once, but an "
                "audit needs two passes. Pass a list, or a function that returns a new iterator."
            )
        return frames

    def _run(
        self, task: PartTask, keys: list[Any] | None, find_columns: FindColumns, progress: bool
    ) -> Iterable[Any]:
        total = len(self._lengths) or None
        frames = tqdm(
            self._frames(keys), desc="rows", unit="chunk", total=total, disable=not progress
        )
        for number, frame in enumerate(frames):
            yield task(number, frame, *find_columns(number))


@dataclass(frozen=True, eq=False)
class PartTask:
    """A function of a part, and the checks before it; it may run in another process.

    Attributes
    ----------
    function : takes a Partition
    dtypes : columns that the part must have, and their types
    named : columns of the part that the model does not see, by what they are
    """

    function: Function
    dtypes: Mapping[Any, Any]
    named: Mapping[str, str]

    def __call__(
        self, number: int, frame: Any, rows: slice | None, columns: Mapping[str, Any]
    ) -> Any:
        """Return the function's result for the part; None for a part without rows.

        `rows` are the positions of its rows in the second pass, and None in the first.
        """
        with name_partition_in_errors(number):
            n_rows = _get_length(frame)
            if rows is not None and n_rows != rows.stop - rows.start:
                raise ValueError(
                    f"it has {n_rows} rows, but had {rows.stop - rows.start} in the first pass. "
                    "X must give the same rows in each pass."
                )
            if not n_rows:
                return None
            table = as_table(frame)
            # The first pass reads some of the columns only, and does not check the others.
            _check_dtypes(table.dtypes, self.dtypes, allow_others=rows is None)
            named = {key: table.column(name) for key, name in self.named.items()}
            seen = table.drop(set(self.named.values())) if named else table
            start = 0 if rows is None else rows.start
            return self.function(Partition(start, seen, {**columns, **named}))


@contextmanager
def name_partition_in_errors(number: int) -> Iterator[None]:
    """Add the number of the partition to each error raised inside."""
    try:
        yield
    except NotFittedError:
        raise
    except (ValueError, TypeError) as error:
        if str(error).startswith(NAMED):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{NAMED}{number} (counted from 0): {error}") from error
    except Exception as error:
        error.add_note(f"This happened in {NAMED}{number} (counted from 0).")
        raise


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
    if _is_dask(X):
        from dr_core._tables._dask import DaskParts

        return DaskParts(X, given, want_labels)
    return Frames(X, given, want_labels) if _has_parts(X) else InMemory(as_table(X), given)


def _is_dask(X: Any) -> bool:
    """Return whether X is a collection of Dask, without importing Dask."""
    return hasattr(X, "to_delayed") and hasattr(X, "npartitions")


def _has_parts(X: Any) -> bool:
    """Return whether X is chunks, frames or a function, rather than one table."""
    if isinstance(X, list | tuple) and any(isinstance(row, list | tuple) for row in X):
        raise TypeError(
            "X is a list of rows; pass a pandas or polars DataFrame, or a two-dimensional NumPy "
            "array, such as numpy.asarray(X)."
        )
    is_table = isinstance(X, Table) or hasattr(X, "shape") or hasattr(X, "columns")
    if isinstance(X, Chunks) or is_table or isinstance(X, str | bytes | Mapping | type):
        return isinstance(X, Chunks)
    return callable(X) or isinstance(X, Iterable)


def _split_named(
    columns: Mapping[str, Any], keys: Collection[Any]
) -> tuple[dict[str, str], dict[str, Any]]:
    """Split `columns` into names of columns of X and everything else."""
    named = {key: value for key, value in columns.items() if isinstance(value, str)}
    for key, name in named.items():
        if name not in keys:
            raise ValueError(f"{key} is to be read from {name!r}, but X has {quote(keys)}.")
    return named, {key: value for key, value in columns.items() if key not in named}


def _as_list(value: Any) -> list[Any]:
    """Return the arrays of a list with one for each part; an empty list for other values."""
    if _is_dask(value):
        return list(np.ravel(value.to_delayed()))
    is_list = isinstance(value, list | tuple) and all(
        hasattr(part, "__len__") and not isinstance(part, str | bytes) for part in value
    )
    return list(value) if is_list else []


FindColumns = Callable[[int], tuple[slice | None, dict[str, Any]]]
"""From the number of a part to the positions of its rows, if known, and its other columns."""


def _find_columns(
    lists: Mapping[str, list[Any]], arrays: Mapping[str, Array], starts: list[int], number: int
) -> tuple[slice | None, dict[str, Any]]:
    """Return the positions of a part's rows and its columns; in the first pass, `starts` is []."""
    for key, parts in lists.items():
        if number >= len(parts):
            raise ValueError(f"{key} has {len(parts)} parts, but X has more partitions.")
    columns = {key: parts[number] for key, parts in lists.items()}
    if not starts:
        return None, columns
    # Parts of 2 and 3 rows have the starts 0, 2, 5: part 1 has the rows 2:5 of each array. A part
    # that was not there in the first pass gets no rows, 5:5.
    first, last = (starts[min(i, len(starts) - 1)] for i in (number, number + 1))
    rows = slice(first, last)
    return rows, columns | {key: array[rows] for key, array in arrays.items()}


def _collect_values(part: Partition, keys: list[Any], with_labels: bool) -> PartValues:
    counts = {key: part.table.value_counts(key) for key in keys}
    labels = factorize(part.column(Y, "y")).values if with_labels else []
    return PartValues(part.n_rows, counts, labels)


def _add_counts(counts: Iterable[Mapping[Any, int]]) -> dict[Any, int]:
    """Add up the rows with each value, in the order of first appearance."""
    total: dict[Any, int] = {}
    for of_part in counts:
        for value, count in of_part.items():
            total[value] = total.get(value, 0) + count
    return total


def _digest_values(
    n_rows: int, columns: Mapping[Any, Digest], keys: list[Any], label: str | None
) -> PartValues:
    counts = {key: _count_values(column) for key, column in columns.items()}
    labels = [] if label is None else list(counts[label])
    return PartValues(n_rows, {key: counts[key] for key in keys}, labels)


def _count_values(digest: Digest) -> dict[Any, int]:
    """Return the number of rows with each value that is not missing."""
    codes, values = factorize(digest.values)
    is_known = codes >= 0
    counts = np.bincount(codes[is_known], digest.counts[is_known], len(values))
    return dict(zip(values, counts.astype(int).tolist(), strict=True))


def _unite(lists: Iterable[list[Any]]) -> list[Any]:
    """Return each value once, in the order of first appearance."""
    return list(dict.fromkeys(value for values in lists for value in values))


def _get_length(frame: Any) -> int:
    """Return the number of rows of a frame, which may be 0."""
    return len(frame) if hasattr(frame, "__len__") else as_table(frame).n_rows


def _check_dtypes(found: Mapping[Any, Any], dtypes: Mapping[Any, Any], allow_others: bool) -> None:
    lacking = [key for key in dtypes if key not in found]
    if lacking:
        raise ValueError(f"column {quote(lacking)} is missing; there are {quote(found)}.")
    for key, dtype in dtypes.items():
        if found[key] != dtype:
            raise ValueError(
                f"column {key!r} has dtype {found[key]}, but {dtype} elsewhere. Give all "
                "partitions the same dtypes."
            )
    keys = [key for key in found if key in dtypes]
    if keys != list(dtypes):
        raise ValueError(
            f"columns are in another order: {quote(keys)}. Order them as {quote(dtypes)}."
        )
    others = [key for key in found if key not in dtypes]
    if others and not allow_others:
        raise ValueError(
            f"column {quote(others)} is not in other partitions, which have {quote(dtypes)}. "
            "Give all partitions the same columns."
        )
