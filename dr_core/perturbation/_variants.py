"""Perturbed versions of rows: every one with its probability, or some drawn at random.

For each row and each sensitive attribute, independently with probability p: a marginalised value
becomes the privileged one (uniformly one of them, if several); a privileged value becomes one of
the marginalised values, uniformly. A value of a range becomes one of the other side, with the
frequencies of these in the data.

All functions work on codes, arrays of shape (attributes, rows) with the position of each value in
the domain of its attribute. Code -1 is a missing value, which is never changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from dr_core._tables import find_first, joint_codes
from dr_core._utils import Array
from dr_core.perturbation._attribute import NEITHER, Attribute
from dr_core.perturbation._attributes import SensitiveAttributes

__all__ = [
    "Variants",
    "count_variants",
    "draw_codes",
    "draw_variants",
    "enumerate_variants",
    "find_choices",
]

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


class Template(NamedTuple):
    """Variants of all rows that are in the same group by each attribute.

    Attributes
    ----------
    codes : (attributes, k) new codes; -1 where a variant keeps the row's own
    probability : (k, S)
    """

    codes: Array
    probability: Array


def enumerate_variants(
    codes: Array, attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> Variants:
    """List every variant of each row with its probability in each scenario."""
    kind, templates = _make_templates(codes, attributes, p, active_sets)
    # A template is made once for each kind of rows and repeated for the rows. Rows of the kinds
    # a, b, a, of 2 and 1 variants:
    #   kind = [0, 1, 0]   counts = [2, 1]   starts = [0, 2]
    #   rows     = [0, 0, 1, 2, 2]   the row of each variant
    #   within   = [0, 1, 0, 0, 1]   its number among the variants of its row
    #   position = [0, 1, 2, 0, 1]   its place in all templates, one after another
    counts = _get_sizes(templates)
    starts = np.cumsum(counts) - counts
    of_row = counts[kind]
    rows = np.repeat(np.arange(codes.shape[1]), of_row)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(of_row) - of_row, of_row)
    position = starts[kind[rows]] + within
    new = np.hstack([template.codes for template in templates]).astype(codes.dtype)[:, position]
    probability = np.vstack([template.probability for template in templates])[position]
    return Variants(codes.shape[1], rows, np.where(new < 0, codes[:, rows], new), probability)


def count_variants(
    codes: Array, attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> Array:
    """Return the number of variants that `enumerate_variants` lists for each row, (n,)."""
    kind, templates = _make_templates(codes, attributes, p, active_sets)
    return _get_sizes(templates)[kind]


def _get_sizes(templates: Sequence[Template]) -> Array:
    return np.array([len(template.probability) for template in templates])


def _make_templates(
    codes: Array, attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> tuple[Array, list[Template]]:
    """Return the position of each row's template, (n,), and the templates."""
    groups = np.stack([a.groups(own) for a, own in zip(attributes, codes, strict=True)])
    kind, _ = pd.factorize(joint_codes(groups))
    return kind, [
        _make_template(groups[:, i].tolist(), attributes, p, active_sets) for i in find_first(kind)
    ]


def _make_template(
    groups: Sequence[int], attributes: SensitiveAttributes, p: float, active_sets: ActiveSets
) -> Template:
    """List the variants of rows that are in these groups, one for each attribute."""
    outcomes = [_list_outcomes(a, g, p) for a, g in zip(attributes, groups, strict=True)]
    found = [_cross([outcomes[j] for j in active]) for active in active_sets]
    codes = np.hstack(
        [
            _fill(active, own, len(groups))
            for active, (own, _) in zip(active_sets, found, strict=True)
        ]
    )
    chances = np.concatenate([chances for _, chances in found])
    scenario = np.repeat(np.arange(len(found)), [len(chances) for _, chances in found])
    moved = (codes >= 0).any(axis=0)
    codes, chances, scenario = codes[:, moved], chances[moved], scenario[moved]
    # A variant of several scenarios is listed once: a b in scenario 0 and b c in scenario 1 are
    # the places 0 1 1 2.
    place, _ = pd.factorize(joint_codes(codes))
    first = find_first(place)
    probability = np.zeros((len(first), len(active_sets)))
    probability[place, scenario] = chances
    return Template(codes[:, first], probability)


