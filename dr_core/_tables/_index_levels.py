"""Levels of a pandas index, which models of some libraries read: `aif360.sklearn` does."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dr_core._utils import quote

__all__ = ["Level", "find_level", "get_level", "replace_level"]


@dataclass(frozen=True)
class Level:
    """Key of an index level, where a column may have the same name."""

    name: Hashable


def find_level(index: pd.Index, key: Any) -> int:
    """Return the position of a level, given its name or a `Level`.

    >>> find_level(pd.MultiIndex.from_arrays([[1], [2]], names=["a", "b"]), Level("b"))
    1
    """
    name = key.name if isinstance(key, Level) else key
    positions = [i for i, other in enumerate(index.names) if other == name]
    if len(positions) != 1:
        raise ValueError(
            f"X has no column {name!r}, and no single index level of this name; its index levels "
            f"are {quote(index.names)}."
        )
    return positions[0]


def get_level(index: pd.Index, position: int) -> pd.Series:
    """Return the values of a level as a column.

    >>> get_level(pd.Index(["f", "m"], name="sex"), 0).tolist()
    ['f', 'm']
    """
    values = index.get_level_values(position)
    return pd.Series(values.array, dtype=values.dtype, name=values.name)


def replace_level(index: pd.Index, position: int, values: pd.Series) -> pd.Index:
    """Return an index with other values in one level.

    >>> index = pd.MultiIndex.from_arrays([["f", "m"], [1, 2]], names=["sex", "id"])
    >>> replace_level(index, 0, pd.Series(["m", "f"])).tolist()
    [('m', 1), ('f', 2)]
    """
    new = pd.Index(values.array, dtype=values.dtype, name=index.names[position])
    if index.nlevels == 1:
        return new
    # Not from_arrays, which converts objects that are all text to `str` in pandas 3.
    codes, distinct = new.factorize()
    levels, every = list(index.levels), list(index.codes)
    levels[position], every[position] = distinct, codes
    return pd.MultiIndex(levels, every, names=index.names, verify_integrity=False)
