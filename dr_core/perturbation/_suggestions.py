"""Columns that may have to follow a sensitive attribute: rules to check by hand.

A value such as "Husband" that nearly only one group has betrays the group; a perturbed row that
keeps it could hardly exist. Its counterpart is the value of the same column that nearly only the
other group has, and whose rows are much like its own in all other columns. Only people can say
whether the two really mean the same: a suggestion is a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pprint import pformat
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import as_table
from dr_core._utils import Array, check_not_negative, check_rare
from dr_core.perturbation._attributes import Attribute, SensitiveAttributes, learn_attributes
from dr_core.perturbation._pairs import (
    MAX_BINS,
    MAX_RARE_SHARE,
    PairCounts,
    count_pairs,
    encode_categories,
    find_rare_cells,
    read_categories,
)

__all__ = ["Suggestions", "suggest_couplings"]

EXPECTED = 5.0
"""Rows of the other group that chance would have shown, for a value to be exclusive."""

MIN_LIKENESS = 0.85
"""Values whose rows have less than this in common are no counterparts of each other."""

COLUMNS = ["attribute", "column", "value", "group", "rows", "others", "counterpart", "likeness"]


@dataclass(frozen=True, eq=False)
class Suggestions:
    """Values that nearly only one group has, and rules that would exchange them.

    Attributes
    ----------
    table : DataFrame
        One row for each such value of a `column`: the `group` of the `attribute` that has it,
        "privileged" or "marginalised", its `rows`, those of `others`, and its `counterpart`,
        missing where none was found. `likeness` tells how much the rows of both values have in
        common in all other columns, from 0 to 1.
    coupled : dict
        Rules for values that have a counterpart, as `coupled=` takes them.
    """

    table: pd.DataFrame
    coupled: dict[Any, dict[Any, dict[Any, dict[Any, Any]]]]

    def __repr__(self) -> str:
        return (
            f"<Suggestions: check each by hand>\n{self.table}\ncoupled = {pformat(self.coupled)}"
        )

    def _repr_html_(self) -> str:
        rules = escape(pformat(self.coupled))
        return f"{self.table.to_html()}<p>Check each by hand:</p><pre>coupled = {rules}</pre>"


def suggest_couplings(
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    rare: float = MAX_RARE_SHARE,
    min_expected: float = EXPECTED,
) -> Suggestions:
    """Look for columns whose values are (nearly) exclusive to one group, and propose rules.

    Parameters
    ----------
    X : DataFrame (pandas, polars) or array of shape (n, d)
    privileged : mapping, or attributes learned before
        See `learn_attributes`.
    rare : float in [0, 1)
        A value is exclusive to one group when the other has it at most this share as often as
        chance would have it.
    min_expected : float
        Rows of the other group that chance would have shown at the least.

    Returns
    -------
    Suggestions

    Examples
    --------
    >>> from dr_core import datasets
    >>> income = datasets.load("income")
    >>> found = suggest_couplings(income.data, {"sex": "Male"})
    >>> found.table[["value", "group", "rows", "others", "counterpart"]]
         value         group   rows  others counterpart
    0  Husband    privileged  12462       1        Wife
    1     Wife  marginalised   1405       1     Husband
    >>> found.coupled
    {'relationship': {'sex': {'Female': {'Husband': 'Wife'}, 'Male': {'Wife': 'Husband'}}}}
    """
    check_rare(rare)
    check_not_negative("min_expected", min_expected)
    table = as_table(X)
    attributes = learn_attributes(table, privileged)
    categories = read_categories(table, attributes, MAX_BINS)
    pairs = count_pairs(table, attributes, categories)
    codes = encode_categories(table, attributes.encode(table), categories)
    search = _Search(pairs, codes, rare, min_expected)
    found = [row for j in range(len(attributes)) for row in search.of(j)]
    found.sort(key=lambda row: -row[COLUMNS.index("rows")])
    return Suggestions(pd.DataFrame(found, columns=COLUMNS), _rules(found, attributes))


@dataclass(frozen=True, eq=False)
class _Search:
    pairs: PairCounts
    codes: list[Array]
    rare: float
    min_expected: float

    def of(self, j: int) -> Iterator[tuple[Any, ...]]:
        """Rows of the table for one attribute."""
        attribute = self.pairs.attributes.attributes[j]
        for i in range(len(self.pairs.attributes), len(self.pairs.categories)):
            category, counts = self.pairs.categories[i], self._by_group(j, i)
            if category.edges is None:
                exclusive = self._exclusive(counts[:, : len(category.labels)])
                partner = self._counterparts(i, *exclusive)
                for v, (other, likeness) in partner.items():
                    mine = int(v in exclusive[1])
                    yield (
                        attribute.name,
                        category.name,
                        category.labels[v],
                        ("marginalised", "privileged")[mine],
                        int(counts[mine, v]),
                        int(counts[1 - mine, v]),
                        None if other is None else category.labels[other],
                        likeness,
                    )

    def _by_group(self, j: int, i: int) -> Array:
        """Counts of marginalised, then of privileged rows."""
        is_privileged = self.pairs.attributes.attributes[j].is_privileged
        counts = self.pairs.counts[j, i]
        return np.stack([counts[is_privileged == group].sum(axis=0) for group in (False, True)])

    def _exclusive(self, counts: Array) -> list[list[int]]:
        """Values that nearly only marginalised rows have, and those of privileged ones."""
        lacking = find_rare_cells(counts, self.rare, self.min_expected)
        return [np.flatnonzero(lacking[1 - group]).tolist() for group in (0, 1)]

    def _counterparts(
        self, i: int, marginalised: list[int], privileged: list[int]
    ) -> dict[int, tuple[int | None, float]]:
        """For each exclusive value, the one of the other group that it shares most with.

        Only values that choose each other, and are alike enough, are counterparts.
        """
        likeness = np.array([[self._likeness(i, m, p) for p in privileged] for m in marginalised])
        partner: dict[int, tuple[int | None, float]] = dict.fromkeys(
            [*marginalised, *privileged], (None, np.nan)
        )
        if likeness.size:
            for a, b in enumerate(likeness.argmax(axis=1)):
                alike = float(likeness[a, b])
                if likeness[:, b].argmax() == a and alike >= MIN_LIKENESS:
                    partner[marginalised[a]] = privileged[b], alike
                    partner[privileged[b]] = marginalised[a], alike
        return partner

    def _likeness(self, i: int, v: int, w: int) -> float:
        """Mean overlap of the distributions of all other columns among rows of two values."""
        rows = [np.flatnonzero(self.codes[i] == value) for value in (v, w)]
        others = range(len(self.pairs.attributes), len(self.codes))
        return float(np.mean([self._overlap(k, *rows) for k in others if k != i] or [0.0]))

    def _overlap(self, k: int, first: Array, second: Array) -> float:
        shares = [
            np.bincount(self.codes[k][rows], minlength=len(self.pairs.categories[k])) / len(rows)
            for rows in (first, second)
        ]
        return float(np.minimum(*shares).sum())


def _rules(found: list[tuple[Any, ...]], attributes: SensitiveAttributes) -> dict[Any, Any]:
    """Write rules for all values that have a counterpart."""
    by_name = {attribute.name: attribute for attribute in attributes}
    rules: dict[Any, Any] = {}
    for name, column, value, group, _, _, counterpart, _ in found:
        if counterpart is not None:
            for new in _other_group(by_name[name], group):
                moves = rules.setdefault(column, {}).setdefault(name, {}).setdefault(new, {})
                moves[value] = counterpart
    return rules


def _other_group(attribute: Attribute, group: str) -> list[Any]:
    pairs = zip(attribute.values, attribute.is_privileged, strict=True)
    return [value for value, is_privileged in pairs if is_privileged == (group != "privileged")]
