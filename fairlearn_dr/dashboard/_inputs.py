"""What a dashboard is about: rows, their groups, and what models say of them; all checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import Array, as_table, check_column, encode, factorize, listed, sorted_values

__all__ = ["Feature", "Inputs", "Model", "named_columns", "read_inputs"]

MOST_GROUPS = 50
"""Groups of a feature that a page can show."""


@dataclass(frozen=True, eq=False)
class Feature:
    """A sensitive feature that the rows are split by.

    Attributes
    ----------
    name : str
    labels : list of str
        What the groups are called.
    groups : array of shape (n,)
        Position of each row's group in the labels.
    """

    name: str
    labels: list[str]
    groups: Array


@dataclass(frozen=True, eq=False)
class Model:
    """What a model says of the rows.

    Attributes
    ----------
    name : str
    predictions : array of shape (n,)
        1 for the favourable class, 0 for the other.
    risk : array of shape (n,)
        Probability that each prediction changes.
    """

    name: str
    predictions: Array
    risk: Array


@dataclass(frozen=True, eq=False)
class Inputs:
    """True labels as 0 and 1, and the features and models to look at."""

    y: Array
    features: list[Feature]
    models: list[Model]


def read_inputs(
    sensitive_features: Any, y_true: Any, y_pred: Any, individual_risk: Any, pos_label: Any
) -> Inputs:
    """Check what `RiskFairnessDashboard` is given.

    Examples
    --------
    >>> given = read_inputs(["f", "m"], ["no", "yes"], {"tree": ["yes", "yes"]},
    ...                     {"tree": [0, 1]}, pos_label="yes")
    >>> given.y, given.features[0].labels, given.models[0].predictions
    (array([0, 1]), ['f', 'm'], array([1, 1]))
    """
    y = check_column("y_true", y_true, len(y_true))
    columns = named_columns(sensitive_features, "Sensitive feature")
    predictions = {
        name: check_column(f"y_pred of model {name!r}", values, len(y))
        for name, values in named_columns(y_pred, "Model").items()
    }
    risks = named_columns(individual_risk, "Model")
    if list(risks) != list(predictions):
        raise ValueError(
            f"individual_risk has the models {listed(risks)}, but y_pred has "
            f"{listed(predictions)}."
        )
    _require_two_classes([y, *predictions.values()], pos_label)
    return Inputs(
        _zero_one(y, pos_label),
        [_feature(name, values, len(y)) for name, values in columns.items()],
        [
            Model(name, _zero_one(values, pos_label), _risk(name, risks[name], len(y)))
            for name, values in predictions.items()
        ],
    )


def named_columns(given: Any, unnamed: str) -> dict[str, Any]:
    """Columns by name, of all that fairlearn takes for sensitive features.

    Parameters
    ----------
    given : mapping, Series, frame, array or list
    unnamed : str
        What a column without a name is called, followed by its position.

    Examples
    --------
    >>> list(named_columns([[1, 2], [3, 4]], "Model"))
    ['Model 0', 'Model 1']
    """
    if isinstance(given, pd.Series):
        given = {f"{unnamed} 0" if given.name is None else given.name: given}
    if isinstance(given, Mapping):
        return {str(name): values for name, values in given.items()}
    if not isinstance(given, list | np.ndarray):
        table = as_table(given)
        keys = table.keys()
        return {str(key): table.column(key) for key in keys}
    array = np.asarray(given)
    columns = [array] if array.ndim == 1 else array.T
    return {f"{unnamed} {position}": column for position, column in enumerate(columns)}


def _feature(name: str, values: Any, n_rows: int) -> Feature:
    what = f"sensitive feature {name!r}"
    column = factorize(check_column(what, values, n_rows))
    if len(column.values) > MOST_GROUPS:
        raise ValueError(
            f"{what} has {len(column.values)} distinct values, more than the {MOST_GROUPS} groups "
            "that a page can show. Bin it first."
        )
    found = sorted_values(column.values)
    return Feature(name, [str(value) for value in found], encode(column, found, what))


def _risk(name: str, values: Any, n_rows: int) -> Array:
    what = f"individual_risk of model {name!r}"
    risk = check_column(what, values, n_rows).astype(float)
    if ((risk < 0) | (risk > 1)).any():
        raise ValueError(f"{what} must lie between 0 and 1: it is a probability.")
    return risk


def _require_two_classes(columns: Iterable[Array], pos_label: Any) -> None:
    classes = sorted_values({value for column in columns for value in factorize(column).values})
    if len(classes) > 2 or pos_label not in classes:
        raise ValueError(
            f"the dashboard shows two classes, one of them pos_label={pos_label!r}; labels and "
            f"predictions have {listed(classes)}."
        )


def _zero_one(labels: Array, pos_label: Any) -> Array:
    return (labels == pos_label).astype(int)
