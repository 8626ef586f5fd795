"""Files that the command reads: any table by its ending, and standard input."""

from __future__ import annotations

import atexit
import io
import sys
from functools import cache
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_integer_dtype

__all__ = ["STANDARD", "save_standard_input", "simplify_types"]

STANDARD = Path("-")
"""Name of standard input and standard output."""

PARQUET_MAGIC = b"PAR1"

NA_CANDIDATES = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
"""Texts that some version of pandas reads as missing values from a CSV file."""


def save_standard_input() -> Path:
    """Write standard input to a temporary file, which is removed at exit, and return its path."""
    if sys.stdin is None:  # closed before Python started
        raise ValueError("standard input is closed; pass a file, or write rows to it.")
    folder = TemporaryDirectory(prefix="dr-audit-")
    atexit.register(folder.cleanup)
    path = Path(folder.name) / "standard-input.csv"
    with path.open("wb") as file:
        copyfileobj(sys.stdin.buffer, file)
    with path.open("rb") as file:
        is_parquet = file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
    return path.rename(path.with_suffix(".parquet")) if is_parquet else path


def simplify_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the types that it would have if it were read from a CSV file.

    Formats with types keep categories, dates and integers with missing values apart from texts
    and floats. A model that is trained on them would be another one.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1, 2]})
    >>> simplify_types(frame).dtypes.astype(str).tolist()[0]
    'float64'
    """
    return frame.assign(**{key: _simplify(frame[key]) for key in frame})


def _simplify(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _simplify(column.astype(column.cat.categories.dtype))
    if is_datetime64_any_dtype(column):
        has_times = (column.dropna() != column.dropna().dt.normalize()).any()
        return column.dt.strftime("%Y-%m-%d %H:%M:%S" if has_times else "%Y-%m-%d")
    has_gaps = column.isna().any()
    if is_bool_dtype(column):
        return (
            column.astype(object).where(column.notna(), None) if has_gaps else column.astype(bool)
        )
    if is_integer_dtype(column):
        return column.astype("float64" if has_gaps else "int64")
    if pd.api.types.is_float_dtype(column):
        return column.astype("float64")
    return column.where(~column.isin(find_missing_texts()), None)


@cache
def find_missing_texts() -> list[str]:
    """Return the texts that this version of pandas reads as missing values.

    >>> {"", "NA", "NaN"} <= set(find_missing_texts())
    True
    """
    file = io.StringIO("\n".join(["text", *NA_CANDIDATES, ""]))
    read = pd.read_csv(file, dtype=str, skip_blank_lines=False)["text"]
    return [
        text for text, is_missing in zip(NA_CANDIDATES, read.isna(), strict=True) if is_missing
    ]
