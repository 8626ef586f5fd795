"""What all drawings share: colours the colour-blind can tell apart, and how they are saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#F0E442"]
"""Okabe and Ito's palette."""

MARKERS = "osD^vPX*<>hdp"
"""Shapes, so that no series is told by its colour alone."""

STYLE: dict[str, Any] = {
    "axes.prop_cycle": mpl.cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "font.size": 9,
    "legend.frameon": False,
    "figure.dpi": 110,
    # The same drawing twice is the same file twice.
    "svg.hashsalt": "discriminative-risk",
}


@contextmanager
def drawing(path: Path, **size: Any) -> Iterator[Figure]:
    """Give a figure to draw on, and save it as `path`.png and `path`.svg.

    Give scatter plots ``rasterized=True``: a thousand points make a large SVG.

    ::

        with drawing(folder / "ranks", figsize=(7, 3)) as figure:
            axes = figure.subplots()
    """
    with mpl.rc_context(STYLE):
        figure = Figure(layout="constrained", **size)
        yield figure
        figure.savefig(path.with_suffix(".png"), dpi=150)
        figure.savefig(path.with_suffix(".svg"), dpi=150, metadata={"Date": None})
