"""What the meta-estimators share when they fit and prepare their input."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from dr_core import OneHot
from dr_core.plugins import Array, as_table, quote

__all__ = [
    "as_indexable",
    "check_sensitive_columns",
    "copy_feature_attributes",
    "make_weight_params",
]


def as_indexable(X: Any) -> Any:
    """Return X in a form whose rows can be selected."""
    if issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def check_sensitive_columns(X: Any, privileged: Mapping[Any, Any]) -> None:
    """Raise ValueError if X lacks a sensitive column that is only in `sensitive_features`."""
    columns = as_table(X).keys()
    absent = [
        name
        for name, value in privileged.items()
        if not isinstance(value, OneHot) and name not in columns
    ]
    if absent:
        raise ValueError(
            f"privileged has {quote(absent)}, which is not a column of X; sensitive_features "
            "cannot replace it. The risk of a model that does not see an attribute is 0 by "
            "definition. Add the column to X, or pass in privileged the columns of X that encode "
            "the attribute."
        )


def copy_feature_attributes(fitted: Any, estimator: Any) -> None:
    """Copy what an inner estimator knows of its features to the meta-estimator."""
    for name in ("n_features_in_", "feature_names_in_"):
        fitted.__dict__.pop(name, None)
        if hasattr(estimator, name):
            setattr(fitted, name, getattr(estimator, name))


def make_weight_params(estimator: Any, weights: Array) -> dict[str, Array]:
    """Return the weights under the parameter name that the `fit` of the ensemble expects."""
    if isinstance(estimator, Pipeline) and not get_config()["enable_metadata_routing"]:
        name, last = estimator.steps[-1]
        return {
            f"{name}__{key}": value for key, value in make_weight_params(last, weights).items()
        }
    accepts_any_keyword = any(
        parameter.kind is parameter.VAR_KEYWORD
        for parameter in signature(estimator.fit).parameters.values()
    )
    if accepts_any_keyword or has_fit_parameter(estimator, "sample_weight"):
        return {"sample_weight": weights}
    raise ValueError(
        f"sample_weight is not accepted by {type(estimator).__name__}.fit; leave it out, or use "
        "another estimator."
    )
