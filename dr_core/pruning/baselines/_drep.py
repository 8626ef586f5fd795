"""Diversity regularised ensemble pruning (DREP)."""

from __future__ import annotations

from math import ceil

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import Judge
from dr_core.pruning.baselines._flips import errors_with
from dr_core.pruning.baselines._greedy import TIE, best, ranked


def diversity_regularised(votes: Votes, max_members: int, *, share: float = 0.35) -> list[int]:
    """DREP: the most accurate member, then the best of the most diverse while the error falls.

    In each round the members left are ordered by diff(h, H) = E[h(x) H(x)] to the vote H so far,
    lowest first; of the first ⌈`share` · number left⌉ the one with which the vote errs least
    joins. It ends when none of them lowers the error, or with `max_members`.

    The publication is binary, ±1; there diff is 2 P(h = H) - 1, so P(h = H) gives the same order
    and works for any number of classes. It tries shares from 0.2 to 0.5; ours is the middle. A
    second member of equal weight can only make ties, so DREP may well end with one member.

    References
    ----------
    N. Li, Y. Yu, Z.-H. Zhou. Diversity regularized ensemble pruning. ECML-PKDD 2012.
    """
    judge, chosen = Judge(votes), [best(-votes.member_errors)]
    error = votes.member_errors[chosen[0]]
    while len(chosen) < max_members:
        diverse = _most_diverse(votes, chosen, share)
        errors = errors_with(judge, chosen)[diverse]
        pick = best(-errors)
        if errors[pick] > error - TIE:
            break
        chosen.append(int(diverse[pick]))
        error = errors[pick]
    return chosen


def _most_diverse(votes: Votes, chosen: list[int], share: float) -> Array:
    """Members left that agree least with the vote of those chosen."""
    vote = votes.subset(chosen).vote
    left = np.setdiff1d(np.arange(votes.n_members), chosen)
    agreements = np.array([votes.share(votes.votes[member] == vote) for member in left])
    return left[ranked(agreements)[: ceil(share * len(left))]]
