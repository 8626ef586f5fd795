"""Files larger than memory, read a chunk of rows at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from dr_core.checks import check_whole
from dr_core.guarded_reading import CSV, PARQUET, check_header, csv_bytes, naming_file

__all__ = ["Chunks", "iter_chunks"]

CHUNK_ROWS = 100_000


def iter_chunks(
    path: str | Path | Sequence[str | Path], rows: int = CHUNK_ROWS, **options: Any
) -> Chunks:
    r"""Read Parquet or CSV files as frames of so many rows, as often as it is gone through.

    All chunks have the dtypes that the files have as a whole, even where a chunk alone would be
    read otherwise: a column of whole numbers is one of floats everywhere if a value is missing
    anywhere.

    Parameters
    ----------
    path : str, Path, or several of them
        Files ending in .parquet, .pq, .csv or .csv.gz; several go through one after another.
    rows : int
        Rows of a chunk, at the most.
    **options
        For `pandas.read_csv`, such as `sep`.

    Returns
    -------
    Chunks
        Goes where X goes in `assess_risk` and `compare`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "people.csv"
    ...     _ = file.write_text("sex,age\nF,30\nM,40\nM,\n")
    ...     [chunk["age"].tolist() for chunk in iter_chunks(file, rows=2)]
    [[30.0, 40.0], [nan]]
    """
    check_whole("rows", rows, at_least=1)
    given = [path] if isinstance(path, str | Path) else list(path)
    paths = [_checked_path(Path(one)) for one in given]
    if not paths:
        raise ValueError("iter_chunks needs at least one file; it was given none.")
    if len({one.name.endswith(PARQUET) for one in paths}) > 1:
        raise ValueError("all files must be Parquet, or all CSV; these are mixed.")
    if not paths[0].name.endswith(PARQUET):
        return CsvChunks(paths, rows, options)
    if options:
        raise TypeError(f"Parquet files take no options; found {', '.join(options)}.")
    return ParquetChunks(paths, rows)


class Chunks(ABC):
    """Chunks of files, which can be gone through any number of times."""

    def __init__(self, paths: Sequence[Path], rows: int) -> None:
        self.paths, self.rows = list(paths), rows

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return self.select(None)

    def select(self, keys: list[Any] | None) -> Iterator[pd.DataFrame]:
        """Go through the chunks with these columns only; None for all."""
        for path in self.paths:
            for frame in self._read(path, keys, self.dtypes):
                yield _cast(frame, self.dtypes)

    @property
    def columns(self) -> list[Any]:
        """Names of the columns."""
        return list(next(iter(self._read(self.paths[0], None, {})), pd.DataFrame()))

    @cached_property
    def dtypes(self) -> dict[Any, Any]:
        """Types of the columns that chunks by themselves might not agree about."""
        uncertain = self._uncertain()
        if uncertain == []:
            return {}
        found: dict[Any, list[Any]] = {}
        for path in self.paths:
            for frame in self._read(path, uncertain, {}):
                for key in frame:
                    found.setdefault(key, []).append(_kind(frame[key]))
        return {key: _common(kinds) for key, kinds in found.items()}

    @abstractmethod
    def _uncertain(self) -> list[Any] | None:
        """Columns that chunks might not agree about; None for any of them."""

    @abstractmethod
    def _read(
        self, path: Path, keys: list[Any] | None, dtypes: Mapping[Any, Any]
    ) -> Iterator[pd.DataFrame]:
        """Read one file."""


class ParquetChunks(Chunks):
    """Chunks of Parquet files."""

    def _uncertain(self) -> list[Any]:
        return sorted({name for path in self.paths for name in _may_differ(self._open(path))})

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

    for position, field in enumerate(file.schema_arrow):
        if types.is_dictionary(field.type):
            yield field.name
        elif types.is_integer(field.type) or types.is_boolean(field.type):
            groups = range(file.metadata.num_row_groups)
            found = [file.metadata.row_group(g).column(position).statistics for g in groups]
            if any(known is None or known.null_count != 0 for known in found):
                yield field.name


class CsvChunks(Chunks):
    """Chunks of CSV files."""

    def __init__(self, paths: Sequence[Path], rows: int, options: Mapping[str, Any]) -> None:
        super().__init__(paths, rows)
        self.options = dict(options)

    def _uncertain(self) -> list[Any] | None:
        return [] if "dtype" in self.options else None

    def _read(
        self, path: Path, keys: list[Any] | None, dtypes: Mapping[Any, Any]
    ) -> Iterator[pd.DataFrame]:
        options = self.options | ({"usecols": keys} if keys else {})
        # What looks like a number in one chunk and like text in another is text.
        texts = [key for key, kind in dtypes.items() if kind is str and (not keys or key in keys)]
        options.setdefault("dtype", dict.fromkeys(texts, str))
        with naming_file(path):
            check_header(path, self.options)
            with (
                csv_bytes(path) as stream,
                pd.read_csv(stream, chunksize=self.rows, **options) as reader,
            ):
                yield from reader


def _kind(column: pd.Series) -> Any:
    """Type of a column; `str` for text, and `object` for truth values some of which are missing.

    >>> _kind(pd.Series(["a", None])), _kind(pd.Series([True, None], dtype=object))
    (<class 'str'>, dtype('O'))
    """
    if isinstance(column.dtype, pd.StringDtype):
        return str
    if column.dtype == object and infer_dtype(column, skipna=True) not in ("boolean", "empty"):
        return str
    return column.dtype


def _common(kinds: list[Any]) -> Any:
    """Return the type of a column whose chunks have these.

    >>> _common([np.dtype(int), np.dtype(float)]), _common([np.dtype(int), str])
    (dtype('float64'), <class 'str'>)
    """
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0]
    if all(isinstance(kind, pd.CategoricalDtype) for kind in kinds):
        every = dict.fromkeys(value for kind in kinds for value in kind.categories)
        return pd.CategoricalDtype(list(every), kinds[0].ordered)
    if str in kinds:
        return str
    letters = {kind.kind for kind in kinds}
    if letters <= set("iuf"):
        return np.result_type(*kinds)
    return np.dtype(object) if letters <= set("bO") else str


def _cast(frame: pd.DataFrame, kinds: Mapping[Any, Any]) -> pd.DataFrame:
    """Give columns their common types; text was read as text."""
    changed = {
        key: kind
        for key, kind in kinds.items()
        if kind is not str and key in frame and frame[key].dtype != kind
    }
    return frame.astype(changed) if changed else frame


def _checked_path(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}.")
    if not path.name.endswith(PARQUET + CSV):
        raise ValueError(f"{path.name!r} must end in .csv, .csv.gz or .parquet.")
    return path
