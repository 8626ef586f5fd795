"""Files larger than memory, read a chunk of rows at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from dr_core.checks import check_whole
from dr_core.guarded_reading import CSV, FORMAT, PARQUET, check_header, csv_bytes, naming_file

__all__ = ["Chunks", "iter_chunks"]

CHUNK_ROWS = 100_000

MOST_INT, MOST_UINT = np.iinfo("int64").max, np.iinfo("uint64").max

REFUSED = {
    "chunksize": "say `rows` instead",
    "iterator": "leave it out: the chunks are iterated over anyway",
    "skipfooter": "pandas cannot tell the footer from the rows in chunks; remove it from the file",
}
"""Options of `pandas.read_csv` that cannot work in chunks, and what to do instead."""


class Mark(Enum):
    """What the cells of a column tell about its type, beside the types of its chunks."""

    MISSING = auto()
    NEGATIVE = auto()
    HUGE = auto()
    """Whole numbers beyond 64 bits, which newer pandas keeps as those of Python."""
    RAW = auto()
    """Text of all cells, even of missing ones: whole numbers that no type has all of."""


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
        For `pandas.read_csv`, such as `sep`. `parse_dates` takes a list of columns, and needs
        `date_format`, lest each chunk guesses the format anew.

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
        found: dict[Any, dict[Any, None]] = {}
        for path in self.paths:
            for frame in self._read(path, uncertain, {}):
                for key in frame if len(frame) else ():
                    found.setdefault(key, {}).update(dict.fromkeys(self._kinds(frame[key])))
        return {key: self._common(list(kinds)) for key, kinds in found.items()}

    @abstractmethod
    def _uncertain(self) -> list[Any] | None:
        """Columns that chunks might not agree about; None for any of them."""

    @abstractmethod
    def _kinds(self, column: pd.Series) -> list[Any]:
        """What the column of a chunk tells about the type of the whole one."""

    @abstractmethod
    def _common(self, kinds: list[Any]) -> Any:
        """Return the type of a column whose chunks tell this, each thing once."""

    @abstractmethod
    def _read(
        self, path: Path, keys: list[Any] | None, dtypes: Mapping[Any, Any]
    ) -> Iterator[pd.DataFrame]:
        """Read one file."""


class ParquetChunks(Chunks):
    """Chunks of Parquet files."""

    def _uncertain(self) -> list[Any]:
        return sorted({name for path in self.paths for name in _may_differ(self._open(path))})

    def _kinds(self, column: pd.Series) -> list[Any]:
        return [column.dtype]

    def _common(self, kinds: list[Any]) -> Any:
        if len(kinds) == 1:
            return kinds[0]
        if _are_categories(kinds):
            return _all_categories(kinds)
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


class CsvChunks(Chunks):
    """Chunks of CSV files."""

    def __init__(self, paths: Sequence[Path], rows: int, options: Mapping[str, Any]) -> None:
        super().__init__(paths, rows)
        _check_options(options)
        self.options = dict(options)

    @property
    def converters(self) -> Mapping[Any, Any]:
        """What the user makes of cells, by column."""
        return self.options.get("converters") or {}

    def _uncertain(self) -> list[Any] | None:
        given = self.options.get("dtype", {})
        if not isinstance(given, Mapping) or isinstance(given, defaultdict):
            return []
        fixed = {key for key, dtype in given.items() if dtype != "category"}
        return [key for key in self.columns if key not in fixed] if fixed else None

    def _kinds(self, column: pd.Series) -> list[Any]:
        if column.name in self.converters:
            return [column.dtype]
        if column.dtype == np.float64 and column.isna().all():
            return [Mark.MISSING]
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
            return _kinds_of_numbers(column)
        if column.dtype == object:
            return _kinds_of_objects(column)
        is_text = isinstance(column.dtype, pd.StringDtype)
        return _kinds_of_text(column) if is_text else [column.dtype]

    def _common(self, kinds: list[Any]) -> Any:
        dtypes = [kind for kind in kinds if not isinstance(kind, Mark)]
        if kinds == dtypes[:1]:
            return kinds[0]
        if dtypes and _are_categories(dtypes):
            return _all_categories(dtypes, in_order=True)
        letters = {"str" if dtype is str else dtype.kind for dtype in dtypes}
        if letters <= set("iuf"):
            return _common_number(kinds, dtypes)
        if Mark.HUGE not in kinds and letters <= set("bO"):
            return np.dtype(object)
        is_date = letters == {"M"} and all(isinstance(dtype, np.dtype) for dtype in dtypes)
        return np.result_type(*dtypes) if is_date else str

    def _read(
        self, path: Path, keys: list[Any] | None, dtypes: Mapping[Any, Any]
    ) -> Iterator[pd.DataFrame]:
        with naming_file(path):
            check_header(path, self.options)
            with (
                csv_bytes(path) as stream,
                pd.read_csv(stream, chunksize=self.rows, **self._reading(keys, dtypes)) as reader,
            ):
                for frame in reader:
                    yield frame[[key for key in frame if key in keys]] if keys else frame

    def _reading(self, keys: list[Any] | None, dtypes: Mapping[Any, Any]) -> dict[str, Any]:
        """Options to read these columns with, such that they come out with their types."""
        options = dict(self.options)
        # Other options may count columns, or name one that is not among the keys.
        if keys and set(options) <= FORMAT | {"dtype"}:
            options["usecols"] = keys
            dtypes = {key: kind for key, kind in dtypes.items() if key in keys}
        if dtypes:
            # pandas may take what a converter returns for missing, but not with a sign before it.
            raw = {key: "={}".format for key, kind in dtypes.items() if kind is Mark.RAW}
            options["converters"] = {**raw, **self.converters}
            options["dtype"] = {**_told(dtypes, self.converters), **options.get("dtype", {})}
        if options.get("parse_dates"):
            dates = options["parse_dates"]
            options["parse_dates"] = [key for key in dates if dtypes.get(key) is not str]
        return options


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse what cannot work in chunks."""
    for name, instead in REFUSED.items():
        if options.get(name):
            raise ValueError(f"iter_chunks takes no {name}: {instead}.")
    dates = options.get("parse_dates")
    if dates and not _know_format(dates, options.get("date_format")):
        raise ValueError(
            "parse_dates must be a list of column names, and date_format say how their dates are "
            "written, such as 'ISO8601' (pandas 2 or later): each chunk would guess it anew. Or "
            "leave parse_dates out and pass a function that returns the chunks with dates made "
            "of their texts."
        )


