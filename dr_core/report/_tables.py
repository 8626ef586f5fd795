"""A table as the template draws it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from dr_core.report._drawings import Bar
from dr_core.report._words import number

__all__ = ["Cell", "Column", "Table", "heading", "text", "value_cell"]


@dataclass(frozen=True)
class Column:
    """A column: its title, and an explanation in small print."""

    title: str
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """What stands in a table at one place.

    Attributes
    ----------
    text, note : what is shown, and what is shown below it in small print
    value : the number it sorts by, "" for none; None to sort by the text
    bar : a bar below the text
    is_heading : whether it names its row
    """

    text: str
    note: str = ""
    value: str | None = None
    bar: Bar | None = None
    is_heading: bool = False


@dataclass(frozen=True)
class Table:
    """Columns and rows, and what they are about."""

    caption: str
    columns: list[Column]
    rows: list[list[Cell]]
    note: str = ""
    legend: list[str] = field(default_factory=list)


def heading(name: Any, note: str = "") -> Cell:
    """A cell that names its row."""
    return Cell(str(name), note, is_heading=True)


def text(content: Any) -> Cell:
    """A cell with nothing but text."""
    return Cell(str(content))


def value_cell(
    value: float, shown: str | None = None, note: str = "", bar: Bar | None = None
) -> Cell:
    """A cell with a number, which sorts by the number itself and not by the digits shown.

    >>> value_cell(0.12345).text, value_cell(0.12345).value, value_cell(float("nan")).value
    ('0.1235', '0.12345', '')
    """
    exact = "" if math.isnan(value) else repr(float(value)).replace("inf", "Infinity")
    return Cell(number(value) if shown is None else shown, note, exact, bar)
