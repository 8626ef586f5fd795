"""Members and weights of a fitted ensemble, and their votes on X and X̃.

`as_ensemble` knows the voting ensembles of scikit-learn. Another library's ensemble joins in by
registration::

    @as_ensemble.register
    def _(estimator: TheirForest) -> Ensemble:
        return Ensemble(estimator.trees, estimator.classes_, member_says=POSITIONS)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from dr_core._tables import encode, factorize
from dr_core._utils import (
    Array,
    check_choice,
    whole_units,
)
from dr_core.ensembles._votes import LEFT_OUT

__all__ = ["LABELS", "POSITIONS", "Ensemble", "MemberTask", "as_ensemble", "check_features"]

POSITIONS, LABELS = "positions", "labels"
"""What members predict: positions in the classes of the ensemble, or class labels."""

SUPPORTED = (
    "RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, AdaBoostClassifier, "
    "VotingClassifier, a Pipeline that ends in one of these, and a list of fitted classifiers"
)


def _as_it_is(X: Any) -> Any:
    return X


@dataclass(frozen=True, eq=False)
class Ensemble:
    """A weighted vote of fitted classifiers.

    Attributes
    ----------
    members : sequence of fitted classifiers
    classes : array of class labels, sorted
    weights : array of shape (m,), or None for equal ones
    member_says : POSITIONS or LABELS
    columns : columns of the encoded features that each member sees; None for all
    encode : turns X into what members take, once for all of them
    units : array of shape (m,), whole numbers in proportion to the weights, by which votes count
    """

    members: Sequence[Any]
    classes: Array
    weights: Array | None = None
    member_says: str = LABELS
    columns: Sequence[Array] | None = None
    encode: Callable[[Any], Any] = _as_it_is
    units: Array = LEFT_OUT

    def __post_init__(self) -> None:
        check_choice("member_says", self.member_says, (POSITIONS, LABELS))
        if self.units is None:
            units = whole_units(self.weights, len(self.members), "weights")
            object.__setattr__(self, "units", units)

    def task(self, j: int) -> MemberTask:
        """What it takes to let member j vote, and nothing else."""
        columns = None if self.columns is None else self.columns[j]
        return MemberTask(self.members[j], columns, self.classes.tolist(), self.member_says)

    def subset(self, members: Sequence[int] | Array) -> Ensemble:
        """Only these members, with the weights they have."""
        members = list(members)
        return replace(
            self,
            members=[self.members[j] for j in members],
            units=self.units[members],
            weights=None if self.weights is None else np.asarray(self.weights)[members],
            columns=None if self.columns is None else [self.columns[j] for j in members],
        )

    def votes(self, X: Any) -> Array:
        """Class that each member votes for, as positions in the classes, shape (m, n)."""
        Z = self.encode(X)
        return np.stack([self.task(j).vote(Z) for j in range(len(self.members))])

    def vote_shares(self, X: Any) -> Array:
        """Share q_y(x) of the weighted vote that each class gets, shape (n, C)."""
        votes = self.votes(X)
        totals = np.zeros((votes.shape[1], len(self.classes)))
        for codes, unit in zip(votes, self.units, strict=True):
            totals[np.arange(len(totals)), codes] += unit
        return totals / self.units.sum()

    def predict(self, X: Any) -> Array:
        """The weighted vote, ties to the lowest class, shape (n,)."""
        return self.classes[self.vote_shares(X).argmax(axis=1)]


@singledispatch
def as_ensemble(estimator: Any) -> Ensemble:
    """Take a fitted ensemble apart.

    Raises
    ------
    TypeError
        For what is not a vote, such as gradient boosting, whose members are regressors.

    Examples
    --------
    >>> X, y = np.array([[0], [1], [2], [3]]), np.array(["no", "no", "yes", "yes"])
    >>> forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    >>> ensemble = as_ensemble(forest)
    >>> len(ensemble.members), ensemble.classes
    (3, array(['no', 'yes'], dtype='<U3'))
    """
    if type(estimator).__name__ == "FrozenEstimator":  # of scikit-learn 1.6 and later
        return as_ensemble(estimator.estimator)
    raise TypeError(
        f"a {type(estimator).__name__} is not a weighted vote of classifiers. Supported are "
        f"{SUPPORTED}; register others with dr_core.ensembles.as_ensemble."
    )


@as_ensemble.register(RandomForestClassifier)
@as_ensemble.register(ExtraTreesClassifier)
def _forest(estimator: Any) -> Ensemble:
    check_is_fitted(estimator)
    return Ensemble(
        estimator.estimators_, _classes(estimator), member_says=POSITIONS, encode=_for_trees
    )


@as_ensemble.register
def _bagging(estimator: BaggingClassifier) -> Ensemble:
    check_is_fitted(estimator)
    return Ensemble(
        estimator.estimators_,
        _classes(estimator),
        member_says=POSITIONS,
        columns=estimator.estimators_features_,
        encode=_encoder(estimator.estimators_),
    )


@as_ensemble.register
def _adaboost(estimator: AdaBoostClassifier) -> Ensemble:
    check_is_fitted(estimator)
    if getattr(estimator, "algorithm", "SAMME") == "SAMME.R":
        raise TypeError(
            "AdaBoost with SAMME.R adds up probabilities, it is not a vote: use algorithm='SAMME'."
        )
    members = estimator.estimators_
    weights = estimator.estimator_weights_[: len(members)]
    return Ensemble(members, _classes(estimator), weights, encode=_encoder(members))


@as_ensemble.register
def _voting(estimator: VotingClassifier) -> Ensemble:
    check_is_fitted(estimator)
    weights = estimator.weights
    if weights is not None:
        pairs = zip(estimator.estimators, weights, strict=True)
        weights = np.array([weight for (_, member), weight in pairs if member != "drop"])
    return Ensemble(estimator.estimators_, _classes(estimator), weights, member_says=POSITIONS)


@as_ensemble.register
def _pipeline(estimator: Pipeline) -> Ensemble:
    check_is_fitted(estimator)
    ensemble = as_ensemble(estimator[-1])
    before = estimator[:-1]
    if not len(before):
        return ensemble
    return replace(ensemble, encode=_Steps(before, ensemble.encode))


@dataclass(frozen=True, eq=False)
class _Steps:
    """What a pipeline does before its ensemble; can be pickled, as a lambda cannot."""

    before: Pipeline
    encode: Callable[[Any], Any]

    def __call__(self, X: Any) -> Any:
        return self.encode(self.before.transform(X))


@as_ensemble.register(list)
@as_ensemble.register(tuple)
def _list(members: Sequence[Any]) -> Ensemble:
    if not members:
        raise ValueError("the list of members is empty; pass at least one fitted classifier.")
    for member in members:
        check_is_fitted(member)
        if not hasattr(member, "classes_"):
            raise TypeError(
                f"the list has a {type(member).__name__}, which is no classifier. Members of a "
                "vote must be fitted classifiers."
            )
    return Ensemble(members, np.unique(np.concatenate([member.classes_ for member in members])))


def check_features(estimator: Any, first_row: Any) -> None:
    """Let the ensemble itself look at one row, so that it objects to features it does not know.

    Its members cannot: they know features by position alone.
    """
    if hasattr(estimator, "predict"):
        estimator.predict(first_row)


def _classes(estimator: Any) -> Array:
    if isinstance(estimator.classes_, list):
        raise TypeError(f"this {type(estimator).__name__} predicts several outputs; fit one each.")
    return np.asarray(estimator.classes_)


def _encoder(members: Sequence[Any]) -> Callable[[Any], Any]:
    all_trees = all(isinstance(member, DecisionTreeClassifier) for member in members)
    return _for_trees if all_trees else _for_members


def _for_members(X: Any) -> Any:
    """Features without names, as members of bagging and boosting are fitted on them."""
    if sparse.issparse(X):
        return X.tocsr()
    if isinstance(X, pd.DataFrame) and any(map(_can_lack, X.dtypes)):
        return X.to_numpy(dtype=float, na_value=np.nan)
    return np.asarray(X)


def _can_lack(dtype: Any) -> bool:
    """Whether a column holds numbers and pandas' own sign for missing ones."""
    return pd.api.types.is_extension_array_dtype(dtype) and pd.api.types.is_numeric_dtype(dtype)


