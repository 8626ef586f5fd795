"""Coverage of the bootstrap intervals of gaps and rates.

Labels, predictions and changes are drawn at random with known rates, so the true value of each
measure is known. Each population is simulated with groups of equal size and with a marginalised
group of 20 %, without weights and with exponential weights that carry no information. The marks
are those of the worst of these four.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from benchmarks.soundness.marks import Mark, simulate
from dr_core.metrics import (
    CONTRASTS,
    DR,
    MEASURES,
    Bootstrap,
    Tally,
    View,
    tally_predictions,
)

CONFIDENCE, N_BOOT = 0.95, 1000
MIN_COVERAGE, MAX_FALSE_ALARMS = 0.93, 0.07

Measures = Mapping[str, Callable[[View], np.ndarray]]

GROUP_MEASURES: Measures = {name: of for name, of in MEASURES.items() if name != DR}
"""Measures of two groups. The interval of DR itself is not one of the bootstrap."""

RATES: Measures = {
    "selection rate": lambda view: view.confusion().selection_rate,
    "false positive rate": lambda view: view.confusion().false_positive_rate,
    "balanced accuracy": lambda view: (
        (MEASURES["recall"](view) + MEASURES["specificity"](view)) / 2
    ),
    **{name: MEASURES[name] for name in ("accuracy", "precision", "recall", "f1", "specificity")},
}
"""Measures of one group, as the dashboard shows them."""


@dataclass(frozen=True)
class Population:
    """Rates of marginalised and of privileged people.

    Parameters
    ----------
    about : str
    base_rate : P(y = 1) in the two groups
    true_positive_rate, false_positive_rate : P(f(x) = 1 | y) in the two groups
    risk : P(f(x) ≠ f(x̃)) in the two groups
    """

    about: str
    base_rate: tuple[float, float]
    true_positive_rate: tuple[float, float]
    false_positive_rate: tuple[float, float]
    risk: tuple[float, float]

    def make_table(self, marginalised: float) -> np.ndarray:
        """Return the probability of each (group, y, f(x), f(x̃)), shape (3, 2, 2, 2)."""
        table = np.zeros((3, 2, 2, 2))
        for group, y, f, g in product(range(2), repeat=4):
            rates = self.true_positive_rate if y else self.false_positive_rate
            table[group, y, f, g] = (
                (1 - marginalised if group else marginalised)
                * _choose(self.base_rate[group], y)
                * _choose(rates[group], f)
                * _choose(self.risk[group], f != g)
            )
        return table

    def draw(self, n: int, marginalised: float, weighted: bool, rng: np.random.Generator) -> Tally:
        """Tally n people."""
        table = self.make_table(marginalised)
        cells = rng.choice(table.size, size=n, p=table.ravel() / table.sum())
        weights = rng.exponential(size=n) if weighted else None
        return tally_predictions(*np.unravel_index(cells, table.shape), [0, 1], weights)


def _choose(probability: float, happens: bool | int) -> float:
    return probability if happens else 1 - probability


BLIND = Population("labels at random, true gap 0", (0.5, 0.5), (0.5, 0.5), (0.5, 0.5), (0.1, 0.1))
SKILLED = Population("good model, true gap 0", (0.3, 0.3), (0.8, 0.8), (0.1, 0.1), (0.02, 0.02))
UNFAIR = Population("true gap 0.1", (0.5, 0.6), (0.4, 0.5), (0.4, 0.5), (0.05, 0.15))
VARIANTS = list(product((0.5, 0.2), (False, True)))
"""Share of marginalised people, and whether there are weights."""


def gap_intervals(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Simulate the intervals of all measures, and of the rates of one group."""
    for population, n in product((BLIND, SKILLED, UNFAIR), (200, 1000)):
        yield from _iter_gap_marks(population, n, n_runs, progress)
    for n in (40, 200):
        yield from _iter_rate_marks(n, n_runs, progress)


def _iter_gap_marks(population: Population, n: int, n_runs: int, progress: bool) -> Iterator[Mark]:
    about = f"{population.about}, n = {n:,}"
    found = np.stack(
        [
            simulate(
                partial(_run, GROUP_MEASURES, population, n, *variant),
                n_runs,
                f"{about}, {variant}",
                progress,
            )
            for variant in VARIANTS
        ]
    )
    yield from _iter_coverage(about, list(GROUP_MEASURES), found)
    if population is not UNFAIR:
        gaps = [name in CONTRASTS for name in GROUP_MEASURES]
        alarms = 1 - np.nanmean(found[..., 0], axis=1)[:, gaps].min()
        yield Mark(about, "intervals of gaps without 0", alarms, at_most=MAX_FALSE_ALARMS)


def _iter_rate_marks(n: int, n_runs: int, progress: bool) -> Iterator[Mark]:
    about = f"good model, one group of {n} rows"
    run = partial(_run, RATES, SKILLED, n, 1.0, False)
    yield from _iter_coverage(about, list(RATES), simulate(run, n_runs, about, progress)[None])


def _iter_coverage(about: str, names: list[str], found: np.ndarray) -> Iterator[Mark]:
    """Yield marks of what was found, shape (variants, runs, measures, 2)."""
    for name, covered in zip(names, np.nanmean(found[..., 0], axis=1).min(axis=0), strict=True):
        about_measure = f"{name.replace('_', ' ')}, {about}"
        yield Mark(about_measure, "coverage", covered, at_least=MIN_COVERAGE)
    inside = float(np.nanmin(found[..., 1]))
    yield Mark(about, "every value is in its interval", inside, at_least=1)


def _run(
    measures: Measures,
    population: Population,
    n: int,
    marginalised: float,
    weighted: bool,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return whether each interval contains the true and the measured value; NaN if undefined."""
    tally = population.draw(n, marginalised, weighted, rng)
    bootstrap = Bootstrap(N_BOOT, CONFIDENCE, rng)
    ends = bootstrap.intervals(tally, 1, list(measures), measures)
    low, high = (np.array([ends[name][end] for name in measures]) for end in ("low", "high"))
    tables = population.make_table(marginalised), tally.table
    values = np.array([[of(View(table, 1)) for table in tables] for of in measures.values()])
    # The true value is computed with rounding errors: a gap of 0 may be 1e-17.
    slack = np.array([1e-12, 0])
    inside = (low[:, None] <= values + slack) & (values - slack <= high[:, None])
    return np.where(np.isnan(low)[:, None], np.nan, inside)
