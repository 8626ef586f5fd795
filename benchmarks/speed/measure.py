"""Timing, made-up votes and small tables for the speed benchmarks.

Times are the best of several repeats; what is reported are ratios of times taken in one run, so
that they mean the same on any machine.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from time import perf_counter, process_time

import numpy as np

from dr_core import Votes


def seconds(
    function: Callable[[], object], repeats: int = 5, *, clock: Callable[[], float] = perf_counter
) -> float:
    """Seconds of the fastest of several calls."""
    return min(_once(function, clock) for _ in range(repeats))


def processor_seconds(function: Callable[[], object], repeats: int = 5) -> float:
    """Processor time of the fastest of several calls, in seconds."""
    return seconds(function, repeats, clock=process_time)


def _once(function: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    function()
    return clock() - start


def ensemble_votes(
    m: int, n: int, *, n_classes: int = 2, weighted: bool = False, seed: int = 0
) -> Votes:
    """Votes like those of bagged trees: agreed on most rows, torn on some, rarely changed."""
    random = np.random.default_rng(seed)
    leaning = random.beta(0.35, 0.35, n)
    y = (random.random(n) < leaning) * random.integers(1, n_classes, n)
    shifted = np.clip(leaning + random.normal(0, 0.1, n) * (random.random(n) < 0.3), 0, 1)
    label = random.integers(1, n_classes, n).astype(np.uint8)
    votes, perturbed = np.empty((2, m, n), np.uint8)
    for j in range(m):
        draw = random.random(n)
        votes[j], perturbed[j] = (draw < leaning) * label, (draw < shifted) * label
    weights = random.uniform(0.5, 2, m) if weighted else None
    return Votes(votes, perturbed, y, weights, classes=np.arange(n_classes))


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under a header, numbers to three significant digits."""
    texts = [list(header)] + [[_text(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    print(f"\n{title}")
    for line in texts:
        print(
            "  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        )


def peak_gigabytes(module: str, *arguments: str) -> float:
    """Peak memory of `python -m module arguments` in a process of its own."""
    return peak_and_output(module, *arguments)[0]


def peak_and_output(module: str, *arguments: str) -> tuple[float, list[str]]:
    """Peak memory, in GB, of `python -m module arguments`, and the words it prints."""
    code = (
        "import resource, runpy, sys; sys.argv = sys.argv[1:]; "
        "runpy.run_module(sys.argv[0], run_name='__main__'); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, module, *arguments]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    unit = 1 if sys.platform == "darwin" else 1024
    *words, peak = run.stdout.split()
    return int(peak) * unit / 1e9, words


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.3g}" if cell < 1000 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
