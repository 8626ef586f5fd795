"""0/1 columns that encode one attribute together, of which only one is given as sensitive.

Perturbing `white` alone, beside `black` and `hispan`, makes rows of no race or of two. Columns
that encode one attribute are never 1 in the same row. Rare columns can be so by chance, therefore
columns count as exclusive only where independent columns would have been 1 together: the
probability of no such row, under independence, is at most `MAX_CHANCE`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

from dr_core._tables import Partitions, Table
from dr_core._utils import Array, quote

if TYPE_CHECKING:
    from dr_core.perturbation._attributes import Attribute, SensitiveAttributes

__all__ = ["find_dummies", "warn_of_dummies"]

MAX_CHANCE = 0.001
"""Largest probability that independent columns of one table are taken for exclusive."""

MAX_DUMMY_ROWS = 2_000
"""Rows, evenly spaced, that exclusive columns are looked for in; then all rows are checked."""

MAX_WEAK_STEPS = 20
"""Columns that are added to a group while it does not become more certain."""

MAX_SEARCHED = 1000
"""Sets of columns that are tried to complete the encoding of another attribute."""

HEAD_ROWS = 50
"""Rows that tell most numeric columns from 0/1 columns."""


def warn_of_dummies(
    data: Table | Partitions, attributes: SensitiveAttributes, zero_one: Sequence[Attribute]
) -> list[Any]:
    """Warn if a sensitive 0/1 column, one of `zero_one`, excludes other 0/1 columns.

    Return the columns that are named. Of rows in several frames or partitions, the first with
    rows is looked at.
    """
    table = data if isinstance(data, Table) else data.sample
    known = {c for a in attributes for c in a.columns or ()} | set(attributes.couplings.names)
    keys = [key for key in data.keys() if key not in known]  # noqa: SIM118
    by_name = {attribute.name: attribute for attribute in zero_one}
    found = find_dummies(table, keys, list(by_name))
    for name, group in found.items():
        warnings.warn(_describe(table, by_name[name], group), stacklevel=4)
    return [key for group in found.values() for key in group]


def find_dummies(table: Table, keys: Sequence[Any], names: Sequence[Any]) -> dict[Any, list[Any]]:
    """Return the 0/1 columns that encode one attribute, by the first of `names` among them.

    Parameters
    ----------
    table : Table
    keys : columns to look at, among them `names`
    names : 0/1 columns that are sensitive

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core._tables import as_table
    >>> race = pd.Series(["black", "hispanic", "white"] * 20)
    >>> table = as_table(pd.get_dummies(race).assign(age=range(60)))
    >>> find_dummies(table, table.keys(), ["white"])
    {'white': ['black', 'hispanic', 'white']}
    """
    ones = _read_ones(table, keys, -(-table.n_rows // MAX_DUMMY_ROWS))
    found: dict[Any, list[Any]] = {}
    for name in names if len(ones) > 1 else ():
        is_found = any(name in group for group in found.values())
        group = [] if is_found else find_exclusive(ones, name)
        if len(group) > 1 and _count_ones(table, group).max() == 1:
            found[name] = group
    return found


def find_exclusive(ones: dict[Any, Array], name: Any) -> list[Any]:
    """Return the columns that are never 1 together, among them `name`, in the order of X.

    Parameters
    ----------
    ones : mapping
        For each 0/1 column, in which rows it is 1.
    name : name of one of them

    Examples
    --------
    >>> row = np.arange(60)
    >>> find_exclusive({"a": row % 3 == 0, "b": row % 3 == 1, "c": row % 3 == 2}, "b")
    ['a', 'b', 'c']
    """
    while name in ones:
        group = _grow(ones, name)
        others = {key: rows for key, rows in ones.items() if key != name}
        # `wife` excludes a sensitive `male`, but with `husband`, `own_child` and so on it encodes
        # another attribute. Such columns have a 1 in every row without the sensitive one.
        strays = {key for key in group if key != name and _is_complete(others, key)}
        if not strays:
            return [key for key in ones if key in group]
        ones = {key: rows for key, rows in ones.items() if key not in strays}
    return []


# The chance of a group is the product of the chances of its steps. Of six values of equal
# frequency, two in 200 rows exclude each other by chance now and then; all six never do. There are
# fewer than k ** s groups of s steps among k columns, so a group of s steps counts if its chance
# is at most (MAX_CHANCE / k) ** s.
def _grow(ones: dict[Any, Array], name: Any) -> set[Any]:
    """Return `name` and the columns that exclude it and each other, the most certain group."""
    keys, matrix = list(ones), np.stack(list(ones.values())).astype(np.float32)
    counts, n_rows = matrix.sum(axis=1), matrix.shape[1]
    group, union, score = [name], matrix[keys.index(name)], 0.0
    size, best = 1, 0.0
    while len(group) - size < MAX_WEAK_STEPS:
        chance = _log_chance_of_none(counts, union.sum(), n_rows)
        chance[matrix @ union > 0] = 0.0
        step = int(chance.argmin())
        if chance[step] >= 0:
            break
        group.append(keys[step])
        union = union + matrix[step]
        score += chance[step] - np.log(MAX_CHANCE / len(keys))
        size, best = (len(group), score) if score < best else (size, best)
    return set(group[:size])


def _is_complete(ones: dict[Any, Array], name: Any) -> bool:
    """Return whether a column and others that exclude each other have a 1 in every row.

    Depth-first: the first row without a 1 must get it from one of the columns that are 1 there.
    """
    matrix, unions = np.stack(list(ones.values())), [ones[name]]
    for _ in range(MAX_SEARCHED):
        if not unions or unions[-1].all():
            return bool(unions)
        union = unions.pop()
        fitting = matrix[matrix[:, union.argmin()]]
        unions += [union | rows for rows in fitting if not (rows & union).any()]
    return False


# 3 and 4 of 10 rows do not meet with probability C(7, 4) / C(10, 4) = 35 / 210.
def _log_chance_of_none(a: Array, b: float, n: int) -> Array:
    """Return the log of the probability that a and b of n rows, drawn at random, do not meet."""
    apart = np.maximum(n - a - b, 0)
    chance = gammaln(n - a + 1) + gammaln(n - b + 1) - gammaln(apart + 1) - gammaln(n + 1)
    return np.where(a + b > n, -np.inf, chance)


def _read_ones(table: Table, keys: Sequence[Any], step: int) -> dict[Any, Array]:
    """Return in which of every `step` rows each 0/1 column is 1; without constant columns."""
    columns = {key: _read_zero_one(table.column(key), step) for key in keys}
    return {
        key: rows
        for key, rows in columns.items()
        if rows is not None and rows.any() and not rows.all()
    }


def _read_zero_one(column: Any, step: int = 1) -> Array | None:
    """Return where a 0/1 column is 1; None for any other column."""
    if column.dtype.kind not in "biuf":
        return None
    numbers = np.asarray(column)
    if numbers.dtype == object:  # a nullable type of pandas
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
    is_other = not _are_zero_one(numbers[:HEAD_ROWS])
    return None if is_other or not _are_zero_one(numbers[::step]) else numbers[::step] == 1


def _are_zero_one(numbers: Array) -> bool:
    return bool(((numbers == 0) | (numbers == 1) | (numbers != numbers)).all())


def _count_ones(table: Table, keys: Sequence[Any]) -> Array:
    """Return the number of ones of each row in 0/1 columns; 2 if one has other values."""
    columns = [_read_zero_one(table.column(key)) for key in keys]
    others = np.full(table.n_rows, 2)
    return np.sum([others if rows is None else rows for rows in columns], axis=0)


def _describe(table: Table, attribute: Attribute, group: list[Any]) -> str:
    privileged = repr(attribute.name) if 1 in attribute.privileged else "..."
    dropped = "" if _count_ones(table, group).min() else ", dropped=..."
    return (
        f"the sensitive column {attribute.name!r} is one of the 0/1 columns {quote(group)}, of "
        f"which no two are 1 in the same row. If they encode one attribute, perturbing "
        f"{attribute.name!r} alone makes rows with none or two of its values; pass {{name: "
        f"OneHot(columns=[{quote(group)}], privileged={privileged}{dropped})}} instead."
    )
