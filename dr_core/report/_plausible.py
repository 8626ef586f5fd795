"""What the report says of perturbed rows that could hardly exist, and of coupled columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dr_core.perturbation import ALL
from dr_core.report._drawings import UNIT, Scale, bar, round_top
from dr_core.report._tables import Cell, Column, Table, heading, text, value_cell
from dr_core.report._words import interval, percent
from dr_core.report._words import name_in_text as _name

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["PlausibleSection", "plausible_section"]

MOST_PAIRS = 12
"""Pairs that the table shows, the most frequent ones."""

RISKS = {
    "discriminative_risk": Column("DR as defined", "nothing else changes"),
    "discriminative_risk_coupled": Column("DR with coupled columns", "they follow the attribute"),
    "discriminative_risk_plausible": Column("DR, plausible rows only", "nothing else changes"),
}
SHARES = {
    "implausible_share": Column("Implausible rows", "nothing else changes"),
    "implausible_share_coupled": Column("Implausible rows left", "with coupled columns"),
}


class PlausibleSection(NamedTuple):
    """Whether perturbed rows could exist."""

    sentences: list[str]
    risks: Table
    pairs: Table


def plausible_section(comparison: Comparison) -> PlausibleSection | None:
    """What to say; nothing where plausibility was not asked for."""
    if not comparison.plausibility:
        return None
    return PlausibleSection(list(_sentences(comparison)), _risks(comparison), _pairs(comparison))


def _sentences(comparison: Comparison) -> Iterator[str]:
    pairs = next(iter(comparison.plausibility.values())).pairs
    yield (
        "Changing a sensitive attribute and nothing else can make people who hardly exist, and "
        "what a model says of them may mean little. A perturbed row counts as implausible when "
        "its new sensitive value goes with one of its other values never, or at most a hundredth "
        "as often as chance would have it, in the reference data."
    )
    if not pairs.empty:
        named = "; ".join(
            f"{_becomes(row)} with {_keeps(row)} ({row.rows:,.0f} rows)"
            for row in pairs.head(2).itertuples()
        )
        yield f"First of all: {named}."
    if any(found.when_coupled for found in comparison.plausibility.values()):
        rules = "; ".join(rule_words(comparison.settings.get("coupled", {})))
        yield f"Rules let columns follow the attribute they belong to: {rules}."


def rule_words(rules: Any) -> Iterator[str]:
    """Rules of coupled columns in words.

    >>> list(rule_words({"title": {"sex": {"F": {"Mr": "Ms"}}}}))
    ['title when sex becomes F: Mr → Ms']
    """
    for column, drivers in rules.items():
        for driver, cases in drivers.items():
            for value, moves in cases.items():
                told = ", ".join(f"{_name(old)} → {_name(new)}" for old, new in moves.items())
                yield f"{_name(column)} when {_name(driver)} becomes {_name(value)}: {told}"


def _risks(comparison: Comparison) -> Table:
    values = comparison.values.reindex(
        columns=["model", "attribute", "measure", "value", "low", "high"]
    )
    shown = [name for name in (*RISKS, *SHARES) if name in set(values["measure"])]
    known = {(row.model, row.attribute, row.measure): row for row in values.itertuples()}
    risks = values[values["measure"].isin(RISKS)][["value", "high"]].to_numpy().ravel()
    scale = Scale(round_top(risks))
    several = values["model"].nunique() > 1
    rows = [
        [
            heading("all together" if attribute == ALL else attribute),
            *([text(model)] if several else []),
            *(_cell(known[model, attribute, name], scale) for name in shown),
        ]
        for model in comparison.plausibility
        for attribute in values["attribute"].unique()
    ]
    return Table(
        "Discriminative risk as defined, beside what plausibility makes of it",
        [
            Column("If only this were different"),
            *([Column("Model")] if several else []),
            *((RISKS | SHARES)[name] for name in shown),
        ],
        rows,
        f"Bars of risks end at {scale.end:g}, those of rows at all of them. The risk of plausible "
        "rows only is that of other people, who may be less at risk for other reasons; coupled "
        "columns keep everybody.",
    )


def _cell(row: Any, scale: Scale) -> Cell:
    if row.measure in SHARES:
        return value_cell(row.value, percent(row.value), bar=bar(UNIT, row.value))
    drawn = bar(scale, row.value, row.low, row.high)
    return value_cell(row.value, note=interval(row.low, row.high), bar=drawn)


def _pairs(comparison: Comparison) -> Table:
    """Implausible pairs; they are those of the first model, where draws were random."""
    found = next(iter(comparison.plausibility.values()))
    coupled = found.when_coupled
    left = {} if coupled is None else _counted(coupled.pairs)
    shown = found.pairs.head(MOST_PAIRS)
    many = f" The {len(shown)} most frequent of {len(found.pairs)} pairs."
    return Table(
        "Pairs that make perturbed rows implausible",
        [
            Column("Attribute becomes"),
            Column("with this value of another column"),
            Column("Perturbed rows"),
            *([] if coupled is None else [Column("Left", "with coupled columns")]),
            Column("Share", "of perturbed rows"),
            Column("Seen", "in the reference data"),
            Column("Expected there", "by chance"),
        ],
        [_pair_row(row, left, coupled is not None) for row in shown.itertuples()],
        "Rows are expected numbers where a value can become several others."
        + (many if len(found.pairs) > len(shown) else ""),
    )


def _counted(pairs: pd.DataFrame) -> dict[tuple[Any, ...], float]:
    return {_key(row): row.rows for row in pairs.itertuples()}


def _key(row: Any) -> tuple[Any, ...]:
    return row.attribute, row.becomes, row.column, row.value


def _pair_row(row: Any, left: dict[tuple[Any, ...], float], with_left: bool) -> list[Cell]:
    remaining = left.get(_key(row), 0.0)
    return [
        heading(_becomes(row)),
        text(_keeps(row)),
        value_cell(row.rows, f"{row.rows:,.0f}"),
        *([value_cell(remaining, f"{remaining:,.0f}")] if with_left else []),
        value_cell(row.share, percent(row.share)),
        value_cell(row.seen, f"{row.seen:,}"),
        value_cell(row.expected, f"{row.expected:,.1f}"),
    ]


def _becomes(row: Any) -> str:
    return f"{_name(row.attribute)} = {_name(row.becomes)}"


def _keeps(row: Any) -> str:
    return f"{_name(row.column)} = {_name(row.value)}"
