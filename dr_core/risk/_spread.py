"""What the confidence interval of a risk needs where rows weigh differently or share a person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dr_core._tables import People, PeopleCounts
from dr_core._utils import Array, MeanSample, effective_size, exact_squares, exact_sums
from dr_core.risk._changes import Changes

__all__ = ["RiskSpread", "find_perturbed"]


@dataclass(frozen=True, eq=False)
class RiskSpread:
    """Sums over the rows of one scenario, with weights w and risks ℓ.

    Attributes
    ----------
    squares : exact sums of (wℓ)², w²ℓ, w² of perturbed rows and w² of all rows
    largest : largest weight, exact
    people : People by risk and by whether the row was perturbed; None if rows are people
    """

    squares: Array
    largest: int
    people: People | None

    @classmethod
    def of(cls, changes: Changes) -> list[RiskSpread]:
        """Add up the rows of a chunk, scenario by scenario."""
        given = changes.weights
        w = np.ones(changes.n_rows, dtype=bool) if given is None else given
        squares, largest = exact_squares(w)[0], exact_sums(w.max(keepdims=True))[0]
        found = []
        for s, risk in enumerate(changes.risk):
            perturbed = find_perturbed(changes, s)
            all_perturbed = squares if perturbed.all() else exact_squares(w * perturbed)[0]
            rows = exact_squares(w * risk)[0], exact_squares(w * np.sqrt(risk))[0]
            sums = np.array([*rows, all_perturbed, squares], dtype=object)
            found.append(cls(sums, largest, _count_people(changes, risk, perturbed)))
        return found

    @property
    def n_people(self) -> int | None:
        """Number of people; None if rows are people."""
        return None if self.people is None else len(self.people.counts.people)

    def __add__(self, other: RiskSpread) -> RiskSpread:
        people = None
        if self.people is not None and other.people is not None:
            people = self.people + other.people
        largest = max(self.largest, other.largest)
        return RiskSpread(self.squares + other.squares, largest, people)

    def make_sample(self, mean: float, weight: int, only_perturbed: bool) -> MeanSample:
        """Return the sample of all rows, or of the perturbed ones, with this mean and weight."""
        risk_squares, products, perturbed, everything = self.squares
        row_squares = perturbed if only_perturbed else everything
        n_rows = effective_size(weight, row_squares)
        if self.people is None:
            squares = risk_squares, products, row_squares
            return MeanSample.of(mean, weight, squares, n_rows, self.largest)
        counts = self.people.counts
        risk, is_perturbed = counts.values.T
        a, b = counts.total(risk), counts.total(is_perturbed if only_perturbed else risk >= 0)
        by_person = float((a * a).sum()), float((a * b).sum()), float((b * b).sum())
        return MeanSample.of(mean, float(b.sum()), by_person, n_rows, float(b.max()))


def _count_people(changes: Changes, risk: Array, perturbed: Array) -> People | None:
    if changes.person is None:
        return None
    values = np.stack([risk, perturbed])
    return People((PeopleCounts.of(changes.person, values, changes.weights),))


def find_perturbed(changes: Changes, s: int) -> Array:
    """Return which rows a scenario perturbs: those with a value in one of its attributes, (n,)."""
    return np.asarray((changes.codes_of(s) >= 0).any(axis=0))
