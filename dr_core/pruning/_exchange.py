"""The improved search of POAF: Pareto local search, and tabu walks along the front.

1. The front starts with a random sub-ensemble and all single members.
2. As long as the front has candidates whose neighbours have not been evaluated yet, the neighbours
   of a random one of these are evaluated (Pareto local search).
3. Otherwise a walk starts at a random candidate of the front. Each step evaluates all neighbours
   and moves to the best one, even if it is worse (tabu search). A member that joined or left may
   not move again for a few steps. The best is by a weighted sum of error and risk, with a weight
   that suits the place on the front: at its accurate end, error counts most.
4. A long search starts several times, as each start finds other parts of the front well. The
   second half of the iterations goes on from the front of all starts.

All neighbours that no candidate of the front weakly dominates enter the front. Neighbours have one
member more or less, or one swapped for another; where sizes must be odd, any two members move.

References
----------
F. Glover, M. Laguna. Tabu search. Kluwer, 1997.
L. Paquete, T. Schiavinotto, T. Stützle. On local optima in multiobjective combinatorial
optimization problems. Annals of Operations Research 156, 2007.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._objectives import ScalarObjective
from dr_core.pruning._odd_votes import OddVoteExplorer
from dr_core.pruning._pareto import Archive, find_nondominated
from dr_core.pruning._steps import Neighbours, Steps
from dr_core.pruning._ties import TieRule

__all__ = ["ExchangeSearch"]

MIN_ITER, MIN_ITER_MEMBERS, ITER_PER_MEMBER = 4000, 41, 300
"""Default number of iterations: the first for up to 41 members, 300 more for each beyond."""

MANY_INSTANCES, MAX_ITER_FACTOR = 1500, 3
"""Fewer instances make more local optima and each iteration cheaper. So ITER_PER_MEMBER grows in
inverse proportion to the number of instances below the first, up to this many times."""

START_LENGTH = 4000
"""Iterations of one start, if a search is long enough for several."""

SLOWDOWN = 20
"""Votes of unequal weights or more than two classes get a twentieth of it, as each iteration takes
many times as long."""

WALK_LENGTH = 60
"""Steps of a walk."""

TENURE = 1, 4
"""A member that moved rests for this many steps, less than the second."""

WEIGHT_SPREAD, LOWEST_WEIGHT = 0.15, 0.02
"""Standard deviation of the weight of error on a walk, and its distance from 0 and 1."""


class ExchangeSearch:
    """Search for the Pareto front; each `step` evaluates the neighbours of one sub-ensemble.

    Parameters
    ----------
    votes : Votes
    max_members : int
    trade_off : float
    rule : TieRule
    random : Generator

    Examples
    --------
    >>> votes = Votes([[0, 1], [0, 1], [1, 0]], [[0, 1], [0, 0], [1, 0]], y=[0, 1])
    >>> search = ExchangeSearch(votes, 3, 0.5, TieRule("cautious"), np.random.default_rng(0))
    >>> search.step()
    >>> search.archive.selected.astype(int), search.archive.errors, search.archive.risks
    (array([[1, 0, 0]]), array([0.]), array([0.]))
    """

    exchange = True

    @staticmethod
    def get_default_n_iter(votes: Votes, max_members: int) -> int:
        """Return enough for a nearly complete front."""
        is_fast = votes.n_classes == 2 and len(np.unique(votes.units[votes.units > 0])) == 1
        factor = min(max(MANY_INSTANCES / votes.n_instances, 1), MAX_ITER_FACTOR)
        n_extra = max(votes.n_members - MIN_ITER_MEMBERS, 0)
        n_iter = MIN_ITER + int(factor * ITER_PER_MEMBER * n_extra)
        return n_iter if is_fast else n_iter // SLOWDOWN

    def __init__(
        self,
        votes: Votes,
        max_members: int,
        trade_off: float,
        rule: TieRule,
        random: np.random.Generator,
    ) -> None:
        self.random, is_odd = random, rule.needs_odd_sizes(votes)
        self._max_members = max_members - (is_odd and max_members % 2 == 0)
        self._explorer: OddVoteExplorer | AnyVoteExplorer = (
            OddVoteExplorer(votes, self._max_members)
            if is_odd
            else AnyVoteExplorer(votes, self._max_members, rule)
        )
        self._objective = ScalarObjective.from_votes(votes, trade_off)
        self._n_members = votes.n_members
        self._explored: set[bytes] = set()
        self._walk: Walk | None = None
        self._front = Front()
        self._start()

    @property
    def archive(self) -> Archive:
        """The front found so far."""
        front = self._front
        objectives = self._objective(front.selected)
        return Archive(front.selected, front.errors, front.risks, objectives)

    @property
    def n_judged(self) -> int:
        """Number of sub-ensembles evaluated so far."""
        return self._explorer.n_judged

    def run(self, iterations: Collection[int]) -> None:
        """Make a step in each iteration, from several starts if there are enough of them."""
        n_starts, steps = len(iterations) // (2 * START_LENGTH), iter(iterations)
        fronts = []
        for _ in range(n_starts):
            for _ in islice(steps, START_LENGTH):
                self.step()
            fronts.append(self._front)
            self._start()
        if fronts:
            self._front = reduce(Front.merge, fronts)
        for _ in steps:
            self.step()

    def _start(self) -> None:
        """Begin with a random sub-ensemble and all single members."""
        self._explored, self._walk = set(), None
        start = np.zeros(self._n_members, dtype=bool)
        start[self.random.choice(self._n_members, self._max_members, replace=False)] = True
        starts = np.vstack([start, np.eye(self._n_members, dtype=bool)])
        scores = np.array([self._explorer.evaluate(selected) for selected in starts])
        self._front = Front().add(starts, *scores.T)

    def step(self) -> None:
        """Explore a candidate of the front if there is one left, else make a step of a walk."""
        unexplored = [] if self._walk else self._find_unexplored()
        if unexplored:
            self._explore(unexplored[self.random.integers(len(unexplored))])
        else:
            self._walk = self._walk_on(self._walk or self._start_walk())

    def _find_unexplored(self) -> list[Array]:
        return [s for s in self._front.selected if s.tobytes() not in self._explored]

    def _walk_on(self, walk: Walk) -> Walk | None:
        """Return the walk after a step to the best neighbour, None if it is over."""
        neighbours = self._explore(walk.selected)
        values = walk.weigh(neighbours)
        best = np.flatnonzero((values == values.min(initial=np.inf)) & (values < np.inf))
        if walk.n_steps + 1 == WALK_LENGTH or not len(best):
            return None
        position = best[self.random.integers(len(best))]
        return walk.move(neighbours.get_movers(position), *self.random.integers(*TENURE, 1))

    def _explore(self, selected: Array) -> Neighbours:
        """Return the neighbours of a sub-ensemble, and add the best to the front."""
        neighbours = self._explorer.explore(selected)
        self._explored.add(selected.tobytes())
        # The front weakly dominates the sub-ensemble, so also the neighbours that are better in
        # nothing. These are most of them, and it is cheaper to leave them out first.
        promising = neighbours.find_better_in_anything()
        errors, risks = neighbours.errors[promising], neighbours.risks[promising]
        better = promising[self._front.find_better(errors, risks)]
        if len(better):
            members = neighbours.get_selected(selected, better)
            errors, risks = neighbours.errors[better], neighbours.risks[better]
            self._front = self._front.add(members, errors, risks)
        return neighbours

    def _start_walk(self) -> Walk:
        """Start at a random candidate of the front, with a weight for its place."""
        front, place = self._front, int(self.random.integers(len(self._front.errors)))
        weight = 1 - (place + 0.5) / len(front.errors) + WEIGHT_SPREAD * self.random.normal()
        weight = min(max(weight, LOWEST_WEIGHT), 1 - LOWEST_WEIGHT)
        ranges = float(np.ptp(front.errors)) or 1.0, float(np.ptp(front.risks)) or 1.0
        selected = front.selected[place]
        return Walk(selected, weight, ranges, np.zeros(len(selected), dtype=int))


@dataclass(frozen=True, eq=False)
class Front:
    """Candidates of which none weakly dominates another, by ascending error.

    Examples
    --------
    >>> front = Front().add(np.eye(2, dtype=bool), np.array([0.2, 0.1]), np.array([0.1, 0.3]))
    >>> front.errors, front.find_better(np.array([0.1, 0.15, 0.3]), np.array([0.3, 0.2, 0.2]))
    (array([0.1, 0.2]), array([1]))
    """

    selected: Array = field(default_factory=lambda: np.empty((0, 0), dtype=bool))
    errors: Array = field(default_factory=lambda: np.empty(0))
    risks: Array = field(default_factory=lambda: np.empty(0))

    def find_better(self, errors: Array, risks: Array) -> Array:
        """Return the positions of points that nothing here weakly dominates."""
        # The candidate of the highest error not above that of a point has the lowest risk of all
        # that could dominate the point. A point left of all of them finds the risk of infinity.
        lowest = np.append(np.inf, self.risks)
        nearest = np.searchsorted(self.errors, errors, side="right")
        return np.flatnonzero((risks < lowest[nearest]) & (errors < np.inf))

    def add(self, selected: Array, errors: Array, risks: Array) -> Front:
        """Return the front of these candidates and new ones; of equal ones the first stays."""
        selected = np.concatenate([self.selected, selected]) if len(self.errors) else selected
        errors, risks = np.append(self.errors, errors), np.append(self.risks, risks)
        # find_nondominated keeps the last of equal points.
        kept = np.flatnonzero(find_nondominated(errors[::-1], risks[::-1])[::-1])
        kept = kept[np.argsort(errors[kept])]
        return Front(selected[kept], errors[kept], risks[kept])

    def merge(self, later: Front) -> Front:
        """Return the front of the candidates of both."""
        return self.add(later.selected, later.errors, later.risks)


@dataclass(frozen=True, eq=False)
class Walk:
    """Where a walk stands.

    Attributes
    ----------
    selected : bool array of shape (m,)
        The sub-ensemble reached.
    weight : float
        Weight of error against risk.
    ranges : pair of float
        Ranges of error and risk on the front, their units.
    rests_until : int array of shape (m,)
        The step from which on each member may move again.
    n_steps : int
        Steps made so far.
    """

    selected: Array
    weight: float
    ranges: tuple[float, float]
    rests_until: Array
    n_steps: int = 0

    def weigh(self, neighbours: Neighbours) -> Array:
        """Return weighted sums of error and risk, infinite where a member that moves must rest."""
        error_weight, risk_weight = (
            self.weight / self.ranges[0],
            (1 - self.weight) / self.ranges[1],
        )
        values = error_weight * neighbours.errors + risk_weight * neighbours.risks
        # The index -1, for no second member, picks the entry appended.
        is_resting = np.append(self.rests_until > self.n_steps, False)
        values[is_resting[neighbours.first] | is_resting[neighbours.second]] = np.inf
        return np.asarray(values)

    def move(self, movers: Array, rest: int) -> Walk:
        """Return the walk after these members have joined or left."""
        selected, rests_until, n_steps = (
            self.selected.copy(),
            self.rests_until.copy(),
            self.n_steps,
        )
        selected[movers] ^= True
        rests_until[movers] = n_steps + 1 + rest
        return Walk(selected, self.weight, self.ranges, rests_until, n_steps + 1)


class AnyVoteExplorer:
    """All neighbours of a sub-ensemble, whatever its weights and classes."""

    def __init__(self, votes: Votes, max_members: int, rule: TieRule) -> None:
        self._evaluator, self._max_members = SubEnsembleEvaluator(votes, rule), max_members
        self.evaluate = self._evaluator.evaluate

    @property
    def n_judged(self) -> int:
        """Number of sub-ensembles evaluated so far."""
        return self._evaluator.n_judged

    def explore(self, selected: Array) -> Neighbours:
        """Return the neighbours with their errors and risks."""
        steps = Steps.from_selected(selected, self._max_members, exchange=True)
        return self._evaluator.evaluate_neighbours(selected, steps)
