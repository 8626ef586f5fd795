"""POAF and EPAF as meta-estimators in the idiom of fairlearn's postprocessing.

A pruner takes an ensemble, keeps the members whose weighted vote is accurate and depends little on
sensitive attributes alone, and predicts with these.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from inspect import signature
from typing import Any, cast

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from dr_core import (
    Ensemble,
    OneHot,
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
    Array,
    Rules,
    Table,
    as_generator,
    as_table,
    check_features,
    check_weights,
    check_whole,
    encode,
    factorize,
    listed,
)

__all__ = ["EPAFPruner", "POAFPruner"]

HELD_OUT = 1 / 3
"""Share of the rows given to fit that is kept back for pruning."""

PRUNING_ROWS = ["holdout", "all", "train"]
"""What `prune_on` may be."""


class _Pruner(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """What both pruners do: fit an ensemble, let its members vote, keep some of them."""

    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> _Pruner:
        """Fit the ensemble, unless it is prefit, and prune it.

        Parameters
        ----------
        X : table of shape (n, d)
            Rows as the ensemble takes them, sensitive columns included.
        y : labels of shape (n,)
        sensitive_features : ignored
            fairlearn passes them apart from X; here X must have them, as columns that the
            ensemble sees, because these are what is perturbed.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        if self.prune_on not in PRUNING_ROWS:
            raise ValueError(f"prune_on must be {listed(PRUNING_ROWS)}; it is {self.prune_on!r}.")
        y = column_or_1d(y, warn=True)
        assert_all_finite(y)
        check_classification_targets(y)
        check_consistent_length(X, y)
        rng = as_generator(self.random_state)
        X = _with_rows(X)
        attributes = self._attributes(X, sensitive_features)
        self.estimator_, held_out = self._fitted(X, y, sample_weight, int(rng.integers(2**31)))
        votes = self._votes(attributes, held_out, rng)
        self.result_ = self._prune(votes, self._size(votes.n_members), rng)
        self.members_, self.front_ = self.result_.members, self.result_.front
        kept = votes.weights[self.members_]
        self.weights_ = kept / kept.sum()
        self.classes_ = as_ensemble(self.estimator_).classes
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def predict(self, X: Any) -> Array:
        """Weighted vote of the members kept, ties to the lowest class, shape (n,)."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Array:
        """Share of the weighted vote that each class gets, shape (n, C)."""
        check_is_fitted(self)
        X = _with_rows(X)
        check_features(self.estimator_, X[:1])
        return self._kept.vote_shares(X)

    def export(self) -> Any:
        """Return a fitted estimator of the ensemble's own type with only the members kept.

        It needs this library no longer. Types that average probabilities can predict otherwise
        than the weighted vote does; a warning says so.
        """
        check_is_fitted(self)
        return export(self.estimator_, self.members_)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags  # of scikit-learn 1.6 and later, which calls this

        tags = super().__sklearn_tags__()
        if isinstance(self.estimator, list | tuple):
            return tags
        inner = get_tags(self._template(seed=0))
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    @property
    def _kept(self) -> Ensemble:
        return as_ensemble(self.estimator_).subset(self.members_)

    def _prune(self, votes: Votes, size: int, rng: np.random.Generator) -> PruningResult:
        raise NotImplementedError

    def _size(self, n_members: int) -> int:
        if self.max_members is None:
            return (n_members + 1) // 2
        check_whole("max_members", self.max_members, at_least=1)
        return min(self.max_members, n_members)

    def _attributes(self, X: Any, sensitive_features: Any) -> SensitiveAttributes | None:
        if self.privileged is None:
            warnings.warn(
                "privileged is not given: no attribute is perturbed, every risk is 0, and "
                "members are kept for their accuracy alone.",
                stacklevel=3,
            )
            return None
        if sensitive_features is not None and isinstance(self.privileged, Mapping):
            _require_columns(X, self.privileged)
        return learn_attributes(X, self.privileged, missing=self.missing, coupled=self.coupled)

    def _fitted(self, X: Any, y: Array, sample_weight: Any, seed: int) -> tuple[Any, Any]:
        """The fitted ensemble, and the rows, labels and weights to prune it on."""
        weights = check_weights(sample_weight, len(y))
        if self.prefit:
            return self.estimator, (X, y, weights)
        estimator, everything = self._template(seed), (X, y, weights)
        fitted, held_out = (
            (everything, everything) if self.prune_on == "train" else _split(*everything, seed)
        )
        X, y, weights = fitted
        params = {} if sample_weight is None else _weight_params(estimator, weights)
        return estimator.fit(X, y, **params), everything if self.prune_on == "all" else held_out

    def _template(self, seed: int) -> Any:
        if self.estimator is None:
            return RandomForestClassifier(random_state=seed)
        return clone(self.estimator)

    def _votes(
        self, attributes: Any, held_out: tuple[Any, Array, Array], rng: np.random.Generator
    ) -> Votes:
        X, y, weights = held_out
        if attributes is None:
            ensemble = as_ensemble(self.estimator_)
            votes = ensemble.votes(_with_rows(X))
            labels = encode(factorize(y), ensemble.classes.tolist(), "y")
            units = cast(Array, ensemble.weights)
            return Votes(votes, votes, labels, units, weights, ensemble.classes)
        return collect_votes(
            self.estimator_,
            X,
            y,
            attributes,
            method=self.method,
            random_state=rng,
            sample_weight=weights,
            n_jobs=self.n_jobs,
            missing=self.missing,
        )


class POAFPruner(_Pruner):
    """Keep the members of an ensemble whose vote is accurate and fair, by POAF.

    Parameters
    ----------
    estimator : ensemble, optional
        Random forest, extra trees, bagging, AdaBoost, VotingClassifier or a Pipeline that ends in
        one of these; a random forest when left out.
    privileged : mapping
        The privileged value of each sensitive column of X, such as {"sex": "Male"}.
    max_members : int, optional
        How many members to keep at the most; half of them when left out.
    trade_off : float in [0, 1]
        λ, the weight of accuracy against fairness.
    n_iter : int, optional
        Iterations of the search.
    selection : {"objective", "largest", "min_risk"} or callable
        What is picked from the Pareto front, see `dr_core.poaf`.
    neighbourhood : {"exchange", "paper"}
        The search as improved here, or as published, see `dr_core.poaf`.
    accuracy_tolerance : float, default=0.02
        For selection "min_risk": how much more error than the lowest is accepted.
    prefit : bool
        Whether `estimator` is fitted already; it is then pruned on the rows given to `fit`.
    prune_on : {"holdout", "all", "train"}
        When it is not: prune on a third of the rows, kept back; on these and the rows it was
        fitted on together, which steadies the risk when rows are few; or on the rows it was
        fitted on, with none kept back, as the paper does.
    random_state : int, Generator, RandomState or None
    method : {"exact", "sample"}
        Whether members vote on every perturbation of a row, or on one random one.
    missing : {"error", "keep"}
        Whether a missing sensitive value is an error, or its row is left unperturbed.
    coupled : mapping, optional
        Columns that follow an attribute when it changes, see `dr_core.learn_attributes`.
    n_jobs : int, optional
        Members that vote at the same time.

    Attributes
    ----------
    estimator_ : the fitted ensemble, whole
    members_ : positions of the members kept
    weights_ : their weights, which sum to 1
    front_ : DataFrame, every non-dominated sub-ensemble found
    result_ : PruningResult, with error, risk and objective on the rows it was pruned on
    classes_ : class labels

    Examples
    --------
    >>> from dr_core import datasets
    >>> credit = datasets.load("credit")
    >>> X = datasets.binarize(credit).drop(columns="sex-age")
    >>> pruner = POAFPruner(privileged={"sex": 1, "age": 1}, max_members=20, random_state=0)
    >>> pruner = pruner.fit(X, credit.target)
    >>> len(pruner.members_) <= 20
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        privileged: Mapping[Any, Any] | None = None,
        max_members: int | None = None,
        trade_off: float = 0.5,
        n_iter: int | None = None,
        selection: Any = "objective",
        neighbourhood: str = "exchange",
        accuracy_tolerance: float = ACCURACY_TOLERANCE,
        prefit: bool = False,
        prune_on: str = "holdout",
        random_state: Any = None,
        method: str = "exact",
        missing: str = "error",
        coupled: Rules | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.privileged = privileged
        self.max_members = max_members
        self.trade_off = trade_off
        self.n_iter = n_iter
        self.selection = selection
        self.neighbourhood = neighbourhood
        self.accuracy_tolerance = accuracy_tolerance
        self.prefit = prefit
        self.prune_on = prune_on
        self.random_state = random_state
        self.method = method
        self.missing = missing
        self.coupled = coupled
        self.n_jobs = n_jobs

    def _prune(self, votes: Votes, size: int, rng: np.random.Generator) -> PruningResult:
        return poaf(
            votes,
            size,
            trade_off=self.trade_off,
            n_iter=self.n_iter,
            selection=self.selection,
            neighbourhood=self.neighbourhood,
            accuracy_tolerance=self.accuracy_tolerance,
            random_state=rng,
        )


