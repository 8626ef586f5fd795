"""RQ4: average rank of every pruning method on several measures, as the paper's charts have it.

Bars around an average rank are as long as Nemenyi's critical difference: methods whose bars do not
overlap differ significantly at the level of 5 %.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.paper.figures import COLOURS, drawing
from benchmarks.paper.protocol import PAPER, RECOMMENDED
from benchmarks.paper.statistics import critical_difference

OVERALL = ["DR", "accuracy", "precision", "recall", "F1", "objective"]
BY_GROUP = ["DP", "EOpp", "PP", "accuracy gap"]

TITLES = {"objective": "objective L"}


def main(ranked: pd.DataFrame, folder: Path) -> None:
    """Draw two charts for each ensemble; `ranked` is the table of `pruning.rank_methods`."""
    for ensemble, part in ranked.groupby("ensemble", sort=False):
        draw(part, OVERALL, folder / f"ranks_{ensemble}")
        draw(part, BY_GROUP, folder / f"group_ranks_{ensemble}")


def draw(ranked: pd.DataFrame, measures: list[str], path: Path) -> None:
    """One panel for each measure: methods from top to bottom, both protocols."""
    with drawing(path, figsize=(2.1 * len(measures) + 0.8, 5)) as figure:
        panels = figure.subplots(1, len(measures), sharey=True)
        for axes, measure in zip(panels, measures, strict=True):
            part = ranked[ranked["measure"] == measure]
            for i, protocol in enumerate((PAPER, RECOMMENDED)):
                draw_protocol(axes, part[part["protocol"] == protocol], i, protocol)
            axes.set(title=TITLES.get(measure, measure), xlabel="average rank")
        methods = ranked["method"].unique()
        panels[0].set_yticks(range(len(methods)), methods)
        panels[0].invert_yaxis()
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=2)


def draw_protocol(axes: Any, part: pd.DataFrame, i: int, protocol: str) -> None:
    """Average ranks of one protocol, a little below those of the other."""
    blocks = int(part["blocks"].iloc[0])
    half = critical_difference(len(part), blocks) / 2
    places = [place + 0.3 * i - 0.15 for place in range(len(part))]
    axes.errorbar(
        part["average rank, all cuts"],
        places,
        xerr=half,
        fmt="os"[i],
        color=COLOURS[i],
        elinewidth=0.6,
        markersize=3.5,
        label=f"{protocol} protocol",
    )
