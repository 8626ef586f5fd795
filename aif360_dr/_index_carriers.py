"""Protected attributes in the index of X, and the columns that carry them.

`aif360.sklearn` names protected attributes by index levels and their values. The columns that an
estimator gets may have them in another form: words for codes, scaled, or one-hot encoded. All of
them must change together with the index.

The column with the name of a level changes with it in the core. Any other column that carries an
attribute has one value for each value of the attribute, and is coupled to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core import SensitiveAttributes, learn_attributes
from dr_core.plugins import Rules, as_condition, as_table, factorize, find_dependent, quote

__all__ = ["IndexCarriers", "find_index_carriers"]

MIN_CARRIER_ROWS = 30
"""Rows from which a column that depends on an attribute alone is not so by chance."""


@dataclass(frozen=True, eq=False)
class IndexCarriers:
    """Protected attributes in the terms of `dr_core`.

    Attributes:
        privileged: Privileged values or range of each attribute, as in the column or level that
            it is read from.
        rules: Rules for the other columns that carry an attribute.
    """

    privileged: Mapping[Any, Any]
    rules: Mapping[Any, Mapping[Any, Mapping[Any, Any]]]

    def learn(
        self, X: Any, *, domain: Mapping[Any, Any] | None, coupled: Rules | None, missing: str
    ) -> SensitiveAttributes:
        """Learn the attributes; see `dr_core.learn_attributes`."""
        for column, drivers in self.rules.items():
            for name, rule in drivers.items():
                unknown = [value for value in (domain or {}).get(name, ()) if value not in rule]
                if unknown:
                    raise ValueError(
                        f"domain has the value {quote(unknown)} of {name!r}, but no row of X has "
                        f"it, so that its value in column {column!r} is not known."
                    )
        rules = {**self.rules, **(coupled or {})}
        return learn_attributes(X, self.privileged, domain=domain, missing=missing, coupled=rules)


def find_index_carriers(
    X: pd.DataFrame,
    prot_attr: Any,
    priv_group: Any,
    carried_by: Mapping[Any, Sequence[Any]] | None = None,
) -> IndexCarriers:
    """Find the columns that carry protected attributes of the index.

    Args:
        X, prot_attr, priv_group, carried_by: See `aif360_dr.sklearn.discriminative_risk`.

    Examples:
        >>> X = pd.DataFrame({"sex_m": [1, 0]}, index=pd.Index(["m", "f"], name="sex"))
        >>> found = find_index_carriers(X, "sex", "m")
        >>> found.privileged, found.rules
        ({'sex': ['m']}, {'sex_m': {'sex': {'m': {0: 1}, 'f': {1: 0}}}})
    """
    groups = _read_groups(X, prot_attr, priv_group)
    carried_by = _check_carried_by(X, carried_by, list(groups))
    privileged, rules = {}, {}
    for name, values in groups.items():
        privileged[name] = _translate(X, name, values)
        source = _get_source(X, name)
        for column in _find_followers(X, name, source, carried_by.get(name)):
            if column in rules:
                raise ValueError(
                    f"column {column!r} depends on {name!r} alone and on another protected "
                    "attribute alone; name the one that it carries in carried_by."
                )
            rules[column] = {name: _make_rule(X, source, column)}
    return IndexCarriers(privileged, rules)


def _read_groups(X: Any, prot_attr: Any, priv_group: Any) -> dict[Any, Any]:
    """Return the privileged values or range of each protected attribute, as in the index."""
    if not isinstance(X, pd.DataFrame):
        raise TypeError(
            f"X is a {type(X).__name__}; pass a pandas DataFrame with the protected attributes in "
            "its index, such as dr_adapters.to_aif360_sklearn returns."
        )
    levels = [name for name in X.index.names if name is not None]
    one = prot_attr is not None and not isinstance(prot_attr, list | tuple | pd.Index)
    names = [prot_attr] if one else levels if prot_attr is None else list(prot_attr)
    lacking = [name for name in names if not _is_among(name, levels)]
    if lacking or not names:
        raise ValueError(
            f"prot_attr names {quote(lacking)}, but the index of X has the levels "
            f"{quote(levels)}. Put protected attributes into the index with "
            "dr_adapters.to_aif360_sklearn, or use dr_core.assess_risk for columns."
        )
    given = [priv_group] if len(names) == 1 and not _is_one_tuple(priv_group) else priv_group
    if not isinstance(given, list | tuple) or len(given) != len(names):
        raise ValueError(
            f"priv_group must have one entry for each of the protected attributes {quote(names)}; "
            f"got {priv_group!r}."
        )
    return dict(zip(names, given, strict=True))


def _is_among(name: Any, levels: list[Any]) -> bool:
    return not isinstance(name, np.ndarray | pd.Series) and name in levels


def _is_one_tuple(group: Any) -> bool:
    """Return whether a group of one attribute is a tuple, as groups of several attributes are."""
    return isinstance(group, tuple) and len(group) == 1


def _as_values(value: Any) -> list[Any]:
    is_collection = isinstance(value, list | tuple | set | frozenset | np.ndarray | pd.Index)
    return list(value) if is_collection else [value]


def _check_carried_by(
    X: pd.DataFrame, carried_by: Any, names: list[Any]
) -> Mapping[Any, Sequence[Any]]:
    carried_by = {} if carried_by is None else carried_by
    if not isinstance(carried_by, Mapping):
        raise TypeError(
            "carried_by must map protected attributes to columns, such as "
            f'{{"sex": ["sex_Male"]}}; got {carried_by!r}.'
        )
    unknown = [name for name in carried_by if name not in names]
    if unknown:
        raise ValueError(
            f"carried_by has {quote(unknown)}, which is not in prot_attr: {quote(names)}."
        )
    for name, columns in carried_by.items():
        if isinstance(columns, str):
            raise TypeError(
                f"carried_by[{name!r}] must be a list of columns, such as [{columns!r}]; got a "
                "string."
            )
        lacking = [column for column in columns if column not in X.columns]
        if lacking:
            raise ValueError(
                f"carried_by names {quote(lacking)}, which is not a column of X; X has "
                f"{quote(X.columns)}."
            )
    return carried_by


def _get_level(X: pd.DataFrame, name: Any) -> Any:
    return X.index.get_level_values(name).array


def _get_source(X: pd.DataFrame, name: Any) -> Any:
    """Return the values that the core reads: those of the column, or else of the level."""
    return X[name].array if name in X.columns else _get_level(X, name)


def _translate(X: pd.DataFrame, name: Any, group: Any) -> Any:
    """Return a privileged group of a level in values of the column of the same name, if any."""
    codes, present = factorize(_get_level(X, name))
    condition = as_condition(name, group, present)
    if condition is not None:
        return _translate_range(X, name, condition)
    values = _as_values(group)
    unknown = [value for value in values if value not in present]
    if unknown:
        raise ValueError(
            f"priv_group has {quote(unknown)}, but the index level {name!r} has {quote(present)}."
        )
    if name not in X.columns:
        return values
    is_privileged = np.isin(codes, [present.index(value) for value in values])
    return factorize(X[name].array[is_privileged]).values


def _translate_range(X: pd.DataFrame, name: Any, condition: Callable[[Any], bool]) -> Any:
    """Return a privileged range of a level as a range of the column of the same name, if any.

    A column with other values, such as scaled ages, gets the function that applies the range to
    the value of the level: the value 0.5 of the column is inside if its age in the index is.
    """
    level, column = pd.Series(_get_level(X, name)), pd.Series(_get_source(X, name))
    if level.equals(column):
        return condition
    ages = dict(zip(column.tolist(), level.tolist(), strict=True))
    return lambda value: condition(ages[value])


def _find_followers(
    X: pd.DataFrame, name: Any, source: Any, given: Sequence[Any] | None
) -> list[Any]:
    """Return the columns that carry an attribute, without the one that has its name."""
    keys = [column for column in X.columns if column != name]
    (dependent,) = find_dependent(as_table(X), keys, factorize(source).codes)
    if given is not None:
        lacking = [column for column in given if column not in [*dependent, name]]
        if lacking:
            raise ValueError(
                f"carried_by[{name!r}] has {quote(lacking)}, but rows with the same {name!r} have "
                "different values there, or all rows the same. How it would follow is not known: "
                "pass rules as coupled=..., or leave it out."
            )
        return [column for column in given if column != name]
    found = [column for column in dependent if _is_named_after(column, name)]
    others = [column for column in dependent if column not in found]
    if others and len(X) >= MIN_CARRIER_ROWS:
        raise ValueError(
            f"columns {quote(others)} depend on the protected attribute {name!r} alone. If they "
            f"carry it, pass carried_by={{{name!r}: [{quote([*found, *others])}]}}; if not, "
            f"carried_by={{{name!r}: [{quote(found) if found else ''}]}}."
        )
    return found


def _is_named_after(column: Any, name: Any) -> bool:
    """Return whether a column is called `sex_Male`, `sex=Male` or `encoder__sex_Male`."""
    own = str(column).rpartition("__")[2]
    return own.startswith((f"{name}_", f"{name}="))


def _make_rule(X: pd.DataFrame, source: Any, column: Any) -> dict[Any, dict[Any, Any]]:
    """Return what each value of a column becomes if the attribute becomes a value."""
    pairs = pd.DataFrame({"driver": source, "own": X[column].array}).dropna().drop_duplicates()
    own = dict(zip(pairs["driver"].tolist(), pairs["own"].tolist(), strict=True))
    values = list(dict.fromkeys(own.values()))
    return {value: {old: new for old in values if old != new} for value, new in own.items()}
