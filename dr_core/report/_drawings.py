"""What pictures look like: positions and sizes, for the template to write as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

__all__ = ["UNIT", "Bar", "Dot", "Plot", "Scale", "bar", "front_plot", "round_top", "stacked_bar"]

TOPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
"""Ends that a scale of shares may have."""


def round_top(values: Iterable[float]) -> float:
    """Where a scale from 0 has to end to hold these values.

    >>> round_top([0.03, 0.17, float("nan")]), round_top([1.2]), round_top([])
    (0.2, 1.5, 0.01)
    """
    most = max((value for value in values if math.isfinite(value)), default=0.0)
    return next((top for top in TOPS if top >= most), math.ceil(2 * most) / 2)


@dataclass(frozen=True)
class Scale:
    """From values in [start, end] to positions in [first, last]; others go to the nearer end.

    >>> Scale(0.5).at(0.1), Scale(0.5).at(7), Scale(1, first=80, last=0).at(0.25)
    (20.0, 100.0, 60.0)
    """

    end: float
    start: float = 0.0
    first: float = 0.0
    last: float = 100.0

    def at(self, value: float) -> float:
        """Position of a value, to two digits."""
        part = (min(max(value, self.start), self.end) - self.start) / (self.end - self.start)
        return round(self.first + part * (self.last - self.first), 2)


UNIT = Scale(1.0)
"""For shares of anything, up to all of it."""


class Bar(NamedTuple):
    """A bar in a box 100 wide.

    Attributes
    ----------
    parts : (start, width) of each, side by side
    whisker : the two ends of an interval, or None
    tick : a position to compare with, or None
    """

    parts: list[tuple[float, float]]
    whisker: tuple[float, float] | None = None
    tick: float | None = None


def bar(
    scale: Scale, value: float, low: float = math.nan, high: float = math.nan, tick: float = 0.0
) -> Bar | None:
    """Draw one value with its interval; nothing for a value that is not known.

    >>> bar(Scale(0.5), 0.1, 0.05, 0.2)
    Bar(parts=[(0.0, 20.0)], whisker=(10.0, 40.0), tick=None)
    """
    if math.isnan(value):
        return None
    whisker = None if math.isnan(low) else (scale.at(low), scale.at(high))
    return Bar([(0.0, scale.at(value))], whisker, scale.at(tick) if tick else None)


def stacked_bar(scale: Scale, *values: float) -> Bar:
    """Draw values that add up, one after the other.

    >>> stacked_bar(Scale(0.5), 0.1, 0.2).parts
    [(0.0, 20.0), (20.0, 40.0)]
    """
    ends = [scale.at(sum(values[: i + 1])) for i in range(len(values))]
    starts = [0.0, *ends[:-1]]
    return Bar([(s, round(e - s, 2)) for s, e in zip(starts, ends, strict=True)])


class Dot(NamedTuple):
    """A point of a plot, and what it stands for."""

    x: float
    y: float
    says: str


class Plot(NamedTuple):
    """Error from left to right, risk from below; (position, text) of the ticks of each axis."""

    dots: list[Dot]
    full: Dot
    suggested: Dot
    line: str
    x_ticks: list[tuple[float, str]]
    y_ticks: list[tuple[float, str]]


LEFT, RIGHT, TOP, BOTTOM = 62, 405, 15, 245
"""Edges of the plotting area, in a box of 420 by 300."""

MOST_TICKS = 7


def front_plot(
    front: pd.DataFrame, full: tuple[float, float], suggested: tuple[float, float]
) -> Plot:
    """Draw a Pareto front of (error, risk), with the full and the suggested vote.

    >>> front = pd.DataFrame({"members": [(0,), (1,)], "error": [0.1, 0.2], "risk": [0.2, 0.1]})
    >>> plot = front_plot(front, (0.1, 0.3), (0.1, 0.2))
    >>> plot.suggested
    Dot(x=90.58, y=130.0, says='suggested: error 0.1000, DR 0.2000')
    """
    x = _axis([full[0], *front["error"]], LEFT, RIGHT)
    y = _axis([full[1], *front["risk"]], BOTTOM, TOP)

    def dot(says: str, error: float, risk: float) -> Dot:
        return Dot(x.at(error), y.at(risk), f"{says}: error {error:.4f}, DR {risk:.4f}")

    points = zip(front["members"], front["error"], front["risk"], strict=True)
    dots = [dot(f"{len(members)} members", error, risk) for members, error, risk in points]
    return Plot(
        dots,
        dot("full", *full),
        dot("suggested", *suggested),
        " ".join(f"{point.x},{point.y}" for point in dots),
        _ticks(x),
        _ticks(y),
    )


def _axis(values: list[float], first: float, last: float) -> Scale:
    """Hold all values, with some space around them, but nothing below 0."""
    low, high = min(values), max(values)
    space = 0.1 * (high - low) or 0.01
    start = max(0.0, low - space)
    return Scale(high + space, start, first, last)


def _ticks(scale: Scale) -> list[tuple[float, str]]:
    """Round numbers on the axis, at most seven steps."""
    magnitude = math.floor(math.log10((scale.end - scale.start) / MOST_TICKS))
    steps = (factor * 10.0**magnitude for factor in (1, 2, 5, 10, 20))
    step = next(s for s in steps if (scale.end - scale.start) / s <= MOST_TICKS)
    digits = max(0, -math.floor(math.log10(step)))
    multiples = range(math.ceil(scale.start / step), math.floor(scale.end / step) + 1)
    return [(scale.at(i * step), f"{i * step:.{digits}f}") for i in multiples]
