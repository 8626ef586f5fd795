"""Error and risk of sub-ensembles one step apart, from running totals of their votes.

Members that join or leave change the margin of the winning class by at most their own weights. So
only the *critical* instances, those with a margin that small, are counted again, and all
neighbours are evaluated together. Weights are integers (units), so every comparison is exact.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dr_core._utils import Array, iter_slices
from dr_core.ensembles import EXACT_IN_FLOAT32, MAX_VOTES_PER_BLOCK, Votes, find_leaders
from dr_core.pruning._steps import Neighbours, Steps
from dr_core.pruning._ties import TieRule

__all__ = ["SubEnsembleEvaluator"]

MAX_TOTALS_BYTES = 2**28
"""Memory for the running totals of sub-ensembles evaluated before."""

MAX_COMPARED = 64
"""The nearest sub-ensemble is searched among this many of the most recent."""


class SubEnsembleEvaluator:
    """Compute 𝒢 of sub-ensembles, each from the nearest one evaluated before.

    Parameters
    ----------
    votes : Votes
        Votes of the whole ensemble.
    rule : TieRule
        How to judge ties.

    Attributes
    ----------
    n_judged : int
        Number of sub-ensembles evaluated so far.

    Examples
    --------
    >>> votes = Votes([[0, 1], [0, 1], [1, 0]], [[0, 1], [0, 0], [1, 0]], y=[0, 1])
    >>> evaluator = SubEnsembleEvaluator(votes, TieRule("cautious"))
    >>> selected = np.array([True, True, True])
    >>> evaluator.evaluate(selected)
    (0.0, 0.5)
    >>> steps = Steps.from_selected(selected, max_members=3, exchange=False)
    >>> neighbours = evaluator.evaluate_neighbours(selected, steps)
    >>> neighbours.first, neighbours.errors
    (array([0, 1, 2]), array([1., 1., 0.]))
    """

    def __init__(self, votes: Votes, rule: TieRule) -> None:
        self.votes, self.rule = votes, rule
        self.n_judged = 0
        empty = SubEnsembleVote.make_empty(votes, rule)
        self._known = OrderedDict({empty.selected.tobytes(): empty})
        self._max_known = 1 + MAX_TOTALS_BYTES // empty.totals.nbytes

    def evaluate(self, selected: Array) -> tuple[float, float]:
        """Return 𝒢, the error and the risk, of the sub-ensemble `selected`, a bool array (m,)."""
        self.n_judged += 1
        vote = self._get_vote(selected)
        return self.votes.share(vote.wrong), self.votes.share(vote.changed)

    def evaluate_neighbours(self, selected: Array, steps: Steps) -> Neighbours:
        """Return 𝒢 of the sub-ensembles one of the `steps` away from `selected`."""
        vote, n_steps = self._get_vote(selected), len(steps.first)
        self.n_judged += n_steps
        # Where the margin is larger than what any step moves, the outcome is the same after all
        # steps and is counted once.
        reach = self.votes.units.max() * (2 if steps.pairs.size else 1)
        critical = vote.smaller_margin <= reach
        counts = np.repeat(self._count_outcomes(vote, ~critical), n_steps, axis=1)
        rows = np.flatnonzero(critical)
        for block in iter_slices(len(rows), MAX_VOTES_PER_BLOCK // self.votes.n_members):
            counts += CloseVote.from_rows(rows[block], vote).count_after(steps)
        errors, risks = counts / self.votes.row_units.sum()
        base = self.votes.share(vote.wrong), self.votes.share(vote.changed)
        return Neighbours(steps.first, steps.second, errors, risks, base)

    def _count_outcomes(self, vote: SubEnsembleVote, rows: Array) -> Array:
        """Return the row units with a wrong and with a changed vote among `rows`, (2, 1)."""
        outcomes = vote.wrong, vote.changed
        return np.array([[self.votes.count(outcome & rows)] for outcome in outcomes])

    def _get_vote(self, selected: Array) -> SubEnsembleVote:
        key = selected.tobytes()
        if key not in self._known:
            self._known[key] = self._find_nearest(selected).move_to(selected)
            if len(self._known) > self._max_known:
                self._known.popitem(last=False)
        self._known.move_to_end(key)
        return self._known[key]

    def _find_nearest(self, selected: Array) -> SubEnsembleVote:
        recent = list(self._known.values())[-MAX_COMPARED:]
        n_steps = (np.array([vote.selected for vote in recent]) != selected).sum(axis=1)
        return recent[int(n_steps.argmin())]


@dataclass(frozen=True, eq=False)
class SubEnsembleVote:
    """The vote of one sub-ensemble on all instances.

    Attributes
    ----------
    votes : Votes
        Votes of the whole ensemble.
    rule : TieRule
        How to judge ties.
    selected : bool array of shape (m,)
        The sub-ensemble.
    totals : array of shape (2, C, n)
        Units for each class, on x and on x̃; of type int16 if they fit.
    """

    votes: Votes
    rule: TieRule
    selected: Array
    totals: Array

    @classmethod
    def make_empty(cls, votes: Votes, rule: TieRule) -> SubEnsembleVote:
        """Return the vote of no members."""
        shape = 2, votes.n_classes, votes.n_instances
        totals = np.zeros(shape, np.int16 if votes.units.sum() < 2**15 else np.float64)
        return cls(votes, rule, np.zeros(votes.n_members, dtype=bool), totals)

    def move_to(self, selected: Array) -> SubEnsembleVote:
        """Return the vote of another sub-ensemble, from the members that leave and join."""
        votes, totals = self.votes, self.totals.copy()
        for member in np.flatnonzero(selected != self.selected):
            units = votes.units[member] if selected[member] else -votes.units[member]
            for side, codes in zip(totals, (votes.votes, votes.perturbed), strict=True):
                for label in range(1, votes.n_classes):
                    side[label] += totals.dtype.type(units) * (codes[member] == label)
        # Class 0 gets the units that no other class has, which saves one class per member.
        totals[:, 0] = votes.units[selected].sum()
        for label in range(1, votes.n_classes):
            totals[:, 0] -= totals[:, label]
        return replace(self, selected=selected.copy(), totals=totals)

    @cached_property
    def decisions(self) -> tuple[Array, Array]:
        """The decisions on x and on x̃, (n,) each."""
        return self.rule.decide(self.totals[0]), self.rule.decide(self.totals[1])

    @cached_property
    def wrong(self) -> Array:
        """Where the vote is wrong, (n,)."""
        return self.decisions[0] != self.votes.y

    @cached_property
    def changed(self) -> Array:
        """Where the vote on x̃ differs from the vote on x, (n,)."""
        changed, undecided = self.rule.find_changes(*self.decisions)
        rows, members = np.flatnonzero(undecided), np.flatnonzero(self.selected)
        if len(rows):
            part = np.ix_(members, rows)
            changed[rows] = (self.votes.votes[part] != self.votes.perturbed[part]).any(axis=0)
        return changed

    @property
    def smaller_margin(self) -> Array:
        """The smaller of the margins on x and on x̃, in units, (n,)."""
        return np.minimum(*(find_leaders(side).margin for side in self.totals))


@dataclass(frozen=True, eq=False)
class CloseVote:
    """The vote on c critical instances, on x (`plain`) and on x̃ (`perturbed`).

    Attributes
    ----------
    plain, perturbed : Side
    selected : bool array of shape (m,)
        The sub-ensemble.
    units : array of shape (m,)
        Weights of the members, as integers.
    y, row_units : arrays of shape (c,)
    rule : TieRule
        How to judge ties.
    """

    plain: Side
    perturbed: Side
    selected: Array
    units: Array
    y: Array
    row_units: Array
    rule: TieRule

    @classmethod
    def from_rows(cls, rows: Array, vote: SubEnsembleVote) -> CloseVote:
        """Take the vote of a sub-ensemble on these `rows` only."""
        votes = vote.votes
        totals = vote.totals[:, :, rows].astype(np.float64)
        return cls(
            Side(votes.votes[:, rows], totals[0], vote.rule),
            Side(votes.perturbed[:, rows], totals[1], vote.rule),
            vote.selected,
            votes.units,
            votes.y[rows],
            votes.row_units[rows],
            vote.rule,
        )

    def count_after(self, steps: Steps) -> Array:
        """Return the row units with a wrong and with a changed vote after each step, (2, s)."""
        counts = self._count_singles(steps.singles)
        if not steps.pairs.size:
            return counts
        count_pairs = self._count_pairs_by_products if self._has_odd_size else self._count_pairs
        return np.concatenate([counts, count_pairs(steps.pairs)], axis=1)

    @property
    def _has_odd_size(self) -> bool:
        """Whether this vote never ties, with two classes, equal weights and an odd size."""
        is_binary = len(self.plain.totals) == 2
        return is_binary and bool((self.units == 1).all()) and bool(self.selected.sum() % 2)

    def _count_singles(self, members: Array) -> Array:
        """Return the counts after each of these members has joined or left."""
        moved = np.where(self.selected, -self.units, self.units)[members, None]
        if (self.units != self.units[0]).any():
            return self._count_moves(members, moved)
        # Members of equal weights move the same units: -1 if they leave, +1 if they join.
        counts = np.empty((2, len(members)))
        for value in np.unique(moved):
            some = np.flatnonzero(moved == value)
            counts[:, some] = self._count_moves(members[some], moved[some[:1]])
        return counts

    def _count_moves(self, members: Array, moved: Array) -> Array:
        """Return the counts after each member has moved these units, (s, 1) or (1, 1)."""
        vote, perturbed = (s.decide_after(members, moved) for s in (self.plain, self.perturbed))
        changed, undecided = self.rule.find_changes(vote, perturbed)
        if undecided.any():
            changes = self.plain.codes != self.perturbed.codes
            n_changes = changes[self.selected].sum(axis=0)
            n_moved = np.where(self.selected[members, None], -1, 1) * changes[members]
            changed |= undecided & (n_changes + n_moved > 0)
        outcomes = vote != self.y, changed
        return np.array([outcome @ self.row_units for outcome in outcomes])

    def _count_pairs(self, pairs: Array) -> Array:
        """Return the counts after both members of each pair have joined or left."""
        starts = np.flatnonzero(np.diff(pairs[0], prepend=-1))
        found = [np.empty((2, 0))]
        for members in np.split(pairs, starts[1:], axis=1) if len(starts) else []:
            found.append(self._move(members[0, 0])._count_singles(members[1]))
        return np.concatenate(found, axis=1)

    def _move(self, member: int) -> CloseVote:
        """Return the close vote after one member has joined or left."""
        selected = self.selected.copy()
        selected[member] ^= True
        units = self.units[member] if selected[member] else -self.units[member]
        sides = (side.add(member, units) for side in (self.plain, self.perturbed))
        return replace(self, plain=next(sides), perturbed=next(sides), selected=selected)

    def _count_pairs_by_products(self, pairs: Array) -> Array:
        """Return the same counts for a vote that never ties, by products of matrices."""
        # Two moves turn the vote on an instance if its margin is 1 and both are against the
        # winner: a member that voted for it leaves, or one that votes for the other class joins.
        # This is a product of a 0/1 factor of each member, so the sum over instances is a product
        # of matrices (m, c) @ (c, m), whoever joins or leaves.
        #
        # Where the vote turns on x, right becomes wrong (+1) and wrong becomes right (-1): a vote
        # that turns on one right and two wrong instances of row units 1 adds 1 - 2 = -1. In the
        # same way an unchanged vote becomes changed, and the reverse, if it turns on exactly one
        # of x and x̃: (t - t t̃) + (t̃ - t t̃) with t, t̃ in {0, 1}. In this order no sum exceeds
        # that of all row units, so all sums are exact: in float32 if that is below 2**24.
        small = self.row_units.sum() < EXACT_IN_FLOAT32
        number = np.float32 if small else np.float64
        first, second = pairs
        vote, perturbed_vote = self.plain.decisions, self.perturbed.decisions
        wrong, changed = vote != self.y, vote != perturbed_vote
        gains = [((1 - 2.0 * now) * self.row_units).astype(number) for now in (wrong, changed)]
        against, against_perturbed = (
            side.find_against(self.selected).astype(number)
            for side in (self.plain, self.perturbed)
        )

        def sum_over_turns(factors: Array, gain: Array) -> Array:
            return ((factors * gain) @ factors.T)[first, second].astype(np.float64)

        wrong_after = sum_over_turns(against, gains[0])
        twice = sum_over_turns(np.minimum(against, against_perturbed), gains[1])
        changed_after = (sum_over_turns(against, gains[1]) - twice) + (
            sum_over_turns(against_perturbed, gains[1]) - twice
        )
        before = [[wrong @ self.row_units], [changed @ self.row_units]]
        return np.array([wrong_after, changed_after]) + before


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a close vote: x or x̃.

    Attributes
    ----------
    codes : array of shape (m, c)
        Votes of the whole ensemble.
    totals : array of shape (C, c)
        Units of the sub-ensemble for each class.
    rule : TieRule
        How to judge ties.
    """

    codes: Array
    totals: Array
    rule: TieRule

    @cached_property
    def decisions(self) -> Array:
        """The decision on each instance, (c,)."""
        return self.rule.decide(self.totals)

    def decide_after(self, members: Array, moved: Array) -> Array:
        """Return the decisions after each member has added `moved` units, (len(members), c)."""
        # A member moves the units of one class. That class wins, ties with the best of the others
        # or loses to it. With 4, 5 and 4 units the best of the classes other than 0 is class 1:
        # class 0 ties with it if a member of 1 unit joins, and wins with 2 units.
        # Products with booleans choose without branches, many times as fast as np.where: 1 where
        # a condition holds takes the new decision, 0 keeps the old one.
        codes = self.codes[members]
        after = np.zeros(codes.shape, self.decisions.dtype)
        for label, (gap, rivals) in enumerate(self._iter_gaps()):
            wins, ties = (
                rivals.dtype.type(label) - rivals,
                self.rule.settle(label, rivals) - rivals,
            )
            after += (codes == label) * (rivals + (moved > gap) * wins + (moved == gap) * ties)
        return after

    def _iter_gaps(self) -> Iterator[tuple[Array, Array]]:
        """Yield for each class how far it is behind the best of the others, and which that is."""
        n_classes = len(self.totals)
        if n_classes == 1:
            yield -np.inf * np.ones_like(self.totals[0]), self.decisions
            return
        for label in range(n_classes):
            # No class has less than 0 units, so a class of -1 never wins.
            others = self.totals.copy()
            others[label] = -1
            yield others.max(axis=0) - self.totals[label], self.rule.decide(others)

    def add(self, member: int, units: float) -> Side:
        """Return this side after `member` has added `units` to the class that it votes for."""
        totals = self.totals.copy()
        totals[self.codes[member], np.arange(totals.shape[1])] += units
        return replace(self, totals=totals)

    def find_against(self, selected: Array) -> Array:
        """Return whose move is against a winner with a margin of 1, a bool array (m, c)."""
        is_close = np.abs(self.totals[0] - self.totals[1]) == 1
        return ((self.codes == self.decisions) == selected[:, None]) & is_close
