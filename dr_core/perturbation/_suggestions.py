"""Suggestions for columns that should follow a sensitive attribute.

Some values, such as "Husband", occur in nearly only one group. A perturbed row that keeps such a
value is implausible. The counterpart of the value is a value of the same column that occurs in
nearly only the other group, in rows with similar values in all other columns. If nearly all rows
of each group have one value, such as "Mr" and "Ms", these two are counterparts anyway. Counts
cannot tell whether both values have the same meaning: a ward for urology and one for maternity are
alike in everything but the sex of their patients. A person who knows the data must confirm each
pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pprint import pformat
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dr_core._tables import as_table
from dr_core._utils import Array, check_fraction
from dr_core.perturbation._attributes import (
    MARGINALISED,
    PRIVILEGED,
    Attribute,
    SensitiveAttributes,
    learn_attributes,
)
from dr_core.perturbation._counterparts import NO_CANDIDATE, Match, match_values
from dr_core.perturbation._pairs import MAX_BINS, Category, is_identifier, read_categories
from dr_core.perturbation._rarity import ALPHA, MAX_RARE_SHARE, find_rare_cells

__all__ = ["Suggestions", "suggest_couplings"]

CAUTION = "Proposed by likeness of counts only; confirm each pair before you use it."

MAIN_SHARE = 0.9
"""A value that at least this share of the rows of a group has is the main value of the group."""

GROUP_NAMES = ("marginalised", "privileged")
"""Names of the groups, by position."""


class ComparedColumn(NamedTuple):
    """A column in which the rows of two values are compared.

    Attributes
    ----------
    name : column
    codes : (n,) codes of its values
    n_codes : number of distinct codes
    merged : code of all values that are exclusive to a group, or None
    """

    name: Any
    codes: Array
    n_codes: int
    merged: int | None = None


class Suggestion(NamedTuple):
    """One row of `Suggestions.table`."""

    attribute: Any
    column: Any
    value: Any
    group: str
    rows: int
    others: int
    counterpart: Any = None
    likeness: float = np.nan
    reason: str = NO_CANDIDATE


@dataclass(frozen=True, eq=False)
class Suggestions:
    """Values that nearly only one group has, and rules that would exchange them.

    Counterparts are proposed by likeness of counts only; confirm each pair before you use it.

    Attributes
    ----------
    table : DataFrame
        One row for each such `value` of a `column`. `group` is the group of the `attribute` that
        has the value, "privileged" or "marginalised". `rows` is the number of its rows with the
        value, `others` that of the other group. `counterpart` is None if none is proposed.
        `likeness` is that of the counterpart or, without one, of the value of the other group that
        is most alike: the mean overlap of the distributions of all other columns among the rows of
        both values, from 0 to 1. Values of another column that are exclusive themselves count as
        one value there; the column is not compared if all rows have them. `reason` says why a
        counterpart is proposed, or why not.
    coupled : dict
        Rules for values with a counterpart, for the parameter `coupled`.
    """

    table: pd.DataFrame
    coupled: dict[Any, dict[Any, dict[Any, dict[Any, Any]]]]

    def __repr__(self) -> str:
        if self.table.empty:
            return "<Suggestions: no value was found that nearly only one group has>"
        pairs = self.table.to_string()
        return f"<Suggestions>\n{CAUTION}\n{pairs}\ncoupled = {pformat(self.coupled)}"

    def _repr_html_(self) -> str:
        rules = escape(pformat(self.coupled))
        with pd.option_context("display.max_colwidth", None):
            pairs = self.table.to_html()
        return f"<p>{CAUTION}</p>{pairs}<pre>coupled = {rules}</pre>"


def suggest_couplings(
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    rare: float = MAX_RARE_SHARE,
    alpha: float = ALPHA,
) -> Suggestions:
    """Find values that are (nearly) exclusive to one group, and propose rules for them.

    Rules are proposed by likeness of counts only: two values are paired if each is nearly
    exclusive to one group, and if either their rows are alike in all other columns (a likeness of
    at least 0.85), or at least 90 % of the rows of each group have the value. Both values may
    still have different meanings, such as wards for urology and for maternity. Confirm each pair
    before you use it, and delete the others from `coupled`. Limits between quantities, such as
    experience <= age - 16, are not found; write them as functions (see `learn_attributes`).

    Parameters
    ----------
    X : DataFrame (pandas, polars) or array of shape (n, d)
    privileged : mapping, or SensitiveAttributes
        See `learn_attributes`.
    rare : float in [0, 1)
        A value is exclusive to one group if its count in the other group is at most this share of
        the count expected if group and value were independent.
    alpha : float in [0, 1)
        If all columns are independent of the groups, any value is found with at most this
        probability. See `RiskAssessment.plausibility`.

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
    check_fraction("rare", rare)
    check_fraction("alpha", alpha)
    table = as_table(X)
    attributes = learn_attributes(table, privileged)
    categories = read_categories(table, attributes, MAX_BINS)
    sensitive, n_sensitive = attributes.encode(table), len(attributes)
    groups = [one.groups(own) for one, own in zip(attributes, sensitive, strict=True)]
    codes = {i: categories[i].encode(table) for i in range(n_sensitive, len(categories))}
    tables = {
        (j, i): _count_by_group(groups[j], of_category, categories[i])
        for i, of_category in codes.items()
        if categories[i].edges is None
        for j in range(n_sensitive)
    }
    # As in the check of plausibility, columns such as names are left out.
    identifiers = {i for (_, i), counts in tables.items() if is_identifier(counts, alpha)}
    tables = {key: counts for key, counts in tables.items() if key[1] not in identifiers}
    rare_cells = find_rare_cells(tables, rare=rare, alpha=alpha)
    found, seen = [], {}
    for (j, i), is_rare in rare_cells.items():
        about = attributes.names[j], categories[i], tables[j, i]
        exclusive = _find_exclusive(*about, is_rare)
        columns = [
            _merge_exclusive(categories[k], codes[k], rare_cells.get((j, k)))
            for k in codes
            if k not in {i, *identifiers}
        ]
        # Columns of one value say nothing about likeness.
        columns = [column for column in columns if np.ptp(column.codes)]
        group_sizes = np.bincount(groups[j], minlength=2)[:2]
        found += _add_counterparts(exclusive, codes[i], columns, group_sizes)
        counted = attributes.attributes[j], sensitive[j], categories[i], codes[i]
        seen[attributes.names[j], categories[i].name] = _find_seen(*counted, rare)
    found.sort(key=lambda suggestion: -suggestion.rows)
    frame = pd.DataFrame(found, columns=list(Suggestion._fields))
    frame["counterpart"] = pd.Series([one.counterpart for one in found], dtype=object)
    return Suggestions(frame, _make_rules(found, attributes, seen))


