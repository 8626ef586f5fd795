"""Tables, printed and written."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks.speed.measure import print_table
from dr_core._utils import write_atomically


def show(title: str, table: pd.DataFrame) -> None:
    """Print a table, its index left out: reset it to see it."""
    print_table(title, [str(column) for column in table.columns], table.values.tolist())


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table without its index, numbers to six significant digits."""
    write_atomically(path, table.to_csv(index=False, float_format="%.6g"))


def mean_and_std(values: pd.Series, digits: int = 4) -> str:
    """Mean ± standard deviation over folds, as the paper prints them (divided by n)."""
    return f"{values.mean():.{digits}f} ± {values.std(ddof=0):.{digits}f}"
