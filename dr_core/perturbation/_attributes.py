"""Sensitive attributes: their values, which are privileged, and what each may become.

`learn_attributes` turns `privileged={"sex": "Male", "race": ["White", "Asian"]}` into
`SensitiveAttributes`, which has all values of each attribute in a fixed order. Attributes are
learned once and apply to every chunk and fold. So rows of a chunk can be perturbed into a value
that does not occur in that chunk.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dr_core._tables import (
    Level,
    Partitions,
    Recoded,
    Table,
    as_partitions,
    encode,
    find_dependent,
    restore_integers,
)
from dr_core._utils import (
    Array,
    check_choice,
    check_integer,
    find_repeated,
    find_spellings,
    format_enumeration,
    format_percent,
    quote,
    sort_values,
)
from dr_core.perturbation._advice import advise_argument
from dr_core.perturbation._copies import warn_of_copies
from dr_core.perturbation._couplings import (
    NO_COUPLINGS,
    Couplings,
    Rules,
    find_listed_columns,
    learn_couplings,
)
from dr_core.perturbation._dummies import warn_of_dummies
from dr_core.perturbation._levels import add_level, check_level, find_level_keys
from dr_core.perturbation._one_hot import OneHot, encode_one_hot
from dr_core.perturbation._ranges import (
    COLLECTIONS,
    MAX_NUMBERS_BESIDE_ONE,
    Condition,
    as_condition,
    check_few_values,
    encode_range,
    learn_range,
    pick_quantiles,
    suggest_range,
)

__all__ = [
    "ALL",
    "MARGINALISED",
    "MISSING_LABEL",
    "NEITHER",
    "PRIVILEGED",
    "Attribute",
    "SensitiveAttributes",
    "check_privileged",
    "learn_attributes",
]

MARGINALISED, PRIVILEGED, NEITHER = 0, 1, 2
"""Groups of rows; a row with a missing sensitive value is in NEITHER."""

MISSING_LABEL = "(missing)"
"""Name of a missing value in tables."""

PLACEHOLDERS = {"", "?", "-", "n/a", "nan", "null", "<na>"}
"""Texts that often stand for a missing value, in lower case and without blanks around them."""

ALL = "all"
"""Name of the results for all attributes perturbed together."""

MAX_RARE_VALUE_SHARE, MIN_RARE_PROBABILITY = 0.01, 0.1
"""A note names values with less than this share of the rows, if rows become them this often."""

KEEP_MISSING = advise_argument('missing="keep"')

RARE_REMEDY = (
    "merge values in training and audit; or, in Python, pass a function that returns whether a "
    "value is privileged, and values are drawn as often as they occur"
)

MAX_RANGE_VALUES = 100
"""Default number of quantiles that stand for the values of a range, if these are too many."""


class Targets(NamedTuple):
    """What the values of one group may become.

    Attributes
    ----------
    codes : (T,) codes of the values
    weights : (T,) integers; each value is drawn with a probability proportional to its weight
    """

    codes: Array
    weights: Array


@dataclass(frozen=True, eq=False, repr=False)
class Attribute:
    """One sensitive attribute: its values, and which of them are privileged.

    Attributes
    ----------
    name : hashable
    values : tuple
        The domain, in a fixed order. Codes are positions in it; -1 is a missing value.
    is_privileged : boolean array of shape (len(values),)
    columns : tuple or None
        The one-hot columns, in the order of `values`; None for a plain column.
    condition : Condition or None
        Tells the privileged values of a range; None for an attribute given by its values.
    weights : integer array of shape (len(values),) or None
        How often a value is drawn, relative to the others of its group; by default equally often.
        Values of a range are drawn as often as they occur.
    level : tuple or None
        For each value, that of the index level of the same name; None if X has no such level, or
        if the attribute is read from it.
    counts : integer array of shape (len(values),) or None
        Number of rows with each value in the data that the attribute was learned from; None if it
        is not known, or if values are drawn as often as they occur.
    """

    name: Any
    values: tuple[Any, ...]
    is_privileged: Array
    columns: tuple[Hashable, ...] | None = None
    condition: Condition | None = None
    weights: Array | None = None
    level: tuple[Any, ...] | None = None
    counts: Array | None = None

    def __repr__(self) -> str:
        return f"<Attribute: privileged {self.description}, {len(self.values)} values>"

    @property
    def privileged(self) -> list[Any]:
        """The privileged values."""
        pairs = zip(self.values, self.is_privileged, strict=True)
        return [value for value, is_privileged in pairs if is_privileged]

    @property
    def description(self) -> str:
        """What is privileged, such as "race = White, Asian" or "age >= 25"."""
        if self.condition is not None:
            return self.condition.describe(self.name)[1]
        return f"{self.name} = {', '.join(map(str, self.privileged))}"

    @cached_property
    def targets(self) -> tuple[Targets, Targets, Targets]:
        """What the values of each group may become, by group; a missing value stays missing."""
        weights = (
            np.ones(len(self.values), dtype=np.int64) if self.weights is None else self.weights
        )
        others = (self.is_privileged, ~self.is_privileged)  # of MARGINALISED, of PRIVILEGED
        codes = [np.flatnonzero(group & (weights > 0)) for group in others]
        to_privileged, to_marginalised = (Targets(some, weights[some]) for some in codes)
        return to_privileged, to_marginalised, Targets(np.array([-1]), np.array([1]))

    @property
    def n_targets(self) -> int:
        """Largest number of values that one value may become."""
        return max(len(targets.codes) for targets in self.targets)

    @property
    def n_drawn(self) -> int:
        """Number of values that are drawn at all, of both groups."""
        return sum(len(codes) for codes, _ in self.targets[:NEITHER])

    def iter_notes(self) -> Iterator[str]:
        """Yield a note on each group whose rows often become values that few rows have."""
        if self.counts is None:
            return
        shares = self.counts / max(self.counts.sum(), 1)
        for group, name in ((MARGINALISED, "marginalised"), (PRIVILEGED, "privileged")):
            codes, weights = self.targets[group]
            is_rare = shares[codes] < MAX_RARE_VALUE_SHARE
            probability = weights[is_rare].sum() / weights.sum()
            # A single value is all that rows can become, however rare it is.
            if len(codes) > 1 and probability >= MIN_RARE_PROBABILITY:
                rare = codes[is_rare]
                together = "together " if len(rare) > 1 else ""
                yield (
                    f"{name} rows become rare values of {self.name!r} with probability "
                    f"{format_percent(probability)}: {quote(_pick(self.values, rare))} ({together}"
                    f"{format_percent(shares[rare].sum())} of the rows); {RARE_REMEDY}"
                )

    def thin(self, max_values: int) -> Attribute:
        """Return a range that becomes at most so many values, quantiles, on either side."""
        if self.condition is None:
            return self
        weights = np.zeros(len(self.values), dtype=np.int64)
        for codes, counts in self.targets[:NEITHER]:
            weights[codes] = pick_quantiles(counts, max_values)
        return replace(self, weights=weights)

    @cached_property
    def grouped(self) -> Attribute:
        """The attribute with one value for each group that tables show.

        These are its values; of a range, the values outside and those inside.
        """
        if self.condition is None:
            return self
        return Attribute(self.name, self.condition.describe(self.name), np.array([False, True]))

    def group_codes(self, codes: Array) -> Array:
        """Return the codes of `grouped` for the codes of this attribute."""
        if self.condition is None:
            return codes
        # Ages 20 30 40, privileged from 30 on, are the groups 0 1 1; index -1 finds the last -1.
        return np.append(self.is_privileged, np.int8(-1)).astype(np.int8)[codes]

    def encode(self, table: Table) -> Array:
        """Return the codes of this attribute in a table, shape (n,)."""
        if self.columns is not None:
            _check_sensitive_columns(table, self.columns)
            has_dropped = len(self.values) > len(self.columns)
            return encode_one_hot(table, self.name, self.columns, has_dropped)
        _check_sensitive_columns(table, (self.name,))
        column = table.factorize(self.name)
        if self.condition is not None:
            return encode_range(column, self.name, self.values, self.is_privileged, self.condition)
        return encode(column, self.values, f"sensitive attribute {self.name!r}")

    def decode(self, codes: Array, before: Array) -> dict[Any, Recoded]:
        """Return the content of the attribute's columns and level, given the codes before."""
        values, level = self.values, self.level
        if self.condition is not None:
            # A code may stand for a value that was not known, so values that stay are not written.
            drawn, place = self._drawn
            codes = np.where(codes == before, -1, place[codes])
            values, level = _pick(values, drawn), level and _pick(level, drawn)
        of_level = {} if level is None else {Level(self.name): Recoded(level, codes)}
        if self.columns is None:
            return {self.name: Recoded(values, codes)} | of_level
        # Codes (0, 2, -1) are (1, 0, -1) in the first one-hot column; -1 keeps the old content.
        return of_level | {
            column: Recoded((0, 1), np.where(codes < 0, -1, codes == i))
            for i, column in enumerate(self.columns)
        }

    def groups(self, codes: Array) -> Array:
        """Return the group of each code: PRIVILEGED, MARGINALISED or NEITHER."""
        return self._groups_of_codes.take(codes, mode="wrap")

    @cached_property
    def _groups_of_codes(self) -> Array:
        """The group of each code, and NEITHER as the last one, so that index -1 finds it.

        For (Female, Male) with Male privileged, codes (1, 0, -1) in [0, 1, 2] are the groups
        (1, 0, 2).
        """
        of_value = np.where(self.is_privileged, PRIVILEGED, MARGINALISED)
        return np.append(of_value, NEITHER).astype(np.int8)

    @cached_property
    def _drawn(self) -> tuple[Array, Array]:
        """The codes that others may become, and the position of each code among them.

        The last position is that of the code -1, which index -1 finds.
        """
        codes = np.concatenate([codes for codes, _ in self.targets[:NEITHER]])
        place = np.full(len(self.values) + 1, -1)
        place[codes] = np.arange(len(codes))
        return codes, place


