"""What is sensitive and who is privileged: parsed, validated, with the domain of values.

`privileged={"sex": "Male", "race": ["White", "Asian"]}` is all a user writes. It becomes
`SensitiveAttributes`: for each attribute its values in a fixed order, and which are privileged.
Learned once, it serves every chunk and fold, so that a part of the data that lacks a value still
perturbs into it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import (
    Partitions,
    Recoded,
    Table,
    as_partitions,
    encode,
    read_zero_one,
)
from dr_core._utils import Array, check_choice, listed, sorted_values
from dr_core.perturbation._couplings import NO_COUPLINGS, Couplings, Rules, learn_couplings

__all__ = [
    "ALL",
    "MARGINALISED",
    "MISSING_LABEL",
    "NEITHER",
    "PRIVILEGED",
    "Attribute",
    "OneHot",
    "SensitiveAttributes",
    "check_privileged",
    "empty_groups",
    "learn_attributes",
]

MARGINALISED, PRIVILEGED, NEITHER = 0, 1, 2
"""Groups of rows; a row is in neither when its value is missing."""

MISSING_LABEL = "(missing)"
"""How tables name a missing value."""

ALL = "all"
"""The name under which results for all attributes together are listed."""

MOST_NUMBERS = 50
"""A column with more distinct numbers is taken for a quantity, not for an attribute."""


@dataclass(frozen=True)
class OneHot:
    """A sensitive attribute that was one-hot encoded before the model sees it.

    Parameters
    ----------
    columns : sequence of column names (or positions)
        The 0/1 columns of the attribute, one a value.
    privileged : column name, or a collection of them
        The columns of the privileged values.
    dropped : hashable, optional
        Name of the value that has no column of its own, for encodings that drop one: rows with 0
        in all columns have it. It may be privileged.

    Examples
    --------
    >>> from dr_core import perturb
    >>> X = pd.DataFrame({"age": [30, 40], "sex_Female": [0, 1], "sex_Male": [1, 0]})
    >>> perturb(X, {"sex": OneHot(["sex_Female", "sex_Male"], privileged="sex_Male")})
       age  sex_Female  sex_Male
    0   30           1         0
    1   40           0         1
    """

    columns: Sequence[Hashable]
    privileged: Any
    dropped: Hashable | None = None


@dataclass(frozen=True, eq=False)
class Attribute:
    """One sensitive attribute: its values, and which of them are privileged.

    Attributes
    ----------
    name : hashable
    values : tuple
        The domain, in a fixed order; codes are positions in it, and -1 is a missing value.
    is_privileged : bool array, one for each value
    columns : tuple or None
        The one-hot columns, in the order of `values`; None for a plain column.
    """

    name: Any
    values: tuple[Any, ...]
    is_privileged: Array
    columns: tuple[Hashable, ...] | None = None

    @property
    def privileged(self) -> list[Any]:
        """The privileged values."""
        return [
            value for value, is_so in zip(self.values, self.is_privileged, strict=True) if is_so
        ]

    @cached_property
    def targets(self) -> list[list[int]]:
        """For each code, the codes it may be perturbed into."""
        privileged = np.flatnonzero(self.is_privileged).tolist()
        marginalised = np.flatnonzero(~self.is_privileged).tolist()
        return [marginalised if mine else privileged for mine in self.is_privileged]

    def encode(self, table: Table) -> Array:
        """Read the codes of this attribute off a table, shape (n,)."""
        what = f"sensitive attribute {self.name!r}"
        _require_columns(table, (self.name,) if self.columns is None else self.columns)
        if self.columns is None:
            return encode(table.factorize(self.name), self.values, what)
        return _one_hot_codes(table, self.columns, self.name, len(self.values))

    def decode(self, codes: Array) -> dict[Any, Recoded]:
        """Content of the attribute's columns for these codes."""
        if self.columns is None:
            return {self.name: Recoded(self.values, codes)}
        return {
            column: Recoded((0, 1), np.where(codes < 0, -1, codes == i))
            for i, column in enumerate(self.columns)
        }

    def groups(self, codes: Array) -> Array:
        """Which group each code belongs to: PRIVILEGED, MARGINALISED or NEITHER."""
        of_value = np.where(self.is_privileged, PRIVILEGED, MARGINALISED)
        return np.append(of_value, NEITHER).astype(np.int8)[codes]


