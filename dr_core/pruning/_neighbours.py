"""Error and risk of sub-ensembles one step apart, from running totals of their votes.

A member that joins or leaves changes the lead of the winning class by at most its own weight. So
only the *critical* instances, those with a lead that small, are counted again, and all neighbours
are evaluated together.

Weights are integers (units), and ties of the vote go to the lower class. The *lead* of the winner
is the number of units it must lose for the vote to turn. With 5 units for class 0 and 4 for
class 1 it is 2, since class 0 still wins a tie of 4 to 4. With 4 units for class 0 and 5 for
class 1 it is 1, since class 0 wins the tie.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dr_core._utils import Array, iter_slices
from dr_core.ensembles import MAX_VOTES_PER_BLOCK, Leaders, Votes, find_leaders
from dr_core.pruning._pareto import find_nondominated

__all__ = ["Neighbours", "Steps", "SubEnsembleEvaluator"]

MAX_TOTALS_BYTES = 2**28
"""Memory for the running totals of sub-ensembles evaluated before."""

MAX_COMPARED = 64
"""The nearest sub-ensemble is searched among this many of the most recent."""

NO_MEMBER = -1


@dataclass(frozen=True)
class Steps:
    """Steps from a sub-ensemble to its neighbours, as arrays of member indices.

    Attributes
    ----------
    leaving, joining : int arrays
        Members each of which leaves, or joins, in a step of its own.
    swapped_out, swapped_in : int arrays
        Each of the first is swapped for each of the second.
    """

    leaving: Array
    joining: Array
    swapped_out: Array
    swapped_in: Array

    @classmethod
    def from_selected(cls, selected: Array, max_members: int, exchange: bool) -> Steps:
        """List the steps to sub-ensembles that are neither empty nor too large.

        Parameters
        ----------
        selected : bool array of shape (m,)
            The sub-ensemble.
        max_members : int
            The largest size allowed.
        exchange : bool
            Whether members may be swapped.
        """
        members, others = np.flatnonzero(selected), np.flatnonzero(~selected)
        no_members = members[:0]
        return cls(
            leaving=members if len(members) > 1 else no_members,
            joining=others if len(members) < max_members else no_members,
            swapped_out=members if exchange else no_members,
            swapped_in=others if exchange else no_members,
        )

    @property
    def leavers(self) -> Array:
        """The member that leaves in each step, -1 for none, (s,)."""
        return np.concatenate(
            [
                self.leaving,
                np.full(len(self.joining), NO_MEMBER),
                np.repeat(self.swapped_out, len(self.swapped_in)),
            ]
        )

    @property
    def joiners(self) -> Array:
        """The member that joins in each step, -1 for none, (s,)."""
        return np.concatenate(
            [
                np.full(len(self.leaving), NO_MEMBER),
                self.joining,
                np.tile(self.swapped_in, len(self.swapped_out)),
            ]
        )


@dataclass(frozen=True)
class Neighbours:
    """Sub-ensembles one step from another, with their scores; all arrays have shape (s,)."""

    leavers: Array
    joiners: Array
    errors: Array
    risks: Array

    def find_nondominated(self, positions: Array) -> Array:
        """Return which of the neighbours at `positions` no other of them dominates."""
        return find_nondominated(self.errors[positions], self.risks[positions])

    def get_selected(self, base: Array, positions: Array) -> Array:
        """Return the members of the neighbours of `base` at `positions`, a bool array (s, m)."""
        members = np.tile(base, (len(positions), 1))
        for movers, value in ((self.leavers[positions], False), (self.joiners[positions], True)):
            rows = np.flatnonzero(movers != NO_MEMBER)
            members[rows, movers[rows]] = value
        return members


class SubEnsembleEvaluator:
    """Compute 𝒢 of sub-ensembles, each from the nearest one evaluated before.

    Parameters
    ----------
    votes : Votes
        Votes of the whole ensemble.

    Attributes
    ----------
    n_judged : int
        Number of sub-ensembles evaluated so far.

    Examples
    --------
    >>> votes = Votes([[0, 1], [0, 1], [1, 0]], [[0, 1], [0, 0], [1, 0]], y=[0, 1])
    >>> evaluator = SubEnsembleEvaluator(votes)
    >>> selected = np.array([True, True, True])
    >>> evaluator.evaluate(selected)
    (0.0, 0.5)
    >>> steps = Steps.from_selected(selected, max_members=3, exchange=False)
    >>> neighbours = evaluator.evaluate_neighbours(selected, steps)
    >>> neighbours.leavers, neighbours.errors
    (array([0, 1, 2]), array([0.5, 0.5, 0. ]))
    """

    def __init__(self, votes: Votes) -> None:
        self.votes = votes
        self.n_judged = 0
        empty = SubEnsembleVote.make_empty(votes)
        self._known = OrderedDict({empty.selected.tobytes(): empty})
        self._max_known = 1 + MAX_TOTALS_BYTES // empty.totals.nbytes

    def evaluate(self, selected: Array) -> tuple[float, float]:
        """Return 𝒢, the error and the risk, of the sub-ensemble `selected`, a bool array (m,)."""
        self.n_judged += 1
        vote = self._get_vote(selected)
        return self.votes.share(vote.wrong), self.votes.share(vote.changed)

    def evaluate_neighbours(self, selected: Array, steps: Steps) -> Neighbours:
        """Return 𝒢 of the sub-ensembles one of the `steps` away from `selected`."""
        vote = self._get_vote(selected)
        leavers, joiners = steps.leavers, steps.joiners
        self.n_judged += len(leavers)
        # A swap moves the units of two members. Where the lead is larger than what any step
        # moves, the outcome is the same after all steps and is counted once.
        reach = self.votes.units.max() * (2 if len(steps.swapped_out) else 1)
        critical = vote.smaller_lead <= reach
        counts = np.repeat(self._count_outcomes(vote, ~critical), len(leavers), axis=1)
        rows = np.flatnonzero(critical)
        for block in iter_slices(len(rows), MAX_VOTES_PER_BLOCK // self.votes.n_members):
            counts += CloseVote.from_rows(rows[block], vote).count_after(steps)
        errors, risks = counts / self.votes.row_units.sum()
        return Neighbours(leavers, joiners, errors, risks)

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
    selected : bool array of shape (m,)
        The sub-ensemble.
    totals : array of shape (2, C, n)
        Units for each class, on x and on x̃; of type int16 if they fit.
    """

    votes: Votes
    selected: Array
    totals: Array

    @classmethod
    def make_empty(cls, votes: Votes) -> SubEnsembleVote:
        """Return the vote of no members."""
        shape = 2, votes.n_classes, votes.n_instances
        totals = np.zeros(shape, np.int16 if votes.units.sum() < 2**15 else np.float64)
        return cls(votes, np.zeros(votes.n_members, dtype=bool), totals)

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
        return SubEnsembleVote(votes, selected.copy(), totals)

    @cached_property
    def leaders(self) -> tuple[Leaders, Leaders]:
        """Winner and runner-up on x and on x̃."""
        return find_leaders(self.totals[0]), find_leaders(self.totals[1])

    @cached_property
    def wrong(self) -> Array:
        """Where the vote is wrong, (n,)."""
        return self.leaders[0].winner != self.votes.y

    @cached_property
    def changed(self) -> Array:
        """Where the vote on x̃ differs from the vote on x, (n,)."""
        return self.leaders[0].winner != self.leaders[1].winner

    @property
    def smaller_lead(self) -> Array:
        """Units that must move for the vote on x or on x̃ to turn, (n,)."""
        return np.minimum(self.leaders[0].lead, self.leaders[1].lead)


