"""Plots of the report with their positions in SVG: the Pareto front, and the flow of decisions."""

from __future__ import annotations

import math
from typing import NamedTuple

import pandas as pd

from dr_core._utils import format_count, format_percent
from dr_core.report._drawings import Scale

__all__ = ["Dot", "Flow", "FlowNode", "Plot", "make_flow", "make_front_plot"]


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
    Dot(x=90.58, y=130.0, description='suggested: error 10.0 %, DR 20.0 %')
    """
    x = _make_axis([full[0], *front["error"]], LEFT, RIGHT)
    y = _make_axis([full[1], *front["risk"]], BOTTOM, TOP)

    def make_dot(name: str, error: float, risk: float) -> Dot:
        return Dot(
            x.at(error),
            y.at(risk),
            f"{name}: error {format_percent(error)}, DR {format_percent(risk)}",
        )

    points = zip(front["members"], front["error"], front["risk"], strict=True)
    dots = [
        make_dot(format_count(len(members), "member"), error, risk)
        for members, error, risk in points
    ]
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
    digits = max(0, -math.floor(math.log10(100 * step)))
    multiples = range(math.ceil(scale.start / step), math.floor(scale.end / step) + 1)
    return [(scale.at(i * step), f"{100 * i * step:.{digits}f} %") for i in multiples]


FLOW_TOP, FLOW_HEIGHT, FLOW_GAP = 58.0, 150.0, 18.0
"""Start of the columns of a flow, height of all people, and gap between the two decisions."""

FLOW_LEFT, FLOW_RIGHT = 14.0, 406.0
"""Inner edges of the two columns in a box of 420 by 260."""


class FlowNode(NamedTuple):
    """One decision before or after the perturbation: where its column starts, and its height."""

    y: float
    height: float
    text: str


class Flow(NamedTuple):
    """Decisions before and after a perturbation.

    Attributes
    ----------
    title : what was perturbed
    before, after : favourable and unfavourable decision
    stays, loses, gains : paths of those who keep their decision, lose the favourable one, or gain
        it; "" if there is no row
    description : the same in words
    """

    title: str
    before: tuple[FlowNode, FlowNode]
    after: tuple[FlowNode, FlowNode]
    stays: list[str]
    loses: str
    gains: str
    description: str


def make_flow(title: str, favorable: float, loses: float, gains: float, of_rows: str = "") -> Flow:
    """Return the flow between the favourable and the unfavourable decision.

    Parameters
    ----------
    title : what was perturbed
    favorable : share of favourable decisions before
    loses, gains : shares of the decisions that are lost and gained
    of_rows : what the decisions are about, if not all rows, such as " about 9 perturbed rows"

    Examples
    --------
    >>> flow = make_flow("sex", 0.5, 0.2, 0.0)
    >>> flow.before[0], flow.after[0].text, flow.gains
    (FlowNode(y=58.0, height=75.0, text='favourable 50.0 %'), 'favourable 30.0 %', '')
    """
    after = favorable - loses + gains
    left, right = _make_nodes(favorable), _make_nodes(after)
    keeps = favorable - loses
    # From above: those who keep the favourable decision, who lose it, who gain it, who keep the
    # unfavourable one. Losses start at the end of the favourable column and end at the start of
    # the unfavourable one, so that they cross the gains.
    stays = [
        _make_ribbon(left[0].y, right[0].y, keeps),
        _make_ribbon(_place(left[1], gains), _place(right[1], loses), 1 - favorable - gains),
    ]
    description = (
        f"{format_percent(favorable)} of the decisions{of_rows} are favourable now, "
        f"{format_percent(after)} after the perturbation: {format_percent(loses)} "
        f"would lose the favourable decision, {format_percent(gains)} would gain it."
    )
    return Flow(
        title,
        left,
        right,
        [path for path in stays if path],
        _make_ribbon(_place(left[0], keeps), right[1].y, loses),
        _make_ribbon(left[1].y, _place(right[0], keeps), gains),
        description,
    )


def _make_nodes(favorable: float) -> tuple[FlowNode, FlowNode]:
    height = round(FLOW_HEIGHT * favorable, 2)
    rest = round(FLOW_HEIGHT - height, 2)
    below = round(FLOW_TOP + height + FLOW_GAP, 2)
    return (
        FlowNode(FLOW_TOP, height, f"favourable {format_percent(favorable)}"),
        FlowNode(below, rest, f"unfavourable {format_percent(1 - favorable)}"),
    )


def _place(node: FlowNode, share: float) -> float:
    return round(node.y + FLOW_HEIGHT * share, 2)


def _make_ribbon(left: float, right: float, share: float) -> str:
    """Return the outline of a ribbon between the columns; "" if it has no height."""
    if share < 1e-9:
        return ""
    height, middle = round(FLOW_HEIGHT * share, 2), (FLOW_LEFT + FLOW_RIGHT) / 2
    return (
        f"M{FLOW_LEFT} {left}C{middle} {left} {middle} {right} {FLOW_RIGHT} {right}v{height}"
        f"C{middle} {round(right + height, 2)} {middle} {round(left + height, 2)} "
        f"{FLOW_LEFT} {round(left + height, 2)}z"
    )
