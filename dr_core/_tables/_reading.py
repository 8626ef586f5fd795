"""Tables read from files, which may be broken, in another encoding, or malicious."""

from __future__ import annotations

import gzip
import io
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from dr_core._tables._formats import (
    FALLBACK_ENCODING,
    SAMPLE_BYTES,
    TextFormat,
    detect_format,
)
from dr_core._utils import find_repeated, get_max_unpacked, quote, truncate

__all__ = [
    "CSV_ENDINGS",
    "FORMAT_OPTIONS",
    "PARQUET_ENDINGS",
    "HashedFile",
    "check_ending",
    "check_header",
    "detect_file_format",
    "name_file_in_errors",
    "open_csv",
    "open_hashed_csv",
    "read_table",
]

PARQUET_ENDINGS, CSV_ENDINGS = (".parquet", ".pq"), (".csv", ".csv.gz", ".tsv", ".tsv.gz")

OTHER_ENDINGS = (".feather", ".xlsx")
"""Files that are read as a whole only."""

BYTES_PER_NUMBER = 8

MAX_REASON = 300

FORMAT_OPTIONS = {"sep", "delimiter", "quotechar", "quoting", "escapechar", "encoding", "comment"}
"""Options of `pandas.read_csv` with which the header is checked; with others, it is not."""


def read_table(path: Path) -> pd.DataFrame:
    r"""Read a CSV, Parquet, Feather or Excel file; errors name the file.

    Encoding, separator and decimal commas of CSV files are detected; a warning says what was
    found if it is not UTF-8 with commas.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.csv"
    ...     _ = path.write_text("sex,age\nM,30\n")
    ...     read_table(path)
      sex  age
    0   M   30
    """
    check_ending(path, OTHER_ENDINGS)
    with name_file_in_errors(path):
        if path.name.endswith(CSV_ENDINGS):
            return _read_csv(path)
        if path.name.endswith(".xlsx"):
            return _read_excel(path)
        return _read_feather(path) if path.name.endswith(".feather") else _read_parquet(path)


def check_ending(path: Path, others: tuple[str, ...] = ()) -> None:
    """Raise ValueError if the file is not CSV, Parquet or one of the others by its name."""
    if not path.name.endswith(PARQUET_ENDINGS + CSV_ENDINGS + others):
        known = ", ".join((".csv", ".csv.gz", ".tsv", *others))
        raise ValueError(f"{path.name!r} must end in {known} or .parquet.")


def detect_file_format(path: Path) -> TextFormat:
    """Detect how a CSV file is written; warn if it is not UTF-8 with commas."""
    with name_file_in_errors(path):
        with open_csv(path) as stream:
            found = detect_format(stream.read(SAMPLE_BYTES))
        if str(found):
            warnings.warn(f"{path.name!r} is read with {found}.", stacklevel=4)
        return found


@contextmanager
def name_file_in_errors(path: Path) -> Iterator[None]:
    """Turn each error raised inside into one that names the file."""
    try:
        yield
    except ImportError as error:
        is_excel = path.name.endswith(".xlsx")
        needed = "openpyxl" if is_excel else "pyarrow"
        kind = "Excel" if is_excel else "Parquet and Feather"
        raise ImportError(f"{kind} files need {needed}: run pip install {needed}") from error
    except UserWarning:
        raise
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name!r} is not UTF-8 text; save it as UTF-8.") from error
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        reason = truncate(reason, MAX_REASON)
        raise ValueError(f"{path.name!r} cannot be read: {reason}.") from error


def open_csv(path: Path) -> Any:
    """Open a CSV file; a compressed one raises ValueError once it unpacks to too many bytes."""
    return io.BufferedReader(_GzipStream(path)) if path.suffix == ".gz" else path.open("rb")


def open_hashed_csv(path: Path) -> Any:
    """Open a CSV file; its `raw` is a `HashedFile` if it is not compressed."""
    return open_csv(path) if path.suffix == ".gz" else io.BufferedReader(HashedFile(path))


def check_header(path: Path, options: Mapping[str, Any] | None = None) -> None:
    """Raise ValueError if the columns of a CSV file are not those that its header names.

    pandas renames columns of the same name, shifts all columns by one if rows are longer than the
    header, and fills up a last row that was cut off.
    """
    options = options or {}
    if not set(options) <= FORMAT_OPTIONS:
        return
    with open_csv(path) as stream:
        try:
            head = pd.read_csv(
                stream, header=None, nrows=2, dtype=str, keep_default_na=False, **options
            )
        except pd.errors.ParserError as error:
            if "Expected" not in str(error):
                raise
            raise ValueError("its rows have more cells than its header") from error
    _check_no_repeats(head.iloc[0])
    _check_last_row(path, head.shape[1], options)


