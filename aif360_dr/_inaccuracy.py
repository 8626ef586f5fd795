"""Warn of predictions that are less accurate than one label for everybody."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from aif360.datasets import StructuredDataset
from sklearn.pipeline import Pipeline

from aif360_dr._chain import Chain
from aif360_dr._models import EstimatorTransformer
from dr_core.plugins import MeanSample, format_percent

__all__ = ["warn_if_a_constant_is_better"]

WARNING_CONFIDENCE = 0.999
"""Confidence of the test that a constant prediction is more accurate."""


def warn_if_a_constant_is_better(
    model: Any, dataset: StructuredDataset, classified: StructuredDataset
) -> None:
    """Warn if the most frequent label for everybody is significantly more accurate.

    Args:
        model: Model that predicted.
        dataset: Dataset with true labels.
        classified: The same dataset with predicted labels.
    """
    true, weights = dataset.labels.ravel(), dataset.instance_weights
    shares = {
        label: MeanSample.of_values((true == label).astype(float), weights).mean
        for label in np.unique(true).tolist()
    }
    label, best = max(shares.items(), key=lambda item: item[1])
    right = _sample_accuracy(dataset, classified)
    if len(shares) > 1 and right.interval(WARNING_CONFIDENCE).high < best:
        warnings.warn(
            f"the model is right for {format_percent(right.mean)} of instances, fewer than if it "
            f"predicted {label:g} for everybody ({format_percent(best)}). "
            f"{_describe_cause(model, dataset, best)}",
            stacklevel=3,
        )


def _sample_accuracy(dataset: Any, classified: Any) -> MeanSample:
    is_right = classified.labels.ravel() == dataset.labels.ravel()
    return MeanSample.of_values(is_right.astype(float), dataset.instance_weights)


def _describe_cause(model: Any, dataset: Any, best: float) -> str:
    """Return what lowers the accuracy: postprocessing, or else probably the scale of features."""
    if isinstance(model, Chain) and model.postprocessing:
        alone = _sample_accuracy(dataset, model.predict_model(dataset)).mean
        if alone >= best:
            names = ", ".join(type(step).__name__ for step in model.postprocessing)
            return (
                f"Before postprocessing ({names}), it is right for {format_percent(alone)}. Check "
                "the groups and limits that the postprocessing was given."
            )
    inner = model.estimator if isinstance(model, EstimatorTransformer) else model
    question = "Are dataset.features on the scale that the model was fitted on?"
    if isinstance(inner, Chain | Pipeline):
        return f"{question} Its own scaler, if it has one, must not be applied to the dataset too."
    return f"{question} Put the scaler into aif360_dr.Chain(scaler, model), or into a pipeline."
