"""Results for people, in a terminal or piped into a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from unicodedata import category

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dr_core import datasets
from dr_core.comparison import Comparison
from dr_core.risk import Plausibility

__all__ = ["make_console", "print_comparison", "print_datasets", "print_risk", "visible"]

PERFORMANCE = ("accuracy", "precision", "recall", "f1", "specificity")

PLAIN_WIDTH = 120
"""Columns of the output when it does not go to a terminal."""


def make_console() -> Console:
    """Return a console that writes plain text when it is piped."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def visible(text: Any) -> str:
    r"""Text of a file as it may be shown: what would command the terminal is written out.

    >>> visible("Zoë"), visible("\x1b[2J")
    ('Zoë', '\\x1b[2J')
    """
    return "".join(
        char if char.isprintable() or category(char) == "Zs" else ascii(char)[1:-1]
        for char in str(text)
    )


def print_datasets(console: Console) -> None:
    """List the shipped data sets."""
    table = _table(console, "data set", "rows", "privileged", "what it is")
    for name in datasets.names():
        bunch = datasets.load(name)
        privileged = ", ".join(f"{k}={v}" for k, v in bunch.privileged.items())
        what = re.split(r"(?<=[.?]) ", bunch.description)[0]
        table.add_row(name, f"{len(bunch.data):,}", privileged, what)
    console.print(table)


def print_comparison(console: Console, comparison: Comparison, facts: Mapping[str, str]) -> None:
    """Print DR side by side with the established measures of one model."""
    values = comparison.values
    attributes = list(values["attribute"].unique())
    _print_facts(console, facts)
    _print_headline(console, values, attributes)
    for found in comparison.plausibility.values():
        _print_plausibility(console, found, found.when_coupled)
    table = _table(console, "measure", *attributes)
    performance = values["measure"].isin(PERFORMANCE)
    for measure, rows in values[~performance].groupby("measure", sort=False):
        cells = [_cell(row) for row in rows.itertuples()]
        style = "bold" if measure == "discriminative_risk" else None
        table.add_row(measure.replace("_", " "), *map(Text, cells), style=style)
    console.print(table)
    overall = values[performance & (values["attribute"] == attributes[-1])]
    console.print("  ".join(f"{row.measure} {row.value:.4f}" for row in overall.itertuples()))
    console.print(
        "Fairness measures are 0 at best (disparate impact: 1). A discriminative risk of 0 is "
        "necessary for fairness, not sufficient.",
        style="dim",
    )


def print_risk(
    console: Console,
    risks: pd.DataFrame,
    checked: Sequence[Plausibility],
    facts: Mapping[str, str],
) -> None:
    """Print the DR of a model that predicts a quantity."""
    _print_facts(console, facts)
    if checked:
        _print_plausibility(console, *checked)
    frame = risks.T
    table = _table(console, "", *frame.columns)
    for name, row in frame.iterrows():
        table.add_row(str(name).replace("_", " "), *(f"{value:.4f}" for value in row))
    console.print(table)


def _table(console: Console, *columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD if console.is_terminal else box.ASCII2)
    for column in columns:
        table.add_column(Text(visible(column)))
    return table


def _print_facts(console: Console, facts: Mapping[str, str]) -> None:
    for name, fact in facts.items():
        console.print(Text(f"{name:<12}", style="dim") + Text(visible(fact)))
    console.print()


def _print_headline(console: Console, values: pd.DataFrame, attributes: list[Any]) -> None:
    wanted = (values["measure"] == "discriminative_risk") & (values["attribute"] == attributes[-1])
    row = next(values[wanted].itertuples())
    names = " and ".join(visible(name) for name in attributes if name != "all")
    interval = f" (95% interval {row.low:.1%} to {row.high:.1%})" if hasattr(row, "low") else ""
    text = f"{row.value:.1%} of people would get a different decision if only their {names} were "
    console.print(Text(f"{text}different{interval}.\n", style="bold"))


def _print_plausibility(
    console: Console, found: Plausibility, coupled: Plausibility | None = None
) -> None:
    """Say how many perturbed rows are implausible, without and with coupled columns."""
    console.print(Text(str(found)))
    if coupled is not None:
        console.print(Text(f"With coupled columns: {coupled}"))
    console.print()


def _cell(row: Any) -> str:
    if pd.isna(row.value):
        return "undefined"
    has_interval = hasattr(row, "low") and not pd.isna(row.low)
    interval = f" [{row.low:.3f}, {row.high:.3f}]" if has_interval else ""
    return f"{row.value:.4f}{interval}"
