"""Error of a sub-ensemble's vote after one member joins or leaves it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import Judge, Steps


def mask_of(votes: Votes, members: Sequence[int]) -> Array:
    """Which of all members are among these, a bool array (m,)."""
    selected = np.zeros(votes.n_members, dtype=bool)
    selected[list(members)] = True
    return selected


def errors_after_flip(judge: Judge, selected: Array, max_members: int) -> Array:
    """Error of the vote of `selected` after each of all m members joins or leaves it.

    Parameters
    ----------
    judge : Judge
        Knows the votes of the whole ensemble.
    selected : bool array of shape (m,)
        The sub-ensemble. A member outside joins, one inside leaves.
    max_members : int
        A flip that leaves nobody, or more than these, has an infinite error.

    Returns
    -------
    array of shape (m,)

    Examples
    --------
    >>> votes = Votes([[0, 1], [1, 1], [1, 0]], [[0, 1], [1, 1], [1, 0]], y=[0, 1])
    >>> errors_after_flip(Judge(votes), mask_of(votes, [1]), max_members=3)
    array([ 0., inf,  1.])
    """
    return _errors(judge, selected, Steps.around(selected, max_members, exchange=False))


def errors_with(judge: Judge, members: Sequence[int]) -> Array:
    """Error of the vote of `members` and each other member, (m,); infinite for `members`."""
    selected = mask_of(judge.votes, members)
    nobody = np.flatnonzero(selected)[:0]
    return _errors(judge, selected, Steps(nobody, np.flatnonzero(~selected), nobody, nobody))


def _errors(judge: Judge, selected: Array, steps: Steps) -> Array:
    """Errors after each step in the place of the member that moves, infinite where none does."""
    errors = np.full(len(selected), np.inf)
    movers = np.concatenate([steps.leaving, steps.joining])
    errors[movers] = judge.neighbours(selected, steps).errors
    return errors
