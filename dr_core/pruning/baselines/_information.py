"""Pruning by relevance: MRMR, MRMC and discriminative ensemble pruning (Disc.EP).

All three begin with the most accurate member and grow one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import Judge
from dr_core.pruning.baselines._flips import errors_after_flip, errors_with
from dr_core.pruning.baselines._greedy import best, grow
from dr_core.pruning.baselines._joint import joint_shares, mutual_information


def max_relevance_min_redundancy(votes: Votes, max_members: int) -> list[int]:
    """MRMR: members that tell much about y and little about one another.

    s_u = argmax_k I(f_k; y) - (1/|S|) Σ_{i in S} I(f_k; f_i), I the mutual information.

    The paper cites Xia et al. (2018) for the name; the criterion is that of Cao et al. As we read
    them, Xia et al. put the share of equal votes in the place of I for two classes; we keep I,
    which is defined for any number of classes.

    References
    ----------
    H. Peng, F. Long, C. Ding. Feature selection based on mutual information: criteria of
    max-dependency, max-relevance, and min-redundancy. IEEE Trans. Pattern Analysis and Machine
    Intelligence 27, 2005.
    J. Cao, W. Li, C. Ma, Z. Tao. Optimizing multi-sensor deployment via ensemble pruning for
    wearable activity recognition. Information Fusion 41, 2018.
    """
    relevance, redundancy = _information(votes, votes.row_units)
    return grow(
        best(-votes.member_errors),
        lambda chosen: relevance - redundancy[:, chosen].mean(axis=1),
        max_members,
    )


def max_relevance_max_complementarity(votes: Votes, max_members: int) -> list[int]:
    """MRMC: members the whole ensemble would miss and the sub-ensemble gains from.

    s_u = argmax_k Rel_k + Com_k(S), with P the accuracy of a vote and F the whole ensemble:
    Rel_k = 1 - P(F ∖ {k}) / P(F) and Com_k(S) = P(S ∪ {k}) / P(S) - 1.

    As we read it: Com is taken with respect to the members ranked so far, the first member is the
    most accurate one (Com of nothing is undefined), and the publication's choice of the length by
    an evaluation function gives way to `max_members`. An accuracy of 0 does not divide.

    References
    ----------
    X. Xia, T. Lin, Z. Chen. Maximum relevancy maximum complementary based ordered aggregation for
    ensemble pruning. Applied Intelligence 48, 2018.
    """
    judge, everyone = Judge(votes), np.ones(votes.n_members, dtype=bool)
    without = 1 - errors_after_flip(judge, everyone, votes.n_members)
    relevance = 1 - without / (1 - votes.error or 1.0)

    def gains(chosen: Sequence[int]) -> Array:
        accuracy = 1 - votes.subset(chosen).error
        return relevance + (1 - errors_with(judge, chosen)) / (accuracy or 1.0) - 1

    return grow(best(-votes.member_errors), gains, max_members)


def discriminative(votes: Votes, max_members: int) -> list[int]:
    """Disc.EP: members that know y where the vote is wrong, and agree where it is right.

    s_u = argmax_k I(f_k; y | vote of S wrong) + (1/|S|) Σ_{i in S} I(f_k; f_i | vote of S right),
    each mutual information among those instances alone, 0 where there are none.

    References
    ----------
    J. Cao, W. Li, C. Ma, Z. Tao. Optimizing multi-sensor deployment via ensemble pruning for
    wearable activity recognition. Information Fusion 41, 2018.
    """

    def gains(chosen: Sequence[int]) -> Array:
        right = votes.subset(chosen).vote == votes.y
        missed, _ = _information(votes, votes.row_units * ~right)
        _, shared = _information(votes, votes.row_units * right)
        return missed + shared[:, chosen].mean(axis=1)

    return grow(best(-votes.member_errors), gains, max_members)


def _information(votes: Votes, row_units: Array) -> tuple[Array, Array]:
    """I(f_i; y), (m,), and I(f_i; f_j), (m, m)."""
    codes = np.vstack([votes.votes, votes.y])
    every = mutual_information(joint_shares(codes, votes.n_classes, row_units))
    return every[:-1, -1], every[:-1, :-1]
