"""Tables of docs/reproduction.md and its sub-pages, made from the committed results.

Between ``<!-- table: NAME -->`` and ``<!-- end -->`` a page holds what `TABLES[NAME]` makes of
the results. `python -m benchmarks.paper.page` writes them anew; a test compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from benchmarks.paper import bounds, lawschool, page_tables, quality
from benchmarks.paper.checklist import checklist_table
from benchmarks.paper.claims import claims_table, verdicts_table
from dr_core._utils import write_atomically

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reproduction.md"
PAGES = [PAGE, *sorted((ROOT / "docs" / "reproduction").glob("*.md"))]
"""The page that has the verdicts, and its sub-pages."""

RESULTS = Path(__file__).parent / "results"

MARKED = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def quality_table(results: Path) -> pd.DataFrame:
    """RQ1: published and measured correlation with the change in accuracy."""
    return quality.headline(pd.read_csv(results / "quality" / "correlations.csv"))


def lead_table(results: Path) -> pd.DataFrame:
    """RQ1: by how much DR correlates more than the other measures."""
    return pd.read_csv(results / "quality" / "lead.csv")


def coverage_table(results: Path) -> pd.DataFrame:
    """RQ2: coverage of each bound."""
    return bounds.side_by_side(pd.read_csv(results / "bounds" / "coverage.csv"))


def tightest_table(results: Path) -> pd.DataFrame:
    """RQ2: which oracle bound is the tightest."""
    return pd.read_csv(results / "bounds" / "tightest.csv")


def lawschool_table(results: Path) -> pd.DataFrame:
    """DR of the four predictors."""
    return lawschool.side_by_side(pd.read_csv(results / "lawschool" / "summary.csv"))


Tables = dict[str, Callable[[Path], pd.DataFrame]]
"""Functions of the folder of results, by the name of the table on the page."""

TABLES: Tables = {
    "verdicts": verdicts_table,
    "claims": claims_table,
    "checklist": checklist_table,
    "quality": quality_table,
    "lead": lead_table,
    "coverage": coverage_table,
    "tightest": tightest_table,
    "lawschool": lawschool_table,
    **page_tables.TABLES,
}


def refreshed(text: str, results: Path = RESULTS, tables: Tables = TABLES) -> str:
    """Return the page with its tables made anew."""

    def table(match: re.Match[str]) -> str:
        start, name, end = match.groups()
        return f"{start}{markdown(tables[name](results))}\n{end}"

    return MARKED.sub(table, text)


def markdown(table: pd.DataFrame) -> str:
    """Write a table in Markdown, its index left out.

    >>> print(markdown(pd.DataFrame({"bound": ["margin"], "holds": [1.0]})))
    | bound | holds |
    | --- | --- |
    | margin | 1 |
    """
    lines = [list(map(str, table.columns)), ["---"] * table.shape[1]]
    lines += [[_text(cell) for cell in row] for row in table.values.tolist()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


if __name__ == "__main__":
    for page in PAGES:
        write_atomically(page, refreshed(page.read_text("utf-8")))
