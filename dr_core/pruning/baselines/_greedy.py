"""Choosing members by score: the best one, a ranking, and a sub-ensemble grown one by one.

Ties go to the lowest index everywhere. Scores closer than `TIE` are ties, so that the order in
which floats were summed never decides which member is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dr_core._utils import Array

DECIMALS = 12
TIE = 10.0**-DECIMALS


def best(scores: Array) -> int:
    """Position of the highest score, the lowest position among ties.

    Examples
    --------
    >>> best(np.array([0.1, 0.3, 0.1 + 0.2]))
    1
    """
    return int(np.argmax(scores >= scores.max() - TIE))


def ranked(costs: Array) -> Array:
    """Positions from the lowest cost to the highest, ties by position, undefined (NaN) last.

    Examples
    --------
    >>> ranked(np.array([0.1 + 0.2, np.nan, 0.1, 0.3]))
    array([2, 0, 3, 1])
    """
    return np.argsort(np.round(costs, DECIMALS), kind="stable")


def grow(first: int, gains: Callable[[Sequence[int]], Array], size: int) -> list[int]:
    """Sub-ensemble grown from `first` to `size` members, always by the one that gains most.

    Parameters
    ----------
    first : int
        The member to begin with.
    gains : callable
        From the members chosen so far to the gain of adding each of all m members, (m,).
    size : int
        When to stop, at most m.

    Returns
    -------
    list of int
        Members in the order they were chosen.

    Examples
    --------
    >>> grow(1, lambda chosen: np.array([0.0, 9.0, 1.0, 1.0]), size=3)
    [1, 2, 3]
    """
    chosen = [first]
    while len(chosen) < size:
        scores = np.array(gains(chosen), dtype=float)
        scores[chosen] = -np.inf
        chosen.append(best(scores))
    return chosen
