"""Ordering-based pruning: KL, KP, RE, CM, OO and DREP.

Each function takes the `votes` and the number `max_members` to keep, and returns member indices
in the order chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._ties import AS_PUBLISHED
from dr_core.pruning.baselines._greedy import (
    TIE_TOLERANCE,
    compute_errors_with,
    find_best,
    grow,
    rank,
)
from dr_core.pruning.baselines._information import agreement_shares, joint_shares, single_shares


def kl_divergence_pruning(votes: Votes, max_members: int) -> list[int]:
    """KL: members whose distributions over the instances differ most.

    Start with the first member, then always add the one that increases
    J(U) = Σ_{i<j in U} D(p_i ‖ p_j) most, with D the Kullback-Leibler divergence.

    In the publication p_i is the distribution that boosting trained member i on. Votes do not
    contain it, so here p_i is the distribution of AdaBoost after member i alone, which gives half
    of the weight to its mistakes: p_i(x) = r(x) / (2 P(mistake_i = mistake_i(x))), with r the
    weight of the instance. For a member that is always right or always wrong, p_i = r.

    References
    ----------
    D. D. Margineantu, T. G. Dietterich. Pruning adaptive boosting. ICML 1997.
    """
    pairs = np.triu(_compute_divergences(votes), 1)
    pairs += pairs.T
    return grow(0, lambda chosen: pairs[:, chosen].sum(axis=1), max_members)


def _compute_divergences(votes: Votes) -> Array:
    """Return D(p_i ‖ p_j) for all pairs of members, (m, m)."""
    # p_i is r times a density of two values: d_i(0) where member i is right, d_i(1) where it is
    # wrong. With s_ij(a, b) the joint shares of the mistakes,
    #   D(p_i ‖ p_j) = Σ_a s_i(a) d_i(a) ln d_i(a) - Σ_ab s_ij(a, b) d_i(a) ln d_j(b).
    # A member wrong on 1/4 of the instances has s = (3/4, 1/4) and d = (2/3, 2).
    mistakes = votes.votes != votes.y
    shares = joint_shares(mistakes, 2, votes.row_units)
    single = single_shares(shares)
    mixed = single.min(axis=1, keepdims=True) > 0
    density = np.divide(0.5, single, out=np.ones_like(single), where=mixed)
    logs = np.log(density)
    entropies = (single * density * logs).sum(axis=1)
    return entropies[:, np.newaxis] - np.einsum("ijab,ia,jb->ij", shares, density, logs)


def kappa_pruning(votes: Votes, max_members: int) -> list[int]:
    """KP: pairs of members that agree least beyond chance.

    κ_ij = (Θ - Θ₀) / (1 - Θ₀), with Θ = P(f_i = f_j) and Θ₀ = Σ_c P(f_i = c) P(f_j = c). Pairs are
    added in ascending order of κ until there are `max_members`. If only one more fits, it is the
    member of lower index. Two members that always vote for the same single class have κ = 1.

    References
    ----------
    D. D. Margineantu, T. G. Dietterich. Pruning adaptive boosting. ICML 1997.
    """
    kappas = _compute_kappas(votes)
    first, second = np.triu_indices(votes.n_members, 1)
    order = rank(kappas[first, second])
    # Pairs (1, 3), (0, 3) become 1, 3, 0, 3; each member counts where it comes first: 1, 3, 0.
    # A single member has no pairs and is appended.
    joining = np.stack([first[order], second[order]], axis=1).ravel()
    return list(dict.fromkeys([*joining.tolist(), 0]))[:max_members]


def _compute_kappas(votes: Votes) -> Array:
    shares = joint_shares(votes.votes, votes.n_classes, votes.row_units)
    chance = single_shares(shares) @ single_shares(shares).T
    beyond, defined = agreement_shares(shares) - chance, chance < 1 - TIE_TOLERANCE
    return np.divide(beyond, 1 - chance, out=np.ones_like(chance), where=defined)


def reduced_error_pruning(votes: Votes, max_members: int) -> list[int]:
    """RE: the most accurate member, then always the one that gives the vote the lowest error.

    s_u = argmin_k err(vote of S_{u-1} ∪ {k}), without backfitting, which changes little according
    to the analysis cited.

    References
    ----------
    D. D. Margineantu, T. G. Dietterich. Pruning adaptive boosting. ICML 1997.
    G. Martínez-Muñoz, D. Hernández-Lobato, A. Suárez. An analysis of ensemble pruning techniques
    based on ordered aggregation. IEEE Trans. Pattern Analysis and Machine Intelligence 31, 2009.
    """
    evaluator, first = SubEnsembleEvaluator(votes, AS_PUBLISHED), find_best(-votes.member_errors)
    return grow(first, lambda chosen: -compute_errors_with(evaluator, chosen), max_members)


def complementarity_pruning(votes: Votes, max_members: int) -> list[int]:
    """CM: the most accurate member, then always the one most often right where the vote is wrong.

    s_u = argmax_k P(f_k(x) = y and vote of S_{u-1} ≠ y).

    References
    ----------
    G. Martínez-Muñoz, A. Suárez. Aggregation ordering in bagging. IASTED AIA 2004.
    """

    def compute_gains(chosen: Sequence[int]) -> Array:
        wrong = votes.subset(chosen).vote != votes.y
        return np.array([votes.share(wrong & (codes == votes.y)) for codes in votes.votes])

    return grow(find_best(-votes.member_errors), compute_gains, max_members)


def orientation_pruning(votes: Votes, max_members: int) -> Array:
    """OO: members whose signatures point away from the errors of the whole ensemble.

    The signature of a member is c_i(x) = 1 where it is right and -1 where it is wrong; that of
    the ensemble is c = Σ_i w_i c_i. Members are ordered by the angle between c_i and the reference
    vector o - (o·c / c·c) c, with o the vector of ones. Members beyond a right angle are dropped,
    so there may be fewer than `max_members`, but at least one is kept. Inner products use the
    weights of the instances. If the reference is 0 (every instance has the same share of right
    votes), o is the reference.

    References
    ----------
    G. Martínez-Muñoz, A. Suárez. Pruning in ordered bagging ensembles. ICML 2006.
    """
    # All signatures have the same length, so inner products order them as angles do. Σ ±r is
    # twice the sum of r where the member is right, minus the sum of all r.
    reference = votes.row_weights * _compute_reference(votes)
    right = [reference[codes == votes.y].sum() for codes in votes.votes]
    cosines = 2 * np.array(right) - reference.sum()
    acute = np.count_nonzero(cosines > TIE_TOLERANCE)
    return rank(-cosines)[: max(1, min(acute, max_members))]


def _compute_reference(votes: Votes) -> Array:
    """Return the ones minus their projection on the signature of the ensemble, (n,)."""
    right = votes.totals[votes.y, np.arange(votes.n_instances)] / votes.units.sum()
    signature = 2 * right - 1
    length = votes.row_weights @ signature**2
    slope = votes.row_weights @ signature / length if length else 0.0
    reference = 1 - slope * signature
    is_defined = votes.row_weights @ reference**2 > TIE_TOLERANCE
    return reference if is_defined else np.ones_like(reference)


def diversity_regularised_pruning(
    votes: Votes, max_members: int, *, share: float = 0.35
) -> list[int]:
    """DREP: the most accurate member, then the best of the most diverse while the error falls.

    In each round the members left are ordered by diff(h, H) = E[h(x) H(x)] to the current vote H,
    lowest first. Of the first ⌈`share` · number left⌉, the one that gives the vote the lowest
    error is added. DREP stops when none of them lowers the error, or at `max_members`.

    The publication has two classes, ±1, for which diff is 2 P(h = H) - 1. P(h = H) gives the same
    order and is defined for any number of classes. The publication tries shares from 0.2 to 0.5;
    the default is the middle. A second member of equal weight can only make ties, so DREP may
    stop with one member.

    References
    ----------
    N. Li, Y. Yu, Z.-H. Zhou. Diversity regularized ensemble pruning. ECML-PKDD 2012.
    """
    evaluator = SubEnsembleEvaluator(votes, AS_PUBLISHED)
    chosen = [find_best(-votes.member_errors)]
    error = votes.member_errors[chosen[0]]
    while len(chosen) < max_members:
        diverse = _find_most_diverse(votes, chosen, share)
        errors = compute_errors_with(evaluator, chosen)[diverse]
        pick = find_best(-errors)
        if errors[pick] > error - TIE_TOLERANCE:
            break
        chosen.append(int(diverse[pick]))
        error = errors[pick]
    return chosen


def _find_most_diverse(votes: Votes, chosen: list[int], share: float) -> Array:
    """Return the members left that agree least with the vote of those chosen."""
    vote = votes.subset(chosen).vote
    left = np.setdiff1d(np.arange(votes.n_members), chosen)
    agreements = np.array([votes.share(votes.votes[member] == vote) for member in left])
    return left[rank(agreements)[: ceil(share * len(left))]]
