"""A `MetricFrame` with discriminative risk in it, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from fairlearn.metrics import MetricFrame, selection_rate
from sklearn.metrics import accuracy_score

from dr_core import SensitiveAttributes, assess_risk, learn_attributes
from dr_core.plugins import (
    MISSING_LABEL,
    Array,
    Rules,
    Table,
    as_table,
    check_column,
    factorize,
    listed,
)
from fairlearn_dr._metrics import discriminative_risk

__all__ = ["dr_metric_frame"]


def dr_metric_frame(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    metrics: Mapping[str, Callable[..., Any]] | Callable[..., Any] | None = None,
    pos_label: Any = 1,
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
    """Disaggregate discriminative risk, and other metrics beside it, by sensitive features.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
    X, y : table of shape (n, d) and labels of shape (n,)
    sensitive_features : as `MetricFrame` takes them, optional
        The sensitive attributes of X when left out.
    privileged : mapping
        The privileged value of each sensitive column of X, such as {"sex": "Male"}.
    metrics : mapping of names to metrics, or one metric, optional
        Shown beside discriminative risk; selection rate and accuracy when left out.
    pos_label : label
        The favourable label, for the selection rate.
    method, p, n_samples, domain, missing, coupled
        As for `dr_core.assess_risk`.
    random_state : int or None
        For sampled risk, and for the bootstrap of `MetricFrame`.
    sample_weight : array of shape (n,), optional
        For discriminative risk and for every metric that takes it.
    sample_params : mapping, optional
        Of your own metrics, as for `MetricFrame`. Metrics that take `individual_risk` get it.
    **kwargs
        For `MetricFrame`, such as `control_features`, `n_boot` and `ci_quantiles`.

    Returns
    -------
    MetricFrame
        Its first metric is "discriminative_risk".

    Examples
    --------
    >>> from dr_core import datasets
    >>> ricci = datasets.load("ricci")
    >>> harsh = lambda X: (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)
    >>> frame = dr_metric_frame(harsh, ricci.data, ricci.target, privileged=ricci.privileged)
    >>> frame.by_group["discriminative_risk"].astype(float).round(3).to_dict()
    {'B': 0.222, 'H': 0.13, 'W': 0.206}
    """
    table = as_table(X if hasattr(X, "shape") else np.asarray(X))
    attributes = learn_attributes(
        table, privileged, domain=domain, missing=missing, coupled=coupled
    )
    risk = assess_risk(
        estimator,
        table,
        attributes,
        method=method,
        p=p,
        n_samples=n_samples,
        random_state=random_state,
        each_attribute=False,
        missing=missing,
    )
    truth = check_column("y", y, table.n_rows)
    labels = [*factorize(truth).values, *factorize(risk.predictions).values]
    every = {"discriminative_risk": discriminative_risk, **_named(metrics, pos_label, labels)}
    given = {"individual_risk": risk.individual, "sample_weight": sample_weight}
    bootstrap = {"random_state": random_state} if kwargs.get("n_boot") else {}
    return MetricFrame(
        metrics=every,
        y_true=y,
        y_pred=risk.predictions,
        sensitive_features=_features(table, attributes, sensitive_features),
        sample_params=_sample_params(every, given, sample_params or {}),
        **kwargs,
        **bootstrap,
    )


def _named(metrics: Any, pos_label: Any, labels: list[Any]) -> dict[str, Callable[..., Any]]:
    if metrics is None:
        if pos_label not in labels:
            # fairlearn would find nobody selected, and say so without a warning.
            raise ValueError(
                f"pos_label is {pos_label!r}, but labels are {listed(dict.fromkeys(labels))}; "
                "pass the favourable one as pos_label."
            )
        rate = partial(selection_rate, pos_label=pos_label)
        return {"selection_rate": rate, "accuracy": accuracy_score}
    if callable(metrics):
        return {metrics.__name__: metrics}
    if isinstance(metrics, Mapping) and all(callable(metric) for metric in metrics.values()):
        return dict(metrics)
    raise TypeError(f"metrics must be a metric, or map names to metrics; it is {metrics!r}.")


def _features(table: Table, attributes: SensitiveAttributes, given: Any) -> Any:
    """Return the features given, or the values of the sensitive attributes."""
    if given is not None:
        return given
    codes = attributes.encode(table)
    return {
        str(attribute.name): _group_names(attribute.values, of_row)
        for attribute, of_row in zip(attributes, codes, strict=True)
    }


def _group_names(values: Sequence[Any], codes: Array) -> Array:
    """Value of each row; all of them as text where some are missing, for fairlearn sorts them."""
    names = map(str, values) if (codes < 0).any() else values
    return np.array([*names, MISSING_LABEL], dtype=object)[codes]


def _sample_params(
    metrics: Mapping[str, Callable[..., Any]],
    available: Mapping[str, Any],
    given: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Give each metric what it takes of what is available, and what the user gives it."""
    return {
        name: {
            key: value
            for key, value in available.items()
            if value is not None and key in signature(metric).parameters
        }
        | dict(given.get(name, {}))
        for name, metric in metrics.items()
    }
