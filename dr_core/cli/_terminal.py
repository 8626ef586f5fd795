"""Results printed to a terminal or piped into a file."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from unicodedata import category

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from dr_core import datasets
from dr_core._utils import format_points
from dr_core.comparison import (
    FAIL,
    PASS,
    UNDECIDED,
    Comparison,
    Verdict,
)
from dr_core.metrics import PERFORMANCE_MEASURES, RATIO_MEASURES
from dr_core.report import (
    QuantityAudit,
    format_amount,
    format_headline,
    format_measure,
    format_measure_ends,
    format_shift,
    iter_impact_sentences,
    iter_lacking_intervals,
    iter_next_steps,
)
from dr_core.risk import Plausibility

__all__ = [
    "escape_unprintable",
    "make_console",
    "print_comparison",
    "print_datasets",
    "print_quantity",
    "print_stage",
    "print_verdict",
]

QUANTITY_COLUMNS = {
    "rows": "rows",
    "mean": "mean size",
    "signed_mean": "signed mean",
    "largest": "largest",
    "mean_score": "mean prediction",
    "mean_label": "mean label",
    "mean_error": "mean error",
    "mean_absolute_error": "mean absolute error",
}
"""Columns of the groups of a regressor, by their names in the result."""

PLAIN_WIDTH = 120
"""Width of the output if it does not go to a terminal."""

NAME_WIDTH, MIN_NAME_WIDTH = 34, 20
"""Width of the names of measures, in one line and in several."""

VALUE_WIDTH, INTERVAL_WIDTH = 27, 19
"""Width of a value with its interval in the same line, and in the next."""


def make_console(*, stderr: bool = False) -> Console:
    """Return a console that writes plain text if the output is piped."""
    console = Console(highlight=False, stderr=stderr)
    if console.is_terminal:
        return console
    return Console(highlight=False, stderr=stderr, width=PLAIN_WIDTH)


def print_stage(stage: Any) -> None:
    """Say on standard error what is being done, if it is a terminal."""
    if sys.stderr.isatty():
        print(f"dr-audit: {escape_unprintable(stage)} …", file=sys.stderr)


def escape_unprintable(text: Any) -> str:
    r"""Escape control characters, so that text from a file cannot control the terminal.

    >>> escape_unprintable("Zoë"), escape_unprintable("\x1b[2J")
    ('Zoë', '\\x1b[2J')
    """
    return "".join(
        char if char.isprintable() or category(char) == "Zs" else ascii(char)[1:-1]
        for char in str(text)
    )


def print_datasets(console: Console) -> None:
    """List the shipped data sets."""
    table = _make_table(console, "data set", "rows", "privileged", "description")
    for name in datasets.names():
        bunch = datasets.load(name)
        privileged = ", ".join(f"{k}={v}" for k, v in bunch.privileged.items())
        first_sentence = re.split(r"(?<=[.?]) ", bunch.description)[0]
        table.add_row(name, f"{len(bunch.data):,}", privileged, first_sentence)
    console.print(table)


def print_comparison(console: Console, comparison: Comparison, facts: Mapping[str, str]) -> None:
    """Print DR and the established measures of one model."""
    columns = [*comparison.values, "low", "high", "signed_low", "signed_high"]
    values = comparison.values.reindex(columns=list(dict.fromkeys(columns)))
    attributes = list(values["attribute"].unique())
    _print_facts(console, facts)
    # The paragraph on plausibility follows the headline.
    headline = format_headline(
        comparison, values["model"].iloc[0], escape_unprintable, with_plausibility=False
    )
    console.print(Text(f"{headline}\n", style="bold"))
    for found in comparison.plausibility.values():
        _print_plausibility(console, found, found.when_coupled)
    performance = values["measure"].isin(PERFORMANCE_MEASURES)
    for some in _split_columns(console, attributes):
        shown = values[~performance & values["attribute"].isin(some)]
        _print_measures(console, shown, some, is_narrow=_is_narrow(console, attributes))
    overall = values[performance & (values["attribute"] == attributes[-1])]
    shown = (
        f"{row.measure} {format_measure(row.measure, row.value)}" for row in overall.itertuples()
    )
    console.print("  ".join(shown))
    for text in (
        *iter_lacking_intervals(comparison, escape_unprintable),
        *iter_impact_sentences(comparison, values["model"].iloc[0], escape_unprintable),
    ):
        console.print(Text(text))
    ratios = ", ".join(name.replace("_", " ") for name in RATIO_MEASURES)
    console.print(
        f"Fairness measures: best value 0 ({ratios}: 100 %). Gaps with a sign: "
        "marginalised minus privileged, in percentage points (pp). A discriminative risk of 0 "
        "does not show that a model is fair.",
        style="dim",
    )


def print_verdict(console: Console, verdict: Verdict) -> None:
    """Print the decision on each limit, and what it can hide."""
    styles = {PASS: "bold green", FAIL: "bold red", UNDECIDED: "bold yellow"}
    console.print()
    for decision in verdict.decisions:
        console.print(Text(escape_unprintable(decision), style=styles[decision.outcome]))
    for note in verdict.notes:
        console.print(Text(escape_unprintable(note)))


def _is_narrow(console: Console, attributes: Sequence[Any]) -> bool:
    """Return whether values and their intervals do not fit into one line."""
    return console.width < NAME_WIDTH + len(attributes) * VALUE_WIDTH


def _split_columns(console: Console, attributes: list[Any]) -> list[list[Any]]:
    """Return the attributes of each table, so that it fits the console."""
    if not _is_narrow(console, attributes):
        return [attributes]
    n = max(1, (console.width - MIN_NAME_WIDTH) // INTERVAL_WIDTH)
    return [attributes[i : i + n] for i in range(0, len(attributes), n)]


def _print_measures(
    console: Console, values: pd.DataFrame, attributes: Sequence[Any], *, is_narrow: bool
) -> None:
    table = _make_table(console, "measure", *attributes)
    for column in table.columns[1:]:
        column.no_wrap = True
    for measure, rows in values.groupby("measure", sort=False):
        cells = [_format_value(row) for row in rows.itertuples()]
        if is_narrow:
            cells = [cell.replace(" [", "\n[") for cell in cells]
        style = "bold" if measure == "discriminative_risk" else None
        table.add_row(measure.replace("_", " "), *map(Text, cells), style=style)
    console.print(table)


def print_quantity(console: Console, audit: QuantityAudit, facts: Mapping[str, str]) -> None:
    """Print how far the predictions of a regressor move, and means and errors by group."""
    _print_facts(console, facts)
    console.print(Text(f"{format_shift(audit, escape_unprintable)}\n", style="bold"))
    if audit.plausibility:
        _print_plausibility(console, *audit.plausibility)
    frame = audit.table().rename_axis(None)
    console.print("Size of the shift, in the unit of the label", style="bold")
    _print_frame(console, frame.T)
    groups = audit.shift.by_group.set_index("group")[QUANTITY_COLUMNS.keys()]
    for name in audit.shift.plan.attributes.names:
        of_name = (audit.shift.by_group["attribute"] == name).to_numpy()
        console.print(Text(f"By {escape_unprintable(name)}", style="bold"))
        _print_frame(console, groups[of_name].rename(columns=QUANTITY_COLUMNS))
    errors = audit.shift.errors.rename(QUANTITY_COLUMNS)
    console.print("  ".join(f"{name} {errors[name]:.4g}" for name in errors.index))
    console.print(
        "signed mean: what a group would gain on average with other sensitive values. A shift of "
        "0 does not show that a model is fair.",
        style="dim",
    )


def _print_frame(console: Console, frame: pd.DataFrame) -> None:
    table = _make_table(console, "", *(_spell(column) for column in frame.columns))
    for name, row in zip(frame.index, frame.itertuples(index=False), strict=True):
        cells = (format_amount(v) if isinstance(v, float) else escape_unprintable(v) for v in row)
        table.add_row(_spell(name), *map(Text, cells))
    console.print(table)


def _spell(name: Any) -> str:
    return escape_unprintable(name).replace("_", " ")


def _make_table(console: Console, *columns: str) -> RichTable:
    table = RichTable(box=box.SIMPLE_HEAD if console.is_terminal else box.ASCII2)
    for column in columns:
        table.add_column(Text(escape_unprintable(column)))
    return table


def _print_facts(console: Console, facts: Mapping[str, str]) -> None:
    for name, fact in facts.items():
        console.print(Text(f"{name:<12}", style="dim") + Text(escape_unprintable(fact)))
    console.print()


def _print_plausibility(
    console: Console, found: Plausibility, coupled: Plausibility | None = None
) -> None:
    """Print the share of implausible rows, without and with coupled columns."""
    console.print(Text(escape_unprintable(str(found))))
    if coupled is not None:
        console.print(Text(f"With coupled columns: {escape_unprintable(str(coupled))}"))
    for step in iter_next_steps(found, escape_unprintable):
        console.print(Text(step))
    console.print()


def _format_value(row: Any) -> str:
    if pd.isna(row.value):
        return "undefined"
    if pd.isna(row.signed):
        value, ends = format_measure(row.measure, row.value), (row.low, row.high)
        texts = format_measure_ends(row.measure, *ends)
    else:
        value, ends = format_points(row.signed), (row.signed_low, row.signed_high)
        texts = format_points(ends[0]), format_points(ends[1])
    return value if pd.isna(ends[0]) else f"{value} {_join_ends(texts)}"


def _join_ends(ends: Iterable[str]) -> str:
    """Return an interval that stands behind a value; only the value has the unit.

    >>> _join_ends(["3.9 %", "4.6 %"])
    '[3.9, 4.6]'
    """
    return f"[{', '.join(end.removesuffix(' pp').removesuffix(' %') for end in ends)}]"
