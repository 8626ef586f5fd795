"""Convert data to and from `aif360.sklearn`, which keeps protected attributes in the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from dr_core.plugins import as_table, check_column, check_row_order, check_weights, quote

from ._fairlearn_data import FairlearnData
from ._forms import as_column, as_frame, check_dense
from ._schema import check_single_columns, learn_sensitive, make_sensitive_frame

__all__ = ["IndexedData", "from_aif360_sklearn", "to_aif360_sklearn"]


class IndexedData(NamedTuple):
    """Data for `aif360.sklearn`: the protected attributes are levels of every index."""

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
    """Add sensitive features to the index, where `aif360.sklearn` expects them.

    Parameters
    ----------
    X, y, sensitive_features, privileged, sample_weight
        See `to_aif360`. Values are not encoded.
    keep_index : bool
        Whether to keep the levels of X's index before the sensitive features. Functions of
        `aif360.sklearn` then require `prot_attr`, because by default they use every level as a
        protected attribute.

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
    check_dense(X)
    columns = {"y": y, "sensitive_features": sensitive_features, "sample_weight": sample_weight}
    check_row_order(X, columns)
    frame, _ = as_frame(as_table(X).native)
    sensitive = make_sensitive_frame(sensitive_features, frame, privileged)
    learn_sensitive(sensitive, privileged)
    index = _make_index(frame.index, sensitive, keep_index)
    check_column("y", y, len(frame))
    check_weights(sample_weight, len(frame))
    weights = None if sample_weight is None else _set_index(sample_weight, index, "sample_weight")
    return IndexedData(frame.set_axis(index, axis=0), _set_index(y, index, "y"), weights)


def from_aif360_sklearn(
    X: pd.DataFrame,
    y: pd.Series,
    sample_weight: pd.Series | None = None,
    *,
    privileged: Mapping[Any, Any],
) -> FairlearnData:
    """Move sensitive features from the index back to a frame.

    Parameters
    ----------
    X, y, sample_weight
        As returned by `aif360.sklearn` or `to_aif360_sklearn`.
    privileged : mapping
        The privileged value of each sensitive feature. The keys are levels of the index.

    Returns
    -------
    FairlearnData
        Other levels of the index are kept. If there are none, rows are numbered from 0.

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["m", "f"], "age": [30, 40]})
    >>> data = from_aif360_sklearn(
    ...     *to_aif360_sklearn(X, [0, 1], privileged={"sex": "m"}), privileged={"sex": "m"})
    >>> data.X.equals(X), data.sensitive_features["sex"].tolist()
    (True, ['m', 'f'])
    """
    check_single_columns(privileged)
    for name, value, kind in (("X", X, pd.DataFrame), ("y", y, pd.Series)):
        if not isinstance(value, kind):
            raise TypeError(
                f"{name} is a {type(value).__name__}; pass the {kind.__name__} of aif360.sklearn."
            )
    lacking = [name for name in privileged if name not in X.index.names]
    if lacking:
        raise ValueError(
            f"the index of X has no level {lacking[0]!r}; its levels are {quote(X.index.names)}."
        )
    rest = [i for i, name in enumerate(X.index.names) if name not in privileged]
    index = _join_levels(_get_levels(X.index, rest)) if rest else pd.RangeIndex(len(X))
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


def _make_index(index: pd.Index, sensitive: pd.DataFrame, keep_index: bool) -> pd.Index:
    own = _get_levels(index, range(index.nlevels)) if keep_index else []
    levels = own + [pd.Index(sensitive[name].array, name=name) for name in sensitive.columns]
    names = [level.name for level in levels]
    if len(set(names)) < len(names):
        raise ValueError(f"levels of the index would share a name: {quote(names)}; rename them.")
    return _join_levels(levels)


def _set_index(values: Any, index: pd.Index, name: str) -> pd.Series:
    column, _ = as_column(values)
    return (
        column.set_axis(index)
        if isinstance(values, pd.Series)
        else pd.Series(column.array, index=index, name=name)
    )


def _get_levels(index: pd.Index, positions: Iterable[int]) -> list[pd.Index]:
    return [index.get_level_values(i) for i in positions]


def _join_levels(levels: list[pd.Index]) -> pd.Index:
    return levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
