"""One sensitive attribute: its values, which of them are privileged, what each may become."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dr_core._tables import Factorized, Level, Partitions, Recoded, Table, encode, encode_known
from dr_core._utils import Array, is_number, quote
from dr_core.perturbation._couplings import read_one_hot
from dr_core.perturbation._ranges import Condition, find_inside, pick_quantiles

__all__ = [
    "MARGINALISED",
    "NEITHER",
    "PRIVILEGED",
    "Attribute",
    "OneHot",
    "Targets",
    "check_sensitive_columns",
]

MARGINALISED, PRIVILEGED, NEITHER = 0, 1, 2
"""Groups of rows; a row with a missing sensitive value is in NEITHER."""


@dataclass(frozen=True)
class OneHot:
    """A sensitive attribute that is one-hot encoded in X.

    Parameters
    ----------
    columns : sequence of column names (or positions)
        The 0/1 columns of the attribute, one for each value.
    privileged : column name, or a collection of them
        The columns of the privileged values.
    dropped : hashable, optional
        Name of the value without a column, if the encoding dropped one. Rows with 0 in all columns
        have this value. It may be privileged.

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core import perturb
    >>> X = pd.DataFrame({"age": [30, 40], "sex_Female": [0, 1], "sex_Male": [1, 0]})
    >>> perturb(X, {"sex": OneHot(["sex_Female", "sex_Male"], privileged="sex_Male")})
       age  sex_Female  sex_Male
    0   30           1         0
    1   40           0         1
    """

    columns: Sequence[Hashable]
    privileged: Any
    dropped: Hashable | None = None


class Targets(NamedTuple):
    """What the values of one group may become.

    Attributes
    ----------
    codes : (T,) codes of the values
    weights : (T,) integers; each value is drawn with a probability proportional to its weight
    """

    codes: Array
    weights: Array


@dataclass(frozen=True, eq=False)
class Attribute:
    """One sensitive attribute: its values, and which of them are privileged.

    Attributes
    ----------
    name : hashable
    values : tuple
        The domain, in a fixed order. Codes are positions in it; -1 is a missing value.
    is_privileged : boolean array of shape (len(values),)
    columns : tuple or None
        The one-hot columns, in the order of `values`; None for a plain column.
    condition : Condition or None
        Tells the privileged values of a range; None for an attribute given by its values.
    weights : integer array of shape (len(values),) or None
        How often a value of a range is drawn, relative to the others of its group; by default
        equally often.
    level : tuple or None
        For each value, that of the index level of the same name; None if X has no such level, or
        if the attribute is read from it.
    """

    name: Any
    values: tuple[Any, ...]
    is_privileged: Array
    columns: tuple[Hashable, ...] | None = None
    condition: Condition | None = None
    weights: Array | None = None
    level: tuple[Any, ...] | None = None

    @property
    def privileged(self) -> list[Any]:
        """The privileged values."""
        pairs = zip(self.values, self.is_privileged, strict=True)
        return [value for value, is_privileged in pairs if is_privileged]

    @property
    def description(self) -> str:
        """What is privileged, such as "race = White, Asian" or "age >= 25"."""
        if self.condition is not None:
            return self.condition.describe(self.name)[1]
        return f"{self.name} = {', '.join(map(str, self.privileged))}"

    @cached_property
    def targets(self) -> tuple[Targets, Targets, Targets]:
        """What the values of each group may become, by group; a missing value stays missing."""
        weights = (
            np.ones(len(self.values), dtype=np.int64) if self.weights is None else self.weights
        )
        others = (self.is_privileged, ~self.is_privileged)  # of MARGINALISED, of PRIVILEGED
        codes = [np.flatnonzero(group & (weights > 0)) for group in others]
        to_privileged, to_marginalised = (Targets(some, weights[some]) for some in codes)
        return to_privileged, to_marginalised, Targets(np.array([-1]), np.array([1]))

    @property
    def n_targets(self) -> int:
        """Largest number of values that one value may become."""
        return max(len(targets.codes) for targets in self.targets)

    @property
    def n_drawn(self) -> int:
        """Number of values that a value of the other group may become."""
        return sum(len(codes) for codes, _ in self.targets[:NEITHER])

    def thin(self, max_values: int) -> Attribute:
        """Return a range that becomes at most so many values, quantiles, on either side."""
        if self.condition is None:
            return self
        weights = np.zeros(len(self.values), dtype=np.int64)
        for codes, counts in self.targets[:NEITHER]:
            weights[codes] = pick_quantiles(counts, max_values)
        return replace(self, weights=weights)

    @cached_property
    def grouped(self) -> Attribute:
        """The attribute with one value for each group that tables show.

        These are its values; of a range, the values outside and those inside.
        """
        if self.condition is None:
            return self
        return Attribute(self.name, self.condition.describe(self.name), np.array([False, True]))

    def group_codes(self, codes: Array) -> Array:
        """Return the codes of `grouped` for the codes of this attribute."""
        if self.condition is None:
            return codes
        # Ages 20 30 40, privileged from 30 on, are the groups 0 1 1; index -1 finds the last -1.
        return np.append(self.is_privileged, np.int8(-1)).astype(np.int8)[codes]

    def encode(self, table: Table) -> Array:
        """Return the codes of this attribute in a table, shape (n,)."""
        if self.columns is not None:
            check_sensitive_columns(table, self.columns)
            has_dropped = len(self.values) > len(self.columns)
            return encode_one_hot(table, self.name, self.columns, has_dropped)
        check_sensitive_columns(table, (self.name,))
        column = table.factorize(self.name)
        if self.condition is not None:
            return encode_range(column, self.name, self.values, self.is_privileged, self.condition)
        return encode(column, self.values, f"sensitive attribute {self.name!r}")

    def decode(self, codes: Array, before: Array) -> dict[Any, Recoded]:
        """Return the content of the attribute's columns and level, given the codes before."""
        values, level = self.values, self.level
        if self.condition is not None:
            # A code may stand for a value that was not known, so values that stay are not written.
            drawn, place = self._drawn
            codes = np.where(codes == before, -1, place[codes])
            values, level = _pick(values, drawn), level and _pick(level, drawn)
        of_level = {} if level is None else {Level(self.name): Recoded(level, codes)}
        if self.columns is None:
            return {self.name: Recoded(values, codes)} | of_level
        # Codes (0, 2, -1) are (1, 0, -1) in the first one-hot column; -1 keeps the old content.
        return of_level | {
            column: Recoded((0, 1), np.where(codes < 0, -1, codes == i))
            for i, column in enumerate(self.columns)
        }

    def groups(self, codes: Array) -> Array:
        """Return the group of each code: PRIVILEGED, MARGINALISED or NEITHER."""
        # NEITHER is appended as the last group, so that index -1 finds it: for (Female, Male) with
        # Male privileged, codes (1, 0, -1) in [0, 1, 2] are the groups (1, 0, 2).
        of_value = np.where(self.is_privileged, PRIVILEGED, MARGINALISED)
        return np.append(of_value, NEITHER).astype(np.int8).take(codes, mode="wrap")

    @cached_property
    def _drawn(self) -> tuple[Array, Array]:
        """The codes that others may become, and the position of each code among them."""
        codes = np.concatenate([codes for codes, _ in self.targets[:NEITHER]])
        place = np.full(len(self.values) + 1, -1)
        place[codes] = np.arange(len(codes))
        return codes, place


