"""Ranking single members by how fair they are: DR, DP, EOpp and PP, as the paper defines them.

With a = 1 the privileged, a = 0 the others, and 1 the positive class:

- DR(f) = P(f(x) ≠ f(x̃))
- DP(f) = |P(f = 1 | a = 1) - P(f = 1 | a = 0)|
- EOpp(f) = |P(f = 1 | a = 1, y = 1) - P(f = 1 | a = 0, y = 1)|
- PP(f) = |P(y = 1 | a = 1, f = 1) - P(y = 1 | a = 0, f = 1)|

The positive class is the last of `votes.classes`, which is 1 among 0 and 1. Members for whom a
measure is undefined (no such instance in a group) rank last.

Reference of all four: the paper, which compares DR with DP (M. Feldman et al., KDD 2015), EOpp
(M. Hardt, E. Price, N. Srebro, NeurIPS 2016) and PP (A. Chouldechova, Big Data 5, 2017).
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning.baselines._greedy import ranked

Gap = Callable[[Array, Array], tuple[Array, Array]]


def by_discriminative_risk(votes: Votes, max_members: int) -> Array:
    """DR: the members least sensitive to the perturbation, min P(f_i(x) ≠ f_i(x̃))."""
    return ranked(votes.member_risks)[:max_members]


def by_demographic_parity(votes: Votes, max_members: int, *, groups: Array) -> Array:
    """DP: the members with the smallest gap in P(f_i = 1)."""
    gaps = _gaps(votes, groups, lambda said, true: (said, np.ones_like(true)))
    return _fairest("DP", gaps, max_members)


def by_equal_opportunity(votes: Votes, max_members: int, *, groups: Array) -> Array:
    """EOpp: the members with the smallest gap in P(f_i = 1 | y = 1)."""
    return _fairest("EOpp", _gaps(votes, groups, lambda said, true: (said, true)), max_members)


def by_predictive_parity(votes: Votes, max_members: int, *, groups: Array) -> Array:
    """PP: the members with the smallest gap in P(y = 1 | f_i = 1)."""
    return _fairest("PP", _gaps(votes, groups, lambda said, true: (true, said)), max_members)


def _gaps(votes: Votes, groups: Array, measure: Gap) -> Array:
    """|P(event | given, a = 1) - P(event | given, a = 0)| of each member, (m,).

    `measure` turns what a member said and what is true, as positive or not, into event and given.
    """
    positive = votes.n_classes - 1
    pairs = (measure(codes == positive, votes.y == positive) for codes in votes.votes)
    return np.array(
        [
            abs(_rate(votes, event, given & groups) - _rate(votes, event, given & ~groups))
            for event, given in pairs
        ]
    )


def _rate(votes: Votes, event: Array, given: Array) -> float:
    """P(event | given), NaN where nothing is given."""
    share = votes.share(given)
    return votes.share(event & given) / share if share else nan


def _fairest(name: str, gaps: Array, max_members: int) -> Array:
    if np.isnan(gaps).all():
        raise ValueError(
            f"{name} is undefined for every member: a group has no positive instance to compare. "
            "Prune on instances that have some in both groups, or rank by DR."
        )
    return ranked(gaps)[:max_members]
