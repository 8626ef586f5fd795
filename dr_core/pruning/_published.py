"""POAF as published: Pareto optimal ensemble pruning, the paper's algorithm 1.

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

from collections.abc import Iterable

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._objectives import ScalarObjective, round_objectives
from dr_core.pruning._pareto import Archive
from dr_core.pruning._steps import Steps
from dr_core.pruning._ties import TieRule

__all__ = ["PublishedSearch"]


class PublishedSearch:
    """Algorithm 1 as published; `archive` is 𝒫."""

    exchange = False

    @staticmethod
    def get_default_n_iter(votes: Votes, max_members: int) -> int:
        """Return k, as in the paper."""
        return max_members

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

    def run(self, iterations: Iterable[int]) -> None:
        """Make a step in each iteration."""
        for _ in iterations:
            self.step()

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
            steps = Steps.from_selected(selected, self.max_members, False, self.is_odd)
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
