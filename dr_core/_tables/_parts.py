"""Rows that are not in memory: frames one after another; a Dask DataFrame is in `_dask`.

They are read in two passes. The first pass reads only the columns that it needs: it counts the
rows of each part and collects distinct values. The second pass applies a function to each part.
All parts must have the same columns, types and order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, chain, islice, repeat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError
from tqdm import tqdm

from dr_core._tables._chunks import Chunks, Digest
from dr_core._tables._partitions import (
    EMPTY,
    Function,
    Partition,
    Partitions,
    Y,
    is_dask,
    split_named,
)
from dr_core._tables._table import Table, Together, as_table, factorize
from dr_core._utils import Array, check_column, format_count, quote

__all__ = [
    "PARTITION_PREFIX",
    "SAMPLE_ROWS",
    "FindColumns",
    "Frames",
    "PartInput",
    "PartTask",
    "Parts",
    "name_partition_in_errors",
]

PARTITION_PREFIX = "partition "
"""Start of each message that names a part."""

BATCH_ROWS, BATCH_CELLS = 10_000, 1_048_576
"""Rows and cells of parts that are processed together, at most."""

MIN_BATCHES = 32
"""Parts stay apart if there would be fewer batches than this, for clusters of many cores."""

SAMPLE_ROWS = 10_000
"""Rows of the first frame or partition that are a sample."""


class PartValues(NamedTuple):
    """Result of the first pass for one part."""

    n_rows: int
    counts: dict[Any, dict[Any, int]]
    labels: list[Any]


class Parts(Partitions):
    """Frames that are never all in memory.

    Parameters
    ----------
    keys : list
        Names of the columns of the frames, which each part must have.
    columns : mapping
        Other columns of the rows: the name of a column of X, which the model then does not see; a
        list of arrays, one for each part; or an array for all rows.
    want_labels : bool
        Whether the first pass also collects the values of y.
    """

    def __init__(self, keys: list[Any], columns: Mapping[str, Any], want_labels: bool) -> None:
        self._keys = keys
        self._named, others = split_named(columns, keys)
        self._lists = {key: parts for key, value in others.items() if (parts := _as_list(value))}
        self._arrays = {
            key: np.asarray(value) for key, value in others.items() if key not in self._lists
        }
        self._want_labels = want_labels
        self._lengths: list[int] = []  # after the first pass, the number of rows of each part
        self._labels: list[Any] = []
        self._counts: dict[Any, dict[Any, int]] = {}

    @property
    @abstractmethod
    def _dtypes(self) -> dict[Any, Any]:
        """Columns of the frames and their types, which each part must have."""

    @abstractmethod
    def _run(
        self,
        task: PartTask,
        find_columns: FindColumns,
        *,
        keys: list[Any] | None = None,
        batches: Sequence[range] = (),
        progress: bool = False,
    ) -> Iterable[Any]:
        """Apply a task to parts in order.

        Parameters
        ----------
        task, find_columns
        keys : columns of X that are read; all if None
        batches : numbers of the parts that are processed together; each by itself if empty
        progress : bool
        """

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
        return [key for key in self._keys if key not in hidden]

    def read(self, keys: Iterable[Hashable]) -> None:
        new = [key for key in keys if key not in self._counts]
        if new:
            self._collect(new)

    def value_counts(self, key: Hashable) -> dict[Any, int]:
        self.read([key])
        return self._counts[key]

    def map(self, function: Function, *, progress: bool = False) -> Iterator[Any]:
        self._check_lengths()
        task = PartTask(function, self._dtypes, self._named)
        starts = list(accumulate(self._lengths, initial=0))
        find_columns = partial(_find_columns, self._lists, self._arrays, starts)
        batches = group_parts(self._lengths, len(self._dtypes))
        for found in self._run(task, find_columns, batches=batches, progress=progress):
            if found is not None:
                yield found

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
        results = self._run(task, partial(_find_columns, lists, {}, []), keys=list(dtypes))
        return [part or PartValues(0, {}, []) for part in results]

    def _check_lengths(self) -> None:
        n_rows, n_parts = self.n_rows, len(self._lengths)
        for key, array in self._arrays.items():
            if len(array) != n_rows:
                raise ValueError(
                    f"{key} has length {len(array)}, but X has {format_count(n_rows, 'row')}."
                )
        for key, parts in self._lists.items():
            if len(parts) != n_parts:
                raise ValueError(f"{key} has {len(parts)} parts, but X has {n_parts} partitions.")


class Frames(Parts):
    """Frames in this process, one after another."""

    def __init__(self, source: Any, columns: Mapping[str, Any], want_labels: bool) -> None:
        self._source = source
        # A pass over all chunks finds their types, and also collects the values of the columns
        # asked for before it. So this pass must wait, and the first rows have to do here.
        head = as_table(source.head) if isinstance(source, Chunks) else self.sample
        self._levels = head.levels
        super().__init__(head.keys(), columns, want_labels)

    @cached_property
    def sample(self) -> Table:
        first = next((frame for frame in self._frames(None) if _get_length(frame)), None)
        if first is None:
            raise ValueError(EMPTY)
        with name_partition_in_errors(0):
            table = as_table(first)
        # A copy, because a slice of the frame would keep all of it in memory.
        return table.take(np.arange(min(table.n_rows, SAMPLE_ROWS)))

    @cached_property
    def _dtypes(self) -> dict[Any, Any]:
        return self.sample.dtypes

    @property
    def levels(self) -> list[Any]:
        return self._levels

    def _read_values(self, keys: list[Any], wanted: set[str]) -> list[PartValues]:
        """Return what chunks kept from the pass that found their types, to save another one."""
        label = self._named.get(Y) if Y in wanted else None
        columns = {*keys, label} - {None}
        kept = None if wanted & {*self._lists} else self._recall(columns)
        if kept is None:
            return super()._read_values(keys, wanted)
        return [_digest_values(n_rows, columns, keys, label) for n_rows, columns in kept]

    def _recall(self, columns: set[Any]) -> list[tuple[int, dict[Any, Digest]]] | None:
        """Return the distinct values of these columns in each chunk, if they are known."""
        if not isinstance(self._source, Chunks):
            return None
        self._source.remember(columns)
        return self._source.recall(columns)

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
        self,
        task: PartTask,
        find_columns: FindColumns,
        *,
        keys: list[Any] | None = None,
        batches: Sequence[range] = (),
        progress: bool = False,
    ) -> Iterable[Any]:
        total = len(self._lengths) or None
        bar = tqdm(
            self._frames(keys), desc="rows", unit="chunk", total=total, disable=not progress
        )
        frames, n_parts = enumerate(bar), 0
        for batch in chain(batches, repeat(range(1))):
            some = list(islice(frames, len(batch)))
            if not some:
                break
            yield task(n_parts, [(frame, *find_columns(i)) for i, frame in some])
            n_parts += len(some)
        if batches and n_parts != len(self._lengths):
            raise ValueError(
                f"X has {n_parts} partitions, but had {len(self._lengths)} in the first pass. "
                "X must give the same rows in each pass."
            )


def group_parts(lengths: Sequence[int], n_columns: int) -> list[range]:
    """Group parts of few rows, which a model predicts faster together than one by one.

    Parameters
    ----------
    lengths : number of rows of each part
    n_columns : number of columns of each part

    Examples
    --------
    >>> group_parts([1] * 100, 5)[:2], group_parts([1, 1], 5)
    ([range(0, 3), range(3, 6)], [range(0, 1), range(1, 2)])
    """
    max_rows = min(BATCH_ROWS, BATCH_CELLS // n_columns)
    max_parts = len(lengths) // MIN_BATCHES
    groups, start, n_rows = [], 0, 0
    for number, length in enumerate(lengths):
        n_rows += length
        if number > start and (n_rows > max_rows or number - start >= max_parts):
            groups.append(range(start, number))
            start, n_rows = number, length
    return [*groups, range(start, len(lengths))]


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

    def __call__(self, number: int, some: Sequence[PartInput]) -> Any:
        """Return the function's result for one part, or several together; None without rows.

        Parameters
        ----------
        number : that of the first part
        some : of each part, its frame, the positions of its rows, and its other columns
        """
        read = {i: self._read(i, *one) for i, one in enumerate(some, number)}
        parts = {i: part for i, part in read.items() if part is not None}
        if len(parts) <= 1:
            return self._apply_to_each(parts)
        try:
            return self.function(_join(list(parts.values())))
        except Exception:
            self._apply_to_each(parts)  # raises the error that names the part
            raise

    def _apply_to_each(self, parts: Mapping[int, Partition]) -> Any:
        # The result of one part, or None of no part. Of several parts one raises an error.
        found = None
        for number, part in parts.items():
            with name_partition_in_errors(number):
                found = self.function(part)
        return found

    def _read(
        self, number: int, frame: Any, rows: slice | None, columns: Mapping[str, Any]
    ) -> Partition | None:
        """Return the part, after checks; None for a part without rows.

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
            return Partition(start, seen, {**columns, **named})


