"""Tools that the baselines share: choosing members by score, and errors after adding a member.

Ties go to the lowest index everywhere. Scores closer than `TIE_TOLERANCE` are ties, so that the
order in which floats are summed never decides which member is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._steps import Steps

SCORE_DECIMALS = 12
TIE_TOLERANCE = 10.0**-SCORE_DECIMALS


def find_best(scores: Array) -> int:
    """Return the position of the highest score, the lowest position among ties.

    Examples
    --------
    >>> find_best(np.array([0.1, 0.3, 0.1 + 0.2]))
    1
    """
    return int(np.argmax(scores >= scores.max() - TIE_TOLERANCE))


def rank(costs: Array) -> Array:
    """Return positions from the lowest cost to the highest, ties by position, NaN last.

    Examples
    --------
    >>> rank(np.array([0.1 + 0.2, np.nan, 0.1, 0.3]))
    array([2, 0, 3, 1])
    """
    return np.argsort(np.round(costs, SCORE_DECIMALS), kind="stable")


def grow(first: int, gains: Callable[[Sequence[int]], Array], size: int) -> list[int]:
    """Grow a sub-ensemble from `first` to `size` members, always by the one of highest gain.

    Parameters
    ----------
    first : int
        The member to start with.
    gains : callable
        From the members chosen so far to the gain of adding each of all m members, (m,).
    size : int
        Number of members to choose, at most m.

    Returns
    -------
    list of int
        Members in the order chosen.

    Examples
    --------
    >>> grow(1, lambda chosen: np.array([0.0, 9.0, 1.0, 1.0]), size=3)
    [1, 2, 3]
    """
    chosen = [first]
    while len(chosen) < size:
        scores = np.array(gains(chosen), dtype=float)
        scores[chosen] = -np.inf
        chosen.append(find_best(scores))
    return chosen


def make_mask(votes: Votes, members: Sequence[int]) -> Array:
    """Return which of all members are among `members`, a bool array (m,)."""
    selected = np.zeros(votes.n_members, dtype=bool)
    selected[list(members)] = True
    return selected


def compute_errors_after_flip(
    evaluator: SubEnsembleEvaluator, selected: Array, max_members: int
) -> Array:
    """Return the error of the vote of `selected` after each of all members is flipped.

    Parameters
    ----------
    evaluator : SubEnsembleEvaluator
        Evaluator of the whole ensemble.
    selected : bool array of shape (m,)
        The sub-ensemble. A flipped member joins if it is outside and leaves if it is inside.
    max_members : int
        The largest size allowed.

    Returns
    -------
    array of shape (m,)
        Infinite where the flip leaves no member or more than `max_members`.

    Examples
    --------
    >>> votes = Votes([[0, 1], [1, 1], [1, 0]], [[0, 1], [1, 1], [1, 0]], y=[0, 1])
    >>> selected = make_mask(votes, [1])
    >>> from dr_core.pruning._ties import AS_PUBLISHED
    >>> evaluator = SubEnsembleEvaluator(votes, AS_PUBLISHED)
    >>> compute_errors_after_flip(evaluator, selected, max_members=3)
    array([ 0., inf,  1.])
    """
    steps = Steps.from_selected(selected, max_members, exchange=False)
    return _compute_errors(evaluator, selected, steps)


def compute_errors_with(evaluator: SubEnsembleEvaluator, members: Sequence[int]) -> Array:
    """Return the error of the vote of `members` and each other one, (m,); inf for `members`."""
    selected = make_mask(evaluator.votes, members)
    return _compute_errors(evaluator, selected, Steps.from_singles(np.flatnonzero(~selected)))


def _compute_errors(evaluator: SubEnsembleEvaluator, selected: Array, steps: Steps) -> Array:
    """Return the error after the step of each member, (m,), infinite where it has no step."""
    errors = np.full(len(selected), np.inf)
    errors[steps.singles] = evaluator.evaluate_neighbours(selected, steps).errors
    return errors
