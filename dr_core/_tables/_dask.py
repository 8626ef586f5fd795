"""Rows in a Dask DataFrame: each partition is processed by the worker that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import dask
from dask.diagnostics import ProgressBar
from sklearn.exceptions import NotFittedError
from tqdm import tqdm

from dr_core._tables._parts import (
    NAMED,
    FindColumns,
    Partition,
    Parts,
    PartTask,
    name_partition_in_errors,
)
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
        super().__init__(dict(X.dtypes), columns, want_labels)

    @property
    def levels(self) -> list[Any]:
        name = self._frame.index.name
        return [] if name is None else [name]

    def _run(
        self, task: PartTask, keys: list[Any] | None, find_columns: FindColumns, progress: bool
    ) -> Iterable[Any]:
        calls = self._delay(task, keys, find_columns)
        # A column that is missing cannot be selected: only a partition with all columns says so.
        read = replace(task, function=_return_nothing)
        readings = partial(self._delay, read, None, find_columns)
        client = _find_client()
        with allow_large_graphs():
            if client is None:
                return _compute_here(calls, readings, progress)
            return _compute_on_cluster(client, calls, readings, progress)

    def _delay(
        self, task: PartTask, keys: list[Any] | None, find_columns: FindColumns
    ) -> list[Any]:
        """Return one delayed call of the task for each partition."""
        # The task holds the models. As a node of the graph it travels to each worker once, and
        # the scheduler can send it again when a worker dies.
        shared = dask.delayed(task, pure=False, traverse=False)
        call = dask.delayed(_call, pure=False)
        frames = (self._frame if keys is None else self._frame[keys]).to_delayed()
        return [call(shared, i, frame, *find_columns(i)) for i, frame in enumerate(frames)]


def _call(task: PartTask, number: int, *given: Any) -> Any:
    return task(number, *given)


def _return_nothing(part: Partition) -> None:
    pass


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


def _compute_on_cluster(
    client: Any, calls: list[Any], readings: Callable[[], list[Any]], progress: bool
) -> list[Any]:
    """Compute on a cluster; the first error ends the other calls."""
    from distributed import as_completed

    futures = client.compute(calls)
    numbers = {future.key: number for number, future in enumerate(futures)}
    bar = {"desc": "rows", "unit": "partition", "total": len(futures), "disable": not progress}
    try:
        for future in tqdm(as_completed(futures), **bar):
            if future.status != "finished":
                _raise_named(future, numbers[future.key], readings)
        return list(client.gather(futures))
    finally:
        for future in futures:
            future.release()


def _raise_named(future: Any, number: int, readings: Callable[[], list[Any]]) -> None:
    """Raise the error of a call on a cluster, with the number of its partition."""
    if _is_named(future.exception()):
        future.result()
    with name_partition_in_errors(number):
        readings()[number].compute()
        future.result()


def _compute_here(
    calls: list[Any], readings: Callable[[], list[Any]], progress: bool
) -> tuple[Any, ...]:
    """Compute in this process; if the error names no partition, read one after another."""
    with ProgressBar() if progress else nullcontext():
        try:
            return tuple(dask.compute(*calls))
        except Exception as error:
            if not _is_named(error):
                for number, reading in enumerate(readings()):
                    with name_partition_in_errors(number):
                        reading.compute()
            raise


def _is_named(error: Exception) -> bool:
    """Return whether an error names its partition, or has nothing to do with one."""
    texts = [str(error), *getattr(error, "__notes__", ())]
    is_of_cluster = type(error).__module__.startswith("distributed")
    is_of_model = isinstance(error, NotFittedError)
    return is_of_cluster or is_of_model or any(NAMED in text for text in texts)


def _has_unknown_categories(column: Any) -> bool:
    return column.dtype == "category" and not column.cat.known
