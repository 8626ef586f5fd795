"""Differences between two JSON documents, by the path of what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isclose
from typing import Any, NamedTuple

from dr_core._utils import truncate

__all__ = ["ABSENT", "Difference", "iter_differences"]

ABSENT = object()
"""What a document has at a path that it lacks."""

NAMING_KEYS = (
    *("model", "attribute", "perturbed", "measure", "group", "column", "check", "name"),
    *("vote", "on", "members", "changed", "becomes", "other", "value_of_other"),
)
"""Keys whose texts say which entry of a list is meant, in this order."""

MAX_VALUE = 80
"""Characters of a value that are shown."""


class Difference(NamedTuple):
    """A path, and what each of two documents has there.

    Attributes
    ----------
    path : keys of objects, and entries of lists such as "[model, sex, accuracy]"
    recorded, found : values of the first and the second document; `ABSENT` if it has none
    """

    path: tuple[str, ...]
    recorded: Any
    found: Any

    @property
    def where(self) -> str:
        """The path in one text."""
        return ".".join(self.path).replace(".[", "[")

    def __str__(self) -> str:
        if self.recorded is ABSENT:
            return f"{self.where}: missing in the record, found {_show(self.found)}"
        if self.found is ABSENT:
            return f"{self.where}: recorded {_show(self.recorded)}, not found"
        return f"{self.where}: recorded {_show(self.recorded)}, found {_show(self.found)}"


def iter_differences(
    recorded: Any, found: Any, path: tuple[str, ...] = ()
) -> Iterator[Difference]:
    """Yield the differences between two documents, in the order of the first.

    Floats that differ only in their last digits are equal, because the threads of a forest may
    add up in another order. Lists of different lengths are one difference.

    Examples
    --------
    >>> before = {"rows": 3, "values": [{"model": "a", "value": 0.1}]}
    >>> after = {"rows": 3, "values": [{"model": "a", "value": 0.2}], "date": "today"}
    >>> for difference in iter_differences(before, after):
    ...     print(difference)
    values[a].value: recorded 0.1, found 0.2
    date: missing in the record, found "today"
    """
    if isinstance(recorded, dict) and isinstance(found, dict):
        for key in {**recorded, **found}:
            pair = recorded.get(key, ABSENT), found.get(key, ABSENT)
            yield from iter_differences(*pair, (*path, str(key)))
    elif isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for i, pair in enumerate(zip(recorded, found, strict=True)):
            yield from iter_differences(*pair, (*path, _name_entry(i, pair[1])))
    elif not _is_same(recorded, found):
        yield Difference(path, recorded, found)


def _name_entry(position: int, entry: Any) -> str:
    """Return the names of an entry of a list, or its position if it has none."""
    known = entry if isinstance(entry, dict) else {}
    names = [known[key] for key in NAMING_KEYS if isinstance(known.get(key), str)]
    return f"[{', '.join(names) or position}]"


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal.

    >>> _is_same(0.1, 0.1 + 1e-16), _is_same(0.1, 0.2), _is_same(1, True)
    (True, False, False)
    """
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == other)


def _show(value: Any) -> str:
    """Return a value as JSON, shortened; a list as its length."""
    if isinstance(value, list) and any(isinstance(entry, dict | list) for entry in value):
        return f"{len(value)} entries"
    return truncate(json.dumps(value, ensure_ascii=False), MAX_VALUE)
