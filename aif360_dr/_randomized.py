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

from aif360_dr._indexed_models import find_indexed_distribution
from aif360_dr._models import EstimatorTransformer, get_model_input
from dr_core import RandomizedModel
from dr_core.plugins import Array
from dr_core.plugins import find_distribution as find_known_distribution

__all__ = ["find_dataset_distribution", "find_distribution"]

THRESHOLD = 0.5
"""Score from which `CalibratedEqOddsPostprocessing` predicts the favorable label."""

Distribution = Callable[[StructuredDataset], Array]
"""Function of a dataset that returns the probability of each label, (n, C)."""


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
    if isinstance(model, EstimatorTransformer):
        return _find_estimator_distribution(model.estimator, model.read, dataset, columns)
    if not isinstance(model, Transformer):
        return _find_estimator_distribution(model, get_model_input, dataset, columns)
    get_probability = _find_function(model, "aif360.algorithms")
    if get_probability is None:
        return None

    def predict(some: StructuredDataset) -> Array:
        favorable = get_probability(model, some)
        return np.column_stack([1 - favorable, favorable])

    return predict, [dataset.unfavorable_label, dataset.favorable_label]


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


def _reduce(algorithm: Any, dataset: StructuredDataset) -> Array:
    """P(favorable) of `ExponentiatedGradientReduction`, (n,)."""
    frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)
    is_favorable = np.asarray(algorithm.model.classes_, dtype=float) == dataset.favorable_label
    return np.asarray(algorithm.model.predict_proba(frame))[:, is_favorable].sum(axis=1)


def _equalize_odds(algorithm: Any, dataset: StructuredDataset) -> Array:
    """P(favorable) of `EqOddsPostprocessing`, by the label that it gets and the group, (n,)."""
    is_favorable = dataset.labels.ravel() == dataset.favorable_label
    keeps, gains, other_keeps, other_gains = algorithm.model_params.x
    return np.select(
        _find_groups(algorithm, dataset),
        [np.where(is_favorable, keeps, gains), np.where(is_favorable, other_keeps, other_gains)],
        float(dataset.favorable_label == 0),  # it gives 0 to rows of neither group
    )


def _calibrate(algorithm: Any, dataset: StructuredDataset) -> Array:
    """P(favorable) of `CalibratedEqOddsPostprocessing`, (n,)."""
    is_favorable = dataset.scores.ravel() >= THRESHOLD
    mixed = [
        rate * (base_rate >= THRESHOLD) + (1 - rate) * is_favorable
        for rate, base_rate in (
            (algorithm.priv_mix_rate, algorithm.base_rate_priv),
            (algorithm.unpriv_mix_rate, algorithm.base_rate_unpriv),
        )
    ]
    return np.select(_find_groups(algorithm, dataset), mixed, 0.0)  # scores of others become 0


def _find_groups(algorithm: Any, dataset: StructuredDataset) -> list[Array]:
    protected = dataset.protected_attributes, dataset.protected_attribute_names
    return [
        utils.compute_boolean_conditioning_vector(*protected, groups)
        for groups in (algorithm.privileged_groups, algorithm.unprivileged_groups)
    ]


FAVORABLE_PROBABILITY = {
    "ExponentiatedGradientReduction": _reduce,
    "EqOddsPostprocessing": _equalize_odds,
    "CalibratedEqOddsPostprocessing": _calibrate,
}
"""Function of an algorithm and a dataset that returns P(favorable), by the name of its class.

Classes are known by name, because their modules import optional libraries and log missing ones.
"""


def _find_function(model: Any, package: str) -> Callable[[Any, StructuredDataset], Array] | None:
    found = (
        FAVORABLE_PROBABILITY.get(one.__name__)
        for one in type(model).__mro__
        if one.__module__.startswith(package)
    )
    return next((one for one in found if one), None)
