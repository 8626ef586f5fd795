"""The probabilities that a model has for the labels of a dataset.

Estimators have `predict_proba`. Algorithms of AIF360 may write `dataset.scores`, which need not be
probabilities, and need not agree with the labels: RejectOptionClassification returns the scores of
the model before it. Scores are probabilities here if the likeliest label is the one predicted.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset

from aif360_dr._chain import Chain
from aif360_dr._checks import get_label_values
from aif360_dr._models import (
    EncodeLabels,
    EstimatorTransformer,
    get_class_labels,
    get_model_input,
    hint_at_original_columns,
    keep_labels,
    predict_labels,
    predict_with_scores,
)
from dr_core.plugins import Array, count_unlikely, describe_unlikely

__all__ = ["Probabilities", "choose_response", "find_probabilities"]

Probabilities = tuple[Callable[[StructuredDataset], Array], list[Any]]
"""Function of a dataset that returns the probability of each label, (n, C); and the C labels."""


def find_probabilities(model: Any, dataset: StructuredDataset) -> Probabilities | None:
    """Return the probabilities of labels, or None if a model predicts labels only.

    Args:
        model: Estimator or AIF360 algorithm.
        dataset: Dataset, of which algorithms predict one row, to see whether they write scores.

    Examples:
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn.preprocessing import StandardScaler
        >>> from aif360_dr.examples import hiring
        >>> predict, labels = find_probabilities(
        ...     Chain(StandardScaler(), GaussianNB()).fit(hiring()), hiring())
        >>> predict(hiring()).shape, labels
        ((8, 2), [0.0, 1.0])
    """
    if isinstance(model, Chain):
        return _find_chain_probabilities(model, dataset)
    if isinstance(model, EstimatorTransformer):
        return _find_class_probabilities(model.estimator, dataset, model.read, model.encode)
    if isinstance(model, Transformer):
        return _find_scores(model, dataset)
    return _find_class_probabilities(model, dataset, get_model_input, keep_labels)


def choose_response(model: Any, dataset: StructuredDataset, response: str) -> str:
    """Return whether to average probabilities ("predict_proba") or labels ("predict").

    Raise ValueError if response is "predict_proba", but there are no probabilities.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> choose_response(lambda features: features[:, 0], hiring(), "auto")
        'predict'
    """
    found = None if response == "predict" else find_probabilities(model, dataset)
    if found is not None:
        predict, labels = found
        shares = predict(dataset)
        n_unlikely = count_unlikely(predict_labels(model, dataset), shares, labels)
        if not _has_only_scores(model):
            if n_unlikely:
                warnings.warn(describe_unlikely(n_unlikely, len(shares)), stacklevel=5)
            return "predict_proba"
        if not n_unlikely and (shares.round(6) >= 0).all():
            return "predict_proba"
    if response == "predict_proba":
        raise ValueError(
            f'response is "predict_proba", but the {type(model).__name__} has no probabilities: '
            "neither predict_proba and classes_, nor scores from 0 to 1 that are above 1/2 where "
            'it predicts the favorable label. Use "predict" or "auto".'
        )
    return "predict"


def _has_only_scores(model: Any) -> bool:
    """Return whether a model has `dataset.scores` instead of an estimator's probabilities."""
    if isinstance(model, Chain):
        return _has_only_scores(model.model)
    return isinstance(model, Transformer) and not isinstance(model, EstimatorTransformer)


def _find_chain_probabilities(chain: Chain, dataset: Any) -> Probabilities | None:
    if chain.postprocessing:
        return None
    found = find_probabilities(chain.model, chain.preprocess(dataset.subset([0])))
    if found is None:
        return None
    predict, labels = found
    return lambda some: predict(chain.preprocess(some)), labels


def _find_class_probabilities(
    estimator: Any, dataset: Any, read: Callable[[Any, Any], Any], encode: EncodeLabels
) -> Probabilities | None:
    if not (hasattr(estimator, "predict_proba") and hasattr(estimator, "classes_")):
        return None
    labels = get_class_labels(estimator.classes_, dataset, encode).tolist()

    def predict(some: StructuredDataset) -> Array:
        with hint_at_original_columns(read is get_model_input):
            return estimator.predict_proba(read(estimator, some))

    return predict, labels


def _find_scores(algorithm: Any, dataset: Any) -> Probabilities | None:
    both = get_label_values(dataset)
    _, scores = predict_with_scores(algorithm, dataset.subset([0]))
    if scores is None or any(len(values) > 1 for values in both):
        return None
    labels = np.unique(np.concatenate(both))

    def predict(some: StructuredDataset) -> Array:
        _, scores = predict_with_scores(algorithm, some)
        favorable = np.asarray(scores, dtype=float).reshape(-1, 1)
        return np.where(np.isin(labels, both[0]), favorable, 1 - favorable)

    return predict, labels.tolist()
