"""Tables out of files, which may be broken, in another encoding, or made to do harm."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from dr_core._utils import listed, most_unpacked, shortened

__all__ = ["CSV", "PARQUET", "check_header", "csv_bytes", "naming_file", "read_table"]

PARQUET, CSV = (".parquet", ".pq"), (".csv", ".csv.gz")

BYTES_OF_A_NUMBER = 8

LONGEST_REASON = 300

FORMAT = {"sep", "delimiter", "quotechar", "quoting", "escapechar", "encoding", "comment"}
"""Options of `pandas.read_csv` that a header is read with; with others, it is as the user says."""


def read_table(path: Path) -> pd.DataFrame:
    r"""Read a CSV or Parquet file; whatever goes wrong in it, say which file it was.

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
    if not path.name.endswith(PARQUET + CSV):
        raise ValueError(f"{path.name!r} must end in .csv, .csv.gz or .parquet.")
    with naming_file(path):
        return _read_csv(path) if path.name.endswith(CSV) else _read_parquet(path)


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong while a file is read into an error that names it."""
    try:
        yield
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install pyarrow") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name!r} is not UTF-8 text; save it as UTF-8.") from error
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        reason = shortened(reason, LONGEST_REASON)
        raise ValueError(f"{path.name!r} cannot be read: {reason}.") from error


def csv_bytes(path: Path) -> Any:
    """Open a CSV file; a compressed one is refused as soon as it unpacks to too much."""
    return io.BufferedReader(_Unpacked(path)) if path.suffix == ".gz" else path.open("rb")


def check_header(path: Path, options: Mapping[str, Any] | None = None) -> None:
    """Refuse a CSV file whose columns are not those that its header names.

    pandas would rename columns of the same name, and shift all columns by one where the rows are
    longer than the header.
    """
    options = options or {}
    if not set(options) <= FORMAT:
        return
    with csv_bytes(path) as stream:
        try:
            head = pd.read_csv(
                stream, header=None, nrows=2, dtype=str, keep_default_na=False, **options
            )
        except pd.errors.ParserError as error:
            if "Expected" not in str(error):
                raise
            raise ValueError("its rows have more cells than its header") from error
    _refuse_repeated(head.iloc[0])


def _read_csv(path: Path) -> pd.DataFrame:
    check_header(path)
    with csv_bytes(path) as stream:
        # Types are told from whole columns: from parts, 1 and "1" could stand in one column.
        return pd.read_csv(stream, index_col=False, low_memory=False)


def _read_parquet(path: Path) -> pd.DataFrame:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        held = file.metadata
        stored = sum(held.row_group(i).total_byte_size for i in range(held.num_row_groups))
        # A column of one value takes no room in the file, and all of it in memory.
        table = held.num_rows * held.num_columns * BYTES_OF_A_NUMBER
        _refuse_bomb(max(stored, table), path)
        _refuse_repeated(file.schema_arrow.names)
    return pd.read_parquet(path, engine="pyarrow")


class _Unpacked(io.RawIOBase):
    """Content of a gzip file, refused as soon as it is too much."""

    def __init__(self, path: Path) -> None:
        self._path, self._count = path, 0
        self._file = gzip.open(path)  # noqa: SIM115, until this stream is closed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._file.readinto(buffer)
        self._count += count
        _refuse_bomb(self._count, self._path)
        return int(count)

    def close(self) -> None:
        self._file.close()
        super().close()


def _refuse_bomb(unpacked: int, path: Path) -> None:
    most = most_unpacked(path)
    if unpacked > most:
        raise ValueError(
            f"it unpacks to more than {most:,} bytes, far more than any data of its size does"
        )


def _refuse_repeated(names: Iterable[str]) -> None:
    every = list(names)
    twice = sorted({name for name in every if every.count(name) > 1})
    if twice:
        raise ValueError(f"it has columns of the same name, {listed(twice)}; rename them")
