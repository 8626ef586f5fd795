"""Checks of arguments that several functions share; each error names the argument."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dr_core._utils._percent import format_count

__all__ = [
    "Array",
    "check_any_weight",
    "check_choice",
    "check_column",
    "check_confidence",
    "check_fraction",
    "check_integer",
    "check_models",
    "check_nonnegative",
    "check_numbers",
    "check_part_weights",
    "check_probability",
    "check_weights",
    "find_repeated",
    "find_spellings",
    "format_value",
    "is_integer",
    "is_number",
    "quote",
    "shorten_float",
    "sort_values",
    "truncate",
]

Array = npt.NDArray[Any]

MAX_MESSAGE_CHARACTERS = 80
"""Number of characters of a value that an error message shows."""


def is_number(value: Any) -> bool:
    """Return whether a value is a number; a boolean is not.

    >>> is_number(0.5), is_number(np.float32(1)), is_number(True), is_number("0.5")
    (True, True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def find_non_numbers(values: Iterable[Any]) -> list[Any]:
    """Return the values that are neither numbers nor texts of numbers.

    >>> find_non_numbers(["18", 20, "unknown"])
    ['unknown']
    """
    column = pd.Series(list(values), dtype=object)
    return column[pd.to_numeric(column, errors="coerce").isna()].tolist()


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer; a boolean is not.

    >>> is_integer(3), is_integer(np.int8(3)), is_integer(3.0), is_integer(True)
    (True, True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_probability(p: float) -> None:
    """Raise ValueError if `p` is not in (0, 1]."""
    if not (is_number(p) and 0 < p <= 1):
        raise ValueError(f"p must be in (0, 1]; got {p!r}.")


def check_fraction(name: str, value: float) -> None:
    """Raise ValueError if an argument is not in [0, 1)."""
    if not (is_number(value) and 0 <= value < 1):
        raise ValueError(f"{name} must be in [0, 1); got {value!r}.")


def check_confidence(confidence: float) -> None:
    """Raise ValueError if `confidence` is not in (0, 1)."""
    if not (is_number(confidence) and 0 < confidence < 1):
        raise ValueError(f"confidence must be in (0, 1), such as 0.95; got {confidence!r}.")


def check_nonnegative(name: str, value: float) -> None:
    """Raise ValueError if an argument is negative, infinite or not a number."""
    if not (is_number(value) and 0 <= value < np.inf):
        raise ValueError(f"{name} must be finite and at least 0; got {value!r}.")


def check_integer(name: str, value: Any, *, at_least: int) -> None:
    """Raise ValueError if an argument is not an integer of at least this size."""
    if not is_integer(value) or value < at_least:
        raise ValueError(f"{name} must be an integer of at least {at_least}; got {value!r}.")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise ValueError if an argument is not one of these strings."""
    if not isinstance(value, str) or value not in choices:
        words = " or ".join(f'"{choice}"' for choice in choices)
        raise ValueError(f"{name} must be {words}; got {value!r}.")


def check_models(models: Any) -> dict[str, Any]:
    """Return models by name; raise TypeError if they are not a mapping."""
    if isinstance(models, Mapping) and models:
        return dict(models)
    found = "an empty one" if isinstance(models, Mapping) else f"a {type(models).__name__}"
    raise TypeError(
        f'models must be a mapping from names to models, as {{"forest": forest}}; got {found}.'
    )


def check_column(
    name: str, values: Any, n_rows: int, *, of: str = "X", allow_missing: bool = False
) -> Array:
    """Return `values` as an array with one entry for each row of X, by default no missing ones.

    `of` is the argument that has n_rows rows.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be an array; its rows have different lengths.") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension; got shape {array.shape}.")
    if len(array) != n_rows:
        raise ValueError(
            f"{name} has length {len(array)}, but {of} has {format_count(n_rows, 'row')}."
        )
    missing = int(pd.isna(array).sum())
    if missing and not allow_missing:
        found = format_count(missing, "missing value")
        raise ValueError(f"{name} has {found} in {format_count(n_rows, 'row')}.")
    return array


def check_row_order(X: Any, columns: Mapping[str, Any]) -> None:
    """Raise ValueError if a pandas column has the index of X in another order.

    Columns belong to the rows of X by position.

    Parameters
    ----------
    X : any table; only a DataFrame has an index
    columns : mapping
        Columns of any type by the name of their argument.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [20, 30]}, index=["ann", "bob"])
    >>> check_row_order(X, {"y": pd.Series([1, 0], index=["bob", "ann"])})
    Traceback (most recent call last):
        ...
    ValueError: y has the index of X in another order, and rows are matched by position. Pass
    y.loc[X.index], or numpy.asarray(y) if the positions are right.
    """
    if not isinstance(X, pd.DataFrame):
        return
    for name, column in columns.items():
        has_index = isinstance(column, pd.Series | pd.DataFrame)
        if has_index and _is_reordered(column.index, X.index):
            raise ValueError(
                f"{name} has the index of X in another order, and rows are matched by position. "
                f"Pass {name}.loc[X.index], or numpy.asarray({name}) if the positions are right."
            )


def _is_reordered(index: pd.Index, of: pd.Index) -> bool:
    """Return whether an index has the labels of another one in another order."""
    is_comparable = len(index) == len(of) and index.nlevels == of.nlevels and of.is_unique
    if not is_comparable or index.equals(of):
        return False
    try:
        positions = of.get_indexer(index)
    except (TypeError, ValueError, pd.errors.InvalidIndexError):  # labels of different kinds
        return False
    is_permuted = len(np.unique(positions)) == len(positions) and positions.min(initial=0) >= 0
    return bool(is_permuted and (positions != np.arange(len(of))).any())


def check_numbers(name: str, values: Any, n_rows: int, **options: Any) -> Array:
    """Return `values` as floats, one for each row of X; see `check_column`."""
    array = check_column(name, values, n_rows, **options)
    plain = np.asarray(array.tolist()) if array.dtype.kind == "O" else array
    # NumPy itself would parse numbers from strings, and convert dates to numbers of days.
    if plain.dtype.kind in "biufO":
        with suppress(TypeError, ValueError):
            return plain.astype(float)
    raise ValueError(f"{name} must be numbers; the first is {quote(plain[:1].tolist())}.")


def check_weights(sample_weight: Any, n_rows: int) -> Array:
    """Return the weights of all rows as floats, ones by default; they must not all be 0."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = check_part_weights(sample_weight, n_rows)
    check_any_weight(weights.any())
    return weights


def check_part_weights(sample_weight: Any, n_rows: int, *, of: str = "X") -> Array:
    """Return the weights of a part of the rows as floats; they may all be 0."""
    weights = check_numbers("sample_weight", sample_weight, n_rows, of=of)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            "sample_weight must be finite and not negative; got values from "
            f"{weights.min()} to {weights.max()}."
        )
    return weights


def check_any_weight(weight: Any) -> None:
    """Raise ValueError if the total weight of all rows is 0."""
    if not weight:
        raise ValueError(
            "Sample weights must contain at least one non-zero number; sample_weight is all 0."
        )


def find_repeated(names: Iterable[Hashable]) -> list[Hashable]:
    """Return the names that occur more than once, each once.

    >>> find_repeated(["a", "b", "a"])
    ['a']
    """
    every = list(names)
    return [name for name in dict.fromkeys(every) if every.count(name) > 1]


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


def sort_values(values: Iterable[Any]) -> list[Any]:
    """Return values sorted; those that cannot be compared by type and text."""
    values = list(values)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, str(value)))


def quote(values: Iterable[Any], max_values: int = 10) -> str:
    """Return the first few values as text for an error message.

    >>> quote(["a", np.int64(1)]), quote([])
    ("'a', 1", 'nothing')
    """
    values = list(values)
    if not values:
        return "nothing"
    plain = (one.item() if isinstance(one, np.generic) else one for one in values[:max_values])
    shown = ", ".join(truncate(repr(value)) for value in plain)
    return shown if len(values) <= max_values else f"{shown} … ({len(values)} in all)"


def truncate(text: str, max_characters: int = MAX_MESSAGE_CHARACTERS) -> str:
    """Return at most so many characters of a text, which may come from a file.

    >>> truncate("short"), len(truncate("x" * 1_000_000))
    ('short', 80)
    """
    return text if len(text) <= max_characters else f"{text[: max_characters - 1]}…"


def shorten_float(value: Any) -> Any:
    """Return the shortest float that is the same number in single precision, if it was one.

    Any other value is returned as it is.

    >>> shorten_float(float(np.float32(5.3))), shorten_float(0.1 + 0.2), shorten_float("5.3")
    (5.3, 0.30000000000000004, '5.3')
    """
    # Of the floats only one in 2**29 is a float32 too: 5.300000190734863 is one, 5.3 is not.
    if not isinstance(value, float) or abs(value) > np.finfo(np.float32).max:
        return value
    single = np.float32(value)
    return float(str(single)) if float(single) == value else value


def format_rows(rows: float) -> str:
    """Return an expected number of rows without decimals.

    >>> format_rows(12461.7), format_rows(0.47), format_rows(0)
    ('12,462', '<1', '0')
    """
    return "<1" if 0 < rows < 1 else f"{rows:,.0f}"


def format_value(value: Any) -> str:
    """Return a value as a person would write it.

    >>> format_value(float(np.float32(5.3))), format_value(3.0), format_value("Husband")
    ('5.3', '3', 'Husband')
    """
    value = shorten_float(value)
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return f"{value:.0f}" if is_whole else str(value)
