"""What a risk owes to the frequencies of values in a range, which were learned from rows.

With the range age >= 25, people of 25 and more become ages below 25, as often as these occur in
some rows. These rows are a sample, too. If only few of them are below 25, the frequencies of
their ages are uncertain, and so is the risk of all people of 25 and more.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from dr_core._tables import People, PeopleCounts, find_first, joint_positions
from dr_core._utils import (
    Array,
    LearnedRange,
    LearnedSide,
    exact_sums,
    format_count,
    round_probability,
    share,
)
from dr_core.perturbation import MARGINALISED, NEITHER, PRIVILEGED, Attribute, advise_domain
from dr_core.risk._changes import Changes

__all__ = ["RangeSums", "describe_few_learned", "warn_few_learned"]

MIN_FREQUENCY_ROWS = 1000
"""With fewer rows on one side of a range, the frequencies of its values are not precise.

The standard error of a share of 1,000 rows is up to 1.6 percentage points.
"""


@dataclass(frozen=True, eq=False)
class RangeSums:
    """Exact sums by the T values of one range that rows may become, in one scenario.

    Attributes
    ----------
    sides : (T,) whether each value is inside the range, 1, or outside, 0
    n_learned : (2,) rows that the frequencies outside and inside were learned from; infinite on a
        side that has one value only, whose frequency is 1
    sums : (4, T) for each group of rows: weight and risk of the variants that have become a value;
        weight and risk of the rows whose own value it is, or the next one below it
    people : People of all rows, by the position of their value, -1 if missing; None if rows are
        people
    """

    sides: Array
    n_learned: Array
    sums: dict[tuple[int, ...], Array]
    people: People | None

    @classmethod
    def of(cls, changes: Changes, s: int, j: int) -> RangeSums:
        """Add up the rows of a chunk for attribute j, a range, which scenario s perturbs."""
        plan, variants, codes = changes.plan, changes.variants, changes.chunk.x.codes[j]
        learned = plan.learned.attributes[j]
        sides, places = _find_places(plan.attributes.attributes[j])
        groups = changes.codes_of(s)
        group = joint_positions(groups)
        keys = [tuple(key) for key in groups[:, find_first(group)].T.tolist()]
        weights = np.ones(len(codes)) if changes.weights is None else changes.weights

        def add_up(rows: Array, own: Array, mass: Array, risk: Array) -> list[Array]:
            # Value 2 of 5 in group 3 is cell 3 * 5 + 2.
            cells = group[rows] * len(sides) + places[own]
            each = [exact_sums(one, cells, len(keys) * len(sides)) for one in (mass, mass * risk)]
            return [one.reshape(len(keys), len(sides)) for one in each]

        probability = variants.probability[:, s]
        became = np.flatnonzero((variants.codes[j] != codes[variants.rows]) & (probability > 0))
        rows, known = variants.rows[became], np.flatnonzero(codes >= 0)
        mass = probability[became] * weights[rows]
        found = np.stack(
            [
                *add_up(rows, variants.codes[j, became], mass, changes.loss[became]),
                *add_up(known, codes[known], weights[known], changes.risk[s, known]),
            ],
            axis=1,
        )
        n_learned = np.bincount(learned.is_privileged, learned.weights)  # floats, by weights
        n_learned[np.bincount(learned.is_privileged) == 1] = np.inf
        sums = dict(zip(keys, found, strict=True))
        return cls(sides, n_learned, sums, _count_people(changes.person, codes, places))

    def __add__(self, other: RangeSums) -> RangeSums:
        both = dict(self.sums)
        for key, sums in other.sums.items():
            both[key] = both[key] + sums if key in both else sums
        people = None
        if self.people is not None and other.people is not None:
            people = self.people + other.people
        return replace(self, sums=both, people=people)

    def describe(
        self,
        mean: float,
        weight: int,
        has: Callable[[tuple[int, ...]], bool],
        errors: Array | None = None,
    ) -> LearnedRange:
        """Return what the mean risk of some groups depends on.

        By `mean` μ and `mean` of the risk x(v) of becoming v, a row r that was both assessed and
        learned from contributes ``w_r (ℓ_r - μ)`` and ``part (x(v_r) - mean) / n`` to the error of
        the risk, the latter to the error of the side of v_r. These are added up by person, and
        the covariance is the sum of the products.

        Parameters
        ----------
        mean : μ, the risk of the groups
        weight : exact weight of their rows
        has : whether a group, given by its codes, is one of them
        errors : (people,) sum of w_r (ℓ_r - μ) over the rows of each person, relative to the
            weight of all; None if rows are people
        """
        mass, risk, own, own_risk = self._share_out(weight, has)
        x = np.divide(risk, mass, out=np.zeros(len(mass)), where=mass > 0)
        sides, of_sides = [], np.zeros((2, len(mass)))
        for side, n in enumerate(self.n_learned.tolist()):
            at = (self.sides == side) & (mass > 0)
            part = float(mass[at].sum())
            if not part or np.isinf(n):
                continue
            of_x, of_square = (float(mass[at] @ x[at] ** power) / part for power in (1, 2))
            deviations = np.where(at, round_probability(x - of_x), 0.0)
            each, most = self._count_rows_each(side, deviations)
            sides.append(LearnedSide(part, of_x, of_square, n / each, n / most))
            of_sides[side] = deviations * part / n
        if errors is None or self.people is None:
            covariance = (own_risk - mean * own) @ of_sides.sum(axis=0)
        else:
            low, high = (_sum_by_person(self.people, of_side) for of_side in of_sides)
            covariance = errors @ (low + high) + low @ high
        return LearnedRange(tuple(sides), float(covariance))

    def _share_out(self, weight: int, has: Callable[[tuple[int, ...]], bool]) -> Array:
        """Return the sums over some groups relative to their weight, (4, T)."""
        chosen = (sums for codes, sums in self.sums.items() if has(codes))
        total = sum(chosen, np.zeros((4, len(self.sides)), dtype=object))
        return np.array([[share(value, weight) for value in row] for row in total], dtype=float)

    def _count_rows_each(self, side: int, deviations: Array) -> tuple[float, float]:
        """Return the effective number of rows per person on one side, and the largest number.

        The variance of the mean of x over rows r is ``(Σ_r d_r²) / n²`` for deviations d, if all
        are independent. With people p of m_p rows, it is ``Σ_p (Σ d)² / n²``. The effective number
        is the quotient of both, the design effect. It is at least ``Σ m_p² / Σ m_p``, that of
        people whose rows are the same: where few people differ, the quotient is uncertain.
        """
        if self.people is None:
            return 1.0, 1.0
        rows = _sum_by_person(self.people, self.sides == side)
        if not rows.any():  # learned from other rows: all rows tell how many a person has
            rows = _sum_by_person(self.people, np.ones(len(self.sides)))
        variation = _sum_by_person(self.people, deviations**2).sum()
        by_person = (_sum_by_person(self.people, deviations) ** 2).sum()
        effect = float(by_person / variation) if variation else 0.0
        return max(float((rows**2).sum() / rows.sum()), effect), float(rows.max())


def _count_people(person: Array | None, codes: Array, places: Array) -> People | None:
    """Count the rows of each person by the position of their value; None if rows are people."""
    if person is None:
        return None
    own = np.where(codes >= 0, places[codes], -1)
    return People((PeopleCounts.of(person, own[None], None),))


def _sum_by_person(people: People, of_value: Array) -> Array:
    """Return the sum of values (T,) over the rows of each person; missing values count as 0."""
    # Position -1, of a missing value, finds the 0 at the end.
    places = people.counts.values[:, 0].astype(np.intp)
    return people.counts.total(np.append(of_value, 0.0)[places])


def _find_places(attribute: Attribute) -> tuple[Array, Array]:
    """Return the side of each value that rows may become, and the place of each value.

    Where quantiles stand for the values of a range, a value has the place of the next quantile.
    """
    # Values 20 22 24 | 30 40, of which rows become 22 24 | 30 40:
    #   sides  = [0, 0, 1, 1]      places = [0, 0, 1, 2, 3]
    sides: list[int] = []
    places = np.empty(len(attribute.values), np.intp)
    for side, other in ((MARGINALISED, PRIVILEGED), (PRIVILEGED, MARGINALISED)):
        drawn, of_side = attribute.targets[other].codes, attribute.is_privileged == side
        next_one = np.searchsorted(drawn, np.flatnonzero(of_side))
        places[of_side] = len(sides) + np.minimum(next_one, len(drawn) - 1)
        sides += [side] * len(drawn)
    return np.array(sides), places


def describe_few_learned(
    attributes: Iterable[Attribute], claim: str = "the interval can be too short"
) -> list[str]:
    """Return a note for each range with few rows on one side.

    It is for what takes the frequencies of the values there as known. All else includes their
    uncertainty; see `RangeSums`.

    Parameters
    ----------
    attributes : Attributes of a plan, before ranges are thinned out
    claim : what can be wrong

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core import at_least, learn_attributes
    >>> X = {"age": [20, 22, 30, 40], "sex": ["M", "F", "M", "F"]}
    >>> [note] = describe_few_learned(learn_attributes(pd.DataFrame(X), {"age": at_least(25)}))
    >>> note.split(";")[0]
    "the interval can be too short: the frequencies of the values of 'age' are taken as known, \
and those on one side of the limit were learned from only 2 rows"
    """
    n_rows = ((one.name, _count_fewest(one)) for one in attributes if one.condition is not None)
    return [
        f"{claim}: the frequencies of the values of {name!r} are taken as known, and those on one "
        f"side of the limit were learned from only {format_count(int(n), 'row')}; learn them from "
        f"more rows: {advise_domain(name)}"
        for name, n in n_rows
        if n < MIN_FREQUENCY_ROWS
    ]


def _count_fewest(attribute: Attribute) -> float:
    """Return the rows on the smaller side of a range that has several values; or infinity."""
    sides = attribute.targets[:NEITHER]
    n_rows = (weights.sum() for codes, weights in sides if len(codes) > 1)
    return float(min(n_rows, default=np.inf))


def warn_few_learned(attributes: Iterable[Attribute], claim: str, stacklevel: int) -> None:
    """Warn of each range with few rows on one side, see `describe_few_learned`."""
    for note in describe_few_learned(attributes, claim):
        warnings.warn(f"{note[0].upper()}{note[1:]}.", stacklevel=stacklevel + 1)
