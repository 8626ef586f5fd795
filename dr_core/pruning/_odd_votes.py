"""All neighbours of a vote of two classes, equal weights and an odd size, at once.

Such a vote never ties, and two members that join or leave turn it only where its margin is one
vote. So errors and risks of all m (m - 1) / 2 neighbours are products of small matrices.
"""

from __future__ import annotations

import numpy as np

from dr_core._utils import Array, iter_slices
from dr_core.ensembles import EXACT_IN_FLOAT32, MAX_VOTES_PER_BLOCK, Votes
from dr_core.pruning._exhaustive import merge_equal_instances
from dr_core.pruning._steps import Neighbours

__all__ = ["OddVoteExplorer"]


class OddVoteExplorer:
    """Errors and risks of sub-ensembles of odd sizes, and of all their neighbours.

    Parameters
    ----------
    votes : Votes
        Votes of two classes and equal weights.
    max_members : int
        The largest size allowed.

    Attributes
    ----------
    n_judged : int
        Number of sub-ensembles evaluated so far.

    Examples
    --------
    >>> votes = Votes([[0, 1], [0, 1], [1, 0]], [[0, 1], [0, 0], [1, 0]], y=[0, 1])
    >>> explorer = OddVoteExplorer(votes, max_members=3)
    >>> explorer.evaluate(np.array([True, True, True]))
    (0.0, 0.5)
    >>> neighbours = explorer.explore(np.array([True, True, True]))
    >>> neighbours.first, neighbours.second, neighbours.errors
    (array([0, 0, 1]), array([1, 2, 2]), array([1., 0., 0.]))
    """

    def __init__(self, votes: Votes, max_members: int) -> None:
        plain, perturbed, y, row_units = merge_equal_instances(votes)
        self._row_units, self._total = row_units, row_units.sum()
        self._number = np.float32 if self._total < EXACT_IN_FLOAT32 else np.float64
        # +1 is a vote for the class y, -1 against it: the sum of a sub-ensemble is its margin, and
        # its vote is wrong where that is negative. By member and by instance, as both are read.
        sides = [np.where(codes == y, 1, -1).astype(np.int8) for codes in (plain, perturbed)]
        self._by_member = np.ascontiguousarray(np.stack(sides, axis=1))
        self._by_instance = np.ascontiguousarray(np.stack(sides).transpose(0, 2, 1))
        self._first, self._second = np.triu_indices(votes.n_members, 1)
        self._pairs = self._first * votes.n_members + self._second
        self._max_members, self.n_judged = max_members, 0
        self._selected = np.zeros(votes.n_members, dtype=bool)
        self._margins = np.zeros((2, len(y)), np.int32)

    def evaluate(self, selected: Array) -> tuple[float, float]:
        """Return the error and the risk of the sub-ensemble `selected`, a bool array (m,)."""
        self.n_judged += 1
        self._move_to(selected)
        error, risk = (outcome @ self._row_units / self._total for outcome in self._outcomes)
        return float(error), float(risk)

    def explore(self, selected: Array) -> Neighbours:
        """Return the sub-ensembles that differ in two members; too large ones have error inf."""
        self._move_to(selected)
        before = np.array([[outcome @ self._row_units] for outcome in self._outcomes])
        errors, risks = (before + self._count_turns()) / self._total
        self.n_judged += len(errors)
        if selected.sum() + 2 > self._max_members:
            are_joiners = ~(selected[self._first] | selected[self._second])
            errors[are_joiners] = np.inf
            self.n_judged -= int(are_joiners.sum())
        error, risk = (before / self._total).ravel().tolist()
        return Neighbours(self._first, self._second, errors, risks, (error, risk))

    def _move_to(self, selected: Array) -> None:
        """Add the members that join to the margins, and subtract those that leave."""
        for member in np.flatnonzero(selected != self._selected):
            add = np.add if selected[member] else np.subtract
            add(self._margins, self._by_member[member], out=self._margins)
        self._selected = selected.copy()

    @property
    def _outcomes(self) -> tuple[Array, Array]:
        """Where the vote is wrong, and where it is changed."""
        is_negative = self._margins < 0
        return is_negative[0], is_negative[0] != is_negative[1]

    def _count_turns(self) -> Array:
        """Return what all pairs of moves add to the row units of wrong and changed votes."""
        m = len(self._selected)
        counts = np.zeros((2, len(self._pairs)))
        rows = np.flatnonzero((np.abs(self._margins) == 1).any(axis=0))
        for block in iter_slices(len(rows), MAX_VOTES_PER_BLOCK // m):
            for count, sums in zip(counts, self._sum_block(rows[block]), strict=True):
                count += sums.take(self._pairs)
        return counts

    def _sum_block(self, rows: Array) -> tuple[Array, Array]:
        # Two moves turn the vote on an instance if its margin is 1 and both are against the
        # winner: a member that voted for it leaves, or one that votes for the other class joins.
        # With votes v = ±1, margins M and s = 1 for members and -1 for others, that is v s M = 1,
        # or v = s M. If t is 1 for a member whose move is against the winner and else 0, the vote
        # turns where t t' = 1, and sums over instances are products of matrices (m, c) @ (c, m).
        #
        # Where the vote on x turns, right becomes wrong (+1) and wrong becomes right (-1). In the
        # same way an unchanged vote becomes changed, and the reverse, where it turns on exactly
        # one of x and x̃: (t - t t̃) + (t̃ - t t̃), which is 0 if t = t̃ for all members. In this
        # order no sum exceeds that of all row units, so all sums are exact. Only instances on
        # which the margin is 1, on x, on x̃ or on both, are summed.
        signs = np.where(self._selected, 1, -1).astype(np.int8)
        margins = self._margins[:, rows].clip(-2, 2).astype(np.int8)
        against = self._by_instance[:, rows] == margins[:, :, None] * signs
        gains = [np.where(now[rows], -1, 1) * self._row_units[rows] for now in self._outcomes]
        is_close = np.abs(margins) == 1
        differs = (against[0] != against[1]).any(axis=1)
        turns_and_rows = (
            (against[0], differs & is_close[0]),
            (against[1], differs & is_close[1]),
            (against[0] & against[1], differs & is_close.all(axis=0)),
        )
        plain, perturbed, both = (
            self._sum_over_turns(turns[some], gains[1][some]) for turns, some in turns_and_rows
        )
        wrong = self._sum_over_turns(against[0][is_close[0]], gains[0][is_close[0]])
        return wrong, (plain - both) + (perturbed - both)

    def _sum_over_turns(self, turns: Array, gains: Array) -> Array:
        """Return the sums of the gains where both members of a pair turn the vote, (m, m)."""
        factors: Array = turns.astype(self._number)
        weighted: Array = factors * gains.astype(self._number)[:, None]
        return np.asarray(weighted.T @ factors)