def _know_format(dates: Any, known: Any) -> bool:
    """Whether all columns of dates are named, and their format is known."""
    named = isinstance(dates, list) and all(isinstance(key, str) for key in dates)
    return named and (set(dates) <= set(known) if isinstance(known, Mapping) else bool(known))


def _told(dtypes: Mapping[Any, Any], converted: Collection[Any]) -> dict[Any, Any]:
    """Types that the reader is told: cast afterwards, a number could be rounded otherwise."""
    told = {key: str if kind is Mark.HUGE else kind for key, kind in dtypes.items()}
    return {
        key: kind
        for key, kind in told.items()
        if key not in converted and (kind is str or getattr(kind, "kind", "") in tuple("iuf"))
    }


def _kinds_of_numbers(column: pd.Series) -> list[Any]:
    """Type of numbers; floats are whole numbers if they may be floats for missing values only.

    >>> _kinds_of_numbers(pd.Series([-1, None]))
    [dtype('int64'), <Mark.MISSING: 1>, <Mark.NEGATIVE: 2>]
    """
    present = column.dropna()
    missing = len(present) < len(column)
    whole = missing and ((present % 1 == 0) & (present.abs() <= MOST_INT)).all()
    marks = {Mark.MISSING: missing, Mark.NEGATIVE: (present < 0).any()}
    return [np.dtype("int64") if whole else column.dtype, *(mark for mark in marks if marks[mark])]


