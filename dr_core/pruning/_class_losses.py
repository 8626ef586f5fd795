"""How much worse the candidates of a front predict a class than the whole ensemble does.

The error of a vote does not tell which class it is made on. A candidate can be as accurate as the
whole ensemble and change less because it predicts the rarer class less often.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import SubEnsembleVote
from dr_core.pruning._ties import TieRule

__all__ = ["compute_class_losses"]


def compute_class_losses(votes: Votes, front: pd.DataFrame, rule: TieRule) -> Array:
    """Return the largest rise of the error of a class against the whole ensemble, (s,).

    Parameters
    ----------
    votes : Votes
        Votes of the whole ensemble.
    front : DataFrame
        As in `PruningResult.front`.
    rule : TieRule
        How to judge ties.

    Examples
    --------
    The first member is wrong on one of two instances of class 0; the vote of all three is right:

    >>> votes = Votes(
    ...     [[1, 0, 1], [0, 0, 1], [0, 0, 1]], [[0, 0, 1], [0, 0, 1], [0, 0, 1]], y=[0, 0, 1]
    ... )
    >>> front = pd.DataFrame({"members": [(0,), (0, 1, 2)]})
    >>> compute_class_losses(votes, front, TieRule("cautious"))
    array([0.5, 0. ])
    """
    whole = compute_class_errors(votes, np.flatnonzero(votes.units), rule)
    errors = [compute_class_errors(votes, members, rule) for members in front["members"]]
    return np.asarray(np.max(np.array(errors) - whole, axis=1))


def compute_class_errors(votes: Votes, members: npt.ArrayLike, rule: TieRule) -> Array:
    """Return the error of the vote of `members` on each class that occurs in y."""
    selected = np.isin(np.arange(votes.n_members), members)
    wrong = SubEnsembleVote.make_empty(votes, rule).move_to(selected).wrong
    units = np.bincount(votes.y, votes.row_units)
    counts = np.bincount(votes.y, votes.row_units * wrong)
    return counts[units > 0] / units[units > 0]