def _pick(values: tuple[Any, ...], codes: Array) -> tuple[Any, ...]:
    return tuple(values[code] for code in codes)


def _check_sensitive_columns(table: Table | Partitions, names: Sequence[Any]) -> None:
    """Raise ValueError if the table lacks one of the columns."""
    keys, levels = table.keys(), table.levels
    absent = [name for name in names if name not in keys and name not in levels]
    if absent:
        in_index = f" and the index levels {quote(levels)}" if levels else ""
        raise ValueError(
            f"sensitive column {quote(absent)} is not in X, which has {quote(keys)}{in_index}. A "
            "model that never sees an attribute has discriminative risk 0 by definition; pass X "
            "as the model sees it, with the column that carries the attribute."
        )


@dataclass(frozen=True, eq=False, repr=False)
class SensitiveAttributes:
    """All sensitive attributes of a data set, in the order of `privileged`.

    Attributes
    ----------
    attributes : tuple of Attribute
    missing : {"error", "keep"}
    couplings : Couplings
        Columns that follow the attributes; see the user guide.
    max_values : int
        Maximum number of quantiles that stand for the values of a range, if these are too many.
    """

    attributes: tuple[Attribute, ...]
    missing: str = "error"
    couplings: Couplings = NO_COUPLINGS
    max_values: int = MAX_RANGE_VALUES

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self.attributes)

    def __len__(self) -> int:
        return len(self.attributes)

    def __repr__(self) -> str:
        privileged = format_enumeration(attribute.description for attribute in self)
        followers = f"; {self.couplings.description}" if self.has_couplings else ""
        return f"<SensitiveAttributes: privileged {privileged}{followers}>"

    @property
    def names(self) -> list[Any]:
        """Names of the attributes."""
        return [attribute.name for attribute in self]

    @property
    def columns(self) -> list[Any]:
        """Columns of X that contain the attributes."""
        return [column for a in self for column in a.columns or (a.name,)]

    @property
    def has_couplings(self) -> bool:
        """Whether any column follows the attributes."""
        return bool(self.couplings.all)

    @property
    def uncoupled(self) -> SensitiveAttributes:
        """The same attributes without couplings."""
        return replace(self, couplings=NO_COUPLINGS)

    def thin(self, max_values: int) -> SensitiveAttributes:
        """Return the attributes with ranges that become at most so many values, quantiles."""
        return replace(self, attributes=tuple(one.thin(max_values) for one in self))

    def encode(self, table: Table) -> Array:
        """Return the codes in a table, shape (attributes, rows)."""
        codes = np.stack([attribute.encode(table) for attribute in self])
        if self.missing == "error":
            self._check_not_missing(codes)
        for attribute, of_attribute in zip(self, codes, strict=True):
            if attribute.level is not None or attribute.name in table.levels:
                check_level(table, attribute, of_attribute)
        return codes

    def extend(self, table: Table) -> SensitiveAttributes:
        """Return the attributes with the values of coupled columns that a table has."""
        return replace(self, couplings=self.couplings.extend(table))

    def follow(self, before: Array, after: Array) -> tuple[SensitiveAttributes, Array]:
        """Return the codes of all columns after the attributes changed.

        Parameters
        ----------
        before : (attributes + coupled columns, k) codes of the rows
        after : (attributes, k) new codes of the attributes

        Returns
        -------
        attributes : SensitiveAttributes
            These attributes, with the values of coupled columns that functions returned.
        codes : (attributes + coupled columns, k)
        """
        if not self.has_couplings:
            return self, after
        # With 2 attributes, rows 0 and 1 of `before` are attributes, rows 2, 3, … coupled columns.
        n, domains = len(self), [attribute.values for attribute in self]
        couplings, own = self.couplings.follow(before[n:], before[:n], after, domains)
        return replace(self, couplings=couplings), np.vstack([after, own])

    def decode(self, codes: Array, before: Array) -> dict[Any, Recoded]:
        """Return the content of all columns for codes (attributes + coupled columns, n).

        Parameters
        ----------
        codes : new codes
        before : current codes, in the same shape
        """
        columns: dict[Any, Recoded] = {}
        for attribute, of_attribute, old in zip(self, codes, before, strict=False):
            columns |= attribute.decode(of_attribute, old)
        if self.has_couplings:
            columns |= self.couplings.decode(before[len(self) :], codes[len(self) :])
        return columns

    def groups(self, codes: Array, active: Sequence[int]) -> Array:
        """Return the group of each row by the active attributes together.

        A row is privileged if it is privileged in every attribute. A row with a missing value is
        in neither group.
        """
        if len(active) == 1:
            (only,) = active
            return self.attributes[only].groups(codes[only])
        each = np.stack([self.attributes[j].groups(codes[j]) for j in active])
        # Groups (1, 0, 1) of one attribute and (1, 1, 2) of another are (1, 0, 2) together: the
        # minimum, but NEITHER = 2 wherever one of them is 2.
        return np.where((each == NEITHER).any(axis=0), NEITHER, each.min(axis=0)).astype(np.int8)

    def group_of(self, codes: Sequence[int], active: Sequence[int]) -> int:
        """Return the group of one combination of group codes of the active attributes."""
        if min(codes) < 0:
            return NEITHER
        pairs = zip(active, codes, strict=True)
        is_privileged = all(self.attributes[j].grouped.is_privileged[code] for j, code in pairs)
        return PRIVILEGED if is_privileged else MARGINALISED

    def _check_not_missing(self, codes: Array) -> None:
        for name, count in zip(self.names, (codes < 0).sum(axis=1), strict=True):
            if count:
                raise ValueError(
                    f"sensitive attribute {name!r} is missing in {count} of {codes.shape[1]} "
                    "rows. Fill or drop them, or leave these values as they are: pass "
                    f"{KEEP_MISSING}."
                )


