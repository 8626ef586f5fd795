"""Models that never see the sensitive attribute: whatever they draw or round, their risk is 0.

Models that draw and see the attribute have a known risk, the total variation. Models whose noise
cannot be known are refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from benchmarks.soundness.marks import Mark, simulate
from dr_core import RandomizedModel, assess_risk

SEX = {"sex": 1}
RUNS_PER_FIT = 50
"""Fitting fairlearn's models takes most of the time, so they are simulated less often."""

NOISE = [(0.1, 500, None, 0.99), (0.1, 500, 20, 0.99), (0.01, 10_000, None, 0.99)]
"""Share of predictions that are flipped, rows, chunk size, and the share refused at least.

About 2 · rate of the repeated rows differ. There are 50 of these in 500 rows, 300 in 10,000.
"""


def make_rows(rng: np.random.Generator, n: int = 500) -> tuple[pd.DataFrame, pd.Series]:
    """Return people with a binary attribute and two features, and their labels."""
    X = pd.DataFrame(
        {"sex": rng.integers(0, 2, n), "a": rng.normal(size=n), "b": rng.normal(size=n)}
    )
    return X, (X["a"] + 0.5 * X["sex"] + rng.normal(size=n) > 0).astype(int)


class BlindTree(DecisionTreeClassifier):
    """A tree that leaves the attribute out."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X.drop(columns="sex"), y, sample_weight)

    def predict(self, X):
        return super().predict(X.drop(columns="sex"))


def fit_blind_mixture(rng: np.random.Generator) -> float:
    """Return the risk of an `ExponentiatedGradient` of blind trees."""
    X, y = make_rows(rng)
    mixture = ExponentiatedGradient(BlindTree(max_depth=3), DemographicParity(), eps=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fairlearn, with new versions of pandas
        mixture.fit(X, y, sensitive_features=X["sex"])
    return assess_risk(mixture, X, SEX).value


def compare_thresholds(rng: np.random.Generator) -> float:
    """Return the error of the risk of a `ThresholdOptimizer`, against a mean over its draws."""
    X, y = make_rows(rng)
    optimizer = ThresholdOptimizer(estimator=LogisticRegression(), predict_method="predict_proba")
    optimizer.fit(X, y, sensitive_features=X["sex"])
    before, after = (
        np.mean([_draw(optimizer, some, seed) for seed in range(200)], axis=0)
        for some in (X, X.assign(sex=1 - X["sex"]))
    )
    risk = assess_risk(optimizer, X, SEX).value
    return abs(risk - np.abs(after - before).mean())


def _draw(optimizer: ThresholdOptimizer, X: pd.DataFrame, seed: int) -> np.ndarray:
    return optimizer.predict(X, sensitive_features=X["sex"], random_state=seed)


def run_network(rng: np.random.Generator) -> float:
    """Return the largest risk of a float32 network that ignores the attribute, by chunk size."""
    X = rng.normal(size=(300, 50)).astype(np.float32)
    X[:, 0] = rng.integers(0, 2, 300)
    first, second = rng.normal(size=(2, 50, 50)).astype(np.float32) / np.sqrt(np.float32(50))
    first[0] = 0
    network = lambda X: np.maximum(X @ first, 0) @ second[:, 0]  # noqa: E731
    sizes = (1, 10, 100, None)
    return max(assess_risk(network, X, {0: 1}, tolerance=0, chunk_size=n).value for n in sizes)


def draw_own_distribution(rng: np.random.Generator) -> float:
    """Return the error of the risk of a model whose total variation is 0.1 for everybody."""
    X, _ = make_rows(rng)
    chances = lambda X: 0.4 + 0.1 * X["sex"].to_numpy()  # noqa: E731
    model = RandomizedModel(lambda X: np.column_stack([1 - chances(X), chances(X)]), [0, 1])
    return abs(assess_risk(model, X, SEX).value - 0.1)


def refuse_noise(rate: float, n: int, chunk_size: int | None, rng: np.random.Generator) -> bool:
    """Return whether a model that flips this share of predictions at random is refused."""
    X, _ = make_rows(rng, n)
    try:
        assess_risk(
            lambda X: (X["a"] > 0) ^ (rng.random(len(X)) < rate), X, SEX, chunk_size=chunk_size
        )
    except ValueError:
        return True
    return False


def blind_models(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Simulate models that draw, round, or do not see the attribute."""
    fits = max(1, n_runs // RUNS_PER_FIT)
    found = simulate(fit_blind_mixture, fits, "blind ExponentiatedGradient", progress)
    yield Mark("ExponentiatedGradient without the attribute", "largest DR", found.max(), at_most=0)
    found = simulate(compare_thresholds, fits, "ThresholdOptimizer", progress)
    yield Mark(
        "ThresholdOptimizer against 200 draws", "mean error of DR", found.mean(), at_most=0.005
    )
    found = simulate(run_network, max(1, n_runs // 10), "float32 network", progress)
    yield Mark(
        "float32 network without the attribute, any chunk", "largest DR", found.max(), at_most=0
    )
    found = simulate(draw_own_distribution, max(1, n_runs // 10), "own distribution", progress)
    yield Mark("RandomizedModel with a DR of 0.1", "largest error", found.max(), at_most=1e-9)
    for rate, n, chunk_size, at_least in NOISE:
        about = f"a model that flips {rate:.0%} at random, {n:,} rows, chunks of {chunk_size}"
        found = simulate(partial(refuse_noise, rate, n, chunk_size), n_runs, about, progress)
        yield Mark(about, "share refused", found.mean(), at_least=at_least)
