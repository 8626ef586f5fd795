"""Members and weights of a fitted ensemble, and their votes on X and X̃.

`as_ensemble` supports the voting ensembles of scikit-learn. Register the ensembles of another
library with it::

    @as_ensemble.register
    def _(estimator: TheirForest) -> Ensemble:
        return Ensemble(estimator.trees, estimator.classes_, member_says=POSITIONS)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, singledispatch
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
    to_units,
)

__all__ = [
    "LABELS",
    "POSITIONS",
    "Ensemble",
    "MemberTask",
    "as_ensemble",
    "check_features",
    "check_is_vote",
]

POSITIONS, LABELS = "positions", "labels"
"""Members predict positions in the classes of the ensemble, or class labels."""

SUPPORTED = (
    "RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, AdaBoostClassifier, "
    "VotingClassifier, a Pipeline that ends in one of these, and a list of fitted classifiers"
)


def _return_unchanged(X: Any) -> Any:
    return X


@dataclass(frozen=True, eq=False)
class Ensemble:
    """A weighted vote of fitted classifiers.

    Attributes
    ----------
    members : sequence of fitted classifiers
    classes : array of class labels, sorted
    weights : array of shape (m,), or None for equal weights
    member_says : POSITIONS or LABELS
        Type of the members' predictions.
    columns : sequence of m arrays, or None
        Columns of the encoded features that each member was fitted on; None for all.
    encode : callable
        Converts X to the features of the members, once for all members.
    inherited_units : array of shape (m,), or None
        The `units` of the members in a larger ensemble; set by `subset`.
    """

    members: Sequence[Any]
    classes: Array
    weights: Array | None = None
    member_says: str = LABELS
    columns: Sequence[Array] | None = None
    encode: Callable[[Any], Any] = _return_unchanged
    inherited_units: Array | None = None

    def __post_init__(self) -> None:
        check_choice("member_says", self.member_says, (POSITIONS, LABELS))
        _ = self.units  # raises ValueError if the weights are invalid

    @cached_property
    def units(self) -> Array:
        """Weights of the votes, (m,), as integers (in float64) in proportion to `weights`."""
        if self.inherited_units is not None:
            return self.inherited_units
        return to_units(self.weights, len(self.members), "weights")

    def task(self, j: int) -> MemberTask:
        """Return all that member j needs to vote; small enough to send to another process."""
        columns = None if self.columns is None else self.columns[j]
        return MemberTask(self.members[j], columns, self.classes.tolist(), self.member_says)

    def subset(self, members: Sequence[int] | Array) -> Ensemble:
        """Return the ensemble of these members, with the same weights and units."""
        members = list(members)
        return replace(
            self,
            members=[self.members[j] for j in members],
            inherited_units=self.units[members],
            weights=None if self.weights is None else np.asarray(self.weights)[members],
            columns=None if self.columns is None else [self.columns[j] for j in members],
        )

    def votes(self, X: Any) -> Array:
        """Return the vote of each member, as positions in the classes, shape (m, n)."""
        Z = self.encode(X)
        return np.stack([self.task(j).vote(Z) for j in range(len(self.members))])

    def vote_shares(self, X: Any) -> Array:
        """Return the share q_y(x) of the weighted vote for each class, shape (n, C)."""
        votes = self.votes(X)
        totals = np.zeros((votes.shape[1], len(self.classes)))
        for codes, unit in zip(votes, self.units, strict=True):
            totals[np.arange(len(totals)), codes] += unit
        return totals / self.units.sum()

    def predict(self, X: Any) -> Array:
        """Return the weighted vote, shape (n,); the lowest class wins a tie."""
        return self.classes[self.vote_shares(X).argmax(axis=1)]


@singledispatch
def as_ensemble(estimator: Any) -> Ensemble:
    """Return the members, classes and weights of a fitted ensemble.

    Raises
    ------
    TypeError
        If the estimator is not a vote, such as gradient boosting, whose members are regressors.

    Examples
    --------
    >>> X, y = np.array([[0], [1], [2], [3]]), np.array(["no", "no", "yes", "yes"])
    >>> forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    >>> ensemble = as_ensemble(forest)
    >>> len(ensemble.members), ensemble.classes
    (3, array(['no', 'yes'], dtype='<U3'))
    """
    if type(estimator).__name__ == "FrozenEstimator":  # scikit-learn 1.6 and later
        return as_ensemble(estimator.estimator)
    raise TypeError(
        f"A {type(estimator).__name__} is not a weighted vote of classifiers. Supported are "
        f"{SUPPORTED}; register other votes with dr_core.as_ensemble. Any model can be averaged "
        "over its sensitive attributes, so that its risk is 0: see marginalize."
    )


def check_is_vote(estimator: Any) -> None:
    """Raise TypeError if an estimator, fitted or not, is not a vote that `as_ensemble` knows.

    Examples
    --------
    >>> check_is_vote(RandomForestClassifier())
    """
    if isinstance(estimator, Pipeline):
        return check_is_vote(estimator.steps[-1][1])
    if as_ensemble.dispatch(type(estimator)) is as_ensemble.dispatch(object):
        as_ensemble(estimator)  # raises TypeError
    return None


@as_ensemble.register(RandomForestClassifier)
@as_ensemble.register(ExtraTreesClassifier)
def _read_forest(estimator: Any) -> Ensemble:
    check_is_fitted(estimator)
    return Ensemble(
        estimator.estimators_,
        _get_classes(estimator),
        member_says=POSITIONS,
        encode=_encode_for_trees,
    )


@as_ensemble.register
def _read_bagging(estimator: BaggingClassifier) -> Ensemble:
    check_is_fitted(estimator)
    return Ensemble(
        estimator.estimators_,
        _get_classes(estimator),
        member_says=POSITIONS,
        columns=estimator.estimators_features_,
        encode=_choose_encoder(estimator.estimators_),
    )


@as_ensemble.register
def _read_adaboost(estimator: AdaBoostClassifier) -> Ensemble:
    check_is_fitted(estimator)
    if getattr(estimator, "algorithm", "SAMME") == "SAMME.R":
        raise TypeError(
            "AdaBoost with SAMME.R adds up probabilities and is not a vote; use algorithm='SAMME'."
        )
    members = estimator.estimators_
    weights = estimator.estimator_weights_[: len(members)]
    return Ensemble(members, _get_classes(estimator), weights, encode=_choose_encoder(members))


@as_ensemble.register
def _read_voting(estimator: VotingClassifier) -> Ensemble:
    check_is_fitted(estimator)
    weights = estimator.weights
    if weights is not None:
        pairs = zip(estimator.estimators, weights, strict=True)
        weights = np.array([weight for (_, member), weight in pairs if member != "drop"])
    return Ensemble(estimator.estimators_, _get_classes(estimator), weights, member_says=POSITIONS)


@as_ensemble.register
def _read_pipeline(estimator: Pipeline) -> Ensemble:
    check_is_fitted(estimator)
    ensemble = as_ensemble(estimator[-1])
    before = estimator[:-1]
    if not len(before):
        return ensemble
    return replace(ensemble, encode=_Steps(before, ensemble.encode))


@dataclass(frozen=True, eq=False)
class _Steps:
    """The steps of a pipeline before its ensemble; unlike a lambda, this can be pickled."""

    before: Pipeline
    encode: Callable[[Any], Any]

    def __call__(self, X: Any) -> Any:
        return self.encode(self.before.transform(X))


@as_ensemble.register(list)
@as_ensemble.register(tuple)
def _read_list(members: Sequence[Any]) -> Ensemble:
    if not members:
        raise ValueError("The list of members is empty; pass at least one fitted classifier.")
    for member in members:
        check_is_fitted(member)
        if not hasattr(member, "classes_"):
            raise TypeError(
                f"The list has a {type(member).__name__}, which is not a classifier; pass fitted "
                "classifiers."
            )
    return Ensemble(members, np.unique(np.concatenate([member.classes_ for member in members])))


def check_features(estimator: Any, first_row: Any) -> None:
    """Call `predict` on one row, so that the estimator raises if its features do not match.

    Members cannot check this: they were fitted on features without names.
    """
    if hasattr(estimator, "predict"):
        estimator.predict(first_row)


def _get_classes(estimator: Any) -> Array:
    if isinstance(estimator.classes_, list):
        raise TypeError(f"This {type(estimator).__name__} has several outputs; fit one for each.")
    return np.asarray(estimator.classes_)


def _choose_encoder(members: Sequence[Any]) -> Callable[[Any], Any]:
    all_trees = all(isinstance(member, DecisionTreeClassifier) for member in members)
    return _encode_for_trees if all_trees else _encode_for_members


def _encode_for_members(X: Any) -> Any:
    """Return features without names, as members of bagging and boosting are fitted on."""
    if sparse.issparse(X):
        return X.tocsr()
    if isinstance(X, pd.DataFrame) and any(map(_is_nullable_number, X.dtypes)):
        return X.to_numpy(dtype=float, na_value=np.nan)
    return np.asarray(X)


def _is_nullable_number(dtype: Any) -> bool:
    """Return whether a column has a nullable numeric dtype of pandas, such as Int64."""
    return pd.api.types.is_extension_array_dtype(dtype) and pd.api.types.is_numeric_dtype(dtype)


def _encode_for_trees(X: Any) -> Any:
    """Return features in the dtype of trees, so that no tree has to convert them again."""
    with np.errstate(over="ignore"):  # raises below
        converted = _encode_for_members(X).astype(np.float32)
    if np.isinf(converted.data if sparse.issparse(converted) else converted).any():
        raise ValueError(
            "X has infinite values, or values too large for float32; remove or rescale them."
        )
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

    @property
    def has_leaves(self) -> bool:
        """Whether the member predicts the class of a leaf, as trees of scikit-learn do."""
        predict = getattr(type(self.member), "predict", None)
        return predict is DecisionTreeClassifier.predict and self.member.n_outputs_ == 1

    def vote(self, Z: Any) -> Array:
        """Positions in the classes that the member predicts for encoded features."""
        Z = self._select_columns(Z)
        # A tree takes features as they are when they are of its own type.
        options = {"check_input": False} if self._is_tree and _is_float32(Z) else {}
        if self.has_leaves:
            return self._votes_of_nodes.take(self.member.apply(Z, **options))
        return self._read(self.member.predict(Z, **options))

    def find_leaves(self, Z: Any) -> Array:
        """Return the leaf of each row in a tree."""
        return self.member.apply(self._select_columns(Z), check_input=not _is_float32(Z))

    @cached_property
    def _votes_of_nodes(self) -> Array:
        """The vote of a tree in each of its nodes, of which rows reach the leaves."""
        # To look a vote up takes a byte for each row; to predict, a probability for each class.
        member = self.member
        return self._read(member.classes_.take(member.tree_.value[:, 0].argmax(axis=1)))

    def _select_columns(self, Z: Any) -> Any:
        if self.columns is None or np.array_equal(self.columns, np.arange(Z.shape[1])):
            return Z
        return Z[:, self.columns]

    def _read(self, predicted: Any) -> Array:
        """Return predictions as positions in the classes."""
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


def _is_float32(Z: Any) -> bool:
    return getattr(Z, "dtype", None) == np.float32
