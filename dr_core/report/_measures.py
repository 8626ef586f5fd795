"""Sections of the report on measures: signed gaps, other fairness measures, performance."""

from __future__ import annotations

import math
from typing import Any

from dr_core.comparison import SCORE_SHIFT
from dr_core.metrics import DR, FAIRNESS_MEASURES, PERFORMANCE_MEASURES
from dr_core.report._drawings import (
    SHARE_SCALE,
    Cell,
    Column,
    ReportTable,
    Scale,
    compute_scale_end,
    make_bar,
    make_gap_scale,
    make_heading,
    make_value_cell,
)
from dr_core.report._values import MeasuredValues
from dr_core.report._words import (
    describe_measure,
    format_gap,
    format_measure,
    format_measure_ends,
    format_points_interval,
    format_scenario,
)

__all__ = ["make_gap_table", "make_other_table", "make_performance_table"]


def make_gap_table(values: MeasuredValues) -> ReportTable | None:
    """Return the table of the gaps that have a sign, with their intervals around 0."""
    shown = _find_signed(values)
    if not shown:
        return None
    ends = values.get_numbers(shown, "signed", "signed_low", "signed_high")
    scale = make_gap_scale(ends)
    return ReportTable(
        "Signed gaps: marginalised minus privileged",
        _make_columns(values, scale),
        [
            _make_gap_row(values, measure, model, scale)
            for measure in shown
            for model in values.models
        ],
        "pp: percentage points; 0 is best. Left of the line at 0, the rate of the marginalised "
        "group is lower. An interval that contains 0 is compatible with no gap.",
    )


def _find_signed(values: MeasuredValues) -> list[str]:
    frame = values.frame
    signed = set(frame.loc[frame["signed"].notna(), "measure"])
    return [name for name in FAIRNESS_MEASURES if name in signed]


def _make_columns(values: MeasuredValues, scale: Scale | None = None) -> list[Column]:
    of_attributes = [Column(format_scenario(name), scale=scale) for name in values.attributes]
    return [Column("Measure"), *values.make_model_column(), *of_attributes]


def _make_gap_row(values: MeasuredValues, measure: str, model: Any, scale: Scale) -> list[Cell]:
    return [
        make_heading(*describe_measure(measure)[:2]),
        *values.make_model_cell(model),
        *(_make_gap_cell(values.get_row(measure, model, n), scale) for n in values.attributes),
    ]


def _make_gap_cell(row: Any, scale: Scale) -> Cell:
    return make_value_cell(
        row.signed,
        format_gap(row.signed),
        format_points_interval(row.signed_low, row.signed_high),
        make_bar(scale, row.signed, row.signed_low, row.signed_high),
    )


def make_other_table(values: MeasuredValues) -> ReportTable | None:
    """Return the table of the fairness measures without a sign; DR has a section of its own."""
    without = {DR, *_find_signed(values)}
    known = values.select_measures([*FAIRNESS_MEASURES, SCORE_SHIFT])
    shown = [name for name in known if name not in without]
    if not shown:
        return None
    return ReportTable(
        "Fairness measures without a sign",
        _make_columns(values),
        [
            _make_other_row(values, measure, model, _make_other_scale(values, measure))
            for measure in shown
            for model in values.models
        ],
        "Lines go from 0 to 100 %, those of ratios may go further; a dashed mark is at the best "
        "value of a ratio, 100 %.",
    )


def _make_other_scale(values: MeasuredValues, measure: str) -> Scale:
    return Scale(max(1.0, compute_scale_end(values.get_numbers([measure], "value", "high"))))


def _make_other_row(values: MeasuredValues, measure: str, model: Any, scale: Scale) -> list[Cell]:
    title, description, best = describe_measure(measure)
    tick = best or math.nan
    rows = (values.get_row(measure, model, name) for name in values.attributes)
    return [
        make_heading(title, description),
        *values.make_model_cell(model),
        *(_make_value_cell(row, scale, tick) for row in rows),
    ]


def _make_value_cell(row: Any, scale: Scale, tick: float = math.nan) -> Cell:
    ends = "" if math.isnan(row.low) else format_measure_ends(row.measure, row.low, row.high)
    bar = make_bar(scale, row.value, row.low, row.high, tick)
    text = format_measure(row.measure, row.value)
    return make_value_cell(row.value, text, " to ".join(ends), bar)


def make_performance_table(values: MeasuredValues) -> ReportTable | None:
    """Return the table of the performance measures, one column for each."""
    shown = values.select_measures(PERFORMANCE_MEASURES)
    if not shown:
        return None
    texts = [describe_measure(name) for name in shown]
    columns = [Column(text.title, text.description, SHARE_SCALE) for text in texts]
    return ReportTable(
        "Performance over all rows",
        [Column("Model"), *columns],
        [_make_performance_row(values, model, shown) for model in values.models],
    )


def _make_performance_row(values: MeasuredValues, model: Any, shown: list[str]) -> list[Cell]:
    rows = (values.get_row(name, model, values.attributes[-1]) for name in shown)
    return [make_heading(model), *(_make_value_cell(row, SHARE_SCALE) for row in rows)]
