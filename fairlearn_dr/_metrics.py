"""Discriminative risk as fairlearn metrics.

Each is a function of `y_true`, `y_pred` and keyword arguments, for `MetricFrame` and
`make_derived_metric`. What happens to a row under perturbation comes in through one of two sample
parameters: `y_pred_perturbed`, the prediction for the perturbed row; or `individual_risk`, the
probability that the prediction changes, as `dr_core.assess_risk(...).individual` gives it exactly.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from fairlearn.metrics import make_derived_metric

from dr_core import perturb
from dr_core.plugins import (
    Array,
    Predictor,
    Rules,
    check_column,
    check_numbers,
    differs,
    factorize,
    listed,
    rescaled,
)

__all__ = [
    "discriminative_risk",
    "discriminative_risk_difference",
    "discriminative_risk_group_max",
    "discriminative_risk_group_min",
    "discriminative_risk_ratio",
    "favorable_to_unfavorable_rate",
    "perturbed_predictions",
    "unfavorable_to_favorable_rate",
]

NUMBERS = "biuf"
"""Kinds of NumPy arrays that hold numbers."""

SAMPLE_PARAMETERS = ["y_pred_perturbed", "individual_risk", "sample_weight"]


def discriminative_risk(
    y_true: Any,
    y_pred: Any,
    *,
    y_pred_perturbed: Any = None,
    individual_risk: Any = None,
    sample_weight: Any = None,
) -> float:
    """Calculate the share of predictions that change when only sensitive attributes do.

    A discriminative risk of 0 means that no prediction depends on the sensitive attributes alone.

    Parameters
    ----------
    y_true : array-like
        Ignored; every fairlearn metric has it.
    y_pred : array-like
        Predictions for the rows as they are.
    y_pred_perturbed : array-like, optional
        Predictions for the perturbed rows, see `perturbed_predictions`.
    individual_risk : array-like, optional
        Instead of `y_pred_perturbed`: the probability that each prediction changes.
    sample_weight : array-like, optional

    Returns
    -------
    float

    Examples
    --------
    >>> discriminative_risk([0, 1, 1, 0], [0, 1, 1, 0], y_pred_perturbed=[0, 1, 0, 0])
    0.25
    """
    changed = _chance_of_change(y_pred, y_pred_perturbed, individual_risk)
    return _mean(changed, sample_weight)


def favorable_to_unfavorable_rate(
    y_true: Any,
    y_pred: Any,
    *,
    y_pred_perturbed: Any = None,
    individual_risk: Any = None,
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> float:
    """Calculate the share of rows that have the favourable prediction and lose it.

    Parameters
    ----------
    y_true, y_pred, y_pred_perturbed, individual_risk, sample_weight
        As for `discriminative_risk`.
    pos_label : label
        The favourable prediction.

    Examples
    --------
    >>> favorable_to_unfavorable_rate([0, 1, 1, 0], [0, 1, 1, 0], y_pred_perturbed=[1, 1, 0, 0])
    0.25
    """
    changed = _chance_of_change(y_pred, y_pred_perturbed, individual_risk)
    return _mean(changed * _favorable(y_pred, pos_label), sample_weight)


def unfavorable_to_favorable_rate(
    y_true: Any,
    y_pred: Any,
    *,
    y_pred_perturbed: Any = None,
    individual_risk: Any = None,
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> float:
    """Calculate the share of rows that lack the favourable prediction and gain it.

    With `individual_risk`, predictions must be of two classes: it does not tell what a changed
    prediction becomes.

    Parameters
    ----------
    y_true, y_pred, y_pred_perturbed, individual_risk, sample_weight
        As for `discriminative_risk`.
    pos_label : label
        The favourable prediction.

    Examples
    --------
    >>> unfavorable_to_favorable_rate([0, 1, 1, 0], [0, 1, 1, 0], y_pred_perturbed=[1, 1, 0, 0])
    0.25
    """
    changed = _chance_of_change(y_pred, y_pred_perturbed, individual_risk)
    gains = ~_favorable(y_pred, pos_label)
    if y_pred_perturbed is None:
        _require_two_classes(y_pred, pos_label)
    else:
        gains &= _favorable(y_pred_perturbed, pos_label)
    return _mean(changed * gains, sample_weight)


def _derived(transform: str, description: str) -> Any:
    metric = make_derived_metric(
        metric=discriminative_risk, transform=transform, sample_param_names=SAMPLE_PARAMETERS
    )
    metric.__name__ = f"discriminative_risk_{transform}"
    metric.__doc__ = f"""Calculate {description} of the discriminative risks of groups.

    Parameters
    ----------
    y_true, y_pred : array-like
    sensitive_features : array-like
        The groups.
    y_pred_perturbed, individual_risk, sample_weight : array-like
        As for `discriminative_risk`.
    """
    return metric


discriminative_risk_difference = _derived("difference", "the largest difference")
discriminative_risk_ratio = _derived("ratio", "the smallest ratio")
discriminative_risk_group_max = _derived("group_max", "the largest")
discriminative_risk_group_min = _derived("group_min", "the smallest")


def perturbed_predictions(
    estimator: Any,
    X: Any,
    *,
    privileged: Mapping[Any, Any],
    p: float = 1.0,
    random_state: Any = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
) -> Array:
    """Predict X with its sensitive attributes perturbed once, at random.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
    X : DataFrame (pandas, polars) or array of shape (n, d)
        Rows as the model takes them, sensitive columns included.
    privileged : mapping
        The privileged value of each sensitive column, such as {"sex": "Male"}.
    p : float in (0, 1]
        Probability with which each attribute of each row is perturbed.
    random_state : int, Generator or None
    domain, missing, coupled
        See `dr_core.learn_attributes`.

    Returns
    -------
    array of shape (n,)
        Ready to be the `y_pred_perturbed` of the metrics.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "age": [30, 40]})
    >>> perturbed_predictions(lambda X: X["sex"] == "Male", X, privileged={"sex": "Male"})
    array([False,  True])
    """
    options: dict[str, Any] = {"p": p, "random_state": random_state}
    options |= {"domain": domain, "missing": missing, "coupled": coupled}
    perturbed = perturb(X, privileged, **options)
    return Predictor(estimator)(perturbed)


def _chance_of_change(y_pred: Any, y_pred_perturbed: Any, individual_risk: Any) -> Array:
    if (y_pred_perturbed is None) == (individual_risk is None):
        raise ValueError(
            "discriminative risk needs y_pred_perturbed or individual_risk, one of them: pass "
            "sample_params={'y_pred_perturbed': perturbed_predictions(model, X, privileged=...)}."
        )
    n = np.size(y_pred)
    predictions = check_column("y_pred", y_pred, n)
    if individual_risk is None:
        return _changed(predictions, check_column("y_pred_perturbed", y_pred_perturbed, n))
    risks = check_numbers("individual_risk", individual_risk, n)
    if ((risks < 0) | (risks > 1)).any():
        raise ValueError("individual_risk must lie between 0 and 1: it is a probability.")
    return risks


def _changed(before: Array, after: Array) -> Array:
    if (before.dtype.kind in NUMBERS) != (after.dtype.kind in NUMBERS):
        raise ValueError(
            f"y_pred is of type {before.dtype}, but y_pred_perturbed of type {after.dtype}; "
            "both must hold the same labels."
        )
    return differs(before, after, tolerance=0.0).astype(float)


def _favorable(predictions: Any, pos_label: Any) -> Array:
    """Who has the favourable prediction; a number is never a word, and would never be found."""
    labels = np.asarray(predictions).ravel()
    is_word = isinstance(pos_label, str)
    if len(labels) and is_word == (labels.dtype.kind in NUMBERS):
        raise ValueError(
            f"pos_label is {pos_label!r}, but predictions are {listed(factorize(labels).values)}; "
            "pass the favourable one as pos_label."
        )
    return labels == pos_label


def _require_two_classes(y_pred: Any, pos_label: Any) -> None:
    others = [label for label in factorize(np.ravel(y_pred)).values if label != pos_label]
    if len(others) > 1:
        raise ValueError(
            f"predictions are {listed([*others, pos_label])}: with more than two classes, "
            "individual_risk does not tell what a prediction becomes. Pass y_pred_perturbed."
        )


def _mean(values: Array, sample_weight: Any) -> float:
    """Weighted mean; NaN, with a warning, of a group without rows or without weight."""
    weights = np.ones(len(values))
    if sample_weight is not None:
        weights = check_numbers("sample_weight", sample_weight, len(values))
        if (weights < 0).any() or not np.isfinite(weights).all():
            raise ValueError("sample_weight must be finite and not negative.")
    if not weights.any():
        warnings.warn("a group has no weight: its risk is undefined (NaN).", stacklevel=4)
        return float("nan")
    return float(np.average(values, weights=rescaled(weights)))
