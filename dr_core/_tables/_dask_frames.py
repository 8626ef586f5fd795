"""Rows in a Dask DataFrame: each partition is visited by the worker that holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any

from dr_core._tables._parted import Columns, Parted
from dr_core._tables._visits import NAMED, Visit, naming
from dr_core._utils import in_the_graph, listed

__all__ = ["DaskFrames"]


class DaskFrames(Parted):
    """A Dask DataFrame.

    Parameters
    ----------
    X : dask.dataframe.DataFrame
    columns, want_labels
        As for `Parted`; Dask Series and arrays with the partitions of X may stand in `columns`.
    """

    def __init__(self, X: Any, columns: Mapping[str, Any], want_labels: bool) -> None:
        if not hasattr(X, "columns"):
            raise TypeError(f"X is a {type(X).__name__} of Dask; pass a Dask DataFrame.")
        unknown = [key for key in X.columns if _has_unknown_categories(X[key])]
        if unknown:
            raise ValueError(
                f"the categories of {listed(unknown)} are unknown, and may differ from partition "
                "to partition: call X.categorize() first."
            )
        self._frame = X
        super().__init__(dict(X.dtypes), columns, want_labels)

    def run(
        self, visit: Visit, keys: list[Any] | None, progress: bool, columns: Columns
    ) -> Iterable[Any]:
        import dask
        from dask.diagnostics import ProgressBar

        with in_the_graph(), ProgressBar() if progress else nullcontext():
            try:
                return dask.compute(*self._tasks(visit, keys, columns))
            except Exception as error:
                if str(error).startswith(NAMED) or _is_of_the_cluster(error):
                    raise
                self._name_failure(visit, columns)
                raise

    def _tasks(self, visit: Visit, keys: list[Any] | None, columns: Columns) -> list[Any]:
        from dask import delayed

        frames = (self._frame if keys is None else self._frame[keys]).to_delayed()
        work = delayed(visit, traverse=False)
        known = (columns.of(number) for number in range(len(frames)))
        return [
            work(number, rows, frame, parts)
            for number, (frame, (rows, parts)) in enumerate(zip(frames, known, strict=True))
        ]

    def _name_failure(self, visit: Visit, columns: Columns) -> None:
        """Find the partition that cannot even be read, and say so."""
        for number, task in enumerate(self._tasks(visit, None, columns)):
            with naming(number):
                task.compute()


def _has_unknown_categories(column: Any) -> bool:
    return column.dtype == "category" and not column.cat.known


def _is_of_the_cluster(error: Exception) -> bool:
    return type(error).__module__.startswith("distributed")