@dataclass(frozen=True)
class CloseVote:
    """The vote on c critical instances, on x (`plain`) and on x̃ (`perturbed`)."""

    plain: Side
    perturbed: Side
    y: Array
    row_units: Array

    @classmethod
    def from_rows(cls, rows: Array, vote: SubEnsembleVote) -> CloseVote:
        """Take the vote of a sub-ensemble on these `rows` only."""
        votes = vote.votes
        totals = vote.totals[:, :, rows].astype(np.float64)
        return cls(
            Side(votes.votes[:, rows], totals[0], votes.units),
            Side(votes.perturbed[:, rows], totals[1], votes.units),
            votes.y[rows],
            votes.row_units[rows],
        )

    def count_after(self, steps: Steps) -> Array:
        """Return the row units with a wrong and with a changed vote after each step, (2, s)."""
        sides, leaving, joining = (self.plain, self.perturbed), steps.leaving, steps.joining
        return np.concatenate(
            [
                self._count(*(side.vote_without_each(leaving) for side in sides)),
                self._count(*(side.vote_with_each(joining) for side in sides)),
                self._count_swaps(steps.swapped_out, steps.swapped_in),
            ],
            axis=1,
        )

    def _count(self, vote: Array, perturbed_vote: Array) -> Array:
        """Return the row units with a wrong and with a changed vote, (2, s), of votes (s, c)."""
        outcomes = vote != self.y, vote != perturbed_vote
        return np.array([outcome @ self.row_units for outcome in outcomes])

    def _count_swaps(self, leavers: Array, joiners: Array) -> Array:
        """Return the counts of all pairs, in the order of the leavers."""
        if len(leavers) * len(joiners) == 0:
            return np.empty((2, 0))
        if self.plain.is_uniform and len(self.plain.totals) == 2:
            return self._count_swaps_by_products(leavers, joiners)
        swaps = []
        for member in leavers:
            sides = self.plain.remove(member), self.perturbed.remove(member)
            swaps.append(self._count(*(side.vote_with_each(joiners) for side in sides)))
        return np.concatenate(swaps, axis=1)

    def _count_swaps_by_products(self, leavers: Array, joiners: Array) -> Array:
        """Return the same counts for two classes and equal weights, by products of matrices."""
        # A swap turns the vote on an instance if the leaver voted for the winner, the joiner
        # votes for the other class, and the lead is at most 2 units. This is a product of a 0/1
        # factor of the leaver and one of the joiner, so the sum over instances is a product of
        # matrices (leavers, c) @ (c, joiners).
        #
        # Where the vote turns on x, right becomes wrong (+1) and wrong becomes right (-1): a vote
        # that turns on one right and two wrong instances of row units 1 adds 1 - 2 = -1. In the
        # same way an unchanged vote becomes changed, and the reverse, if it turns on exactly one
        # of x and x̃: (t - t t̃) + (t̃ - t t̃) with t, t̃ in {0, 1}. In this order no sum exceeds
        # that of all row units, which is below 2**53, so all sums are exact.
        out, into = self.plain.find_turns(leavers, joiners)
        out_perturbed, into_perturbed = self.perturbed.find_turns(leavers, joiners)
        vote = self.plain.leaders.winner
        wrong, changed = vote != self.y, vote != self.perturbed.leaders.winner
        wrong_gain, changed_gain = ((1 - 2.0 * now) * self.row_units for now in (wrong, changed))
        wrong_after = (out * wrong_gain) @ into.T
        both = ((out & out_perturbed) * changed_gain) @ (into & into_perturbed).T
        changed_after = ((out * changed_gain) @ into.T - both) + (
            (out_perturbed * changed_gain) @ into_perturbed.T - both
        )
        before = [[wrong @ self.row_units], [changed @ self.row_units]]
        return np.array([wrong_after.ravel(), changed_after.ravel()]) + before


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a close vote: x or x̃.

    Attributes
    ----------
    codes : array of shape (m, c)
        Votes of the whole ensemble.
    totals : array of shape (C, c)
        Units of the sub-ensemble for each class.
    units : array of shape (m,)
        Weights of the members, as integers.
    """

    codes: Array
    totals: Array
    units: Array

    @cached_property
    def leaders(self) -> Leaders:
        """Winner and runner-up on each instance."""
        return find_leaders(self.totals)

    @cached_property
    def is_uniform(self) -> bool:
        """Whether all members have the same weight."""
        return bool((self.units == 1).all())

    def vote_without_each(self, leavers: Array) -> Array:
        """Return the vote after each of these members has left, (len(leavers), c)."""
        # The runner-up wins if the leaver takes at least the lead from the winner. Class 0 leads
        # class 1 by 5 to 4 units, a lead of 2: a leaver of 1 unit leaves the tie to class 0, one
        # of 2 units turns the vote.
        now = self.leaders
        turned = (self.codes[leavers] == now.winner) & (self._get_moved(leavers) >= now.lead)
        return np.where(turned, now.runner_up, now.winner)

    def vote_with_each(self, joiners: Array) -> Array:
        """Return the vote after each of these members has joined, (len(joiners), c)."""
        # A class below the winner wins a tie, a class above it needs one unit more. With 4, 5
        # and 4 units, class 1 wins: class 0 needs a joiner of 5 - 4 = 1 unit, class 2 one of
        # 5 - 4 + 1 = 2 units.
        now, codes = self.leaders, self.codes[joiners]
        vote = np.tile(now.winner, (len(joiners), 1))
        for label, total in enumerate(self.totals):
            gap = now.first - total + (label > now.winner)
            np.copyto(vote, label, where=(codes == label) & (self._get_moved(joiners) >= gap))
        return vote

    def remove(self, member: int) -> Side:
        """Return this side for the sub-ensemble without `member`."""
        totals = self.totals.copy()
        totals[self.codes[member], np.arange(totals.shape[1])] -= self.units[member]
        return replace(self, totals=totals)

    def find_turns(self, leavers: Array, joiners: Array) -> tuple[Array, Array]:
        """Return the factors of each leaver and each joiner that turn a binary, uniform vote."""
        winner = self.leaders.winner
        out = (self.codes[leavers] == winner) & (self.leaders.lead <= 2)
        return out, self.codes[joiners] != winner

    def _get_moved(self, members: Array) -> Array:
        """Return the units of each of these members, (len(members), 1), or (1, 1) if equal."""
        return np.ones((1, 1)) if self.is_uniform else self.units[members, None]
