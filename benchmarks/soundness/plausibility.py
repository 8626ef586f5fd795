"""How often is a pair of independent values called implausible, and is a real pair found?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.soundness.marks import Mark, simulate
from dr_core import assess_risk, at_least, between

ALPHA = 0.01
"""The default of `plausibility`."""

NOT_BY_FAR = 0.99
"""A value of `rare` that leaves the decision to significance alone."""

MIN_POWER = 0.99

GROUP = {"group": 0}


class Independent(NamedTuple):
    """Data sets whose columns are independent of the sensitive attributes, and of one another."""

    about: str
    make: Callable[[np.random.Generator], pd.DataFrame]
    privileged: Mapping[str, object] = GROUP


def _draw_group(rng: np.random.Generator, n: int, minority: float) -> np.ndarray:
    return (rng.random(n) < minority).astype(int)


def _make_normal(n: int, n_columns: int, minority: float) -> Independent:
    def make(rng: np.random.Generator) -> pd.DataFrame:
        X = pd.DataFrame(rng.normal(size=(n, n_columns))).add_prefix("x")
        return X.assign(group=_draw_group(rng, n, minority))

    about = f"{n} rows, {n_columns} normal columns, {minority:.0%} minority"
    return Independent(about, make)


def _make_categories(rng: np.random.Generator) -> pd.DataFrame:
    chances = 1 / np.arange(1, 41)
    codes = rng.choice(40, size=(1000, 8), p=chances / chances.sum())
    X = pd.DataFrame(codes).add_prefix("x").astype(str)
    return X.assign(group=_draw_group(rng, 1000, 0.2))


def _make_two_attributes(rng: np.random.Generator) -> pd.DataFrame:
    X = pd.DataFrame(rng.normal(size=(600, 10))).add_prefix("x")
    race = rng.choice(4, size=600, p=[0.7, 0.15, 0.1, 0.05])
    return X.assign(group=_draw_group(rng, 600, 0.3), race=race)


def _make_counts(rng: np.random.Generator) -> pd.DataFrame:
    counts = rng.negative_binomial(0.5, 0.05, size=(400, 10))
    return pd.DataFrame(counts).add_prefix("x").assign(group=_draw_group(rng, 400, 0.1))


def _make_ages(n: int) -> Callable[[np.random.Generator], pd.DataFrame]:
    """Return a function that draws ages from 18 to 80, most of them below 60, and ten columns."""

    def make(rng: np.random.Generator) -> pd.DataFrame:
        X = pd.DataFrame(rng.normal(size=(n, 5))).add_prefix("x")
        counts = pd.DataFrame(rng.negative_binomial(0.5, 0.05, size=(n, 5))).add_prefix("count")
        age = np.clip(rng.gamma(6, 5, n) + 18, 18, 80).astype(int)
        return X.join(counts).assign(age=age)

    return make


INDEPENDENT = [
    _make_normal(200, 12, 0.1),
    _make_normal(500, 20, 0.05),
    Independent("1000 rows, 8 columns of 40 categories, 20% minority", _make_categories),
    Independent(
        "600 rows, two attributes of 2 and 4 values, 10 normal columns",
        _make_two_attributes,
        {"group": 0, "race": 0},
    ),
    Independent("400 rows, 10 columns of skewed counts, 10% minority", _make_counts),
    Independent("1000 rows, ages from 40 on, 10 columns", _make_ages(1000), {"age": at_least(40)}),
    Independent("8000 rows, ages from 28 on, 10 columns", _make_ages(8000), {"age": at_least(28)}),
    Independent(
        "4000 rows, ages from 35 to 64, 10 columns", _make_ages(4000), {"age": between(35, 64)}
    ),
]


def false_alarms(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Yield how often pairs are found in independent columns, and how often a real one is."""
    at_most = ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / n_runs)
    for design in INDEPENDENT:
        alarms = simulate(
            lambda rng, design=design: _have_alarms(design.make(rng), design.privileged),
            n_runs,
            design.about,
            progress,
        )
        for figure, share in zip(
            ("data sets with an alarm", "the same, by significance alone"),
            alarms.mean(axis=0),
            strict=True,
        ):
            yield Mark(design.about, figure, float(share), at_most=round(at_most, 4))
    about = "100 people with 10 equal rows, 12 normal columns, 20% minority"
    alarms = simulate(_have_alarms_of_people, n_runs, about, progress)
    yield Mark(about, "data sets with an alarm", alarms.mean(), at_most=round(at_most, 4))
    about = "500 rows, 40% of the men are husbands, 12 normal columns"
    found = simulate(_find_husbands, n_runs, about, progress)
    yield Mark(about, "data sets where the pair is found", found.mean(), at_least=MIN_POWER)


def _have_alarms(X: pd.DataFrame, privileged: Mapping[str, object]) -> tuple[bool, bool]:
    """Return whether any pair is called implausible, by default and by significance alone."""
    risk = assess_risk(lambda X: X["x0"] == X["x0"].iloc[0], X, privileged)
    found = risk.plausibility(), risk.plausibility(rare=NOT_BY_FAR)
    return not found[0].pairs.empty, not found[1].pairs.empty


def _have_alarms_of_people(rng: np.random.Generator) -> bool:
    """Return whether any pair is called implausible where each person has ten equal rows."""
    X = _make_normal(100, 12, 0.2).make(rng)
    X = X.loc[X.index.repeat(10)].reset_index(names="person")
    risk = assess_risk(lambda X: X["x0"] > 0, X, GROUP, person="person")
    return not risk.plausibility().pairs.empty


def _find_husbands(rng: np.random.Generator) -> bool:
    """Return whether female husbands are found, and nothing else."""
    X = pd.DataFrame(rng.normal(size=(500, 12))).add_prefix("x")
    X["sex"] = rng.choice(["Female", "Male"], 500)
    husband = (X["sex"] == "Male") & (rng.random(500) < 0.4)
    X["relationship"] = np.where(husband, "Husband", rng.choice(["Unmarried", "Other"], 500))
    risk = assess_risk(lambda X: X["x0"] > 0, X, {"sex": "Male"})
    pairs = risk.plausibility().pairs[["becomes", "value"]]
    return pairs.to_numpy().tolist() == [["Female", "Husband"]]
