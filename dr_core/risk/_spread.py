"""What the confidence interval of a risk needs where rows weigh differently or share a person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dr_core._tables import People, PeopleCounts
from dr_core._utils import Array, MeanSample, effective_size, exact_squares, exact_sums
from dr_core.risk._changes import Changes

__all__ = ["RiskSpread"]


@dataclass(frozen=True, eq=False)
class RiskSpread:
    """Sums over the rows that one scenario perturbs, with weights w and risks ℓ.

    Attributes
    ----------
    squares : exact sums of (wℓ)², w²ℓ and w²
    largest : largest weight, exact
    people : People of all rows, by risk and by whether the row was perturbed; None if rows are
        people
    """

    squares: Array
    largest: int
    people: People | None

    @classmethod
    def of(cls, changes: Changes) -> list[RiskSpread]:
        """Add up the rows of a chunk, scenario by scenario."""
        found = []
        for risk, perturbed in zip(changes.risk, changes.is_perturbed, strict=True):
            w = perturbed if changes.weights is None else changes.weights * perturbed
            squares = [exact_squares(part)[0] for part in (w * risk, w * np.sqrt(risk), w)]
            largest = exact_sums(w.max(keepdims=True))[0]
            people = _count_people(changes, risk, perturbed)
            found.append(cls(np.array(squares, dtype=object), largest, people))
        return found

    @property
    def n_people(self) -> int | None:
        """Number of people with a row that is perturbed and counts; None if rows are people."""
        return None if self.people is None else int(np.count_nonzero(_sum_people(self.people)[1]))

    def __add__(self, other: RiskSpread) -> RiskSpread:
        people = None
        if self.people is not None and other.people is not None:
            people = self.people + other.people
        largest = max(self.largest, other.largest)
        return RiskSpread(self.squares + other.squares, largest, people)

    def make_sample(self, mean: float, weight: int) -> MeanSample:
        """Return the sample of the perturbed rows, with this mean and weight."""
        n_rows = effective_size(weight, self.squares[2])
        if self.people is None:
            return MeanSample.of(mean, weight, tuple(self.squares), n_rows, self.largest)
        a, b = _sum_people(self.people)
        by_person = float((a * a).sum()), float((a * b).sum()), float((b * b).sum())
        return MeanSample.of(mean, float(b.sum()), by_person, n_rows, float(b.max()))


def _sum_people(people: People) -> tuple[Array, Array]:
    """Return the sums of wℓ and of w over the perturbed rows of each person."""
    risk, perturbed = map(people.counts.total, people.counts.values.T)
    return risk, perturbed


def _count_people(changes: Changes, risk: Array, perturbed: Array) -> People | None:
    if changes.person is None:
        return None
    values = np.stack([risk, perturbed])
    return People((PeopleCounts.of(changes.person, values, changes.weights),))
