"""Discriminative risk as fairlearn metrics.

Each metric takes `y_true`, `y_pred` and keyword arguments, and works with `MetricFrame` and
`make_derived_metric`. The effect of the perturbation is passed as one of two sample parameters:
`y_pred_perturbed`, the predictions for the perturbed rows; or `individual_risk`, the probability
that each prediction changes, which is `dr_core.assess_risk(...).individual`. `score_shift` takes
`individual_shift`, the size by which each score moves: `dr_core.assess_shift(...).individual`.
Both are NaN for rows without a sensitive value to perturb; the metrics leave such rows out.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from fairlearn.metrics import make_derived_metric
from pandas.api.types import is_numeric_dtype

from dr_core import SensitiveAttributes, learn_attributes, perturb
from dr_core.plugins import (
    Array,
    Predictor,
    RepeatCheck,
    Rules,
    as_table,
    check_column,
    check_numbers,
    check_part_weights,
    choose_repeated,
    differs,
    factorize,
    find_distribution,
    have_fractions,
    quote,
    rescale,
    sort_values,
)

__all__ = [
    "check_risks",
    "discriminative_risk",
    "discriminative_risk_difference",
    "discriminative_risk_group_max",
    "discriminative_risk_group_min",
    "discriminative_risk_ratio",
    "favorable_to_unfavorable_rate",
    "perturbed_predictions",
    "score_shift",
    "unfavorable_to_favorable_rate",
]

SAMPLE_PARAMETERS = ["y_pred_perturbed", "individual_risk", "sample_weight"]


def discriminative_risk(
    y_true: Any,
    y_pred: Any,
    *,
    y_pred_perturbed: Any = None,
    individual_risk: Any = None,
    sample_weight: Any = None,
) -> float:
    """Calculate the share of predictions that change when only sensitive attributes change.

    A discriminative risk of 0 means that no prediction changes.

    Parameters
    ----------
    y_true : array-like
        Ignored, present for API consistency with fairlearn's metrics.
    y_pred : array-like
        Predictions for the original rows.
    y_pred_perturbed : array-like, optional
        Predictions for the perturbed rows, see `perturbed_predictions`. A row that could not be
        perturbed counts as unchanged; `individual_risk` leaves it out.
    individual_risk : array-like, optional
        The probability that each prediction changes, NaN for rows that do not count because they
        could not be perturbed. Pass it instead of `y_pred_perturbed`.
    sample_weight : array-like, optional

    Returns
    -------
    float

    Examples
    --------
    >>> discriminative_risk([0, 1, 1, 0], [0, 1, 1, 0], y_pred_perturbed=[0, 1, 0, 0])
    0.25
    """
    change = _compute_change(y_pred, y_pred_perturbed, individual_risk)
    return _average(change, sample_weight)


def favorable_to_unfavorable_rate(
    y_true: Any,
    y_pred: Any,
    *,
    y_pred_perturbed: Any = None,
    individual_risk: Any = None,
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> float:
    """Calculate the share of predictions that change from favourable to unfavourable.

    Parameters
    ----------
    y_true, y_pred, y_pred_perturbed, individual_risk, sample_weight
        As for `discriminative_risk`.
    pos_label : label
        The favourable prediction. There is a warning if neither labels nor predictions have it,
        but two other classes. This is no error: in a `MetricFrame`, the rows may be those of one
        group, which need not have every class.

    Examples
    --------
    >>> favorable_to_unfavorable_rate([0, 1, 1, 0], [0, 1, 1, 0], y_pred_perturbed=[1, 1, 0, 0])
    0.25
    """
    change = _compute_change(y_pred, y_pred_perturbed, individual_risk)
    loses = _is_favorable(y_pred, pos_label)
    _warn_unknown_label(pos_label, y_true, y_pred, y_pred_perturbed)
    return _average(change * loses, sample_weight)


def unfavorable_to_favorable_rate(
    y_true: Any,
    y_pred: Any,
    *,
    y_pred_perturbed: Any = None,
    individual_risk: Any = None,
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> float:
    """Calculate the share of predictions that change from unfavourable to favourable.

    With `individual_risk`, predictions must have at most two classes: a probability of change
    does not determine the new class when there are more.

    Parameters
    ----------
    y_true, y_pred, y_pred_perturbed, individual_risk, sample_weight
        As for `discriminative_risk`.
    pos_label : label
        The favourable prediction. There is a warning if neither labels nor predictions have it,
        but two other classes. This is no error: in a `MetricFrame`, the rows may be those of one
        group, which need not have every class.

    Examples
    --------
    >>> unfavorable_to_favorable_rate([0, 1, 1, 0], [0, 1, 1, 0], y_pred_perturbed=[1, 1, 0, 0])
    0.25
    """
    change = _compute_change(y_pred, y_pred_perturbed, individual_risk)
    gains = ~_is_favorable(y_pred, pos_label)
    if y_pred_perturbed is None:
        _check_two_predicted_classes(y_pred, pos_label)
    else:
        gains &= _is_favorable(y_pred_perturbed, pos_label)
    _warn_unknown_label(pos_label, y_true, y_pred, y_pred_perturbed)
    return _average(change * gains, sample_weight)


def score_shift(
    y_true: Any, y_pred: Any, *, individual_shift: Any = None, sample_weight: Any = None
) -> float:
    """Calculate how far scores move on average when only sensitive attributes change.

    A score shift of 0 means that no score moves. It is in the unit of the score.

    Parameters
    ----------
    y_true : array-like
        Ignored, present for API consistency with fairlearn's metrics.
    y_pred : array-like
        Predictions for the original rows; only their number is used.
    individual_shift : array-like
        The mean size by which each score moves, `dr_core.assess_shift(...).individual`; or the
        mean change with its sign, `signed_individual`, which shows the groups that would gain.
    sample_weight : array-like, optional

    Returns
    -------
    float

    Examples
    --------
    >>> score_shift([0, 1, 1, 0], [0, 1, 1, 0], individual_shift=[0.1, 0.0, 0.3, 0.0])
    0.1
    """
    if individual_shift is None:
        raise ValueError(
            "pass individual_shift=dr_core.assess_shift(model, X, privileged).individual; in a "
            "MetricFrame, as one of the sample_params."
        )
    _check_no_result("individual_shift", individual_shift)
    options: dict[str, Any] = {"of": "y_pred", "allow_missing": True}
    shifts = check_numbers("individual_shift", individual_shift, np.size(y_pred), **options)
    return _average(shifts, sample_weight)


def _make_group_metric(transform: str, description: str) -> Any:
    metric = make_derived_metric(
        metric=discriminative_risk, transform=transform, sample_param_names=SAMPLE_PARAMETERS
    )
    metric.__name__ = f"discriminative_risk_{transform}"
    metric.__doc__ = f"""Calculate the {description} of the groups' discriminative risks.

    Parameters
    ----------
    y_true, y_pred : array-like
    sensitive_features : array-like
        The sensitive features that define the groups.
    y_pred_perturbed, individual_risk, sample_weight : array-like
        As for `discriminative_risk`.
    """
    return metric


discriminative_risk_difference = _make_group_metric("difference", "largest difference")
discriminative_risk_ratio = _make_group_metric("ratio", "smallest ratio")
discriminative_risk_group_max = _make_group_metric("group_max", "maximum")
discriminative_risk_group_min = _make_group_metric("group_min", "minimum")


def perturbed_predictions(
    estimator: Any,
    X: Any,
    *,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    p: float = 1.0,
    random_state: Any = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
) -> Array:
    """Perturb the sensitive attributes of X once, at random, and predict the perturbed rows.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
    X : DataFrame (pandas, polars) or array of shape (n, d)
        Input of the model, including the sensitive columns.
    privileged : mapping
        The privileged value of each sensitive column, such as {"sex": "Male"}, or its range, such
        as {"age": at_least(25)}.
    p : float in (0, 1], default=1.0
        Probability with which each attribute of each row is perturbed.
    random_state : int, Generator or None
    domain, missing, coupled
        See `dr_core.learn_attributes`. Also with `missing="keep"`, each row needs a sensitive
        value.

    Returns
    -------
    array of shape (n,)
        The `y_pred_perturbed` of the metrics in this package.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "age": [30, 40]})
    >>> perturbed_predictions(lambda X: X["sex"] == "Male", X, privileged={"sex": "Male"})
    array([False,  True])
    """
    table = as_table(X)
    attributes = learn_attributes(
        table, privileged, domain=domain, missing=missing, coupled=coupled
    )
    n_empty = np.count_nonzero(attributes.encode(table)[: len(attributes)].max(axis=0) < 0)
    if n_empty:
        raise ValueError(
            f"{n_empty} of {table.n_rows} rows have no sensitive value, so that they cannot be "
            "perturbed and must not count. Leave these rows out, or pass individual_risk="
            "dr_core.assess_risk(model, X, attributes).individual to the metrics instead of "
            "y_pred_perturbed: it is NaN for these rows."
        )
    if find_distribution(estimator, attributes.columns) is not None:
        raise ValueError(
            "the model draws its predictions at random, so that one draw would differ from another"
            " without any perturbation. Pass individual_risk=dr_core.assess_risk(model, X, "
            "privileged).individual to the metrics instead of y_pred_perturbed."
        )
    perturbed = as_table(perturb(table, attributes, p=p, random_state=random_state))
    predictor = Predictor(estimator, tolerance=0.0)
    predictions = predictor(perturbed.copy())
    repeated = choose_repeated(table.n_rows)
    again = predictor(perturbed.take(repeated).native)
    RepeatCheck(predictor, len(repeated)).add(predictions[repeated], again)
    return predictions


def _compute_change(y_pred: Any, y_pred_perturbed: Any, individual_risk: Any) -> Array:
    """Return the probability that each prediction changes; 0 or 1 for `y_pred_perturbed`."""
    if (y_pred_perturbed is None) == (individual_risk is None):
        found = "neither" if individual_risk is None else "both"
        raise ValueError(
            f"pass either individual_risk or y_pred_perturbed; got {found}. Use for instance "
            "sample_params={'individual_risk': dr_core.assess_risk(model, X, privileged)"
            ".individual}, which is exact; perturbed_predictions(model, X, privileged=...) is the "
            "y_pred_perturbed of one random draw. dr_metric_frame does this for you."
        )
    for name, value in (
        ("y_pred_perturbed", y_pred_perturbed),
        ("individual_risk", individual_risk),
    ):
        _check_no_result(name, value)
    n = np.size(y_pred)
    predictions = check_column("y_pred", y_pred, n)
    if individual_risk is None:
        perturbed = check_column("y_pred_perturbed", y_pred_perturbed, n, of="y_pred")
        return _find_changes(predictions, perturbed)
    return check_risks("individual_risk", individual_risk, n, of="y_pred")


def _check_no_result(name: str, value: Any) -> None:
    """Raise TypeError if the result of an assessment was passed instead of its rows."""
    if hasattr(value, "individual"):
        raise TypeError(
            f"{name} is a {type(value).__name__}; pass its values for single rows, the attribute "
            "individual."
        )


def check_risks(name: str, values: Any, n_rows: int, *, of: str = "X") -> Array:
    """Return individual risks as floats. Raise ValueError if one is neither in [0, 1] nor NaN."""
    risks = check_numbers(name, values, n_rows, of=of, allow_missing=True)
    if ((risks < 0) | (risks > 1)).any():
        raise ValueError(
            f"{name} must be in [0, 1]; it ranges from {np.nanmin(risks)} to {np.nanmax(risks)}. "
            "Pass the probability that each prediction changes."
        )
    return risks


def _find_changes(before: Array, after: Array) -> Array:
    """Return 1.0 for each prediction that changes and 0.0 for the others."""
    for name, predictions in (("y_pred", before), ("y_pred_perturbed", after)):
        if have_fractions(predictions):
            raise ValueError(
                f"{name} has numbers such as {quote(predictions[:3])}, not decisions: almost every"
                " score moves a little when anything is perturbed. Pass the decisions, such as "
                "scores > 0.5; or individual_risk=dr_core.assess_risk(model, X, privileged, "
                "tolerance=...).individual; or use score_shift, which measures how far they move."
            )
    if is_numeric_dtype(before.dtype) != is_numeric_dtype(after.dtype):
        raise ValueError(
            f"y_pred has dtype {before.dtype}, but y_pred_perturbed has dtype {after.dtype}; "
            "pass the same labels in both."
        )
    return differs(before, after, tolerance=0.0).astype(float)


def _is_favorable(predictions: Any, pos_label: Any) -> Array:
    labels = np.asarray(predictions).ravel()
    # NumPy finds no label equal when a string is compared with numbers; the rate would be 0.
    if len(labels) and isinstance(pos_label, str) == is_numeric_dtype(labels.dtype):
        raise ValueError(
            f"pos_label is {pos_label!r}, but predictions are {quote(factorize(labels).values)}; "
            "pass the favourable label as pos_label."
        )
    return labels == pos_label


def _warn_unknown_label(pos_label: Any, *columns: Any) -> None:
    """Warn if no column has the favourable label although they have two other labels.

    Rows with one label can be those of a group in which everybody has it.
    """
    labels = [np.asarray(column).ravel() for column in columns if column is not None]
    if any((column == pos_label).any() for column in labels):
        return
    found = sort_values(dict.fromkeys(v for column in labels for v in factorize(column).values))
    if len(found) > 1:
        warnings.warn(
            f"pos_label is {pos_label!r}, but labels and predictions are {quote(found)}, so that "
            "the rate is 0. Check pos_label, unless these are the rows of a group without it.",
            stacklevel=3,
        )


def _check_two_predicted_classes(y_pred: Any, pos_label: Any) -> None:
    others = [label for label in factorize(np.ravel(y_pred)).values if label != pos_label]
    if len(others) > 1:
        raise ValueError(
            f"individual_risk needs predictions of two classes; they are "
            f"{quote([*others, pos_label])}. Pass y_pred_perturbed instead."
        )


def _average(values: Array, sample_weight: Any) -> float:
    """Return the weighted mean of the rows that were perturbed, whose value is not NaN.

    It is NaN, with a warning, if there are none, or if all of them have weight 0.
    """
    n, is_perturbed = len(values), ~np.isnan(values)
    weights = is_perturbed.astype(float)
    if sample_weight is not None:
        weights *= check_part_weights(sample_weight, n, of="y_pred")
    if not weights.any():
        lacking = (
            "with a sample_weight above 0"
            if is_perturbed.any()
            else "(rows with a missing sensitive value are not perturbed)"
        )
        warnings.warn(
            f"a group has no perturbed row {lacking}; its risk is undefined (NaN).",
            stacklevel=4,
        )
        return float("nan")
    return float(np.average(np.where(is_perturbed, values, 0.0), weights=rescale(weights)))
