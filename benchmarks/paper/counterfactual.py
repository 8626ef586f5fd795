"""The four predictors of first-year grades that Kusner et al. (2017) compare, and their world.

All take a table with columns race, sex, UGPA and LSAT:

- `Full`: linear in everything;
- `Unaware`: linear in UGPA and LSAT;
- `FairK`: linear in the latent knowledge K, inferred from all four columns (`knowledge`);
- `FairAdd`: linear in what race and sex leave unexplained of UGPA and LSAT.

The last two are counterfactually fair, if their causal model is true: K and the residuals belong
to the person and would be the same had race and sex been different.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression

from benchmarks.paper.knowledge import Students, infer_knowledge
from dr_core._utils import Array

SCORES = ["UGPA", "LSAT"]
RACES = ["Amerindian", "Asian", "Black", "Hispanic", "Mexican", "Other", "Puertorican", "White"]


def effects(X: pd.DataFrame) -> Array:
    """One 0/1 column for each race but the most frequent, White, and one for women, (n, 8)."""
    columns = [X["race"] == race for race in RACES[:-1]] + [X["sex"] == "female"]
    return np.column_stack([column.to_numpy(float) for column in columns])


class _Linear(RegressorMixin, BaseEstimator):
    """A linear regression of what `features` makes of a table."""

    def fit(self, X: pd.DataFrame, y: Any) -> Any:
        self.regression_ = LinearRegression().fit(self.features(X), y)
        return self

    def predict(self, X: pd.DataFrame) -> Array:
        """First-year average of each student."""
        return np.asarray(self.regression_.predict(self.features(X)))

    def features(self, X: pd.DataFrame) -> Array:
        """What the regression sees, (n, d)."""
        raise NotImplementedError


class Full(_Linear):
    """All columns, sensitive ones too."""

    def features(self, X: pd.DataFrame) -> Array:
        return np.hstack([effects(X), X[SCORES].to_numpy()])


class Unaware(_Linear):
    """Fairness through unawareness: the scores alone, proxies though they are."""

    def features(self, X: pd.DataFrame) -> Array:
        return X[SCORES].to_numpy()


class FairAdd(_Linear):
    """Residuals of the scores, given race and sex."""

    def fit(self, X: pd.DataFrame, y: Any) -> FairAdd:
        self.explained_ = LinearRegression().fit(effects(X), X[SCORES].to_numpy())
        return super().fit(X, y)

    def features(self, X: pd.DataFrame) -> Array:
        return np.asarray(X[SCORES].to_numpy() - self.explained_.predict(effects(X)))


class FairK(_Linear):
    """The posterior mean of latent knowledge, with parameters that are themselves inferred."""

    def __init__(self, n_draws: int = 500, n_warmup: int = 50, random_state: int = 0) -> None:
        self.n_draws = n_draws
        self.n_warmup = n_warmup
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: Any) -> FairK:
        self.posterior_ = infer_knowledge(
            _students(X),
            np.asarray(y, float),
            n_draws=self.n_draws,
            n_warmup=self.n_warmup,
            random_state=self.random_state,
        )
        self.knowledge_ = self.posterior_.mean()
        return super().fit(X, y)

    def features(self, X: pd.DataFrame) -> Array:
        return self.knowledge_.posterior_mean(_students(X))[:, None]


def _students(X: pd.DataFrame) -> Students:
    design = np.column_stack([np.ones(len(X)), effects(X)])
    # A Poisson variable is a whole number; a tenth of the scores end in a half.
    return Students(design, X["UGPA"].to_numpy(float), np.floor(X["LSAT"].to_numpy(float)))


class AdditiveWorld:
    """The additive causal model: a score is what race and sex explain, plus a personal residual.

    A *person* is a table of race, sex and the residuals of the scores. Perturbing race and sex of
    a person, and then asking for `scores`, is a counterfactual: the residuals stay, the scores
    follow.
    """

    def __init__(self, X: pd.DataFrame) -> None:
        self.explained = LinearRegression().fit(effects(X), X[SCORES].to_numpy())

    def persons(self, X: pd.DataFrame) -> pd.DataFrame:
        """Residuals in the place of scores."""
        return self._moved(X, -1)

    def scores(self, persons: pd.DataFrame) -> pd.DataFrame:
        """Scores in the place of residuals."""
        return self._moved(persons, 1)

    def _moved(self, X: pd.DataFrame, sign: int) -> pd.DataFrame:
        moved = X[SCORES].to_numpy() + sign * self.explained.predict(effects(X))
        return X[["race", "sex"]].assign(**dict(zip(SCORES, moved.T, strict=True)))
