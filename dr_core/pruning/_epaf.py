"""EPAF, ensemble pruning for accuracy and fairness, centralised (EPAF-C) and distributed (EPAF-D).

The paper's algorithms 2 and 3. The "arbitrary" first member is the one with the lowest 𝓛(f, f);
of equally good members the first is taken. Like the paper's, the greedy sum gives every member the
same weight; the weights of the vote count when 𝓛 of whole sub-ensembles is compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core._utils import Array, RandomState, as_generator, call_each, is_whole
from dr_core.ensembles import Votes
from dr_core.pruning._arguments import checked_max_members, voters
from dr_core.pruning._neighbours import Judge
from dr_core.pruning._objectives import (
    ScalarObjective,
    checked_trade_off,
    comparable,
    error_units,
    tandem_units,
)
from dr_core.pruning._pareto import Archive
from dr_core.pruning._result import PruningResult, front_table

__all__ = ["epaf"]


def epaf(
    votes: Votes,
    max_members: int,
    *,
    trade_off: float = 0.5,
    n_groups: int = 1,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> PruningResult:
    """Prune an ensemble to `max_members`, greedily by 𝓛 of pairs.

    Parameters
    ----------
    votes : Votes
        Votes of the members on x and x̃.
    max_members : int
        k, the size to prune to.
    trade_off : float in [0, 1], default=0.5
        λ, the weight of accuracy in 𝓛.
    n_groups : int, default=1
        1 is EPAF-C. More is EPAF-D: each random group of members is pruned by itself, what they
        keep is pruned once more, and the best of all these by 𝓛 is the result.
    n_jobs : int, optional
        Groups pruned at the same time, through joblib, on whichever backend is active; the
        answer is the same on all.
    random_state : int, Generator, RandomState or None
        For the partition into groups only.

    Returns
    -------
    PruningResult
        Its `front` holds the non-dominated ones of the sub-ensembles looked at on the way: the
        first 1, 2, … k members chosen, for EPAF-D those of each group too. EPAF minimises 𝓛, not
        𝒢, so that its result need not be among them.

    Examples
    --------
    The first two members are right and never change:

    >>> votes = Votes(
    ...     [[0, 1, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]],
    ...     [[0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 0, 1]],
    ...     y=[0, 1, 1],
    ... )
    >>> epaf(votes, max_members=2).members
    array([0, 1])
    """
    k = checked_max_members(max_members, votes)
    checked_trade_off(trade_off)
    pool, errors = voters(votes), error_units(votes)
    groups = _partition(pool, _checked_groups(n_groups, len(pool)), as_generator(random_state))

    everyone = votes.changes, votes.units, errors, votes.row_units, k, trade_off
    kept = call_each(prune_group, [group.tolist() for group in groups], everyone, n_jobs=n_jobs)
    if len(groups) > 1:
        union = sorted(member for part in kept for member in part.members)
        kept.append(prune_group(union, *everyone))
    return _best(votes, kept)


@dataclass(frozen=True)
class Kept:
    """Members kept, in the order they were chosen, and 𝓛 of the first 1, 2, … of them."""

    members: Array
    objectives: Array


def prune_group(
    group: list[int],
    changes: Any,
    units: Array,
    errors: Array,
    row_units: Array,
    k: int,
    trade_off: float,
) -> Kept:
    """EPAF-C among the members of one group; the arrays are of all members."""
    tandem = tandem_units(changes[group], row_units)
    total = float(row_units.sum())
    objective = ScalarObjective(units[group], errors[group], tandem, total, trade_off)
    order = greedy_order(objective, min(k, len(group)))
    first = np.zeros((len(order), len(group)), dtype=bool)
    first[:, order] = np.tri(len(order), dtype=bool)
    return Kept(np.array(group)[order], objective(first))


def greedy_order(objective: ScalarObjective, length: int) -> Array:
    """Start with the lowest 𝓛(f, f), then keep adding the lowest Σ_{f′ ∈ H} 𝓛(f, f′).

    Errors and tandem risks are summed in whole row units, so that equals are seen to be equal.

    Examples
    --------
    >>> tandem = np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 2]])
    >>> greedy_order(ScalarObjective(np.ones(3), np.array([1.0, 2, 2]), tandem, 9.0, 0.5), 2)
    array([0, 2])
    """
    errors, tandem, trade_off = objective.errors, objective.tandem, objective.trade_off
    alone = trade_off * errors + (1 - trade_off) * tandem.diagonal()
    order = [int(comparable(alone / objective.n_units).argmin())]
    chosen_errors, with_chosen = errors[order[0]], tandem[order[0]].copy()
    while len(order) < length:
        mean_errors = (len(order) * errors + chosen_errors) / 2
        sums = trade_off * mean_errors + (1 - trade_off) * with_chosen
        sums[order] = np.inf
        order.append(int(comparable(sums / (len(order) * objective.n_units)).argmin()))
        chosen_errors += errors[order[-1]]
        with_chosen += tandem[order[-1]]
    return np.array(order)


def _partition(pool: Array, n_groups: int, random: np.random.Generator) -> list[Array]:
    """Split the members at random, as equally as possible; each group in ascending order."""
    if n_groups == 1:
        return [pool]
    return [np.sort(group) for group in np.array_split(random.permutation(pool), n_groups)]


def _best(votes: Votes, kept: list[Kept]) -> PruningResult:
    """Judge all that was looked at on the way, and return the finalist with the lowest 𝓛."""
    judge = Judge(votes)
    candidates = [part.members[:size] for part in kept for size in range(1, len(part.members) + 1)]
    selected = np.zeros((len(candidates), votes.n_members), dtype=bool)
    for row, members in zip(selected, candidates, strict=True):
        row[members] = True
    errors, risks = np.array([judge.judge(row) for row in selected]).T
    judged = Archive(selected, errors, risks, np.concatenate([part.objectives for part in kept]))
    finalists = np.cumsum([len(part.members) for part in kept]) - 1
    best = int(finalists[comparable(judged.objectives[finalists]).argmin()])
    return PruningResult(
        members=np.flatnonzero(selected[best]),
        error=float(errors[best]),
        risk=float(risks[best]),
        objective=float(judged.objectives[best]),
        front=front_table(judged, np.arange(votes.n_members)),
        n_judged=judge.n_judged,
    )


def _checked_groups(n_groups: int, n_members: int) -> int:
    if is_whole(n_groups) and 1 <= n_groups <= n_members:
        return int(n_groups)
    raise ValueError(
        f"n_groups must be a whole number from 1 to {n_members}, the number of members with a "
        f"say; found {n_groups!r}."
    )
