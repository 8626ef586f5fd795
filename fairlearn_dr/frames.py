"""A `MetricFrame` with discriminative risk in it, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np
from fairlearn.metrics import MetricFrame, selection_rate
from sklearn.metrics import accuracy_score

from dr_core import assess_risk, learn_attributes
from dr_core.tables import as_table
from fairlearn_dr.metrics import discriminative_risk

__all__ = ["dr_metric_frame"]

DEFAULT_METRICS = {"selection_rate": selection_rate, "accuracy": accuracy_score}


def dr_metric_frame(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    privileged: Mapping[Any, Any],
    metrics: Mapping[str, Callable[..., Any]] | None = None,
    method: str = "exact",
    p: float = 1.0,
    n_samples: int = 1,
    random_state: Any = None,
    sample_weight: Any = None,
    **kwargs: Any,
) -> MetricFrame:
    """Disaggregate discriminative risk, and other metrics beside it, by sensitive features.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
    X, y : table of shape (n, d) and labels of shape (n,)
    sensitive_features : as `MetricFrame` takes them, optional
        The sensitive columns of X when left out.
    privileged : mapping
        The privileged value of each sensitive column of X, such as {"sex": "Male"}.
    metrics : mapping of names to metrics, optional
        Shown beside discriminative risk; selection rate and accuracy when left out.
    method, p, n_samples
        As for `dr_core.assess_risk`.
    random_state : int or None
        For sampled risk, and for the bootstrap of `MetricFrame`.
    sample_weight : array of shape (n,), optional
        For discriminative risk and for every metric that takes it.
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
    table = as_table(X)
    attributes = learn_attributes(table, privileged)
    risk = assess_risk(
        estimator,
        table.native,
        attributes,
        method=method,
        p=p,
        n_samples=n_samples,
        random_state=random_state,
        each_attribute=False,
    )
    others = DEFAULT_METRICS if metrics is None else dict(metrics)
    return MetricFrame(
        metrics={"discriminative_risk": discriminative_risk, **others},
        y_true=y,
        y_pred=risk.predictions,
        sensitive_features=_columns(table, privileged, sensitive_features),
        sample_params=_sample_params(others, risk.individual, sample_weight),
        **kwargs,
        **({"random_state": random_state} if kwargs.get("n_boot") else {}),
    )


def _columns(table: Any, privileged: Mapping[Any, Any], given: Any) -> Any:
    """Return the features given, or the sensitive columns of X."""
    if given is not None:
        return given
    return {str(name): np.asarray(table.column(name)) for name in privileged}


def _sample_params(
    metrics: Mapping[str, Callable[..., Any]], individual: Any, weights: Any
) -> dict[str, dict[str, Any]]:
    params = {"discriminative_risk": {"individual_risk": individual}}
    if weights is not None:
        params |= {name: {} for name, metric in metrics.items() if _takes_weights(metric)}
        for taken in params.values():
            taken["sample_weight"] = weights
    return params


def _takes_weights(metric: Callable[..., Any]) -> bool:
    return "sample_weight" in signature(metric).parameters
