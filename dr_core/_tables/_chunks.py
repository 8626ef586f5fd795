"""Files larger than memory, read a chunk of rows at a time.

A chunk alone may be read with another type than the file: its numbers may all be integers where
others are not, or its cells all be missing. The first pass collects the kinds of values that each
column has in each chunk. The second pass hands the common type of each column to the reader.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_numeric_dtype

from dr_core._tables._reading import (
    CSV_ENDINGS,
    FORMAT_OPTIONS,
    PARQUET_ENDINGS,
    HashedFile,
    check_ending,
    check_header,
    name_file_in_errors,
    open_hashed_csv,
)
from dr_core._tables._table import find_first
from dr_core._utils import Array, check_integer

__all__ = ["Chunks", "Digest", "iter_chunks"]

CHUNK_ROWS = 100_000

ALL_MISSING, NEGATIVE, TEXT = "only missing values", "negative integers", "text"
UNSIGNED, NUMBERS_AS_TEXT = "integers beyond int64", "integers beyond int64 beside others"
"""Kinds of values in the chunk of a column, beside its dtypes."""

MAX_DIGITS = 300
"""Longer integers are cut before they are converted to float64, which ends at 1.8e308."""

INT64, UINT64, FLOAT64 = np.dtype("int64"), np.dtype("uint64"), np.dtype("float64")

UNSUPPORTED = {
    "chunksize": "pass `rows` instead",
    "iterator": "leave it out, because chunks are iterated over anyway",
    "skipfooter": "remove the footer from the file, because chunks cannot detect it",
}
"""Options of `pandas.read_csv` that do not work in chunks, and the remedy."""


def iter_chunks(
    path: str | Path | Sequence[str | Path], rows: int = CHUNK_ROWS, **options: Any
) -> Chunks:
    r"""Read Parquet or CSV files in chunks of rows; the result can be iterated over repeatedly.

    All chunks have the values and dtypes of the file read as a whole. For example, a column of
    integers is one of floats in all chunks if one value is missing anywhere.

    Parameters
    ----------
    path : str, Path, or several of them
        Files ending in .parquet, .pq, .csv, .tsv, .csv.gz or .tsv.gz; several are read one after
        another.
    rows : int
        Maximum number of rows in a chunk.
    **options
        For `pandas.read_csv`, such as `sep` or `dtype`. `parse_dates` must be a list of columns,
        and needs `date_format`, because each chunk would infer its own format.

    Returns
    -------
    Chunks
        Pass it as X to `assess_risk` or `compare`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "people.csv"
    ...     _ = file.write_text("sex,age\nF,30\nM,40\nM,\n")
    ...     [chunk["age"].tolist() for chunk in iter_chunks(file, rows=2)]
    [[30.0, 40.0], [nan]]
    """
    check_integer("rows", rows, at_least=1)
    paths = [Path(path)] if isinstance(path, str | Path) else [Path(one) for one in path]
    if not paths:
        raise ValueError("iter_chunks needs at least one file; it was given none.")
    for one in paths:
        if not one.is_file():
            raise ValueError(f"there is no file {str(one)!r}.")
        check_ending(one)
    if len({one.name.endswith(PARQUET_ENDINGS) for one in paths}) > 1:
        raise ValueError("all files must be Parquet, or all CSV; these are mixed.")
    if paths[0].name.endswith(CSV_ENDINGS):
        tab = {"sep": "\t"} if all(".tsv" in one.suffixes for one in paths) else {}
        return CsvChunks(paths, rows, tab | options)
    if options:
        raise TypeError(f"Parquet files take no options; found {', '.join(options)}.")
    return ParquetChunks(paths, rows)


class Digest(NamedTuple):
    """Distinct values of a column, missing ones too, and the number of rows with each."""

    values: pd.Series
    counts: Array

    @classmethod
    def of(cls, column: pd.Series) -> Digest:
        """Count the values of a column, in the order of first appearance."""
        codes, _ = pd.factorize(column, use_na_sentinel=False)
        return cls(column.iloc[find_first(codes)], np.bincount(codes))


class Chunks(ABC):
    """Chunks of files, which can be iterated over repeatedly."""

    REMEDY: str
    """Remedy for a column, whose name is filled in, without a common type."""

    def __init__(self, paths: list[Path], rows: int) -> None:
        self.paths, self.rows = paths, rows
        self._remembered: list[Any] = []
        self.hashes: dict[Path, str] = {}  # SHA-256 of files that were read completely
        self._digests: list[tuple[int, dict[Any, Digest]]] = []

    def remember(self, keys: Collection[Any]) -> None:
        """Keep the distinct values of these columns, too, when types are found: `recall`."""
        self._remembered = list(dict.fromkeys([*self._remembered, *keys]))

    def recall(self, keys: Collection[Any]) -> list[tuple[int, dict[Any, Digest]]] | None:
        """Return the rows of each chunk, and each distinct value of these columns.

        Return None if they were not kept, or would be others if they were read with the common
        type of their column: the chunks must be read again.
        """
        dtypes, chunks = self.dtypes, []
        for n_rows, digest in self._digests:
            found = {key: digest[key] for key in keys if key in digest}
            cast = {
                key: _cast_exactly(one, dtypes[key]) if key in dtypes else one
                for key, one in found.items()
            }
            chunks.append((n_rows, {key: one for key, one in cast.items() if one is not None}))
        is_known = chunks and all(len(found) == len(keys) for _, found in chunks)
        return chunks if is_known else None

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return self.select(None)

    def select(self, keys: list[Any] | None) -> Iterator[pd.DataFrame]:
        """Iterate over the chunks with these columns only; None for all."""
        for path in self.paths:
            for frame in self._read(path, keys, self.dtypes):
                yield _cast(frame, self.dtypes)

    @cached_property
    def head(self) -> pd.DataFrame:
        """The first row, perhaps with other types than the common ones."""
        heads = (next(self._read(path, None, {}), pd.DataFrame()) for path in self.paths)
        first = next(heads)
        found = first if len(first) else next((head for head in heads if len(head)), first)
        return found.iloc[:1].copy()

    @property
    def columns(self) -> list[Any]:
        """Names of the columns."""
        return list(self.head)

    @cached_property
    def dtypes(self) -> dict[Any, Any]:
        """Common types of the columns whose type could differ between chunks; str for text."""
        uncertain = self._find_uncertain()
        keys = list(dict.fromkeys([*uncertain, *self._remembered]))
        # For each column, each kind of values and where it was found first.
        found: dict[Any, dict[Any, str]] = defaultdict(dict)
        for where, frame in self._iter_located(keys) if uncertain else ():
            kept = {key: Digest.of(frame[key]) for key in self._remembered if key in frame}
            self._digests.append((len(frame), kept))
            for key in set(frame).intersection(uncertain) if len(frame) else ():
                for kind in self._find_kinds(frame[key]):
                    found[key].setdefault(kind, where)
        return {key: self._find_common(key, kinds) for key, kinds in found.items()}

    def _iter_located(self, keys: list[Any]) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield the chunks, each with a description of its place."""
        for path in self.paths:
            start = 0
            for frame in self._read(path, keys, {}):
                yield f"rows {start} to {start + len(frame) - 1} of {path.name!r}", frame
                start += len(frame)

    @abstractmethod
    def _find_uncertain(self) -> list[Any]:
        """Return the columns whose type could differ between chunks."""

    @abstractmethod
    def _read(
        self, path: Path, keys: list[Any] | None, dtypes: Mapping[Any, Any]
    ) -> Iterator[pd.DataFrame]:
        """Read one file in chunks: these columns, all if None, with these types where given."""

    def _find_kinds(self, column: pd.Series) -> list[Any]:
        """Return the kinds of values of a column in one chunk: its dtype, for Parquet files."""
        return [column.dtype]

    def _find_common(self, key: Any, kinds: Mapping[Any, str]) -> Any:
        dtype = find_common_dtype(kinds)
        if dtype is None:
            places = "; ".join(f"{kind} in {where}" for kind, where in kinds.items())
            remedy = self.REMEDY.format(repr(key))
            raise ValueError(f"column {key!r} has no common type: {places}. {remedy}")
        return dtype


