"""Plots of discriminative risk, of its bounds, and of the Pareto front of pruning.

Each function draws on `ax`, or on a new figure, and returns the axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dr_core import ParetoFrontDisplay, RiskDisplay, clopper_pearson
from dr_core.plugins import DRAWN_MEASURES, Array, drawing
from fairlearn_dr._frames import COUNT, RISK

if TYPE_CHECKING:
    from fairlearn.metrics import MetricFrame
    from matplotlib.axes import Axes

    from dr_core import Comparison, ShiftAssessment, Votes

__all__ = [
    "plot_bounds",
    "plot_comparison",
    "plot_pareto_front",
    "plot_risk_by_group",
    "plot_shift_by_group",
]

BOX_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Ends of the whiskers, ends of the box, and the median."""


def plot_risk_by_group(
    frame: MetricFrame, *, metrics: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the metrics of a `MetricFrame` as bars for each group.

    Parameters
    ----------
    frame : MetricFrame
        If it was made with `n_boot` and `ci_quantiles`, error bars range from the first to the
        last quantile. Those of discriminative risk are Clopper and Pearson's interval for the
        rows in each group. They need the metric "count", which `dr_metric_frame` adds. Those of
        other metrics are fairlearn's percentiles, which are too short for rates close to 0 or 1
        in small groups.
    metrics : sequence of str, optional
        The metrics to draw, in this order. By default, all metrics but "count".
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from dr_core import datasets
    >>> from fairlearn_dr import dr_metric_frame
    >>> ricci = datasets.load("ricci")
    >>> rule = lambda X: (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)
    >>> frame = dr_metric_frame(rule, ricci.data, ricci.target, privileged=ricci.privileged)
    >>> [text.get_text() for text in plot_risk_by_group(frame).get_xticklabels()]
    ['B', 'H', 'W']
    """
    drawing.check_has("frame", frame, "by_group", "a MetricFrame")
    by_group = pd.DataFrame(frame.by_group)
    known = [name for name in by_group.columns if name != COUNT]
    names = drawing.as_list(known if metrics is None else metrics)
    drawing.check_names("metrics", names, by_group.columns)
    ends = _get_group_intervals(frame) or (None, None)
    return RiskDisplay(by_group[names], low=ends[0], high=ends[1]).plot(ax).ax_


def plot_shift_by_group(
    shift: ShiftAssessment, *, attribute: Any = None, ax: Axes | None = None
) -> Axes:
    """Plot the distribution of the shift of scores in each group.

    A box ranges over the middle half of the shifts, with their median; its whiskers over the
    middle nine tenths. Shifts to the right are gains: scores that would be higher if people had
    other sensitive values.

    Parameters
    ----------
    shift : ShiftAssessment
        Result of `dr_core.assess_shift`.
    attribute : hashable, optional
        The sensitive attribute that is perturbed. By default, all together.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from dr_core import assess_shift, datasets
    >>> ricci = datasets.load("ricci")
    >>> points = lambda X: X["Oral"] + 5.0 * (X["Race"] == "W")
    >>> shift = assess_shift(points, ricci.data, ricci.privileged)
    >>> [text.get_text() for text in plot_shift_by_group(shift).get_yticklabels()]
    ['W', 'H', 'B']
    """
    drawing.check_has("shift", shift, "quantiles", "the result of dr_core.assess_shift")
    name = shift.names[-1] if attribute is None else attribute
    drawing.check_names("attribute", [name], shift.names)
    groups = shift.by_group[shift.by_group["attribute"] == name]["group"][::-1]
    boxes = [_make_box(shift, name, group) for group in groups]
    ax = drawing.get_axes(ax)
    ax.axvline(0, c="#999999", lw=1)
    style = {"facecolor": drawing.COLOURS[0], "alpha": 0.35}
    ax.bxp(
        boxes,
        showfliers=False,
        patch_artist=True,
        boxprops=style,
        medianprops={"color": drawing.COLOURS[0], "lw": 2},
        **_lie_down(ax),
    )
    ax.set_xlabel(f"shift of the {shift.meaning}")
    return drawing.hide_spines(ax)


def _make_box(shift: ShiftAssessment, attribute: Any, group: str) -> dict[str, Any]:
    """Return what Matplotlib draws a box from."""
    found = shift.quantiles(BOX_QUANTILES, signed=True, attribute=attribute, group=group)
    ends = dict(zip(("whislo", "q1", "med", "q3", "whishi"), found, strict=True))
    return {"label": group, "fliers": []} | ends


def _lie_down(ax: Axes) -> dict[str, Any]:
    """Return the parameter that makes boxes horizontal; its name depends on the version."""
    is_new = "orientation" in signature(ax.bxp).parameters
    return {"orientation": "horizontal"} if is_new else {"vert": False}


def plot_pareto_front(result: Any, votes: Votes | None = None, *, ax: Axes | None = None) -> Axes:
    """Plot the Pareto front of error and risk, and the selected sub-ensemble.

    Parameters
    ----------
    result : PruningResult, or fitted POAFPruner or EPAFPruner
    votes : Votes, optional
        Votes of the full ensemble on the rows used for pruning. If given, the full ensemble and
        each of its members are drawn too.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from dr_core import Votes, poaf
    >>> votes = Votes([[0, 0, 1], [0, 1, 1]], [[0, 1, 1], [1, 1, 1]], y=[0, 1, 1])
    >>> ax = plot_pareto_front(poaf(votes, 2, random_state=0), votes)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('error', 'discriminative risk')
    """
    is_pruner = hasattr(result, "predict")
    draw = ParetoFrontDisplay.from_estimator if is_pruner else ParetoFrontDisplay.from_result
    return draw(result, votes=votes, ax=ax).ax_


def plot_bounds(
    bounds: pd.DataFrame | Sequence[pd.DataFrame],
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot bounds against the actual risk.

    A bound that holds for these rows lies on or above the dashed line; the PAC bounds hold for the
    population, with a margin for chance. The legend marks bounds that are not guaranteed. Bounds
    above 1 are drawn at 1.

    Parameters
    ----------
    bounds : DataFrame, or sequence of DataFrames
        Results of `dr_core.compute_bounds`, one for each ensemble.
    names : sequence of str, optional
        The bounds to draw. By default, all bounds that apply.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from dr_core import Votes, compute_bounds
    >>> votes = Votes([[0, 1], [0, 1], [0, 0]], [[0, 1], [0, 0], [0, 0]], y=[0, 1])
    >>> ax = plot_bounds(compute_bounds(votes), names=["margin", "first order"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['bound = risk', 'margin', 'first order']
    """
    frames = [bounds] if isinstance(bounds, pd.DataFrame) else list(bounds)
    for frame in frames or [None]:
        drawing.check_has("bounds", frame, "applies", "the result of dr_core.compute_bounds")
    all_bounds = pd.concat(frames)
    applicable = all_bounds[all_bounds["applies"]]
    names = drawing.as_list(dict.fromkeys(applicable["name"]) if names is None else names)
    drawing.check_names("names", names, all_bounds["name"])
    ax = drawing.get_axes(ax)
    ax.axline((0, 0), slope=1, c="#666666", ls="--", lw=1, label="bound = risk")
    for i, name in enumerate(names):
        rows = applicable[applicable["name"] == name]
        label = name if rows["guaranteed"].all() else f"{name} (not guaranteed)"
        shown = rows["value"].clip(upper=1)
        ax.scatter(rows["actual"], shown, label=label, **drawing.get_style(i))
    ax.set_xlim(0, None)
    ax.set_ylim(0, 1.03)
    ax.set_xlabel("discriminative risk of the vote")
    ax.set_ylabel("bound")
    drawing.add_side_legend(ax)
    return drawing.hide_spines(ax)


def plot_comparison(
    comparison: Comparison,
    *,
    attribute: Any = None,
    measures: Sequence[str] = DRAWN_MEASURES,
    axes: Any = None,
) -> Array:
    """Plot the error of models against fairness measures, in one panel for each measure.

    Parameters
    ----------
    comparison : Comparison
        Result of `dr_core.compare`. Confidence intervals are drawn as error bars.
    attribute : hashable, optional
        The sensitive attribute. By default, the last one, which is "all" if there are several.
    measures : sequence of str
        The fairness measures.
    axes : sequence of Axes, optional
        One for each measure.

    Returns
    -------
    array of Axes

    Examples
    --------
    >>> from dr_core import compare, datasets
    >>> ricci = datasets.load("ricci")
    >>> rules = {"70": lambda X: (X["Combine"] > 70) * 1, "75": lambda X: (X["Combine"] > 75) * 1}
    >>> comparison = compare(rules, ricci.data, ricci.target, ricci.privileged)
    >>> [ax.get_xlabel() for ax in plot_comparison(comparison, measures=["demographic_parity"])]
    ['demographic parity']
    """
    drawing.check_has("comparison", comparison, "values", "the result of dr_core.compare")
    return comparison.plot(attribute=attribute, measures=measures, axes=axes)


def _get_group_intervals(frame: MetricFrame) -> tuple[Any, Any] | None:
    """Return the ends of the confidence intervals, or None without a bootstrap."""
    try:
        ends = frame.by_group_ci
    except (AttributeError, ValueError):  # fairlearn < 0.10, or n_boot is None
        return None
    drawn = pd.DataFrame(ends[0]), pd.DataFrame(ends[-1])
    low, high = (end.drop(columns=RISK, errors="ignore") for end in drawn)
    by_group, quantiles = pd.DataFrame(frame.by_group), frame.ci_quantiles
    if {RISK, COUNT} <= set(by_group.columns):
        found = _compute_risk_ends(by_group[RISK], by_group[COUNT], quantiles[-1] - quantiles[0])
        low[RISK], high[RISK] = found
    return low, high


def _compute_risk_ends(risks: Any, counts: Any, confidence: float) -> list[list[float]]:
    """Return the low and the high end of the risk of each group."""
    ends = [
        clopper_pearson(float(risk), float(n), confidence)[:2] if n > 0 else (np.nan, np.nan)
        for risk, n in zip(risks, counts, strict=True)
    ]
    return [list(one) for one in zip(*ends, strict=True)]
