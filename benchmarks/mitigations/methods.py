"""The ways to lower DR: each makes fitted models from a training set.

All see the same rows and columns: the data sets as the paper encodes them, numbers only, without
the column of both attributes jointly. Ways that need held-out rows, pruning and thresholds, split
the training rows: two thirds fit the ensemble, the others are held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from aif360.algorithms.preprocessing import Reweighing
from dr_adapters import to_aif360
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from dr_core import SensitiveAttributes, export, marginalize
from dr_core._utils import Array
from fairlearn_dr import EPAFPruner, POAFPruner

N_MEMBERS, KEPT = 51, 25
"""Members of an ensemble, and how many pruning keeps at most; both odd, so without ties."""

ENSEMBLES: dict[str, Callable[[int], Any]] = {
    "bagging": lambda seed: BaggingClassifier(
        DecisionTreeClassifier(), N_MEMBERS, random_state=seed
    ),
    "random forest": lambda seed: RandomForestClassifier(N_MEMBERS, random_state=seed),
    "AdaBoost": lambda seed: AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=3), n_estimators=N_MEMBERS, random_state=seed
    ),
}

ITERATIONS, WEIGHTED_ITERATIONS = 1000, 40
"""Iterations of POAF; fewer for AdaBoost, whose votes have weights and take longer."""

HELD_OUT_SHARE = 1 / 3
MAX_REDUCTION_STEPS = 3
"""Steps of `ExponentiatedGradient`, each of which fits the whole ensemble."""

WHOLE, PART = "whole ensemble", "whole, fitted on two thirds"


@dataclass(frozen=True, eq=False)
class Training:
    """Rows to fit on, and what is sensitive in them.

    Attributes
    ----------
    X, y : training rows
    attributes : SensitiveAttributes of the whole data set, with couplings where there are any
    seed : int
    """

    X: pd.DataFrame
    y: pd.Series
    attributes: SensitiveAttributes
    seed: int

    def take(self, rows: Array) -> Training:
        """Return some of the rows."""
        return Training(self.X.iloc[rows], self.y.iloc[rows], self.attributes, self.seed)

    def split(self) -> tuple[Training, Training]:
        """Return two thirds of the rows, and the others."""
        parts = train_test_split(
            np.arange(len(self.y)),
            test_size=HELD_OUT_SHARE,
            random_state=self.seed,
            stratify=self.y,
        )
        return self.take(np.sort(parts[0])), self.take(np.sort(parts[1]))


def iter_retrained(kind: str, train: Training) -> Iterator[tuple[str, Any]]:
    """Yield the whole ensemble and the ways that fit or average it anew, with their names."""
    ensemble = ENSEMBLES[kind](train.seed)
    whole = clone(ensemble).fit(train.X, train.y)
    yield WHOLE, whole
    yield from iter_marginalized(whole, train)
    yield "columns left out", leave_out(ensemble, train)
    yield "Reweighing (AIF360)", reweigh(ensemble, train)
    if kind == "bagging":  # each of its steps fits a whole ensemble
        yield "ExponentiatedGradient (fairlearn)", reduce(ensemble, train)
    yield "ThresholdOptimizer (fairlearn)", choose_thresholds(ensemble, train)


def iter_pruned(kind: str, train: Training) -> Iterator[tuple[str, Any]]:
    """Yield an ensemble fitted on two thirds of the rows, and votes of at most half of it."""
    fitted, _ = train.split()
    part = ENSEMBLES[kind](train.seed).fit(fitted.X, fitted.y)
    yield PART, part
    yield "POAF", prune_by_poaf(part, train)
    yield "EPAF", EPAFPruner(part, **pruning(train)).fit(train.X, train.y)
    yield "25 members at random", keep_at_random(part, train.seed)


def iter_marginalized(whole: Any, train: Training) -> Iterator[tuple[str, Any]]:
    """Yield the ensemble averaged over its attributes; also with coupled columns that follow."""
    yield "marginalised", marginalize(whole, train.X, train.attributes.uncoupled)
    if train.attributes.has_couplings:
        yield "marginalised, coupled", marginalize(whole, train.X, train.attributes)


def leave_out(ensemble: Any, train: Training) -> Any:
    """A pipeline that drops the sensitive columns, so that it takes rows with them."""
    drop = make_column_transformer(("drop", train.attributes.columns), remainder="passthrough")
    return make_pipeline(drop, clone(ensemble)).fit(train.X, train.y)


def reweigh(ensemble: Any, train: Training) -> Any:
    """Fit with AIF360's weights, which make group and label independent."""
    privileged = {one.name: one.privileged[0] for one in train.attributes}
    dataset = to_aif360(train.X, train.y, privileged=privileged)
    others = [{name: value - 1} for name, value in privileged.items()]
    weights = Reweighing(others, [privileged]).fit_transform(dataset).instance_weights
    return clone(ensemble).fit(train.X, train.y, sample_weight=weights)


def reduce(ensemble: Any, train: Training) -> Any:
    """Fit several ensembles to weighted rows, towards demographic parity of all groups."""
    reduction = ExponentiatedGradient(
        clone(ensemble), DemographicParity(), max_iter=MAX_REDUCTION_STEPS
    )
    return reduction.fit(train.X, train.y, sensitive_features=train.X[train.attributes.names])


def choose_thresholds(ensemble: Any, train: Training) -> Any:
    """Give each group its own threshold, for demographic parity on held-out rows."""
    fitted, held_out = train.split()
    part = clone(ensemble).fit(fitted.X, fitted.y)
    optimizer = ThresholdOptimizer(estimator=part, prefit=True, predict_method="predict_proba")
    groups = held_out.X[held_out.attributes.names]
    return optimizer.fit(held_out.X, held_out.y, sensitive_features=groups)


def pruning(train: Training) -> dict[str, Any]:
    """Arguments of both pruners: a fitted ensemble, pruned on fitted and held-out rows."""
    privileged = train.attributes.uncoupled
    return {"privileged": privileged, "max_members": KEPT, "prefit": True, "random_state": 0}


def prune_by_poaf(part: Any, train: Training) -> Any:
    """Select by the default rule: the lowest risk at little loss of accuracy in each class."""
    n_iter = WEIGHTED_ITERATIONS if isinstance(part, AdaBoostClassifier) else ITERATIONS
    return POAFPruner(part, n_iter=n_iter, **pruning(train)).fit(train.X, train.y)


def keep_at_random(part: Any, seed: int) -> Any:
    members = np.random.default_rng(seed).permutation(N_MEMBERS)[:KEPT]
    return export(part, np.sort(members))
