"""Data, folds, learners and ensembles, and what the two protocols are.

**Paper**: as published. 5-fold cross-validation; each sensitive attribute of a row is perturbed
with probability p, once, at random; pruned on the rows trained on. The paper does not tell p. Its
published DR fits p = 0.5, the default of its public code, in the pruning tables, and p = 0.7 in
those of fairness-aware methods (see docs/reproduction.md), so that is `PAPER_P`.

**Recommended**: every attribute is perturbed (p = 1), and DR is exact, the expectation over all
perturbations; pruned on a third of the training rows that the ensemble was not fitted to.

Data are encoded as in the paper (`dr_core.datasets.binarize`): sensitive columns are 1 for
privileged and 0 for all others. The column of both attributes jointly is left out, since
perturbing one attribute would contradict it. Everything is seeded by fold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.paper.boosting import ResampledBoosting, seeded
from dr_core import (
    PruningResult,
    SensitiveAttributes,
    Votes,
    collect_votes,
    datasets,
    learn_attributes,
    poaf,
)
from dr_core._utils import Array

DATASETS = ["ricci", "credit", "income", "ppr", "ppvr"]
FOLDS = 5
N_MEMBERS, KEPT = 11, 5
"""Members of an ensemble, and how many pruning keeps at most."""

PAPER, RECOMMENDED = "paper", "recommended"
"""The protocols."""

PAPER_P = {"quality": 0.5, "bounds": 0.5, "pruning": 0.5, "aware": 0.7, "lawschool": 0.7}
"""Probability with which the paper perturbs an attribute, by experiment; see above."""

QUICK_ROWS = 600
"""Rows of a data set in a quick run, drawn by stratum of the label."""

SLOW_ROWS = 2000
"""Largest number of rows, for learners that take time quadratic in them."""

HELD_OUT = 1 / 3


@dataclass(frozen=True, eq=False)
class Data:
    """An encoded data set.

    Attributes
    ----------
    name : as in `DATASETS`
    X : DataFrame of numbers; sensitive columns keep their names, 1 for privileged, 0 for others
    y : Series of 0 and 1
    attributes : SensitiveAttributes, what dr_core's functions take as `privileged`
    """

    name: str
    X: pd.DataFrame
    y: pd.Series
    attributes: SensitiveAttributes

    def privileged(self, attribute: str, rows: Array) -> Array:
        """Which of these rows are privileged, bool."""
        return (self.X[attribute].to_numpy() == 1)[rows]

    def rows(self, rows: Array) -> tuple[pd.DataFrame, pd.Series]:
        """X and y of these rows."""
        return self.X.iloc[rows], self.y.iloc[rows]

    def perturbation(self, experiment: str, protocol: str, seed: int = 0) -> dict[str, Any]:
        """Arguments that make `compare`, `assess_risk`, `collect_votes` follow a protocol."""
        if protocol == RECOMMENDED:
            return {"method": "exact"}
        return {"method": "sample", "p": PAPER_P[experiment], "random_state": seed}

    def votes(
        self, model: Any, rows: Array, experiment: str, protocol: str, seed: int = 0
    ) -> Votes:
        """Votes of an ensemble's members on these rows, perturbed as the protocol says."""
        how = self.perturbation(experiment, protocol, seed)
        return collect_votes(model, *self.rows(rows), self.attributes, **how)


@cache
def load(name: str, quick: bool = False) -> Data:
    """Load a data set as the paper encodes it; of large ones `QUICK_ROWS` rows when quick."""
    bunch = datasets.load(name)
    X, y = datasets.binarize(bunch), bunch.target
    X = X.drop(columns="-".join(bunch.privileged)) if len(bunch.privileged) > 1 else X
    # LightGBM refuses most punctuation in names.
    X.columns = [c if c in bunch.privileged else f"x{i}" for i, c in enumerate(X.columns)]
    attributes = learn_attributes(X, dict.fromkeys(bunch.privileged, 1))
    if quick and len(y) > QUICK_ROWS:
        rows = train_test_split(
            np.arange(len(y)), train_size=QUICK_ROWS, stratify=y, random_state=0
        )
        X, y = X.iloc[rows[0]], y.iloc[rows[0]]
    return Data(name, X.reset_index(drop=True), y.reset_index(drop=True), attributes)


@dataclass(frozen=True, eq=False)
class Fold:
    """Positions of rows: `train` is `fitted` and `held_out` together; `test` is the rest."""

    number: int
    train: Array
    test: Array
    fitted: Array
    held_out: Array


