"""Individual risk: how likely the prediction of each row changes, in a part of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from dr_core._tables import Partition, factorize
from dr_core._utils import Array, differs
from dr_core.risk._responses import Plan, Response, predictor, predicts_numbers, responses
from dr_core.risk._totals import Moves, RiskTotals

__all__ = ["Assessed", "PartAssessment", "RowRisks", "differs", "individual_risk", "joined"]


class RowRisks(NamedTuple):
    """What is known of each row, and of its variants; the last axis is that of these.

    Attributes
    ----------
    predictions : (n,) f(x), what the model says of the rows as they are
    risks : (S, n) individual risk, the probability that the prediction changes, in each scenario
    groups : (S, n) 0 for marginalised rows, 1 for privileged ones, 2 where a value is missing
    correct : (1 + S, n) probability of a right prediction, on x and then on x̃; empty without y
    changed : (k,) whether the prediction of each variant differs from that of its row
    """

    predictions: Array
    risks: Array
    groups: Array
    correct: Array
    changed: Array


@dataclass(frozen=True, eq=False)
class PartAssessment:
    """What is done with a part of the rows, wherever it lies."""

    estimator: Any
    plan: Plan
    tolerance: float
    options: Mapping[str, Any]
    keep_rows: bool

    def __call__(self, part: Partition) -> Assessed:
        """Perturb, predict, and add up."""
        plan, y, weights = self.plan.at_row(part.start), part.y, part.weights
        answers = responses(predictor(self.estimator), part.table, plan, **self.options)
        parts = [self._assess(answer, _at(y, answer), _at(weights, answer)) for answer in answers]
        totals = reduce(add, (one.totals for one in parts))
        return Assessed(totals, _joined_rows(parts) if self.keep_rows else None)

    def _assess(self, answer: Response, y: Array | None, weights: Array | None) -> Assessed:
        own = answer.predictions[answer.variants.rows]
        changed = differs(own, answer.perturbed, self.tolerance)
        rows = RowRisks(
            answer.predictions,
            individual_risk(answer, changed),
            np.stack([self._groups(answer.codes, a) for a in self.plan.scenarios.values()]),
            np.empty((0, 0)) if y is None else _correct(answer, y, self.tolerance),
            changed,
        )
        moves = self._moves(answer, own, changed, weights)
        are_classes = y is not None and not moves.are_numbers
        classes = [_distinct(some if are_classes else None) for some in (answer.predictions, y)]
        totals = RiskTotals.of(rows.risks, rows.groups, weights, rows.correct, moves, *classes)
        return Assessed(totals, rows)

    def _groups(self, codes: Array, active: Any) -> Array:
        return self.plan.attributes.groups(codes, active)

    def _moves(self, answer: Response, own: Array, changed: Array, weights: Array | None) -> Moves:
        mass = answer.variants.probability[:, -1]
        if weights is not None:
            mass = mass * weights[answer.variants.rows]
        # Variants of single attributes have no mass when all are perturbed.
        told = changed & (mass > 0)
        after = answer.perturbed[told]
        numbers = self.tolerance > 0 or any(
            predicts_numbers(self.estimator, some) for some in (answer.predictions, after)
        )
        return Moves.of(own[told], after, mass[told], numbers)


class Assessed(NamedTuple):
    """What adds up, and what is known of each row, where that is kept."""

    totals: RiskTotals
    rows: RowRisks | None


def joined(one: Assessed, other: Assessed) -> Assessed:
    """Put two parts of the rows together; what is known of each row stays where it lies."""
    return Assessed(one.totals + other.totals, None)


def _joined_rows(parts: list[Assessed]) -> RowRisks:
    rows = [part.rows for part in parts if part.rows is not None]
    return RowRisks(*(np.concatenate(arrays, axis=-1) for arrays in zip(*rows, strict=True)))


def _distinct(column: Array | None) -> dict[Any, None]:
    return {} if column is None else dict.fromkeys(factorize(column).values)


def _at(column: Array | None, answer: Response) -> Array | None:
    return None if column is None else column[answer.rows]


def individual_risk(answer: Response, changed: Array) -> Array:
    """Probability that the prediction of each row changes, shape (scenarios, n)."""
    return answer.variants.chance_of(changed, len(answer.predictions))


def _correct(answer: Response, y: Array, tolerance: float) -> Array:
    right = ~differs(y, answer.predictions, tolerance)
    gains = ~differs(y[answer.variants.rows], answer.perturbed, tolerance)
    gains = gains.astype(int) - right[answer.variants.rows]
    after = [
        right + np.bincount(answer.variants.rows, probability * gains, len(right))
        for probability in answer.variants.probability.T
    ]
    return np.stack([right.astype(float), *after])