@dataclass(frozen=True, eq=False)
class SensitiveAttributes:
    """All sensitive attributes of a data set, in the order in which they were given.

    Attributes
    ----------
    attributes : tuple of Attribute
    missing : {"error", "keep"}
    couplings : Couplings
        Columns that follow the attributes; see `dr_core.couplings`.
    """

    attributes: tuple[Attribute, ...]
    missing: str = "error"
    couplings: Couplings = NO_COUPLINGS

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    @property
    def names(self) -> list[Any]:
        """Names of the attributes."""
        return [attribute.name for attribute in self]

    @property
    def columns(self) -> list[Any]:
        """Columns of X that carry the attributes."""
        return [column for a in self for column in a.columns or (a.name,)]

    @property
    def has_couplings(self) -> bool:
        """Whether other columns follow the attributes."""
        return bool(self.couplings.all)

    @property
    def uncoupled(self) -> SensitiveAttributes:
        """The same attributes, followed by no other column."""
        return replace(self, couplings=NO_COUPLINGS)

    def encode(self, table: Table) -> Array:
        """Read the codes off a table, shape (attributes, rows)."""
        codes = np.stack([attribute.encode(table) for attribute in self])
        if self.missing == "error":
            self._refuse_missing(codes)
        return codes

    def follow(self, before: Array, after: Array) -> Array:
        """Return codes of all columns once the attributes have changed.

        Parameters
        ----------
        before : (attributes + coupled columns, k) codes of the rows
        after : (attributes, k) codes that the attributes become

        Returns
        -------
        (attributes + coupled columns, k)
        """
        if not self.has_couplings:
            return after
        n = len(self)
        return np.vstack([after, self.couplings.follow(before[n:], before[:n], after)])

    def decode(self, codes: Array, before: Array) -> dict[Any, Recoded]:
        """Return the content of all columns for codes (attributes + coupled columns, n).

        Parameters
        ----------
        codes : codes to write
        before : codes that the rows have now, in the same shape
        """
        columns: dict[Any, Recoded] = {}
        for attribute, of_attribute in zip(self, codes, strict=False):
            columns |= attribute.decode(of_attribute)
        if self.has_couplings:
            columns |= self.couplings.decode(before[len(self) :], codes[len(self) :])
        return columns

    def groups(self, codes: Array, active: Sequence[int] | None = None) -> Array:
        """Group of each row, jointly over the active attributes.

        A row is privileged when it is so in every attribute; in neither group when any of its
        values is missing.
        """
        active = range(len(self)) if active is None else active
        each = np.stack([self.attributes[j].groups(codes[j]) for j in active])
        return np.where((each == NEITHER).any(axis=0), NEITHER, each.min(axis=0)).astype(np.int8)

    def group_of(self, codes: Sequence[int], active: Sequence[int]) -> int:
        """Return the group of one combination of codes, those of the active attributes."""
        if min(codes) < 0:
            return NEITHER
        pairs = zip(active, codes, strict=True)
        is_privileged = all(self.attributes[j].is_privileged[code] for j, code in pairs)
        return PRIVILEGED if is_privileged else MARGINALISED

    def _refuse_missing(self, codes: Array) -> None:
        for name, count in zip(self.names, (codes < 0).sum(axis=1), strict=True):
            if count:
                raise ValueError(
                    f"sensitive attribute {name!r} is missing in {count} of {codes.shape[1]} "
                    'rows. Fill or drop them, or pass missing="keep" to leave them unperturbed.'
                )


def empty_groups(n_rows: Mapping[Any, Sequence[int] | Array]) -> list[str]:
    """Say which groups have no row, from the number of rows in each, for each named grouping."""
    names = {PRIVILEGED: "privileged", MARGINALISED: "marginalised"}
    return [
        f"no {names[group]} row for {attribute!r}"
        for attribute, counts in n_rows.items()
        for group in names
        if not counts[group]
    ]


