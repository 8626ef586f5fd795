"""Files larger than memory, read a chunk of rows at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dr_core._tables._chunks import Chunks
from dr_core._tables._csv_chunks import CsvChunks
from dr_core._tables._parquet_chunks import ParquetChunks
from dr_core._tables._reading import CSV, PARQUET
from dr_core._utils import check_whole

__all__ = ["iter_chunks"]

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


def _checked_path(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(f"there is no file {str(path)!r}.")
    if not path.name.endswith(PARQUET + CSV):
        raise ValueError(f"{path.name!r} must end in .csv, .csv.gz or .parquet.")
    return path
