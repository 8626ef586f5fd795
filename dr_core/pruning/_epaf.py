"""EPAF, ensemble pruning for accuracy and fairness, the paper's algorithms 2 and 3.

Algorithm 2, centralised (EPAF-C):

1. H starts with one member. The paper takes an arbitrary one; here it is the one with the lowest
   𝓛(f, f).
2. While H has fewer than k members, add the member f with the lowest Σ_{f′ ∈ H} 𝓛(f, f′).

Algorithm 3, distributed (EPAF-D):

1. Split the members at random into groups.
2. Prune each group to k members by EPAF-C.
3. Prune the union of the members kept to k members by EPAF-C.
4. Return the sub-ensemble of steps 2 and 3 with the lowest 𝓛.

Ties go to the first member. As in the paper, the greedy sum gives every member the same weight;
the weights of the vote are used when 𝓛 of whole sub-ensembles is compared.

References
----------
Y. Bian. Improving fairness with ensemble combination: margin-dependent bounds. FAccT 2026.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core._utils import Array, RandomState, as_generator, call_each, is_integer
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._objectives import (
    ScalarObjective,
    check_trade_off,
    compute_error_units,
    compute_tandem_units,
    round_objectives,
)
from dr_core.pruning._pareto import Archive
from dr_core.pruning._result import (
    PruningResult,
    check_max_members,
    describe_kept,
    find_voting_members,
    make_front_table,
)
from dr_core.pruning._ties import TieRule

__all__ = ["epaf"]


def epaf(
    votes: Votes,
    max_members: int,
    *,
    trade_off: float = 0.5,
    n_groups: int = 1,
    ties: str = "cautious",
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
        1 is EPAF-C. More is EPAF-D: each random group of members is pruned by itself, the union
        of the members kept is pruned once more, and the best of these sub-ensembles by 𝓛 is
        returned.
    ties : "cautious" or "lowest", default="cautious"
        How to judge tied votes, as in `poaf`. By default, a vote of two classes and equal weights
        is pruned to an odd size: k, or k - 1 if k is even.
    n_jobs : int, optional
        Number of groups pruned at the same time by joblib: in threads, unless
        ``joblib.parallel_config`` chooses another backend, such as processes or a Dask cluster.
        The result does not depend on it.
    random_state : int, Generator, RandomState or None
        Used only to split the members into groups.

    Returns
    -------
    PruningResult
        Its `front` holds the non-dominated of the sub-ensembles evaluated: the first 1, 2, … k
        members chosen (odd numbers only where the result must be odd), for EPAF-D also those of
        each group. EPAF minimises 𝓛, not 𝒢, so the result need not be in the front.

    Examples
    --------
    The first three members are right and never change:

    >>> votes = Votes(
    ...     [[0, 1, 1], [0, 1, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]],
    ...     [[0, 1, 1], [0, 1, 1], [0, 1, 1], [1, 0, 1], [1, 0, 1]],
    ...     y=[0, 1, 1],
    ... )
    >>> epaf(votes, max_members=3).members
    array([0, 1, 2])
    """
    k, rule = check_max_members(max_members, votes), TieRule(ties)
    check_trade_off(trade_off)
    pool, errors = find_voting_members(votes), compute_error_units(votes)
    groups = _partition(pool, _check_n_groups(n_groups, len(pool)), as_generator(random_state))

    step = 2 if rule.needs_odd_sizes(votes) else 1
    shared = votes.changes, votes.units, errors, votes.row_units, k, trade_off, step
    tasks = [group.tolist() for group in groups]
    # Threads share the votes and start at once; the matrix products release Python's lock.
    pruned = call_each(prune_group, tasks, shared, n_jobs=n_jobs, prefer="threads")
    if len(groups) > 1:
        union = sorted(member for group in pruned for member in group.members)
        pruned.append(prune_group(union, *shared))
    return _select_best(votes, pruned, rule)


@dataclass(frozen=True)
class PrunedGroup:
    """Members kept of a group, in the order chosen.

    Attributes
    ----------
    members : array of indices
    sizes : array of ascending sizes; the last is that of all members kept
    objectives : 𝓛 of the first members chosen, of each of these sizes
    """

    members: Array
    sizes: Array
    objectives: Array