def _kinds_of_objects(column: pd.Series) -> list[Any]:
    """Tell truth values some of which are missing, and huge whole numbers, from text.

    >>> _kinds_of_objects(pd.Series(["a", None], dtype=object))
    [<class 'str'>]
    >>> _kinds_of_objects(pd.Series([True, None], dtype=object))
    [dtype('O')]
    """
    content = infer_dtype(column, skipna=True)
    if content == "boolean":
        return [column.dtype]
    if content == "integer":
        return [Mark.HUGE]
    return _kinds_of_text(column) if content == "string" else [str]


def _kinds_of_text(column: pd.Series) -> list[Any]:
    """Tell whole numbers that pandas left as text from other text.

    It does so with numbers that need all 64 bits beside negative or missing ones.

    >>> _kinds_of_text(pd.Series(["-1", str(2**63)]))
    [dtype('uint64'), <Mark.NEGATIVE: 2>]
    """
    cells = column[column.notna() & (column != "")]
    # Nearly all text is known by its first cell, which saves looking at the others.
    if not (_are_whole(cells.iloc[:1]) and _are_whole(cells)):
        return [str]
    numbers = [int(cell) for cell in cells]
    if not MOST_INT < max(numbers) <= MOST_UINT:
        return [str]
    marks = {Mark.MISSING: len(cells) < len(column), Mark.NEGATIVE: min(numbers) < 0}
    return [np.dtype("uint64"), *(mark for mark in marks if marks[mark])]


def _are_whole(cells: pd.Series) -> bool:
    """Whether there are cells, all of them whole numbers, and of no absurd length."""
    return len(cells) > 0 and bool(cells.str.fullmatch(r"\s*[-+]?[0-9]{1,40}\s*").all())


def _common_number(kinds: list[Any], dtypes: list[Any]) -> Any:
    """Return the type that pandas gives to numbers of these kinds, in order of appearance."""
    floats = [dtype for dtype in dtypes if dtype.kind == "f"]
    if floats and Mark.HUGE in kinds and kinds.index(Mark.HUGE) < kinds.index(floats[0]):
        return str
    if floats:
        return np.result_type(*dtypes)
    if Mark.HUGE in kinds:
        return Mark.HUGE
    if np.dtype("uint64") in dtypes:
        return Mark.RAW if {Mark.MISSING, Mark.NEGATIVE} & set(kinds) else np.dtype("uint64")
    return np.dtype("float64") if Mark.MISSING in kinds else np.result_type(*dtypes)


def _are_categories(kinds: list[Any]) -> bool:
    return all(isinstance(kind, pd.CategoricalDtype) for kind in kinds)


def _all_categories(kinds: list[Any], *, in_order: bool = False) -> pd.CategoricalDtype:
    """Categories of all these types, each once."""
    every = dict.fromkeys(value for kind in kinds for value in kind.categories)
    return pd.CategoricalDtype(sorted(every) if in_order else list(every), kinds[0].ordered)


def _cast(frame: pd.DataFrame, kinds: Mapping[Any, Any]) -> pd.DataFrame:
    """Give columns their common types; text was read as text."""
    cast = frame.copy(deep=False)
    for key, kind in kinds.items():
        if kind is not str and key in cast and cast[key].dtype != kind:
            cast[key] = _cast_column(cast[key], kind)
    return cast


def _cast_column(column: pd.Series, kind: Any) -> pd.Series:
    if kind is Mark.HUGE:
        numbers = [cell if pd.isna(cell) else int(cell) for cell in column]
        return pd.Series(numbers, column.index, dtype=object)
    return column.str[1:].astype(str) if kind is Mark.RAW else column.astype(kind)


def _checked_path(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}.")
    if not path.name.endswith(PARQUET + CSV):
        raise ValueError(f"{path.name!r} must end in .csv, .csv.gz or .parquet.")
    return path