def _join(parts: list[Partition]) -> Partition:
    """Return consecutive parts as one."""
    first, *others = parts
    columns = {key: _concat([part.columns[key] for part in parts]) for key in first.columns}
    return Partition(first.start, first.table.append([part.table for part in others]), columns)


def _concat(columns: Sequence[Any]) -> Array:
    arrays = [np.asarray(column) for column in columns]
    if len({array.dtype for array in arrays}) > 1:  # 1 and "1" would become the same text
        arrays = [array.astype(object) for array in arrays]
    return np.concatenate(arrays)


@contextmanager
def name_partition_in_errors(number: int) -> Iterator[None]:
    """Add the number of the partition to each error raised inside."""
    try:
        yield
    except NotFittedError:
        raise
    except (ValueError, TypeError) as error:
        if str(error).startswith(PARTITION_PREFIX):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{PARTITION_PREFIX}{number} (counted from 0): {error}") from error
    except Exception as error:
        error.add_note(f"This happened in {PARTITION_PREFIX}{number} (counted from 0).")
        raise


def _as_list(value: Any) -> list[Any]:
    """Return the arrays of a list with one for each part; an empty list for other values."""
    if is_dask(value):
        return list(np.ravel(value.to_delayed()))
    is_list = isinstance(value, list | tuple) and all(
        hasattr(part, "__len__") and not isinstance(part, str | bytes) for part in value
    )
    return list(value) if is_list else []


PartInput = tuple[Any, slice | None, Mapping[str, Any]]
"""The frame of a part, the positions of its rows if they are known, and its other columns."""

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
        for value, n_rows in of_part.items():
            total[value] = total.get(value, 0) + n_rows
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
                f"column {key!r} has dtype {_describe(found[key])}, but {_describe(dtype)} "
                "elsewhere. Give all partitions the same dtypes."
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


def _describe(dtype: Any) -> str:
    """Return a dtype as text; of categories, also their values."""
    if not isinstance(dtype, pd.CategoricalDtype):
        return str(dtype)
    order = "ordered " if dtype.ordered else ""
    return f"{order}category of {quote(dtype.categories)}"
