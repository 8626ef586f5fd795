"""The true Pareto front of a small ensemble, found by evaluating every sub-ensemble."""

from __future__ import annotations

import numpy as np

from dr_core._utils import Array, iter_slices
from dr_core.ensembles import EXACT_IN_FLOAT32, MAX_VOTES_PER_BLOCK, Votes, check_votes
from dr_core.pruning._class_losses import compute_class_losses
from dr_core.pruning._objectives import ScalarObjective, check_trade_off, round_objectives
from dr_core.pruning._pareto import Archive, find_nondominated
from dr_core.pruning._result import (
    ACCURACY_TOLERANCE,
    PruningResult,
    SelectionRule,
    check_max_members,
    check_selection,
    find_voting_members,
    make_front_table,
    make_result,
    select_from_front,
)
from dr_core.pruning._ties import TieRule

__all__ = ["exhaustive_front"]

MAX_EXHAUSTIVE_MEMBERS = 20
"""An ensemble of 20 members has about a million sub-ensembles."""

MAX_INSTANCES_TOGETHER = 256
"""Number of instances per block."""


def exhaustive_front(
    votes: Votes,
    max_members: int | None = None,
    *,
    trade_off: float = 0.5,
    selection: SelectionRule = "objective",
    accuracy_tolerance: float = ACCURACY_TOLERANCE,
    ties: str = "cautious",
) -> PruningResult:
    """Find the true Pareto front of an ensemble of up to 20 members.

    Parameters
    ----------
    votes : Votes
        Votes of the members on x and x̃.
    max_members : int, optional
        The largest size allowed. By default, the size of the ensemble.
    trade_off : float in [0, 1], default=0.5
        λ, the weight of accuracy in 𝓛.
    selection : "objective", "largest", "min_risk" or callable, default="objective"
        The sub-ensemble to select from the front, as in `poaf`.
    accuracy_tolerance : float, default=0.02
        For `selection="min_risk"`.
    ties : "cautious" or "lowest", default="cautious"
        How to judge tied votes, as in `poaf`.

    Returns
    -------
    PruningResult
        Of sub-ensembles with equal error and risk, `front` holds the one with the lowest 𝓛,
        and of these the smallest.

    Examples
    --------
    >>> votes = Votes(
    ...     [[0, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]],
    ...     [[0, 1, 1], [1, 1, 1], [0, 0, 1], [1, 0, 1]],
    ...     y=[0, 1, 1],
    ... )
    >>> exhaustive_front(votes).front.round(2)
      members  error  risk  objective
    0    (1,)   0.00  0.33       0.17
    1    (2,)   0.33  0.00       0.17
    """
    m = check_votes(votes).n_members
    k = check_max_members(m if max_members is None else max_members, votes)
    check_selection(selection, accuracy_tolerance)
    check_trade_off(trade_off)
    rule, pool = TieRule(ties), _check_pool(find_voting_members(votes))
    archive, n_judged = find_true_front(votes.subset(pool), min(k, len(pool)), trade_off, rule)
    front = make_front_table(archive, pool)
    losses = compute_class_losses(votes, front, rule) if selection == "min_risk" else 0.0
    position = select_from_front(front, selection, accuracy_tolerance, losses)
    return make_result(votes, front, position, n_judged)


def find_true_front(
    votes: Votes, max_members: int, trade_off: float, rule: TieRule
) -> tuple[Archive, int]:
    """Return the front of all sub-ensembles of up to `max_members` members, and their number."""
    selected = list_subsets(votes.n_members, max_members)
    if rule.needs_odd_sizes(votes):
        selected = selected[selected.sum(axis=1) % 2 == 1]
    errors, risks = evaluate_all(votes, selected, rule)
    best = _find_tied_with_front(errors, risks)
    objectives = ScalarObjective.from_votes(votes, trade_off)(selected[best])
    archive = Archive(selected[best], errors[best], risks[best], objectives)
    return archive.take(_order_best_last(archive)).get_front(), len(selected)