def _list_outcomes(attribute: Attribute, group: int, p: float) -> tuple[Array, Array]:
    """Return the codes that values of a group may become (-1: they stay), and their chances."""
    if group == NEITHER:
        return np.array([-1]), np.ones(1)
    codes, weights = attribute.targets[group]
    chances = p * weights / weights.sum()
    return (codes, chances) if p == 1 else (np.append(-1, codes), np.append(1 - p, chances))


def _cross(outcomes: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Combine independent outcomes: codes (attributes, k) and chances (k,).

    >>> codes, chances = _cross([([-1, 2], [0.5, 0.5]), ([0, 1], [0.25, 0.75])])
    >>> codes.tolist(), chances.tolist()
    ([[-1, -1, 2, 2], [0, 1, 0, 1]], [0.125, 0.375, 0.125, 0.375])
    """
    codes, chances = np.empty((0, 1), np.int32), np.ones(1)
    for new, of_new in outcomes:
        n, k = len(chances), len(of_new)
        codes = np.vstack([np.repeat(codes, k, axis=1), np.tile(new, n)])
        chances = np.repeat(chances, k) * np.tile(of_new, n)
    return codes, chances


def _fill(active: tuple[int, ...], codes: Array, n_attributes: int) -> Array:
    """Return the codes of all attributes, given those of the active ones; the others stay, -1."""
    every = np.full((n_attributes, codes.shape[1]), -1, codes.dtype)
    every[list(active)] = codes
    return every


def draw_variants(
    codes: Array,
    attributes: SensitiveAttributes,
    p: float,
    active_sets: ActiveSets,
    n_samples: int,
    rng: np.random.Generator,
) -> tuple[Array, Array, Array]:
    """Draw `n_samples` variants of each row; all scenarios share the draws of an attribute.

    The draws of a row depend only on the generator and on the number of rows before it, so a
    table gives the same draws however it is cut into chunks.

    Returns
    -------
    rows, codes, probability : see `Variants`
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
    return rows[sample][first], chosen[:, first], probability


def find_choices(attributes: SensitiveAttributes, p: float) -> list[bool]:
    """Return whether drawing each attribute needs a uniform number; if not, it is certain."""
    return [p < 1 or attribute.n_targets > 1 for attribute in attributes]


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
    # The targets of all groups one after another, each with as many slots as its weight, and the
    # last of each group once more, for products that are rounded up. Values a b c d with b and d
    # privileged, of the weights 1 2 1 1, and a missing value:
    #   target = [b d d a c c -1 -1]   weight = [2 1 1 1 1 1 1 1]
    # Slots 0 to 3 are for marginalised values, 4 to 6 for privileged ones, 7 and 8 for missing
    # ones. The slot of each row is start + floor(u * number of slots / p).
    target = np.concatenate([np.append(t.codes, t.codes[-1]) for t in attribute.targets])
    weight = np.concatenate([np.append(t.weights, 1) for t in attribute.targets])
    sizes = np.array([t.weights.sum() for t in attribute.targets])
    groups = attribute.groups(np.append(np.arange(len(attribute.values)), -1))  # of each code
    start = (np.cumsum(sizes + 1) - sizes - 1)[groups].take(codes, mode="wrap")
    if uniform is None:
        return target.astype(codes.dtype).take(start)
    slot = start + (uniform * (sizes / p)[groups].take(codes, mode="wrap")).astype(np.intp)
    is_uniform = len(weight) == weight.sum()
    place = slot if is_uniform else np.searchsorted(np.cumsum(weight), slot, side="right")
    moved = target.astype(codes.dtype).take(place, mode="clip")
    return moved if p == 1 else np.where(uniform < p, moved, codes)
