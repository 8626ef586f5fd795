"""POAF and EPAF as meta-estimators with the API of fairlearn's postprocessing.

A pruner selects members of an ensemble whose weighted vote is accurate and has a low
discriminative risk. It predicts with the selected members.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from math import prod
from typing import Any, cast

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from dr_core import (
    Ensemble,
    PruningResult,
    SensitiveAttributes,
    Votes,
    as_ensemble,
    collect_votes,
    epaf,
    export,
    learn_attributes,
    poaf,
)
from dr_core.plugins import (
    ACCURACY_TOLERANCE,
    PROMISE_CLAIM,
    Array,
    Rules,
    as_generator,
    as_table,
    check_choice,
    check_features,
    check_integer,
    check_is_vote,
    check_row_order,
    check_weights,
    encode,
    factorize,
    prune_and_estimate,
    quote,
    warn_few_learned,
)
from fairlearn_dr._fitting import (
    as_indexable,
    check_sensitive_columns,
    copy_feature_attributes,
    make_weight_params,
)

__all__ = ["EPAFPruner", "POAFPruner"]

HELD_OUT_SHARE = 1 / 3
"""Share of the rows of each class that is held out for pruning."""

MAX_ENUMERATED = 16
"""Largest number of perturbations of a row on which members vote by default."""

PRUNE_ON = ("holdout", "all", "train")
"""Valid values of `prune_on`."""


class _Pruner(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Base class of the pruners; a subclass implements `_prune`."""

    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> _Pruner:
        """Fit the ensemble, unless `prefit` is True, and prune it.

        Parameters
        ----------
        X : table of shape (n, d)
            Input of the ensemble, including the sensitive columns.
        y : labels of shape (n,)
        sensitive_features : ignored
            Present for API consistency with fairlearn. The sensitive features must be columns of
            X, because the columns that the ensemble sees are perturbed.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        check_choice("prune_on", self.prune_on, PRUNE_ON)
        check_row_order(X, {"y": y, "sample_weight": sample_weight})
        y = _check_labels(X, y)
        self._check_pos_label(y)
        rng = as_generator(self.random_state)
        X = as_indexable(X)
        attributes = self._learn_attributes(X, sensitive_features)
        self.estimator_, pruning_set, unseen = self._fit_ensemble(
            X, y, sample_weight, seed=int(rng.integers(2**31))
        )
        votes = self._collect_votes(attributes, pruning_set, rng)
        if getattr(self, "max_risk", None) is not None:
            warn_few_learned(attributes or (), PROMISE_CLAIM, stacklevel=2)
        size = self._get_max_members(votes.n_members)
        self.result_ = self._prune(votes, size, unseen=unseen, random_state=rng)
        self.members_, self.front_ = self.result_.members, self.result_.front
        weights = votes.weights[self.members_]
        self.weights_ = weights / weights.sum()
        self.classes_ = as_ensemble(self.estimator_).classes
        copy_feature_attributes(self, self.estimator_)
        return self

    def predict(self, X: Any) -> Array:
        """Predict by weighted vote of the selected members; ties go to the first class."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Array:
        """Return the share of the weighted vote for each class, shape (n, C)."""
        check_is_fitted(self)
        X = as_indexable(X)
        check_features(self.estimator_, X[:1])
        return as_ensemble(self.estimator_).subset(self.members_).vote_shares(X)

    def export(self) -> Any:
        """Return a fitted ensemble of the original type with only the selected members.

        The result does not depend on this library. An ensemble that averages probabilities can
        predict differently from the weighted vote; in this case a warning is raised.
        """
        check_is_fitted(self)
        return export(self.estimator_, self.members_)

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn 1.6 and later call this method and have get_tags.
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        if isinstance(self.estimator, list | tuple):
            return tags
        inner = get_tags(self._clone_estimator(seed=0))
        # X with sensitive columns must be dense; any other X passes to the estimator as it is.
        tags.input_tags.sparse = inner.input_tags.sparse and self.privileged is None
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _prune(self, votes: Votes, size: int, **options: Any) -> PruningResult:
        raise NotImplementedError

    def _get_max_members(self, n_members: int) -> int:
        if self.max_members is None:
            return (n_members + 1) // 2
        check_integer("max_members", self.max_members, at_least=1)
        return min(self.max_members, n_members)

    def _check_pos_label(self, y: Array) -> None:
        """Raise ValueError if the favourable label is not a class of the ensemble."""
        if self.pos_label is None:
            return
        classes = as_ensemble(self.estimator).classes if self.prefit else np.unique(y)
        if self.pos_label not in classes.tolist():
            raise ValueError(
                f"pos_label must be the favourable one of the classes {quote(classes)}; got "
                f"{self.pos_label!r}."
            )

    def _learn_attributes(self, X: Any, sensitive_features: Any) -> SensitiveAttributes | None:
        if self.privileged is None:
            warnings.warn(
                "privileged is None: no attribute is perturbed, every risk is 0, and members are "
                'selected by accuracy only. Pass privileged, such as {"sex": "Male"}.',
                stacklevel=3,
            )
            return None
        if sensitive_features is not None and isinstance(self.privileged, Mapping):
            check_sensitive_columns(X, self.privileged)
        return learn_attributes(X, self.privileged, missing=self.missing, coupled=self.coupled)

    def _fit_ensemble(
        self, X: Any, y: Array, sample_weight: Any, seed: int
    ) -> tuple[Any, tuple[Any, Array, Array], Array]:
        """Return the fitted ensemble, and the rows to prune it on: X, y, weights, and unseen."""
        rows = X, y, check_weights(sample_weight, len(y))
        everything = np.ones(len(y), dtype=bool)
        if self.prefit:
            return self.estimator, rows, everything
        estimator = self._clone_estimator(seed)
        check_is_vote(estimator)
        unseen = ~everything if self.prune_on == "train" else _hold_out(y, seed)
        train_X, train_y, weights = _select(rows, ~unseen)
        params = {} if sample_weight is None else make_weight_params(estimator, weights)
        estimator.fit(train_X, train_y, **params)
        pruned_on = unseen if self.prune_on == "holdout" else everything
        return estimator, _select(rows, pruned_on), unseen[pruned_on]

    def _clone_estimator(self, seed: int) -> Any:
        if self.estimator is None:
            return RandomForestClassifier(random_state=seed)
        return clone(self.estimator)

    def _collect_votes(
        self,
        attributes: SensitiveAttributes | None,
        pruning_set: tuple[Any, Array, Array],
        rng: np.random.Generator,
    ) -> Votes:
        X, y, weights = pruning_set
        if attributes is None:
            ensemble = as_ensemble(self.estimator_)
            return _collect_unperturbed_votes(ensemble, X, y, weights, self.pos_label)
        return collect_votes(
            self.estimator_,
            X,
            y,
            attributes,
            method=_choose_method(self.method, attributes),
            random_state=rng,
            sample_weight=weights,
            n_jobs=self.n_jobs,
            favorable=self.pos_label,
        )