class CsvChunks(Chunks):
    """Chunks of CSV files."""

    REMEDY = "Pass its type to iter_chunks, such as dtype={{{0}: str}}."

    def __init__(self, paths: list[Path], rows: int, options: Mapping[str, Any]) -> None:
        super().__init__(paths, rows)
        _check_options(options)
        self.options = dict(options)
        self.converters = options.get("converters") or {}

    def _find_uncertain(self) -> list[Any]:
        given = self.options.get("dtype", {})
        if not isinstance(given, Mapping) or isinstance(given, defaultdict):
            return []
        return [key for key in self.columns if given.get(key, "category") == "category"]

    def _find_kinds(self, column: pd.Series) -> list[Any]:
        return [column.dtype] if column.name in self.converters else find_csv_kinds(column)

    def _read(
        self, path: Path, keys: list[Any] | None, dtypes: Mapping[Any, Any]
    ) -> Iterator[pd.DataFrame]:
        options = self._make_options(keys, dtypes)
        with name_file_in_errors(path):
            check_header(path, self.options)
            with (
                open_hashed_csv(path) as stream,
                pd.read_csv(stream, chunksize=self.rows, **options) as reader,
            ):
                for frame in reader:
                    yield frame if keys is None else frame[[key for key in frame if key in keys]]
                if isinstance(stream.raw, HashedFile) and not stream.read(1):
                    self.hashes[path] = stream.raw.sha256

    def _make_options(self, keys: list[Any] | None, dtypes: Mapping[Any, Any]) -> dict[str, Any]:
        """Return the options of `pandas.read_csv` for these columns and types."""
        options = dict(self.options)
        # Other options may count columns, or name a column that is not among the keys.
        if keys and set(options) <= FORMAT_OPTIONS | {"dtype"}:
            options["usecols"] = keys
            dtypes = {key: dtype for key, dtype in dtypes.items() if key in keys}
        # The reader itself must make text and numbers: to cast 2**53 + 1 from int64 to float64
        # rounds in another way than to read it as float64.
        handed = {
            key: dtype
            for key, dtype in dtypes.items()
            if key not in self.converters and (dtype is str or dtype.kind in "iuf")
        }
        if set(options) <= {"dtype", "usecols"}:  # others may choose an engine without it
            options["low_memory"] = False
        if handed:
            options["dtype"] = {**handed, **options.get("dtype", {})}
        if options.get("parse_dates"):
            dates = options["parse_dates"]
            options["parse_dates"] = [key for key in dates if dtypes.get(key) is not str]
        return options


