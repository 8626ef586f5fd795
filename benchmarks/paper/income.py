"""RQ4: error, DR, objective and group measures of every pruning method on income.

As in the paper group measures are by attribute and jointly: those privileged in both attributes
against all others.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.paper.figures import COLOURS, MARKERS, drawing
from benchmarks.paper.protocol import PAPER, RECOMMENDED
from benchmarks.paper.pruned import BY_ATTRIBUTE, JOINT

PANELS = {
    "objectives": ["error", "DR", "objective"],
    "race": list(BY_ATTRIBUTE),
    "sex": list(BY_ATTRIBUTE),
    JOINT: list(BY_ATTRIBUTE),
}


def draw(means: pd.DataFrame, folder: Path) -> None:
    """One file for each protocol; `means` is the table of `pruning.means_and_stds`."""
    table = means[means["dataset"] == "income"].assign(error=lambda rows: 1 - rows["accuracy"])
    for protocol in (PAPER, RECOMMENDED):
        draw_protocol(table[table["protocol"] == protocol], folder / f"income_{protocol}")


def draw_protocol(table: pd.DataFrame, path: Path) -> None:
    """Ensembles from top to bottom, what is compared from left to right."""
    ensembles = table["ensemble"].unique()
    with drawing(path, figsize=(13, 8)) as figure:
        panels = figure.subplots(len(ensembles), len(PANELS), sharex=True)
        for row, ensemble in zip(panels, ensembles, strict=True):
            row[0].set_ylabel(ensemble)
            for axes, (title, measures) in zip(row, PANELS.items(), strict=True):
                attribute = "race" if title == "objectives" else title
                chosen = (table["ensemble"] == ensemble) & (table["attribute"] == attribute)
                part = table[chosen].set_index("method")
                for i, measure in enumerate(measures):
                    places = np.arange(len(part))
                    style = {"color": COLOURS[i], "marker": MARKERS[i], "ms": 4, "lw": 0.5}
                    axes.plot(places, part[measure], label=measure, **style)
                axes.set_title("error, DR and objective L" if title == "objectives" else title)
                axes.set_xticks(places, part.index, rotation=90, fontsize=7)
                axes.set_ylim(0, None)
        for axes in panels[0][:2]:
            axes.legend(fontsize=7, ncols=3)
