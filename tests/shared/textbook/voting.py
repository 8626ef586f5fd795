"""Weighted voting by plain loops over members and instances, in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dr_core import Votes


@dataclass
class Ensemble:
    """Votes of members on x and x̃ as lists of class positions; weights as whole numbers."""

    votes: list[list[int]]
    perturbed: list[list[int]]
    y: list[int]
    weights: list[int]
    row_weights: list[int]
    n_classes: int

    @classmethod
    def of(cls, votes: Votes) -> Ensemble:
        return cls(
            votes.votes.tolist(),
            votes.perturbed.tolist(),
            votes.y.tolist(),
            [int(unit) for unit in votes.units],
            [int(unit) for unit in votes.row_units],
            votes.n_classes,
        )

    @property
    def everyone(self) -> list[int]:
        return list(range(len(self.votes)))

    @property
    def instances(self) -> range:
        return range(len(self.y))


def totals(ensemble: Ensemble, votes: list[list[int]], members: list[int], i: int) -> list[int]:
    sums = [0] * ensemble.n_classes
    for j in members:
        sums[votes[j][i]] += ensemble.weights[j]
    return sums


def winner(sums: list[int]) -> int:
    best = 0
    for label in range(len(sums)):
        if sums[label] > sums[best]:
            best = label
    return best


def margin(ensemble: Ensemble, members: list[int], i: int) -> Fraction:
    ranked = sorted(totals(ensemble, ensemble.votes, members, i), reverse=True)
    second = ranked[1] if len(ranked) > 1 else 0
    return Fraction(ranked[0] - second, sum(ensemble.weights[j] for j in members))


def inconsistency(ensemble: Ensemble, members: list[int], i: int) -> Fraction:
    changed = 0
    for j in members:
        if ensemble.votes[j][i] != ensemble.perturbed[j][i]:
            changed += ensemble.weights[j]
    return Fraction(changed, sum(ensemble.weights[j] for j in members))


def error(ensemble: Ensemble, members: list[int]) -> float:
    wrong = 0
    for i in ensemble.instances:
        if winner(totals(ensemble, ensemble.votes, members, i)) != ensemble.y[i]:
            wrong += ensemble.row_weights[i]
    return wrong / sum(ensemble.row_weights)


def risk(ensemble: Ensemble, members: list[int]) -> float:
    changed = 0
    for i in ensemble.instances:
        before = winner(totals(ensemble, ensemble.votes, members, i))
        after = winner(totals(ensemble, ensemble.perturbed, members, i))
        if before != after:
            changed += ensemble.row_weights[i]
    return changed / sum(ensemble.row_weights)


def leading(sums: list[int]) -> list[int]:
    return [label for label, votes in enumerate(sums) if votes == max(sums)]


def cautious_error(ensemble: Ensemble, members: list[int]) -> float:
    """Error of the vote if every tie is wrong."""
    wrong = 0
    for i in ensemble.instances:
        if leading(totals(ensemble, ensemble.votes, members, i)) != [ensemble.y[i]]:
            wrong += ensemble.row_weights[i]
    return wrong / sum(ensemble.row_weights)


def cautious_risk(ensemble: Ensemble, members: list[int]) -> float:
    """Risk of the vote if every tie is a change, unless no member changed."""
    changed = 0
    for i in ensemble.instances:
        before = leading(totals(ensemble, ensemble.votes, members, i))
        after = leading(totals(ensemble, ensemble.perturbed, members, i))
        unlike = len(before) > 1 or len(after) > 1 or before != after
        if unlike and any(ensemble.votes[j][i] != ensemble.perturbed[j][i] for j in members):
            changed += ensemble.row_weights[i]
    return changed / sum(ensemble.row_weights)
