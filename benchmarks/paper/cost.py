"""RQ4: what pruning costs, in members kept and in time.

Time is processor time of one thread, the median of repeats in which all methods are timed in turn.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.paper.figures import COLOURS, MARKERS, drawing
from benchmarks.paper.output import show, write_csv
from benchmarks.paper.protocol import KEPT, N_MEMBERS, PAPER, RECOMMENDED, folds, load
from benchmarks.paper.pruned import FULL, Judge, our_methods, pruning_rows, votes_of
from benchmarks.paper.store import Settings, run
from dr_core.pruning import baselines

DATASETS, QUICK_DATASETS = ["income", "ppr", "ppvr", "credit", "ricci"], ["credit", "ricci"]

REPEATS = 3


def main(settings: Settings) -> None:
    """Time every method on the first fold, bagged trees; draw time and space."""
    names = QUICK_DATASETS if settings.quick else DATASETS
    pieces = [
        {"dataset": name, "protocol": protocol, "quick": settings.quick}
        for name in names
        for protocol in (PAPER, RECOMMENDED)
    ]
    found = run("pruning", time_methods, pieces, settings).drop(columns="quick")
    folder = settings.folder("pruning")
    write_csv(found, folder / "times.csv")
    show("Milliseconds of processor time to prune 11 trees to 5", times(found))
    draw(found, pd.read_csv(folder / "sizes.csv"), folder)


def time_methods(dataset: str, protocol: str, quick: bool) -> list[dict[str, Any]]:
    """Median processor seconds of every method."""
    where = {"fold": 0, "ensemble": "bagging", "seed": 0, "quick": quick}
    votes, _ = votes_of(dataset=dataset, protocol=protocol, **where)
    data = load(dataset, quick)
    rows = pruning_rows(folds(data.y, 0)[0], protocol)
    options = {"groups": Judge(data, rows).jointly_privileged(votes), "random_state": 0}
    methods = {name: partial(prune, **options) for name, prune in baselines.methods().items()}
    methods |= our_methods(protocol)
    with threadpool_limits(1):
        seconds = [[_time(prune, votes) for prune in methods.values()] for _ in range(REPEATS)]
    middle = np.median(seconds, axis=0)
    return [
        {"rows": votes.n_instances, "method": name, "seconds": float(value)}
        for name, value in zip(methods, middle, strict=True)
    ]


def _time(prune: Any, votes: Any) -> float:
    # A copy, since votes keep what was computed of them.
    copy = votes.subset(range(votes.n_members))
    start = process_time()
    prune(copy, KEPT)
    return process_time() - start


def times(found: pd.DataFrame) -> pd.DataFrame:
    """Milliseconds: methods in rows, data sets and protocols in columns."""
    table = found.assign(case=found["dataset"] + ", " + found["protocol"])
    wide = 1000 * table.pivot(index="method", columns="case", values="seconds")
    return wide.loc[table["method"].unique(), table["case"].unique()].round(1).reset_index()


def draw(found: pd.DataFrame, sizes: pd.DataFrame, folder: Path) -> None:
    """Members kept, and time, of every method."""
    with drawing(folder / "cost", figsize=(10, 4.5)) as figure:
        space, time = figure.subplots(1, 2)
        kept = sizes[(sizes["protocol"] == RECOMMENDED) & (sizes["method"] != FULL)]
        for i, (ensemble, part) in enumerate(kept.groupby("ensemble", sort=False)):
            errors = [part["mean"] - part["fewest"], part["most"] - part["mean"]]
            places = np.arange(len(part)) + 0.25 * (i - 1)
            style = {"color": COLOURS[i], "elinewidth": 0.7, "markersize": 4}
            space.errorbar(places, part["mean"], errors, fmt=MARKERS[i], label=ensemble, **style)
        space.axhline(N_MEMBERS, color="0.4", ls="--", lw=0.8)
        space.axhline(KEPT, color="0.4", lw=0.8)
        space.set_ylabel("members kept: mean, fewest and most")
        exact = found[found["protocol"] == RECOMMENDED]
        for i, (dataset, part) in enumerate(exact.groupby("dataset", sort=False)):
            style = {"color": COLOURS[i], "marker": MARKERS[i], "lw": 0, "ms": 4}
            label = f"{dataset}, {part['rows'].iloc[0]:,} rows"
            time.plot(range(len(part)), part["seconds"], label=label, **style)
        time.set(yscale="log", ylabel="seconds of processor time")
        for axes, names in ((space, part_names(kept)), (time, part_names(exact))):
            axes.set_xticks(range(len(names)), names, rotation=90, fontsize=8)
            axes.legend(fontsize=7)


def part_names(table: pd.DataFrame) -> list[str]:
    """Methods in their order."""
    return list(table["method"].unique())
