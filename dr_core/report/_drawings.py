"""Tables with dots, intervals and bars, as the template draws them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dr_core._utils import format_percent

__all__ = [
    "SHARE_SCALE",
    "Bar",
    "Cell",
    "Column",
    "ReportTable",
    "RowGroup",
    "Scale",
    "compute_scale_end",
    "make_bar",
    "make_direction_bar",
    "make_gap_scale",
    "make_heading",
    "make_risk_scale",
    "make_text_cell",
    "make_value_cell",
]

SCALE_ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
"""Candidates for the end of a scale of shares."""


def compute_scale_end(values: Iterable[float]) -> float:
    """Return a round number that is at least as large as every finite value.

    >>> compute_scale_end([0.03, 0.17, float("nan")]), compute_scale_end([1.2, 1800])
    (0.2, 2000.0)
    """
    largest = max((value for value in values if math.isfinite(value)), default=0.0)
    if largest <= 1:
        return next(end for end in SCALE_ENDS if end >= largest)
    magnitude = 10.0 ** math.floor(math.log10(largest))
    steps = (1, 1.5, 2, 3, 5, 7.5, 10)
    return magnitude * next(step for step in steps if step >= largest / magnitude)


@dataclass(frozen=True)
class Scale:
    """Linear map from values in [start, end] to positions in [first, last].

    Values outside are clipped. A scale in a column of a table has texts at its two ends.

    >>> Scale(0.5).at(0.1), Scale(0.5).at(7), Scale(1, first=80, last=0).at(0.25)
    (20.0, 100.0, 60.0)
    """

    end: float
    start: float = 0.0
    first: float = 0.0
    last: float = 100.0
    texts: tuple[str, str] = ("", "")

    def at(self, value: float) -> float:
        """Return the position of a value, rounded to two digits."""
        part = (min(max(value, self.start), self.end) - self.start) / (self.end - self.start)
        return round(self.first + part * (self.last - self.first), 2)

    @property
    def zero(self) -> float | None:
        """Position of 0 if it lies within the scale; None if it is at an end or outside."""
        return self.at(0.0) if self.start < 0 < self.end else None


SHARE_SCALE = Scale(1.0, texts=("0", "100 %"))
"""Scale of shares from 0 to 1."""


def make_risk_scale(risks: Iterable[float]) -> Scale:
    """Return a scale from 0 to a round number for discriminative risks.

    >>> make_risk_scale([0.04]).texts
    ('0', '5 %')
    """
    end = compute_scale_end(risks)
    return Scale(end, texts=("0", f"{100 * end:g} %"))


def make_gap_scale(gaps: Iterable[float], unit: str = " pp") -> Scale:
    """Return a scale around 0 for signed differences.

    >>> make_gap_scale([-0.15, 0.1]).texts
    ('−20', '+20 pp')
    """
    end = compute_scale_end(map(abs, gaps))
    return Scale(end, -end, texts=(f"−{100 * end:g}", f"+{100 * end:g}{unit}"))


class Bar(NamedTuple):
    """A drawing in a box of width 100.

    Attributes
    ----------
    parts : (class, start, width) of each part of a bar
    whisker : both ends of a confidence interval, or None
    tick : position of a reference value, or None
    dot : position of the value, or None
    zero : position of 0 within the box, or None
    is_cut : whether the interval goes beyond the end of the scale
    """

    parts: list[tuple[str, float, float]]
    whisker: tuple[float, float] | None = None
    tick: float | None = None
    dot: float | None = None
    zero: float | None = None
    is_cut: bool = False


def make_bar(
    scale: Scale,
    value: float,
    low: float = math.nan,
    high: float = math.nan,
    tick: float = math.nan,
) -> Bar | None:
    """Return a value as a dot with its confidence interval; None if the value is NaN.

    >>> make_bar(Scale(0.5), 0.1, 0.05, 0.2)
    Bar(parts=[], whisker=(10.0, 40.0), tick=None, dot=20.0, zero=None, is_cut=False)
    """
    if math.isnan(value):
        return None
    whisker = None if math.isnan(low) else (scale.at(low), scale.at(high))
    mark = None if math.isnan(tick) else scale.at(tick)
    return Bar([], whisker, mark, scale.at(value), scale.zero, is_cut=high > scale.end)


def make_direction_bar(scale: Scale, loses: float, gains: float) -> Bar:
    """Return a bar of losses to the left of 0 and of gains to the right.

    >>> make_direction_bar(Scale(0.5, -0.5), 0.1, 0.2).parts
    [('loses', 40.0, 10.0), ('gains', 50.0, 20.0)]
    """
    low, zero, high = (scale.at(value) for value in (-loses, 0.0, gains))
    parts = [("loses", low, round(zero - low, 2)), ("gains", zero, round(high - zero, 2))]
    return Bar(parts, zero=zero)


@dataclass(frozen=True)
class Column:
    """Title of a table column, with a note in small print, and the scale of its drawings."""

    title: str
    note: str = ""
    scale: Scale | None = None


@dataclass(frozen=True)
class Cell:
    """Cell of a table.

    Attributes
    ----------
    text, note : text of the cell, and a note in small print below it
    value : number to sort by, "" if undefined; None to sort by the text
    bar : drawing below the text
    is_heading : whether the cell is the heading of its row
    """

    text: str
    note: str = ""
    value: str | None = None
    bar: Bar | None = None
    is_heading: bool = False


class RowGroup(NamedTuple):
    """Rows under a title of their own; they are sorted apart from the others."""

    title: str
    rows: list[list[Cell]]


@dataclass(frozen=True)
class ReportTable:
    """Table with its caption, a note below it, and rows in groups with titles."""

    caption: str
    columns: list[Column]
    rows: list[list[Cell]]
    note: str = ""
    groups: list[RowGroup] = field(default_factory=list)

    @property
    def bodies(self) -> list[RowGroup]:
        """Rows without a title, then those in groups."""
        return [*([RowGroup("", self.rows)] if self.rows else []), *self.groups]


def make_heading(name: Any, note: str = "") -> Cell:
    """Return the heading of a row."""
    return Cell(str(name), note, is_heading=True)


def make_text_cell(content: Any, note: str = "") -> Cell:
    """Return a cell with text only."""
    return Cell(str(content), note)


def make_value_cell(
    value: float, text: str | None = None, note: str = "", bar: Bar | None = None
) -> Cell:
    """Return a cell that sorts by the exact value, not by the rounded text.

    >>> make_value_cell(0.12345).text, make_value_cell(0.12345).value
    ('12.3 %', '0.12345')
    """
    exact = "" if math.isnan(value) else repr(float(value)).replace("inf", "Infinity")
    return Cell(format_percent(value) if text is None else text, note, exact, bar)