def learn_attributes(
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    domain: Mapping[Any, Collection[Any]] | None = None,
    missing: str = "error",
    coupled: Rules | None = None,
    max_values: int = MAX_RANGE_VALUES,
) -> SensitiveAttributes:
    """Learn the values of each sensitive attribute and check them against `privileged`.

    Parameters
    ----------
    X : DataFrame, array, or rows in partitions
        Features of the model.
    privileged : mapping or SensitiveAttributes
        Maps the name of each sensitive column (its position, for an array) to its privileged
        value, a collection of privileged values, a `OneHot`, or a range: `at_least(25)`,
        `at_most`, `between`, a `pandas.Interval`, or a function from a value to a bool.
        `SensitiveAttributes` keep their values. The name may be that of a level of a pandas
        index, as in `aif360.sklearn`; a column and a level of the same name change together.
    domain : mapping, optional
        All values of a sensitive or coupled column, for columns whose values do not all occur in
        X. Values of a range are drawn as often as they occur here, and each entry counts as one
        row in intervals: pass a column of real rows, {"age": X_train["age"]}, not each value once.
    missing : {"error", "keep"}
        Whether a missing sensitive value raises an error, or stays missing in perturbed rows.
    coupled : mapping, optional
        Columns that follow an attribute if it changes, such as {"relationship": {"sex":
        {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}}; or by a function, such as
        {"experience": {"age": lambda age, years: min(years, age - 16)}}; see the user guide.
    max_values : int
        Exact results enumerate all values of a range. If a row then has more than 10,000
        perturbations, at most so many quantiles stand for the values on either side of a range.

    Warns
    -----
    UserWarning
        If values of a sensitive column differ only in case or blanks, or if one is a text such as
        "?" that often stands for a missing value. If a sensitive 0/1 column and others of X are
        never 1 in the same row, and that is not by chance: they may encode one attribute, which is
        then given as `OneHot`. If another column has one value for each value of an attribute: it
        may encode the attribute, too. Of rows in several frames or partitions, the first are
        checked.

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "age": [30, 40]})
    >>> attributes = learn_attributes(X, {"sex": "Male"})
    >>> attributes
    <SensitiveAttributes: privileged sex = Male>
    >>> [(a.name, a.values, a.is_privileged.tolist()) for a in attributes]
    [('sex', ('Female', 'Male'), [False, True])]
    """
    check_choice("missing", missing, ("error", "keep"))
    check_integer("max_values", max_values, at_least=1)
    check_privileged(privileged)
    if isinstance(privileged, SensitiveAttributes):
        attributes = _update_attributes(X, privileged, domain, missing, coupled)
        is_given = max_values != MAX_RANGE_VALUES
        return replace(attributes, max_values=max_values) if is_given else attributes
    table = _as_columns(X)
    levels = set(privileged).intersection(table.levels)
    one_hot = (value.columns for value in privileged.values() if isinstance(value, OneHot))
    listed = find_listed_columns(coupled) if coupled else []
    read = {*privileged, *listed, *chain(*one_hot)} & {*table.keys(), *table.levels}
    table.read([*read, *(find_level_keys(table, privileged) if levels else ())])
    domain = _check_domain(domain, privileged, coupled or {})
    learned = tuple(
        _learn_attribute(table, name, value, domain.get(name))
        for name, value in privileged.items()
    )
    learned = tuple(add_level(table, one) if one.name in levels else one for one in learned)
    attributes = SensitiveAttributes(learned, missing, max_values=max_values)
    _check_columns_disjoint(attributes.columns)
    attributes = _add_couplings(attributes, table, coupled, domain)
    zero_one = [one for one in learned if one.columns is None and set(one.values) == {0, 1}]
    dummies = warn_of_dummies(table, attributes, zero_one) if zero_one else []
    in_columns = [one for one in learned if one.name not in levels]
    followed = attributes.couplings.followed if coupled else {}
    _look_for_copies(table, in_columns, dummies, followed)
    return attributes