def _count_by_group(groups: Array, codes: Array, category: Category) -> Array:
    """Return the rows of each group with each known value of the category, (2, values)."""
    by_group = [
        np.bincount(codes[groups == group], minlength=len(category))
        for group in (MARGINALISED, PRIVILEGED)
    ]
    return np.stack(by_group)[:, : len(category.labels)]


def _find_exclusive(
    name: Any, category: Category, by_group: Array, is_rare: Array
) -> dict[int, Suggestion]:
    """Return the values that nearly only one group has, by their codes in the category."""
    # by_group has one row for each group. [[0, 90], [80, 1]] means that value 0 occurs in 80
    # privileged rows only. It is rare in row 0, so it is exclusive to group 1.
    return {
        v: Suggestion(
            name,
            category.name,
            category.labels[v],
            GROUP_NAMES[group],
            int(by_group[group, v]),
            int(by_group[1 - group, v]),
        )
        for group in (0, 1)
        for v in np.flatnonzero(is_rare[1 - group]).tolist()
    }


def _merge_exclusive(category: Category, codes: Array, is_rare: Array | None) -> ComparedColumn:
    """Return a column with one code for all values that are exclusive to a group.

    If the codes of Husband, Wife and Single are 0, 1 and 2, those of the result are 0, 0 and 2.
    For titles, husbands and wives are then alike, and unlike single people.

    Parameters
    ----------
    category : the column
    codes : (n,)
    is_rare : (2, values) whether a group rarely has a value; None if no value is exclusive
    """
    if is_rare is None or not is_rare.any():
        return ComparedColumn(category.name, codes, len(category))
    exclusive = np.flatnonzero(is_rare.any(axis=0))
    merged = int(exclusive[0])
    codes = np.where(np.isin(codes, exclusive), merged, codes)
    return ComparedColumn(category.name, codes, len(category), merged)


