"""Perturbed versions of rows that are drawn at random.

All functions work on codes, as those that enumerate the versions do; see `_plan`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dr_core._tables import joint_codes
from dr_core._utils import Array
from dr_core.perturbation._attributes import Attribute, SensitiveAttributes

__all__ = ["ActiveSets", "draw_codes", "draw_variants", "find_choices"]

BLOCK_ROWS = 32_768
"""Rows drawn at once, so that the intermediate arrays stay in the processor's cache."""

ActiveSets = Sequence[tuple[int, ...]]
"""Positions of the attributes that are perturbed, one tuple for each scenario."""


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
    key = joint_codes([rows[sample], *chosen])
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