def _check_last_row(path: Path, n_columns: int, options: Mapping[str, Any]) -> None:
    """Raise ValueError if a file ends in the middle of a row."""
    separator, quote_mark = options.get("sep", ","), options.get("quotechar", '"')
    encoding = options.get("encoding", "utf-8")
    is_simple = {*options} <= {"sep", "quotechar", "encoding"} and len(separator or "") == 1
    if path.suffix == ".gz" or not is_simple or encoding.lower().startswith(("utf-16", "utf-32")):
        return
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - SAMPLE_BYTES))
        row = stream.read().decode(encoding, errors="replace").rpartition("\n")[2]
    # Complete files end with a line break, or with a complete row. Text in quotes may have line
    # breaks, so that a last line with quotes may be the rest of a row.
    n_cells = row.count(separator) + 1
    if row.strip() and quote_mark not in row and n_cells < n_columns:
        raise ValueError(
            f"its last row has {n_cells} cells, but its header {n_columns}: the file was cut off. "
            "Write it again"
        )


def _read_csv(path: Path) -> pd.DataFrame:
    found = detect_file_format(path)
    try:
        return _read_text(path, found)
    except UnicodeDecodeError:
        if found.encoding != "utf-8":
            raise
        # The first other character comes after the sample.
        return _read_text(path, replace(found, encoding=FALLBACK_ENCODING))


def _read_text(path: Path, found: TextFormat) -> pd.DataFrame:
    check_header(path, found.options)
    with open_csv(path) as stream:
        # low_memory=True infers types from parts of a column, which may then have both 1 and "1".
        frame = pd.read_csv(
            stream,
            index_col=False,
            low_memory=False,
            dtype=dict.fromkeys(found.numbers, str),
            **found.options,
        )
    return found.convert(frame)


def _read_excel(path: Path) -> pd.DataFrame:
    sheets = pd.read_excel(path, sheet_name=None, engine="openpyxl")
    if len(sheets) > 1:
        warnings.warn(
            f"{path.name!r} has {len(sheets)} sheets; the first, {next(iter(sheets))!r}, is read.",
            stacklevel=4,
        )
    return next(iter(sheets.values()))


def _read_feather(path: Path) -> pd.DataFrame:
    from pyarrow.feather import read_table as read_feather

    table = read_feather(path)
    _check_no_repeats(table.column_names)
    return table.to_pandas()


def _read_parquet(path: Path) -> pd.DataFrame:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        meta = file.metadata
        in_file = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
        # A column with a single value takes few bytes in the file, but many in memory.
        in_memory = meta.num_rows * meta.num_columns * BYTES_PER_NUMBER
        _check_size(max(in_file, in_memory), path)
        _check_no_repeats(file.schema_arrow.names)
    return pd.read_parquet(path, engine="pyarrow")


class HashedFile(io.RawIOBase):
    """Content of a file, and the SHA-256 of what was read of it."""

    def __init__(self, path: Path) -> None:
        self._hash = sha256()
        self._file = path.open("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = int(self._file.readinto(buffer) or 0)
        self._hash.update(memoryview(buffer)[:count])
        return count

    def close(self) -> None:
        self._file.close()
        super().close()

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes read so far."""
        return self._hash.hexdigest()


class _GzipStream(io.RawIOBase):
    """Content of a gzip file; reading too many bytes raises ValueError."""

    def __init__(self, path: Path) -> None:
        self._path, self._count = path, 0
        self._file = gzip.open(path)  # noqa: SIM115, until this stream is closed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._count += count
        _check_size(self._count, self._path)
        return int(count)

    def close(self) -> None:
        self._file.close()
        super().close()


def _check_size(unpacked: int, path: Path) -> None:
    limit = get_max_unpacked(path)
    if unpacked > limit:
        raise ValueError(
            f"it unpacks to more than {limit:,} bytes, too many for a file of its size"
        )


def _check_no_repeats(names: Iterable[str]) -> None:
    repeated = find_repeated(names)
    if repeated:
        raise ValueError(f"it has columns of the same name, {quote(repeated)}; rename them")
