"""Tables, bars and plots as the template draws them, with positions and sizes for SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd

from dr_core.report._words import format_number

__all__ = [
    "SHARE_SCALE",
    "Bar",
    "Cell",
    "Column",
    "Dot",
    "Plot",
    "ReportTable",
    "Scale",
    "compute_scale_end",
    "make_bar",
    "make_dot_bar",
    "make_front_plot",
    "make_heading",
    "make_stacked_bar",
    "make_text_cell",
    "make_value_cell",
]

SCALE_ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
"""Candidates for the end of a scale of shares."""


def compute_scale_end(values: Iterable[float]) -> float:
    """Return a round number that is at least as large as every finite value.

    >>> compute_scale_end([0.03, 0.17, float("nan")]), compute_scale_end([1.2])
    (0.2, 1.5)
    """
    largest = max((value for value in values if math.isfinite(value)), default=0.0)
    return next((end for end in SCALE_ENDS if end >= largest), math.ceil(2 * largest) / 2)


@dataclass(frozen=True)
class Scale:
    """Linear map from values in [start, end] to positions in [first, last].

    Values outside are clipped.

    >>> Scale(0.5).at(0.1), Scale(0.5).at(7), Scale(1, first=80, last=0).at(0.25)
    (20.0, 100.0, 60.0)
    """

    end: float
    start: float = 0.0
    first: float = 0.0
    last: float = 100.0

    def at(self, value: float) -> float:
        """Return the position of a value, rounded to two digits."""
        part = (min(max(value, self.start), self.end) - self.start) / (self.end - self.start)
        return round(self.first + part * (self.last - self.first), 2)


SHARE_SCALE = Scale(1.0)
"""Scale of shares from 0 to 1."""


class Bar(NamedTuple):
    """A bar in a box of width 100.

    Attributes
    ----------
    parts : (start, width) of each part, side by side
    whisker : both ends of a confidence interval, or None
    tick : position of a reference value, or None
    dot : position of a value that is drawn as a point, or None
    """

    parts: list[tuple[float, float]]
    whisker: tuple[float, float] | None = None
    tick: float | None = None
    dot: float | None = None


def make_bar(
    scale: Scale, value: float, low: float = math.nan, high: float = math.nan, tick: float = 0.0
) -> Bar | None:
    """Return the bar of a value with its confidence interval; None if the value is NaN.

    >>> make_bar(Scale(0.5), 0.1, 0.05, 0.2)
    Bar(parts=[(0.0, 20.0)], whisker=(10.0, 40.0), tick=None, dot=None)
    """
    if math.isnan(value):
        return None
    whisker = None if math.isnan(low) else (scale.at(low), scale.at(high))
    return Bar([(0.0, scale.at(value))], whisker, scale.at(tick) if tick else None)


def make_dot_bar(value: float, low: float, high: float, tick: float = 0.0) -> Bar | None:
    """Return a point with its confidence interval on a scale from 0 to 1; None if it is NaN.

    >>> make_dot_bar(0.5, 0.25, 0.75)
    Bar(parts=[], whisker=(25.0, 75.0), tick=None, dot=50.0)
    """
    bar = make_bar(SHARE_SCALE, value, low, high, tick)
    return None if bar is None else bar._replace(parts=[], dot=SHARE_SCALE.at(value))


def make_stacked_bar(scale: Scale, *values: float) -> Bar:
    """Return a bar with one part for each value.

    >>> make_stacked_bar(Scale(0.5), 0.1, 0.2).parts
    [(0.0, 20.0), (20.0, 40.0)]
    """
    # Values 0.1 and 0.2 on a scale to 0.5 end at 20 and 60, so the parts are (0, 20) and (20, 40).
    ends = [scale.at(sum(values[: i + 1])) for i in range(len(values))]
    starts = [0.0, *ends[:-1]]
    return Bar([(s, round(e - s, 2)) for s, e in zip(starts, ends, strict=True)])


class Dot(NamedTuple):
    """A point of a plot with its description."""

    x: float
    y: float
    description: str


class Plot(NamedTuple):
    """Plot of error (x) and risk (y); a tick is a (position, text) pair."""

    dots: list[Dot]
    full: Dot
    suggested: Dot
    line: str
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]


LEFT, RIGHT, TOP, BOTTOM = 62, 405, 15, 245
"""Edges of the plotting area in a box of 420 by 300."""

MAX_TICK_STEPS = 7


def make_front_plot(
    front: pd.DataFrame, full: tuple[float, float], suggested: tuple[float, float]
) -> Plot:
    """Return the plot of a Pareto front with (error, risk) of the full and the suggested vote.

    >>> front = pd.DataFrame({"members": [(0,), (1,)], "error": [0.1, 0.2], "risk": [0.2, 0.1]})
    >>> plot = make_front_plot(front, (0.1, 0.3), (0.1, 0.2))
    >>> plot.suggested
    Dot(x=90.58, y=130.0, description='suggested: error 0.1000, DR 0.2000')
    """
    x = _make_axis([full[0], *front["error"]], LEFT, RIGHT)
    y = _make_axis([full[1], *front["risk"]], BOTTOM, TOP)

    def make_dot(name: str, error: float, risk: float) -> Dot:
        return Dot(x.at(error), y.at(risk), f"{name}: error {error:.4f}, DR {risk:.4f}")

    points = zip(front["members"], front["error"], front["risk"], strict=True)
    dots = [make_dot(f"{len(members)} members", error, risk) for members, error, risk in points]
    return Plot(
        dots,
        make_dot("full", *full),
        make_dot("suggested", *suggested),
        " ".join(f"{point.x},{point.y}" for point in dots),
        _make_ticks(x),
        _make_ticks(y),
    )


def _make_axis(values: list[float], first: float, last: float) -> Scale:
    """Return a scale that contains all values with a margin, and does not start below 0."""
    low, high = min(values), max(values)
    margin = 0.1 * (high - low) or 0.01
    start = max(0.0, low - margin)
    return Scale(high + margin, start, first, last)


def _make_ticks(scale: Scale) -> list[tuple[float, str]]:
    """Return ticks at round numbers, at most `MAX_TICK_STEPS` steps."""
    # An axis of length 0.3 needs steps of at least 0.3 / 7 = 0.043: of 0.01, 0.02, 0.05, ... the
    # first that is large enough is 0.05.
    magnitude = math.floor(math.log10((scale.end - scale.start) / MAX_TICK_STEPS))
    steps = (factor * 10.0**magnitude for factor in (1, 2, 5, 10, 20))
    step = next(s for s in steps if (scale.end - scale.start) / s <= MAX_TICK_STEPS)
    digits = max(0, -math.floor(math.log10(step)))
    multiples = range(math.ceil(scale.start / step), math.floor(scale.end / step) + 1)
    return [(scale.at(i * step), f"{i * step:.{digits}f}") for i in multiples]


@dataclass(frozen=True)
class Column:
    """Title of a table column, with a note in small print."""

    title: str
    note: str = ""


@dataclass(frozen=True)
class Cell:
    """Cell of a table.

    Attributes
    ----------
    text, note : text of the cell, and a note in small print below it
    value : number to sort by, "" if undefined; None to sort by the text
    bar : bar below the text
    is_heading : whether the cell is the heading of its row
    """

    text: str
    note: str = ""
    value: str | None = None
    bar: Bar | None = None
    is_heading: bool = False


@dataclass(frozen=True)
class ReportTable:
    """Table with its caption, a note below it, and a legend of its bars."""

    caption: str
    columns: list[Column]
    rows: list[list[Cell]]
    note: str = ""
    legend: list[str] = field(default_factory=list)


def make_heading(name: Any, note: str = "") -> Cell:
    """Return the heading of a row."""
    return Cell(str(name), note, is_heading=True)


def make_text_cell(content: Any) -> Cell:
    """Return a cell with text only."""
    return Cell(str(content))


def make_value_cell(
    value: float, text: str | None = None, note: str = "", bar: Bar | None = None
) -> Cell:
    """Return a cell that sorts by the exact value, not by the rounded text.

    >>> make_value_cell(0.12345).text, make_value_cell(0.12345).value
    ('0.1235', '0.12345')
    """
    exact = "" if math.isnan(value) else repr(float(value)).replace("inf", "Infinity")
    return Cell(format_number(value) if text is None else text, note, exact, bar)
