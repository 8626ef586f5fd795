"""Index levels that follow the sensitive attribute of the same name.

Frames of `aif360.sklearn` have protected attributes in their index, where its estimators read
them, and often also in columns. Both must change together: if "Male" of the column `sex` becomes
"Female", its 1 in the index level `sex` becomes 0. The values that belong together are learned
from the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dr_core._tables import Level, Partitions, Table, Together, encode_known
from dr_core._utils import Array, quote

if TYPE_CHECKING:
    from dr_core.perturbation._attributes import Attribute

__all__ = ["add_level", "check_level", "find_level_keys"]


def find_level_keys(data: Table | Partitions, privileged: Mapping[Any, Any]) -> list[Together]:
    """Return the keys that `add_level` reads, so that they can be read in one pass."""
    columns = {name: getattr(value, "columns", (name,)) for name, value in privileged.items()}
    keys = set(data.keys())
    return [
        Together((*columns[name], Level(name)))
        for name in privileged
        if name in data.levels and keys.issuperset(columns[name])
    ]


def add_level(data: Table | Partitions, attribute: Attribute) -> Attribute:
    """Learn the values of the index level that has the name of an attribute.

    Raise ValueError if rows with one value of the attribute have several values in the index.

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core import learn_attributes
    >>> X = pd.DataFrame({"sex": ["m", "f"]}, index=pd.Index([1, 0], name="sex"))
    >>> [attribute] = learn_attributes(X, {"sex": "m"})
    >>> attribute.values, attribute.level
    (('f', 'm'), (0, 1))
    """
    name = attribute.name
    if not _is_beside_level(data, attribute):
        return attribute
    key = Together((*_get_columns(attribute), Level(name)))
    found: dict[Any, list[Any]] = {}
    for *cells, level in data.distinct(key):
        value = _read_value(attribute, cells)
        if value is not None:
            found.setdefault(value, []).append(level)
    _check_one_level(name, found)
    is_same = all(value == level for value, [level] in found.items())
    unknown = [] if is_same else [value for value in attribute.values if value not in found]
    if unknown:
        raise ValueError(
            f"no row of X has the value {quote(unknown)} of {name!r}, so that its value in the "
            f"index level {name!r} is not known. Give both the same values, or leave it out."
        )
    return replace(attribute, level=tuple(found.get(v, [v])[0] for v in attribute.values))


def check_level(table: Table, attribute: Attribute, codes: Array) -> None:
    """Raise ValueError if the index level of a table does not agree with the attribute's codes."""
    name, level = attribute.name, attribute.level
    if level is None and not _is_beside_level(table, attribute):
        return
    if level is None or name not in table.levels:
        has, had = ("an", "none") if level is None else ("no", "one")
        raise ValueError(
            f"X has {has} index level {name!r}, but had {had} when the attributes were learned. "
            "Learn them from rows with the same index levels."
        )
    # Codes 0, 1, -1 of values whose levels are ("f", "m") must have f, m and anything. Levels that
    # were not known contradict nothing.
    distinct = list(dict.fromkeys(level))
    expected = np.array([*map(distinct.index, level), -1])[codes]
    found = encode_known(table.factorize(Level(name)), distinct)
    wrong = (codes >= 0) & (found >= 0) & (found != expected)
    if wrong.any():
        raise ValueError(
            f"the index level {name!r} does not agree with the column of the same name in "
            f"{wrong.sum()} of {len(codes)} rows."
        )


def _is_beside_level(data: Table | Partitions, attribute: Attribute) -> bool:
    """Return whether an index level has the name of an attribute that is in columns."""
    in_columns = attribute.columns is not None or attribute.name in data.keys()  # noqa: SIM118
    return in_columns and attribute.name in data.levels


def _get_columns(attribute: Attribute) -> tuple[Any, ...]:
    return (attribute.name,) if attribute.columns is None else attribute.columns


def _read_value(attribute: Attribute, cells: list[Any]) -> Any:
    """Return the value of a row; None if it is missing or, for one-hot columns, not one value."""
    if attribute.columns is None or None in cells:
        return None if None in cells else cells[0]
    # Values are the columns, then the dropped one: cells 0, 0 of two columns are that one.
    place = cells.index(1) if 1 in cells else len(cells)
    return attribute.values[place] if place < len(attribute.values) else None


def _check_one_level(name: Any, found: Mapping[Any, list[Any]]) -> None:
    for value, levels in found.items():
        if len(levels) > 1 or levels[0] is None:
            raise ValueError(
                f"rows with {value!r} in the column {name!r} have {quote(levels)} in the index "
                f"level {name!r}; each value of the column must have one value in the index. "
                "Make the index from the column, or rename the level if it is something else."
            )
