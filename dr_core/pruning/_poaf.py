"""POAF, Pareto optimal ensemble pruning for accuracy and fairness, the paper's algorithm 1.

1. The archive 𝒫 starts with one random sub-ensemble of k members.
2. In each iteration, take a random candidate of 𝒫 and flip each of its m bits with
   probability 1/m.
3. Offer the mutated candidate to 𝒫. It is rejected if a candidate of 𝒫 dominates it. Otherwise it
   is added, and the candidates it weakly dominates are removed.
4. If it was added, offer its neighbours to 𝒫 in the same way, in ascending order of 𝓛.
5. After the last iteration, select from 𝒫 the candidate with the lowest 𝓛.

The paper leaves some choices open. Here no candidate is empty or larger than k: a mutated
candidate that is too large loses random members, and an empty one gets a random member. Weights
are renormalised over the members kept. Neighbours whose 𝓛 agree to twelve decimals are offered in
the order leavers, joiners, swaps.

References
----------
Y. Bian. Improving fairness with ensemble combination: margin-dependent bounds. FAccT 2026.
"""

from __future__ import annotations

from math import comb

import numpy as np

from dr_core._utils import Array, RandomState, as_generator, is_integer
from dr_core.ensembles import Votes
from dr_core.pruning._exhaustive import MAX_EXHAUSTIVE_MEMBERS, find_true_front
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._objectives import ScalarObjective, check_trade_off, round_objectives
from dr_core.pruning._pareto import Archive
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
from dr_core.pruning._steps import Steps
from dr_core.pruning._ties import TieRule

__all__ = ["poaf"]

EXHAUSTIVE_SPEEDUP = 4
"""Candidates evaluated all at once in the time in which a search evaluates one."""


def poaf(
    votes: Votes,
    max_members: int,
    *,
    trade_off: float = 0.5,
    n_iter: int | None = None,
    neighbourhood: str = "exchange",
    selection: SelectionRule = "objective",
    accuracy_tolerance: float = ACCURACY_TOLERANCE,
    ties: str = "cautious",
    random_state: RandomState = None,
) -> PruningResult:
    """Prune an ensemble to at most `max_members`, searching for the Pareto front of 𝒢.

    Parameters
    ----------
    votes : Votes
        Votes of the members on x and x̃.
    max_members : int
        k, the largest size allowed.
    trade_off : float in [0, 1], default=0.5
        λ, the weight of accuracy in 𝓛.
    n_iter : int, optional
        Number of mutations. By default k, as in the paper.
    neighbourhood : "exchange" or "paper", default="exchange"
        "paper" is the algorithm as published: neighbours have one member more or less.
        "exchange" also swaps one member for another, and mixes two candidates before mutation:
        a candidate of k members can improve, and fronts are nearly complete. If that many
        iterations would evaluate a quarter of all sub-ensembles (m up to about 15), all of them
        are evaluated, and the front is the true one.
    selection : "objective", "largest", "min_risk" or callable, default="objective"
        The sub-ensemble to select from the front: the lowest 𝓛; the lowest 𝓛 among the largest
        sub-ensembles; the lowest risk within `accuracy_tolerance` of the lowest error; or the
        row whose position the callable returns for the front.
    accuracy_tolerance : float, default=0.02
        For `selection="min_risk"`.
    ties : "cautious" or "lowest", default="cautious"
        How to judge tied votes. "cautious" counts a tied vote as wrong, and as changed if any
        member changed. So error and risk are upper bounds for every way to break ties, and the
        same members are kept if classes are renamed. In a vote of two classes and equal weights
        only odd sizes are candidates. "lowest" gives ties to the lowest class, as in the paper.
    random_state : int, Generator, RandomState or None
        The same seed gives the same result.

    Returns
    -------
    PruningResult
        Its `front` holds every non-dominated sub-ensemble found.

    Examples
    --------
    The second member is always right and never changes:

    >>> votes = Votes(
    ...     [[0, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]],
    ...     [[0, 1, 1], [0, 1, 1], [0, 0, 1], [1, 0, 1]],
    ...     y=[0, 1, 1],
    ... )
    >>> poaf(votes, max_members=2, random_state=0)
    PruningResult(1 members [1], error 0.0000, risk 0.0000, objective 0.0000; front of 1)
    """
    k = check_max_members(max_members, votes)
    iterations, searcher = _check_n_iter(n_iter, k), _check_neighbourhood(neighbourhood)
    check_selection(selection, accuracy_tolerance)
    check_trade_off(trade_off)
    rule, pool = TieRule(ties), find_voting_members(votes)
    voting = votes if len(pool) == votes.n_members else votes.subset(pool)
    size = min(k, len(pool))
    if searcher.exchange and is_exhaustive_faster(len(pool), size, iterations):
        archive, n_judged = find_true_front(voting, size, trade_off, rule)
    else:
        search = searcher(voting, size, trade_off, rule, as_generator(random_state))
        for _ in range(iterations):
            search.step()
        archive, n_judged = search.archive, search.n_judged
    front = make_front_table(archive, pool)
    return make_result(front, select_from_front(front, selection, accuracy_tolerance), n_judged)


def is_exhaustive_faster(m: int, k: int, n_iter: int) -> bool:
    """Return whether evaluating all candidates takes no longer than a search.

    Examples
    --------
    >>> is_exhaustive_faster(m=11, k=5, n_iter=20), is_exhaustive_faster(m=101, k=50, n_iter=200)
    (True, False)
    """
    n_candidates = sum(comb(m, size) for size in range(1, k + 1))
    n_searched = n_iter * (m + k * (m - k))
    return m <= MAX_EXHAUSTIVE_MEMBERS and n_candidates <= EXHAUSTIVE_SPEEDUP * n_searched


