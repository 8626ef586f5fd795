"""Parquet files, read a chunk of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables._chunks import Chunks, all_categories, are_categories
from dr_core._tables._reading import naming_file

__all__ = ["ParquetChunks"]


class ParquetChunks(Chunks):
    """Chunks of Parquet files."""

    def _uncertain(self) -> list[Any]:
        return sorted({name for path in self.paths for name in _may_differ(self._open(path))})

    def _kinds(self, column: pd.Series) -> list[Any]:
        return [column.dtype]

    def _common(self, kinds: list[Any]) -> Any:
        if len(kinds) == 1:
            return kinds[0]
        if are_categories(kinds):
            return all_categories(kinds)
        letters = {kind.kind for kind in kinds}
        if letters <= set("iuf"):
            return np.result_type(*kinds)
        return np.dtype(object) if letters <= set("bO") else str

    def _read(
        self, path: Path, keys: list[Any] | None, dtypes: Mapping[Any, Any]
    ) -> Iterator[pd.DataFrame]:
        file = self._open(path)
        names = file.schema_arrow.names if keys is None else keys
        with naming_file(path):
            for table in _of_size(file.iter_batches(self.rows, columns=names), self.rows):
                yield table.to_pandas()

    def _open(self, path: Path) -> Any:
        with naming_file(path):
            from pyarrow.parquet import ParquetFile

            return ParquetFile(path)


def _of_size(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """Tables of exactly so many rows, but for the last: batches end where the file pleases."""
    from pyarrow import Table

    pending: list[Any] = []
    for batch in batches:
        while batch.num_rows:
            pending.append(batch.slice(0, rows - sum(part.num_rows for part in pending)))
            batch = batch.slice(pending[-1].num_rows)
            if sum(part.num_rows for part in pending) == rows:
                yield Table.from_batches(pending)
                pending = []
    if pending:
        yield Table.from_batches(pending)


def _may_differ(file: Any) -> Iterator[str]:
    """Whole numbers and truth values that may be missing somewhere, and categories."""
    from pyarrow import types

    gaps = _paths_with_gaps(file.metadata)
    for field in file.schema_arrow:
        can_miss = types.is_integer(field.type) or types.is_boolean(field.type)
        if types.is_dictionary(field.type) or (can_miss and field.name in gaps):
            yield field.name


def _paths_with_gaps(metadata: Any) -> set[str]:
    """Paths of the columns stored, parts of nested ones too, where values may be missing."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    stored = [group.column(number) for group in groups for number in range(group.num_columns)]
    return {
        column.path_in_schema
        for column in stored
        if column.statistics is None or column.statistics.null_count != 0
    }