def _look_for_copies(
    data: Table | Partitions,
    attributes: Sequence[Attribute],
    dummies: Sequence[Any],
    followed: Mapping[Any, Collection[Any]],
) -> None:
    """Warn if a column of X depends on an attribute alone and does not follow it.

    Of rows in several frames or partitions, the first with rows is looked at.
    """
    table = data if isinstance(data, Table) else data.sample
    known = {*dummies, *(c for one in attributes for c in one.columns or (one.name,))}
    keys = [key for key in data.keys() if key not in known]  # noqa: SIM118
    codes = [attribute.encode(table) for attribute in attributes]
    found = find_dependent(table, keys, *codes)
    for attribute, own, dependent in zip(attributes, codes, found, strict=True):
        others = [key for key in dependent if attribute.name not in followed.get(key, ())]
        if others:
            warn_of_copies(table, attribute, own, others, len(keys))


def check_privileged(privileged: Any) -> None:
    """Raise an error if `privileged` does not map column names to values."""
    if isinstance(privileged, SensitiveAttributes):
        return
    if not isinstance(privileged, Mapping) or not privileged:
        raise TypeError(
            "privileged must map each sensitive column to its privileged value, such as "
            f'{{"sex": "Male"}}; got {privileged!r}.'
        )
    if ALL in privileged:
        raise ValueError(
            f"privileged has the column {ALL!r}, a name reserved for all attributes together. "
            "Rename the column."
        )


