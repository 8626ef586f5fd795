"""Frames of so many rows each, all with the same types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["Chunks", "all_categories", "are_categories"]


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
                yield self._cast(frame)

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

    def _cast(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Give columns their common types; text was read as text."""
        cast = frame.copy(deep=False)
        for key, kind in self.dtypes.items():
            if kind is not str and key in cast and cast[key].dtype != kind:
                cast[key] = self._cast_column(cast[key], kind)
        return cast

    def _cast_column(self, column: pd.Series, kind: Any) -> pd.Series:
        return column.astype(kind)


def are_categories(kinds: list[Any]) -> bool:
    """Whether all these types are categories."""
    return all(isinstance(kind, pd.CategoricalDtype) for kind in kinds)


def all_categories(kinds: list[Any], *, in_order: bool = False) -> pd.CategoricalDtype:
    """Categories of all these types, each once."""
    every = dict.fromkeys(value for kind in kinds for value in kind.categories)
    return pd.CategoricalDtype(sorted(every) if in_order else list(every), kinds[0].ordered)
