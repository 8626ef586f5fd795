"""Do intervals of a change of risk cover the true change, and see none where there is none?

Two models are assessed on the same rows. On a share of the rows only the first prediction changes,
on another share only the second; where both shares are equal, the risks are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.soundness.marks import Mark, simulate
from dr_core import assess_risk
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
    yield from changes_of_people(n_runs, progress)


def changes_of_people(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Yield the coverage of `RiskAssessment.change_from`, with weights and with people."""
    for p in ((0.02, 0.02), (0.1, 0.02), (0.3, 0.3)):
        for n_people, rows_each, weighted in ((150, 1, True), (40, 5, False), (300, 5, True)):
            run = partial(simulate_change, p, n_people, rows_each, weighted)
            about = f"{p[0]:.0%} lose, {p[1]:.0%} gain risk, {n_people} people"
            about += f" with {rows_each} rows{', weights' if weighted else ''}"
            low, high = simulate(run, n_runs, about, progress).T
            covered = np.mean((low <= p[1] - p[0]) & (p[1] - p[0] <= high))
            yield Mark(about, "coverage of 95 % intervals", covered, at_least=0.93)


def simulate_change(
    p: tuple[float, float],
    n_people: int,
    rows_each: int,
    weighted: bool,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Return the interval for people whose rows are alike, some with three times the weight."""
    kinds = random.choice(["first", "second", "none"], n_people, p=[*p, 1 - sum(p)])
    person = np.repeat(np.arange(n_people), rows_each)
    sex = random.permutation(np.arange(n_people) % 2)
    weights = random.choice([1.0, 3.0], n_people) if weighted else np.ones(n_people)
    X = pd.DataFrame({"sex": sex[person], "kind": kinds[person]})
    options = {"sample_weight": weights[person], "person": person}
    before, after = (
        assess_risk(partial(depends_on_sex, kind), X, {"sex": 1}, **options)
        for kind in ("first", "second")
    )
    return after.change_from(before)[:2]


def depends_on_sex(kind: str, X: pd.DataFrame) -> pd.Series:
    """Decide by sex for people of one kind, and reject all others."""
    return (X["kind"] == kind) & (X["sex"] == 1)
