"""AdaFair, boosting that looks after the group it gets wrong more often.

Written from Iosifidis and Ntoutsi, "AdaFair: Cumulative Fairness Adaptive Boosting", CIKM 2019
(https://doi.org/10.1145/3357384.3357974), whose PyPI package needs an older scikit-learn. Each
round, after AdaBoost's weights of rows, the rows that the weak learner got wrong become heavier
by the *fairness cost* if they belong to the group (and class) that the ensemble so far gets wrong
more often. In the end the ensemble is cut to the number of learners that is best on the training
rows in balanced error and equalised odds together.

Decided where the publication is silent: boosting stops at a learner that is perfect or no better
than chance, as AdaBoost does (the first one is kept whatever it is); of equally good numbers of
learners the smallest is taken; a group without positive (or negative) rows counts no gap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

Array = np.ndarray


class Gaps(NamedTuple):
    """How much more often protected rows are wrong than others, by class: δFNR and δFPR."""

    positive: float
    negative: float


class AdaFair(ClassifierMixin, BaseEstimator):
    """Cumulative fairness adaptive boosting for two classes.

    Parameters
    ----------
    estimator : classifier, default=a decision stump
    n_estimators : int, default=200
        T, the number of rounds, as in the publication.
    tolerance : float, default=0
        ε, the gap between groups that still costs nothing.
    balance : float in [0, 1], default=1
        c, the weight of balanced error against error when the number of learners is chosen.
    random_state : int or None

    Attributes
    ----------
    estimators_, estimator_weights_ : the θ learners that vote, and their weights α
    classes_ : array of the two labels; the second is the positive one
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 200,
        tolerance: float = 0.0,
        balance: float = 1.0,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.tolerance = tolerance
        self.balance = balance
        self.random_state = random_state

    def fit(self, X: Any, y: Any, protected: Any) -> AdaFair:
        """Boost; `protected`, a bool array (n,), tells who is in the protected group."""
        X = np.asarray(X, dtype=np.float32)  # the type trees work on, converted once
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"y must have two classes; found {self.classes_.tolist()}.")
        rows = Rows(codes.astype(bool), np.asarray(protected, dtype=bool))
        learners, weights, judged = self._boost(X, rows)
        theta = int(np.argmin(judged)) + 1
        self.estimators_, self.estimator_weights_ = learners[:theta], np.array(weights[:theta])
        return self

    def _boost(self, X: Array, rows: Rows) -> tuple[list[Any], list[float], list[float]]:
        """Learners, their weights α, and what is minimised over the number of learners θ."""
        weight, score = np.full(len(X), 1 / len(X)), np.zeros(len(X))
        learners: list[Any] = []
        alphas: list[float] = []
        judged: list[float] = []
        for _ in range(self.n_estimators):
            learner = self._weak_learner().fit(X, rows.positive, sample_weight=weight)
            chance = learner.predict_proba(X)
            says = chance.argmax(axis=1).astype(bool)
            wrong = says != rows.positive
            error = float(weight[wrong].sum())
            if error >= 0.5 and learners:
                break
            alpha = vote_weight(error)
            score += alpha * np.where(says, 1, -1)
            learners.append(learner)
            alphas.append(alpha)
            judged.append(self._judged(rows, score > 0))
            if not 0 < error < 0.5:
                break
            cost = rows.fairness_cost(wrong, rows.gaps(score > 0), self.tolerance)
            weight = weight * np.exp(alpha * chance.max(axis=1) * wrong) * (1 + cost)
            weight /= weight.sum()
        return learners, alphas, judged

    def _weak_learner(self) -> Any:
        if self.estimator is None:
            return DecisionTreeClassifier(max_depth=1, random_state=self.random_state)
        return clone(self.estimator)

    def _judged(self, rows: Rows, says: Array) -> float:
        """c · balanced error + (1 - c) · error + equalised odds of the ensemble so far."""
        wrong = says != rows.positive
        balanced = (wrong[rows.positive].mean() + wrong[~rows.positive].mean()) / 2
        odds = sum(map(abs, rows.gaps(says)))
        return float(self.balance * balanced + (1 - self.balance) * wrong.mean() + odds)

    def decision_function(self, X: Any) -> Array:
        """Σ α_j h_j(x), positive where the vote is for the second class."""
        check_is_fitted(self)
        X = np.asarray(X, dtype=np.float32)
        votes = [np.where(learner.predict(X), 1, -1) for learner in self.estimators_]
        return np.asarray(self.estimator_weights_ @ np.array(votes))

    def predict(self, X: Any) -> Array:
        """The weighted vote, a tie for the first class."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class Rows(NamedTuple):
    """What fairness is judged on: bool arrays of shape (n,)."""

    positive: Array
    protected: Array

    def gaps(self, says: Array) -> Gaps:
        """δFNR and δFPR of predictions, protected rows minus the others."""
        wrong = says != self.positive
        return Gaps(self._gap(wrong, self.positive), self._gap(wrong, ~self.positive))

    def _gap(self, wrong: Array, among: Array) -> float:
        groups = [wrong[among & self.protected], wrong[among & ~self.protected]]
        if not all(map(len, groups)):
            return 0.0
        return float(groups[0].mean() - groups[1].mean())

    def fairness_cost(self, wrong: Array, gaps: Gaps, tolerance: float) -> Array:
        """u_i: the gap, for rows the weak learner got wrong in the group it is at the cost of."""
        cost = np.zeros(len(wrong))
        for among, gap in ((self.positive, gaps.positive), (~self.positive, gaps.negative)):
            if abs(gap) > tolerance:
                worse_off = self.protected if gap > 0 else ~self.protected
                cost[wrong & among & worse_off] = abs(gap)
        return cost


def vote_weight(error: float) -> float:
    """α = ½ ln((1 - err) / err), finite for a perfect learner, 0 for one no better than chance."""
    error = max(error, np.finfo(float).eps)
    return max(0.0, float(np.log((1 - error) / error)) / 2)
