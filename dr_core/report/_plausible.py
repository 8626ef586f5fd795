"""Section of the report on implausible perturbed rows and coupled columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dr_core._utils import format_enumeration, format_percent, format_rows, format_value
from dr_core.comparison import COUPLED_RISK
from dr_core.report._drawings import (
    SHARE_SCALE,
    Cell,
    Column,
    ReportTable,
    Scale,
    make_bar,
    make_heading,
    make_text_cell,
    make_value_cell,
)
from dr_core.report._values import MeasuredValues
from dr_core.report._words import (
    format_name,
    format_scenario,
    format_share_interval,
)

if TYPE_CHECKING:
    from dr_core.comparison import Comparison
    from dr_core.risk import Plausibility

__all__ = [
    "RISK_COLUMNS",
    "PlausibleSection",
    "format_rules",
    "iter_lacking_intervals",
    "iter_next_steps",
    "make_plausible_section",
]

MAX_PAIR_ROWS = 12
"""Rows of the table of pairs; the most frequent pairs are shown."""

RISK_COLUMNS = {
    "discriminative_risk": Column("DR as defined", "nothing else changes"),
    "discriminative_risk_coupled": Column("DR with coupled columns", "they follow the attribute"),
    "discriminative_risk_plausible": Column("DR, plausible rows only", "nothing else changes"),
}
SHARE_COLUMNS = {
    "implausible_share": Column("Implausible rows", "nothing else changes"),
    "implausible_share_coupled": Column("Implausible rows left", "with coupled columns"),
}

PLAUSIBLE_NOTE = (
    "DR of plausible rows is about fewer people. They may differ from the others in other ways, "
    "too, so it does not replace DR."
)
COUPLED_NOTE = " The risk with coupled columns covers everyone."


class PlausibleSection(NamedTuple):
    """Sentences and tables on implausible perturbed rows."""

    sentences: list[str]
    risks: ReportTable
    pairs: ReportTable


def make_plausible_section(values: MeasuredValues) -> PlausibleSection | None:
    """Return the section; None if plausibility was not requested."""
    comparison = values.comparison
    if not comparison.plausibility:
        return None
    return PlausibleSection(
        list(_iter_sentences(comparison)),
        _make_risk_table(values),
        _make_pair_table(comparison),
    )


def _iter_sentences(comparison: Comparison) -> Iterator[str]:
    found = next(iter(comparison.plausibility.values()))
    yield (
        "Changing only a sensitive attribute can produce combinations not seen in the data. "
        "Predictions for such rows may mean little. A perturbed row is implausible if its "
        "new sensitive value never occurs with one of its other values in the reference data, or "
        "at most a hundredth as often as expected if both were independent, and if this is "
        "significant (Fisher's exact test, corrected for the number of pairs)."
    )
    if found.pairs.empty:
        yield "No implausible combination was found."
    else:
        yield f"Most frequent: {found.describe_pairs(2, format_name)}."
    yield found.describe_power()
    if any(one.when_coupled for one in comparison.plausibility.values()):
        rules = "; ".join(format_rules(comparison.settings.get("coupled", {})))
        yield f"Coupled columns follow the attribute by these rules: {rules}."
    yield from iter_next_steps(found)


def iter_next_steps(
    found: Plausibility, format_name: Callable[[Any], str] = format_name
) -> Iterator[str]:
    """Yield what to do about rows that are implausible even where coupled columns follow.

    For each attribute, the column is named whose implausible pairs have most rows. A sensitive
    attribute cannot follow another one, and a column that follows the attribute has rules for it,
    so neither is named.
    """
    uncoupled = _find_uncoupled(found.when_coupled or found)
    if not uncoupled:
        return
    (first, attributes), *others = [
        (format_name(column), " or ".join(map(format_name, names)))
        for column, names in uncoupled.items()
    ]
    more = "".join(f", or {column} on {names}" for column, names in others)
    yield (
        f"If {first} depends on {attributes}{more}, declare "
        f"{'these columns' if others else first} as coupled: by rules for the values (dr-audit "
        "--coupled; suggest_couplings may propose some), or, for quantities such as years, by a "
        "function (learn_attributes(coupled=...) in Python)."
    )


def _find_uncoupled(found: Plausibility) -> dict[Any, list[Any]]:
    """Return the attributes that a column may depend on, by column, those with most rows first."""
    attributes, pairs = found.plan.attributes, found.pairs
    followed = attributes.couplings.followed
    rows = pairs.groupby(["attribute", "column"], sort=False)["rows"].sum()
    columns: dict[Any, Any] = {}
    for attribute, column in rows.sort_values(ascending=False, kind="stable").index:
        if column not in attributes.names and attribute not in followed.get(column, ()):
            columns.setdefault(attribute, column)
    uncoupled: dict[Any, list[Any]] = {}
    for attribute, column in columns.items():
        uncoupled.setdefault(column, []).append(attribute)
    return uncoupled


def format_rules(rules: Any) -> Iterator[str]:
    """Format the rules of coupled columns, one text for each column, attribute and value.

    >>> list(format_rules({"title": {"sex": {"F": {"Mr": "Ms"}}}}))
    ['title when sex becomes F: Mr → Ms']
    >>> list(format_rules({"experience": {"age": "limit_years"}}))
    ['experience when age changes: by the function limit_years']
    """
    for column, drivers in rules.items():
        for driver, cases in drivers.items():
            if isinstance(cases, str):
                names = format_name(column), format_name(driver), format_name(cases)
                yield "{} when {} changes: by the function {}".format(*names)
                continue
            for value, moves in cases.items():
                changes = ", ".join(
                    f"{format_name(old)} → {format_name(new)}" for old, new in moves.items()
                )
                condition = f"{format_name(driver)} becomes {format_name(value)}"
                yield f"{format_name(column)} when {condition}: {changes}"


def _make_risk_table(values: MeasuredValues) -> ReportTable:
    shown = values.select_measures([*RISK_COLUMNS, *SHARE_COLUMNS])
    scales = dict.fromkeys(RISK_COLUMNS, values.risk_scale)
    scales |= dict.fromkeys(SHARE_COLUMNS, SHARE_SCALE)
    titles = RISK_COLUMNS | SHARE_COLUMNS
    return ReportTable(
        "Discriminative risk as defined, and with plausibility taken into account",
        [
            Column("If only this were different"),
            *values.make_model_column(),
            *(replace(titles[name], scale=scales[name]) for name in shown),
        ],
        [
            [
                make_heading(format_scenario(attribute)),
                *values.make_model_cell(model),
                *(
                    _make_risk_cell(values.get_row(name, model, attribute), scales[name])
                    for name in shown
                ),
            ]
            for model in values.comparison.plausibility
            for attribute in values.attributes
        ],
        " ".join(
            [
                PLAUSIBLE_NOTE + (COUPLED_NOTE if COUPLED_RISK in shown else ""),
                *iter_lacking_intervals(values.comparison),
            ]
        ),
    )


def iter_lacking_intervals(
    comparison: Comparison, format_name: Callable[[Any], str] = format_name
) -> Iterator[str]:
    """Yield why the DR of plausible rows has no interval, if ranges are the reason.

    Parameters
    ----------
    comparison : Comparison
    format_name : function that returns a name as it is shown
    """
    found = next(iter(comparison.plausibility.values()), None)
    attributes = [] if found is None else found.plan.attributes.attributes
    ranges = [format_name(one.name) for one in attributes if one.condition]
    if ranges and "low" in comparison.values:
        yield (
            f"DR of plausible rows has no interval where {format_enumeration(ranges)} "
            f"{'is' if len(ranges) == 1 else 'are'} perturbed: the values of a range are drawn as "
            "often as they occur in the data, and an interval that ignores how uncertain these "
            "frequencies are would be too short."
        )


def _make_risk_cell(row: Any, scale: Scale) -> Cell:
    note = format_share_interval(row.low, row.high)
    return make_value_cell(row.value, note=note, bar=make_bar(scale, row.value, row.low, row.high))


def _make_pair_table(comparison: Comparison) -> ReportTable:
    """Return the table of implausible pairs; with random draws, those of the first model."""
    found = next(iter(comparison.plausibility.values()))
    coupled = found.when_coupled
    left = {} if coupled is None else _count_by_pair(coupled.pairs)
    shown = found.pairs.head(MAX_PAIR_ROWS)
    selection = f" The {len(shown)} most frequent of {len(found.pairs)} pairs."
    return ReportTable(
        "Combinations rarely or never seen in the data",
        [
            Column("Attribute becomes"),
            Column("with this value of another column"),
            Column("Perturbed rows"),
            *([] if coupled is None else [Column("Left", "with coupled columns")]),
            Column("Share", "of perturbed rows"),
            Column("Seen", "in the reference data"),
            Column("Expected there", "if independent"),
        ],
        [_make_pair_row(row, left, coupled is not None) for row in shown.itertuples()],
        "If a value can become several others, numbers of rows are expected values."
        + (selection if len(found.pairs) > len(shown) else ""),
    )


def _count_by_pair(pairs: pd.DataFrame) -> dict[tuple[Any, ...], float]:
    return {_get_pair(row): row.rows for row in pairs.itertuples()}


def _get_pair(row: Any) -> tuple[Any, ...]:
    return row.attribute, row.becomes, row.column, row.value


def _make_pair_row(row: Any, left: dict[tuple[Any, ...], float], with_left: bool) -> list[Cell]:
    remaining = left.get(_get_pair(row), 0.0)
    return [
        make_heading(_format_assignment(row.attribute, row.becomes)),
        make_text_cell(_format_assignment(row.column, row.value)),
        make_value_cell(row.rows, format_rows(row.rows)),
        *([make_value_cell(remaining, format_rows(remaining))] if with_left else []),
        make_value_cell(row.share, format_percent(row.share)),
        make_value_cell(row.seen, f"{row.seen:,}"),
        make_value_cell(row.expected, f"{row.expected:,.1f}"),
    ]


def _format_assignment(column: Any, value: Any) -> str:
    return f"{format_name(column)} = {format_name(format_value(value))}"
