"""Names joined into text."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["format_enumeration"]


def format_enumeration(names: Iterable[str]) -> str:
    """Join names with commas and "and".

    >>> format_enumeration(["sex"]), format_enumeration(["sex", "race", "age"])
    ('sex', 'sex, race and age')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
