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
    """Sums over rows that a mean risk Σwa / Σwb is about, with weights w.

    The values of a row are its risk and a 1 if it was perturbed: ``a = ℓ`` and ``b = 1``. In a
    mean over a part of the perturbations, they are the probabilities that it is one of them and
    the prediction changes, and that it is one of them.

    Attributes
    ----------
    squares : exact sums of (wa)², w²ab and (wb)²
    largest : largest wb, exact
    people : People of all rows, by a and b; None if rows are people
    """

    squares: Array
    largest: int
    people: People | None

    @classmethod
    def of(cls, changes: Changes, a: Array, b: Array) -> RiskSpread:
        """Add up the rows of a chunk, (n,) each."""
        w = 1 if changes.weights is None else changes.weights
        squares = [exact_squares(w * part)[0] for part in (a, np.sqrt(a * b), b)]
        people = None
        if changes.person is not None:
            counts = PeopleCounts.of(changes.person, np.stack([a, b]), changes.weights)
            people = People((counts,))
        largest = exact_sums((w * b).max(keepdims=True))[0]
        return cls(np.array(squares, dtype=object), largest, people)

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
        """Return the sample of the rows, with this mean and exact sum of wb."""
        n_rows = effective_size(weight, self.squares[2])
        if self.people is None:
            return MeanSample.of(mean, weight, tuple(self.squares), n_rows, self.largest)
        a, b = _sum_people(self.people)
        by_person = float((a * a).sum()), float((a * b).sum()), float((b * b).sum())
        return MeanSample.of(mean, float(b.sum()), by_person, n_rows, float(b.max()))

    def sum_errors(self, mean: float) -> Array | None:
        """Return Σ w (a - b · mean) over the rows of each person, relative to Σ wb of all.

        It is None if rows are people.
        """
        if self.people is None:
            return None
        a, b = _sum_people(self.people)
        return np.asarray((a - b * mean) / b.sum())


def _sum_people(people: People) -> tuple[Array, Array]:
    """Return the sums of wa and of wb over the rows of each person."""
    a, b = map(people.counts.total, people.counts.values.T)
    return a, b