def prune_group(
    group: list[int],
    changes: Any,
    units: Array,
    errors: Array,
    row_units: Array,
    k: int,
    trade_off: float,
    step: int,
) -> PrunedGroup:
    """Prune the members of one group by EPAF-C; the arrays are those of all members.

    Sizes are 1, 1 + `step`, 1 + 2 `step` and so on.
    """
    tandem = compute_tandem_units(changes[group], row_units)
    total = float(row_units.sum())
    objective = ScalarObjective(units[group], errors[group], tandem, total, trade_off)
    sizes = np.arange(1, min(k, len(group)) + 1, step)
    order = order_greedily(objective, sizes[-1])
    # Row i selects the first sizes[i] members chosen: order (2, 0) of three members gives
    # rows (0, 0, 1) and (1, 0, 1).
    first = np.zeros((len(sizes), len(group)), dtype=bool)
    first[:, order] = np.arange(len(order)) < sizes[:, None]
    return PrunedGroup(np.array(group)[order], sizes, objective(first))


def order_greedily(objective: ScalarObjective, length: int) -> Array:
    """Start with the lowest 𝓛(f, f), then keep adding the lowest Σ_{f′ ∈ H} 𝓛(f, f′).

    Examples
    --------
    >>> tandem = np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 2]])
    >>> order_greedily(ScalarObjective(np.ones(3), np.array([1.0, 2, 2]), tandem, 9.0, 0.5), 2)
    array([0, 2])
    """
    # Running sums over H make each addition cost O(m):
    #   Σ 𝓛(f, f′) = λ (|H| err(f) + Σ err(f′))/2 + (1 - λ) Σ L(f, f′).
    # They are sums of integers (row units), so that equal members compare as equal.
    errors, tandem, trade_off = objective.errors, objective.tandem, objective.trade_off
    alone = trade_off * errors + (1 - trade_off) * tandem.diagonal()
    order = [int(round_objectives(alone / objective.n_units).argmin())]
    chosen_errors, with_chosen = errors[order[0]], tandem[order[0]].copy()
    while len(order) < length:
        mean_errors = (len(order) * errors + chosen_errors) / 2
        sums = trade_off * mean_errors + (1 - trade_off) * with_chosen
        sums[order] = np.inf
        order.append(int(round_objectives(sums / (len(order) * objective.n_units)).argmin()))
        chosen_errors += errors[order[-1]]
        with_chosen += tandem[order[-1]]
    return np.array(order)


def _partition(pool: Array, n_groups: int, random: np.random.Generator) -> list[Array]:
    """Split the members at random into groups of nearly equal size, each in ascending order."""
    if n_groups == 1:
        return [pool]
    return [np.sort(group) for group in np.array_split(random.permutation(pool), n_groups)]


def _select_best(votes: Votes, pruned: list[PrunedGroup], rule: TieRule) -> PruningResult:
    """Return the pruned group with the lowest 𝓛."""
    evaluator = SubEnsembleEvaluator(votes, rule)
    evaluated = _evaluate_prefixes(evaluator, pruned)
    complete = np.cumsum([len(group.sizes) for group in pruned]) - 1
    best = int(complete[round_objectives(evaluated.objectives[complete]).argmin()])
    return describe_kept(
        votes,
        members=np.flatnonzero(evaluated.selected[best]),
        error=float(evaluated.errors[best]),
        risk=float(evaluated.risks[best]),
        objective=float(evaluated.objectives[best]),
        front=make_front_table(evaluated, np.arange(votes.n_members)),
        n_judged=evaluator.n_judged,
    )


def _evaluate_prefixes(evaluator: SubEnsembleEvaluator, pruned: list[PrunedGroup]) -> Archive:
    """Evaluate the first members of each group, of each size; the last is the whole group."""
    prefixes = [group.members[:size] for group in pruned for size in group.sizes]
    selected = np.zeros((len(prefixes), evaluator.votes.n_members), dtype=bool)
    for row, members in zip(selected, prefixes, strict=True):
        row[members] = True
    errors, risks = np.array([evaluator.evaluate(row) for row in selected]).T
    return Archive(selected, errors, risks, np.concatenate([group.objectives for group in pruned]))


def _check_n_groups(n_groups: int, n_members: int) -> int:
    if is_integer(n_groups) and 1 <= n_groups <= n_members:
        return int(n_groups)
    raise ValueError(
        f"n_groups must be an integer from 1 to {n_members}, the number of members of nonzero "
        f"weight; got {n_groups!r}."
    )
