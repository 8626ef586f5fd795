"""Rows in a Dask DataFrame: each partition is processed by the worker that has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any

import dask
from dask.diagnostics import ProgressBar

from dr_core._tables._parts import (
    NAMED,
    FindColumns,
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
        with allow_large_graphs(), ProgressBar() if progress else nullcontext():
            try:
                return dask.compute(*self._delay(task, keys, find_columns))
            except Exception as error:
                if str(error).startswith(NAMED) or _is_of_the_cluster(error):
                    raise
                self._raise_named(task, find_columns)
                raise

    def _delay(
        self, task: PartTask, keys: list[Any] | None, find_columns: FindColumns
    ) -> list[Any]:
        """Return one delayed call of the task for each partition."""
        frames = (self._frame if keys is None else self._frame[keys]).to_delayed()
        call = dask.delayed(task, traverse=False)
        return [call(i, frame, *find_columns(i)) for i, frame in enumerate(frames)]

    def _raise_named(self, task: PartTask, find_columns: FindColumns) -> None:
        """Run partition by partition, to name the one that cannot be read in the error."""
        for number, call in enumerate(self._delay(task, None, find_columns)):
            with name_partition_in_errors(number):
                call.compute()


def _has_unknown_categories(column: Any) -> bool:
    return column.dtype == "category" and not column.cat.known


def _is_of_the_cluster(error: Exception) -> bool:
    return type(error).__module__.startswith("distributed")
