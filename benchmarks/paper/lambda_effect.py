"""RQ4: the effect of λ, the weight of accuracy in 𝓛, on what EPAF and POAF keep.

The paper shows bagged multilayer perceptrons on Ricci; bagged trees on Credit and PPR are added,
since nearly nothing depends on anything on Ricci. POAF picks the lowest 𝓛 of its front here: the
recommended rule does not look at λ.
"""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from benchmarks.paper.figures import COLOURS, MARKERS, drawing
from benchmarks.paper.output import show, write_csv
from benchmarks.paper.protocol import FOLDS, KEPT, PAPER, RECOMMENDED, folds, load
from benchmarks.paper.pruned import FULL, GROUPS, JOINT, TIE_FREE, Judge, Prune, votes_of
from benchmarks.paper.statistics import HIGHLIGHTED
from benchmarks.paper.store import Settings, run
from dr_core import epaf, poaf
from dr_core.pruning import scalar_objective

LAMBDAS = [round(0.1 * i, 1) for i in range(1, 10)]

ENSEMBLES = {"ricci": "MLP", "credit": "DT", "ppr": "DT"}
"""Data sets, and what is bagged."""

SHOWN = ["objective", "accuracy", "DR", "DP", "EOpp", "PP", "accuracy gap"]

COLOURS_OF = HIGHLIGHTED | {TIE_FREE: COLOURS[3]}

METHODS = [FULL, "EPAF-C", "EPAF-D", "POAF", TIE_FREE]


def main(settings: Settings) -> None:
    """Print, write and draw test values for each λ."""
    pieces = [
        {
            "dataset": dataset,
            "individual": of,
            "fold": fold,
            "protocol": p,
            "quick": settings.quick,
        }
        for dataset, of in ENSEMBLES.items()
        for fold in range(1 if settings.quick else FOLDS)
        for p in (PAPER, RECOMMENDED)
    ]
    found = run("pruning", prune_for_each_lambda, pieces, settings)
    keys = ["dataset", "individual", "protocol", "lambda", "method"]
    means = found.groupby(keys, sort=False)[SHOWN].mean().reset_index()
    folder = settings.folder("pruning")
    write_csv(means, folder / "lambda.csv")
    write_csv(wins(means), folder / "lambda_wins.csv")
    show("For how many λ of 9 a method has the lowest 𝓛 on test rows (ties count)", wins(means))
    draw(means[means["protocol"] == RECOMMENDED], folder)


def prune_for_each_lambda(**piece: Any) -> list[dict[str, Any]]:
    """Test values of the full and the pruned ensembles, averaged over attributes."""
    data = load(piece["dataset"], piece["quick"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 60 rounds of an MLP are enough
        votes, unseen = votes_of(**piece, ensemble="bagging", seed=0)
    judge = Judge(data, folds(data.y)[piece["fold"]].test)
    found = []
    for trade_off in LAMBDAS:
        kept = {FULL: unseen} | {
            name: unseen.subset(prune(votes, KEPT, trade_off=trade_off).members)
            for name, prune in pruners(piece["protocol"]).items()
        }
        for name, pruned in kept.items():
            rows = [row for row in judge.rows(pruned) if row.pop("attribute") != JOINT]
            row = {"lambda": trade_off, "method": name, **pd.DataFrame(rows).mean()}
            found.append(row | {"objective": scalar_objective(pruned, trade_off)})
    return found


def pruners(protocol: str) -> dict[str, Prune]:
    """EPAF and POAF as published; POAF searches longer where it is recommended to."""
    search = {"neighbourhood": "paper", "n_iter": KEPT} if protocol == PAPER else {"n_iter": 200}
    return {
        "EPAF-C": partial(epaf, ties="lowest"),
        "EPAF-D": partial(epaf, n_groups=GROUPS, ties="lowest", random_state=0),
        "POAF": partial(poaf, selection="objective", ties="lowest", random_state=0, **search),
        TIE_FREE: partial(poaf, selection="objective", random_state=0, **search),
    }


def wins(means: pd.DataFrame) -> pd.DataFrame:
    """How often each method has the lowest 𝓛, by data set and protocol.

    The tie-free POAF is compared in the place of the other.
    """
    wide = means.pivot(
        index=["dataset", "individual", "protocol", "lambda"], columns="method", values="objective"
    )
    lowest = _lowest(wide.drop(columns=TIE_FREE))
    lowest[TIE_FREE] = _lowest(wide.drop(columns="POAF"))[TIE_FREE]
    return lowest.groupby(level=[0, 1, 2], sort=False).sum()[METHODS].reset_index()


def _lowest(wide: pd.DataFrame) -> pd.DataFrame:
    return wide.le(wide.min(axis=1) + 1e-12, axis=0)


def draw(means: pd.DataFrame, folder: Path) -> None:
    """One row of panels for each data set, one column for each measure."""
    with drawing(folder / "lambda", figsize=(17, 7.5)) as figure:
        panels = figure.subplots(len(ENSEMBLES), len(SHOWN), sharex=True)
        for row, (dataset, of) in zip(panels, ENSEMBLES.items(), strict=True):
            part = means[means["dataset"] == dataset]
            for ax, measure in zip(row, SHOWN, strict=True):
                draw_panel(ax, part, measure)
                ax.set_title("objective L" if measure == "objective" else measure, fontsize=9)
            row[0].set_ylabel(f"{dataset}, bagged {of}")
        for ax in panels[-1]:
            ax.set(xlabel="λ", xticks=np.arange(0.1, 1, 0.2))
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(METHODS))


def draw_panel(ax: Any, means: pd.DataFrame, measure: str) -> None:
    """Test values of one measure against λ, a line for each method."""
    for name, marker in zip(METHODS, MARKERS, strict=False):
        line, colour = means[means["method"] == name], COLOURS_OF.get(name, "black")
        ax.plot(
            line["lambda"], line[measure], color=colour, marker=marker, markersize=4, label=name
        )
