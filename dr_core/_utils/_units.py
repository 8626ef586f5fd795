"""Weights as whole numbers, so that every sum of them is exact."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, lcm

import numpy as np
import numpy.typing as npt

from dr_core._utils._checks import Array

__all__ = ["EXACT", "whole_units"]

EXACT = 2**53
"""Whole numbers below this are exact in float64, so are their sums."""

MOST_RATIOS = 1000
"""Weights count as ratios when no denominator, nor the number of distinct ones, exceeds this."""

SHORT = 32
"""Binary places of fractions that are taken for what they are, not for the ratio they are near."""

DECIMALS = 6
"""Decimal places of weights that are taken for decimals."""

EPSILON = float(np.finfo(np.float64).eps)


def whole_units(weights: npt.ArrayLike | None, length: int, name: str) -> Array:
    """Whole numbers in proportion to `weights`, small enough for every sum to be exact.

    Equal weights all become 1. Whole numbers, binary fractions of up to 32 places, and floats that
    stand for decimals of up to 6 places (0.1, 0.2, 0.3 stand for 1 : 2 : 3) or for simple ratios
    keep their exact proportions; others are rounded to a total just below 2**52.

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
    exact = _binary_units(scaled)
    if _are_short(given):
        candidates = [exact, _ratio_units(scaled)]
    else:
        candidates = [_decimal_units(given), _ratio_units(scaled), exact]
    for units in candidates:
        if units is not None and units.sum() < EXACT:
            return units
    # fsum rounds once: NumPy's sum depends on the machine, and a tie must not.
    rounded = np.round(scaled * ((EXACT // 2 - length) / fsum(scaled)))
    return np.ones(length) if (rounded == rounded[0]).all() else rounded


def _are_short(weights: Array) -> bool:
    """Whether all are whole numbers or short binary fractions, as 44.75 is and 44.7 is not."""
    with np.errstate(over="ignore"):
        places = np.ldexp(weights, SHORT)
    return bool((places == np.rint(places)).all())


def _decimal_units(weights: Array) -> Array | None:
    """Multiples of the last decimal place in use, or None if there are more than `DECIMALS`."""
    with np.errstate(over="ignore"):
        shifted = weights * 10.0**DECIMALS
    whole = np.rint(shifted)
    # A float that stands for a decimal is off by half of its last binary place, the product too.
    if not whole.sum() < EXACT or (np.abs(shifted - whole) > EPSILON * shifted).any():
        return None
    return whole / np.gcd.reduce(whole.astype(np.int64))


def _binary_units(weights: Array) -> Array | None:
    """Exact multiples of the last binary place in use, or None if that is too small."""
    mantissas, exponents = np.frexp(weights[weights > 0])
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    trailing_zeros = np.frexp((whole & -whole).astype(np.float64))[1] - 1
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
