"""Section of the report on who would lose the favourable decision, and who would gain it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from dr_core._utils import format_enumeration, format_percent, share
from dr_core.comparison import COUPLED_RISK
from dr_core.metrics import DR
from dr_core.perturbation import ALL
from dr_core.report._drawings import (
    Cell,
    Column,
    ReportTable,
    RowGroup,
    Scale,
    make_bar,
    make_direction_bar,
    make_heading,
    make_text_cell,
    make_value_cell,
)
from dr_core.report._plots import Flow, make_flow
from dr_core.report._values import MeasuredValues, iter_rows
from dr_core.report._words import (
    describe_measure,
    format_name,
    format_scenario,
    format_share_interval,
)

__all__ = ["make_direction_table", "make_flows", "make_group_table"]

MAX_GROUP_ROWS = 40
"""Rows of a group of the table; the most affected groups are shown."""

LOSE_AND_GAIN_COLUMNS = [
    Column("Would lose", "the favourable decision"),
    Column("Would gain", "the favourable decision"),
]

NO_INTERVAL = (math.nan, math.nan)

DIRECTION_NOTE = (
    "Bars: to the left of the line those who would lose the favourable decision, to the right "
    "those who would gain it."
)


def make_flows(values: MeasuredValues) -> list[Flow]:
    """Return the flow of decisions of each model, all attributes perturbed together.

    Shares are those of the rows that were perturbed.
    """
    comparison, everything = values.comparison, values.attributes[-1]
    rates = comparison.group_rates
    names = format_enumeration(map(format_name, values.names))
    flows = []
    for model in values.models if not rates.empty else ():
        groups = list(iter_rows(comparison.by_group, model, everything))
        perturbed = {row.group: row for row in groups if not math.isnan(row.risk)}
        selected = iter_rows(rates[rates["measure"] == "selection_rate"], model, everything)
        among = sum(row.share * row.value for row in selected if row.group in perturbed)
        favorable = share(among, sum(row.share for row in perturbed.values()))
        title = f"{format_name(model)}: {names}" if len(values.models) > 1 else names
        n_rows = sum(row.rows for row in perturbed.values())
        of_rows = "" if len(perturbed) == len(groups) else f" about {n_rows:,} perturbed rows"
        flows += [
            make_flow(title, favorable, row.loses, row.gains, of_rows)
            for row in iter_rows(comparison.directions, model, everything)
            if perturbed
        ]
    return flows


def make_direction_table(values: MeasuredValues) -> ReportTable | None:
    """Return the table of DR of each attribute alone and of all together, by direction."""
    if not values.select_measures([DR]):
        return None
    more = [] if values.comparison.plausibility else [COUPLED_RISK]
    shown = values.select_measures([DR, *more])
    directions = values.comparison.directions
    has_other = not directions.empty and bool((directions["other"] > 0).any())
    return ReportTable(
        "Discriminative risk of each attribute alone and of all together",
        [
            Column("If only this were different"),
            *values.make_model_column(),
            *(_make_risk_column(name, values.risk_scale) for name in shown),
            *([] if directions.empty else [_make_bar_column(values), *LOSE_AND_GAIN_COLUMNS]),
            *([Column("Would change", "to another unfavourable one")] if has_other else []),
        ],
        [
            _make_direction_row(values, shown, model, attribute, has_other)
            for attribute in values.attributes
            for model in values.models
        ],
        "" if directions.empty else DIRECTION_NOTE,
    )


def _make_risk_column(measure: str, scale: Scale) -> Column:
    title, description, _ = describe_measure(measure)
    return Column(title, description, scale)


def _make_bar_column(values: MeasuredValues) -> Column:
    return Column("Lose ◂ ▸ gain", "", values.direction_scale)


def _make_direction_row(
    values: MeasuredValues,
    shown: list[str],
    model: Any,
    attribute: Any,
    has_other: bool,
) -> list[Cell]:
    risks = (values.get_row(name, model, attribute) for name in shown)
    moved = iter_rows(values.comparison.directions, model, attribute)
    return [
        make_heading(format_scenario(attribute)),
        *values.make_model_cell(model),
        *(_make_risk_cell(row, values.risk_scale) for row in risks),
        *(cell for row in moved for cell in _make_moved_cells(values, row, has_other)),
    ]


def _make_risk_cell(row: Any, scale: Scale) -> Cell:
    note = format_share_interval(row.low, row.high)
    return make_value_cell(row.value, note=note, bar=make_bar(scale, row.value, row.low, row.high))


def _make_moved_cells(values: MeasuredValues, row: Any, has_other: bool = False) -> list[Cell]:
    if math.isnan(row.loses):
        return [make_text_cell("")] + [make_value_cell(math.nan)] * (3 if has_other else 2)
    bar = make_direction_bar(values.direction_scale, row.loses, row.gains)
    return [
        make_value_cell(row.gains - row.loses, "", bar=bar),
        make_value_cell(row.loses),
        make_value_cell(row.gains),
        *([make_value_cell(row.other)] if has_other else []),
    ]


def make_group_table(values: MeasuredValues) -> ReportTable | None:
    """Return the table of the groups most affected: by attribute, and for all together."""
    frame = values.comparison.by_group
    if frame.empty:
        return None
    known = [name for name in values.attributes if name in set(frame["attribute"])]
    parts = {name: frame[frame["attribute"] == name] for name in known}
    return ReportTable(
        "Discriminative risk by group, the most affected first",
        [
            Column("Group"),
            *values.make_model_column(),
            Column("DR", "in the group", values.risk_scale),
            _make_bar_column(values),
            *LOSE_AND_GAIN_COLUMNS,
            Column("Share of all changes"),
            Column("Rows"),
            Column("Privileged"),
        ],
        [],
        " ".join([DIRECTION_NOTE, *_describe_left_out(parts.values())]),
        [_make_group_rows(values, name, part) for name, part in parts.items()],
    )


def _describe_left_out(parts: Iterable[pd.DataFrame]) -> list[str]:
    longest = max(map(len, parts), default=0)
    return [f"At most {MAX_GROUP_ROWS} groups each are shown."] * (longest > MAX_GROUP_ROWS)


def _make_group_rows(values: MeasuredValues, name: Any, frame: pd.DataFrame) -> RowGroup:
    frame = frame.sort_values("risk", ascending=False, kind="stable").head(MAX_GROUP_ROWS)
    perturbed = "all attributes together are" if name == ALL else f"only {format_name(name)} is"
    return RowGroup(
        f"When {perturbed} perturbed",
        [_make_group_row(values, row) for row in frame.itertuples()],
    )


def _make_group_row(values: MeasuredValues, row: Any) -> list[Cell]:
    privileged = {True: "yes", False: "no"}.get(row.privileged, "–")
    low, high = values.group_intervals.get((row.model, row.attribute, row.group), NO_INTERVAL)
    note, bar = format_share_interval(low, high), make_bar(values.risk_scale, row.risk, low, high)
    return [
        make_heading(row.group),
        *values.make_model_cell(row.model),
        make_value_cell(row.risk, note=note, bar=bar),
        *_make_moved_cells(values, row),
        make_value_cell(row.share_of_changes, format_percent(row.share_of_changes)),
        make_value_cell(row.rows, f"{row.rows:,}"),
        make_text_cell(privileged),
    ]
