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
  {"experience": {"age": lambda age, years: min(years, age - 16)}}. A function applies to any
  value, also to one that did not occur where the rules were learned.
- Values without a rule stay. A coupled column stays in rows whose attribute did not change.
- The driver of a column is a sensitive attribute, or another coupled column. Columns are rewritten
  after their drivers; rules with a cycle raise ValueError.
- A column with two drivers follows them one after the other, in the order of its rules.
- A sensitive attribute cannot be coupled, because its own perturbation determines its new value.
- In the rules of a one-hot encoded column, a value is the name of its 0/1 column; or the original
  value, if X has a column such as `relationship=Husband` or `relationship_Husband`. The 1 moves
  from one column to another.

Like attributes, couplings are learned once and apply to every chunk and partition. A column with a
function is *open*: its values are those of the table that is perturbed, and those that functions
return for the rows of a chunk. `extend` adds the first, `follow` the second, each to a copy. So a
chunk keeps only its own values, and codes that were given before stay valid.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, product
from typing import Any

import numpy as np

from dr_core._tables import (
    Partitions,
    Recoded,
    Table,
    check_zero_one,
    encode_known,
    factorize,
)
from dr_core._utils import Array, find_repeated, format_count, format_enumeration, quote
from dr_core.perturbation._advice import advise_argument
from dr_core.perturbation._drivers import (
    CallingDriver,
    Driver,
    Function,
    Replacements,
    ReplacingDriver,
)
from dr_core.perturbation._one_hot import read_one_hot

__all__ = [
    "NO_COUPLINGS",
    "Coupling",
    "Couplings",
    "Rules",
    "find_listed_columns",
    "learn_couplings",
]

Rules = Mapping[Any, Mapping[Any, Replacements | Function]]
"""{column: {driver: replacements, or a function}}."""

MAX_CODED_VALUES = 1000
"""Number of values up to which all values of a coupled column get a code, not only those named."""

MAX_TRIED_VALUES = 1000
"""Values of a column that the function of a rule is tried with when it is learned."""

COUPLED_EXAMPLE = '{"relationship": {"sex": {"Female": {"Husband": "Wife"}}}}'


@dataclass(frozen=True, eq=False, repr=False)
class Coupling:
    """One coupled column.

    Attributes
    ----------
    name : hashable
    values : tuple
        The values that rules name, then others. Codes are positions in it; -1 is any other value,
        which stays. Of an open column, only a missing value has no code.
    drivers : tuple of Driver
    columns : tuple or None
        The one-hot columns, in the order of `values`; None for a plain column.
    is_open : bool
        Whether a function rewrites its values, so that it can have values that are not known yet.
    """

    name: Any
    values: tuple[Any, ...]
    drivers: tuple[Driver, ...] = ()
    columns: tuple[Hashable, ...] | None = None
    is_open: bool = False

    @property
    def description(self) -> str:
        """What the column follows, such as "relationship follows sex"."""
        names = [str(one.name) for one in self.drivers] or ["nothing"]
        return f"{self.name} follows {format_enumeration(names)}"

    def __repr__(self) -> str:
        return f"<Coupling: {self.description}>"

    def add_values(self, values: Sequence[Any]) -> tuple[Coupling, Array]:
        """Return the column with these values, too, and their codes; others keep theirs."""
        known, n_known = self._codes, len(self.values)
        added = dict.fromkeys(value for value in values if value not in known)
        new = {value: n_known + i for i, value in enumerate(added)}
        codes = [known[value] if value in known else new[value] for value in values]
        return replace(self, values=(*self.values, *new)), np.array(codes, dtype=np.int32)

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {value: code for code, value in enumerate(self.values)}

    def encode(self, table: Table) -> Array:
        """Return the codes of this column in a table, shape (n,)."""
        if self.columns is None:
            codes = encode_known(table.factorize(self.name), self.values)
            # Codes of values that functions return may need more than one byte.
            return codes.astype(np.int32) if self.is_open else codes
        codes, n_ones, _ = read_one_hot(table, self.columns)
        if (n_ones > 1).any():
            raise ValueError(
                f"coupled column {self.name!r}: {format_count(int((n_ones > 1).sum()), 'row')} "
                f"with more than one 1 among {quote(self.columns)}."
            )
        return codes

    def decode(self, before: Array, after: Array) -> dict[Any, Recoded]:
        """Return the content of the column, or of its one-hot columns."""
        changed = before != after
        if self.is_open:
            return self._decode_changed(np.flatnonzero(changed), after)
        if self.columns is None:
            return {self.name: Recoded(self.values, after)}
        # Only the two columns that the 1 moves between are written: from code 0 to code 2 of three
        # columns, column 0 gets 0, column 1 gets -1 (keep the content) and column 2 gets 1.
        return {
            column: Recoded(
                (0, 1), np.where(changed & ((before == i) | (after == i)), after == i, -1)
            )
            for i, column in enumerate(self.columns)
        }

    def _decode_changed(self, changed: Array, codes: Array) -> dict[Any, Recoded]:
        """Return the content of the rows that changed, with their values only.

        An open column may have many more values than these.
        """
        if not changed.size:
            return {}
        # Rows 1 and 3 of 4 changed to the codes 7 and 5: values 7 and 5, codes -1 0 -1 1.
        new, place = factorize(codes[changed]), np.full(len(codes), -1)
        place[changed] = new.codes
        return {self.name: Recoded([self.values[code] for code in new.values], place)}