def encode_one_hot(table: Table, name: Any, columns: Sequence[Any], has_dropped: bool) -> Array:
    """Return the codes of a one-hot attribute; rows without a 1 have the dropped value."""
    codes, n_ones, is_missing = read_one_hot(table, columns)
    is_dropped = (n_ones == 0) & ~is_missing & has_dropped
    wrong = (codes < 0) & ~is_missing & ~is_dropped
    if wrong.any():
        raise ValueError(
            f"one-hot attribute {name!r}: {wrong.sum()} rows do not have exactly one 1 "
            f"among {quote(columns)}. If the encoding dropped a value, name it: "
            "OneHot(..., dropped=...)."
        )
    # The code of the dropped value follows those of the columns.
    return np.where(is_dropped, len(columns), codes)


def encode_range(
    column: Factorized,
    name: Any,
    known: Sequence[Any],
    is_privileged: Array,
    condition: Condition,
) -> Array:
    """Return the codes of a range; values that are not known get those of similar ones."""
    old = set(known)
    new = [value for value in column.values if value not in old]
    is_inside = find_inside(name, new, condition)
    similar: dict[Any, Any] = {}
    for side in (False, True):
        some = [value for value, inside in zip(new, is_inside, strict=True) if inside == side]
        of_side = [known[code] for code in np.flatnonzero(is_privileged == side)]
        similar |= zip(some, _find_similar(some, of_side), strict=True)
    values = [similar.get(value, value) for value in column.values]
    return encode_known(Factorized(column.codes, values), known)


def _pick(values: tuple[Any, ...], codes: Array) -> tuple[Any, ...]:
    return tuple(values[code] for code in codes)


def _find_similar(values: Sequence[Any], known: Sequence[Any]) -> list[Any]:
    """Return the next known number after each value, or the last; if they are texts, the first.

    >>> _find_similar([3, 25, 97], [20, 30, 40])
    [20, 30, 40]
    """
    if not all(map(is_number, [*values, *known])):
        return [known[0]] * len(values)
    places = np.searchsorted(np.asarray(known), np.asarray(values, dtype=float))
    return [known[place] for place in np.minimum(places, len(known) - 1)]


def check_sensitive_columns(table: Table | Partitions, names: Sequence[Any]) -> None:
    """Raise ValueError if the table lacks one of the columns."""
    keys, levels = table.keys(), table.levels
    absent = [name for name in names if name not in keys and name not in levels]
    if absent:
        in_index = f" and the index levels {quote(levels)}" if levels else ""
        raise ValueError(
            f"sensitive column {quote(absent)} is not in X, which has {quote(keys)}{in_index}. A "
            "model that never sees an attribute has discriminative risk 0 by definition; pass X "
            "as the model sees it, with the column that carries the attribute."
        )