def _add_counterparts(
    exclusive: dict[int, Suggestion],
    codes: Array,
    columns: list[ComparedColumn],
    group_sizes: Array,
) -> list[Suggestion]:
    """Return the suggestions for one column, with counterparts where there are any.

    Parameters
    ----------
    exclusive : suggestions by the code of their value
    codes : (n,) codes of the column
    columns : the other columns
    group_sizes : (2,) rows of each group
    """
    rows = {v: np.flatnonzero(codes == v) for v in exclusive}
    first, second = ([v for v in exclusive if exclusive[v].group == g] for g in GROUP_NAMES)
    if not first or not second:
        return list(exclusive.values())
    compared = {
        (a, b): _find_comparable(np.concatenate([rows[v], rows[w]]), columns)
        for a, v in enumerate(first)
        for b, w in enumerate(second)
    }
    likeness = np.empty((len(first), len(second)))
    for (a, b), some in compared.items():
        likeness[a, b] = _compute_likeness(rows[first[a]], rows[second[b]], some)
    of_first, of_second = ([exclusive[v] for v in side] for side in (first, second))
    main = _find_main(of_first, int(group_sizes[0])), _find_main(of_second, int(group_sizes[1]))
    values = [one.value for one in of_first], [one.value for one in of_second]
    merged = {
        pair: [column.name for column in some if column.merged is not None]
        for pair, some in compared.items()
    }
    matches = match_values(likeness, *values, main=main, merged=merged)
    return [
        *_add_matches(of_first, matches[0], of_second),
        *_add_matches(of_second, matches[1], of_first),
    ]


def _find_main(side: list[Suggestion], group_size: int) -> int | None:
    """Return the position of the value that nearly all rows of a group have, if there is one."""
    shares = [one.rows / group_size for one in side]
    return int(np.argmax(shares)) if max(shares) >= MAIN_SHARE else None


def _add_matches(
    side: list[Suggestion], matches: list[Match], others: list[Suggestion]
) -> list[Suggestion]:
    return [
        one._replace(
            counterpart=None if match.counterpart is None else others[match.counterpart].value,
            likeness=match.likeness,
            reason=match.reason,
        )
        for one, match in zip(side, matches, strict=True)
    ]


def _find_comparable(rows: Array, columns: list[ComparedColumn]) -> list[ComparedColumn]:
    """Return the columns in which these rows are compared.

    A column in which all rows have exclusive values is left out: counted as one value, they would
    always be alike.
    """
    return [
        column
        for column in columns
        if column.merged is None or (column.codes[rows] != column.merged).any()
    ]


def _compute_likeness(first: Array, second: Array, columns: list[ComparedColumn]) -> float:
    """Return the mean overlap of two sets of rows over several columns, NaN without columns."""
    overlaps = [
        _compute_overlap(column.codes[first], column.codes[second], column.n_codes)
        for column in columns
    ]
    return float(np.mean(overlaps)) if overlaps else np.nan


def _compute_overlap(first: Array, second: Array, n_codes: int) -> float:
    """Return how much the distributions of two arrays of codes have in common, from 0 to 1.

    >>> _compute_overlap(np.array([0, 0, 1, 2]), np.array([0, 1]), n_codes=3)
    0.75
    """
    # The shares of the codes are (0.5, 0.25, 0.25) and (0.5, 0.5, 0). Their minima are
    # (0.5, 0.25, 0), with the sum 0.75.
    shares = [np.bincount(codes, minlength=n_codes) / len(codes) for codes in (first, second)]
    return float(np.minimum(*shares).sum())


def _find_seen(
    attribute: Attribute, own: Array, category: Category, codes: Array, rare: float
) -> set[tuple[Any, Any]]:
    """Return the values of an attribute and of a category that are not rare beside each other.

    Parameters
    ----------
    attribute, category
    own, codes : (n,) their codes
    rare : share of the expected count up to which a pair is rare
    """
    values, labels = attribute.values, category.labels
    counts = np.zeros((len(values) + 1, len(labels) + 2), np.intp)  # the last ones: missing values
    np.add.at(counts, (own, codes), 1)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(own)
    pairs = np.argwhere((counts > rare * expected)[: len(values), : len(labels)])
    return {(values[a], labels[c]) for a, c in pairs.tolist()}


def _make_rules(
    found: list[Suggestion],
    attributes: SensitiveAttributes,
    seen: Mapping[tuple[Any, Any], set[tuple[Any, Any]]],
) -> dict[Any, Any]:
    """Return rules for all values that have a counterpart.

    Of three races, a counterpart may occur in one marginalised race only: there is no rule for the
    other one. A value of a range counts with its side of the limit.
    """
    by_name = {attribute.name: attribute for attribute in attributes}
    rules: dict[Any, Any] = {}
    for one in found:
        attribute = by_name[one.attribute]
        for new in _get_other_values(attribute, one.group) if one.counterpart is not None else ():
            is_range = attribute.condition is not None
            if is_range or (new, one.counterpart) in seen[one.attribute, one.column]:
                drivers = rules.setdefault(one.column, {}).setdefault(one.attribute, {})
                drivers.setdefault(new, {})[one.value] = one.counterpart
    return rules


def _get_other_values(attribute: Attribute, group: str) -> list[Any]:
    """Return the values of the other group."""
    pairs = zip(attribute.values, attribute.is_privileged, strict=True)
    return [value for value, is_privileged in pairs if is_privileged == (group != "privileged")]
