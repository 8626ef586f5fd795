"""Which values of a column, each (nearly) exclusive to one group, are counterparts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dr_core._utils import Array, quote

__all__ = ["NO_CANDIDATE", "Match", "match_values"]

MIN_LIKENESS = 0.85
"""Minimum likeness of counterparts, unless nearly all rows have them."""

ALIKE = "alike in the other columns"
MAIN = "nearly all rows of each group have its value"
NO_CANDIDATE = "the other group has no exclusive value in this column"
NO_COLUMNS = "no other column can be compared"
"""Why values are counterparts, or why not."""


class Match(NamedTuple):
    """What was found for one value.

    Attributes
    ----------
    counterpart : position among the values of the other group; None if there is none
    likeness : that of the counterpart, or of the value of the other group that is most alike
    reason : why there is a counterpart, or why not
    """

    counterpart: int | None
    likeness: float
    reason: str


def match_values(
    likeness: Array,
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    main: tuple[int | None, int | None] = (None, None),
    merged: Mapping[tuple[int, int], Sequence[Any]] | None = None,
) -> tuple[list[Match], list[Match]]:
    """Match the exclusive values of one group with those of the other group.

    Two values are counterparts if each is most like the other, and alike enough, or if nearly all
    rows of each group have its value.

    Parameters
    ----------
    likeness : (A, B) likeness of the values; NaN for pairs without a column to compare
    first, second : the A values of the one group and the B values of the other
    main : positions of the values that nearly all rows of their group have, or None
    merged : for a pair of positions, names of the columns that were compared for this pair, and
        whose exclusive values counted as one value

    Returns
    -------
    What was found for each value of the one group, and for each value of the other.

    Examples
    --------
    >>> import numpy as np
    >>> likeness = np.array([[0.9, 0.2], [0.95, 0.3]])
    >>> of_men, of_women = match_values(likeness, ["Mr", "Sir"], ["Ms", "Dame"])
    >>> of_men[0].reason, of_men[1].reason
    ("'Ms' goes with 'Sir'", 'alike in the other columns')
    >>> of_women[1].reason
    "'Sir' is most alike, but not enough (0.30 < 0.85)"
    """
    names = merged or {}
    found = [
        (a, b, float(likeness[a, b]), MAIN if (a, b) == main else _say_alike(names.get((a, b))))
        for a, b in _iter_pairs(likeness, *main)
    ]
    of_first = {a: Match(b, value, why) for a, b, value, why in found}
    of_second = {b: Match(a, value, why) for a, b, value, why in found}
    return (
        [
            of_first.get(a) or _explain(a, likeness, first, second, of_second)
            for a in range(len(first))
        ],
        [
            of_second.get(b) or _explain(b, likeness.T, second, first, of_first)
            for b in range(len(second))
        ],
    )


def _say_alike(merged: Sequence[Any] | None) -> str:
    return f"{ALIKE}; exclusive values of {quote(merged)} count as one" if merged else ALIKE


def _iter_pairs(
    likeness: Array, main_a: int | None = None, main_b: int | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the main pair, and the cells that are largest in row and column, and large enough.

    >>> import numpy as np
    >>> list(_iter_pairs(np.array([[0.9, 0.2], [0.95, 0.3]])))
    [(1, 0)]
    """
    others = _rank_nan_last(likeness)
    if main_a is not None and main_b is not None:
        yield main_a, main_b
        others[main_a] = others[:, main_b] = 0
    for a, b in enumerate(others.argmax(axis=1).tolist()):
        if others[:, b].argmax() == a and others[a, b] >= MIN_LIKENESS:
            yield a, b


def _explain(
    a: int,
    likeness: Array,
    own: Sequence[Any],
    others: Sequence[Any],
    matched: Mapping[int, Match],
) -> Match:
    """Return why the value at position `a` of its own side has no counterpart.

    Parameters
    ----------
    a : position
    likeness : its own side in rows, the other side in columns
    own, others : the values of both sides
    matched : the counterparts of the other side
    """
    ranked = _rank_nan_last(likeness)
    b = int(ranked[a].argmax())
    most, name = float(likeness[a, b]), quote([others[b]])
    if math.isnan(most):
        return Match(None, most, NO_COLUMNS)
    if most < MIN_LIKENESS:
        shown = math.floor(100 * most) / 100  # 0.849 is less than 0.85
        reason = f"{name} is most alike, but not enough ({shown:.2f} < {MIN_LIKENESS})"
        return Match(None, most, reason)
    partner = matched[b].counterpart if b in matched else None
    if partner is not None:
        return Match(None, most, f"{name} goes with {quote([own[partner]])}")
    # Sir is most like Dame, who is more like Mr, who is more like Ms: Dame is left without a pair.
    rival = quote([own[int(ranked[:, b].argmax())]])
    return Match(None, most, f"{name} is most alike, but {name} is more alike to {rival}")


def _rank_nan_last(likeness: Array) -> Array:
    """Return likeness with -1 for NaN, which `argmax` would take for the largest value."""
    return np.nan_to_num(likeness, nan=-1.0)
