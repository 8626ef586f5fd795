"""`MetricFrame` with discriminative risk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from fairlearn.metrics import MetricFrame, mean_prediction, selection_rate
from sklearn.metrics import accuracy_score, mean_absolute_error

from dr_core import (
    OneHot,
    RandomizedModel,
    SensitiveAttributes,
    ShiftAssessment,
    assess_risk,
    assess_shift,
    learn_attributes,
)
from dr_core.plugins import (
    MISSING_LABEL,
    Array,
    Rules,
    Table,
    as_table,
    check_column,
    check_row_order,
    factorize,
    quote,
    rescale,
)
from fairlearn_dr._metrics import discriminative_risk, score_shift

__all__ = ["COUNT", "RISK", "dr_metric_frame", "effective_count", "get_attribute_values"]

COUNT = "count"
"""Name of the metric that counts rows, which error bars of discriminative risk need."""

RISK = "discriminative_risk"
"""Name of the first metric."""

RISK_PARAMETER = "individual_risk"
"""Parameter of metrics that need the risk of each row."""

SHIFT_PARAMETER = "individual_shift"
"""Parameter of metrics that need the shift of each score."""


def dr_metric_frame(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    metrics: Mapping[str, Callable[..., Any]] | Callable[..., Any] | None = None,
    pos_label: Any = 1,
    tolerance: float | None = None,
    method: str = "exact",
    p: float = 1.0,
    n_samples: int = 1,
    random_state: Any = None,
    sample_weight: Any = None,
    sample_params: Mapping[str, Mapping[str, Any]] | None = None,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
    **kwargs: Any,
) -> MetricFrame:
    """Make a `MetricFrame` of discriminative risk and other metrics.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
        Discriminative risk of a model that draws its predictions is computed from their
        distribution (see `dr_core.RandomizedModel`), the other metrics from one draw.
    X, y : table of shape (n, d) and labels of shape (n,)
    sensitive_features : array-like, Series, DataFrame or mapping, optional
        As for `MetricFrame`. By default, the sensitive attributes in `privileged`.
    privileged : mapping
        The privileged value of each sensitive column of X, such as {"sex": "Male"}, or its range,
        such as {"age": at_least(25)}.
    metrics : callable or mapping of names to callables, optional
        The other metrics. By default, selection rate and accuracy; with a `tolerance`, the score
        shift, the mean prediction and the mean absolute error.
    pos_label : label, default=1
        The favourable label. Every metric that has a parameter `pos_label` gets it, such as those
        of this package, `fairlearn.metrics.selection_rate` and `sklearn.metrics.recall_score`,
        unless `functools.partial` sets it, or sets an `average` other than "binary".
    tolerance : float, optional
        For regressors: a prediction counts as changed if it moves by more than this.
    method, p, n_samples
        As for `dr_core.assess_risk`.
    random_state : int or None
        Seed of sampled risk, of the bootstrap of `MetricFrame` and of a randomised model's draw.
    sample_weight : array of shape (n,), optional
        Passed to every metric that accepts it.
    sample_params : mapping, optional
        As for `MetricFrame`. Metrics that accept `individual_risk` or `individual_shift`, such as
        `score_shift`, receive them automatically. They are NaN for rows that were not perturbed.
    domain, missing, coupled
        As for `dr_core.learn_attributes`. With `missing="keep"` and one attribute, discriminative
        risk and score shift are NaN for the group "(missing)", which is not perturbed. With
        several, such rows are perturbed in the other attributes only, so that their risk cannot
        be compared with that of other groups. With `coupled`, the risk
        is that with coupled columns, `discriminative_risk_coupled` of `dr_core.compare`.
    **kwargs
        Further parameters of `MetricFrame`, such as `control_features`, `n_boot` and
        `ci_quantiles`.

    Returns
    -------
    MetricFrame
        The first metric is "discriminative_risk". With `n_boot`, there is also "count", the
        (effective) number of rows that were perturbed, from which `plot_risk_by_group` computes
        the error bars of discriminative risk.

    Notes
    -----
    With several attributes in `privileged`, the risk is that of all perturbed together. One of
    them alone can have more; see `dr_core.assess_risk(...).by_attribute`.

    Examples
    --------
    >>> from dr_core import datasets
    >>> ricci = datasets.load("ricci")
    >>> harsh = lambda X: (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)
    >>> frame = dr_metric_frame(harsh, ricci.data, ricci.target, privileged=ricci.privileged)
    >>> frame.by_group["discriminative_risk"].astype(float).round(3).to_dict()
    {'B': 0.222, 'H': 0.13, 'W': 0.206}
    """
    table = as_table(np.asarray(X) if isinstance(X, list | tuple) else X)
    columns = {"y": y, "sensitive_features": sensitive_features, "sample_weight": sample_weight}
    check_row_order(X, columns)
    if sensitive_features is not None:
        _check_columns(table, privileged)
    attributes = learn_attributes(
        table, privileged, domain=domain, missing=missing, coupled=coupled
    )
    options: dict[str, Any] = {"method": method, "p": p, "n_samples": n_samples}
    options |= {"random_state": random_state, "each_attribute": False}
    y_true = check_column("y", y, table.n_rows)
    risk = assess_risk(estimator, table, attributes, y=y_true, tolerance=tolerance, **options)
    y_pred = risk.draw_predictions(random_state)
    if sensitive_features is None:
        sensitive_features = get_attribute_values(table, attributes, missing_label=MISSING_LABEL)
    others = _choose_default_metrics(tolerance) if metrics is None else _name_metrics(metrics)
    named = {RISK: discriminative_risk} | _set_pos_label(others, pos_label, y_true, y_pred)
    if kwargs.get("n_boot"):
        named.setdefault(COUNT, effective_count)
    available = {RISK_PARAMETER: risk.individual, "sample_weight": sample_weight}
    if any(_accepts(metric, SHIFT_PARAMETER) for metric in named.values()):
        favorable = None if tolerance is not None else pos_label
        shift = _assess_shift(estimator, table, attributes, favorable, options)
        available[SHIFT_PARAMETER] = shift.individual
    bootstrap = {"random_state": random_state} if kwargs.get("n_boot") else {}
    return MetricFrame(
        metrics=named,
        y_true=y,
        y_pred=y_pred,
        sensitive_features=sensitive_features,
        sample_params=_select_sample_params(named, available, sample_params or {}),
        **kwargs,
        **bootstrap,
    )


def effective_count(
    y_true: Any, y_pred: Any, *, individual_risk: Any, sample_weight: Any = None
) -> float:
    """Return the number of rows that were perturbed, those whose risk is not NaN.

    With unequal weights, it is Kish's effective number (Σw)²/Σw².
    """
    weights = (~np.isnan(individual_risk)).astype(float)
    if sample_weight is not None:
        weights = rescale(weights * np.asarray(sample_weight, dtype=float))
    return float(weights.sum() ** 2 / (weights**2).sum()) if weights.any() else 0.0


def _accepts(metric: Callable[..., Any], parameter: str) -> bool:
    return parameter in signature(metric).parameters


def _find_labels(*columns: Array) -> list[Any]:
    """Return the distinct labels of the columns, in order of appearance."""
    return list(dict.fromkeys(label for column in columns for label in factorize(column).values))


def _check_columns(table: Table, privileged: Any) -> None:
    """Raise ValueError if a sensitive column is among the sensitive features only."""
    keys = list(privileged) if isinstance(privileged, Mapping) else []
    names = [key for key in keys if not isinstance(privileged[key], OneHot)]
    absent = [name for name in names if name not in table.keys()]  # noqa: SIM118
    if absent:
        raise ValueError(
            f"privileged names {quote(absent)}, which X does not have: it has "
            f"{quote(table.keys())}. sensitive_features only says which groups are compared. A "
            "model that never sees a column has discriminative risk 0 by definition; if it sees "
            "one that carries the attribute, pass X with it and name it in privileged."
        )


def _assess_shift(
    estimator: Any,
    table: Table,
    attributes: SensitiveAttributes,
    favorable: Any,
    options: Mapping[str, Any],
) -> ShiftAssessment:
    """Measure how far the score of a model moves; that of a callable has no classes."""
    has_classes = hasattr(estimator, "classes_") or isinstance(estimator, RandomizedModel)
    return assess_shift(
        estimator, table, attributes, favorable=favorable if has_classes else None, **options
    )


def _choose_default_metrics(tolerance: float | None) -> dict[str, Callable[..., Any]]:
    if tolerance is None:
        return {"selection_rate": selection_rate, "accuracy": accuracy_score}
    errors = {"mean_prediction": mean_prediction, "mean_absolute_error": mean_absolute_error}
    return {"score_shift": score_shift} | errors


def _set_pos_label(
    metrics: Mapping[str, Callable[..., Any]], pos_label: Any, y_true: Array, y_pred: Array
) -> dict[str, Callable[..., Any]]:
    """Return metrics that use the favourable label, where they have one.

    Raise ValueError if one of them needs it and no row has this label.
    """
    needing = [name for name, metric in metrics.items() if _needs_pos_label(metric)]
    labels = _find_labels(y_true, y_pred)
    # fairlearn's selection rate of an unknown label is 0, without a warning.
    if needing and pos_label not in labels:
        raise ValueError(
            f"pos_label is {pos_label!r}, but labels are {quote(labels)}; "
            "pass the favourable label as pos_label."
        )
    bound = {name: partial(metrics[name], pos_label=pos_label) for name in needing}
    return {**metrics, **bound}


def _needs_pos_label(metric: Callable[..., Any]) -> bool:
    """Return whether a metric has a `pos_label` that is used and was not set."""
    bound = metric.keywords if isinstance(metric, partial) else {}
    # scikit-learn ignores pos_label, with a warning, where it averages over all classes.
    is_used = "pos_label" not in bound and bound.get("average", "binary") == "binary"
    return is_used and _accepts(metric, "pos_label")


def _name_metrics(metrics: Any) -> dict[str, Callable[..., Any]]:
    named = {metrics.__name__: metrics} if callable(metrics) else metrics
    if isinstance(named, Mapping) and all(callable(metric) for metric in named.values()):
        if named.get(RISK, discriminative_risk) is not discriminative_risk:
            raise ValueError(
                f"metrics has {RISK!r}, the name of the first metric of this frame; give yours "
                "another name."
            )
        return dict(named)
    raise TypeError(
        "metrics must be a callable or a mapping of names to callables, such as "
        f'{{"accuracy": accuracy_score}}; got {metrics!r}.'
    )


def get_attribute_values(
    table: Table, attributes: SensitiveAttributes, *, missing_label: str
) -> dict[str, Array]:
    """Return the value of each sensitive attribute in each row, by name of the attribute.

    The values of a range are its two sides, such as "age >= 25" and "age < 25".
    If an attribute has missing values, all its values become strings, so that they can be sorted.
    """
    codes = attributes.encode(table)
    return {
        str(attribute.name): _decode_values(
            attribute.grouped.values, attribute.group_codes(of_attribute), missing_label
        )
        for attribute, of_attribute in zip(attributes, codes, strict=True)
    }


def _decode_values(values: Sequence[Any], codes: Array, missing_label: str) -> Array:
    # A missing value has code -1, which indexes the last entry: the codes 0, -1, 1 of the values
    # ("F", "M") become "F", "(missing)", "M".
    names = map(str, values) if (codes < 0).any() else values
    return np.array([*names, missing_label], dtype=object)[codes]


def _select_sample_params(
    metrics: Mapping[str, Callable[..., Any]],
    available: Mapping[str, Any],
    given: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Return for each metric the available parameters that it accepts, and the given ones."""
    return {
        name: {
            key: value
            for key, value in available.items()
            if value is not None and _accepts(metric, key)
        }
        | dict(given.get(name, {}))
        for name, metric in metrics.items()
    }
