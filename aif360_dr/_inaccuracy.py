"""Warn of predictions that are hardly better than one label for everybody."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from aif360.datasets import StructuredDataset
from sklearn.pipeline import Pipeline

from aif360_dr._chain import Chain
from aif360_dr._models import EstimatorTransformer
from dr_core.plugins import Array, MeanSample, format_percent, is_nearly_one_class

__all__ = ["warn_if_inaccurate"]

WARNING_CONFIDENCE = 0.999
"""Confidence that a constant prediction is more accurate, or other labels too rarely predicted."""


def warn_if_inaccurate(
    model: Any, dataset: StructuredDataset, classified: StructuredDataset
) -> None:
    """Warn of predictions that are worse than, or nearly, one label for everybody.

    They are worse if the most frequent label for everybody is significantly more accurate.

    Args:
        model: Model that predicted.
        dataset: Dataset with true labels.
        classified: The same dataset with predicted labels.
    """
    failure = _describe_failure(dataset, classified)
    if failure:
        warnings.warn(f"{failure} {_describe_cause(model, dataset)}", stacklevel=3)


def _describe_failure(dataset: Any, classified: Any) -> str:
    """Return what is wrong with predictions, significantly, or nothing."""
    labels = np.union1d(dataset.labels, classified.labels)
    weights = dataset.instance_weights
    actual, predicted = (
        _share_labels(each.labels, labels, weights) for each in (dataset, classified)
    )
    right, best, most = _sample_accuracy(dataset, classified), actual.max(), predicted.argmax()
    if best == 1:
        return ""
    if right.interval(WARNING_CONFIDENCE).high < best:
        return (
            f"the model is right for {format_percent(right.mean)} of instances, fewer than if it "
            f"predicted {labels[actual.argmax()]:g} for everybody ({format_percent(best)})."
        )
    others = MeanSample.of_values(
        (classified.labels.ravel() != labels[most]).astype(float), weights
    )
    is_certain = others.interval(WARNING_CONFIDENCE).high < 1 - actual[most]
    if is_certain and is_nearly_one_class(predicted, actual):
        return (
            f"the model predicts {labels[most]:g} for {format_percent(predicted[most])} of "
            f"instances, but {format_percent(1 - actual[most])} have another label. Predictions "
            "that hardly differ hardly change, so that discriminative risk is low."
        )
    return ""


def _share_labels(column: Array, labels: Array, weights: Array) -> Array:
    """Return the share of the instances with each label, (C,)."""
    counts = np.bincount(np.searchsorted(labels, column.ravel()), weights, len(labels))
    return counts / counts.sum()


def _sample_accuracy(dataset: Any, classified: Any) -> MeanSample:
    is_right = classified.labels.ravel() == dataset.labels.ravel()
    return MeanSample.of_values(is_right.astype(float), dataset.instance_weights)


def _describe_cause(model: Any, dataset: Any) -> str:
    """Return what makes predictions fail: postprocessing, or else probably the features' scale."""
    if isinstance(model, Chain) and model.postprocessing:
        alone = model.predict_model(dataset)
        if not _describe_failure(dataset, alone):
            names = ", ".join(type(step).__name__ for step in model.postprocessing)
            return (
                f"Before postprocessing ({names}), it is right for "
                f"{format_percent(_sample_accuracy(dataset, alone).mean)}. Check the groups and "
                "limits that the postprocessing was given."
            )
    inner = model.estimator if isinstance(model, EstimatorTransformer) else model
    question = "Are dataset.features on the scale that the model was fitted on?"
    if isinstance(inner, Chain | Pipeline):
        return f"{question} Its own scaler, if it has one, must not be applied to the dataset too."
    return f"{question} Put the scaler into aif360_dr.Chain(scaler, model), or into a pipeline."
