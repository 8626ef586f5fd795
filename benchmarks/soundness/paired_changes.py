"""Do intervals of a change of risk cover the true change, and see none where there is none?

Two votes are judged on the same rows. On a share of the rows only the first vote changes, on
another share only the second; where both shares are equal, the risks are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.soundness.marks import Mark, simulate
from dr_core._utils import compute_difference_interval

SHARES = [(0.0, 0.0), (0.02, 0.02), (0.1, 0.1), (0.1, 0.02), (0.3, 0.05)]
N_ROWS = (20, 150, 2000)


def paired_changes(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Yield the coverage, and the false improvements where the risks are equal."""
    for first, second in SHARES:
        for n in N_ROWS:

            def run(
                rng: np.random.Generator, n: int = n, p: tuple[float, float] = (first, second)
            ) -> tuple[float, float]:
                differences = rng.choice([-1, 1, 0], n, p=[*p, 1 - sum(p)])
                return compute_difference_interval(differences, np.ones(n), 0.95)

            about = f"{first:.0%} lose, {second:.0%} gain risk, n = {n}"
            low, high = simulate(run, n_runs, about, progress).T
            covered = np.mean((low <= second - first) & (second - first <= high))
            yield Mark(about, "coverage of 95 % intervals", covered, at_least=0.93)
            if first == second:
                yield Mark(about, "false improvements", np.mean(high < 0), at_most=0.035)
