"""What a risk owes to the frequencies of values in a range, which were learned from rows.

With the range age >= 25, people of 25 and more become ages below 25, as often as these occur in
some rows. These rows are a sample, too. If only few of them are below 25, the frequencies of
their ages are uncertain, and so is the risk of all people of 25 and more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from dr_core._tables import find_first, joint_positions
from dr_core._utils import Array, LearnedRange, LearnedSide, exact_sums, share
from dr_core.perturbation import MARGINALISED, PRIVILEGED, Attribute
from dr_core.risk._changes import Changes

__all__ = ["RangeSums"]


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
    """

    sides: Array
    n_learned: Array
    sums: dict[tuple[int, ...], Array]

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
        return cls(sides, n_learned, dict(zip(keys, found, strict=True)))

    def __add__(self, other: RangeSums) -> RangeSums:
        both = dict(self.sums)
        for key, sums in other.sums.items():
            both[key] = both[key] + sums if key in both else sums
        return replace(self, sums=both)

    def describe(
        self, mean: float, weight: int, has: Callable[[tuple[int, ...]], bool]
    ) -> LearnedRange:
        """Return what the mean risk of some groups depends on.

        By `mean` μ and `mean` of the risk x(v) of becoming v, a row r that was both assessed and
        learned from contributes ``w_r (ℓ_r - μ)`` and ``part (x(v_r) - mean) / n`` to the error of
        the risk. The covariance is the sum of the products.

        Parameters
        ----------
        mean : μ, the risk of the groups
        weight : exact weight of their rows
        has : whether a group, given by its codes, is one of them
        """
        chosen = (sums for codes, sums in self.sums.items() if has(codes))
        total = sum(chosen, np.zeros((4, len(self.sides)), dtype=object))
        shares = [[share(value, weight) for value in row] for row in total]
        mass, risk, own, own_risk = np.array(shares, dtype=float)
        x = np.divide(risk, mass, out=np.zeros(len(mass)), where=mass > 0)
        sides, covariance = [], 0.0
        for side, n in enumerate(self.n_learned.tolist()):
            at = (self.sides == side) & (mass > 0)
            part = float(mass[at].sum())
            if not part or np.isinf(n):
                continue
            of_x, of_square = (float(mass[at] @ x[at] ** power) / part for power in (1, 2))
            sides.append(LearnedSide(part, of_x, of_square, n))
            errors = own_risk[at] - mean * own[at]
            covariance += float(errors @ (x[at] - of_x)) * part / n
        return LearnedRange(tuple(sides), covariance)


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
