"""AdaBoost.M1 by resampling, which also boosts trees that fit their training rows perfectly."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state

from dr_core import Ensemble, as_ensemble
from dr_core._utils import Array

TRIALS = 3
"""Draws for one member before a poor one is accepted."""


def seeded(estimator: Any, seed: int) -> Any:
    """Copy an estimator, or pipeline, that draws from this seed wherever it draws."""
    names = [name for name in estimator.get_params() if name.endswith("random_state")]
    return clone(estimator).set_params(**dict.fromkeys(names, seed))


class ResampledBoosting(ClassifierMixin, BaseEstimator):
    """Boosting whose members see rows drawn by weight (Freund and Schapire, 1996).

    scikit-learn's AdaBoost hands the weights to its members and stops at the first one without
    error, so a fully grown tree is never boosted. Here each member is fitted to a sample of the
    rows, drawn by weight within each class, and judged on all of them. With two classes SAMME is
    the same algorithm: its extra term log(C - 1) is 0.
    """

    def __init__(self, estimator: Any, n_estimators: int = 11, random_state: Any = None) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ResampledBoosting:
        """Fit the members one after the other; hard rows become likelier with each."""
        X, y = np.asarray(X), np.asarray(y)
        rng = check_random_state(self.random_state)
        self.classes_ = np.unique(y)
        weights = np.full(len(y), 1 / len(y))
        self.estimators_, votes = [], []
        for _ in range(self.n_estimators):
            member, wrong = self._member(X, y, weights, rng)
            # A member is neither infallible nor useless, whatever its training rows say.
            error = np.clip(weights @ wrong, 0.5 / len(y), 0.5 - 0.5 / len(y))
            vote = np.log((1 - error) / error) / 2
            weights *= np.exp(np.where(wrong, vote, -vote))
            weights /= weights.sum()
            self.estimators_.append(member)
            votes.append(vote)
        self.estimator_weights_ = np.array(votes)
        return self

    def _member(self, X: Array, y: Array, weights: Array, rng: Any) -> tuple[Any, Array]:
        """A member better than chance, if one turns up, and the rows it gets wrong."""
        for _ in range(TRIALS):
            rows = np.concatenate(
                [self._draw(y == label, weights, rng) for label in self.classes_]
            )
            member = seeded(self.estimator, rng.randint(2**31 - 1)).fit(X[rows], y[rows])
            wrong = member.predict(X) != y
            if weights @ wrong < 0.5:
                break
        return member, wrong

    def _draw(self, among: Array, weights: Array, rng: Any) -> Array:
        rows = np.flatnonzero(among)
        return rng.choice(rows, len(rows), p=weights[rows] / weights[rows].sum())

    def predict(self, X: Any) -> Array:
        """The weighted vote of the members."""
        return as_ensemble(self).predict(X)


@as_ensemble.register
def _(estimator: ResampledBoosting) -> Ensemble:
    return Ensemble(
        estimator.estimators_, estimator.classes_, estimator.estimator_weights_, encode=np.asarray
    )