def list_subsets(m: int, size: int) -> Array:
    """Return all subsets of 1 to `size` out of m members, a bool array (s, m).

    Examples
    --------
    >>> list_subsets(2, 2).astype(int)
    array([[1, 0],
           [0, 1],
           [1, 1]])
    """
    # The bits of an integer are a subset: 5 = 0b101 is the subset of members 0 and 2.
    codes = np.arange(1, 2**m, dtype=np.uint32)[:, None]
    subsets = ((codes >> np.arange(m, dtype=np.uint32)) & 1).astype(bool)
    return subsets[subsets.sum(axis=1) <= size]


def evaluate_all(votes: Votes, selected: Array, rule: TieRule) -> tuple[Array, Array]:
    """Return 𝒢 of many sub-ensembles: their errors and their risks, (s,) each."""
    plain, perturbed, y, row_units = merge_equal_instances(votes)
    changes = plain != perturbed
    small = votes.units.sum() < EXACT_IN_FLOAT32
    units = votes.units.astype(np.float32 if small else np.float64)
    counts = np.zeros((2, len(selected)))
    for some in iter_slices(len(selected), MAX_VOTES_PER_BLOCK // MAX_INSTANCES_TOGETHER):
        weights = selected[some] * units
        for rows in iter_slices(len(y), MAX_INSTANCES_TOGETHER):
            vote = _decide_all(weights, plain[:, rows], votes.n_classes, rule)
            perturbed_vote = _decide_all(weights, perturbed[:, rows], votes.n_classes, rule)
            changed, undecided = rule.find_changes(vote, perturbed_vote)
            if undecided.any():
                changed |= undecided & (weights @ changes[:, rows].astype(units.dtype) > 0)
            counts[0, some] += (vote != y[rows]) @ row_units[rows]
            counts[1, some] += changed @ row_units[rows]
    errors, risks = counts / votes.row_units.sum()
    return errors, risks


def _decide_all(weights: Array, codes: Array, n_classes: int, rule: TieRule) -> Array:
    """Return the decisions of sub-ensembles of weights (s, m) on instances (m, c), (s, c)."""
    labels = range(n_classes)
    return rule.decide(weights @ (codes == label).astype(weights.dtype) for label in labels)


def merge_equal_instances(votes: Votes) -> tuple[Array, Array, Array, Array]:
    """Return votes on x and on x̃, y and row units, with equal instances merged into one.

    Two instances are equal if y and all votes on x and x̃ are; their row units are added.
    """
    m, everything = votes.n_members, np.vstack([votes.votes, votes.perturbed, votes.y])
    distinct, positions = np.unique(everything, axis=1, return_inverse=True)
    row_units = np.bincount(positions.ravel(), weights=votes.row_units)
    return distinct[:m], distinct[m:-1], distinct[-1], row_units


def _order_best_last(archive: Archive) -> Array:
    """Return positions by descending 𝓛, then descending size; of equal points the last stays."""
    sizes, positions = archive.selected.sum(axis=1), np.arange(len(archive))
    return np.lexsort((positions, sizes, round_objectives(archive.objectives)))[::-1]


def _find_tied_with_front(errors: Array, risks: Array) -> Array:
    """Return the positions of all points that no other dominates, equal points included."""
    # A point ties with the front if it equals the front point of the nearest error not above its
    # own. The front (0.1, 0.5), (0.3, 0.2) and the points (0.2, 0.5), (0.3, 0.2): the nearest are
    # (0.1, 0.5), which differs, and (0.3, 0.2), which is equal.
    front = np.flatnonzero(find_nondominated(errors, risks))
    front = front[np.argsort(errors[front])]
    nearest = front[np.searchsorted(errors[front], errors, side="right") - 1]
    return np.flatnonzero((errors == errors[nearest]) & (risks == risks[nearest]))


def _check_pool(pool: Array) -> Array:
    if len(pool) <= MAX_EXHAUSTIVE_MEMBERS:
        return pool
    raise ValueError(
        "exhaustive_front evaluates all sub-ensembles, so votes must have at most "
        f"{MAX_EXHAUSTIVE_MEMBERS} members; got {len(pool)}. Use poaf or epaf."
    )
