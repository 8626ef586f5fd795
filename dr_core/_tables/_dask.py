"""Rows in a Dask DataFrame: each partition is processed by the worker that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

import dask
from dask.diagnostics import ProgressBar
from sklearn.exceptions import NotFittedError
from tqdm import tqdm

from dr_core._tables._parts import (
    PARTITION_PREFIX,
    SAMPLE_ROWS,
    FindColumns,
    Parts,
    PartTask,
    name_partition_in_errors,
)
from dr_core._tables._table import Table, as_table
from dr_core._utils import allow_large_graphs, quote

__all__ = ["DaskParts"]


class DaskParts(Parts):
    """The partitions of a Dask DataFrame.

    Parameters
    ----------
    X : dask.dataframe.DataFrame
    columns, want_labels
        As for `Parts`; values of `columns` may be Dask Series or arrays with the partitions of X.
    """

    def __init__(self, X: Any, columns: Mapping[str, Any], want_labels: bool) -> None:
        if not hasattr(X, "columns"):
            raise TypeError(f"X is a Dask {type(X).__name__}; pass a Dask DataFrame.")
        unknown = [key for key in X.columns if _has_unknown_categories(X[key])]
        if unknown:
            raise ValueError(
                f"the categories of {quote(unknown)} are unknown, and may differ between "
                "partitions: call X.categorize() first."
            )
        self._frame = X
        super().__init__(list(X.columns), columns, want_labels)

    @cached_property
    def _dtypes(self) -> dict[Any, Any]:
        return dict(self._frame.dtypes)

    @property
    def levels(self) -> list[Any]:
        name = self._frame.index.name
        return [] if name is None else [name]

    @cached_property
    def sample(self) -> Table:
        lengths = self._count_rows()
        number = next(i for i, length in enumerate(lengths) if length)
        (frame,) = self._frame.partitions[number].to_delayed()
        with name_partition_in_errors(number):
            return as_table(dask.delayed(_take_head)(frame).compute())

    def _run(
        self,
        task: PartTask,
        find_columns: FindColumns,
        *,
        keys: list[Any] | None = None,
        batches: Sequence[range] = (),
        progress: bool = False,
    ) -> Iterable[Any]:
        batches = batches or [range(i, i + 1) for i in range(self._frame.npartitions)]
        # The task holds the models. As a node of the graph it travels to each worker once, and
        # the scheduler can send it again when a worker dies.
        shared = dask.delayed(task, pure=False, traverse=False)
        calls = self._delay(shared, keys, find_columns, batches)
        # A column that is missing cannot be selected: only a partition with all columns says so.
        read = dask.delayed(replace(task, function=_return_nothing), pure=False, traverse=False)
        readings = partial(self._delay, read, None, find_columns)
        client = _find_client()
        with allow_large_graphs():
            if client is None:
                return _compute_here(calls, batches, readings, progress)
            keepers = _delay_keepers(shared, calls, len(client.nthreads()))
            return _compute_on_cluster(client, calls, keepers, batches, readings, progress)

    def _delay(
        self,
        shared: Any,
        keys: list[Any] | None,
        find_columns: FindColumns,
        batches: Sequence[range],
    ) -> list[Any]:
        """Return one delayed call of the shared task for each batch of partitions."""
        frames = (self._frame if keys is None else self._frame[keys]).to_delayed()
        return [self._delay_one(shared, batch, frames, find_columns) for batch in batches]

    def _delay_one(
        self, shared: Any, batch: range, frames: list[Any], find_columns: FindColumns
    ) -> Any:
        rows, columns = zip(*map(find_columns, batch), strict=True)
        # Dask takes long to search lists and mappings for delayed values, so it gets none.
        call = partial(_call, number=batch[0], rows=rows, names=list(columns[0]))
        values = chain(*(of_part.values() for of_part in columns))
        return dask.delayed(call, pure=False)(shared, *(frames[i] for i in batch), *values)


def _call(
    task: PartTask,
    *given: Any,
    number: int,
    rows: Sequence[slice | None],
    names: Sequence[str],
) -> Any:
    """Apply a task to partitions: `given` are their frames, then their columns of these names."""
    frames, values = given[: len(rows)], iter(given[len(rows) :])
    columns = [dict(zip(names, values, strict=False)) for _ in frames]
    return task(number, list(zip(frames, rows, columns, strict=True)))


def _take_head(frame: Any) -> Any:
    return frame.iloc[:SAMPLE_ROWS]


def _return_nothing(*given: Any) -> None:
    pass


# The memory manager of Dask keeps as many copies of a node as workers have calls that need it. If
# the last calls are all assigned to worker A, it drops the copy of worker B; when B then takes
# over a call of A, the models travel once more. A keeper needs the node until all calls are done,
# and counts like a worker. One copy is always kept, so one keeper less than workers is enough.
def _delay_keepers(shared: Any, calls: list[Any], n_workers: int) -> list[Any]:
    """Return delayed calls that let each worker keep its copy of what is shared."""
    do_nothing = dask.delayed(_return_nothing, pure=False)
    done = do_nothing(*calls)
    return [do_nothing(shared, done) for _ in range(n_workers - 1)]


def _find_client() -> Any:
    """Return the client of the cluster that Dask would use; None for a scheduler in this process.

    Return None in a task on a cluster, too: `dask.compute` then lets other tasks take its thread.
    """
    client = getattr(dask.base.get_scheduler(), "__self__", None)
    return None if client is None or _is_in_task() else client


def _is_in_task() -> bool:
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


Readings = Callable[[Sequence[range]], list[Any]]
"""From batches to delayed calls that read their partitions, and do nothing else."""


def _compute_on_cluster(
    client: Any,
    calls: list[Any],
    keepers: list[Any],
    batches: Sequence[range],
    readings: Readings,
    progress: bool,
) -> list[Any]:
    """Compute on a cluster; the first error ends the other calls."""
    every, n_parts = client.compute([*calls, *keepers]), sum(map(len, batches))
    futures = every[: len(calls)]
    try:
        with tqdm(desc="rows", unit="partition", total=n_parts, disable=not progress) as bar:
            for future, batch in _iter_completed(futures, batches):
                _raise_error(future, batch, readings)
                bar.update(len(batch))
        return list(client.gather(futures))
    finally:
        for future in every:
            future.release()


def _iter_completed(futures: list[Any], batches: Sequence[range]) -> Iterator[tuple[Any, range]]:
    """Yield each future when it is done, with its partitions."""
    from distributed import as_completed

    batch_of = {future.key: batch for future, batch in zip(futures, batches, strict=True)}
    for future in as_completed(futures):
        yield future, batch_of[future.key]


def _raise_error(future: Any, batch: range, readings: Readings) -> None:
    """Raise the error of a future that has one, with the number of its partition."""
    if future.status == "finished":
        return
    if not _is_named(future.exception()):
        _read_one_by_one(batch, readings)
    future.result()


def _compute_here(
    calls: list[Any], batches: Sequence[range], readings: Readings, progress: bool
) -> tuple[Any, ...]:
    """Compute in this process."""
    with ProgressBar() if progress else nullcontext():
        try:
            return tuple(dask.compute(*calls))
        except Exception as error:
            if not _is_named(error):
                _read_one_by_one(chain(*batches), readings)
            raise


def _read_one_by_one(numbers: Iterable[int], readings: Readings) -> None:
    """Name the partition that cannot be read in the error; no model is called."""
    numbers = list(numbers)
    calls = readings([range(number, number + 1) for number in numbers])
    for number, reading in zip(numbers, calls, strict=True):
        with name_partition_in_errors(number):
            reading.compute()


def _is_named(error: Exception) -> bool:
    """Return whether an error names its partition, or has nothing to do with one."""
    texts = [str(error), *getattr(error, "__notes__", ())]
    is_of_cluster = type(error).__module__.startswith("distributed")
    is_of_model = isinstance(error, NotFittedError)
    return is_of_cluster or is_of_model or any(PARTITION_PREFIX in text for text in texts)


def _has_unknown_categories(column: Any) -> bool:
    return column.dtype == "category" and not column.cat.known
