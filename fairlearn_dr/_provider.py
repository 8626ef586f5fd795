"""The established fairness measures, computed by fairlearn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from fairlearn.metrics import (
    MetricFrame,
    demographic_parity_difference,
    false_positive_rate,
    selection_rate,
    true_negative_rate,
    true_positive_rate,
)
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from dr_core.plugins import Array

__all__ = ["established_measures"]

GROUP_METRICS = {
    "selection_rate": selection_rate,
    "true_positive_rate": true_positive_rate,
    "false_positive_rate": false_positive_rate,
    "accuracy": accuracy_score,
    "precision": partial(precision_score, zero_division=np.nan),
    "recall": partial(recall_score, zero_division=np.nan),
    "f1": partial(f1_score, zero_division=np.nan),
    "specificity": true_negative_rate,
}


def established_measures(
    y_true: NDArray[np.int_],
    y_pred: NDArray[np.int_],
    privileged: NDArray[np.bool_],
    sample_weight: NDArray[np.float64],
) -> dict[str, float]:
    """Compute the established fairness measures of 0/1 predictions with fairlearn.

    Examples
    --------
    >>> measures = established_measures(
    ...     np.array([1, 1, 0, 0]), np.array([1, 0, 0, 1]), np.array([True, False, True, False]),
    ...     np.ones(4))
    >>> float(measures["equal_opportunity"]), float(measures["accuracy"])
    (1.0, 0.5)
    """
    y_true, y_pred, privileged, sample_weight = _append_both_labels(
        y_true, y_pred, privileged, sample_weight
    )
    frame = MetricFrame(
        metrics=GROUP_METRICS,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=privileged,
        sample_params={name: {"sample_weight": sample_weight} for name in GROUP_METRICS},
    )
    gap, overall = frame.difference(), frame.overall
    selected = frame.by_group["selection_rate"]
    options = {"sensitive_features": privileged, "sample_weight": sample_weight}
    return {
        "demographic_parity": demographic_parity_difference(y_true, y_pred, **options),
        "equal_opportunity": gap["true_positive_rate"],
        "predictive_parity": gap["precision"],
        "equalized_odds": max(gap["true_positive_rate"], gap["false_positive_rate"]),
        "equalized_odds_mean": (gap["true_positive_rate"] + gap["false_positive_rate"]) / 2,
        "disparate_impact": selected[False] / selected[True],
        **{
            name: overall[name]
            for name in ("accuracy", "precision", "recall", "f1", "specificity")
        },
    }


def _append_both_labels(
    y_true: Array, y_pred: Array, privileged: Array, sample_weight: Array
) -> Iterator[Array]:
    """Append four rows of weight 0, so that both labels occur in both groups.

    fairlearn 0.7 raises an error for a group that has a single label.
    """
    extra_rows = ([0, 1, 0, 1], [0, 1, 0, 1], [False, False, True, True], [0.0] * 4)
    columns = (y_true, y_pred, privileged, sample_weight)
    for column, extra in zip(columns, extra_rows, strict=True):
        yield np.append(column, np.array(extra, dtype=column.dtype))
