"""Ranking single members: by a fairness measure, and by deciles of accuracy or diversity.

**Fairness (DR, DP, EOpp, PP)**, as the paper defines it, with a = 1 the privileged group, a = 0
the others, and 1 the positive class:

- DR(f) = P(f(x) ≠ f(x̃))
- DP(f) = |P(f = 1 | a = 1) - P(f = 1 | a = 0)|
- EOpp(f) = |P(f = 1 | a = 1, y = 1) - P(f = 1 | a = 0, y = 1)|
- PP(f) = |P(y = 1 | a = 1, f = 1) - P(y = 1 | a = 0, f = 1)|

The positive class is the last of `votes.classes`. Members for which a measure is undefined (a
group has no such instance) rank last.

**Deciles (TSP.AP, TSP.DP)**, the two rules of two-stage pruning: keep the members whose score
reaches the t-th decile of all m scores, which is above ⌊t m / 10⌋ of them, t in 0 … 9. The
publication leaves t to the user; here it is the first t that keeps at most `max_members`. If ties
or the last decile still keep more, the best of them are kept.

References
----------
Y. Bian. Improving fairness with ensemble combination: margin-dependent bounds. FAccT 2026. It
compares DR with DP (M. Feldman et al., KDD 2015), EOpp (M. Hardt, E. Price, N. Srebro, NeurIPS
2016) and PP (A. Chouldechova, Big Data 5, 2017).
H. Zhang, Y. Song, B. Jiang, B. Chen, G. Shan. Two-stage bagging pruning for reducing the ensemble
size and improving the classification performance. Mathematical Problems in Engineering, 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nan

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning.baselines._greedy import SCORE_DECIMALS, rank
from dr_core.pruning.baselines._information import agreement_shares, joint_shares

Condition = Callable[[Array, Array], tuple[Array, Array]]
"""From positive votes and positive labels, bool arrays (n,), to event and condition."""


def rank_by_discriminative_risk(votes: Votes, max_members: int) -> Array:
    """DR: the members least sensitive to the perturbation, min P(f_i(x) ≠ f_i(x̃))."""
    return rank(votes.member_risks)[:max_members]


def rank_by_demographic_parity(votes: Votes, max_members: int, *, groups: Array) -> Array:
    """DP: the members with the smallest gap in P(f_i = 1)."""
    gaps = _compute_gaps(votes, groups, lambda voted, true: (voted, np.ones_like(true)))
    return _rank_gaps("DP", gaps, max_members)


def rank_by_equal_opportunity(votes: Votes, max_members: int, *, groups: Array) -> Array:
    """EOpp: the members with the smallest gap in P(f_i = 1 | y = 1)."""
    gaps = _compute_gaps(votes, groups, lambda voted, true: (voted, true))
    return _rank_gaps("EOpp", gaps, max_members)


def rank_by_predictive_parity(votes: Votes, max_members: int, *, groups: Array) -> Array:
    """PP: the members with the smallest gap in P(y = 1 | f_i = 1)."""
    gaps = _compute_gaps(votes, groups, lambda voted, true: (true, voted))
    return _rank_gaps("PP", gaps, max_members)


def _compute_gaps(votes: Votes, groups: Array, condition: Condition) -> Array:
    """Return |P(event | given, a = 1) - P(event | given, a = 0)| of each member, (m,)."""
    positive = votes.n_classes - 1
    pairs = (condition(codes == positive, votes.y == positive) for codes in votes.votes)
    return np.array(
        [
            abs(
                _compute_rate(votes, event, given & groups)
                - _compute_rate(votes, event, given & ~groups)
            )
            for event, given in pairs
        ]
    )


def _compute_rate(votes: Votes, event: Array, given: Array) -> float:
    """Return P(event | given), NaN if no instance is given."""
    share = votes.share(given)
    return votes.share(event & given) / share if share else nan


def _rank_gaps(name: str, gaps: Array, max_members: int) -> Array:
    if np.isnan(gaps).all():
        raise ValueError(
            f"{name} is undefined for every member: a group has no positive instance to compare. "
            "Prune with votes that have positive instances in both groups, or use DR."
        )
    return rank(gaps)[:max_members]


def accuracy_decile_pruning(votes: Votes, max_members: int) -> Array:
    """TSP.AP: members whose accuracy reaches a decile of all accuracies.

    {i : P(f_i = y) ≥ T}, T the t-th decile. The publication measures accuracy on the out-of-bag
    instances of the member; here it is measured on the instances of `votes`.
    """
    return _select_above_decile(1 - votes.member_errors, max_members)


def diversity_decile_pruning(votes: Votes, max_members: int) -> Array:
    """TSP.DP: members whose disagreement with the others reaches a decile of all.

    {i : Σ_j w_j P(f_i ≠ f_j) ≥ T}, T the t-th decile.

    This is our reading, not the rule of the publication. There DP is *distance*-based: it uses
    the distance of each new instance to the centre of the member's out-of-bag sample, and selects
    members for every instance. Votes contain neither features nor bootstrap samples. The paper
    lists TSP.DP as *diversity*-based; here it follows the same rule of deciles.
    """
    same = agreement_shares(joint_shares(votes.votes, votes.n_classes, votes.row_units))
    return _select_above_decile((1 - same) @ votes.weights, max_members)


def _select_above_decile(scores: Array, max_members: int) -> Array:
    """Return the members that reach the decile, highest score first."""
    # m = 10 scores and max_members = 4: the first t that leaves at most 4 is 6, so the score
    # above ⌊6 · 10 / 10⌋ = 6 others is the threshold.
    rounded, m = np.round(scores, SCORE_DECIMALS), len(scores)
    below = next((t * m // 10 for t in range(10) if m - t * m // 10 <= max_members), 9 * m // 10)
    reached = np.count_nonzero(rounded >= np.sort(rounded)[below])
    return rank(-scores)[: min(reached, max_members)]
