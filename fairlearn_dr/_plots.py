"""Plots of discriminative risk, its bounds, and the front that pruning chose from.

Each draws on `ax`, or on a new figure, and returns the axes. Colours can be told apart by
colour-blind readers, and no plot relies on colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from dr_core.plugins import Array, listed

if TYPE_CHECKING:
    from fairlearn.metrics import MetricFrame
    from matplotlib.axes import Axes

    from dr_core import Comparison, Votes

__all__ = ["plot_bounds", "plot_comparison", "plot_pareto_front", "plot_risk_by_group"]

COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
"""Okabe and Ito's palette."""

MARKERS = "osD^vP*X"


def plot_risk_by_group(
    frame: MetricFrame, *, metrics: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the metrics of a `MetricFrame` as bars, group by group.

    Parameters
    ----------
    frame : MetricFrame
        Intervals are drawn when it was made with `n_boot` and `ci_quantiles`, between the first
        and the last of these.
    metrics : sequence of str, optional
        Which metrics, and in which order; all of them when left out.
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
    _require_kind("frame", frame, "by_group", "a MetricFrame")
    by_group = pd.DataFrame(frame.by_group)
    names = _several(by_group.columns if metrics is None else metrics)
    _require(names, by_group.columns, "metric")
    ax = _axes(ax)
    ends = _interval_ends(frame)
    width = 0.8 / len(names)
    places = np.arange(len(by_group))
    for i, name in enumerate(names):
        heights = by_group[name].to_numpy(dtype=float)
        errors = None if ends is None else _error_bars(heights, *(end[name] for end in ends))
        ax.bar(
            places + (i - (len(names) - 1) / 2) * width,
            heights,
            width * 0.92,
            yerr=errors,
            capsize=3,
            color=COLOURS[i % len(COLOURS)],
            label=_spoken(name),
        )
    ax.set_xticks(places, [_group_name(key) for key in by_group.index])
    ax.set_xlabel(", ".join(str(name) for name in by_group.index.names if name is not None))
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=len(names))
    return _tidy(ax)


