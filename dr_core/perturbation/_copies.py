"""Columns that depend on a sensitive attribute alone, and so may encode it, too.

If X has `is_male` beside `sex`, a perturbation of `sex` leaves `is_male` as it is. A model that
reads `is_male` then seems not to depend on sex.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

from dr_core._tables import Table, find_dependent
from dr_core._utils import Array, quote
from dr_core.perturbation._advice import advise_argument
from dr_core.perturbation._dummies import MAX_CHANCE

if TYPE_CHECKING:
    from dr_core.perturbation._attributes import Attribute

__all__ = ["find_copies", "warn_of_copies"]

MAX_SHOWN_VALUES = 4
"""Values of an attribute up to which a message shows the whole rule of a column."""


def warn_of_copies(
    table: Table, attribute: Attribute, codes: Array, dependent: Sequence[Any], n_columns: int
) -> None:
    """Warn if any of the `dependent` columns depends on an attribute not by chance.

    Parameters
    ----------
    table, attribute, codes : see `find_copies`
    dependent : columns that depend on the attribute alone
    n_columns : number of columns among which they were found
    """
    found = _keep_unlikely(table, codes, dependent, n_columns)
    if found:
        warnings.warn(_describe(table, attribute, codes, found), stacklevel=5)


def find_copies(table: Table, keys: Sequence[Any], codes: Array) -> list[Any]:
    """Return the columns that depend on an attribute alone, and not by chance.

    Parameters
    ----------
    table : Table
    keys : columns to look at
    codes : (n,) codes of the values of the attribute; -1 where it is missing

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core._tables import as_table
    >>> codes = np.arange(60) % 3
    >>> table = as_table(pd.DataFrame({"is_first": codes == 0, "age": range(60), "one": 1}))
    >>> find_copies(table, table.keys(), codes)
    ['is_first']
    """
    (dependent,) = find_dependent(table, keys, codes)
    return _keep_unlikely(table, codes, dependent, len(keys))


def _keep_unlikely(
    table: Table, codes: Array, dependent: Sequence[Any], n_columns: int
) -> list[Any]:
    """Return the columns that depend on an attribute not by chance."""
    limit = np.log(MAX_CHANCE / n_columns) if n_columns else 0.0
    columns = {key: table.factorize(key).codes for key in dependent}
    return [key for key, own in columns.items() if _log_chance_of_copy(codes, own) <= limit]


# One certain assignment of the rows of each value has the probability Π m! / n! if a column with
# classes of m rows is independent of the attribute. There are C ** V functions from V values to C
# classes. With two values in 4 rows each and one class of 4: 2² · 4! · 4! / 8! = 0.057.
def _log_chance_of_copy(codes: Array, own: Array) -> float:
    """Return the log of a bound on the probability that an independent column is dependent."""
    known = codes >= 0
    sizes = np.unique(own[known], return_counts=True)[1]
    n_functions = len(np.unique(codes[known])) * np.log(len(sizes))
    return float(n_functions + gammaln(sizes + 1).sum() - gammaln(sizes.sum() + 1))


def _describe(table: Table, attribute: Attribute, codes: Array, found: list[Any]) -> str:
    name, many = attribute.name, len(found) > 1
    start = "columns" if many else "column"
    have, they = ("have", "They stay") if many else ("has", "It stays")
    return (
        f"{start} {quote(found)} {have} one value for each value of the sensitive attribute "
        f"{name!r}, and may encode it, too. {they} unchanged when {name!r} is perturbed, so that "
        f"discriminative risk can be far too low. Fit the model without such columns, or "
        f"{_describe_remedy(table, attribute, codes, found[0])}"
    )


def _describe_remedy(table: Table, attribute: Attribute, codes: Array, key: Any) -> str:
    """Return how to let a column change with an attribute."""
    own, values = table.factorize(key)
    if (own[codes >= 0] < 0).any():
        return f"fill the missing values of {key!r}, which cannot change with {attribute.name!r}."
    pairs = np.unique(np.stack([codes, own])[:, codes >= 0], axis=1).T.tolist()
    new = {attribute.values[code]: values[position] for code, position in pairs}
    start = f"let them change with {attribute.name!r}: pass {advise_argument('coupled={...}')}."
    is_short = len(new) <= MAX_SHOWN_VALUES and all(map(_is_literal, [*new, *new.values()]))
    if not is_short:
        return start
    distinct = list(dict.fromkeys(new.values()))
    rule = {
        value: {old: become for old in distinct if old != become} for value, become in new.items()
    }
    return f"{start} The rule of {key!r} is { ({key: {attribute.name: rule}})!r}."


def _is_literal(value: Any) -> bool:
    """Return whether Python reads the `repr` of a value as this value."""
    return isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))
