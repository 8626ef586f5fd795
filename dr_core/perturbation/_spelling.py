"""Values that differ only in case or blanks, which are often one value."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from dr_core._utils import quote

__all__ = ["find_spellings", "warn_of_spellings"]


def warn_of_spellings(name: Any, values: Iterable[Any]) -> None:
    """Warn if some values of a sensitive column differ only in case or blanks."""
    alike = find_spellings(values)
    if alike:
        warnings.warn(
            f"sensitive attribute {name!r} has values that differ only in case or blanks: "
            f"{'; '.join(map(quote, alike))}. They count as different values; if they are not, "
            "unify them in the data that the model is trained on and audited with.",
            stacklevel=5,
        )


def find_spellings(values: Iterable[Any]) -> list[list[str]]:
    """Return the texts that differ only in case or blanks, one list for each set of them.

    >>> find_spellings(["male", " Male", "Female", 1])
    [['male', ' Male']]
    """
    alike = defaultdict(list)
    for value in values:
        if isinstance(value, str):
            alike["".join(value.split()).casefold()].append(value)
    return [same for same in alike.values() if len(same) > 1]
