"""CSV files, read a chunk of rows at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dr_core._tables._chunks import Chunks
from dr_core._tables._csv_types import Mark, cast, common_type, kinds_of, told
from dr_core._tables._reading import FORMAT, check_header, csv_bytes, naming_file

__all__ = ["CsvChunks"]

REFUSED = {
    "chunksize": "say `rows` instead",
    "iterator": "leave it out: the chunks are iterated over anyway",
    "skipfooter": "pandas cannot tell the footer from the rows in chunks; remove it from the file",
}
"""Options of `pandas.read_csv` that cannot work in chunks, and what to do instead."""


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
        return [column.dtype] if column.name in self.converters else kinds_of(column)

    def _common(self, kinds: list[Any]) -> Any:
        return common_type(kinds)

    def _cast_column(self, column: pd.Series, kind: Any) -> pd.Series:
        return cast(column, kind)

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
            options["dtype"] = {**told(dtypes, self.converters), **options.get("dtype", {})}
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