class EPAFPruner(_Pruner):
    """Keep the members of an ensemble whose vote is accurate and fair, greedily, by EPAF.

    Parameters
    ----------
    estimator, privileged, max_members, trade_off, prefit, prune_on, random_state, method, missing
        As for `POAFPruner`.
    coupled : mapping, optional
        As for `POAFPruner`.
    n_groups : int
        1 prunes all members together (EPAF-C); more prunes groups of them apart first (EPAF-D).
    n_jobs : int, optional
        Groups pruned, and members that vote, at the same time.

    Attributes
    ----------
    estimator_, members_, weights_, front_, result_, classes_
        As for `POAFPruner`.

    Examples
    --------
    >>> from dr_core import datasets
    >>> credit = datasets.load("credit")
    >>> X = datasets.binarize(credit).drop(columns="sex-age")
    >>> pruner = EPAFPruner(privileged={"sex": 1, "age": 1}, max_members=20, random_state=0)
    >>> len(pruner.fit(X, credit.target).members_)
    20
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
        method: str = "exact",
        missing: str = "error",
        coupled: Rules | None = None,
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
        self.n_jobs = n_jobs

    def _prune(self, votes: Votes, size: int, rng: np.random.Generator) -> PruningResult:
        return epaf(
            votes,
            size,
            trade_off=self.trade_off,
            n_groups=self.n_groups,
            n_jobs=self.n_jobs,
            random_state=rng,
        )


def _with_rows(X: Any) -> Any:
    """Return X in a form that can be cut by rows."""
    if issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def _require_columns(X: Any, privileged: Mapping[Any, Any]) -> None:
    columns = as_table(X).keys()
    absent = [
        name
        for name, value in privileged.items()
        if not isinstance(value, OneHot) and name not in columns
    ]
    if absent:
        raise ValueError(
            f"{listed(absent)} is not a column of X; sensitive_features cannot stand in for it. "
            "Discriminative risk perturbs an attribute in what the model sees: a model that does "
            "not see it has risk 0 by definition. Put the column into X, or name in privileged "
            "the columns of X that carry the attribute."
        )


def _split(X: Any, y: Array, weights: Array, seed: int) -> list[tuple[Any, Array, Array]]:
    """X, y and weights of the rows to fit on, and of the rows kept back.

    A third of each class is kept back, at least one row; a class of one row is fitted on.
    """
    order = np.random.default_rng(seed).permutation(len(y))
    place = pd.Series(order).groupby(y[order]).cumcount().to_numpy()
    sizes = pd.Series(y).groupby(y).transform("size").to_numpy()[order]
    held = place < np.where(sizes > 1, np.maximum(1, np.round(sizes * HELD_OUT)), 0)
    if not held.any():
        raise ValueError(f"n_samples={len(y)} is too few rows to keep some back for pruning.")
    parts = np.sort(order[~held]), np.sort(order[held])
    rows = X if hasattr(X, "iloc") or isinstance(X, np.ndarray) or issparse(X) else as_table(X)
    return [(_rows_of(rows, part), y[part], weights[part]) for part in parts]


def _rows_of(X: Any, rows: Array) -> Any:
    if isinstance(X, Table):
        return X.take(rows).native
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _weight_params(estimator: Any, weights: Array) -> dict[str, Array]:
    """Name the weights as the fit method of the ensemble wants them."""
    if isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]:
        name, last = estimator.steps[-1]
        return {f"{name}__{key}": value for key, value in _weight_params(last, weights).items()}
    takes_anything = any(
        parameter.kind is parameter.VAR_KEYWORD
        for parameter in signature(estimator.fit).parameters.values()
    )
    if takes_anything or has_fit_parameter(estimator, "sample_weight"):
        return {"sample_weight": weights}
    raise ValueError(f"a {type(estimator).__name__} does not take sample_weight.")
