"""Draw a `Comparison`: error against fairness measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from dr_core._utils import Array, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dr_core.comparison._comparison import Comparison

__all__ = ["DRAWN_MEASURES", "draw_comparison"]

DRAWN_MEASURES = (
    "discriminative_risk",
    "demographic_parity",
    "equal_opportunity",
    "predictive_parity",
)


def draw_comparison(
    comparison: Comparison,
    axes: Any = None,
    *,
    attribute: Any = None,
    measures: Sequence[str] = DRAWN_MEASURES,
) -> Array:
    """Draw one point for each model in one panel for each measure; see `Comparison.plot`."""
    values, measures = comparison.values, drawing.as_list(measures)
    attribute = values["attribute"].iloc[-1] if attribute is None else attribute
    drawing.check_names("attribute", [attribute], values["attribute"])
    drawing.check_names("measures", measures, values["measure"])
    if "accuracy" not in set(values["measure"]):
        raise ValueError(
            "comparison has no measure 'accuracy', which is needed for the error; add it to the "
            "measures of dr_core.compare."
        )
    axes = drawing.get_axes_row(axes, len(measures))
    of_attribute = values[values["attribute"] == attribute].set_index(["model", "measure"])
    for ax, measure in zip(axes, measures, strict=True):
        for i, model in enumerate(of_attribute.index.unique("model")):
            fairness, accuracy = (
                of_attribute.loc[(model, name)] for name in (measure, "accuracy")
            )
            _draw_model(ax, fairness, accuracy, label=str(model), **drawing.get_style(i))
        ax.set_xlabel(drawing.format_label(measure))
        drawing.hide_spines(ax)
    axes[0].set_ylabel("error")
    drawing.add_side_legend(axes[-1])
    return axes


def _draw_model(ax: Axes, fairness: pd.Series, accuracy: pd.Series, **style: Any) -> None:
    bars: dict[str, Any] = {}
    if not pd.isna(fairness.get("low")):
        # The error is 1 - accuracy: an accuracy of 0.7 in (0.6, 0.9) is an error of 0.3 in
        # (0.1, 0.4), so the lower and the upper bar of the accuracy are swapped.
        bars = {"xerr": _compute_bars(fairness), "yerr": _compute_bars(accuracy)[::-1]}
    ax.errorbar(
        fairness["value"], 1 - accuracy["value"], linestyle="none", capsize=2, **bars, **style
    )


def _compute_bars(row: pd.Series) -> Array:
    return drawing.compute_error_bars(row["value"], row["low"], row["high"])
