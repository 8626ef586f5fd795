"""Columns that follow a sensitive attribute, so that perturbed people could exist.

A married man turned female stays a "Husband", unless the user says what becomes of it::

    coupled = {
        "relationship": {
            "sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}},
        },
    }

reads: when `sex` really changed, and became Female, a `relationship` of Husband becomes Wife.

- Values without a rule stay, and so do all columns where the attribute did not change.
- What drives a column is a sensitive attribute, or another coupled column that changed itself.
  Columns are rewritten in such an order; a cycle is refused.
- A column that two others drive follows them one after the other, in the order of its rules.
- A sensitive attribute cannot be coupled: its own perturbation decides what it becomes.
- A column that was one-hot encoded is called by its old name, and its values by theirs, where
  columns such as `relationship=Husband` or `relationship_Husband` exist; or values are the names
  of its 0/1 columns. The 1 moves from one column to the other.

Like attributes, couplings are learned once and serve every chunk and partition.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from dr_core._tables import (
    Partitions,
    Recoded,
    Table,
    check_zero_one,
    encode_known,
    read_zero_one,
)
from dr_core._utils import Array, listed

__all__ = ["NO_COUPLINGS", "Coupling", "Couplings", "Rules", "learn_couplings"]

Rules = Mapping[Any, Mapping[Any, Mapping[Any, Mapping[Any, Any]]]]
"""column → what drives it → the value that became → {old value of the column: new value}."""

MOST_VALUES = 1000
"""A column of more values is rewritten only where rules name them."""

SHAPE = '{"relationship": {"sex": {"Female": {"Husband": "Wife"}}}}'


class Driver(NamedTuple):
    """What a column follows.

    Attributes
    ----------
    position : among the sensitive attributes, then the couplings
    becomes : (values of the driver + 1, values of the column + 1) codes that the column takes
        where the driver changed into a value; the last row and column stand for code -1
    """

    position: int
    becomes: Array


@dataclass(frozen=True, eq=False)
class Coupling:
    """One coupled column.

    Attributes
    ----------
    name : hashable
    values : tuple
        The values that rules name, then others; codes are positions in it, and -1 is any value
        that is not among them, which stays.
    drivers : tuple of Driver
    columns : tuple or None
        The one-hot columns, in the order of `values`; None for a plain column.
    """

    name: Any
    values: tuple[Any, ...]
    drivers: tuple[Driver, ...] = ()
    columns: tuple[Hashable, ...] | None = None

    def encode(self, table: Table) -> Array:
        """Read the codes of this column off a table, shape (n,)."""
        if self.columns is None:
            return encode_known(table.factorize(self.name), self.values)
        hot = np.stack([read_zero_one(table.factorize(column), column) for column in self.columns])
        ones = (hot == 1).sum(axis=0)
        if (ones > 1).any():
            raise ValueError(
                f"coupled column {self.name!r}: {(ones > 1).sum()} rows have more than one 1 "
                f"among {listed(self.columns)}."
            )
        known = (ones == 1) & (hot >= 0).all(axis=0)
        return np.where(known, hot.argmax(axis=0), -1)

    def decode(self, before: Array, after: Array) -> dict[Any, Recoded]:
        """Content of the column, or of its one-hot columns."""
        if self.columns is None:
            return {self.name: Recoded(self.values, after)}
        changed = before != after
        return {
            column: Recoded(
                (0, 1), np.where(changed & ((before == i) | (after == i)), after == i, -1)
            )
            for i, column in enumerate(self.columns)
        }


@dataclass(frozen=True, eq=False)
class Couplings:
    """All coupled columns, those that drive others first.

    Attributes
    ----------
    all : tuple of Coupling
    rules : mapping
        What the user wrote.
    """

    all: tuple[Coupling, ...] = ()
    rules: Rules = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.all)

    @property
    def names(self) -> list[Any]:
        """Names of the coupled columns."""
        return [coupling.name for coupling in self.all]

    @property
    def columns(self) -> list[Any]:
        """Columns of X that may change."""
        return [column for coupling in self.all for column in coupling.columns or (coupling.name,)]

    def to_dict(self) -> dict[str, Any]:
        """The rules in plain types, as a file of rules holds them."""
        return {
            str(column): {
                str(driver): {
                    str(value): {str(old): new for old, new in moves.items()}
                    for value, moves in cases.items()
                }
                for driver, cases in drivers.items()
            }
            for column, drivers in self.rules.items()
        }

    def encode(self, table: Table) -> Array:
        """Read the codes off a table, shape (couplings, rows)."""
        codes = [coupling.encode(table) for coupling in self.all]
        return np.stack(codes) if codes else np.empty((0, table.n_rows), np.int8)

    def follow(self, own: Array, before: Array, after: Array) -> Array:
        """Codes of the coupled columns once the sensitive attributes changed.

        Parameters
        ----------
        own : (couplings, k) codes of the coupled columns as they are
        before, after : (attributes, k) codes of the sensitive attributes

        Returns
        -------
        (couplings, k)
        """
        new = own.copy()
        old, now = [*before, *own], [*after, *new]
        for coupling, codes in zip(self.all, new, strict=True):
            for position, becomes in coupling.drivers:
                moved = np.flatnonzero(old[position] != now[position])
                codes[moved] = becomes[now[position][moved], codes[moved]]
        return new

    def decode(self, before: Array, after: Array) -> dict[Any, Recoded]:
        """Content of all coupled columns for these codes."""
        columns: dict[Any, Recoded] = {}
        for coupling, old, new in zip(self.all, before, after, strict=True):
            columns |= coupling.decode(old, new)
        return columns


NO_COUPLINGS = Couplings()


def learn_couplings(
    table: Table | Partitions,
    coupled: Rules,
    sensitive: Mapping[Any, Sequence[Any]],
    sensitive_columns: Sequence[Any],
    domain: Mapping[Any, Any],
) -> Couplings:
    """Check rules against a table, and put them into the order in which they apply.

    Parameters
    ----------
    table : Table or Partitions
    coupled : mapping
    sensitive : values of each sensitive attribute
    sensitive_columns : columns that carry them
    domain : all values of a column, for those that the table does not show completely

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core._tables import as_table
    >>> table = as_table(pd.DataFrame({"sex": ["M", "F"], "title": ["Mr", "Ms"]}))
    >>> rules = {"title": {"sex": {"F": {"Mr": "Ms"}, "M": {"Ms": "Mr"}}}}
    >>> learned = learn_couplings(table, rules, {"sex": ["F", "M"]}, ["sex"], {})
    >>> learned.follow(learned.encode(table), np.array([[1, 0]]), np.array([[0, 1]]))
    array([[1, 0]], dtype=int8)
    """
    for path, mapping in _levels(coupled):
        if not isinstance(mapping, Mapping):
            raise TypeError(f"coupled{path} must be a mapping, as in {SHAPE}; it is {mapping!r}.")
    order = _in_order(coupled, list(sensitive))
    _refuse_sensitive(order, sensitive, sensitive_columns)
    found = [_find(table, name, _values_named(coupled, name), domain) for name in order]
    domains = [*sensitive.values(), *(column.values for column in found)]
    place = {name: i for i, name in enumerate([*sensitive, *order])}
    learned = tuple(
        Coupling(
            column.name,
            column.values,
            tuple(
                Driver(place[driver], _becomes(column, driver, domains[place[driver]], rules))
                for driver, rules in coupled[column.name].items()
            ),
            column.columns,
        )
        for column in found
    )
    result = Couplings(learned, coupled)
    _refuse_sensitive(result.columns, sensitive, sensitive_columns)
    _refuse_shared(result.columns)
    return result


def _levels(coupled: Any) -> Iterator[tuple[str, Any]]:
    """Every mapping of the rules, with the path that leads to it."""
    yield "", coupled
    for column, drivers in coupled.items():
        yield f"[{column!r}]", drivers
        for driver, cases in drivers.items():
            yield f"[{column!r}][{driver!r}]", cases
            yield from (
                (f"[{column!r}][{driver!r}][{value!r}]", moves) for value, moves in cases.items()
            )


def _in_order(coupled: Rules, sensitive: list[Any]) -> list[Any]:
    """Coupled columns, each after all that drive it."""
    order: list[Any] = []

    def visit(name: Any, path: list[Any]) -> None:
        if name in path:
            cycle = " → ".join(repr(column) for column in [*path[path.index(name) :], name])
            raise ValueError(f"coupled columns drive each other in a cycle: {cycle}.")
        for driver in coupled[name]:
            if driver in coupled:
                visit(driver, [*path, name])
            elif driver not in sensitive:
                raise ValueError(
                    f"coupled lets {name!r} follow {driver!r}, which is no sensitive attribute "
                    f"({listed(sensitive)}) and not coupled itself."
                )
        if name not in order:
            order.append(name)

    for name in coupled:
        visit(name, [])
    return order


def _refuse_sensitive(
    names: list[Any], sensitive: Mapping[Any, Any], sensitive_columns: Sequence[Any]
) -> None:
    both = [name for name in names if name in sensitive or name in sensitive_columns]
    if both:
        raise ValueError(
            f"coupled names {listed(both)}, a sensitive attribute: its own perturbation decides "
            "what it becomes. Leave it out of coupled, or out of privileged."
        )


def _refuse_shared(columns: list[Any]) -> None:
    shared = sorted({str(column) for column in columns if columns.count(column) > 1})
    if shared:
        raise ValueError(f"coupled names the columns {listed(shared)} twice.")


def _values_named(coupled: Rules, name: Any) -> list[Any]:
    """Values of a column that any rule speaks of, as what changes or as what drives."""
    own = [v for cases in coupled[name].values() for m in cases.values() for v in _pairs(m)]
    driving = [value for drivers in coupled.values() for value in drivers.get(name, ())]
    unusable = [value for value in own if not isinstance(value, Hashable)]
    if unusable:
        raise TypeError(f"coupled[{name!r}] must name single values; it has {listed(unusable)}.")
    return list(dict.fromkeys([*own, *driving]))


def _pairs(moves: Mapping[Any, Any]) -> Iterator[Any]:
    for pair in moves.items():
        yield from pair


def _find(
    table: Table | Partitions, name: Any, values: list[Any], domain: Mapping[Any, Any]
) -> Coupling:
    """Where a coupled column is in the table, with the values that rules name."""
    if name in table.keys():  # noqa: SIM118
        known = list(domain.get(name, table.distinct(name)))
        unknown = [value for value in values if value not in known]
        if unknown:
            raise ValueError(
                f"coupled names the values {listed(unknown)}, which column {name!r} has not; it "
                f"has {listed(known)}. If X merely lacks them, pass all values as "
                f"domain={{{name!r}: [...]}}."
            )
        # A column that is written from a short list of its values is written fast.
        others = known if len(known) <= MOST_VALUES else []
        return Coupling(name, tuple(dict.fromkeys([*values, *others])))
    if not values:
        raise ValueError(
            f"coupled names column {name!r}, which X has not: {listed(table.keys())}."
        )
    columns = tuple(_one_hot_column(table, name, value) for value in values)
    return Coupling(name, tuple(values), columns=columns)


def _one_hot_column(table: Table | Partitions, name: Any, value: Any) -> Any:
    keys = set(table.keys())
    for column in (value, f"{name}={value}", f"{name}_{value}"):
        if column in keys:
            check_zero_one(table.distinct(column), column)
            return column
    raise ValueError(
        f"coupled names column {name!r} with the value {value!r}, but X has neither a column "
        f"{name!r} nor a 0/1 column {f'{name}={value}'!r}, {f'{name}_{value}'!r} or {value!r}. "
        f"It has {listed(table.keys())}."
    )


def _becomes(
    column: Coupling, driver: Any, domain: Sequence[Any], rules: Mapping[Any, Mapping[Any, Any]]
) -> Array:
    """What each code of a column becomes, for each code of what drives it; -1 stays -1."""
    unknown = [value for value in rules if value not in domain]
    if unknown:
        raise ValueError(
            f"coupled[{column.name!r}][{driver!r}] has a rule for {listed(unknown)}, which is no "
            f"value of {driver!r}; it has {listed(domain)}."
        )
    place, codes = list(domain).index, column.values.index
    stay = np.append(np.arange(len(column.values), dtype=np.int32), np.int32(-1))
    becomes = np.tile(stay, (len(domain) + 1, 1))
    for value, moves in rules.items():
        for old, new in moves.items():
            becomes[place(value), codes(old)] = codes(new)
    return becomes