def folds(y: pd.Series, seed: int = 0) -> list[Fold]:
    """Cut rows into 5 folds, stratified by label; hold back a third of each training part."""
    cuts = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y)
    return [_fold(number, *cut, y, seed) for number, cut in enumerate(cuts)]


def _fold(number: int, train: Array, test: Array, y: pd.Series, seed: int) -> Fold:
    fitted, held_out = train_test_split(
        train, test_size=HELD_OUT, random_state=seed, stratify=y.iloc[train]
    )
    return Fold(number, train, test, fitted, held_out)


def fold_pieces(quick: bool = False, **choices: list[Any]) -> list[dict[str, Any]]:
    """Pieces for `store.run`: data sets × folds × choices, large data sets first.

    A quick run has three data sets and one fold.

    >>> fold_pieces(quick=True, ensemble=["bagging"])[0]
    {'dataset': 'ppr', 'fold': 0, 'ensemble': 'bagging', 'quick': True}
    """
    names = ["ppr", "credit", "ricci"] if quick else ["income", "ppr", "ppvr", "credit", "ricci"]
    pieces: list[dict[str, Any]] = [{"dataset": name} for name in names]
    options = {"fold": list(range(1 if quick else FOLDS))} | choices | {"quick": [quick]}
    for key, values in options.items():
        pieces = [piece | {key: value} for piece in pieces for value in values]
    return pieces


def _scaled(learner: Any) -> Any:
    return make_pipeline(StandardScaler(), learner)


INDIVIDUALS: dict[str, Callable[[], Any]] = {
    "DT": DecisionTreeClassifier,
    "NB": GaussianNB,
    "KNN": lambda: _scaled(KNeighborsClassifier()),
    "LR": lambda: _scaled(LogisticRegression(max_iter=1000)),
    "SVM": lambda: _scaled(SVC()),
    "linSVM": lambda: _scaled(LinearSVC(dual=False, tol=1e-2)),
    "MLP": lambda: _scaled(MLPClassifier((20,), learning_rate_init=0.01, max_iter=60)),
}
"""Makers of individual classifiers, under the paper's names."""

SLOW = {"KNN", "SVM", "MLP"}

ENSEMBLES: dict[str, Callable[[Any], Any]] = {
    "bagging": lambda member: BaggingClassifier(member, N_MEMBERS),
    "AdaBoostM1": lambda member: ResampledBoosting(member, N_MEMBERS),
    "SAMME": lambda member: ResampledBoosting(member, N_MEMBERS),
}
"""Makers of ensembles. With two classes AdaBoostM1 and SAMME differ by their seed alone."""

LEARNERS: dict[str, Callable[[], Any]] = {
    **INDIVIDUALS,
    "bagging": lambda: ENSEMBLES["bagging"](DecisionTreeClassifier()),
    "AdaBoost": lambda: ENSEMBLES["AdaBoostM1"](DecisionTreeClassifier()),
    "lightGBM": lambda: LGBMClassifier(n_jobs=1, verbose=-1),
}
"""Makers of all learners of RQ1."""


def make_learner(name: str, seed: int) -> Any:
    """Make one of `LEARNERS`, not fitted."""
    return seeded(LEARNERS[name](), seed)


def make_ensemble(name: str, seed: int, individual: str = "DT") -> Any:
    """Make one of `ENSEMBLES` of one of `INDIVIDUALS`, not fitted."""
    # The two boosting algorithms are the same for two classes; they get draws of their own.
    return seeded(ENSEMBLES[name](INDIVIDUALS[individual]()), seed + 1000 * (name == "SAMME"))


def affordable(
    learner: str, rows: Array, seed: int, *, most: int | None = None, most_slow: int = SLOW_ROWS
) -> Array:
    """All rows; or as many as there may be, drawn at random: `most_slow` for `SLOW` learners."""
    most = most_slow if learner in SLOW else most
    if most is None or len(rows) <= most:
        return rows
    return np.random.default_rng(seed).choice(rows, most, replace=False)


def recommended_poaf(votes: Votes, max_members: int = KEPT, ties: str = "lowest") -> PruningResult:
    """POAF with a long search; `votes` are exact, on held-out rows."""
    how = {"selection": "min_risk", "accuracy_tolerance": 0.01, "ties": ties}
    return poaf(votes, max_members, n_iter=200, **how, random_state=0)
