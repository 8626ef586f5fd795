"""The true Pareto front of a small ensemble, by judging every sub-ensemble there is."""

from __future__ import annotations

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import BLOCK, EXACT_IN_FLOAT32, Votes, blocks, checked_votes
from dr_core.pruning._arguments import checked_max_members, voters
from dr_core.pruning._objectives import ScalarObjective, checked_trade_off, comparable
from dr_core.pruning._pareto import Archive, nondominated
from dr_core.pruning._result import (
    ACCURACY_TOLERANCE,
    PruningResult,
    Selection,
    check_selection,
    front_table,
    result_from,
    select,
)

__all__ = ["exhaustive_front"]

MOST_MEMBERS = 20

INSTANCES = 256
"""Instances looked at together."""


def exhaustive_front(
    votes: Votes,
    max_members: int | None = None,
    *,
    trade_off: float = 0.5,
    selection: Selection = "objective",
    accuracy_tolerance: float = ACCURACY_TOLERANCE,
) -> PruningResult:
    """Find the true Pareto front of an ensemble of up to 20 members.

    Parameters
    ----------
    votes : Votes
        Votes of the members on x and x̃.
    max_members : int, optional
        The largest size allowed; any when left out.
    trade_off : float in [0, 1], default=0.5
        λ, the weight of accuracy in 𝓛.
    selection : "objective", "largest", "min_risk" or callable, default="objective"
        What is picked from the front, as in `poaf`.
    accuracy_tolerance : float, default=0.02
        For `selection="min_risk"`.

    Returns
    -------
    PruningResult
        Of sub-ensembles with the same error and risk, `front` holds the one with the lowest 𝓛,
        of these the smallest.

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
    1  (1, 2)   0.33  0.00       0.12
    """
    m = checked_votes(votes).n_members
    k = checked_max_members(m if max_members is None else max_members, votes)
    check_selection(selection, accuracy_tolerance)
    checked_trade_off(trade_off)
    pool = voters(votes)
    if len(pool) > MOST_MEMBERS:
        raise ValueError(
            f"exhaustive_front judges all sub-ensembles of at most {MOST_MEMBERS} members; found "
            f"{len(pool)}. Use poaf or epaf."
        )
    archive, n_judged = true_front(votes.subset(pool), min(k, len(pool)), trade_off)
    front = front_table(archive, pool)
    return result_from(front, select(front, selection, accuracy_tolerance), n_judged)


def true_front(votes: Votes, max_members: int, trade_off: float) -> tuple[Archive, int]:
    """Judge all sub-ensembles of 1 to `max_members` members; their front and their number."""
    selected = subsets_up_to(votes.n_members, max_members)
    errors, risks = judge_all(votes, selected)
    best = _tied_with_the_front(errors, risks)
    objectives = ScalarObjective.of(votes, trade_off)(selected[best])
    archive = Archive(selected[best], errors[best], risks[best], objectives)
    return archive.at(_best_last(archive)).front(), len(selected)


def subsets_up_to(m: int, size: int) -> Array:
    """List all subsets of 1 to `size` out of m members, a bool array (s, m).

    Examples
    --------
    >>> subsets_up_to(2, 2).astype(int)
    array([[1, 0],
           [0, 1],
           [1, 1]])
    """
    codes = np.arange(1, 2**m, dtype=np.uint32)[:, None]
    subsets = ((codes >> np.arange(m, dtype=np.uint32)) & 1).astype(bool)
    return subsets[subsets.sum(axis=1) <= size]


def judge_all(votes: Votes, selected: Array) -> tuple[Array, Array]:
    """𝒢 of many sub-ensembles: their errors and their risks, (s,) each.

    Instances that look alike to all members are judged once.
    """
    plain, perturbed, y, row_units = _distinct_instances(votes)
    small = votes.units.sum() < EXACT_IN_FLOAT32
    units = votes.units.astype(np.float32 if small else np.float64)
    counts = np.zeros((2, len(selected)))
    for some in blocks(len(selected), BLOCK // INSTANCES):
        weights = selected[some] * units
        for rows in blocks(len(y), INSTANCES):
            vote = _votes(weights, plain[:, rows], votes.n_classes)
            perturbed_vote = _votes(weights, perturbed[:, rows], votes.n_classes)
            counts[0, some] += (vote != y[rows]) @ row_units[rows]
            counts[1, some] += (vote != perturbed_vote) @ row_units[rows]
    errors, risks = counts / votes.row_units.sum()
    return errors, risks


def _votes(weights: Array, codes: Array, n_classes: int) -> Array:
    """Votes of sub-ensembles with these weights, (s, m), on instances (m, c): codes (s, c)."""
    most = weights @ (codes == 0).astype(weights.dtype)
    vote = np.zeros(most.shape, codes.dtype)
    for label in range(1, n_classes):
        total = weights @ (codes == label).astype(weights.dtype)
        np.copyto(vote, label, where=total > most)
        np.maximum(most, total, out=most)
    return vote


def _distinct_instances(votes: Votes) -> tuple[Array, Array, Array, Array]:
    """Votes on x and x̃, y, and row units of the instances that differ in any of the first."""
    m, everything = votes.n_members, np.vstack([votes.votes, votes.perturbed, votes.y])
    distinct, positions = np.unique(everything, axis=1, return_inverse=True)
    row_units = np.bincount(positions.ravel(), weights=votes.row_units)
    return distinct[:m], distinct[m:-1], distinct[-1], row_units


def _best_last(archive: Archive) -> Array:
    """Order candidates by falling 𝓛, then falling size, so that the best of equals stays."""
    sizes, positions = archive.selected.sum(axis=1), np.arange(len(archive))
    return np.lexsort((positions, sizes, comparable(archive.objectives)))[::-1]


def _tied_with_the_front(errors: Array, risks: Array) -> Array:
    """List the points that no other dominates, equal ones included."""
    front = np.flatnonzero(nondominated(errors, risks))
    front = front[np.argsort(errors[front])]
    nearest = front[np.searchsorted(errors[front], errors, side="right") - 1]
    return np.flatnonzero((errors == errors[nearest]) & (risks == risks[nearest]))