@dataclass(frozen=True, eq=False, repr=False)
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

    def __repr__(self) -> str:
        return f"<Couplings: {self.description or 'none'}>"

    @property
    def description(self) -> str:
        """What each column follows, such as "relationship follows sex"."""
        return "; ".join(coupling.description for coupling in self.all)

    @property
    def note(self) -> str:
        """That the columns follow, such as "relationship follows"; "" if there are none."""
        names = list(map(str, self.names))
        if not names:
            return ""
        return f"{format_enumeration(names)} {'follows' if len(names) == 1 else 'follow'}"

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

    def extend(self, table: Table) -> Couplings:
        """Return the couplings with the values that open columns have in a table.

        Raise ValueError if the table lacks a column.
        """
        absent = [column for column in self.columns if column not in table.keys()]  # noqa: SIM118
        if absent:
            raise ValueError(
                f"coupled has the columns {quote(absent)}, which are not in X. X has "
                f"{quote(table.keys())}. Pass X with the columns that the rules were learned from."
            )
        if not any(coupling.is_open for coupling in self.all):
            return self
        extended = (
            one.add_values(table.distinct(one.name))[0] if one.is_open else one for one in self.all
        )
        return replace(self, all=tuple(extended))

    def encode(self, table: Table) -> Array:
        """Return the codes in a table that they were extended with, shape (couplings, rows)."""
        codes = [coupling.encode(table) for coupling in self.all]
        return np.stack(codes) if codes else np.empty((0, table.n_rows), np.int8)

    def follow(
        self, own: Array, before: Array, after: Array, domains: Sequence[Sequence[Any]]
    ) -> tuple[Couplings, Array]:
        """Let the coupled columns follow the sensitive attributes.

        Parameters
        ----------
        own : (couplings, k) current codes of the coupled columns
        before, after : (attributes, k) codes of the sensitive attributes
        domains : values of each sensitive attribute

        Returns
        -------
        couplings : Couplings
            These couplings, with the values that functions returned.
        codes : (couplings, k) new codes of the coupled columns
        """
        new = own.copy()
        # The rows of `new` are views: a coupled column that changes below is seen by the columns
        # that it drives. Example: sex changed from (1, 0, 1) to (0, 0, 0), so rows 0 and 2 moved;
        # if both have code 3, they get transitions[0, 3]. Row 1 keeps its code.
        old, now, values = [*before, *own], [*after, *new], list(domains)
        followed = []
        for coupling, codes in zip(self.all, new, strict=True):
            for driver in coupling.drivers:
                j = driver.position
                moved = np.flatnonzero(old[j] != now[j])
                coupling, codes[moved] = driver.move(
                    coupling, values[j], now[j][moved], codes[moved]
                )
            followed.append(coupling)
            values.append(coupling.values)
        return replace(self, all=tuple(followed)), new

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
    >>> learned
    <Couplings: title follows sex>
    >>> sex, perturbed = np.array([[1, 0]]), np.array([[0, 1]])
    >>> learned.follow(learned.encode(table), sex, perturbed, [["F", "M"]])[1]
    array([[1, 0]], dtype=int8)
    """
    order = _sort_by_driver(coupled, list(sensitive))
    _check_not_sensitive(order, sensitive, sensitive_columns)
    domains, learned = dict(sensitive), []
    for name in order:
        column = _find_column(table, name, coupled, domain)
        learned.append(_add_drivers(column, coupled, domains))
        domains[name] = column.values
    _try_functions(table, learned, domains)
    couplings = Couplings(tuple(learned), coupled)
    _check_not_sensitive(couplings.columns, sensitive, sensitive_columns)
    _check_columns_differ(couplings.columns)
    return couplings


def find_listed_columns(coupled: Rules) -> list[Any]:
    """Return the coupled columns that must have the values that rules name.

    Raise TypeError if rules are not mappings. Of other columns, no value has to be known.
    """
    _check_mappings(coupled)
    return [name for name in coupled if _get_named_values(coupled, name)]


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


def _is_open(coupled: Rules, name: Any) -> bool:
    """Return whether a function rewrites a column; a sensitive attribute has no rules."""
    return any(map(callable, coupled.get(name, {}).values()))


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
    table: Table | Partitions, name: Any, coupled: Rules, domain: Mapping[Any, Any]
) -> Coupling:
    """Find a coupled column, or its one-hot columns, in the table; drivers are added later."""
    values, is_open = _get_named_values(coupled, name), _is_open(coupled, name)
    if name in table.keys():  # noqa: SIM118
        if not is_open:
            values = _add_known_values(values, _list_known(table, name, values, domain))
        elif values:
            _list_known(table, name, values, domain)
        return Coupling(name, tuple(values), is_open=is_open)
    if not values or is_open:
        raise ValueError(f"coupled has the column {name!r}; X has {quote(table.keys())}.")
    columns = tuple(_find_one_hot_column(table, name, value) for value in values)
    return Coupling(name, tuple(values), columns=columns)


def _list_known(
    table: Table | Partitions, name: Any, values: list[Any], domain: Mapping[Any, Any]
) -> list[Any]:
    """Return the known values of a column; raise ValueError if rules name others."""
    known = list(domain.get(name, table.distinct(name)))
    unknown = [value for value in values if value not in known]
    if unknown:
        raise ValueError(
            f"coupled has the values {quote(unknown)}; column {name!r} has {quote(known)}. Write "
            "the values as they are in X. If X only lacks them, pass all values: "
            f"{advise_argument(f'domain={{{name!r}: [...]}}')}, or in AIF360 a dataset that has "
            "them."
        )
    return known


def _add_known_values(values: list[Any], known: list[Any]) -> list[Any]:
    """Return the values that rules name, then the known ones if they are few."""
    # Writing a column is faster if all of its values have a code.
    others = known if len(known) <= MAX_CODED_VALUES else []
    return list(dict.fromkeys([*values, *others]))


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
    column: Coupling, coupled: Rules, domains: Mapping[Any, Sequence[Any]]
) -> Coupling:
    """Return the column with its drivers."""
    position = {name: i for i, name in enumerate(domains)}
    drivers: list[Driver] = []
    for name, cases in coupled[column.name].items():
        if callable(cases):
            drivers.append(CallingDriver(name, position[name], cases))
            continue
        _check_driver_values(column.name, name, domains[name], cases)
        if column.is_open or _is_open(coupled, name):
            drivers.append(CallingDriver(name, position[name], partial(_replace_value, cases)))
        else:
            transitions = _make_transitions(column.values, domains[name], cases)
            drivers.append(ReplacingDriver(name, position[name], transitions))
    return replace(column, drivers=tuple(drivers))


def _replace_value(cases: Replacements, value: Any, own: Any) -> Any:
    """Return what replaces a value of the column, given the new value of the driver."""
    return cases.get(value, {}).get(own, own)


def _check_driver_values(
    column: Any, driver: Any, domain: Sequence[Any], cases: Replacements
) -> None:
    unknown = [value for value in cases if value not in domain]
    if unknown:
        raise ValueError(
            f"coupled[{column!r}][{driver!r}] has a rule for {quote(unknown)}, which is no "
            f"value of {driver!r}; its values are {quote(domain)}."
        )


def _make_transitions(values: Sequence[Any], domain: Sequence[Any], cases: Replacements) -> Array:
    """Return the new code of a column, for each code of its driver and each code of its own."""
    # One row for each value of the driver, one column for each old value; index -1 is the last of
    # both, so that unknown values stay. For {"Female": {"Husband": "Wife"}} with the domain
    # (Female, Male) and the values (Husband, Wife), the table is
    #     Female: 1 1 -1
    #     Male:   0 1 -1
    #     (-1):   0 1 -1
    row, code = ({value: i for i, value in enumerate(some)} for some in (domain, values))
    stay = np.append(np.arange(len(values), dtype=np.int32), np.int32(-1))
    transitions = np.tile(stay, (len(domain) + 1, 1))
    for value, moves in cases.items():
        for old, new in moves.items():
            transitions[row[value], code[old]] = code[new]
    return transitions


def _try_functions(
    table: Table | Partitions, learned: Sequence[Coupling], domains: Mapping[Any, Any]
) -> None:
    """Call each function with some values, so that one that cannot be used is refused here.

    It is called with each value of its driver and one of the column, and the reverse.
    """
    tried = {name: list(values)[:MAX_TRIED_VALUES] for name, values in domains.items()}
    for column in learned:
        if column.is_open:
            sample = table if isinstance(table, Table) else table.sample
            values = [*tried[column.name], *sample.distinct(column.name)]
            tried[column.name] = values[:MAX_TRIED_VALUES]
        for driver in column.drivers:
            if isinstance(driver, CallingDriver):
                values, own = tried[driver.name], tried[column.name]
                pairs = chain(product(values, own[:1]), product(values[:1], own))
                driver.call(column.name, list(pairs))
