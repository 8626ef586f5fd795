"""Pruning by relevance (MRMR, MRMC, Disc.EP), and the joint shares of votes behind it.

All three methods start with the most accurate member and add one member at a time. Each takes the
`votes` and the number `max_members` to keep, and returns member indices in the order chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import xlogy

from dr_core._utils import Array, iter_slices
from dr_core.ensembles import MAX_VOTES_PER_BLOCK, Votes
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._ties import AS_PUBLISHED
from dr_core.pruning.baselines._greedy import (
    compute_errors_after_flip,
    compute_errors_with,
    find_best,
    grow,
)


def max_relevance_min_redundancy(votes: Votes, max_members: int) -> list[int]:
    """MRMR: members with much information about y and little about one another.

    s_u = argmax_k I(f_k; y) - (1/|S|) Σ_{i in S} I(f_k; f_i), I the mutual information.

    The paper cites Xia et al. (2018) for the name; the criterion is that of Cao et al. In our
    reading, Xia et al. replace I by the share of equal votes for two classes. I is used here,
    since it is defined for any number of classes.

    References
    ----------
    H. Peng, F. Long, C. Ding. Feature selection based on mutual information: criteria of
    max-dependency, max-relevance, and min-redundancy. IEEE Trans. Pattern Analysis and Machine
    Intelligence 27, 2005.
    J. Cao, W. Li, C. Ma, Z. Tao. Optimizing multi-sensor deployment via ensemble pruning for
    wearable activity recognition. Information Fusion 41, 2018.
    """
    relevance, redundancy = _compute_information(votes, votes.row_units)
    return grow(
        find_best(-votes.member_errors),
        lambda chosen: relevance - redundancy[:, chosen].mean(axis=1),
        max_members,
    )


def max_relevance_max_complementarity(votes: Votes, max_members: int) -> list[int]:
    """MRMC: members that the whole ensemble needs and that improve the sub-ensemble.

    s_u = argmax_k Rel_k + Com_k(S), with P the accuracy of a vote and F the whole ensemble:
    Rel_k = 1 - P(F ∖ {k}) / P(F) and Com_k(S) = P(S ∪ {k}) / P(S) - 1.

    Rel, Com and their sum are equations 1, 7 and 9 of the publication, as the public code of the
    paper's author quotes them (eustomaqua/FairML, ensem_prulatest.py). That code chooses S by MRMR
    and ranks all members once. In our reading, Com refers to the members chosen so far, and the
    first member is the most accurate one, since Com of the empty set is undefined. The publication
    chooses the length by an evaluation function; here it is `max_members`. A denominator of 0 is
    replaced by 1.

    References
    ----------
    X. Xia, T. Lin, Z. Chen. Maximum relevancy maximum complementary based ordered aggregation for
    ensemble pruning. Applied Intelligence 48, 2018.
    """
    ensemble = np.ones(votes.n_members, dtype=bool)
    evaluator = SubEnsembleEvaluator(votes, AS_PUBLISHED)
    without = 1 - compute_errors_after_flip(evaluator, ensemble, votes.n_members)
    relevance = 1 - without / (1 - votes.error or 1.0)

    def compute_gains(chosen: Sequence[int]) -> Array:
        accuracy = 1 - votes.subset(chosen).error
        return relevance + (1 - compute_errors_with(evaluator, chosen)) / (accuracy or 1.0) - 1

    return grow(find_best(-votes.member_errors), compute_gains, max_members)


def discriminative_pruning(votes: Votes, max_members: int) -> list[int]:
    """Disc.EP: members informative about y where the vote is wrong, agreeing where it is right.

    s_u = argmax_k I(f_k; y | vote of S wrong) + (1/|S|) Σ_{i in S} I(f_k; f_i | vote of S right).
    Each mutual information is computed on those instances alone, and is 0 if there are none.

    This is the criterion as the public code of the paper's author quotes it (eustomaqua/FairML,
    ensem_prulatest.py): instances "misclassified … by S". The code itself separates the instances
    by whether member k is right.

    References
    ----------
    J. Cao, W. Li, C. Ma, Z. Tao. Optimizing multi-sensor deployment via ensemble pruning for
    wearable activity recognition. Information Fusion 41, 2018.
    """

    def compute_gains(chosen: Sequence[int]) -> Array:
        right = votes.subset(chosen).vote == votes.y
        missed, _ = _compute_information(votes, votes.row_units * ~right)
        _, shared = _compute_information(votes, votes.row_units * right)
        return missed + shared[:, chosen].mean(axis=1)

    return grow(find_best(-votes.member_errors), compute_gains, max_members)


def _compute_information(votes: Votes, row_units: Array) -> tuple[Array, Array]:
    """Return I(f_i; y), (m,), and I(f_i; f_j), (m, m)."""
    codes = np.vstack([votes.votes, votes.y])
    every = mutual_information(joint_shares(codes, votes.n_classes, row_units))
    return every[:-1, -1], every[:-1, :-1]


def joint_shares(codes: Array, n_codes: int, row_units: Array) -> Array:
    """Return the share of the instances on which row i has code a and row j has code b.

    Parameters
    ----------
    codes : array of shape (r, n)
        Integers from 0 to `n_codes` - 1.
    n_codes : int
        Number of different codes.
    row_units : array of shape (n,)
        Weights of the instances. If all are 0, all shares are 0.

    Returns
    -------
    array of shape (r, r, n_codes, n_codes)
        The share at [i, j, a, b].

    Examples
    --------
    >>> joint_shares(np.array([[0, 1], [1, 1]]), 2, np.ones(2))[0, 1]
    array([[0. , 0.5],
           [0. , 0.5]])
    """
    # One indicator row for each row and code turns counting into a product of matrices. The rows
    # (0, 1) and (1, 1) of the example become
    #   row 0 is 0: (1, 0)   row 0 is 1: (0, 1)   row 1 is 0: (0, 0)   row 1 is 1: (1, 1).
    # Indicator i * n_codes + a times indicator j * n_codes + b is the count at [i, j, a, b].
    # Counts in row units are integers, exact in any order of summation.
    r, n = codes.shape
    sums = np.zeros((r * n_codes, r * n_codes))
    for columns in iter_slices(n, MAX_VOTES_PER_BLOCK // (r * n_codes)):
        indicators = codes[:, np.newaxis, columns] == np.arange(n_codes)[:, np.newaxis]
        flat = indicators.reshape(r * n_codes, -1).astype(float)
        sums += (flat * row_units[columns]) @ flat.T
    shares = sums.reshape(r, n_codes, r, n_codes).swapaxes(1, 2)
    return shares / (row_units.sum() or 1.0)


def single_shares(shares: Array) -> Array:
    """Return the share of the instances on which each row has code a, (r, n_codes)."""
    return np.einsum("iiaa->ia", shares)


def agreement_shares(shares: Array) -> Array:
    """Return the share of the instances on which two rows have the same code, (r, r)."""
    return np.einsum("ijaa->ij", shares)


def mutual_information(shares: Array) -> Array:
    """Return I(i; j) = H(i) + H(j) - H(i, j) in nats, (r, r), from the joint shares.

    Examples
    --------
    >>> shares = joint_shares(np.array([[0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]), 2, np.ones(4))
    >>> mutual_information(shares).round(3)
    array([[0.693, 0.693, 0.   ],
           [0.693, 0.693, 0.   ],
           [0.   , 0.   , 0.693]])
    """
    alone = -xlogy(single_shares(shares), single_shares(shares)).sum(axis=1)
    together = -xlogy(shares, shares).sum(axis=(2, 3))
    return np.asarray(alone[:, np.newaxis] + alone - together)