def _for_trees(X: Any) -> Any:
    """Features as trees look at them, so that none has to convert them again."""
    with np.errstate(over="ignore"):  # told below
        converted = _for_members(X).astype(np.float32)
    if np.isinf(converted.data if sparse.issparse(converted) else converted).any():
        raise ValueError("X has infinite values, or values too large for float32.")
    return converted


@dataclass(frozen=True, eq=False)
class MemberTask:
    """One member, and how to read its predictions."""

    member: Any
    columns: Array | None
    classes: list[Any]
    says: str

    @property
    def _is_tree(self) -> bool:
        return isinstance(self.member, DecisionTreeClassifier)

    def vote(self, Z: Any) -> Array:
        """Positions in the classes that the member predicts for encoded features."""
        Z = Z if self.columns is None else Z[:, self.columns]
        # A tree takes features as they are when they are of its own type.
        own_type = self._is_tree and getattr(Z, "dtype", None) == np.float32
        predicted = self.member.predict(Z, **({"check_input": False} if own_type else {}))
        if self.says == POSITIONS:
            return np.asarray(predicted).astype(
                np.uint8 if len(self.classes) <= 256 else np.uint16
            )
        return encode(factorize(np.asarray(predicted)), self.classes, "a member's prediction")

    def can_react(self, moved: Array | None) -> bool:
        """Whether the member looks at any column that moved."""
        if moved is None or not self._is_tree:
            return True
        looked_at = self.member.tree_.feature
        looked_at = looked_at[looked_at >= 0]
        return bool((moved if self.columns is None else moved[self.columns])[looked_at].any())
