"""Error and risk of sub-ensembles one step apart, from the running totals of their votes.

A member that joins or leaves moves the lead by at most its own weight, so only the *critical*
instances, those with a lead that small, are looked at; and all neighbours are judged together.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import BLOCK, Leaders, Votes, blocks, leaders
from dr_core.pruning._pareto import nondominated

__all__ = ["Judge", "Neighbours", "Steps"]

MEMORY = 2**28
"""Bytes of running totals kept to start from."""

MOST_COMPARED = 64
"""The nearest sub-ensemble is looked for among this many of the last."""

NOBODY = -1


@dataclass(frozen=True)
class Steps:
    """Members that may leave, may join, and may leave while another joins; arrays of indices."""

    leaving: Array
    joining: Array
    swapped_out: Array
    swapped_in: Array

    @classmethod
    def around(cls, selected: Array, max_members: int, exchange: bool) -> Steps:
        """List the steps from `selected` to sub-ensembles that are neither empty nor too large."""
        members, others = np.flatnonzero(selected), np.flatnonzero(~selected)
        nobody = members[:0]
        return cls(
            leaving=members if len(members) > 1 else nobody,
            joining=others if len(members) < max_members else nobody,
            swapped_out=members if exchange else nobody,
            swapped_in=others if exchange else nobody,
        )

    @property
    def leaves(self) -> Array:
        """The member that leaves in each step, -1 for nobody."""
        return np.concatenate(
            [
                self.leaving,
                np.full(len(self.joining), NOBODY),
                np.repeat(self.swapped_out, len(self.swapped_in)),
            ]
        )

    @property
    def joins(self) -> Array:
        """The member that joins in each step, -1 for nobody."""
        return np.concatenate(
            [
                np.full(len(self.leaving), NOBODY),
                self.joining,
                np.tile(self.swapped_in, len(self.swapped_out)),
            ]
        )


@dataclass(frozen=True)
class Neighbours:
    """Sub-ensembles one step from another; all arrays have shape (s,)."""

    leaves: Array
    joins: Array
    errors: Array
    risks: Array

    def nondominated(self, positions: Array) -> Array:
        """Which of the neighbours at `positions` stay if offered to one another in turn."""
        return nondominated(self.errors[positions], self.risks[positions])

    def selected(self, base: Array, positions: Array) -> Array:
        """Members of the neighbours of `base` at `positions`, a bool array (s, m)."""
        members = np.tile(base, (len(positions), 1))
        for movers, value in ((self.leaves[positions], False), (self.joins[positions], True)):
            rows = np.flatnonzero(movers != NOBODY)
            members[rows, movers[rows]] = value
        return members


class Judge:
    """Judges sub-ensembles of one ensemble, each from the nearest one judged before.

    Parameters
    ----------
    votes : Votes
        Votes of the whole ensemble.

    Attributes
    ----------
    n_judged : int
        How many sub-ensembles have been judged so far.

    Examples
    --------
    >>> votes = Votes([[0, 1], [0, 1], [1, 0]], [[0, 1], [0, 0], [1, 0]], y=[0, 1])
    >>> judge = Judge(votes)
    >>> everyone = np.array([True, True, True])
    >>> judge.judge(everyone)
    (0.0, 0.5)
    >>> neighbours = judge.neighbours(everyone, Steps.around(everyone, 3, exchange=False))
    >>> neighbours.leaves, neighbours.errors
    (array([0, 1, 2]), array([0.5, 0.5, 0. ]))
    """

    def __init__(self, votes: Votes) -> None:
        self.votes = votes
        self.n_judged = 0
        nobody = Standing.of_nobody(votes)
        self._standings = OrderedDict({nobody.selected.tobytes(): nobody})
        self._most_standings = 1 + MEMORY // nobody.totals.nbytes

    def judge(self, selected: Array) -> tuple[float, float]:
        """𝒢, the error and the risk of the sub-ensemble `selected`, a bool array (m,)."""
        self.n_judged += 1
        standing = self._standing(selected)
        return self.votes.share(standing.wrong), self.votes.share(standing.changed)

    def neighbours(self, selected: Array, steps: Steps) -> Neighbours:
        """𝒢 of the sub-ensembles one of the `steps` away from `selected`."""
        standing = self._standing(selected)
        leaves, joins = steps.leaves, steps.joins
        self.n_judged += len(leaves)
        reach = self.votes.units.max() * (2 if len(steps.swapped_out) else 1)
        critical = standing.smaller_lead <= reach
        counts = np.repeat(self._settled(standing, ~critical), len(leaves), axis=1)
        rows = np.flatnonzero(critical)
        for block in blocks(len(rows), BLOCK // self.votes.n_members):
            counts += CloseVote.at(rows[block], self.votes, standing).after(steps)
        errors, risks = counts / self.votes.row_units.sum()
        return Neighbours(leaves, joins, errors, risks)

    def _settled(self, standing: Standing, rows: Array) -> Array:
        """Row units with a wrong and with a changed vote among `rows`, (2, 1)."""
        outcomes = standing.wrong, standing.changed
        return np.array([[self.votes.count(outcome & rows)] for outcome in outcomes])

    def _standing(self, selected: Array) -> Standing:
        key = selected.tobytes()
        if key not in self._standings:
            self._standings[key] = self._nearest(selected).moved_to(selected)
            if len(self._standings) > self._most_standings:
                self._standings.popitem(last=False)
        self._standings.move_to_end(key)
        return self._standings[key]

    def _nearest(self, selected: Array) -> Standing:
        known = list(self._standings.values())[-MOST_COMPARED:]
        steps = (np.array([standing.selected for standing in known]) != selected).sum(axis=1)
        return known[int(steps.argmin())]


@dataclass(frozen=True, eq=False)
class Standing:
    """How the votes of one sub-ensemble stand on all instances.

    Attributes
    ----------
    votes : Votes
        Votes of the whole ensemble.
    selected : bool array of shape (m,)
        The sub-ensemble.
    totals : array of shape (2, C, n)
        Its votes for each class, in units, on x and on x̃; in two bytes each if they fit.
    """

    votes: Votes
    selected: Array
    totals: Array

    @classmethod
    def of_nobody(cls, votes: Votes) -> Standing:
        """Before the first vote is cast."""
        shape = 2, votes.n_classes, votes.n_instances
        totals = np.zeros(shape, np.int16 if votes.units.sum() < 2**15 else np.float64)
        return cls(votes, np.zeros(votes.n_members, dtype=bool), totals)

    def moved_to(self, selected: Array) -> Standing:
        """Standing of another sub-ensemble, from the votes of those who leave and join."""
        votes, totals = self.votes, self.totals.copy()
        for member in np.flatnonzero(selected != self.selected):
            units = votes.units[member] if selected[member] else -votes.units[member]
            for side, codes in zip(totals, (votes.votes, votes.perturbed), strict=True):
                for label in range(1, votes.n_classes):
                    side[label] += totals.dtype.type(units) * (codes[member] == label)
        totals[:, 0] = votes.units[selected].sum()
        for label in range(1, votes.n_classes):
            totals[:, 0] -= totals[:, label]
        return Standing(votes, selected.copy(), totals)

    @cached_property
    def leaders(self) -> tuple[Leaders, Leaders]:
        """Winner and runner-up on x and on x̃."""
        return leaders(self.totals[0]), leaders(self.totals[1])

    @cached_property
    def wrong(self) -> Array:
        """Where the vote is wrong, (n,)."""
        return self.leaders[0].winner != self.votes.y

    @cached_property
    def changed(self) -> Array:
        """Where the vote changes, (n,)."""
        return self.leaders[0].winner != self.leaders[1].winner

    @property
    def smaller_lead(self) -> Array:
        """Units that must move for the vote on x or on x̃ to turn, (n,)."""
        return np.minimum(self.leaders[0].lead, self.leaders[1].lead)


@dataclass(frozen=True)
class CloseVote:
    """The vote on the c critical instances, on x (`plain`) and on x̃ (`perturbed`)."""

    plain: Side
    perturbed: Side
    y: Array
    row_units: Array

    @classmethod
    def at(cls, rows: Array, votes: Votes, standing: Standing) -> CloseVote:
        """Look at these `rows` only."""
        totals = standing.totals[:, :, rows].astype(np.float64)
        return cls(
            Side(votes.votes[:, rows], totals[0], votes.units),
            Side(votes.perturbed[:, rows], totals[1], votes.units),
            votes.y[rows],
            votes.row_units[rows],
        )

    def after(self, steps: Steps) -> Array:
        """Row units with a wrong and with a changed vote after each step, (2, s)."""
        plain, perturbed = self.plain, self.perturbed
        return np.concatenate(
            [
                self._counts(plain.left(steps.leaving), perturbed.left(steps.leaving)),
                self._counts(plain.joined(steps.joining), perturbed.joined(steps.joining)),
                self._swapped(steps.swapped_out, steps.swapped_in),
            ],
            axis=1,
        )

    def _counts(self, vote: Array, perturbed_vote: Array) -> Array:
        """Row units with a wrong and with a changed vote, (2, s), for votes (s, c)."""
        outcomes = vote != self.y, vote != perturbed_vote
        return np.array([outcome @ self.row_units for outcome in outcomes])

    def _swapped(self, leaves: Array, joins: Array) -> Array:
        """Count for all pairs, those of the first leaver first."""
        if len(leaves) * len(joins) == 0:
            return np.empty((2, 0))
        if self.plain.is_uniform and len(self.plain.totals) == 2:
            return self._swapped_by_products(leaves, joins)
        swaps = []
        for member in leaves:
            plain, perturbed = self.plain.without(member), self.perturbed.without(member)
            swaps.append(self._counts(plain.joined(joins), perturbed.joined(joins)))
        return np.concatenate(swaps, axis=1)

    def _swapped_by_products(self, leaves: Array, joins: Array) -> Array:
        """Count the same for two classes and equal weights.

        A swap turns the vote where the leaver had voted for the winner, the joiner votes for the
        other class, and the lead is at most two votes. This is a product of one factor for the
        leaver and one for the joiner, so that sums over instances are products of matrices. What
        turns becomes right if it was wrong and the reverse; what turns on one of x and x̃ becomes
        changed if it was not and the reverse.
        """
        out, into = self.plain.turned_by(leaves, joins)
        out_perturbed, into_perturbed = self.perturbed.turned_by(leaves, joins)
        vote = self.plain.leaders.winner
        wrong, changed = vote != self.y, vote != self.perturbed.leaders.winner
        wrong_gain, changed_gain = ((1 - 2.0 * now) * self.row_units for now in (wrong, changed))
        wrong_after = (out * wrong_gain) @ into.T
        changed_after = (
            (out * changed_gain) @ into.T
            + (out_perturbed * changed_gain) @ into_perturbed.T
            - 2 * ((out & out_perturbed) * changed_gain) @ (into & into_perturbed).T
        )
        before = [[wrong @ self.row_units], [changed @ self.row_units]]
        return np.array([wrong_after.ravel(), changed_after.ravel()]) + before


@dataclass(frozen=True, eq=False)
class Side:
    """Votes of the whole ensemble, (m, c), and totals of a sub-ensemble, (C, c), on x or x̃."""

    codes: Array
    totals: Array
    units: Array

    @cached_property
    def leaders(self) -> Leaders:
        """Winner and runner-up of each instance."""
        return leaders(self.totals)

    @cached_property
    def is_uniform(self) -> bool:
        """Whether all members weigh the same."""
        return bool((self.units == 1).all())

    def left(self, leaves: Array) -> Array:
        """Vote once one of these members has left, (len(leaves), c)."""
        now = self.leaders
        turned = (self.codes[leaves] == now.winner) & (self._moved(leaves) >= now.lead)
        return np.where(turned, now.runner_up, now.winner)

    def joined(self, joins: Array) -> Array:
        """Vote once one of these members has joined, (len(joins), c)."""
        now, codes = self.leaders, self.codes[joins]
        vote = np.tile(now.winner, (len(joins), 1))
        for label, total in enumerate(self.totals):
            gap = now.first - total + (label > now.winner)
            np.copyto(vote, label, where=(codes == label) & (self._moved(joins) >= gap))
        return vote

    def _moved(self, members: Array) -> Array:
        """Units that each of these members moves, (len(members), 1), or all alike, (1, 1)."""
        return np.ones((1, 1)) if self.is_uniform else self.units[members, None]

    def without(self, member: int) -> Side:
        """Look at the sub-ensemble without this member."""
        totals = self.totals.copy()
        totals[self.codes[member], np.arange(totals.shape[1])] -= self.units[member]
        return replace(self, totals=totals)

    def turned_by(self, leaves: Array, joins: Array) -> tuple[Array, Array]:
        """Where leaver and joiner together turn a binary, uniform vote: the factor of each."""
        winner = self.leaders.winner
        return (self.codes[leaves] == winner) & (self.leaders.lead <= 2), self.codes[
            joins
        ] != winner
