"""Columns that follow a sensitive attribute, so that perturbed rows stay plausible.

Without rules, the relationship of a man stays "Husband" if his sex becomes Female. The rules ::

    coupled = {
        "relationship": {
            "sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}},
        },
    }

replace Husband with Wife in rows whose `sex` changed to Female, and Wife with Husband in rows
whose `sex` changed to Male.

- In place of the replacements for each new value, a function of the new value of the driver and of
  the value of the column returns the new value of the column. So a quantity can follow a range:
  {"experience": {"age": lambda age, years: min(years, age - 16)}}.
- Values without a rule stay. A coupled column stays in rows whose attribute did not change.
- The driver of a column is a sensitive attribute, or another coupled column. Columns are rewritten
  after their drivers; rules with a cycle raise ValueError.
- A column with two drivers follows them one after the other, in the order of its rules.
- A sensitive attribute cannot be coupled, because its own perturbation determines its new value.
- In the rules of a one-hot encoded column, a value is the name of its 0/1 column; or the original
  value, if X has a column such as `relationship=Husband` or `relationship_Husband`. The 1 moves
  from one column to another.

Like attributes, couplings are learned once and apply to every chunk and partition.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dr_core._tables import (
    Partitions,
    Recoded,
    Table,
    check_zero_one,
    encode,
    encode_known,
)
from dr_core._utils import Array, find_repeated, quote
from dr_core.perturbation._one_hot import read_one_hot

__all__ = ["NO_COUPLINGS", "Coupling", "Couplings", "Rules", "learn_couplings"]

Replacements = Mapping[Any, Mapping[Any, Any]]
"""{new value of the driver: {old value of the column: new value}}."""

Function = Callable[[Any, Any], Any]
"""From the new value of the driver and the old value of the column to its new value."""

Rules = Mapping[Any, Mapping[Any, Replacements | Function]]
"""{column: {driver: replacements, or a function}}."""

MAX_CODED_VALUES = 1000
"""Number of values up to which all values of a coupled column get a code, not only those named."""

MAX_FUNCTION_CALLS = 1_000_000
"""Pairs of values up to which the function of a rule is called for each pair."""

COUPLED_EXAMPLE = '{"relationship": {"sex": {"Female": {"Husband": "Wife"}}}}'


class Driver(NamedTuple):
    """An attribute or a coupled column that another column follows.

    Attributes
    ----------
    position : int
        Position among the sensitive attributes followed by the couplings.
    transitions : array of shape (values of the driver + 1, values of the column + 1)
        `transitions[d, c]` is the new code of a column with code c whose driver changed to code d.
        The last row and the last column are those of code -1.
    """

    position: int
    transitions: Array


@dataclass(frozen=True, eq=False)
class Coupling:
    """One coupled column.

    Attributes
    ----------
    name : hashable
    values : tuple
        The values that rules name, then others. Codes are positions in it; -1 is any other value,
        which stays.
    drivers : tuple of Driver
    columns : tuple or None
        The one-hot columns, in the order of `values`; None for a plain column.
    has_function : bool
        Whether a function rewrites its values, so that all of them must be known.
    """

    name: Any
    values: tuple[Any, ...]
    drivers: tuple[Driver, ...] = ()
    columns: tuple[Hashable, ...] | None = None
    has_function: bool = False

    def encode(self, table: Table) -> Array:
        """Return the codes of this column in a table, shape (n,)."""
        if self.has_function:
            return encode(table.factorize(self.name), self.values, f"coupled column {self.name!r}")
        if self.columns is None:
            return encode_known(table.factorize(self.name), self.values)
        codes, n_ones, _ = read_one_hot(table, self.columns)
        if (n_ones > 1).any():
            raise ValueError(
                f"coupled column {self.name!r}: {(n_ones > 1).sum()} rows have more than one 1 "
                f"among {quote(self.columns)}."
            )
        return codes

    def decode(self, before: Array, after: Array) -> dict[Any, Recoded]:
        """Return the content of the column, or of its one-hot columns."""
        if self.columns is None:
            return {self.name: Recoded(self.values, after)}
        # Only the two columns that the 1 moves between are written: from code 0 to code 2 of three
        # columns, column 0 gets 0, column 1 gets -1 (keep the content) and column 2 gets 1.
        changed = before != after
        return {
            column: Recoded(
                (0, 1), np.where(changed & ((before == i) | (after == i)), after == i, -1)
            )
            for i, column in enumerate(self.columns)
        }


@dataclass(frozen=True, eq=False)
class Couplings:
    """All coupled columns, each after its drivers.

    Attributes
    ----------
    all : tuple of Coupling
    rules : mapping
        The rules as the user passed them.
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

    @property
    def followed(self) -> dict[Any, set[Any]]:
        """What each column of X follows, directly or through other coupled columns."""
        names: dict[Any, set[Any]] = {}
        columns: dict[Any, set[Any]] = {}
        for coupling in self.all:
            drivers = set(self.rules[coupling.name])
            names[coupling.name] = drivers.union(*(names.get(name, ()) for name in drivers))
            columns |= dict.fromkeys(coupling.columns or (coupling.name,), names[coupling.name])
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Return the rules in plain types, as in a file of rules."""
        return {
            str(column): {
                str(driver): _get_function_name(cases)
                if callable(cases)
                else {
                    str(value): {str(old): new for old, new in moves.items()}
                    for value, moves in cases.items()
                }
                for driver, cases in drivers.items()
            }
            for column, drivers in self.rules.items()
        }

    def encode(self, table: Table) -> Array:
        """Return the codes in a table, shape (couplings, rows)."""
        codes = [coupling.encode(table) for coupling in self.all]
        return np.stack(codes) if codes else np.empty((0, table.n_rows), np.int8)

    def follow(self, own: Array, before: Array, after: Array) -> Array:
        """Return the codes of the coupled columns after the sensitive attributes changed.

        Parameters
        ----------
        own : (couplings, k) current codes of the coupled columns
        before, after : (attributes, k) codes of the sensitive attributes

        Returns
        -------
        (couplings, k)
        """
        new = own.copy()
        # The rows of `new` are views: a coupled column that changes below is seen by the columns
        # that it drives. Example: sex changed from (1, 0, 1) to (0, 0, 0), so rows 0 and 2 moved;
        # if both have code 3, they get transitions[0, 3]. Row 1 keeps its code.
        old, now = [*before, *own], [*after, *new]
        for coupling, codes in zip(self.all, new, strict=True):
            for position, transitions in coupling.drivers:
                moved = np.flatnonzero(old[position] != now[position])
                codes[moved] = transitions[now[position][moved], codes[moved]]
        return new

    def decode(self, before: Array, after: Array) -> dict[Any, Recoded]:
        """Return the content of all coupled columns for codes (couplings, n)."""
        columns: dict[Any, Recoded] = {}
        for coupling, old, new in zip(self.all, before, after, strict=True):
            columns |= coupling.decode(old, new)
        return columns


NO_COUPLINGS = Couplings()


def _get_function_name(function: Function) -> str:
    return getattr(function, "__name__", type(function).__name__)


def learn_couplings(
    table: Table | Partitions,
    coupled: Rules,
    sensitive: Mapping[Any, Sequence[Any]],
    sensitive_columns: Sequence[Any],
    domain: Mapping[Any, Any],
) -> Couplings:
    """Check rules against a table, and sort them into the order in which they apply.

    Parameters
    ----------
    table : Table or Partitions
    coupled : mapping
        Rules; see the top of this module.
    sensitive : mapping
        Values of each sensitive attribute.
    sensitive_columns : sequence
        Columns that contain the sensitive attributes.
    domain : mapping
        All values of a column, for columns whose values do not all occur in the table.

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
    _check_mappings(coupled)
    order = _sort_by_driver(coupled, list(sensitive))
    _check_not_sensitive(order, sensitive, sensitive_columns)
    domains, learned = dict(sensitive), []
    for name in order:
        named, has_function = _get_named_values(coupled, name), _has_function(coupled[name])
        column = _find_column(table, name, named, domain, has_function)
        learned.append(_add_drivers(column, coupled[name], domains))
        domains[name] = learned[-1].values
    couplings = Couplings(tuple(learned), coupled)
    _check_not_sensitive(couplings.columns, sensitive, sensitive_columns)
    _check_columns_differ(couplings.columns)
    return couplings