def plot_pareto_front(result: Any, votes: Votes | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw the Pareto front of error and risk, and the sub-ensemble chosen from it.

    Parameters
    ----------
    result : PruningResult, or fitted POAFPruner or EPAFPruner
    votes : Votes, optional
        Of the whole ensemble on the rows it was pruned on: adds it and its single members.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from dr_core import Votes
    >>> from dr_core import poaf
    >>> votes = Votes([[0, 0, 1], [0, 1, 1]], [[0, 1, 1], [1, 1, 1]], y=[0, 1, 1])
    >>> ax = plot_pareto_front(poaf(votes, 2, random_state=0), votes)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('error', 'discriminative risk')
    """
    if hasattr(result, "predict"):
        check_is_fitted(result)
    result = getattr(result, "result_", result)
    _require_kind("result", result, "front", "a PruningResult, or a fitted pruner")
    front, ax = result.front, _axes(ax)
    if votes is not None:
        ax.scatter(
            votes.member_errors, votes.member_risks, c="#999999", marker=".", label="members"
        )
        ax.scatter([votes.error], [votes.risk], c=COLOURS[1], marker="s", label="full ensemble")
    ax.step(front["error"], front["risk"], where="post", c=COLOURS[0], lw=1, alpha=0.6)
    ax.scatter(front["error"], front["risk"], c=COLOURS[0], marker="o", label="Pareto front")
    ax.scatter(
        [result.error], [result.risk], c=COLOURS[5], marker="*", s=170, zorder=3, label="chosen"
    )
    ax.set_xlabel("error")
    ax.set_ylabel("discriminative risk")
    ax.legend(frameon=False)
    return _tidy(ax)


def plot_bounds(
    bounds: pd.DataFrame | Sequence[pd.DataFrame],
    *,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw bounds against the actual risk; a valid bound lies on or above the dashed line.

    Parameters
    ----------
    bounds : DataFrame, or several
        Of `dr_core.bounds.compute_bounds`, one for each ensemble.
    names : sequence of str, optional
        Which bounds; all that apply when left out. Bounds above 1 say nothing, and are drawn at 1.
    ax : Axes, optional

    Returns
    -------
    Axes

    Examples
    --------
    >>> from dr_core.bounds import compute_bounds
    >>> from dr_core import Votes
    >>> votes = Votes([[0, 1], [0, 1], [0, 0]], [[0, 1], [0, 0], [0, 0]], y=[0, 1])
    >>> ax = plot_bounds(compute_bounds(votes), names=["margin", "first order"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['bound = risk', 'margin', 'first order']
    """
    frames = [bounds] if isinstance(bounds, pd.DataFrame) else list(bounds)
    for frame in frames or [None]:
        _require_kind("bounds", frame, "applies", "what dr_core.compute_bounds returns")
    every = pd.concat(frames)
    applying = every[every["applies"]]
    wanted = _several(dict.fromkeys(applying["name"]) if names is None else names)
    _require(wanted, every["name"], "bound")
    ax = _axes(ax)
    ax.axline((0, 0), slope=1, c="#666666", ls="--", lw=1, label="bound = risk")
    for i, name in enumerate(wanted):
        rows = applying[applying["name"] == name]
        ax.scatter(
            rows["actual"],
            rows["value"].clip(upper=1),
            c=COLOURS[i % len(COLOURS)],
            marker=MARKERS[(i + i // len(MARKERS)) % len(MARKERS)],
            label=name,
        )
    ax.set_xlim(0, None)
    ax.set_ylim(0, 1.03)
    ax.set_xlabel("discriminative risk of the vote")
    ax.set_ylabel("bound")
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return _tidy(ax)


def plot_comparison(
    comparison: Comparison,
    *,
    attribute: Any = None,
    measures: Sequence[str] = (
        "discriminative_risk",
        "demographic_parity",
        "equal_opportunity",
        "predictive_parity",
    ),
    axes: Any = None,
) -> Array:
    """Draw the error of models against each fairness measure, as fairlearn compares models.

    Parameters
    ----------
    comparison : Comparison
        Of `dr_core.compare`; its intervals are drawn when it has some.
    attribute : optional
        Which attribute; the last, all together, when left out.
    measures : sequence of str
        One panel each.
    axes : sequence of Axes, optional

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
    _require_kind("comparison", comparison, "values", "what dr_core.compare returns")
    values = comparison.values
    attribute = values["attribute"].iloc[-1] if attribute is None else attribute
    _require([attribute], values["attribute"], "attribute")
    measures = _several(measures)
    _require(measures, values["measure"], "measure")
    _require(["accuracy"], values["measure"], "measure")
    axes = _row_of_axes(axes, len(measures))
    chosen = values[values["attribute"] == attribute].set_index(["model", "measure"])
    for ax, measure in zip(axes, measures, strict=True):
        for i, model in enumerate(chosen.index.unique("model")):
            _point(
                ax, chosen.loc[(model, measure)], chosen.loc[(model, "accuracy")], i, str(model)
            )
        ax.set_xlabel(_spoken(measure))
        _tidy(ax)
    axes[0].set_ylabel("error")
    axes[-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    return axes


def _point(ax: Axes, fairness: Any, accuracy: Any, i: int, label: str) -> None:
    has_interval = "low" in fairness and not pd.isna(fairness["low"])
    ax.errorbar(
        fairness["value"],
        1 - accuracy["value"],
        xerr=_bar(fairness, fairness["value"]) if has_interval else None,
        yerr=_bar(accuracy, accuracy["value"])[::-1] if has_interval else None,
        color=COLOURS[i % len(COLOURS)],
        marker=MARKERS[i % len(MARKERS)],
        linestyle="none",
        capsize=2,
        label=label,
    )


def _bar(row: Mapping[str, Any], value: float) -> Array:
    return _error_bars(np.array([value]), np.array([row["low"]]), np.array([row["high"]]))


def _error_bars(values: Array, low: Any, high: Any) -> Array:
    """Lengths of bars below and above the values; a percentile can lie on the wrong side."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    return np.clip(np.stack([values - low, high - values]), 0, None)


def _interval_ends(frame: MetricFrame) -> tuple[Any, Any] | None:
    try:
        ends = frame.by_group_ci
    except (AttributeError, ValueError):  # an older fairlearn, or no bootstrap asked for
        return None
    return pd.DataFrame(ends[0]), pd.DataFrame(ends[-1])


def _several(names: Iterable[str] | str) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _require(names: Sequence[Any], known: Any, what: str) -> None:
    there = list(dict.fromkeys(known))
    unknown = [name for name in names if name not in there]
    if unknown or not names:
        wanted = listed(unknown) if unknown else "to draw"
        raise ValueError(f"there is no {what} {wanted}; there are {listed(there)}.")


def _require_kind(name: str, given: Any, part: str, kind: str) -> None:
    if not hasattr(given, part):
        raise TypeError(f"{name} is a {type(given).__name__}; pass {kind}.")


def _spoken(name: Any) -> str:
    return str(name).replace("_", " ")


def _group_name(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _row_of_axes(axes: Any, count: int) -> Array:
    if axes is not None:
        return np.atleast_1d(np.asarray(axes, dtype=object))
    plt = _pyplot()
    _, axes = plt.subplots(1, count, figsize=(3.2 * count, 3.2), sharey=True, layout="constrained")
    return np.atleast_1d(axes)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    return _pyplot().subplots(layout="constrained")[1]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib: pip install 'discriminative-risk[plots]'"
        ) from error
    return plt


def _tidy(ax: Axes) -> Axes:
    ax.spines[["top", "right"]].set_visible(False)
    return ax
