"""Do intervals of the mean shift of a score cover the true mean?

The score of a row moves by its own effect when its sex is perturbed. Effects are equal for all,
skewed, or 0 for most rows; rows have weights, or several are about one person.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from benchmarks.soundness.marks import Mark, simulate
from dr_core import assess_shift, learn_attributes

Array = np.ndarray
Generator = np.random.Generator

COVERAGE = 0.93
FIGURES = {"mean": "coverage of 95 % intervals, mean size", "signed_mean": "the same, signed mean"}
QUANTILES = [0.5, 0.9, 0.99]
SEX = learn_attributes(pd.DataFrame({"sex": ["F", "M"]}), {"sex": "M"})
ROWS_OF_PERSON = 4


def score(X: pd.DataFrame) -> Array:
    """Return the effect of men, and 0 for women."""
    return np.asarray(X["effect"] * (X["sex"] == "M"), dtype=float)


@dataclass(frozen=True)
class Effects:
    """Effects of the rows of a simulation, with weights and people if there are any."""

    effect: Array
    weights: Array | None = None
    person: Array | None = None


@dataclass(frozen=True)
class QuantileDesign:
    """Log-normal effects, whose true quantiles are the same with weights and people."""

    about: str
    draw: Callable[[Generator], Effects]

    def cover(self, rng: Generator) -> list[bool]:
        """Draw rows; return whether the intervals cover the median, the 90 and 99 % quantile."""
        rows = self.draw(rng)
        X = pd.DataFrame({"sex": "M", "effect": rows.effect})
        X.loc[0, "sex"] = "F"
        options = {"sample_weight": rows.weights, "person": rows.person}
        found = assess_shift(score, X, SEX, **options).quantile_intervals(QUANTILES)
        truth = np.exp(-0.18 + 0.6 * norm.ppf(QUANTILES))
        return ((found["low"] <= truth) & (truth <= found["high"])).tolist()


@dataclass(frozen=True)
class ShiftDesign:
    """Effects that are drawn, all of them positive, and their true weighted mean."""

    about: str
    mean: float
    draw: Callable[[Generator], Effects]

    def cover(self, rng: Generator) -> list[bool]:
        """Draw rows; return whether the intervals of mean size and signed mean cover theirs."""
        rows = self.draw(rng)
        # Each person has one sex, so that the shifts of a person have one sign.
        people = np.arange(len(rows.effect)) if rows.person is None else rows.person
        sex = rng.choice(["F", "M"], people.max() + 1)[people]
        X = pd.DataFrame({"sex": sex, "effect": rows.effect})
        options = {"sample_weight": rows.weights, "person": rows.person}
        shift = assess_shift(score, X, SEX, **options)
        truth = {"mean": self.mean, "signed_mean": 0.0}
        ends = {of: shift.interval(of, random_state=rng) for of in truth}
        return [ends[of].low <= value <= ends[of].high for of, value in truth.items()]


def draw_skewed(rng: Generator, n: int) -> Array:
    """Log-normal effects with mean 1 and skewness 2.3."""
    return rng.lognormal(-0.18, 0.6, n)


def draw_rare(rng: Generator, n: int, share: float) -> Array:
    """Effects that are 0 for all but a share of the rows, and have mean 1."""
    return draw_skewed(rng, n) * (rng.random(n) < share) / share


def draw_weighted(rng: Generator, n: int) -> Effects:
    """Rows of weights 1 to 5; heavier rows move further: E[w·e]/E[w] = 1 + Var(w)/E[w]² = 1.15."""
    weights = rng.uniform(1, 5, n)
    return Effects(draw_skewed(rng, n) * weights / 3, weights)


def draw_people(rng: Generator, n: int) -> Effects:
    """Several rows of each person, with the same effect up to 10 %."""
    person = np.repeat(np.arange(n), ROWS_OF_PERSON)
    effect = draw_skewed(rng, n)[person] * rng.uniform(0.9, 1.1, len(person))
    return Effects(effect, person=person)


DESIGNS = [
    *(
        ShiftDesign(f"skewed effects, n = {n}", 1.0, lambda rng, n=n: Effects(draw_skewed(rng, n)))
        for n in (50, 200, 5000)
    ),
    *(
        ShiftDesign(
            f"{share:.0%} of rows move, n = {n}",
            1.0,
            lambda rng, n=n, share=share: Effects(draw_rare(rng, n, share)),
        )
        for share, n in ((0.2, 200), (0.05, 1000))
    ),
    ShiftDesign(
        "weights that go with the effect, n = 500", 3.4444 / 3, lambda rng: draw_weighted(rng, 500)
    ),
    ShiftDesign("four rows a person, 100 people", 1.0, lambda rng: draw_people(rng, 100)),
    ShiftDesign("four rows a person, 1,000 people", 1.0, lambda rng: draw_people(rng, 1000)),
]


QUANTILE_DESIGNS = [
    *(
        QuantileDesign(f"effects of {n} rows", lambda rng, n=n: Effects(draw_skewed(rng, n)))
        for n in (50, 500)
    ),
    QuantileDesign(
        "500 rows of weights 1 to 5",
        lambda rng: Effects(draw_skewed(rng, 500), rng.uniform(1, 5, 500)),
    ),
    QuantileDesign(
        "four rows a person, 200 people",
        lambda rng: Effects(
            np.repeat(draw_skewed(rng, 200), ROWS_OF_PERSON),
            person=np.repeat(np.arange(200), ROWS_OF_PERSON),
        ),
    ),
]


def quantile_intervals(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Simulate the coverage of the intervals of quantiles of the shift."""
    for design in QUANTILE_DESIGNS:
        found = simulate(design.cover, n_runs, design.about, progress).mean(axis=0)
        for q, value in zip(QUANTILES, found, strict=True):
            figure = f"coverage of 95 % intervals, {q:.0%} quantile of the size"
            yield Mark(design.about, figure, float(value), at_least=COVERAGE)


def shift_intervals(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Simulate the coverage of the intervals of mean size and signed mean."""
    for design in DESIGNS:
        found = simulate(design.cover, n_runs, design.about, progress).mean(axis=0)
        for figure, value in zip(FIGURES.values(), found, strict=True):
            yield Mark(design.about, figure, float(value), at_least=COVERAGE)
