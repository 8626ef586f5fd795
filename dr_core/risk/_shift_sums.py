"""What the shifts of a score add up to: sums by group, histograms, and blocks of people.

All of them add up without rounding, so that chunks, partitions and machines do not change any
result. Their size does not grow with the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import find_first, joint_positions
from dr_core._utils import Array, check_numbers, exact_sums, round_probability
from dr_core.perturbation import PerturbationPlan
from dr_core.risk._blocks import BlockSums, find_blocks
from dr_core.risk._changes import Changes, Fold
from dr_core.risk._predictor import Predictor
from dr_core.risk._totals import Codes, GroupSums, PerScenario

__all__ = [
    "ERRORS",
    "MAX_QUANTILE_ERROR",
    "GroupHistograms",
    "RowShifts",
    "ShiftFold",
    "ShiftHistogram",
    "ShiftTotals",
    "ThresholdFold",
    "ToleranceFold",
    "compute_shift",
]

MANTISSA_DIGITS = 9
"""Binary digits of a size that a bin of a histogram keeps: 512 bins from each power of 2."""

MAX_QUANTILE_ERROR = 2.0 ** -(MANTISSA_DIGITS + 1)
"""Largest relative error of a quantile: half the width of a bin, just below 0.1 %."""

ERRORS = ("mean_score", "mean_label", "mean_error", "mean_absolute_error")
"""Means by group where labels are known: f(x), y, f(x) - y and its size."""


def compute_shift(changes: Changes) -> Array:
    """Return f(x̃) − f(x) of each variant, (k,); 0 for differences by rounding."""
    before = changes.before_of_variants.astype(float)
    return np.where(changes.loss, changes.after.astype(float) - before, 0.0)


@dataclass(frozen=True)
class ThresholdFold:
    """A fold of the decision "score > threshold", from the predictions of the score."""

    threshold: float
    of_decisions: Fold

    def __call__(self, changes: Changes) -> Any:
        """Apply the fold to the decisions for a chunk."""
        before, after = changes.before > self.threshold, changes.after > self.threshold
        loss = before[changes.variants.rows] != after
        decisions = Predictor(None, name=changes.predictor.name)
        return self.of_decisions(
            replace(changes, predictor=decisions, before=before, after=after, loss=loss)
        )


@dataclass(frozen=True)
class ToleranceFold:
    """A fold of the score as a quantity, which changes if it moves by more than a tolerance."""

    tolerance: float
    of_quantities: Fold

    def __call__(self, changes: Changes) -> Any:
        """Apply the fold to the quantities of a chunk."""
        quantities = Predictor(None, tolerance=self.tolerance, name=changes.predictor.name)
        loss = quantities.loss(changes.before_of_variants, changes.after)
        return self.of_quantities(replace(changes, predictor=quantities, loss=loss))


@dataclass(frozen=True, eq=False)
class ShiftHistogram:
    """Weight of the shifts that are not 0, by bins of their size and by sign.

    The bin of a shift is its sign, its exponent and the first 9 binary digits of its mantissa. So
    bins are narrow, 0.2 % of the size, whatever the unit of the score, and all rows have the same
    bins, however they come in parts.

    Attributes
    ----------
    bins : (B,) numbers of the bins that occur, in ascending order of the shift
    mass : (B,) exact weight of the shifts in each bin
    low, high : (B,) smallest and largest shift in each bin

    Examples
    --------
    >>> found = ShiftHistogram.of(np.array([0.3, -0.1, 0.3]), np.ones(3))
    >>> found.low.tolist(), found.sizes.high.tolist()
    ([-0.1, 0.3], [0.1, 0.3])
    """

    bins: Array
    mass: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, shift: Array, mass: Array) -> ShiftHistogram:
        """Make the histogram of shifts, none of them 0, with these weights, (k,) each."""
        # The bits of a float are its sign, its exponent and its mantissa. Without the sign and
        # the last 43 they number the bins of positive floats in ascending order.
        digits = np.abs(shift).view(np.int64) >> (52 - MANTISSA_DIGITS)
        position, bins = pd.factorize(np.where(shift < 0, -digits, digits), sort=True)
        return cls(bins, exact_sums(mass, position, len(bins)), *_find_ends(position, shift))

    def __add__(self, other: ShiftHistogram) -> ShiftHistogram:
        fields = (
            np.concatenate([getattr(one, name) for one in (self, other)])
            for name in ("bins", "mass", "low", "high")
        )
        return ShiftHistogram(*fields)._collect()

    @property
    def sizes(self) -> ShiftHistogram:
        """Histogram of the sizes of the shifts, in ascending order."""
        ends = np.abs(np.stack([self.low, self.high]))
        sizes = ShiftHistogram(np.abs(self.bins), self.mass, ends.min(axis=0), ends.max(axis=0))
        return sizes._collect()

    @property
    def centres(self) -> Array:
        """Middle between the ends of each bin, (B,), exact for a bin with one distinct shift."""
        return self.low + (self.high - self.low) / 2

    def _collect(self) -> ShiftHistogram:
        """Return the same histogram with each bin once, in ascending order."""
        bins, position = np.unique(self.bins, return_inverse=True)
        mass = np.zeros(len(bins), dtype=object)
        np.add.at(mass, position, self.mass)
        low, _ = _find_ends(position, self.low)
        _, high = _find_ends(position, self.high)
        return ShiftHistogram(bins, mass, low, high)

    def quantiles(self, q: Sequence[float], weight: int) -> list[float]:
        """Return the smallest shifts that at least the share q of the weight does not exceed.

        Parameters
        ----------
        q : shares in [0, 1]
        weight : exact weight of all shifts, those of 0 included; if it is 0, quantiles are NaN
        """
        if not weight:
            return [np.nan] * len(q)
        # Shifts of -0.2, 0 and 0.3 with a weight of 1, 2 and 1: up to each, ¼, ¾ and 1.
        place = int(np.searchsorted(self.centres, 0.0))
        values = np.insert(self.centres, place, 0.0)
        mass = np.insert(self.mass, place, weight - sum(self.mass))
        shares = round_probability(np.array([part / weight for part in mass]))
        values, mass = values[shares > 0], mass[shares > 0]
        up_to = round_probability(np.array([part / weight for part in np.cumsum(mass)]))
        where = np.searchsorted(up_to, q).clip(max=len(values) - 1)
        return [float(value) for value in values[where]]

    def sum_above(self, threshold: float) -> int:
        """Return the exact weight of the bins whose centre is above a threshold."""
        return int(sum(self.mass[self.centres > threshold]))


def _find_ends(position: Array, values: Array) -> tuple[Array, Array]:
    """Return the smallest and the largest value at each position."""
    size = int(position.max(initial=-1)) + 1
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, position, values)
    np.maximum.at(high, position, values)
    return low, high


@dataclass(frozen=True, eq=False)
class GroupHistograms:
    """A `ShiftHistogram` for each group, a combination of sensitive values."""

    by_group: dict[Codes, ShiftHistogram]

    @classmethod
    def of(cls, codes: Array, rows: Array, shift: Array, mass: Array) -> GroupHistograms:
        """Make the histograms of variants.

        Parameters
        ----------
        codes : (attributes, n) sensitive values of the rows
        rows, shift, mass : (k,) row, shift and weight of each variant
        """
        moved = np.flatnonzero((shift != 0) & (mass > 0))
        position = joint_positions(codes)
        first, group = find_first(position), position[rows[moved]]
        # Variants in the order of their groups, cut where the next group begins.
        order = moved[np.argsort(group, kind="stable")]
        ends = np.cumsum(np.bincount(group, minlength=len(first)))[:-1]
        parts = np.split(order, ends)
        keys = map(tuple, codes[:, first].T.tolist())
        return cls(
            {
                key: ShiftHistogram.of(shift[some], mass[some])
                for key, some in zip(keys, parts, strict=True)
            }
        )

    def __add__(self, other: GroupHistograms) -> GroupHistograms:
        both = dict(self.by_group)
        for key, one in other.by_group.items():
            both[key] = both[key] + one if key in both else one
        return GroupHistograms(both)

    def total(self, groups: Iterable[Codes] | None = None) -> ShiftHistogram:
        """Return the histogram of these groups together, by default of all."""
        chosen = self.by_group if groups is None else groups
        return reduce(ShiftHistogram.__add__, (self.by_group[group] for group in chosen))


@dataclass(frozen=True, eq=False)
class RowShifts:
    """Scores and shifts of single rows.

    Attributes
    ----------
    scores : (n,) f(x)
    sizes, shifts : (S, n) expected size of the shift and expected shift, in each scenario
    codes : (A, n) group of each row by each attribute, -1 if its value is missing
    of_variants : (k,) shift of each variant, in the order in which the plan makes them
    """

    scores: Array
    sizes: Array
    shifts: Array
    codes: Array
    of_variants: Array

    @classmethod
    def of(cls, changes: Changes) -> RowShifts:
        """Compute the shifts of a chunk."""
        shift = compute_shift(changes)
        sizes, shifts = changes.expect(np.abs(shift)), changes.expect(shift)
        return cls(changes.before, sizes, shifts, changes.codes_of(-1), shift)

    def find_rows(self, s: int, plan: PerturbationPlan, group: Codes) -> Array:
        """Return which rows are in a group of a scenario, (n,)."""
        codes = self.codes[list(plan.scenarios[s].active)]
        return (codes == np.array(group)[:, None]).all(axis=0)

    def is_perturbed(self, s: int, plan: PerturbationPlan) -> Array:
        """Return which rows a scenario perturbs, (n,)."""
        return self.codes[list(plan.scenarios[s].active)].max(axis=0) >= 0

    def sum_blocks(
        self,
        s: int,
        plan: PerturbationPlan,
        block: Array,
        weights: Array | None,
        group: Codes | None = None,
    ) -> BlockSums:
        """Sum the shifts of a scenario over blocks of people, (n,); of one group if given."""
        columns = [block, weights, self.sizes[s], self.shifts[s], self.is_perturbed(s, plan)]
        if group is not None:
            some = self.find_rows(s, plan, group)
            columns = [None if column is None else column[some] for column in columns]
        return BlockSums.of(*columns)

    @classmethod
    def concatenate(cls, parts: list[RowShifts]) -> RowShifts:
        """Join the rows of chunks."""
        names = ("scores", "sizes", "shifts", "codes", "of_variants")
        return cls(*(np.concatenate([getattr(p, name) for p in parts], axis=-1) for name in names))


@dataclass(frozen=True, eq=False)
class ShiftTotals:
    """All sums of the shifts of a score; they add up.

    Attributes
    ----------
    group_sums : PerScenario of GroupSums of "size" and "shift", expected for each row; and with
        labels of `ERRORS`
    histograms : PerScenario of GroupHistograms of the shifts of variants
    blocks : PerScenario of BlockSums; empty for rows in memory, which have `rows`
    rows : list of RowShifts, one for each chunk; empty for rows that are not in memory
    """

    group_sums: PerScenario
    histograms: PerScenario
    blocks: PerScenario
    rows: list[RowShifts]

    @cached_property
    def perturbed(self) -> list[GroupSums]:
        """Sums of the rows that each scenario perturbs, which means of shifts come from."""
        return [sums.perturbed for sums in self.group_sums]

    def __add__(self, other: ShiftTotals) -> ShiftTotals:
        return ShiftTotals(
            self.group_sums + other.group_sums,
            self.histograms + other.histograms,
            self.blocks + other.blocks,
            self.rows + other.rows,
        )


@dataclass(frozen=True)
class ShiftFold:
    """The fold that adds up shifts.

    Parameters
    ----------
    n_rows : number of all rows
    keep_rows : whether to keep single rows, for rows in memory
    """

    n_rows: int
    keep_rows: bool = False

    def __call__(self, changes: Changes) -> ShiftTotals:
        """Add up the rows of a chunk."""
        rows, variants, weights = RowShifts.of(changes), changes.variants, changes.weights
        groups = [changes.codes_of(s) for s in range(len(changes.plan.scenarios))]
        mass = variants.probability
        mass = mass if weights is None else mass * weights[variants.rows, None]
        errors = _compute_errors(changes)
        return ShiftTotals(
            PerScenario(
                GroupSums.of(codes, weights, size=size, shift=shift, **errors)
                for codes, size, shift in zip(groups, rows.sizes, rows.shifts, strict=True)
            ),
            PerScenario(
                GroupHistograms.of(codes, variants.rows, rows.of_variants, mass[:, s])
                for s, codes in enumerate(groups)
            ),
            PerScenario() if self.keep_rows else self._sum_blocks(changes, rows),
            [rows] if self.keep_rows else [],
        )

    def _sum_blocks(self, changes: Changes, rows: RowShifts) -> PerScenario:
        block = find_blocks(changes.start, changes.n_rows, changes.person, self.n_rows)
        return PerScenario(
            rows.sum_blocks(s, changes.plan, block, changes.weights)
            for s in range(len(changes.plan.scenarios))
        )


def _compute_errors(changes: Changes) -> dict[str, Array]:
    """Return what the labels of rows say about their scores; nothing without labels."""
    if changes.y is None:
        return {}
    y, score = check_numbers("y", changes.y, changes.n_rows), changes.before.astype(float)
    return dict(zip(ERRORS, (score, y, score - y, np.abs(score - y)), strict=True))