def learn_attributes(
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    domain: Mapping[Any, Collection[Any]] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
) -> SensitiveAttributes:
    """Learn the values of each sensitive attribute and check them against `privileged`.

    Parameters
    ----------
    X : DataFrame, array or Partitions
        What the model sees.
    privileged : mapping
        From the name of each sensitive column (its position, for an array) to its privileged
        value, a collection of them, or a `OneHot`. Attributes learned before pass unchanged.
    domain : mapping, optional
        All values an attribute can take, for those that X does not show completely; also those
        of a coupled column.
    missing : {"error", "keep"}
        Whether a missing sensitive value is an error, or its row is left unperturbed.
    coupled : mapping, optional
        Columns that follow an attribute when it changes, such as {"relationship": {"sex":
        {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}}; see `dr_core.couplings`.

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "age": [30, 40]})
    >>> attributes = learn_attributes(X, {"sex": "Male"})
    >>> [(a.name, a.values, a.is_privileged.tolist()) for a in attributes]
    [('sex', ('Female', 'Male'), [False, True])]
    """
    check_choice("missing", missing, ("error", "keep"))
    check_privileged(privileged)
    if isinstance(privileged, SensitiveAttributes):
        return _learned_before(X, privileged, domain, missing, coupled)
    table = _as_columns(X)
    table.read({*privileged, *(coupled or ())} & set(table.keys()))
    domain = _checked_domain(domain, privileged, coupled or {})
    learned = tuple(
        _learn(table, name, value, domain.get(name)) for name, value in privileged.items()
    )
    attributes = SensitiveAttributes(learned, missing)
    _refuse_shared_columns(attributes.columns)
    return _with_couplings(attributes, table, coupled, domain)


def check_privileged(privileged: Any) -> None:
    """Refuse what does not map sensitive columns to values, whatever the data."""
    if isinstance(privileged, SensitiveAttributes):
        return
    if not isinstance(privileged, Mapping) or not privileged:
        raise TypeError(
            "privileged must map each sensitive column to its privileged value, such as "
            f'{{"sex": "Male"}}; it is {privileged!r}.'
        )
    if ALL in privileged:
        raise ValueError(
            f"the name {ALL!r} stands for all attributes together; rename the column."
        )


def _as_columns(X: Any) -> Table | Partitions:
    return X if isinstance(X, Partitions | Table) else as_partitions(X, {})


def _with_couplings(
    attributes: SensitiveAttributes,
    table: Table | Partitions,
    coupled: Rules | None,
    domain: Mapping[Any, Any],
) -> SensitiveAttributes:
    if not coupled:
        return attributes
    values = {attribute.name: attribute.values for attribute in attributes}
    couplings = learn_couplings(table, coupled, values, attributes.columns, domain)
    return replace(attributes, couplings=couplings)


def _learned_before(
    X: Any,
    attributes: SensitiveAttributes,
    domain: Mapping[Any, Any] | None,
    missing: str,
    coupled: Rules | None,
) -> SensitiveAttributes:
    if domain:
        raise ValueError("domain was learned with the attributes; pass it to learn_attributes.")
    if coupled and attributes.couplings:
        raise ValueError("coupled was learned with the attributes; pass it there alone.")
    if coupled:
        attributes = _with_couplings(attributes, _as_columns(X), coupled, {})
    return attributes if missing == "error" else replace(attributes, missing=missing)


def _checked_domain(
    domain: Any, privileged: Mapping[Any, Any], coupled: Mapping[Any, Any]
) -> Mapping[Any, Any]:
    domain = {} if domain is None else domain
    lists = isinstance(domain, Mapping) and all(
        isinstance(values, Iterable) and not isinstance(values, str) for values in domain.values()
    )
    if not lists:
        raise TypeError(
            "domain must map sensitive columns to all their values, such as "
            f'{{"sex": ["F", "M"]}}; it is {domain!r}.'
        )
    plain = [name for name, value in privileged.items() if not isinstance(value, OneHot)]
    plain += list(coupled)
    others = [name for name in domain if name not in plain]
    if others:
        raise ValueError(
            f"domain has {listed(others)}; its keys must be sensitive columns: {listed(plain)}."
        )
    return domain


