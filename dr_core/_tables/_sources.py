"""Where rows come from: a table, frames one after another, chunks of files, a Dask DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tqdm import tqdm

from dr_core._tables._chunks import Chunks
from dr_core._tables._parted import Columns, Parted, is_dask
from dr_core._tables._parts import Partitions, Whole, Y
from dr_core._tables._table import Table, as_table
from dr_core._tables._visits import Visit, length, naming

__all__ = ["as_partitions"]


class Frames(Parted):
    """Frames in this process, one after another."""

    def __init__(self, source: Any, columns: Mapping[str, Any], want_labels: bool) -> None:
        self._source = source
        first = next((frame for frame in self._frames(None) if length(frame)), None)
        if first is None:
            raise ValueError("X is empty: there is no row to perturb.")
        with naming(0):
            dtypes = as_table(first).dtypes
        super().__init__(dtypes, columns, want_labels)

    def _frames(self, keys: list[Any] | None) -> Iterable[Any]:
        if isinstance(self._source, Chunks):
            return self._source if keys is None else self._source.select(keys)
        frames = self._source() if callable(self._source) else self._source
        if frames is iter(frames) and frames is self._source:
            raise TypeError(
                f"X is a {type(frames).__name__}, which can be gone through only once, and an "
                "audit goes through it twice. Pass a list, or a function that returns a new one."
            )
        return frames

    def run(
        self, visit: Visit, keys: list[Any] | None, progress: bool, columns: Columns
    ) -> Iterable[Any]:
        total = len(columns.starts) - 1 if columns.starts else None
        frames = tqdm(
            self._frames(keys), desc="rows", unit="chunk", total=total, disable=not progress
        )
        for number, frame in enumerate(frames):
            rows, parts = columns.of(number)
            yield visit(number, rows, frame, parts)


def as_partitions(X: Any, columns: Mapping[str, Any], *, want_labels: bool = False) -> Partitions:
    """Take X apart.

    Parameters
    ----------
    X : table, Dask DataFrame, `iter_chunks(...)`, iterable of frames, or a function returning one
    columns : mapping
        What goes with the rows, by name; see `Parted`. None stands for nothing.
    want_labels : bool
        Whether the distinct values of y will be asked for.

    Examples
    --------
    >>> import pandas as pd
    >>> halves = [pd.DataFrame({"a": [1, 2], "y": [0, 1]}), pd.DataFrame({"a": [3], "y": [1]})]
    >>> data = as_partitions(halves, {"y": "y"}, want_labels=True)
    >>> data.n_rows, data.labels, data.table.keys()
    (3, [0, 1], ['a'])
    >>> [part.y.tolist() for part in data.map(lambda part: part)]
    [[0, 1], [1]]
    """
    given = {key: value for key, value in columns.items() if value is not None}
    if want_labels and Y not in given:
        raise ValueError("y is None: pass the true labels, or the name of their column.")
    if is_dask(X):
        from dr_core._tables._dask_frames import DaskFrames

        return DaskFrames(X, given, want_labels)
    if is_parted(X):
        return Frames(X, given, want_labels)
    return Whole(as_table(X), given)


def is_parted(X: Any) -> bool:
    """Whether X comes in parts, rather than as one table."""
    if is_dask(X) or isinstance(X, Chunks):
        return True
    is_table = isinstance(X, Table) or hasattr(X, "shape") or hasattr(X, "columns")
    if is_table or isinstance(X, str | bytes | Mapping | type):
        return False
    return callable(X) or isinstance(X, Iterable)