def _as_columns(X: Any) -> Table | Partitions:
    return X if isinstance(X, Partitions | Table) else as_partitions(X, {})


def _add_couplings(
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


def _update_attributes(
    X: Any,
    attributes: SensitiveAttributes,
    domain: Mapping[Any, Any] | None,
    missing: str,
    coupled: Rules | None,
) -> SensitiveAttributes:
    if domain:
        raise ValueError(
            "domain cannot be passed with SensitiveAttributes, which have their values. Pass it "
            "to learn_attributes where they are learned."
        )
    if coupled and attributes.couplings:
        raise ValueError(
            "coupled cannot be passed with SensitiveAttributes that have couplings. Pass it to "
            "learn_attributes where they are learned."
        )
    if coupled:
        attributes = _add_couplings(attributes, _as_columns(X), coupled, {})
    return attributes if missing == "error" else replace(attributes, missing=missing)


def _check_domain(
    domain: Any, privileged: Mapping[Any, Any], coupled: Mapping[Any, Any]
) -> Mapping[Any, Any]:
    domain = {} if domain is None else domain
    has_collections = isinstance(domain, Mapping) and all(
        isinstance(values, Iterable) and not isinstance(values, str) for values in domain.values()
    )
    if not has_collections:
        raise TypeError(
            "domain must map sensitive columns to all their values, such as "
            f'{{"sex": ["F", "M"]}}; got {domain!r}.'
        )
    plain = [name for name, value in privileged.items() if not isinstance(value, OneHot)]
    plain += list(coupled)
    others = [name for name in domain if name not in plain]
    if others:
        raise ValueError(
            f"domain must have sensitive or coupled columns as keys, {quote(plain)}; got "
            f"{quote(others)}."
        )
    return domain


def _check_columns_disjoint(columns: list[Any]) -> None:
    repeated = find_repeated(columns)
    if repeated:
        raise ValueError(
            f"privileged has two sensitive attributes with the columns {quote(repeated)}. Use "
            "each column once."
        )


def _learn_attribute(
    table: Table | Partitions, name: Any, privileged: Any, domain: Collection[Any] | None
) -> Attribute:
    if isinstance(privileged, OneHot):
        return _learn_one_hot(table, name, privileged)
    _check_sensitive_columns(table, (name,))
    counts = _count_values(table, name, domain)
    condition = None if np.isscalar(privileged) else as_condition(name, privileged, counts)
    if condition is not None:
        values, is_privileged, weights = learn_range(name, counts, condition)
        return Attribute(name, values, is_privileged, condition=condition, weights=weights)
    if domain is None and len(counts) > MAX_NUMBERS_BESIDE_ONE:
        check_few_values(name, list(counts), privileged)
    attribute = _make_attribute(name, sort_values(counts), privileged)
    _warn_of_spellings(name, attribute.values)
    _warn_of_placeholders(name, attribute.values)
    return replace(attribute, counts=np.array([counts[value] for value in attribute.values]))


def _count_values(
    table: Table | Partitions, name: Any, domain: Collection[Any] | None
) -> dict[Any, int]:
    """Return the number of rows with each value, or how often the domain has it."""
    if domain is not None:
        return Counter(restore_integers(value for value in domain if not pd.isna(value)))
    counts = table.value_counts(name)
    if not counts:
        raise ValueError(f"sensitive attribute {name!r} is missing in all {table.n_rows} rows.")
    return counts


def _learn_one_hot(table: Table | Partitions, name: Any, one_hot: OneHot) -> Attribute:
    _check_sensitive_columns(table, one_hot.columns)
    dropped = [] if one_hot.dropped is None else [one_hot.dropped]
    attribute = _make_attribute(name, [*one_hot.columns, *dropped], one_hot.privileged)
    ones = [table.value_counts(column).get(1, 0) for column in one_hot.columns]
    counts = np.array([*ones, *([table.n_rows - sum(ones)] * len(dropped))])
    return replace(attribute, columns=tuple(one_hot.columns), counts=counts)


def _make_attribute(name: Any, values: Sequence[Any], privileged: Any) -> Attribute:
    is_value = isinstance(privileged, tuple) and privileged in values
    are_several = isinstance(privileged, COLLECTIONS) and not is_value
    chosen = list(privileged) if are_several else [privileged]
    if not chosen:
        raise ValueError(f"privileged[{name!r}] is empty; pass at least one of {quote(values)}.")
    unknown = [value for value in chosen if value not in values]
    if unknown:
        meant = suggest_range(unknown[0]) if any(isinstance(v, Number) for v in values) else None
        remedy = f" For a range, pass {{{name!r}: {meant}}}." if meant else ""
        raise ValueError(
            f"privileged value {quote(unknown)} is not in column {name!r}, which has "
            f"{quote(values)}.{remedy}"
        )
    if len(values) < 2:
        raise ValueError(
            f"sensitive attribute {name!r} needs at least two values; it has {quote(values)}. "
            f"Leave it out, or pass all its values: {advise_argument('domain={...}')}."
        )
    is_privileged = np.array([value in chosen for value in values])
    if is_privileged.all():
        raise ValueError(
            f"privileged has all values of {name!r}: {quote(values)}. Leave at least one out."
        )
    return Attribute(name, tuple(values), is_privileged)


def _warn_of_spellings(name: Any, values: Iterable[Any]) -> None:
    """Warn if some values of a sensitive column differ only in case or blanks."""
    alike = find_spellings(values)
    if alike:
        warnings.warn(
            f"sensitive attribute {name!r} has values that differ only in case or blanks: "
            f"{'; '.join(map(quote, alike))}. They count as different values; if they are not, "
            "unify them in the data that the model is trained on and audited with.",
            stacklevel=5,
        )


def _warn_of_placeholders(name: Any, values: Iterable[Any]) -> None:
    """Warn if some values of a sensitive column look like codes of missing ones."""
    found = [v for v in values if isinstance(v, str) and v.strip().casefold() in PLACEHOLDERS]
    if found:
        warnings.warn(
            f"sensitive attribute {name!r} has the value {quote(found)}, which often stands for a "
            "missing one. It counts as a group, and other rows are perturbed into it. If it means "
            "missing, replace it by None, and drop these rows. Functions of dr_core and "
            f"fairlearn_dr can keep them: pass {KEEP_MISSING}.",
            stacklevel=5,
        )
