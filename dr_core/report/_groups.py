"""Table of the rates of each group, and the impact ratios of New York City's Local Law 144."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from dr_core.comparison import IMPACT_RATIO
from dr_core.metrics import DR
from dr_core.report._drawings import (
    Cell,
    Column,
    ReportTable,
    make_dot_bar,
    make_heading,
    make_text_cell,
    make_value_cell,
)
from dr_core.report._words import format_name, format_percent, format_scenario

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["make_impact_tables", "make_rate_table"]

FOUR_FIFTHS = 0.8
"""Impact ratios below are marked."""

MIN_LISTED_SHARE = 0.02
"""Local Law 144 allows to leave out groups with a smaller share of the rows."""

MAX_RATE_ROWS = 60
"""Rows of the table; the largest groups are shown."""

RATE_TITLES = {
    DR: Column("DR", "decisions that change"),
    "base_rate": Column("Base rate", "favourable labels"),
    "selection_rate": Column("Selection rate", "favourable decisions"),
    IMPACT_RATIO: Column("Impact ratio", "to the highest selection rate"),
    "true_positive_rate": Column("True positive rate", "favourable labels selected"),
    "false_positive_rate": Column("False positive rate", "unfavourable labels selected"),
}

KEYS = ["model", "attribute", "group"]


def make_rate_table(comparison: Comparison) -> ReportTable | None:
    """Return one table of all groups: rows, rates with intervals, impact ratios.

    Parameters
    ----------
    comparison : Comparison
    """
    frame = comparison.group_rates
    if frame.empty:
        return None
    several = frame["model"].nunique() > 1
    groups = list(frame.groupby(KEYS, sort=False))
    shown = sorted(groups, key=lambda one: -one[1]["rows"].iloc[0])[:MAX_RATE_ROWS]
    kept = {key for key, _ in shown}
    left_out = (
        f" The {len(kept)} largest of {len(groups)} groups." if len(kept) < len(groups) else ""
    )
    return ReportTable(
        "Rates by group: each attribute, then all combinations",
        [
            Column("Group"),
            *([Column("Model")] if several else []),
            Column("Rows", "share of all"),
            *RATE_TITLES.values(),
        ],
        [_make_rate_row(key, rates, several) for key, rates in groups if key in kept],
        "Points with confidence intervals; every line is a scale from 0 to 100 %. Impact ratios "
        "are relative to the most selected group with at least 2 % of the rows; the mark is at "
        f"four fifths.{left_out}",
    )


def _make_rate_row(key: Any, rates: pd.DataFrame, several: bool) -> list[Cell]:
    model, attribute, group = key
    first, by_measure = rates.iloc[0], rates.set_index("measure")
    privileged = ", privileged" if first["privileged"] else ""
    return [
        make_heading(group, f"{format_scenario(attribute)}{privileged}"),
        *([make_text_cell(model)] if several else []),
        make_value_cell(first["rows"], f"{first['rows']:,}", format_percent(first["share"])),
        *(_make_rate_cell(name, by_measure.loc[name]) for name in RATE_TITLES),
    ]


def _make_rate_cell(measure: str, row: pd.Series) -> Cell:
    if math.isnan(row["value"]):
        return make_value_cell(row["value"])
    if measure == IMPACT_RATIO:
        return _make_ratio_cell(row["value"])
    ends = [row["low"], row["high"]]
    note = "" if math.isnan(ends[0]) else " to ".join(map(format_percent, ends))
    return make_value_cell(
        row["value"], format_percent(row["value"]), note, make_dot_bar(row["value"], *ends)
    )


def _make_ratio_cell(ratio: float) -> Cell:
    note = "below four fifths" if ratio < FOUR_FIFTHS else ""
    bar = make_dot_bar(ratio, math.nan, math.nan, FOUR_FIFTHS)
    return make_value_cell(
        ratio, note=note, bar=bar, text=None if math.isnan(ratio) else f"{ratio:.2f}"
    )


def make_impact_tables(comparison: Comparison) -> list[ReportTable]:
    """Return the tables of Local Law 144, if the caller asked for them.

    They have the number of rows, the selection rate and the impact ratio by attribute, and for
    the intersections. Groups below 2 % are left out and listed.
    """
    if not comparison.evidence.get("local_law_144"):
        return []
    frame = comparison.group_rates
    several = frame["model"].nunique() > 1
    return [
        _make_impact_table(
            f"{format_scenario(attribute)}{f', {format_name(model)}' if several else ''}", rates
        )
        for (model, attribute), rates in frame.groupby(["model", "attribute"], sort=False)
    ]


def _make_impact_table(name: str, rates: pd.DataFrame) -> ReportTable:
    wide = rates.pivot(index=["group", "rows", "share"], columns="measure", values="value")
    wide = wide.reset_index().sort_values("rows", ascending=False, kind="stable")
    small = wide[wide["share"] < MIN_LISTED_SHARE]
    rows = [
        [
            make_heading(row.group),
            make_value_cell(row.rows, f"{row.rows:,}"),
            make_value_cell(row.selection_rate, format_percent(row.selection_rate)),
            _make_ratio_cell(row.impact_ratio),
        ]
        for row in wide[wide["share"] >= MIN_LISTED_SHARE].itertuples()
    ]
    left_out = ", ".join(f"{format_name(one.group)} ({one.rows:,})" for one in small.itertuples())
    return ReportTable(
        f"Impact ratios, {name}",
        [Column("Group"), Column("Rows"), Column("Selection rate"), Column("Impact ratio")],
        rows,
        f"Left out, with less than 2 % of the rows: {left_out}." if left_out else "",
    )
