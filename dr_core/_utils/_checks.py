"""Checks of arguments that several functions share; each error names the argument."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = [
    "Array",
    "check_choice",
    "check_column",
    "check_confidence",
    "check_models",
    "check_not_negative",
    "check_numbers",
    "check_probability",
    "check_rare",
    "check_some_weights",
    "check_weights",
    "check_weighty",
    "check_whole",
    "find_repeated",
    "is_number",
    "is_whole",
    "listed",
    "shortened",
    "sorted_values",
]


Array = npt.NDArray[Any]

LONGEST = 80
"""Characters of a value that an error message shows."""


def is_number(value: Any) -> bool:
    """Whether this is a number; a truth value is none.

    >>> is_number(0.5), is_number(np.float32(1)), is_number(True), is_number("0.5")
    (True, True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether this is a whole number; a truth value is none.

    >>> is_whole(3), is_whole(np.int8(3)), is_whole(3.0), is_whole(True)
    (True, True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_probability(p: float) -> None:
    """Refuse a `p` outside (0, 1]."""
    if not (is_number(p) and 0 < p <= 1):
        raise ValueError(f"p must be greater than 0 and at most 1; it is {p!r}.")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse what is none of these words."""
    if not isinstance(value, str) or value not in choices:
        words = " or ".join(f'"{choice}"' for choice in choices)
        raise ValueError(f"{name} must be {words}; it is {value!r}.")


def check_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0, 1)."""
    if not (is_number(confidence) and 0 < confidence < 1):
        raise ValueError(f"confidence must lie between 0 and 1; it is {confidence!r}.")


def check_models(models: Any) -> dict[str, Any]:
    """Return models by name, or say that they need one."""
    if isinstance(models, Mapping) and models:
        return dict(models)
    found = "empty" if isinstance(models, Mapping) else f"a {type(models).__name__}"
    raise TypeError(
        f'models must map names to models, such as {{"forest": forest}}; it is {found}.'
    )


def check_whole(name: str, value: Any, *, at_least: int) -> None:
    """Refuse what is not a whole number of at least this size."""
    if not is_whole(value) or value < at_least:
        raise ValueError(f"{name} must be a whole number, {at_least} or more; it is {value!r}.")


def check_rare(rare: float) -> None:
    """Refuse a share below which things are rare that is not in [0, 1)."""
    if not (is_number(rare) and 0 <= rare < 1):
        raise ValueError(f"rare must be at least 0 and less than 1; it is {rare!r}.")


def check_not_negative(name: str, value: float) -> None:
    """Refuse what is negative, infinite or no number."""
    if not (is_number(value) and 0 <= value < np.inf):
        raise ValueError(f"{name} must be finite and at least 0; it is {value!r}.")


def check_column(name: str, values: Any, n_rows: int) -> Array:
    """Return `values` as an array that has one entry, none of them missing, for each row of X."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be an array; its rows have different lengths.") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension; it has shape {array.shape}.")
    if len(array) != n_rows:
        raise ValueError(f"{name} has length {len(array)}, but X has {n_rows} rows.")
    missing = int(pd.isna(array).sum())
    if missing:
        raise ValueError(f"{name} has {missing} missing values in {n_rows} rows.")
    return array


def check_numbers(name: str, values: Any, n_rows: int) -> Array:
    """Return `values` as floats, one for each row of X."""
    array = check_column(name, values, n_rows)
    plain = np.asarray(array.tolist()) if array.dtype.kind == "O" else array
    # NumPy itself would read numbers out of texts, and count days out of dates.
    if plain.dtype.kind in "biufO":
        with suppress(TypeError, ValueError):
            return plain.astype(float)
    raise ValueError(f"{name} must be numbers; the first is {listed(plain[:1].tolist())}.")


def check_weights(sample_weight: Any, n_rows: int) -> Array:
    """Return weights of all rows as floats; ones where none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = check_some_weights(sample_weight, n_rows)
    check_weighty(weights.any())
    return weights


def check_some_weights(sample_weight: Any, n_rows: int) -> Array:
    """Return weights of some of the rows as floats; these may all be 0."""
    weights = check_numbers("sample_weight", sample_weight, n_rows)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            "sample_weight must be finite and not negative; it ranges from "
            f"{weights.min()} to {weights.max()}."
        )
    return weights


def check_weighty(weight: Any) -> None:
    """Refuse rows that weigh nothing, all together."""
    if not weight:
        raise ValueError(
            "Sample weights must contain at least one non-zero number; sample_weight is all 0."
        )


def sorted_values(values: Iterable[Any]) -> list[Any]:
    """Sort by value where the values can be compared, else by what they look like."""
    values = list(values)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def find_repeated(names: Iterable[Any]) -> list[Any]:
    """Return the names that occur more than once, sorted.

    >>> find_repeated(["b", "a", "c", "a", "b"])
    ['a', 'b']
    """
    return sorted_values(name for name, count in Counter(names).items() if count > 1)


def listed(values: Iterable[Any], most: int = 10) -> str:
    """Write values for an error message, the first few of them.

    >>> listed(["a", 1]), listed([])
    ("'a', 1", 'nothing')
    """
    values = list(values)
    if not values:
        return "nothing"
    shown = ", ".join(shortened(repr(value)) for value in values[:most])
    return shown if len(values) <= most else f"{shown} … ({len(values)} in all)"


def shortened(text: str, most: int = LONGEST) -> str:
    """Cut a text of a file, which may be megabytes long, to what an error message can hold.

    >>> shortened("short"), len(shortened("x" * 1_000_000))
    ('short', 80)
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
