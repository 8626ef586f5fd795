"""Values that differ only in case or blanks, which are often one value."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from dr_core._utils import quote

__all__ = ["warn_of_spellings"]


def warn_of_spellings(name: Any, values: Iterable[Any]) -> None:
    """Warn if some values of a sensitive column differ only in case or blanks."""
    alike = [same for same in _find_alike(values) if len(same) > 1]
    if alike:
        warnings.warn(
            f"sensitive attribute {name!r} has values that differ only in case or blanks: "
            f"{'; '.join(map(quote, alike))}. They count as different values; if they are not, "
            "unify them in the data that the model is trained on and audited with.",
            stacklevel=5,
        )


def _find_alike(values: Iterable[Any]) -> list[list[str]]:
    """Return the texts among the values, those that differ only in case or blanks together.

    >>> _find_alike(["male", " Male", "Female", 1])
    [['male', ' Male'], ['Female']]
    """
    alike = defaultdict(list)
    for value in values:
        if isinstance(value, str):
            alike["".join(value.split()).casefold()].append(value)
    return list(alike.values())
