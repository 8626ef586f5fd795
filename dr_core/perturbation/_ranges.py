"""Ranges of a quantity as groups: `at_least(25)`, an interval, or a function of one value.

A range decides for each value of a column whether it is privileged, so that an age can be a
sensitive attribute without being cut into bins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import Factorized, encode_known
from dr_core._utils import (
    Array,
    check_choice,
    find_non_numbers,
    format_value,
    is_number,
    quote,
    sort_values,
)
from dr_core.perturbation._advice import advise_argument, advise_domain

__all__ = [
    "COLLECTIONS",
    "MAX_NUMBERS_BESIDE_ONE",
    "Condition",
    "Range",
    "as_condition",
    "at_least",
    "at_most",
    "between",
    "check_few_values",
    "encode_range",
    "learn_range",
    "pick_quantiles",
    "suggest_range",
]

INCLUSIVE_ENDS = {
    "both": (True, True),
    "left": (True, False),
    "right": (False, True),
    "neither": (False, False),
}
"""Whether each end of a range belongs to it, by the names that pandas uses."""

MAX_SENSITIVE_NUMBERS = 50
"""Maximum number of distinct numbers of an attribute without a range or a given domain."""

MAX_NUMBERS_BESIDE_ONE = 20
"""The same for an attribute of which one single number is privileged."""

COLLECTIONS = (list, tuple, set, frozenset, np.ndarray, pd.Index, pd.Series)
"""Types of several privileged values."""

COMPARISON = re.compile(r"\s*(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)\s*")
"""A range in words, such as ">= 30"."""

DATES = (date, timedelta, np.datetime64, np.timedelta64, pd.Period)


@dataclass(frozen=True, repr=False)
class Range:
    """The numbers from `low` to `high`; made by `at_least`, `at_most` and `between`.

    Attributes
    ----------
    low, high : float
        The ends. They may be infinite.
    inclusive : {"both", "left", "right", "neither"}
        Which ends belong to the range.
    """

    low: Any = -np.inf
    high: Any = np.inf
    inclusive: str = "both"

    def __post_init__(self) -> None:
        check_choice("inclusive", self.inclusive, tuple(INCLUSIVE_ENDS))
        for name, end in {"low": self.low, "high": self.high}.items():
            if isinstance(end, DATES):
                raise TypeError(describe_dates(f"{name} of a range is {end!r}"))
            if not is_number(end) or np.isnan(end):
                raise TypeError(f"{name} of a range must be a number, such as 25; got {end!r}.")
        if self.low > self.high or (self.low == self.high and self.inclusive != "both"):
            raise ValueError(f"low must be less than high; no number is in {self!r}.")

    def __call__(self, value: Any) -> bool:
        """Return whether a number is in the range."""
        if not (is_number(value) or isinstance(value, Decimal)):
            raise TypeError(f"{value!r} is not a number")
        has_low, has_high = INCLUSIVE_ENDS[self.inclusive]
        above = self.low <= value if has_low else self.low < value
        return bool(above and (value <= self.high if has_high else value < self.high))

    def describe(self, name: Any) -> tuple[str, str]:
        """Return the conditions for being outside and inside, for a column of this name.

        >>> at_least(25).describe("age"), between(25, 64).describe("age")
        (('age < 25', 'age >= 25'), ('age < 25 or > 64', '25 <= age <= 64'))
        """
        low, high = format_value(self.low), format_value(self.high)
        has_low, has_high = INCLUSIVE_ENDS[self.inclusive]
        above, below = (">=", "<") if has_low else (">", "<=")
        up_to, beyond = ("<=", ">") if has_high else ("<", ">=")
        if self.high == np.inf:
            return f"{name} {below} {low}", f"{name} {above} {low}"
        if self.low == -np.inf:
            return f"{name} {beyond} {high}", f"{name} {up_to} {high}"
        outside = f"{name} {below} {low} or {beyond} {high}"
        return outside, f"{low} {'<=' if has_low else '<'} {name} {up_to} {high}"

    def __repr__(self) -> str:
        if self.inclusive != "both":
            return f"between({self.low!r}, {self.high!r}, inclusive={self.inclusive!r})"
        if self.high == np.inf:
            return f"at_least({self.low!r})"
        if self.low == -np.inf:
            return f"at_most({self.high!r})"
        return f"between({self.low!r}, {self.high!r})"


@dataclass(frozen=True)
class Predicate:
    """A function from a value to a boolean."""

    function: Callable[[Any], Any]

    def __call__(self, value: Any) -> bool:
        found = self.function(value)
        if not isinstance(found, bool | np.bool_):
            raise TypeError(f"it returned {found!r} for {value!r}, neither True nor False")
        return bool(found)

    def describe(self, name: Any) -> tuple[str, str]:
        """Return names of the values outside and inside, from the name of the function."""
        function = getattr(self.function, "__name__", "<lambda>")
        if function == "<lambda>":
            return f"{name} not privileged", f"{name} privileged"
        return f"not {function}({name})", f"{function}({name})"

    def __repr__(self) -> str:
        return getattr(self.function, "__name__", repr(self.function))


Condition = Range | Predicate
"""Tells privileged values from others."""


def at_least(low: float) -> Range:
    """Return the range of all numbers that are at least `low`.

    In `privileged`, it makes the values of a numeric column that are in the range privileged.
    Perturbation replaces a value outside the range by one inside it, drawn as often as the values
    inside occur in the data, and a value inside by one outside in the same way.

    Parameters
    ----------
    low : number

    Examples
    --------
    >>> from dr_core import enumerate_perturbations
    >>> X = pd.DataFrame({"age": [20, 30, 40, 40]})
    >>> every = enumerate_perturbations(X, {"age": at_least(25)})
    >>> every.data.assign(of=every.rows, probability=every.probability.round(3))
       age  of  probability
    0   30   0        0.333
    0   40   0        0.667
    1   20   1        1.000
    2   20   2        1.000
    3   20   3        1.000
    """
    return Range(low=low)


def at_most(high: float) -> Range:
    """Return the range of all numbers that are at most `high`; see `at_least`.

    Parameters
    ----------
    high : number

    Examples
    --------
    >>> from dr_core import perturb
    >>> perturb(pd.DataFrame({"age": [20, 70]}), {"age": at_most(64)})["age"].tolist()
    [70, 20]
    """
    return Range(high=high)


def between(low: float, high: float, *, inclusive: str = "both") -> Range:
    """Return the range of numbers from `low` to `high`; see `at_least`.

    Parameters
    ----------
    low, high : number
    inclusive : {"both", "left", "right", "neither"}
        Which ends belong to the range, as in `pandas.Series.between`.

    Examples
    --------
    >>> between(25, 64)(64), between(25, 65, inclusive="left")(65)
    (True, False)
    """
    return Range(low, high, inclusive)


def as_condition(name: Any, privileged: Any, values: Collection[Any]) -> Condition | None:
    """Return a privileged range, interval or function as a condition; None if it is a value.

    An interval or function that is itself a value of the column is a value.
    """
    if isinstance(privileged, list | tuple | set | frozenset):
        ranges = [one for one in privileged if _is_range(one) and one not in values]
        if ranges:
            raise ValueError(
                f"privileged[{name!r}] is a collection with the range {ranges[0]!r}. Pass one "
                "range, or a function such as lambda value: value <= 20 or value >= 65."
            )
        return None
    if not _is_range(privileged) or (not isinstance(privileged, Range) and privileged in values):
        return None
    if isinstance(privileged, pd.Interval):
        return Range(privileged.left, privileged.right, privileged.closed)
    return privileged if isinstance(privileged, Range) else Predicate(privileged)


def _is_range(value: Any) -> bool:
    return isinstance(value, Range | pd.Interval) or callable(value)


def find_inside(name: Any, values: Sequence[Any], condition: Condition) -> Array:
    """Return which of the values of a column satisfy the condition, as booleans."""
    if are_dates(values):
        raise ValueError(describe_dates(f"sensitive attribute {name!r} has {quote(values, 2)}"))
    if isinstance(condition, Range):
        _check_numbers(name, values, condition)
    return np.array([_is_inside(name, value, condition) for value in values], dtype=bool)


# One text among numbers makes texts of all numbers of a CSV file: of '18', '20' and 'unknown',
# only the last is named. If all texts are numbers, they are named.
def _check_numbers(name: Any, values: Sequence[Any], condition: Range) -> None:
    """Raise ValueError if a range gets values that are not numbers."""
    texts = [value for value in values if not (is_number(value) or isinstance(value, Decimal))]
    if texts:
        bad = find_non_numbers(texts)
        kind = type(texts[0]).__name__
        found = f"{quote(bad)}, not only numbers" if bad else f"{quote(texts, 2)} of type {kind}"
        cells = "Correct these cells, or make them empty (missing), and convert"
        raise ValueError(
            f"privileged[{name!r}], {condition!r}, cannot be applied to the column, which has "
            f"{found}. {cells if bad else 'Convert'} the column to numbers, or pass a function "
            "from each of its values to a bool."
        )


def _is_inside(name: Any, value: Any, condition: Condition) -> bool:
    try:
        return condition(value)
    except Exception as error:
        raise ValueError(
            f"privileged[{name!r}], {condition!r}, cannot be applied to the value {value!r} of "
            f"the column: {error}. Convert the column to numbers, or pass a function from each "
            "of its values to a bool."
        ) from error


def are_dates(values: Collection[Any]) -> bool:
    """Return whether there are dates, times or durations among the values."""
    return any(isinstance(value, DATES) for value in values)


def describe_dates(found: str) -> str:
    """Return the message for dates in place of ages."""
    return (
        f"{found}, a date or a duration. Give the model and the audit an age in years instead, "
        'such as X["age"] = (pd.Timestamp("2026-01-01") - X["born"]).dt.days // 365.25.'
    )


def pick_quantiles(counts: Array, max_values: int) -> Array:
    """Return how often each of some sorted values is among `max_values` evenly spaced quantiles.

    Parameters
    ----------
    counts : (V,) rows with each value
    max_values : int

    Returns
    -------
    (V,) integers with the sum `max_values`; `counts` themselves if they are not more values

    Examples
    --------
    >>> pick_quantiles(np.array([4, 1, 1, 2]), 2), pick_quantiles(np.array([4, 1]), 2)
    (array([1, 0, 0, 1]), array([4, 1]))
    """
    if len(counts) <= max_values:
        return counts
    # 8 rows with the values 0 0 0 0 1 2 3 3 and 2 quantiles: the middles of both halves are rows
    # 2 and 6, with the values 0 and 3.
    middles = (2 * np.arange(max_values) + 1) * int(counts.sum()) // (2 * max_values)
    chosen = np.searchsorted(np.cumsum(counts), middles, side="right")
    return np.bincount(chosen, minlength=len(counts))


def learn_range(
    name: Any, counts: Mapping[Any, int], condition: Condition
) -> tuple[tuple[Any, ...], Array, Array]:
    """Return the values of a range, which of them are privileged, and how often each occurs."""
    values = sort_values(counts)
    is_privileged = find_inside(name, values, condition)
    if is_privileged.all() or not is_privileged.any():
        which = "all" if is_privileged.any() else "none"
        raise ValueError(
            f"privileged[{name!r}] is {condition!r}, and {which} of the {len(values)} values of "
            f"the column, from {values[0]} to {values[-1]}, are in this range. Both groups need "
            f"values: pass another range, or {advise_domain(name)}."
        )
    weights = np.array([counts[value] for value in values], dtype=np.int64)
    return tuple(values), is_privileged, weights


def encode_range(
    column: Factorized,
    name: Any,
    known: tuple[Any, ...],
    is_privileged: Array,
    condition: Condition,
) -> Array:
    """Return the codes of a range; values that are not known get those of similar ones."""
    old = set(known)
    new = [value for value in column.values if value not in old]
    is_inside = find_inside(name, new, condition)
    similar: dict[Any, Any] = {}
    for side in (False, True):
        some = [value for value, inside in zip(new, is_inside, strict=True) if inside == side]
        of_side = [known[code] for code in np.flatnonzero(is_privileged == side)]
        similar |= zip(some, _find_similar(some, of_side), strict=True)
    values = [similar.get(value, value) for value in column.values]
    return encode_known(Factorized(column.codes, values), known)


def _find_similar(values: Sequence[Any], known: Sequence[Any]) -> list[Any]:
    """Return the next known number after each value, or the last; if they are texts, the first.

    >>> _find_similar([3, 25, 97], [20, 30, 40])
    [20, 30, 40]
    """
    if not all(map(is_number, [*values, *known])):
        return [known[0]] * len(values)
    places = np.searchsorted(np.asarray(known), np.asarray(values, dtype=float))
    return [known[place] for place in np.minimum(places, len(known) - 1)]


def suggest_range(privileged: Any) -> str | None:
    """Return the range that a privileged value seems to mean, as code; None if it is no range.

    >>> suggest_range(range(25, 36)), suggest_range(slice(25, None)), suggest_range(">= 30")
    ('between(25, 35)', 'at_least(25)', 'at_least(30)')
    """
    if isinstance(privileged, range) and privileged:
        return f"between({min(privileged)}, {max(privileged)})"
    if isinstance(privileged, slice):
        low, high = privileged.start, privileged.stop
        one_sided = f"at_least({low})" if high is None else f"at_most({high})"
        return one_sided if None in (low, high) else f"between({low}, {high})"
    found = COMPARISON.fullmatch(privileged) if isinstance(privileged, str) else None
    if found is None:
        return None
    sign, number = found.groups()
    ranges = {">=": f"at_least({number})", "<=": f"at_most({number})"}
    return ranges.get(sign, f"lambda value: value {sign} {number}")


def check_few_values(name: Any, values: Sequence[Any], privileged: Any) -> None:
    """Raise ValueError if a column has too many numbers, or dates, to be given by values."""
    numbers = [value for value in values if isinstance(value, Number)]
    is_one = not isinstance(privileged, COLLECTIONS) or len(privileged) == 1
    limit = MAX_NUMBERS_BESIDE_ONE if is_one else MAX_SENSITIVE_NUMBERS
    if len(values) > limit and are_dates(values):
        raise ValueError(describe_dates(f"sensitive attribute {name!r} has {quote(values, 2)}"))
    if len(numbers) <= limit:
        return
    [example] = privileged if isinstance(privileged, COLLECTIONS) and is_one else [privileged]
    is_number = is_one and isinstance(example, Number)
    bound = f"at_least({quote([example])})" if is_number else "between(low, high)"
    bound = suggest_range(example) or bound
    raise ValueError(
        f"sensitive attribute {name!r} has {len(numbers)} distinct numbers, too many to be given "
        f"by single values. Pass a range, such as {{{name!r}: {bound}}}; or, if the numbers are "
        f"codes, pass all of them: {advise_argument(f'domain={{{name!r}: [...]}}')}."
    )
