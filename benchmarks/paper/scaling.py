"""RQ4: speed-up and efficiency of EPAF-D over EPAF-C, for 1, 2 and 3 groups.

As in the paper, speed-up is the time of EPAF-C over that of EPAF-D, efficiency is speed-up by
group. Votes are made up, for ensembles large enough to be worth distributing, and a tenth of the
members is kept. Times are processor time on the critical path, so that they do not depend on what
else the machine does: that of this process, and of the busiest of its workers. Three are taken:

- "threads": EPAF-D with a thread for each group, the default of this library;
- "processes": with a process for each group. Votes are written once to shared memory, which every
  process maps (joblib does that for arrays of more than a megabyte); writing them is counted;
- "machines": the slowest group by itself, then the members that all groups kept: what it takes
  with a machine for each group, sending votes not counted.

Speed-up is the median over repeats, in each of which all numbers of groups are timed in turn.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import process_time, thread_time
from typing import Any

import numpy as np
import pandas as pd
import psutil
from joblib import parallel_config
from threadpoolctl import threadpool_limits

from benchmarks.paper.figures import COLOURS, MARKERS, drawing
from benchmarks.paper.output import show, write_csv
from benchmarks.paper.store import Settings, run
from benchmarks.speed.measure import ensemble_votes
from dr_core import Votes, epaf
from dr_core._utils import Array

GROUPS = [1, 2, 3]

SIZES = [(500, 24_000), (1_000, 24_000), (2_000, 24_000), (4_000, 24_000)]
"""Members and rows."""

QUICK_SIZES = [(120, 6_000)]

KEPT = 0.1

REPEATS = 3


def main(settings: Settings) -> None:
    """Print, write and draw speed-up and efficiency."""
    sizes = QUICK_SIZES if settings.quick else SIZES
    pieces = [
        {"members": m, "rows": n, "repeats": 3 if settings.quick else REPEATS} for m, n in sizes
    ]
    # One at a time: the pieces are about time, and use all cores themselves.
    serial = replace(settings, n_jobs=1)
    found = run("pruning", time_epaf, pieces, serial).drop(columns="repeats")
    show("Speed-up of EPAF-D over EPAF-C, processor time on the critical path", found)
    folder = settings.folder("pruning")
    write_csv(found, folder / "scaling.csv")
    draw(found, folder)


def time_epaf(members: int, rows: int, repeats: int) -> list[dict[str, Any]]:
    """Median time, speed-up and efficiency for each number of groups; quartiles of speed-up."""
    votes, k = ensemble_votes(members, rows), round(KEPT * members)
    timers = {"threads": in_threads, "processes": in_processes, "machines": apart}
    found = []
    with threadpool_limits(1):
        for kind, timer in timers.items():
            timer(votes, k, max(GROUPS))  # workers are started, and not timed
            # Each repeat times all numbers of groups, so that they share what else goes on.
            times = np.array([[timer(votes, k, g) for g in GROUPS] for _ in range(repeats)])
            found += summaries(kind, times)
    return found


def summaries(kind: str, times: Array) -> list[dict[str, Any]]:
    """One row for each number of groups; `times` has repeats in rows, groups in columns."""
    gains = times[:, :1] / times
    low, middle, high = np.quantile(gains, [0.25, 0.5, 0.75], axis=0)
    return [
        {"groups": groups, "time of": kind, "seconds": float(np.median(times[:, j]))}
        | {"speed-up": float(middle[j]), "lower quartile": float(low[j])}
        | {"upper quartile": float(high[j]), "efficiency": float(middle[j] / groups)}
        for j, groups in enumerate(GROUPS)
    ]


def in_threads(votes: Votes, k: int, groups: int) -> float:
    """Processor seconds of this thread, and of one of those that prune a group."""
    start, total = thread_time(), process_time()
    with parallel_config("threading"):
        _prune(votes, k, groups)
    own = thread_time() - start
    return own + (process_time() - total - own) / groups


def in_processes(votes: Votes, k: int, groups: int) -> float:
    """Processor seconds of this process, and of the busiest of the others."""
    before, start = _seconds_of_workers(), process_time()
    with parallel_config("loky", inner_max_num_threads=1):
        _prune(votes, k, groups)
    own, after = process_time() - start, _seconds_of_workers()
    return own + max((after[i] - before.get(i, 0) for i in after), default=0.0)


def _prune(votes: Votes, k: int, groups: int) -> None:
    # Always as many workers, of which the groups take what they need: changing their number
    # between repeats would start them anew.
    epaf(votes, k, n_groups=groups, ties="lowest", n_jobs=max(GROUPS), random_state=0)


def _seconds_of_workers() -> dict[int, float]:
    """Processor seconds of each process that this one has started."""
    workers = psutil.Process().children(recursive=True)
    return {w.pid: w.cpu_times().user + w.cpu_times().system for w in workers}


def apart(votes: Votes, k: int, groups: int) -> float:
    """Processor seconds of the slowest group, and of pruning what all groups kept."""
    if groups == 1:
        return alone(votes, k)[1]
    order = np.random.default_rng(0).permutation(votes.n_members)
    parts = [np.sort(part) for part in np.array_split(order, groups)]
    kept, times = zip(*(alone(votes.subset(part), k) for part in parts), strict=True)
    together = np.sort(np.concatenate([part[of] for part, of in zip(parts, kept, strict=True)]))
    return max(times) + alone(votes.subset(together), k)[1]


def alone(votes: Votes, k: int) -> tuple[Array, float]:
    """What EPAF-C keeps, and its processor seconds."""
    start = process_time()
    members = epaf(votes, k, ties="lowest").members
    return members, process_time() - start


def draw(found: pd.DataFrame, folder: Path) -> None:
    """Speed-up and efficiency against the number of groups."""
    with drawing(folder / "scaling", figsize=(8, 3.5)) as figure:
        for ax, measure in zip(figure.subplots(1, 2), ("speed-up", "efficiency"), strict=True):
            draw_lines(ax, found, measure)
            ideal = GROUPS if measure == "speed-up" else [1] * len(GROUPS)
            ax.plot(GROUPS, ideal, color="0.4", linestyle=":", label="linear")
            ax.set(xlabel="groups", ylabel=measure, xticks=GROUPS, ylim=(0, None))
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right", fontsize=7)


def draw_lines(ax: Any, found: pd.DataFrame, measure: str) -> None:
    """A line for each size of ensemble and way of timing."""
    sizes = found.groupby(["members", "rows"], sort=False)
    for (size, lines), colour, marker in zip(sizes, COLOURS, MARKERS, strict=False):
        for kind, style in (("machines", "-"), ("processes", "--"), ("threads", ":")):
            line = lines[lines["time of"] == kind]
            label = f"m = {size[0]}, n = {size[1]:,}, {kind}"
            ax.plot(line["groups"], line[measure], style, color=colour, marker=marker, label=label)
