"""POAF, Pareto optimal ensemble pruning for accuracy and fairness (the paper's algorithm 1).

What the paper leaves open is decided so: no candidate is empty or larger than k (a mutation that
is too large loses random members, an empty one gets one); weights are renormalised over the
members kept; neighbours whose 𝓛 agree to twelve decimals keep the order leavers, joiners, swaps.
"""

from __future__ import annotations

from math import comb

import numpy as np

from dr_core._utils import Array, RandomState, as_generator, is_whole
from dr_core.ensembles import Votes
from dr_core.pruning._arguments import checked_max_members, voters
from dr_core.pruning._exhaustive import MOST_MEMBERS, true_front
from dr_core.pruning._neighbours import Judge, Steps
from dr_core.pruning._objectives import ScalarObjective, checked_trade_off, comparable
from dr_core.pruning._pareto import Archive
from dr_core.pruning._result import (
    ACCURACY_TOLERANCE,
    PruningResult,
    Selection,
    check_selection,
    front_table,
    result_from,
    select,
)

__all__ = ["poaf"]

REACH = 4
"""Judging all candidates at once is faster than judging a quarter of them in a search."""


def poaf(
    votes: Votes,
    max_members: int,
    *,
    trade_off: float = 0.5,
    n_iter: int | None = None,
    neighbourhood: str = "exchange",
    selection: Selection = "objective",
    accuracy_tolerance: float = ACCURACY_TOLERANCE,
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
        Number of mutations; the paper's k when left out.
    neighbourhood : "exchange" or "paper", default="exchange"
        "paper" is the algorithm as published: neighbours have one member more or less.
        "exchange" also swaps one member for another, and mixes two candidates before mutation:
        a full-sized candidate can improve, and fronts come out nearly complete. Where that many
        iterations would judge a quarter of all sub-ensembles (m up to about 15), it judges them
        all, and the front is the true one.
    selection : "objective", "largest", "min_risk" or callable, default="objective"
        What is picked from the front: the lowest 𝓛, the lowest 𝓛 among the largest
        sub-ensembles, the lowest risk within `accuracy_tolerance` of the lowest error, or the row
        whose position the callable returns for the front.
    accuracy_tolerance : float, default=0.02
        For `selection="min_risk"`.
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
    k = checked_max_members(max_members, votes)
    iterations, searcher = _checked_iterations(n_iter, k), _checked_search(neighbourhood)
    check_selection(selection, accuracy_tolerance)
    checked_trade_off(trade_off)
    pool = voters(votes)
    everyone = votes if len(pool) == votes.n_members else votes.subset(pool)
    size = min(k, len(pool))
    if searcher.exchange and all_are_within_reach(len(pool), size, iterations):
        archive, n_judged = true_front(everyone, size, trade_off)
    else:
        search = searcher(everyone, size, trade_off, as_generator(random_state))
        for _ in range(iterations):
            search.step()
        archive, n_judged = search.archive, search.n_judged
    front = front_table(archive, pool)
    return result_from(front, select(front, selection, accuracy_tolerance), n_judged)


def all_are_within_reach(m: int, k: int, n_iter: int) -> bool:
    """Whether a search would judge so many candidates that judging all is the better choice.

    Examples
    --------
    >>> all_are_within_reach(m=11, k=5, n_iter=20), all_are_within_reach(m=101, k=50, n_iter=200)
    (True, False)
    """
    n_candidates = sum(comb(m, size) for size in range(1, k + 1))
    return m <= MOST_MEMBERS and n_candidates <= REACH * n_iter * (m + k * (m - k))


class Search:
    """Algorithm 1 as published; between two steps its state is the archive 𝒫."""

    exchange = False

    def __init__(
        self, votes: Votes, max_members: int, trade_off: float, random: np.random.Generator
    ) -> None:
        self.n_members, self.max_members, self.random = votes.n_members, max_members, random
        self._judge = Judge(votes)
        self._objective = ScalarObjective.of(votes, trade_off)
        self._judged: dict[bytes, Archive] = {}
        self._explored: dict[bytes, Archive] = {}
        start = np.zeros(self.n_members, dtype=bool)
        start[self.random.choice(self.n_members, max_members, replace=False)] = True
        self.archive = self.judged(start)

    @property
    def n_judged(self) -> int:
        """How many sub-ensembles have been judged."""
        return self._judge.n_judged

    def step(self) -> None:
        """Mutate a candidate, and offer the mutation and its neighbours to the archive."""
        child = self.mutated(self.archive.selected[self.random.integers(len(self.archive))])
        self.archive = self.archive.updated(self.judged(child))
        if self.archive.holds(child):
            self.archive = self.archive.updated(self.neighbours(child))

    def mutated(self, selected: Array) -> Array:
        """Flip each bit with probability 1/m, then repair what is too large or empty."""
        child = selected ^ (self.random.random(self.n_members) < 1 / self.n_members)
        surplus = int(child.sum()) - self.max_members
        if surplus > 0:
            child[self.random.choice(np.flatnonzero(child), surplus, replace=False)] = False
        if not child.any():
            child[self.random.integers(self.n_members)] = True
        return child

    def judged(self, selected: Array) -> Archive:
        """One candidate with its 𝒢 and 𝓛."""
        key = selected.tobytes()
        if key not in self._judged:
            error, risk = self._judge.judge(selected)
            values = ([value] for value in (error, risk, self._objective(selected)))
            self._judged[key] = Archive(selected[None], *(np.array(value) for value in values))
        return self._judged[key]

    def neighbours(self, selected: Array) -> Archive:
        """Neighbours in ascending order of 𝓛, without those that others of them drive out."""
        key = selected.tobytes()
        if key not in self._explored:
            steps = Steps.around(selected, self.max_members, self.exchange)
            found = self._judge.neighbours(selected, steps)
            objectives = self._objective.of_changes(selected, found.leaves, found.joins)
            order = np.argsort(comparable(objectives), kind="stable")
            kept = order[found.nondominated(order)]
            self._explored[key] = Archive(
                found.selected(selected, kept),
                found.errors[kept],
                found.risks[kept],
                objectives[kept],
            )
        return self._explored[key]


class ExchangeSearch(Search):
    """Algorithm 1 with what it takes to come close to the true front.

    Neighbours also swap one member for another. The archive starts with all single members too.
    Mutations are of a mixture of two candidates, repeated (up to m times) while the result has
    been looked around before, and looked around even if something dominates them.
    """

    exchange = True

    def __init__(
        self, votes: Votes, max_members: int, trade_off: float, random: np.random.Generator
    ) -> None:
        super().__init__(votes, max_members, trade_off, random)
        for single in np.eye(self.n_members, dtype=bool):
            self.archive = self.archive.updated(self.judged(single))

    def step(self) -> None:
        """Mutate a mixture, and offer the mutation and its neighbours to the archive."""
        mixture = self.mixed(*self.random.integers(len(self.archive), size=2))
        for _ in range(self.n_members):
            child = self.mutated(mixture)
            if child.tobytes() not in self._explored:
                break
        self.archive = self.archive.updated(self.judged(child))
        self.archive = self.archive.updated(self.neighbours(child))

    def mixed(self, first: int, second: int) -> Array:
        """Take each bit from one of two candidates at random."""
        coins = self.random.random(self.n_members) < 0.5
        return np.where(coins, self.archive.selected[first], self.archive.selected[second])


def _checked_search(neighbourhood: str) -> type[Search]:
    searches = {"exchange": ExchangeSearch, "paper": Search}
    if isinstance(neighbourhood, str) and neighbourhood in searches:
        return searches[neighbourhood]
    raise ValueError(f'neighbourhood must be "exchange" or "paper"; found {neighbourhood!r}.')


def _checked_iterations(n_iter: int | None, default: int) -> int:
    if n_iter is None:
        return default
    if is_whole(n_iter) and n_iter >= 0:
        return int(n_iter)
    raise ValueError(f"n_iter must be a whole number, at least 0; found {n_iter!r}.")
