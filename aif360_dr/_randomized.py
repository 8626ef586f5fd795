"""The distributions of AIF360's models that draw their labels at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset
from aif360.metrics import utils
from sklearn.utils.validation import check_is_fitted

from aif360_dr._chain import Chain
from aif360_dr._indexed_models import find_indexed_distribution
from aif360_dr._models import (
    EstimatorTransformer,
    copy_with_labels,
    get_model_input,
    predict_scores,
)
from dr_core import RandomizedModel
from dr_core.plugins import Array
from dr_core.plugins import find_distribution as find_known_distribution

__all__ = ["find_dataset_distribution", "find_distribution"]

THRESHOLD = 0.5
"""Score from which `CalibratedEqOddsPostprocessing` predicts the favorable label."""

Distribution = Callable[[StructuredDataset], Array]
"""Function of a dataset that returns the probability of each label, (n, C)."""

Branch = tuple[Array, StructuredDataset]
"""Labels and scores that a dataset may get, with the probability of that for each row, (n,)."""


def find_distribution(model: Any, columns: Sequence[Any]) -> RandomizedModel | None:
    """Return the distribution of a model of `aif360.sklearn`; None if it is not known to draw.

    Args:
        model: Estimator of `aif360.sklearn`.
        columns: Keys of the sensitive columns of X.
    """
    if _find_function(model, "aif360.sklearn") is not _reduce:
        return find_indexed_distribution(model, columns)
    check_is_fitted(model)
    return RandomizedModel(model.predict_proba, model.classes_.tolist())


def find_dataset_distribution(
    model: Any, dataset: StructuredDataset, columns: Sequence[int] = ()
) -> tuple[Distribution, list[Any]] | None:
    """Return the distribution of a model's labels, and the labels; None if it is not known.

    Args:
        model: AIF360 algorithm, whose input is a dataset; or an estimator.
        dataset: Dataset whose features the model gets.
        columns: Positions of the features that carry protected attributes.
    """
    if isinstance(model, Chain):
        return _find_chain_distribution(model, dataset, columns)
    if isinstance(model, EstimatorTransformer):
        return _find_estimator_distribution(model.estimator, model.read, dataset, columns)
    if not isinstance(model, Transformer):
        return _find_estimator_distribution(model, get_model_input, dataset, columns)
    branch = _find_function(model, "aif360.algorithms")
    if branch is None:
        return None
    return lambda some: _add_branches(branch(model, some)), _get_both_labels(dataset)


def _get_both_labels(dataset: Any) -> list[Any]:
    return [dataset.unfavorable_label, dataset.favorable_label]


def _add_branches(branches: list[Branch]) -> Array:
    """Return the probability of the unfavorable and the favorable label, (n, 2)."""
    favorable = sum(
        probability * (dataset.labels.ravel() == dataset.favorable_label)
        for probability, dataset in branches
    )
    return np.column_stack([1 - favorable, favorable])


def _find_chain_distribution(
    chain: Chain, dataset: Any, columns: Sequence[int]
) -> tuple[Distribution, list[Any]] | None:
    """Return the distribution of the last step's labels, over the draws of all steps."""
    first = _find_model_distribution(chain, dataset, columns)
    draws = [_find_function(step, "aif360.algorithms") for step in chain.postprocessing]
    if first is None and not any(draws):
        return None
    if first is not None and not draws:
        predict_first, classes = first
        return lambda some: predict_first(chain.preprocess(some)), classes

    def predict(some: StructuredDataset) -> Array:
        chain.check_fitted()
        branches = _branch_model(chain, first, some)
        for step, draw in zip(chain.postprocessing, draws, strict=True):
            # 2 branches with a step that draws again become 4, with the products of probabilities.
            branches = [
                (p * q, after)
                for p, before in branches
                for q, after in (draw or _keep_certain)(step, before)
            ]
        return _add_branches(branches)

    return predict, _get_both_labels(dataset)


def _find_model_distribution(
    chain: Chain, dataset: Any, columns: Sequence[int]
) -> tuple[Distribution, list[Any]] | None:
    """Return the distribution of the model of a chain, as a function of what it receives."""
    received = chain.preprocess(dataset.subset([0]))
    carrying = [dataset.feature_names[i] for i in columns]
    positions = [i for i, name in enumerate(received.feature_names) if name in carrying]
    return find_dataset_distribution(chain.model, received, positions)


def _branch_model(
    chain: Chain, distribution: tuple[Distribution, list[Any]] | None, dataset: Any
) -> list[Branch]:
    """Return what the model of a chain may predict for a dataset."""
    if distribution is None:
        return [(np.ones(len(dataset.features)), chain.predict_model(dataset))]
    predict, classes = distribution
    received = chain.preprocess(dataset)
    scores = predict_scores(chain.model, received)
    return [
        (probability, _relabel(dataset, label, scores))
        for probability, label in zip(predict(received).T, classes, strict=True)
    ]


