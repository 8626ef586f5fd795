"""Ordering-based pruning: KL-divergence, kappa, reduced error, complementarity, orientation.

Each function takes the `votes` and the number `max_members` to keep, and returns member indices
in the order chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import Judge
from dr_core.pruning.baselines._flips import errors_with
from dr_core.pruning.baselines._greedy import TIE, best, grow, ranked
from dr_core.pruning.baselines._joint import agreement, joint_shares, single_shares


def kl_divergence(votes: Votes, max_members: int) -> list[int]:
    """KL: members whose distributions over the instances differ most.

    Grown from the first member, always by the one that increases most
    J(U) = Σ_{i<j in U} D(p_i ‖ p_j), with D the Kullback-Leibler divergence.

    In the publication p_i is the distribution boosting trained member i on. Votes do not tell it,
    so here p_i is the distribution AdaBoost would hand on after member i alone, which gives half
    of the weight to its mistakes: p_i(x) = r(x) / (2 P(mistake_i = mistake_i(x))), r the weight
    of the instance. A member that is always right, or always wrong, leaves r as it is.

    References
    ----------
    D. D. Margineantu, T. G. Dietterich. Pruning adaptive boosting. ICML 1997.
    """
    pairs = np.triu(_divergences(votes), 1)
    pairs += pairs.T
    return grow(0, lambda chosen: pairs[:, chosen].sum(axis=1), max_members)


def _divergences(votes: Votes) -> Array:
    """D(p_i ‖ p_j) for all pairs of members, (m, m)."""
    mistakes = votes.votes != votes.y
    shares = joint_shares(mistakes, 2, votes.row_units)
    single = single_shares(shares)
    mixed = single.min(axis=1, keepdims=True) > 0
    density = np.divide(0.5, single, out=np.ones_like(single), where=mixed)
    logs = np.log(density)
    entropies = (single * density * logs).sum(axis=1)
    return entropies[:, np.newaxis] - np.einsum("ijab,ia,jb->ij", shares, density, logs)


def kappa(votes: Votes, max_members: int) -> list[int]:
    """KP: pairs of members that agree least beyond chance.

    κ_ij = (Θ - Θ₀) / (1 - Θ₀), with Θ = P(f_i = f_j) and Θ₀ = Σ_c P(f_i = c) P(f_j = c). Pairs
    join from the lowest κ on until `max_members` are found; if only one more fits, it is the
    member of lower index. Two members that always vote for the same single class have κ = 1.

    References
    ----------
    D. D. Margineantu, T. G. Dietterich. Pruning adaptive boosting. ICML 1997.
    """
    kappas = _kappas(votes)
    first, second = np.triu_indices(votes.n_members, 1)
    order = ranked(kappas[first, second])
    joining = np.stack([first[order], second[order]], axis=1).ravel()
    return list(dict.fromkeys([*joining.tolist(), 0]))[:max_members]


def _kappas(votes: Votes) -> Array:
    shares = joint_shares(votes.votes, votes.n_classes, votes.row_units)
    chance = single_shares(shares) @ single_shares(shares).T
    beyond = agreement(shares) - chance
    return np.divide(beyond, 1 - chance, out=np.ones_like(chance), where=chance < 1 - TIE)


def reduced_error(votes: Votes, max_members: int) -> list[int]:
    """RE: the most accurate member, then always the one with which the vote errs least.

    s_u = argmin_k err(vote of S_{u-1} ∪ {k}), without backfitting, which the cited analysis finds
    to change little.

    References
    ----------
    D. D. Margineantu, T. G. Dietterich. Pruning adaptive boosting. ICML 1997.
    G. Martínez-Muñoz, D. Hernández-Lobato, A. Suárez. An analysis of ensemble pruning techniques
    based on ordered aggregation. IEEE Trans. Pattern Analysis and Machine Intelligence 31, 2009.
    """
    judge, first = Judge(votes), best(-votes.member_errors)
    return grow(first, lambda chosen: -errors_with(judge, chosen), max_members)


def complementarity(votes: Votes, max_members: int) -> list[int]:
    """CM: the most accurate member, then always the one that is right where the vote is wrong.

    s_u = argmax_k P(f_k(x) = y and vote of S_{u-1} ≠ y).

    References
    ----------
    G. Martínez-Muñoz, A. Suárez. Aggregation ordering in bagging. IASTED AIA 2004.
    """

    def rescued(chosen: Sequence[int]) -> Array:
        wrong = votes.subset(chosen).vote != votes.y
        return np.array([votes.share(wrong & (codes == votes.y)) for codes in votes.votes])

    return grow(best(-votes.member_errors), rescued, max_members)


def orientation(votes: Votes, max_members: int) -> Array:
    """OO: members that point away from where the whole ensemble errs.

    The signature of a member is c_i(x) = ±1, right or wrong, that of the ensemble
    c = Σ_i w_i c_i. Members are ordered by the angle of c_i to the reference vector
    o - (o·c / c·c) c, with o the vector of ones; those beyond a right angle are left out, so there
    may be fewer than `max_members`, but always one. Inner products weigh the instances. Where the
    reference vanishes (every instance has the same share of right votes) o itself is taken.

    References
    ----------
    G. Martínez-Muñoz, A. Suárez. Pruning in ordered bagging ensembles. ICML 2006.
    """
    reference = votes.row_weights * _reference(votes)
    right = [reference[codes == votes.y].sum() for codes in votes.votes]
    cosines = 2 * np.array(right) - reference.sum()
    acute = np.count_nonzero(cosines > TIE)
    return ranked(-cosines)[: max(1, min(acute, max_members))]


def _reference(votes: Votes) -> Array:
    """Take from the ones their projection on the ensemble's signature, (n,)."""
    right = votes.totals[votes.y, np.arange(votes.n_instances)] / votes.units.sum()
    signature = 2 * right - 1
    length = votes.row_weights @ signature**2
    slope = votes.row_weights @ signature / length if length else 0.0
    reference = 1 - slope * signature
    return reference if votes.row_weights @ reference**2 > TIE else np.ones_like(reference)