class ParquetChunks(Chunks):
    """Chunks of Parquet files."""

    REMEDY = "Save all files with the same type for {}."

    def _find_uncertain(self) -> list[Any]:
        """Return categories, integers and booleans with gaps, and types that files differ in."""
        types: dict[Any, set[Any]] = defaultdict(set)
        uncertain: dict[Any, None] = {}
        for path in self.paths:
            with name_file_in_errors(path):
                schema, unstable = _read_schema(path)
            uncertain |= dict.fromkeys(unstable)
            for field in schema:
                types[field.name].add(field.type)
        differing = (name for name, found in types.items() if len(found) > 1)
        return list(uncertain | dict.fromkeys(differing))

    def _read(
        self, path: Path, keys: list[Any] | None, dtypes: Mapping[Any, Any]
    ) -> Iterator[pd.DataFrame]:
        with name_file_in_errors(path):
            from pyarrow.parquet import ParquetFile

            with ParquetFile(path) as file:
                for table in _regroup(file.iter_batches(self.rows, columns=keys), self.rows):
                    yield table.to_pandas()


def _read_schema(path: Path) -> tuple[Any, list[str]]:
    """Return the schema of a Parquet file, and its columns whose types can differ in chunks."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        return file.schema_arrow, list(_iter_unstable(file))


def _iter_unstable(file: Any) -> Iterator[str]:
    """Yield the columns of a Parquet file whose pandas type can differ between chunks."""
    from pyarrow import types

    metadata = file.metadata
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    stored = [group.column(i) for group in groups for i in range(group.num_columns)]
    # Without statistics, or with missing values in them, a column may have gaps.
    gaps = {
        column.path_in_schema
        for column in stored
        if column.statistics is None or column.statistics.null_count != 0
    }
    for field in file.schema_arrow:
        can_miss = types.is_integer(field.type) or types.is_boolean(field.type)
        if types.is_dictionary(field.type) or (can_miss and field.name in gaps):
            yield field.name


def _regroup(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """Make tables of so many rows; only the last may be shorter."""
    from pyarrow import Table, concat_tables

    # Batches end where the file's row groups end: batches of 2, 3 and 1 rows become tables of
    # 4 and 2 rows for rows=4.
    pending: list[Any] = []
    n_pending = 0
    for batch in batches:
        pending.append(Table.from_batches([batch]))
        n_pending += batch.num_rows
        while n_pending >= rows:
            table = concat_tables(pending)
            yield table.slice(0, rows)
            pending, n_pending = [table.slice(rows)], n_pending - rows
    if n_pending:
        yield concat_tables(pending)


def _cast(frame: pd.DataFrame, dtypes: Mapping[Any, Any]) -> pd.DataFrame:
    """Give columns their common types; text was read as text."""
    cast = frame.copy(deep=False)
    for key, dtype in dtypes.items():
        if dtype is not str and key in cast and cast[key].dtype != dtype:
            cast[key] = cast[key].astype(dtype)
    return cast


def _cast_exactly(digest: Digest, dtype: Any) -> Digest | None:
    """Return values with another type; None if the reader would have read other values."""
    column = digest.values
    is_missing = column.isna().all()
    if dtype is str:
        # The text of numbers is not known: "01" was read as 1.
        return digest if is_missing or not is_numeric_dtype(column) else None
    if column.dtype == dtype or is_missing:
        return digest
    if column.dtype.kind in "iu" and dtype.kind == "f" and (column.abs() < 2**53).all():
        return Digest(column.astype(dtype), digest.counts)
    return None


def find_csv_kinds(column: pd.Series) -> list[Any]:
    """Return the kinds of values that the chunk of a CSV column has.

    >>> find_csv_kinds(pd.Series([1, -2]))
    [dtype('int64'), 'negative integers']
    >>> find_csv_kinds(pd.Series(["a", None], dtype=object))
    ['text']
    """
    if column.dtype == FLOAT64 and column.isna().all():
        return [ALL_MISSING]
    if column.dtype == INT64 and (column < 0).any():
        return [INT64, NEGATIVE]
    if column.dtype == UINT64:
        return [UNSIGNED]
    if column.dtype == object or isinstance(column.dtype, pd.StringDtype):
        return [_find_object_kind(column)]
    return [column.dtype]


def _find_object_kind(column: pd.Series) -> Any:
    content = infer_dtype(column, skipna=True)
    if content == "boolean":
        return np.dtype(object)
    if content == "integer":
        return NUMBERS_AS_TEXT
    # pandas reads some integers of 19 digits or more as text, for example 2**63 beside -1, and
    # then keeps missing values as text, too. Whether it does depends on the other chunks.
    cells = column.dropna().astype(str)
    cells = cells[cells.str.len() >= 19]
    integers = cells[cells.str.fullmatch(r"\s*[-+]?[0-9]+\s*")].str[:MAX_DIGITS].astype("float64")
    return NUMBERS_AS_TEXT if (integers.abs() >= 2**63).any() else TEXT


def find_common_dtype(kinds: Collection[Any]) -> Any:
    """Return the type of a whole column from the kinds of values in its chunks; None if unclear.

    >>> find_common_dtype([INT64, ALL_MISSING]), find_common_dtype([TEXT, INT64])
    (dtype('float64'), <class 'str'>)
    """
    if NUMBERS_AS_TEXT in kinds:
        return None
    if TEXT in kinds:
        return str
    if UNSIGNED in kinds:
        return UINT64 if set(kinds) <= {UNSIGNED, INT64} else None
    dtypes = [kind for kind in kinds if not isinstance(kind, str)]
    if len(dtypes) == len(kinds) == 1:
        return dtypes[0]
    if all(isinstance(dtype, pd.CategoricalDtype) for dtype in dtypes) and dtypes:
        return _unite_categories(dtypes)
    letters = {dtype.kind if isinstance(dtype, np.dtype) else "other" for dtype in dtypes}
    if letters and letters <= {"b", "O"}:
        return np.dtype(object)
    if letters <= {"i", "u", "f"}:
        return np.result_type(*dtypes, *[FLOAT64] * (ALL_MISSING in kinds))
    return np.result_type(*dtypes) if letters == {"M"} else None


def _unite_categories(dtypes: list[Any]) -> pd.CategoricalDtype:
    united = list(dict.fromkeys(value for dtype in dtypes for value in dtype.categories))
    are_sorted = all(dtype.categories.is_monotonic_increasing for dtype in dtypes)
    return pd.CategoricalDtype(sorted(united) if are_sorted else united, dtypes[0].ordered)


def _check_options(options: Mapping[str, Any]) -> None:
    """Raise ValueError for options that do not work in chunks."""
    for name, remedy in UNSUPPORTED.items():
        if options.get(name):
            raise ValueError(f"iter_chunks takes no {name}: {remedy}.")
    dates, known = options.get("parse_dates"), options.get("date_format")
    if not dates:
        return
    are_names = isinstance(dates, list) and all(isinstance(key, str) for key in dates)
    have_format = set(dates) <= set(known) if are_names and isinstance(known, Mapping) else known
    if not (are_names and have_format):
        raise ValueError(
            "parse_dates must be a list of column names, and date_format must give the format of "
            "their dates, such as 'ISO8601' (pandas 2 or later), because each chunk would infer "
            "its own format. Or leave parse_dates out and convert the text of each chunk."
        )
