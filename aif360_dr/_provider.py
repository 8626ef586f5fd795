"""Compute the established fairness measures with AIF360."""

from __future__ import annotations

import numpy as np
import pandas as pd
from aif360.datasets import BinaryLabelDataset
from aif360.metrics import ClassificationMetric
from numpy.typing import NDArray

from aif360_dr._uncached import UncachedMixin

__all__ = ["established_measures"]


class _UncachedMetric(UncachedMixin, ClassificationMetric):
    """AIF360's own metric without its cache."""


def established_measures(
    y_true: NDArray[np.int_],
    y_pred: NDArray[np.int_],
    privileged: NDArray[np.bool_],
    sample_weight: NDArray[np.float64],
) -> dict[str, float]:
    """Compute the established measures of 0/1 predictions with AIF360.

    Examples:
        >>> measures = established_measures(
        ...     np.array([1, 1, 0, 0]), np.array([1, 0, 0, 1]),
        ...     np.array([True, False, True, False]), np.ones(4))
        >>> float(measures["equal_opportunity"]), float(measures["accuracy"])
        (1.0, 0.5)
    """
    metric = _make_metric(y_true, y_pred, privileged, sample_weight)
    tp = metric.num_true_positives()
    errors = metric.num_false_positives() + metric.num_false_negatives()
    return {
        "demographic_parity": abs(metric.statistical_parity_difference()),
        "equal_opportunity": abs(metric.equal_opportunity_difference()),
        "predictive_parity": abs(metric.difference(metric.positive_predictive_value)),
        "equalized_odds": metric.equalized_odds_difference(),
        "equalized_odds_mean": metric.average_abs_odds_difference(),
        "disparate_impact": metric.disparate_impact(),
        "accuracy": metric.accuracy(),
        "precision": metric.precision(),
        "recall": metric.recall(),
        "f1": 2 * tp / (2 * tp + errors),
        "specificity": metric.specificity(),
    }


def _make_metric(
    y_true: NDArray[np.int_],
    y_pred: NDArray[np.int_],
    privileged: NDArray[np.bool_],
    sample_weight: NDArray[np.float64],
) -> _UncachedMetric:
    frame = pd.DataFrame({"privileged": privileged, "label": y_true}, dtype=float)
    dataset = BinaryLabelDataset(
        df=frame.assign(weight=sample_weight),
        label_names=["label"],
        protected_attribute_names=["privileged"],
        instance_weights_name="weight",
    )
    predicted = dataset.copy(deepcopy=True)
    predicted.labels = y_pred.astype(float).reshape(-1, 1)
    return _UncachedMetric(
        dataset,
        predicted,
        unprivileged_groups=[{"privileged": 0.0}],
        privileged_groups=[{"privileged": 1.0}],
    )