class POAFPruner(_Pruner):
    """Select accurate and fair members of an ensemble by POAF.

    POAF searches the Pareto front of error and discriminative risk.

    Parameters
    ----------
    estimator : ensemble, default=None
        Random forest, extra trees, bagging, AdaBoost, VotingClassifier, or a Pipeline that ends in
        one of these. None stands for a random forest.
    privileged : mapping
        The privileged value of each sensitive column of X, such as {"sex": "Male"}, or its range,
        such as {"age": at_least(25)}.
    max_members : int, default=None
        Maximum number of selected members. None stands for half of the members, rounded up.
    trade_off : float in [0, 1], default=0.5
        λ, the weight of accuracy against fairness.
    n_iter : int, default=None
        Number of iterations of the search. None stands for enough to find a nearly complete
        front; see `dr_core.poaf`.
    selection : {"min_risk", "objective", "largest"} or callable, default="min_risk"
        Which sub-ensemble of the Pareto front to select; see `dr_core.poaf`.
    neighbourhood : {"exchange", "paper"}, default="exchange"
        Improved or published search; see `dr_core.poaf`.
    accuracy_tolerance : float, default=0.02
        With selection "min_risk", the accepted difference from the lowest error, and from the
        error of the whole ensemble on each class.
    max_risk : float, default=None
        Instead of applying `selection`, select the most accurate sub-ensemble whose risk is at
        most `max_risk` with probability 1 - `delta`; see `dr_core.poaf`. `fit` raises ValueError
        if there is none. Requires held-out rows: `prune_on="holdout"`, or `prefit=True` and rows
        that the ensemble was not fitted on.
    delta : float, default=0.05
        For `max_risk`.
    prefit : bool, default=False
        Whether `estimator` is already fitted. If True, `fit` only prunes it, on the given rows.
    prune_on : {"holdout", "all", "train"}, default="holdout"
        The rows to prune on, if `prefit` is False.

        - "holdout" fits on two thirds of the rows and prunes on the others.
        - "all" fits on two thirds of the rows and prunes on all of them. The estimate of the risk
          is more stable on small data sets.
        - "train" fits and prunes on all rows, as in the paper.
    random_state : int, Generator, RandomState or None, default=None
    method : {"auto", "exact", "sample"}, default="auto"
        Whether members vote on every perturbation of a row ("exact") or on a random one
        ("sample"). "auto" is "exact" unless a row has more than 16 perturbations, as with ages.
    missing : {"error", "keep"}, default="error"
        Whether to raise an error for a missing sensitive value or to leave it as it is. Members
        are not chosen on rows without any sensitive value.
    coupled : mapping, default=None
        Columns that change together with an attribute; see `dr_core.learn_attributes`.
    pos_label : label, default=None
        The favourable label, which recall and selection rate in `result_.scores` are about. None
        stands for the higher of two labels. It has no influence on the members that are selected.
    n_jobs : int, default=None
        Number of members that vote in parallel.
    progress : bool, default=False
        Whether to show a progress bar for each of the three searches: on all rows, and on either
        half of them for the estimate.

    Attributes
    ----------
    estimator_ : fitted ensemble
        The ensemble before pruning.
    members_ : array
        Positions of the selected members.
    weights_ : array
        Weights of the selected members; they sum to 1.
    front_ : DataFrame
        The Pareto front: all non-dominated sub-ensembles that were found.
    result_ : PruningResult
        Error, risk and objective on the rows used for pruning. Its `scores` also have recall,
        selection rate and balanced accuracy before and after pruning, and "held out" an estimate
        on rows that neither fitted nor chose the members (cross-validation in two halves; not
        for `prune_on="train"`).
    classes_ : array
        Class labels.

    Examples
    --------
    >>> from dr_core import datasets
    >>> credit = datasets.load("credit")
    >>> X = datasets.binarize(credit).drop(columns="sex-age")
    >>> forest = RandomForestClassifier(n_estimators=15, random_state=0)
    >>> pruner = POAFPruner(forest, privileged={"sex": 1, "age": 1}, random_state=0)
    >>> pruner = pruner.fit(X, credit.target)
    >>> len(pruner.members_) <= 8
    True
    >>> pruner.result_.scores.round(2)
    positive: 1  error  risk  recall  selection_rate  balanced_accuracy
    before        0.26  0.11    0.90            0.83               0.63
    after         0.23  0.08    0.91            0.80               0.68
    held out      0.28  0.11    0.88            0.81               0.62
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        privileged: Mapping[Any, Any] | None = None,
        max_members: int | None = None,
        trade_off: float = 0.5,
        n_iter: int | None = None,
        selection: Any = "min_risk",
        neighbourhood: str = "exchange",
        accuracy_tolerance: float = ACCURACY_TOLERANCE,
        max_risk: float | None = None,
        delta: float = 0.05,
        prefit: bool = False,
        prune_on: str = "holdout",
        random_state: Any = None,
        method: str = "auto",
        missing: str = "error",
        coupled: Rules | None = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.estimator = estimator
        self.privileged = privileged
        self.max_members = max_members
        self.trade_off = trade_off
        self.n_iter = n_iter
        self.selection = selection
        self.neighbourhood = neighbourhood
        self.accuracy_tolerance = accuracy_tolerance
        self.max_risk = max_risk
        self.delta = delta
        self.prefit = prefit
        self.prune_on = prune_on
        self.random_state = random_state
        self.method = method
        self.missing = missing
        self.coupled = coupled
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.progress = progress

    def _prune(self, votes: Votes, size: int, **options: Any) -> PruningResult:
        if self.max_risk is not None and not self.prefit and self.prune_on != "holdout":
            raise ValueError(
                "max_risk must be tested on rows that the ensemble was not fitted on; got "
                f'prune_on={self.prune_on!r}. Use prune_on="holdout".'
            )
        return prune_and_estimate(
            poaf,
            votes,
            size,
            trade_off=self.trade_off,
            n_iter=self.n_iter,
            selection=self.selection,
            neighbourhood=self.neighbourhood,
            accuracy_tolerance=self.accuracy_tolerance,
            max_risk=self.max_risk,
            delta=self.delta,
            progress=self.progress,
            **options,
        )


class EPAFPruner(_Pruner):
    """Select accurate and fair members of an ensemble by EPAF, a greedy algorithm.

    Parameters
    ----------
    estimator, privileged, max_members, trade_off, prefit, prune_on, random_state, method, missing
        As for `POAFPruner`.
    coupled, pos_label
        As for `POAFPruner`.
    n_groups : int, default=1
        Number of groups of members that are pruned separately before the union of the results is
        pruned (EPAF-D). With 1, all members are pruned together (EPAF-C).
    n_jobs : int, default=None
        Number of groups pruned, and of members that vote, in parallel.

    Attributes
    ----------
    estimator_, members_, weights_, front_, result_, classes_
        As for `POAFPruner`.

    Examples
    --------
    >>> from dr_core import datasets
    >>> credit = datasets.load("credit")
    >>> X = datasets.binarize(credit).drop(columns="sex-age")
    >>> pruner = EPAFPruner(privileged={"sex": 1, "age": 1}, max_members=21, random_state=0)
    >>> len(pruner.fit(X, credit.target).members_)
    21
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        privileged: Mapping[Any, Any] | None = None,
        max_members: int | None = None,
        trade_off: float = 0.5,
        n_groups: int = 1,
        prefit: bool = False,
        prune_on: str = "holdout",
        random_state: Any = None,
        method: str = "auto",
        missing: str = "error",
        coupled: Rules | None = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.privileged = privileged
        self.max_members = max_members
        self.trade_off = trade_off
        self.n_groups = n_groups
        self.prefit = prefit
        self.prune_on = prune_on
        self.random_state = random_state
        self.method = method
        self.missing = missing
        self.coupled = coupled
        self.pos_label = pos_label
        self.n_jobs = n_jobs

    def _prune(self, votes: Votes, size: int, **options: Any) -> PruningResult:
        return prune_and_estimate(
            epaf,
            votes,
            size,
            trade_off=self.trade_off,
            n_groups=self.n_groups,
            n_jobs=self.n_jobs,
            **options,
        )


