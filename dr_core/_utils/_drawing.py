"""Colours, axes, legends and argument checks of the plots.

The colours can be distinguished by colour-blind readers, and no plot relies on colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dr_core._utils._checks import Array, quote

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "COLOURS",
    "add_side_legend",
    "as_list",
    "check_has",
    "check_names",
    "compute_error_bars",
    "format_label",
    "get_axes",
    "get_axes_row",
    "get_style",
    "hide_spines",
    "slant_long_labels",
]

COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
"""The palette of Okabe and Ito."""

MARKERS = "osD^vP*X"

LABEL_GAP = 8
"""Least distance of two tick labels, in pixels."""


def get_style(i: int) -> dict[str, Any]:
    """Return the colour and marker of the i-th series.

    Examples
    --------
    >>> get_style(0)["marker"], get_style(8)["marker"]
    ('o', 's')
    """
    # There are eight colours and eight markers. Series 8 has the colour of series 0 again; its
    # marker is one further, so that 64 series look different.
    marker = MARKERS[(i + i // len(COLOURS)) % len(MARKERS)]
    return {"color": COLOURS[i % len(COLOURS)], "marker": marker}


def compute_error_bars(values: Any, low: Any, high: Any) -> Array:
    """Return the lengths of the error bars below and above the values, shape (2, n).

    A percentile interval does not always contain the value; negative lengths become 0.

    Examples
    --------
    >>> compute_error_bars(0.5, 0.25, 0.75)
    array([[0.25],
           [0.25]])
    """
    values, low, high = (np.atleast_1d(np.asarray(end, float)) for end in (values, low, high))
    return np.clip(np.stack([values - low, high - values]), 0, None)


def as_list(names: Iterable[Any]) -> list[Any]:
    """Return the names as a list; a single string is one name."""
    return [names] if isinstance(names, str) else list(names)


def check_names(argument: str, names: Sequence[Any], known: Any) -> None:
    """Raise ValueError if `names` is empty or contains an unknown name."""
    known = list(dict.fromkeys(known))
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(f"{argument} must be among {quote(known)}; got {quote(unknown)}.")


def check_has(argument: str, value: Any, attribute: str, expected: str) -> None:
    """Raise TypeError if the value of an argument lacks an attribute."""
    if not hasattr(value, attribute):
        raise TypeError(f"{argument} is a {type(value).__name__}; pass {expected}.")


def format_label(name: Any) -> str:
    """Return the name of a metric with spaces instead of underscores."""
    return str(name).replace("_", " ")


def get_axes(ax: Axes | None) -> Axes:
    """Return `ax`, or the axes of a new figure."""
    if ax is not None:
        return ax
    return _import_pyplot().subplots(layout="constrained")[1]


def get_axes_row(axes: Any, count: int) -> Array:
    """Return `axes` as an array, or a row of axes of a new figure."""
    if axes is None:
        _, axes = _import_pyplot().subplots(
            1, count, figsize=(3.2 * count, 3.2), sharey=True, layout="constrained"
        )
    return np.atleast_1d(np.asarray(axes, dtype=object))


def add_side_legend(ax: Axes) -> None:
    """Place the legend to the right of the axes."""
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def slant_long_labels(ax: Axes) -> None:
    """Slant the tick labels of the x axis if they overlap, once the layout is computed."""
    ax.figure.canvas.figure.draw_without_rendering()
    labels = ax.get_xticklabels()
    boxes = [label.get_window_extent() for label in labels]
    if any(one.x1 + LABEL_GAP > other.x0 for one, other in pairwise(boxes)):
        for label in labels:
            label.set(rotation=40, ha="right", rotation_mode="anchor")


def hide_spines(ax: Axes) -> Axes:
    """Hide the top and right borders of the axes."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _import_pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "plots need matplotlib: pip install 'discriminative-risk[plots]'"
        ) from error
    return plt
