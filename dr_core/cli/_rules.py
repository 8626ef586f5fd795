"""Rules of coupled columns, read from a JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dr_core._tables import Table
from dr_core.perturbation import Rules

__all__ = ["read_rules", "values_by_text"]


def read_rules(path: Path | None, table: Table) -> Rules | None:
    """Read rules such as {"relationship": {"sex": {"Female": {"Husband": "Wife"}}}}.

    JSON knows no keys but text: a text that stands for a value of its column becomes this value.

    Parameters
    ----------
    path : file, or None for no rules
    table : Table with the columns that the rules are about
    """
    if path is None:
        return None
    if not path.is_file():
        raise ValueError(f"there is no file of rules {str(path)!r}.")
    try:
        rules = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name!r} cannot be read as JSON: {error}.") from error
    if not isinstance(rules, dict):
        raise ValueError(f"{path.name!r} must hold one JSON object of rules, not {rules!r}.")
    return {column: _drivers(column, drivers, table) for column, drivers in rules.items()}


def values_by_text(values: Iterable[Any]) -> dict[str, Any]:
    """Values by what they look like.

    >>> values_by_text([1, 0])
    {'1': 1, '0': 0}
    """
    return {str(value): value for value in values}


def _drivers(column: str, drivers: Any, table: Table) -> Any:
    """Translate what is shaped as rules; what is not is refused where rules are learned."""
    if not isinstance(drivers, dict):
        return drivers
    return {
        driver: _translated(cases, driver, table, lambda moves: _moves(moves, column, table))
        for driver, cases in drivers.items()
    }


def _moves(moves: Any, column: str, table: Table) -> Any:
    values = _values(column, table)
    return _translated(moves, column, table, lambda new: values.get(str(new), new))


def _translated(mapping: Any, column: str, table: Table, of_value: Any) -> Any:
    if not isinstance(mapping, dict):
        return mapping
    values = _values(column, table)
    return {values.get(key, key): of_value(value) for key, value in mapping.items()}


def _values(column: str, table: Table) -> dict[str, Any]:
    known = column in table.keys()  # noqa: SIM118
    return values_by_text(table.distinct(column)) if known else {}
