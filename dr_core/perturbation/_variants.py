"""Perturbed versions of rows: every one with its probability, or some drawn at random.

For each row and each sensitive attribute, independently with probability p: a marginalised value
becomes the privileged one (uniformly one of them, if several); a privileged value becomes one of
the marginalised values, uniformly.

All functions work on codes, arrays of shape (attributes, rows) with the position of each value in
the domain of its attribute. Code -1 is a missing value, which is never changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from dr_core._tables import find_first, joint_codes
from dr_core._utils import Array
from dr_core.perturbation._attributes import Attribute, SensitiveAttributes

__all__ = ["Variants", "draw_codes", "draw_variants", "enumerate_variants", "find_choices"]

ROUNDING = 1e-9
"""Error that sums of probabilities may have."""

BLOCK_ROWS = 2**15
"""Rows drawn at once, so that the intermediate arrays stay in the processor's cache."""

ActiveSets = Sequence[tuple[int, ...]]
"""Positions of the attributes that are perturbed, one tuple for each scenario."""


@dataclass(frozen=True, eq=False)
class Variants:
    """Perturbed versions x̃ of rows x, each listed once; those equal to x are left out.

    Attributes
    ----------
    n_rows : number n of rows x
    rows : (k,) row x that each variant belongs to
    codes : (attributes + coupled columns, k) its sensitive values, then those of coupled columns
    probability : (k, S) probability in each scenario
    """

    n_rows: int
    rows: Array
    codes: Array
    probability: Array

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def stay_probability(self) -> Array:
        """Probability that each row is not changed at all, shape (S, n)."""
        return np.where(self._mass < 1 - ROUNDING, 1 - self._mass, 0.0)

    def expect(self, values: Array) -> Array:
        """Return the expectation of `values`, one for each variant, per row: (S, n).

        A row that stays as it is counts as 0. The expectation is divided by the total probability
        of the row, so that an event that always happens has probability 1, not
        0.9999999999999999.
        """
        some = np.flatnonzero(values)  # most predictions do not change
        terms = self.probability[some]
        if values.dtype != bool:
            terms *= values[some, None]
        return self._sum_by_row(some, terms) / self._total

    @cached_property
    def _mass(self) -> Array:
        return self._sum_by_row(slice(None), self.probability)

    @cached_property
    def _total(self) -> Array:
        return self._mass + self.stay_probability

    def _sum_by_row(self, variants: Array | slice, values: Array) -> Array:
        rows = self.rows[variants]
        return np.stack([np.bincount(rows, column, self.n_rows) for column in values.T])


def enumerate_variants(
    codes: Array, attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> Variants:
    """List every variant of each row with its probability in each scenario."""
    combination, _ = pd.factorize(joint_codes(codes))
    lists = [
        _list_variants(codes[:, i], attributes, p, active_sets) for i in find_first(combination)
    ]
    # Rows with the same sensitive values have the same variants: each combination is listed once
    # and repeated for its rows. Rows with the combinations a, b, a, of 2 and 1 variants:
    #   combination = [0, 1, 0]   counts = [2, 1]   starts = [0, 2]
    #   rows     = [0, 0, 1, 2, 2]   the row of each variant
    #   within   = [0, 1, 0, 0, 1]   its number among the variants of its row
    #   position = [0, 1, 2, 0, 1]   its place in the list of all combinations
    counts = np.array([len(variants) for variants in lists])
    starts = np.cumsum(counts) - counts
    of_row = counts[combination]
    rows = np.repeat(np.arange(codes.shape[1]), of_row)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(of_row) - of_row, of_row)
    position = starts[combination[rows]] + within
    flat = [variant for variants in lists for variant in variants.items()]
    variant_codes = np.array([variant for variant, _ in flat], dtype=np.intp)
    probability = np.array([chances for _, chances in flat])
    return Variants(
        codes.shape[1],
        rows,
        variant_codes.reshape(-1, len(codes))[position].T,
        probability.reshape(-1, len(active_sets))[position],
    )


