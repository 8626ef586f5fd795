"""The validated inputs of a dashboard: labels, sensitive features and predictions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import (
    Array,
    as_table,
    check_column,
    encode,
    factorize,
    quote,
    sort_values,
)
from fairlearn_dr._metrics import check_risks

__all__ = [
    "DashboardInputs",
    "ModelPredictions",
    "SensitiveFeature",
    "check_inputs",
    "get_named_columns",
]

MAX_FEATURE_GROUPS = 50
"""Maximum number of groups of a sensitive feature in the page."""


@dataclass(frozen=True, eq=False)
class SensitiveFeature:
    """A sensitive feature that defines groups of rows.

    Attributes
    ----------
    name : str
    labels : list of str
        Names of the groups.
    groups : array of shape (n,)
        Group of each row, as a position in `labels`.
    """

    name: str
    labels: list[str]
    groups: Array


@dataclass(frozen=True, eq=False)
class ModelPredictions:
    """Predictions of a model and their individual risks.

    Attributes
    ----------
    name : str
    predictions : array of shape (n,)
        1 for the favourable class, 0 for the other class.
    risk : array of shape (n,)
        Probability that each prediction changes; NaN for rows that were not perturbed.
    """

    name: str
    predictions: Array
    risk: Array


@dataclass(frozen=True, eq=False)
class DashboardInputs:
    """True labels (1 for the favourable class, else 0), sensitive features and predictions."""

    y: Array
    features: list[SensitiveFeature]
    models: list[ModelPredictions]


def check_inputs(
    sensitive_features: Any, y_true: Any, y_pred: Any, individual_risk: Any, pos_label: Any
) -> DashboardInputs:
    """Check the arguments of `RiskFairnessDashboard` and encode them.

    Examples
    --------
    >>> inputs = check_inputs(["f", "m"], ["no", "yes"], {"tree": ["yes", "yes"]},
    ...                       {"tree": [0, 1]}, pos_label="yes")
    >>> inputs.y, inputs.features[0].labels, inputs.models[0].predictions
    (array([0, 1]), ['f', 'm'], array([1, 1]))
    """
    y = check_column("y_true", y_true, len(y_true))
    columns = get_named_columns(sensitive_features, "Sensitive feature")
    predictions = {
        name: check_column(f"y_pred of model {name!r}", values, len(y))
        for name, values in get_named_columns(y_pred, "Model").items()
    }
    risks = get_named_columns(individual_risk, "Model")
    if list(risks) != list(predictions):
        raise ValueError(
            f"individual_risk has the models {quote(risks)}, but y_pred has "
            f"{quote(predictions)}; pass the same models in the same order."
        )
    _check_binary_labels([y, *predictions.values()], pos_label)
    return DashboardInputs(
        _encode_labels(y, pos_label),
        [_make_feature(name, values, len(y)) for name, values in columns.items()],
        [
            ModelPredictions(
                name,
                _encode_labels(values, pos_label),
                check_risks(f"individual_risk of model {name!r}", risks[name], len(y)),
            )
            for name, values in predictions.items()
        ],
    )


def get_named_columns(given: Any, unnamed: str) -> dict[str, Any]:
    """Return columns by name, from any type that fairlearn accepts for sensitive features.

    Parameters
    ----------
    given : mapping, Series, DataFrame, array or list
    unnamed : str
        Prefix of the names of columns without a name; their position follows.

    Examples
    --------
    >>> list(get_named_columns([[1, 2], [3, 4]], "Model"))
    ['Model 0', 'Model 1']
    """
    if isinstance(given, pd.Series):
        given = {f"{unnamed} 0" if given.name is None else given.name: given}
    if isinstance(given, Mapping):
        return {str(name): values for name, values in given.items()}
    if not isinstance(given, list | np.ndarray):
        table = as_table(given)
        names = table.keys()
        return {str(name): table.column(name) for name in names}
    array = np.asarray(given)
    columns = [array] if array.ndim == 1 else array.T
    return {f"{unnamed} {position}": column for position, column in enumerate(columns)}


def _make_feature(name: str, values: Any, n_rows: int) -> SensitiveFeature:
    argument = f"sensitive feature {name!r}"
    column = factorize(check_column(argument, values, n_rows))
    if len(column.values) > MAX_FEATURE_GROUPS:
        raise ValueError(
            f"{argument} has {len(column.values)} distinct values; the maximum is "
            f"{MAX_FEATURE_GROUPS}. Bin it first."
        )
    values = sort_values(column.values)
    return SensitiveFeature(name, _name_groups(name, values), encode(column, values, argument))


def _name_groups(name: str, values: Iterable[Any]) -> list[str]:
    """Return names of groups that the charts of the page do not take for numbers or dates.

    An axis of numbers would have ticks between the groups, such as at -0.5.

    >>> _name_groups("sex", ["f", "m"]), _name_groups("sex", [0, 1])
    (['f', 'm'], ['sex = 0', 'sex = 1'])
    """
    labels = [str(value) for value in values]
    if any(re.match(r"\s*[-+.$]?\d", label) for label in labels):
        return [f"{name} = {label}" for label in labels]
    return labels


def _check_binary_labels(columns: Iterable[Array], pos_label: Any) -> None:
    classes = sort_values({value for column in columns for value in factorize(column).values})
    if len(classes) > 2 or pos_label not in classes:
        raise ValueError(
            f"y_true and y_pred must have two classes, and pos_label must be one of them; got "
            f"the classes {quote(classes)} and pos_label={pos_label!r}."
        )


def _encode_labels(labels: Array, pos_label: Any) -> Array:
    return (labels == pos_label).astype(int)