def _check_mappings(coupled: Any) -> None:
    for path, mapping in _iter_mappings(coupled):
        if not isinstance(mapping, Mapping):
            raise TypeError(
                f"coupled{path} must be a mapping, as in {COUPLED_EXAMPLE}; got {mapping!r}."
            )


def _iter_mappings(coupled: Any) -> Iterator[tuple[str, Any]]:
    """Yield every mapping of the rules with its path, outer mappings first."""
    yield "", coupled
    for column, drivers in coupled.items():
        yield f"[{column!r}]", drivers
        for driver, cases in drivers.items():
            if callable(cases):
                continue
            yield f"[{column!r}][{driver!r}]", cases
            yield from (
                (f"[{column!r}][{driver!r}][{value!r}]", moves) for value, moves in cases.items()
            )


def _sort_by_driver(coupled: Rules, sensitive: list[Any]) -> list[Any]:
    """Return the coupled columns, each after its drivers."""
    order: list[Any] = []

    def visit(name: Any, path: list[Any]) -> None:
        if name in path:
            cycle = " → ".join(repr(column) for column in [*path[path.index(name) :], name])
            raise ValueError(
                f"coupled columns drive each other in a cycle: {cycle}. Remove one of these rules."
            )
        for driver in coupled[name]:
            if driver in coupled:
                visit(driver, [*path, name])
            elif driver not in sensitive:
                raise ValueError(
                    f"coupled[{name!r}] has the driver {driver!r}; a driver must be a sensitive "
                    f"attribute ({quote(sensitive)}) or another coupled column."
                )
        if name not in order:
            order.append(name)

    for name in coupled:
        visit(name, [])
    return order


