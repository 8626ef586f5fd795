"""Sensitive features as AIF360's protected attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core import learn_attributes
from dr_core.plugins import Array, Attribute, check_privileged, listed

from ._codings import Coding, codes_for, is_number, learn_coding

__all__ = ["SensitiveColumn", "learn_sensitive", "sensitive_frame"]


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """One sensitive feature.

    Attributes
    ----------
    name : its name
    coding : Coding
    privileged, unprivileged : arrays of the numbers of its values
    """

    name: Any
    coding: Coding
    privileged: Array
    unprivileged: Array


def sensitive_frame(features: Any, X: pd.DataFrame, privileged: Mapping[Any, Any]) -> pd.DataFrame:
    """Sensitive features as a frame, wherever they are.

    Parameters
    ----------
    features : Series, DataFrame, array, or None to take them from X
    X : DataFrame
    privileged : mapping

    Examples
    --------
    >>> X = pd.DataFrame({"age": [20, 30]})
    >>> sensitive_frame(["f", "m"], X, {"sex": "m"})
      sex
    0   f
    1   m
    """
    check_privileged(privileged)
    if features is None:
        lacking = [name for name in privileged if name not in X.columns]
        if lacking:
            raise ValueError(
                f"sensitive column {lacking[0]!r} is not in X, which has {listed(X.columns)}; "
                "pass it as sensitive_features."
            )
        return X[list(privileged)]
    frame = _named(features, privileged)
    if len(frame) != len(X):
        raise ValueError(f"sensitive_features has length {len(frame)}, but X has {len(X)} rows.")
    _match_names(frame, privileged)
    return frame


def learn_sensitive(frame: pd.DataFrame, privileged: Mapping[Any, Any]) -> list[SensitiveColumn]:
    """Learn how each sensitive feature is coded.

    Numbers stay as they are. Two values in words become 1 (privileged) and 0, more values 0, 1, 2
    and so on in their order.

    Examples
    --------
    >>> race = pd.DataFrame({"race": ["White", "Black", "Other"]})
    >>> [column] = learn_sensitive(race, {"race": "White"})
    >>> column.coding.encode(race["race"]), column.privileged, column.unprivileged
    (array([2., 0., 1.]), array([2.]), array([0., 1.]))
    """
    ordered = {name: privileged[name] for name in frame.columns}
    attributes = learn_attributes(frame, ordered)
    for attribute in attributes:
        _refuse_missing(frame[attribute.name])
    return [_learn(attribute, frame[attribute.name]) for attribute in attributes]


def _learn(attribute: Attribute, column: pd.Series) -> SensitiveColumn:
    values, is_privileged = list(attribute.values), attribute.is_privileged
    if is_number(column):
        coding: Coding = learn_coding(column)
        numbers = np.array([float(value) for value in values])
    else:
        order = np.argsort(is_privileged) if len(values) == 2 else np.arange(len(values))
        values, is_privileged = [values[i] for i in order], is_privileged[order]
        coding = codes_for(values, column)
        numbers = np.arange(len(values), dtype=float)
    return SensitiveColumn(attribute.name, coding, numbers[is_privileged], numbers[~is_privileged])


def _named(features: Any, privileged: Mapping[Any, Any]) -> pd.DataFrame:
    if isinstance(features, pd.DataFrame):
        return features
    if isinstance(features, pd.Series):
        return features.to_frame(
            next(iter(privileged)) if features.name is None else features.name
        )
    if isinstance(features, Mapping):
        return pd.DataFrame(features)
    array = np.asarray(features)
    array = array.reshape(len(array), -1)
    if array.shape[1] != len(privileged):
        raise ValueError(
            f"sensitive_features has {array.shape[1]} columns, but privileged names "
            f"{listed(privileged)}."
        )
    return pd.DataFrame(array, columns=list(privileged))


def _match_names(frame: pd.DataFrame, privileged: Mapping[Any, Any]) -> None:
    if set(frame.columns) != set(privileged):
        raise ValueError(
            f"sensitive_features has columns {listed(frame.columns)}, but privileged names "
            f"{listed(privileged)}; each needs its privileged value."
        )


def _refuse_missing(column: pd.Series) -> None:
    count = int(column.isna().sum())
    if count:
        raise ValueError(
            f"sensitive feature {column.name!r} is missing in {count} of {len(column)} rows. "
            "Fill or drop them: AIF360 takes no missing protected attributes."
        )