def _refuse_shared_columns(columns: list[Any]) -> None:
    shared = sorted({str(column) for column in columns if columns.count(column) > 1})
    if shared:
        raise ValueError(f"two sensitive attributes share the columns {listed(shared)}.")


def _learn(
    table: Table | Partitions, name: Any, privileged: Any, domain: Collection[Any] | None
) -> Attribute:
    if isinstance(privileged, OneHot):
        return _learn_one_hot(table, name, privileged)
    _require_columns(table, (name,))
    given = None if domain is None else [value for value in domain if not pd.isna(value)]
    values = _observed(table, name) if given is None else given
    return _attribute(name, sorted_values(dict.fromkeys(values)), privileged)


def _learn_one_hot(table: Table | Partitions, name: Any, one_hot: OneHot) -> Attribute:
    _require_columns(table, one_hot.columns)
    dropped = [] if one_hot.dropped is None else [one_hot.dropped]
    attribute = _attribute(name, [*one_hot.columns, *dropped], one_hot.privileged)
    return Attribute(name, attribute.values, attribute.is_privileged, tuple(one_hot.columns))


def _attribute(name: Any, values: Sequence[Any], privileged: Any) -> Attribute:
    is_value = isinstance(privileged, tuple) and privileged in values
    chosen = list(privileged) if _is_collection(privileged) and not is_value else [privileged]
    if not chosen:
        raise ValueError(f"privileged names no value of {name!r}, which has {listed(values)}.")
    unknown = [value for value in chosen if value not in values]
    if unknown:
        raise ValueError(
            f"privileged value {listed(unknown)} is not in column {name!r}, which has "
            f"{listed(values)}."
        )
    if len(values) < 2:
        raise ValueError(
            f"sensitive attribute {name!r} has the single value {listed(values)}: there is "
            "nothing to perturb it into. Pass all its values as domain={...}, or leave it out."
        )
    is_privileged = np.array([value in chosen for value in values])
    if is_privileged.all():
        raise ValueError(
            f"all values of {name!r} are privileged ({listed(values)}); at least one must not be."
        )
    return Attribute(name, tuple(values), is_privileged)


def _is_collection(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset | np.ndarray | pd.Index | pd.Series)


def _observed(table: Table | Partitions, name: Any) -> list[Any]:
    values = table.distinct(name)
    if not values:
        raise ValueError(f"sensitive attribute {name!r} is missing in all {table.n_rows} rows.")
    numbers = [value for value in values if isinstance(value, Number)]
    if len(numbers) > MOST_NUMBERS:
        raise ValueError(
            f"sensitive attribute {name!r} has {len(numbers)} distinct numbers. Bin it first, "
            f"or pass its values as domain={{{name!r}: [...]}}."
        )
    return values


def _require_columns(table: Table | Partitions, names: Sequence[Any]) -> None:
    keys = table.keys()
    absent = [name for name in names if name not in keys]
    if absent:
        raise ValueError(
            f"sensitive column {listed(absent)} is not in X, which has {listed(keys)}. A model "
            "that never sees an attribute has discriminative risk 0 by definition; pass X as the "
            "model sees it, with the column that carries the attribute."
        )


def _one_hot_codes(table: Table, columns: Sequence[Any], name: Any, n_values: int) -> Array:
    hot = np.stack([read_zero_one(table.factorize(column), column) for column in columns])
    missing = (hot < 0).any(axis=0)
    count = hot.sum(axis=0)
    has_dropped = n_values > len(columns)
    wrong = ~missing & ((count > 1) | ((count == 0) & (not has_dropped)))
    if wrong.any():
        raise ValueError(
            f"one-hot attribute {name!r}: {wrong.sum()} rows do not have exactly one 1 among "
            f"{listed(columns)}. If the encoding dropped a value, name it: "
            "OneHot(..., dropped=...)."
        )
    codes = np.where(count == 0, len(columns), hot.argmax(axis=0))
    return np.where(missing, -1, codes)