def _check_not_sensitive(
    names: list[Any], sensitive: Mapping[Any, Any], sensitive_columns: Sequence[Any]
) -> None:
    both = [name for name in names if name in sensitive or name in sensitive_columns]
    if both:
        raise ValueError(
            f"coupled has {quote(both)}, a sensitive attribute: its own perturbation determines "
            "its new value. Remove it from coupled, or from privileged."
        )


def _check_columns_differ(columns: list[Any]) -> None:
    repeated = find_repeated(columns)
    if repeated:
        raise ValueError(
            f"coupled has several rules for the columns {quote(repeated)}. Write them under one "
            "name."
        )


def _has_function(drivers: Mapping[Any, Any]) -> bool:
    return any(map(callable, drivers.values()))


def _get_named_values(coupled: Rules, name: Any) -> list[Any]:
    """Return the values of a column that any rule names, as its own or as those of a driver."""
    rules = [cases for cases in coupled[name].values() if not callable(cases)]
    moves = [move for cases in rules for move in cases.values()]
    own = [value for move in moves for pair in move.items() for value in pair]
    led = [cases for drivers in coupled.values() if not callable(cases := drivers.get(name, ()))]
    driving = [value for cases in led for value in cases]
    unhashable = [value for value in own if not isinstance(value, Hashable)]
    if unhashable:
        raise TypeError(f"coupled[{name!r}] must have single values; got {quote(unhashable)}.")
    return list(dict.fromkeys([*own, *driving]))


def _find_column(
    table: Table | Partitions,
    name: Any,
    values: list[Any],
    domain: Mapping[Any, Any],
    has_function: bool,
) -> Coupling:
    """Find a coupled column, or its one-hot columns, in the table; drivers are added later."""
    if name in table.keys():  # noqa: SIM118
        known = _learn_values(table, name, values, domain, want_all=has_function)
        return Coupling(name, known, has_function=has_function)
    if not values or has_function:
        raise ValueError(f"coupled has the column {name!r}; X has {quote(table.keys())}.")
    columns = tuple(_find_one_hot_column(table, name, value) for value in values)
    return Coupling(name, tuple(values), columns=columns)