def _relabel(dataset: Any, label: Any, scores: Array | None) -> Any:
    """Return a copy of a dataset with one label for all rows."""
    return copy_with_labels(dataset, np.full(len(dataset.features), label), scores)


def _keep_certain(algorithm: Any, dataset: StructuredDataset) -> list[Branch]:
    """Return the one dataset that an algorithm predicts without drawing."""
    return [(np.ones(len(dataset.features)), algorithm.predict(dataset))]


def _find_estimator_distribution(
    estimator: Any, read: Callable[..., Any], dataset: Any, columns: Sequence[int]
) -> tuple[Distribution, list[Any]] | None:
    takes_frame = isinstance(read(estimator, dataset.subset([0])), pd.DataFrame)
    keys = [dataset.feature_names[i] if takes_frame else i for i in columns]
    found = find_known_distribution(estimator, keys)
    if found is None:
        return None
    return lambda some: found.predict_distribution(
        read(estimator, some), len(some.features)
    ), found.classes_


def _reduce(algorithm: Any, dataset: StructuredDataset) -> list[Branch]:
    """What `ExponentiatedGradientReduction` may predict; its scores are P(favorable)."""
    frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)
    is_favorable = np.asarray(algorithm.model.classes_, dtype=float) == dataset.favorable_label
    favorable = np.asarray(algorithm.model.predict_proba(frame))[:, is_favorable].sum(axis=1)
    return _branch_labels(dataset, favorable, favorable)


def _equalize_odds(algorithm: Any, dataset: StructuredDataset) -> list[Branch]:
    """What `EqOddsPostprocessing` may predict, by the label that it gets and the group."""
    is_favorable = dataset.labels.ravel() == dataset.favorable_label
    keeps, gains, other_keeps, other_gains = np.clip(algorithm.model_params.x, 0, 1)
    favorable = np.select(
        _find_groups(algorithm, dataset),
        [np.where(is_favorable, keeps, gains), np.where(is_favorable, other_keeps, other_gains)],
        float(dataset.favorable_label == 0),  # it gives 0 to rows of neither group
    )
    return _branch_labels(dataset, favorable, dataset.scores)


def _branch_labels(dataset: Any, favorable: Array, scores: Array) -> list[Branch]:
    """Return both labels with their probabilities."""
    probabilities = (1 - favorable, favorable)
    return [
        (probability, _relabel(dataset, label, scores))
        for probability, label in zip(probabilities, _get_both_labels(dataset), strict=True)
    ]


def _calibrate(algorithm: Any, dataset: StructuredDataset) -> list[Branch]:
    """What `CalibratedEqOddsPostprocessing` may predict: each score, or the group's base rate."""
    groups = _find_groups(algorithm, dataset)
    # A rate is the probability of a uniform number up to it: at most 1, and 0 where it is NaN.
    rates = np.nan_to_num(np.clip([algorithm.priv_mix_rate, algorithm.unpriv_mix_rate], 0, 1))
    mixed = np.select(groups, list(rates), 0.0)
    kept = np.where(np.any(groups, axis=0), dataset.scores.ravel(), 0.0)  # others become 0
    base = np.select(groups, [algorithm.base_rate_priv, algorithm.base_rate_unpriv], 0.0)
    return [
        (probability, _relabel_by_scores(dataset, scores))
        for probability, scores in ((1 - mixed, kept), (mixed, base))
    ]


def _relabel_by_scores(dataset: Any, scores: Array) -> Any:
    unfavorable, favorable = _get_both_labels(dataset)
    return copy_with_labels(dataset, np.where(scores >= THRESHOLD, favorable, unfavorable), scores)


def _find_groups(algorithm: Any, dataset: StructuredDataset) -> list[Array]:
    protected = dataset.protected_attributes, dataset.protected_attribute_names
    return [
        utils.compute_boolean_conditioning_vector(*protected, groups)
        for groups in (algorithm.privileged_groups, algorithm.unprivileged_groups)
    ]


BRANCHES = {
    "ExponentiatedGradientReduction": _reduce,
    "EqOddsPostprocessing": _equalize_odds,
    "CalibratedEqOddsPostprocessing": _calibrate,
}
"""Function of an algorithm and a dataset that returns what it may draw, by the name of its class.

Classes are known by name, because their modules import optional libraries and log missing ones.
"""


def _find_function(
    model: Any, package: str
) -> Callable[[Any, StructuredDataset], list[Branch]] | None:
    found = (
        BRANCHES.get(one.__name__)
        for one in type(model).__mro__
        if one.__module__.startswith(package)
    )
    return next((one for one in found if one), None)
