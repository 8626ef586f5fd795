"""Table of the rates of each group, and the impact ratios of New York City's Local Law 144."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from dr_core._utils import format_count, format_enumeration, format_percent
from dr_core.comparison import IMPACT_RATIO
from dr_core.metrics import DR
from dr_core.perturbation import ALL
from dr_core.report._drawings import (
    SHARE_SCALE,
    Cell,
    Column,
    ReportTable,
    RowGroup,
    Scale,
    make_bar,
    make_heading,
    make_value_cell,
)
from dr_core.report._values import MeasuredValues
from dr_core.report._words import (
    format_name,
    format_share_interval,
)

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["iter_impact_sentences", "make_impact_tables", "make_rate_table"]

FOUR_FIFTHS = 0.8
"""Impact ratios below are marked."""

MIN_LISTED_SHARE = 0.02
"""Local Law 144 allows to leave out groups with a smaller share of the rows."""

MIN_PRECISE_ROWS = 100
"""Smaller groups are marked: their rates are uncertain by 10 points."""

TOO_FEW_ROWS = "too few rows for a precise rate"

MAX_RATE_ROWS = 60
"""Rows of the table; the largest groups are shown."""

RATE_TITLES = {
    DR: Column("DR", "decisions that change"),
    "base_rate": Column("Base rate", "favourable labels", SHARE_SCALE),
    "selection_rate": Column("Selection rate", "favourable decisions", SHARE_SCALE),
    IMPACT_RATIO: Column("Impact ratio", "to the highest selection rate", SHARE_SCALE),
    "true_positive_rate": Column("True positive rate", "favourable labels selected", SHARE_SCALE),
    "false_positive_rate": Column(
        "False positive rate", "unfavourable labels selected", SHARE_SCALE
    ),
}

DR_NOTE = (
    "DR of the groups of one attribute is that of perturbing this attribute alone; DR of the "
    "intersections is that of perturbing all attributes together. So the DR of a group is not the "
    "mean of the DR of its intersections."
)

RATE_NOTE = (
    "A dot is a value, and the line through it is its confidence interval. An interval that is "
    "longer than the scale ends in an arrow. Impact ratios are relative to the most selected "
    "group with at least 2 % of the rows, which is marked as the reference; the dashed mark is at "
    "four fifths, 80 %."
)


def make_rate_table(values: MeasuredValues) -> ReportTable | None:
    """Return one table of all groups: rows, rates with intervals, impact ratios.

    Parameters
    ----------
    values : MeasuredValues
    """
    frame = values.comparison.group_rates
    if frame.empty:
        return None
    groups = dict(list(frame.groupby(["model", "attribute", "group"], sort=False)))
    largest = sorted(groups, key=lambda key: -groups[key]["rows"].iloc[0])[:MAX_RATE_ROWS]
    notes = [
        *([DR_NOTE] if len(values.names) > 1 else []),
        RATE_NOTE,
        *([f"The {len(largest)} largest of {len(groups)} groups."] * (len(largest) < len(groups))),
    ]
    return ReportTable(
        "Rates by group",
        [
            Column("Group"),
            *values.make_model_column(),
            Column("Rows", "share of all"),
            replace(RATE_TITLES[DR], scale=values.risk_scale),
            *list(RATE_TITLES.values())[1:],
        ],
        [],
        " ".join(notes),
        [
            RowGroup(
                _describe_attribute(name, values.names),
                [
                    _make_rate_row(values, key[0], rates)
                    for key, rates in groups.items()
                    if key[1] == name and key in set(largest)
                ],
            )
            for name in dict.fromkeys(key[1] for key in groups if key in set(largest))
        ],
    )


def _describe_attribute(attribute: Any, names: list[Any]) -> str:
    """Return the title of the groups of an attribute, or of all combinations."""
    if attribute != ALL:
        return format_name(attribute)
    return f"{format_enumeration(map(format_name, names))}: intersections"


def _make_rate_row(values: MeasuredValues, model: Any, rates: pd.DataFrame) -> list[Cell]:
    first, by_measure = rates.iloc[0], rates.set_index("measure")
    scales = {DR: values.risk_scale}
    return [
        make_heading(first["group"], "privileged" if first["privileged"] else ""),
        *values.make_model_cell(model),
        make_value_cell(first["rows"], f"{first['rows']:,}", format_percent(first["share"])),
        *(
            _make_rate_cell(name, by_measure.loc[name], scales.get(name, SHARE_SCALE))
            for name in RATE_TITLES
        ),
    ]


def _make_rate_cell(measure: str, row: pd.Series, scale: Scale) -> Cell:
    value, ends = row["value"], (row["low"], row["high"])
    note, tick = format_share_interval(*ends), math.nan
    if measure == IMPACT_RATIO:
        note, tick = _describe_ratio(row, note), FOUR_FIFTHS
    return make_value_cell(value, note=note, bar=make_bar(scale, value, *ends, tick))


def _describe_ratio(row: pd.Series, interval: str) -> str:
    """Return the small print of an impact ratio: interval, four fifths, and size of the group.

    A group with too few rows to be compared is not measured against four fifths.
    """
    if row["privileged"] is None:
        return "not compared, a value is missing"
    is_reference = row["group"] == row["reference"]
    is_listed = row["share"] >= MIN_LISTED_SHARE
    parts = [
        "reference" if is_reference else interval,
        "below four fifths" if is_listed and row["value"] < FOUR_FIFTHS else "",
        "" if is_listed else "not compared, below 2\xa0% of the rows",
        TOO_FEW_ROWS if is_listed and row["rows"] < MIN_PRECISE_ROWS else "",
    ]
    return "\n".join(part for part in parts if part)


def iter_impact_sentences(
    comparison: Comparison, model: Any, format_name: Callable[[Any], str] = format_name
) -> Iterator[str]:
    """Yield a sentence with the lowest impact ratio of each attribute, and its reference group.

    Parameters
    ----------
    comparison : Comparison
    model : name of the model
    format_name : function that returns a name as it is shown
    """
    frame = comparison.group_rates
    if frame.empty:
        return
    ratios = frame[(frame["model"] == model) & (frame["measure"] == IMPACT_RATIO)]
    for attribute, rows in ratios.groupby("attribute", sort=False):
        reference = rows[rows["group"] == rows["reference"]]
        others = rows[(rows["group"] != rows["reference"]) & (rows["share"] >= MIN_LISTED_SHARE)]
        if len(reference) and others["value"].notna().any():
            lowest, of = others.loc[others["value"].idxmin()], reference.iloc[0]
            scenario = "intersections" if attribute == ALL else format_name(attribute)
            group, to = (
                f"{format_name(one['group'])} ({_format_size(one)}" for one in (lowest, of)
            )
            yield (
                f"Lowest impact ratio for {scenario}: {format_percent(lowest['value'])}, {group}) "
                f"compared with {to})."
            )


def _format_size(row: pd.Series) -> str:
    warning = "; too few for a precise rate" if row["rows"] < MIN_PRECISE_ROWS else ""
    return f"{format_count(row['rows'], 'row')}, {format_percent(row['share'])} of all{warning}"


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
            f"{_name_scenario(attribute)}{f', {format_name(model)}' if several else ''}", rates
        )
        for (model, attribute), rates in frame.groupby(["model", "attribute"], sort=False)
    ]


def _name_scenario(attribute: Any) -> str:
    return "intersections" if attribute == ALL else format_name(attribute)


def _make_impact_table(name: str, rates: pd.DataFrame) -> ReportTable:
    sizes = rates.drop_duplicates("group").sort_values("rows", ascending=False, kind="stable")
    small = sizes[sizes["share"] < MIN_LISTED_SHARE]
    left_out = ", ".join(f"{format_name(one.group)} ({one.rows:,})" for one in small.itertuples())
    shown = sizes[sizes["share"] >= MIN_LISTED_SHARE]
    return ReportTable(
        f"Impact ratios, {name}",
        [
            Column("Group"),
            Column("Rows"),
            *(RATE_TITLES[measure] for measure in ("selection_rate", IMPACT_RATIO)),
        ],
        [_make_impact_row(rates[rates["group"] == group]) for group in shown["group"]],
        "The reference is the most selected group."
        + (f" Left out, with less than 2 % of the rows: {left_out}." if left_out else ""),
    )


def _make_impact_row(rates: pd.DataFrame) -> list[Cell]:
    first, by_measure = rates.iloc[0], rates.set_index("measure")
    return [
        make_heading(first["group"]),
        make_value_cell(first["rows"], f"{first['rows']:,}"),
        *(
            _make_rate_cell(name, by_measure.loc[name], SHARE_SCALE)
            for name in ("selection_rate", IMPACT_RATIO)
        ),
    ]
