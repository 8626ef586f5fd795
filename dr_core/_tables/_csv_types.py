"""Types of CSV columns that are read in chunks: those that pandas gives to whole files.

A chunk by itself may be read otherwise: its numbers may be whole where others are not, or its
cells all missing. Each chunk tells *kinds*, types and marks, and these together make the type.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum, auto
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from dr_core._tables._chunks import all_categories, are_categories

__all__ = ["Mark", "cast", "common_type", "kinds_of", "told"]

MOST_INT, MOST_UINT = np.iinfo("int64").max, np.iinfo("uint64").max


class Mark(Enum):
    """What the cells of a column tell about its type, beside the types of its chunks."""

    MISSING = auto()
    NEGATIVE = auto()
    HUGE = auto()
    """Whole numbers beyond 64 bits, which newer pandas keeps as those of Python."""
    RAW = auto()
    """Text of all cells, even of missing ones: whole numbers that no type has all of."""


def kinds_of(column: pd.Series) -> list[Any]:
    """Return what the column of a chunk tells about the type of the whole one."""
    if column.dtype == np.float64 and column.isna().all():
        return [Mark.MISSING]
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return _kinds_of_numbers(column)
    if column.dtype == object:
        return _kinds_of_objects(column)
    is_text = isinstance(column.dtype, pd.StringDtype)
    return _kinds_of_text(column) if is_text else [column.dtype]


def common_type(kinds: list[Any]) -> Any:
    """Return the type of a column whose chunks tell this, each thing once, in order."""
    dtypes = [kind for kind in kinds if not isinstance(kind, Mark)]
    if kinds == dtypes[:1]:
        return kinds[0]
    if dtypes and are_categories(dtypes):
        return all_categories(dtypes, in_order=True)
    letters = {"str" if dtype is str else dtype.kind for dtype in dtypes}
    if letters <= set("iuf"):
        return _common_number(kinds, dtypes)
    if Mark.HUGE not in kinds and letters <= set("bO"):
        return np.dtype(object)
    is_date = letters == {"M"} and all(isinstance(dtype, np.dtype) for dtype in dtypes)
    return np.result_type(*dtypes) if is_date else str


def told(dtypes: Mapping[Any, Any], converted: Collection[Any]) -> dict[Any, Any]:
    """Types that the reader is told: cast afterwards, a number could be rounded otherwise."""
    told = {key: str if kind is Mark.HUGE else kind for key, kind in dtypes.items()}
    return {
        key: kind
        for key, kind in told.items()
        if key not in converted and (kind is str or getattr(kind, "kind", "") in tuple("iuf"))
    }


def cast(column: pd.Series, kind: Any) -> pd.Series:
    """Give a column the common type of its chunks."""
    if kind is Mark.HUGE:
        numbers = [cell if pd.isna(cell) else int(cell) for cell in column]
        return pd.Series(numbers, column.index, dtype=object)
    return column.str[1:].astype(str) if kind is Mark.RAW else column.astype(kind)


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