def _list_variants(
    row: Array, attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> dict[tuple[int, ...], Array]:
    """Return the variants of one row's codes, each with its probability in every scenario."""
    own = tuple(row.tolist())
    variants: dict[tuple[int, ...], Array] = {}
    for s, active in enumerate(active_sets):
        outcomes = [
            list(_iter_outcomes(attribute, code, p if j in active else 0.0))
            for j, (attribute, code) in enumerate(zip(attributes, own, strict=True))
        ]
        for outcome in product(*outcomes):
            variant = tuple(code for code, _ in outcome)
            if variant != own:
                chances = variants.setdefault(variant, np.zeros(len(active_sets)))
                chances[s] += np.prod([chance for _, chance in outcome])
    return variants


def _iter_outcomes(attribute: Attribute, code: int, p: float) -> Iterator[tuple[int, float]]:
    """Yield the codes that one value may become, with the probability of each."""
    if code < 0 or p == 0:
        yield code, 1.0
        return
    if p < 1:
        yield code, 1 - p
    targets = attribute.targets[code]
    for target in targets:
        yield target, p / len(targets)


def draw_variants(
    codes: Array,
    attributes: SensitiveAttributes,
    p: float,
    active_sets: ActiveSets,
    n_samples: int,
    rng: np.random.Generator,
) -> Variants:
    """Draw `n_samples` variants of each row; all scenarios share the draws of an attribute.

    The draws of a row depend only on the generator and on the number of rows before it, so a
    table gives the same draws however it is cut into chunks.
    """
    rows = np.repeat(np.arange(codes.shape[1]), n_samples)
    own = codes[:, rows]
    drawn = draw_codes(own, attributes, p, rng)
    is_active = np.array([[j in active for j in range(len(attributes))] for active in active_sets])
    # One copy of the draws for each scenario, (S, attributes, draws), where attributes that are
    # not active keep their values; copies that equal the row are dropped.
    variant = np.where(is_active[:, :, None], drawn, own)
    scenario, sample = np.nonzero((variant != own).any(axis=1))
    chosen = variant[scenario, :, sample].T
    # A variant drawn several times is listed once: draws of row 0 into a, b, a and of row 1 into
    # a have the keys 0a 0b 0a 1a, hence the variants 0a 0b 1a with 2, 1 and 1 draws.
    joint = joint_codes(chosen)
    key = rows[sample] * (int(joint.max(initial=0)) + 1) + joint
    distinct, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    probability = np.zeros((len(distinct), len(active_sets)))
    np.add.at(probability, (inverse, scenario), 1 / n_samples)
    return Variants(codes.shape[1], rows[sample][first], chosen[:, first], probability)


def find_choices(attributes: SensitiveAttributes, p: float) -> list[bool]:
    """Return whether drawing each attribute needs a uniform number; if not, it is certain."""
    return [p < 1 or max(map(len, attribute.targets)) > 1 for attribute in attributes]


def draw_codes(
    codes: Array, attributes: SensitiveAttributes, p: float, rng: np.random.Generator
) -> Array:
    """Perturb codes of shape (attributes, n) once, at random.

    Each row takes one uniform number for each attribute that has a choice, in the order of the
    rows.
    """
    has_choice = find_choices(attributes, p)
    drawn = np.empty_like(codes)
    for start in range(0, codes.shape[1], BLOCK_ROWS):
        block = codes[:, start : start + BLOCK_ROWS]
        uniforms = iter(rng.random((block.shape[1], sum(has_choice))).T)
        for j, attribute in enumerate(attributes):
            uniform = next(uniforms) if has_choice[j] else None
            drawn[j, start : start + BLOCK_ROWS] = _draw_one(block[j], attribute, p, uniform)
    return drawn


def _draw_one(codes: Array, attribute: Attribute, p: float, uniform: Array | None) -> Array:
    """Perturb the codes of one attribute; one uniform number decides whether and into what."""
    # Targets as a table with one row for each code, for values a b c of which b is privileged:
    #   [[b b], [a c], [b b], [-1 -1]]
    # Short rows are filled up with their last target. The last row is for missing values: code -1
    # wraps around to it. A uniform number u picks column floor(u * number of targets / p); one
    # extra column catches products that are rounded up to the number of targets.
    rows = [*attribute.targets, [-1]]
    n_targets = np.array([len(targets) for targets in rows])
    width = n_targets.max() + 1
    table = np.array([row + row[-1:] * (width - len(row)) for row in rows], codes.dtype)
    if uniform is None:
        return table[:, 0].take(codes, mode="wrap")
    choice = (uniform * (n_targets / p).take(codes, mode="wrap")).astype(np.intp)
    moved = table.take(codes.astype(np.intp) * width + choice, mode="wrap")
    return moved if p == 1 else np.where(uniform < p, moved, codes)
