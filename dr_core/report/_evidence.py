"""Sections of the report on what the caller says about data and run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dr_core.report._drawings import Column, ReportTable, make_heading, make_text_cell

__all__ = ["make_data_quality_table"]


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
        "Findings in the data that can make the numbers misleading",
        [Column("Column"), Column("Check"), Column("Found"), Column("What to do")],
        [
            [make_heading(one["column"]), *map(make_text_cell, _get_texts(one))]
            for one in evidence["data_quality"]
        ],
    )


def _get_texts(finding: Mapping[str, str]) -> list[str]:
    return [finding[key] for key in ("check", "message", "remedy")]
