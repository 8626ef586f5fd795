"""The two rules of two-stage pruning: by accuracy (TSP.AP) and by diversity (TSP.DP).

Reference of both: H. Zhang, Y. Song, B. Jiang, B. Chen, G. Shan. Two-stage bagging pruning for
reducing the ensemble size and improving the classification performance. Mathematical Problems in
Engineering, 2019.

Both keep the members whose score reaches a decile of all scores: the t-th, above ⌊t m / 10⌋ of
the m scores, t in 0 … 9. The publication leaves t to the user; here it is the first that leaves at
most `max_members`. Where ties or the last decile still leave more, the best of them stay.
"""

from __future__ import annotations

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning.baselines._greedy import DECIMALS, ranked
from dr_core.pruning.baselines._joint import agreement, joint_shares


def accuracy_decile(votes: Votes, max_members: int) -> Array:
    """TSP.AP: members whose accuracy reaches a decile of all accuracies.

    {i : P(f_i = y) ≥ T}, T the t-th decile. The publication measures accuracy on the instances
    left out of the member's bootstrap sample; here it is that on the instances of `votes`.

    References
    ----------
    H. Zhang, Y. Song, B. Jiang, B. Chen, G. Shan. Two-stage bagging pruning for reducing the
    ensemble size and improving the classification performance. Mathematical Problems in
    Engineering, 2019.
    """
    return _above_decile(1 - votes.member_errors, max_members)


def diversity_decile(votes: Votes, max_members: int) -> Array:
    """TSP.DP: members whose disagreement with the others reaches a decile of all.

    {i : Σ_j w_j P(f_i ≠ f_j) ≥ T}, T the t-th decile.

    Our reading, not the publication's rule: its DP is *distance*-based, with the distance of each
    new instance to the centre of the member's out-of-bag sample, and chooses anew for every
    instance. Votes know no features and no bootstrap samples. The paper lists TSP.DP as
    *diversity*-based, which we follow with the same rule of deciles.

    References
    ----------
    H. Zhang, Y. Song, B. Jiang, B. Chen, G. Shan. Two-stage bagging pruning for reducing the
    ensemble size and improving the classification performance. Mathematical Problems in
    Engineering, 2019.
    """
    same = agreement(joint_shares(votes.votes, votes.n_classes, votes.row_units))
    return _above_decile((1 - same) @ votes.weights, max_members)


def _above_decile(scores: Array, max_members: int) -> Array:
    """Members from the decile on, highest score first."""
    rounded, m = np.round(scores, DECIMALS), len(scores)
    below = next((t * m // 10 for t in range(10) if m - t * m // 10 <= max_members), 9 * m // 10)
    reached = np.count_nonzero(rounded >= np.sort(rounded)[below])
    return ranked(-scores)[: min(reached, max_members)]
