"""Data in the form that fairlearn's functions take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["FairlearnData"]


@dataclass(frozen=True, eq=False)
class FairlearnData:
    """Data in the form that fairlearn's functions take.

    Attributes
    ----------
    X : features
    y : true labels
        The labels of the dataset, unless it holds predicted labels.
    sensitive_features : DataFrame, or Series if one was passed to `to_aif360`
    sample_weight : weights, or None if none were passed and all are 1
    privileged : privileged value of each sensitive feature
    y_pred : predicted labels, or None if not passed
    scores : scores of the favorable label, or None if there are none
    favorable_label : the favorable one of the labels in y; None if it is not known
        fairlearn and scikit-learn take label 1 for the positive one. If this is another label,
        pass `y == favorable_label` to their metrics.
    """

    X: Any
    y: Any
    sensitive_features: Any
    sample_weight: Any
    privileged: Mapping[Any, Any]
    y_pred: Any = None
    scores: Any = None
    favorable_label: Any = None
