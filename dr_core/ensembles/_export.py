"""Export a pruned ensemble as a fitted estimator of its own type."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch

from dr_core._utils import Array, is_integer, quote
from dr_core.ensembles._ensembles import Ensemble, as_ensemble

__all__ = ["export"]


def export(estimator: Any, members: Sequence[int] | Array) -> Any:
    """Return a fitted ensemble of the same type with these members only.

    It can be used without this library. Forests, soft voting, and bagging of classifiers with
    `predict_proba` average probabilities, so their `predict` can differ from the pruned weighted
    vote. These issue a UserWarning.

    Parameters
    ----------
    estimator : fitted ensemble, or list of classifiers
        It is not modified. Members are shared, not copied.
    members : sequence of int
        Positions of the members to keep.

    Examples
    --------
    >>> boost = AdaBoostClassifier(n_estimators=4).fit([[0], [6], [2], [3]], [0, 0, 1, 1])
    >>> len(export(boost, [0, 2]).estimators_)
    2
    """
    kept = _check_members(members, as_ensemble(estimator))
    if _averages_probabilities(estimator):
        warnings.warn(
            "The exported ensemble averages the probabilities of its members; "
            "its predictions can differ from those of the pruned weighted vote.",
            stacklevel=2,
        )
    return _keep_members(estimator, kept)


def _check_members(members: Sequence[int] | Array, ensemble: Ensemble) -> list[int]:
    kept, size = list(members), len(ensemble.members)
    positions = {j for j in kept if is_integer(j) and 0 <= j < size}
    if not kept or len(positions) < len(kept):
        raise ValueError(
            f"members must be distinct positions from 0 to {size - 1}, at least one; got "
            f"{quote(np.asarray(kept).tolist())}."
        )
    return [int(j) for j in kept]


def _averages_probabilities(estimator: Any) -> bool:
    if isinstance(estimator, Pipeline):
        return _averages_probabilities(estimator[-1])
    if isinstance(estimator, BaggingClassifier):
        return hasattr(estimator.estimators_[0], "predict_proba")
    if isinstance(estimator, VotingClassifier):
        return bool(estimator.voting == "soft")
    return isinstance(estimator, RandomForestClassifier | ExtraTreesClassifier)


@singledispatch
def _keep_members(estimator: Any, kept: list[int]) -> Any:
    if type(estimator).__name__ == "FrozenEstimator":  # scikit-learn 1.6 and later
        return _keep_members(estimator.estimator, kept)
    raise TypeError(
        f"A {type(estimator).__name__} cannot be exported; use the kept members themselves."
    )


@_keep_members.register(RandomForestClassifier)
@_keep_members.register(ExtraTreesClassifier)
def _prune_forest(estimator: Any, kept: list[int]) -> Any:
    pruned = copy(estimator).set_params(n_estimators=len(kept))
    pruned.estimators_ = [estimator.estimators_[j] for j in kept]
    for name in [name for name in vars(pruned) if name.startswith("oob_") and name.endswith("_")]:
        delattr(pruned, name)  # out-of-bag estimates of the whole ensemble
    return pruned


@_keep_members.register
def _prune_bagging(estimator: BaggingClassifier, kept: list[int]) -> Any:
    pruned = _prune_forest(estimator, kept)
    pruned.estimators_features_ = [estimator.estimators_features_[j] for j in kept]
    return pruned


@_keep_members.register
def _prune_adaboost(estimator: AdaBoostClassifier, kept: list[int]) -> Any:
    pruned = _prune_forest(estimator, kept)
    pruned.estimator_weights_ = estimator.estimator_weights_[kept]
    pruned.estimator_errors_ = estimator.estimator_errors_[kept]
    return pruned


@_keep_members.register
def _prune_voting(estimator: VotingClassifier, kept: list[int]) -> Any:
    # `estimators` has dropped members as well, `estimators_` has not: of [tree, "drop", bayes],
    # position 1 of `estimators_` is position 2 of `estimators`.
    active = [i for i, (_, member) in enumerate(estimator.estimators) if member != "drop"]
    chosen = [active[j] for j in kept]
    weights = estimator.weights
    pruned = copy(estimator).set_params(
        estimators=[estimator.estimators[i] for i in chosen],
        weights=None if weights is None else [weights[i] for i in chosen],
    )
    pruned.estimators_ = [estimator.estimators_[j] for j in kept]
    names = (name for name, _ in pruned.estimators)
    pruned.named_estimators_ = Bunch(**dict(zip(names, pruned.estimators_, strict=True)))
    return pruned


@_keep_members.register
def _prune_pipeline(estimator: Pipeline, kept: list[int]) -> Any:
    pruned = copy(estimator)
    name, last = estimator.steps[-1]
    pruned.steps = [*estimator.steps[:-1], (name, _keep_members(last, kept))]
    return pruned


@_keep_members.register(list)
@_keep_members.register(tuple)
def _prune_list(members: Sequence[Any], kept: list[int]) -> Any:
    return [members[j] for j in kept]