def _learn_values(
    table: Table | Partitions,
    name: Any,
    values: list[Any],
    domain: Mapping[Any, Any],
    want_all: bool,
) -> tuple[Any, ...]:
    """Return the values that rules name, then the other ones if they are few or all wanted."""
    known = list(domain.get(name, table.distinct(name)))
    unknown = [value for value in values if value not in known]
    if unknown:
        raise ValueError(
            f"coupled has the values {quote(unknown)}; column {name!r} has {quote(known)}. If X "
            f"only lacks them, pass all values as domain={{{name!r}: [...]}}."
        )
    # Writing a column is faster if all of its values have a code.
    others = known if want_all or len(known) <= MAX_CODED_VALUES else []
    return tuple(dict.fromkeys([*values, *others]))


def _find_one_hot_column(table: Table | Partitions, name: Any, value: Any) -> Any:
    keys = set(table.keys())
    for column in (value, f"{name}={value}", f"{name}_{value}"):
        if column in keys:
            check_zero_one(table.distinct(column), column)
            return column
    raise ValueError(
        f"coupled has the column {name!r} with the value {value!r}, but X has neither a column "
        f"{name!r} nor a 0/1 column {f'{name}={value}'!r}, {f'{name}_{value}'!r} or {value!r}. "
        f"X has {quote(table.keys())}."
    )


def _add_drivers(
    column: Coupling, rules: Mapping[Any, Any], domains: Mapping[Any, Sequence[Any]]
) -> Coupling:
    """Return the column with its drivers, and with the values that functions return."""
    position = {name: i for i, name in enumerate(domains)}
    tables = {}
    for driver, cases in rules.items():
        if callable(cases):
            new = _call_for_pairs(column, driver, domains[driver], cases)
            values = tuple(dict.fromkeys([*column.values, *(v for row in new for v in row)]))
            moves = [dict(zip(column.values, row, strict=True)) for row in new]
            cases = dict(zip(domains[driver], moves, strict=True))
            column = replace(column, values=values)
        tables[driver] = cases
    return replace(
        column,
        drivers=tuple(
            Driver(position[driver], _make_transitions(column, driver, domains[driver], cases))
            for driver, cases in tables.items()
        ),
    )


def _call_for_pairs(
    column: Coupling, driver: Any, domain: Sequence[Any], function: Function
) -> list[list[Any]]:
    """Return the new value of the column for each value of the driver and each of its own."""
    where = f"coupled[{column.name!r}][{driver!r}]"
    if len(domain) * len(column.values) > MAX_FUNCTION_CALLS:
        raise ValueError(
            f"{where} is a function of {len(domain):,} values of {driver!r} and "
            f"{len(column.values):,} of {column.name!r}, more than {MAX_FUNCTION_CALLS:,} pairs. "
            "Round one of the columns first."
        )
    try:
        new = [[function(value, own) for own in column.values] for value in domain]
    except Exception as error:
        raise ValueError(
            f"{where} must be a function of the new value of {driver!r} and the value of "
            f"{column.name!r}; it raised {type(error).__name__}: {error}."
        ) from error
    wrong = [one for row in new for one in row if not isinstance(one, Hashable) or pd.isna(one)]
    if wrong:
        raise ValueError(f"{where} must return a value of the column; it returned {wrong[0]!r}.")
    return new


def _make_transitions(
    column: Coupling, driver: Any, domain: Sequence[Any], cases: Mapping[Any, Mapping[Any, Any]]
) -> Array:
    """Return the new code of a column, for each code of its driver and each code of its own."""
    unknown = [value for value in cases if value not in domain]
    if unknown:
        raise ValueError(
            f"coupled[{column.name!r}][{driver!r}] has a rule for {quote(unknown)}, which is no "
            f"value of {driver!r}; its values are {quote(domain)}."
        )
    # One row for each value of the driver, one column for each old value; index -1 is the last of
    # both, so that unknown values stay. For {"Female": {"Husband": "Wife"}} with the domain
    # (Female, Male) and the values (Husband, Wife), the table is
    #     Female: 1 1 -1
    #     Male:   0 1 -1
    #     (-1):   0 1 -1
    row, code = ({value: i for i, value in enumerate(some)} for some in (domain, column.values))
    stay = np.append(np.arange(len(column.values), dtype=np.int32), np.int32(-1))
    transitions = np.tile(stay, (len(domain) + 1, 1))
    for value, moves in cases.items():
        for old, new in moves.items():
            transitions[row[value], code[old]] = code[new]
    return transitions
