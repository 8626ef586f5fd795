"""Frames of `aif360.sklearn`, which carry protected attributes in their index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from dr_core.plugins import as_table, check_column, check_privileged, check_weights, listed

from ._datasets import FairlearnData
from ._forms import as_column, as_frame
from ._sensitive import learn_sensitive, sensitive_frame

__all__ = ["IndexedData", "from_aif360_sklearn", "to_aif360_sklearn"]


class IndexedData(NamedTuple):
    """Data as `aif360.sklearn` takes it: protected attributes are levels of every index."""

    X: pd.DataFrame
    y: pd.Series
    sample_weight: pd.Series | None


def to_aif360_sklearn(
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    privileged: Mapping[Any, Any],
    sample_weight: Any = None,
    keep_index: bool = False,
) -> IndexedData:
    """Put sensitive features into the index, where `aif360.sklearn` looks for them.

    Parameters
    ----------
    X, y, sensitive_features, privileged, sample_weight
        As for `to_aif360`. Values stay as they are.
    keep_index : bool
        Whether to keep the levels of X's own index in front of the sensitive features. Functions
        of `aif360.sklearn` must then be told `prot_attr`, as they take every level for a
        protected attribute otherwise.

    Returns
    -------
    IndexedData

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["m", "f"], "age": [30, 40]})
    >>> to_aif360_sklearn(X, [0, 1], privileged={"sex": "m"}).X
        sex  age
    sex
    m     m   30
    f     f   40
    """
    frame, _ = as_frame(as_table(X).native)
    sensitive = sensitive_frame(sensitive_features, frame, privileged)
    learn_sensitive(sensitive, privileged)
    index = _index(frame.index, sensitive, keep_index)
    check_column("y", y, len(frame))
    check_weights(sample_weight, len(frame))
    weights = None if sample_weight is None else _indexed(sample_weight, index, "sample_weight")
    return IndexedData(frame.set_axis(index, axis=0), _indexed(y, index, "y"), weights)


def from_aif360_sklearn(
    X: pd.DataFrame,
    y: pd.Series,
    sample_weight: pd.Series | None = None,
    *,
    privileged: Mapping[Any, Any],
) -> FairlearnData:
    """Take sensitive features out of the index again.

    Parameters
    ----------
    X, y, sample_weight
        As `aif360.sklearn` or `to_aif360_sklearn` gives them.
    privileged : mapping
        The privileged value of each sensitive feature; its keys are levels of the index.

    Returns
    -------
    FairlearnData
        Levels of the index that are no sensitive features stay; without any, rows are numbered.

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["m", "f"], "age": [30, 40]})
    >>> data = from_aif360_sklearn(
    ...     *to_aif360_sklearn(X, [0, 1], privileged={"sex": "m"}), privileged={"sex": "m"})
    >>> data.X.equals(X), data.sensitive_features["sex"].tolist()
    (True, ['m', 'f'])
    """
    check_privileged(privileged)
    for what, given, kind in (("X", X, pd.DataFrame), ("y", y, pd.Series)):
        if not isinstance(given, kind):
            raise TypeError(
                f"{what} is a {type(given).__name__}; pass the {kind.__name__} of aif360.sklearn."
            )
    lacking = [name for name in privileged if name not in X.index.names]
    if lacking:
        raise ValueError(
            f"the index of X has no level {lacking[0]!r}; its levels are {listed(X.index.names)}."
        )
    rest = [i for i, name in enumerate(X.index.names) if name not in privileged]
    index = _levels(X.index, rest) if rest else pd.RangeIndex(len(X))
    check_column("y", y, len(X))
    check_weights(sample_weight, len(X))
    levels = {name: X.index.get_level_values(name) for name in privileged}
    return FairlearnData(
        X=X.set_axis(index, axis=0),
        y=y.set_axis(index),
        sensitive_features=pd.DataFrame(levels).set_axis(index, axis=0),
        sample_weight=None if sample_weight is None else sample_weight.set_axis(index),
        privileged=privileged,
    )


def _index(index: pd.Index, sensitive: pd.DataFrame, keep_index: bool) -> pd.Index:
    own = [index.get_level_values(i) for i in range(index.nlevels)] if keep_index else []
    levels = own + [pd.Index(sensitive[name].array, name=name) for name in sensitive.columns]
    names = [level.name for level in levels]
    if len(set(names)) < len(names):
        raise ValueError(f"levels of the index would share a name: {listed(names)}; rename them.")
    return levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)


def _indexed(values: Any, index: pd.Index, name: str) -> pd.Series:
    column, _ = as_column(values)
    return (
        column.set_axis(index)
        if isinstance(values, pd.Series)
        else pd.Series(column.array, index=index, name=name)
    )


def _levels(index: pd.Index, positions: list[int]) -> pd.Index:
    levels = [index.get_level_values(i) for i in positions]
    return levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
