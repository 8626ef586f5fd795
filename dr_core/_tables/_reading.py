"""Tables read from files, which may be broken, in another encoding, or malicious."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from dr_core._utils import find_repeated, get_max_unpacked, quote, truncate

__all__ = [
    "CSV_ENDINGS",
    "FORMAT_OPTIONS",
    "PARQUET_ENDINGS",
    "check_ending",
    "check_header",
    "name_file_in_errors",
    "open_csv",
    "read_table",
]

PARQUET_ENDINGS, CSV_ENDINGS = (".parquet", ".pq"), (".csv", ".csv.gz")

BYTES_PER_NUMBER = 8

MAX_REASON = 300

FORMAT_OPTIONS = {"sep", "delimiter", "quotechar", "quoting", "escapechar", "encoding", "comment"}
"""Options of `pandas.read_csv` with which the header is checked; with others, it is not."""


def read_table(path: Path) -> pd.DataFrame:
    r"""Read a CSV or Parquet file; errors name the file.

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
    check_ending(path)
    with name_file_in_errors(path):
        return _read_csv(path) if path.name.endswith(CSV_ENDINGS) else _read_parquet(path)


def check_ending(path: Path) -> None:
    """Raise ValueError if the file is neither CSV nor Parquet by its name."""
    if not path.name.endswith(PARQUET_ENDINGS + CSV_ENDINGS):
        raise ValueError(f"{path.name!r} must end in .csv, .csv.gz or .parquet.")


@contextmanager
def name_file_in_errors(path: Path) -> Iterator[None]:
    """Turn each error raised inside into one that names the file."""
    try:
        yield
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name!r} is not UTF-8 text; save it as UTF-8.") from error
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        reason = truncate(reason, MAX_REASON)
        raise ValueError(f"{path.name!r} cannot be read: {reason}.") from error


def open_csv(path: Path) -> Any:
    """Open a CSV file; a compressed one raises ValueError once it unpacks to too many bytes."""
    return io.BufferedReader(_GzipStream(path)) if path.suffix == ".gz" else path.open("rb")


def check_header(path: Path, options: Mapping[str, Any] | None = None) -> None:
    """Raise ValueError if the columns of a CSV file are not those that its header names.

    pandas renames columns of the same name, and shifts all columns by one if rows are longer than
    the header.
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


def _read_csv(path: Path) -> pd.DataFrame:
    check_header(path)
    with open_csv(path) as stream:
        # low_memory=True infers types from parts of a column, which may then have both 1 and "1".
        return pd.read_csv(stream, index_col=False, low_memory=False)


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