class Search:
    """Algorithm 1 as published; `archive` is 𝒫."""

    exchange = False

    def __init__(
        self,
        votes: Votes,
        max_members: int,
        trade_off: float,
        rule: TieRule,
        random: np.random.Generator,
    ) -> None:
        self.n_members, self.random = votes.n_members, random
        self.is_odd = rule.needs_odd_sizes(votes)
        self.max_members = self.get_valid_size(max_members)
        self._evaluator = SubEnsembleEvaluator(votes, rule)
        self._objective = ScalarObjective.from_votes(votes, trade_off)
        self._evaluated: dict[bytes, Archive] = {}
        self._explored: dict[bytes, Archive] = {}
        start = np.zeros(self.n_members, dtype=bool)
        start[self.random.choice(self.n_members, self.max_members, replace=False)] = True
        self.archive = self.evaluate(start)

    @property
    def n_judged(self) -> int:
        """Number of sub-ensembles evaluated so far."""
        return self._evaluator.n_judged

    def step(self) -> None:
        """Mutate a candidate, and offer it and its neighbours to the archive."""
        child = self.mutate(self.archive.selected[self.random.integers(len(self.archive))])
        self.archive = self.archive.update(self.evaluate(child))
        if self.archive.contains(child):
            self.archive = self.archive.update(self.find_neighbours(child))

    def get_valid_size(self, size: int) -> int:
        """Return the size, or one less if it is even and sizes must be odd."""
        return size - 1 if self.is_odd and size % 2 == 0 else size

    def mutate(self, selected: Array) -> Array:
        """Flip each bit with probability 1/m, then repair a candidate of an invalid size."""
        child = selected ^ (self.random.random(self.n_members) < 1 / self.n_members)
        size = int(child.sum())
        surplus = size - min(self.get_valid_size(size), self.max_members) if size else 0
        if surplus > 0:
            child[self.random.choice(np.flatnonzero(child), surplus, replace=False)] = False
        if not child.any():
            child[self.random.integers(self.n_members)] = True
        return child

    def evaluate(self, selected: Array) -> Archive:
        """Return one candidate with its 𝒢 and 𝓛."""
        key = selected.tobytes()
        if key not in self._evaluated:
            error, risk = self._evaluator.evaluate(selected)
            values = ([value] for value in (error, risk, self._objective(selected)))
            self._evaluated[key] = Archive(selected[None], *(np.array(value) for value in values))
        return self._evaluated[key]

    def find_neighbours(self, selected: Array) -> Archive:
        """Return the neighbours that no other neighbour dominates, in ascending order of 𝓛."""
        key = selected.tobytes()
        if key not in self._explored:
            steps = Steps.from_selected(selected, self.max_members, self.exchange, self.is_odd)
            found = self._evaluator.evaluate_neighbours(selected, steps)
            objectives = self._objective.compute_neighbours(selected, found.first, found.second)
            order = np.argsort(round_objectives(objectives), kind="stable")
            kept = order[found.find_nondominated(order)]
            self._explored[key] = Archive(
                found.get_selected(selected, kept),
                found.errors[kept],
                found.risks[kept],
                objectives[kept],
            )
        return self._explored[key]


class ExchangeSearch(Search):
    """Algorithm 1 with three changes that bring it close to the true front.

    1. The archive also starts with all single members.
    2. A mixture of two candidates is mutated, up to m times, until the result is one whose
       neighbours have not been evaluated yet.
    3. Neighbours also swap one member for another. They are offered even if the mutated candidate
       was rejected.
    """

    exchange = True

    def __init__(
        self,
        votes: Votes,
        max_members: int,
        trade_off: float,
        rule: TieRule,
        random: np.random.Generator,
    ) -> None:
        super().__init__(votes, max_members, trade_off, rule, random)
        for single in np.eye(self.n_members, dtype=bool):
            self.archive = self.archive.update(self.evaluate(single))

    def step(self) -> None:
        """Mutate a mixture of two candidates, and offer it and its neighbours to the archive."""
        mixture = self.mix(*self.random.integers(len(self.archive), size=2))
        for _ in range(self.n_members):
            child = self.mutate(mixture)
            if child.tobytes() not in self._explored:
                break
        self.archive = self.archive.update(self.evaluate(child))
        self.archive = self.archive.update(self.find_neighbours(child))

    def mix(self, first: int, second: int) -> Array:
        """Take each bit from one of two candidates of the archive at random."""
        coins = self.random.random(self.n_members) < 0.5
        return np.where(coins, self.archive.selected[first], self.archive.selected[second])


def _check_neighbourhood(neighbourhood: str) -> type[Search]:
    searches = {"exchange": ExchangeSearch, "paper": Search}
    if isinstance(neighbourhood, str) and neighbourhood in searches:
        return searches[neighbourhood]
    raise ValueError(f'neighbourhood must be "exchange" or "paper"; got {neighbourhood!r}.')


def _check_n_iter(n_iter: int | None, default: int) -> int:
    if n_iter is None:
        return default
    if is_integer(n_iter) and n_iter >= 0:
        return int(n_iter)
    raise ValueError(f"n_iter must be an integer, 0 or more; got {n_iter!r}.")
