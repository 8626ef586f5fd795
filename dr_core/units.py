"""Weights as whole numbers, so that every sum of them is exact."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from dr_core.encoding import Array

__all__ = ["EXACT", "whole_units"]

EXACT = 2**53
"""Whole numbers below this are exact in float64, so are their sums."""

MOST_RATIOS = 1000
"""Weights count as ratios when no denominator, nor the number of distinct ones, exceeds this."""

EPSILON = float(np.finfo(np.float64).eps)


def whole_units(weights: npt.ArrayLike | None, length: int, name: str) -> Array:
    """Whole numbers in proportion to `weights`, small enough for every sum to be exact.

    Equal weights all become 1. Whole numbers, binary fractions, and floats that stand for simple
    ratios (0.1, 0.2, 0.3 stand for 1 : 2 : 3) keep their exact proportions; others are rounded to
    a total just below 2**52.

    Parameters
    ----------
    weights : array of shape (length,), optional
        Finite numbers, at least 0 and not all 0.
    length : int
        How many there must be.
    name : str
        What errors call them.

    Returns
    -------
    array of shape (length,), float64

    Examples
    --------
    >>> whole_units([0.5, 0.25, 0.75], 3, "weights")
    array([2., 1., 3.])
    >>> whole_units([0.1, 0.2, 0.3], 3, "weights")
    array([1., 2., 3.])
    >>> int(whole_units([1, 2**0.5], 2, "weights").sum()) == 2**52 - 2
    True
    """
    if weights is None:
        return np.ones(length)
    given = _checked_weights(weights, length, name)
    if (given == given[0]).all():
        return np.ones(length)
    scaled = np.ldexp(given, -np.frexp(given.max())[1])  # exact, the largest now in [1/2, 1)
    for units in (_binary_units(scaled), _ratio_units(scaled)):
        if units is not None and units.sum() < EXACT:
            return units
    rounded = np.round(scaled * ((EXACT // 2 - length) / scaled.sum()))
    return np.ones(length) if (rounded == rounded[0]).all() else rounded


def _binary_units(weights: Array) -> Array | None:
    """Exact multiples of the last binary place in use, or None if that is too small."""
    mantissas, exponents = np.frexp(weights[weights > 0])
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    trailing_zeros = np.log2(whole & -whole).astype(np.int64)
    places = int((53 - trailing_zeros - exponents).max())
    return np.ldexp(weights, places) if places <= 53 else None


def _ratio_units(weights: Array) -> Array | None:
    """Multiples of a common fraction, or None if the weights are no ratios of small numbers."""
    values, positions = np.unique(weights / weights.max(), return_inverse=True)
    if len(values) > MOST_RATIOS:
        return None
    ratios = []
    for value in values.tolist():
        ratios.append(Fraction(value).limit_denominator(MOST_RATIOS))
        if abs(float(ratios[-1]) - value) > 4 * EPSILON * value:
            return None
    denominator = lcm(*(ratio.denominator for ratio in ratios))
    if denominator >= EXACT:
        return None
    return np.array([float(ratio * denominator) for ratio in ratios])[positions]


def _checked_weights(weights: npt.ArrayLike, length: int, name: str) -> Array:
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}.") from None
    if given.shape != (length,):
        raise ValueError(
            f"{name} must have shape ({length},), as many as the votes have "
            f"{'members' if name == 'weights' else 'instances'}; found {given.shape}."
        )
    if not np.isfinite(given).all() or (given < 0).any():
        bad = given[~np.isfinite(given) | (given < 0)][0]
        raise ValueError(f"{name} must be finite and at least 0; found {bad}.")
    if not given.any():
        raise ValueError(f"{name} are all 0; at least one must be positive.")
    return given