def _choose_method(method: str, attributes: SensitiveAttributes) -> str:
    """Return how to collect votes: "auto" enumerates where there are few perturbations."""
    if method != "auto":
        return method
    return "exact" if prod(one.n_targets for one in attributes) <= MAX_ENUMERATED else "sample"


def _check_labels(X: Any, y: Any) -> Array:
    """Return y as an array. Raise ValueError if it is not one class label per row of X."""
    y = column_or_1d(y, warn=True)
    assert_all_finite(y)
    check_classification_targets(y)
    check_consistent_length(X, y)
    return cast(Array, y)


def _collect_unperturbed_votes(
    ensemble: Ensemble, X: Any, y: Array, weights: Array, pos_label: Any
) -> Votes:
    """Return votes whose perturbed votes equal the original ones, so that the risk is 0."""
    votes = ensemble.votes(as_indexable(X))
    labels = encode(factorize(y), ensemble.classes.tolist(), "y")
    member_weights = cast(Array, ensemble.weights)
    return Votes(
        votes, votes, labels, member_weights, weights, ensemble.classes, favorable=pos_label
    )


def _hold_out(y: Array, seed: int) -> Array:
    """Return which rows to hold out, a bool array (n,).

    A third of each class is held out, at least one row. A class of one row is not held out.
    """
    order = np.random.default_rng(seed).permutation(len(y))
    # Number the rows of each class in random order and hold out the first third of each class.
    # With y = a, a, a, b and order = 2, 3, 0, 1: the classes in this order are a, b, a, a, the
    # ranks 0, 0, 1, 2, the class sizes 3, 1, 3, 3 and the numbers to hold out 1, 0, 1, 1.
    # Row 2 is held out.
    rank = pd.Series(order).groupby(y[order]).cumcount().to_numpy()
    sizes = pd.Series(y).groupby(y).transform("size").to_numpy()[order]
    n_held_out = np.where(sizes > 1, np.maximum(1, np.round(sizes * HELD_OUT_SHARE)), 0)
    held_out = np.zeros(len(y), dtype=bool)
    held_out[order] = rank < n_held_out
    if not held_out.any():
        raise ValueError(
            f"n_samples={len(y)} is too few to hold out rows for pruning; pass more rows, or "
            'prune_on="train".'
        )
    return held_out


def _select(rows: tuple[Any, Array, Array], chosen: Array) -> tuple[Any, Array, Array]:
    """Return X, y and weights of the rows where `chosen`, a bool array (n,), is True."""
    if chosen.all():
        return rows
    X, y, weights = rows
    return _select_rows(X, np.flatnonzero(chosen)), y[chosen], weights[chosen]


def _select_rows(X: Any, rows: Array) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, np.ndarray) or issparse(X):
        return X[rows]
    return as_table(X).take(rows).native
