"""Sections of the report on what the caller says about data and run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dr_core._utils import format_enumeration, format_estimate
from dr_core.comparison import Decision
from dr_core.report._drawings import (
    Cell,
    Column,
    ReportTable,
    make_heading,
    make_text_cell,
    make_value_cell,
)
from dr_core.report._words import describe_measure, format_scenario

__all__ = ["describe_spellings", "make_data_quality_table", "make_verdict_table"]


def make_data_quality_table(evidence: Mapping[str, Any]) -> ReportTable | None:
    """Return the table of findings in the data; None if the data were not checked.

    Parameters
    ----------
    evidence : mapping
        "data_quality" has one mapping of column, check, message and remedy for each finding.

    Examples
    --------
    >>> finding = {"column": "sex", "check": "spelling", "message": "has ...", "remedy": "..."}
    >>> len(make_data_quality_table({"data_quality": [finding]}).rows)
    1
    """
    if "data_quality" not in evidence:
        return None
    return ReportTable(
        "Findings in the data that can make the numbers misleading, and changes of the data",
        [Column("Column"), Column("Check"), Column("Found"), Column("What to do, or was done")],
        [
            [make_heading(one["column"]), *map(make_text_cell, _get_texts(one))]
            for one in evidence["data_quality"]
        ],
    )


def describe_spellings(
    evidence: Mapping[str, Any], names: Iterable[Any], format_name: Callable[[Any], str]
) -> str:
    """Return a sentence if values of a sensitive column or the label have several spellings.

    Parameters
    ----------
    evidence : mapping
        As for `make_data_quality_table`, with the label in "provenance".
    names : sensitive attributes
    format_name : function that returns the name of a column as it is shown

    Examples
    --------
    >>> finding = {"column": "sex", "check": "spelling", "message": "has ...", "remedy": "..."}
    >>> describe_spellings({"data_quality": [finding]}, ["sex"], str)
    'Spellings of sex that differ only in case, blanks or accents count as different values.'
    """
    columns = {*map(str, names), evidence.get("provenance", {}).get("label")}
    found = [
        one["column"]
        for one in evidence.get("data_quality", ())
        if one["check"] == "spelling" and one["column"] in columns
    ]
    if not found:
        return ""
    shown = format_enumeration(map(format_name, dict.fromkeys(found)))
    return (
        f"Spellings of {shown} that differ only in case, blanks or accents count as different "
        "values."
    )


def make_verdict_table(evidence: Mapping[str, Any]) -> ReportTable | None:
    """Return the table of limits and whether they are kept; None if there are none."""
    if "verdict" not in evidence:
        return None
    names = ["Measure", "Attribute", "Value", "Interval", "Limit", "Outcome", "Rows to decide"]
    return ReportTable(
        f"Limits, decided on confidence intervals: {evidence['verdict']['outcome']}",
        [Column(name) for name in names],
        [_make_limit_row(limit) for limit in evidence["verdict"]["limits"]],
        "Pass: the whole interval is within the limit. Fail: all of it is beyond. Otherwise the "
        "data cannot tell.",
    )


def _make_limit_row(limit: Mapping[str, Any]) -> list[Cell]:
    needed, decision = limit["rows_needed"], Decision.from_record(limit)
    value, low, high, largest = (_use_minus(text) for text in decision.format_numbers())
    has_sign = not math.isnan(decision.signed_low)
    return [
        make_heading(describe_measure(limit["measure"]).title),
        make_text_cell(format_scenario(limit["attribute"])),
        make_value_cell(decision.signed if has_sign else decision.value, value),
        make_text_cell(f"{low.removesuffix(' pp')} to {high}" if low else ""),
        make_value_cell(limit["limit"], largest),
        make_text_cell(limit["outcome"]),
        make_text_cell("–" if needed is None else f"about {format_estimate(needed)}"),
    ]


def _use_minus(text: str) -> str:
    return text.replace("-", "−")


def _get_texts(finding: Mapping[str, str]) -> list[str]:
    return [finding[key] for key in ("check", "message", "remedy")]
