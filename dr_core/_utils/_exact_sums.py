"""Sums of floats without any rounding, so that no order and no grouping of the terms matters.

Every float is a whole number of the same tiny unit, so a sum of floats is a Python integer: sums
of parts add up to the sum of the whole to the last digit, on whichever machines the parts were.
Rounding happens once, in the last division.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dr_core._utils._checks import Array

__all__ = ["UNIT", "exact_squares", "exact_sums", "rounded", "share"]

SHIFT = 1126
"""The smallest float, 2**-1074, times 2**52: mantissas of 53 bits always are whole units."""

UNIT = 2**SHIFT
"""Units in 1."""

MANTISSA, HALF = 53, 26

BLOCK = 2**26
"""Halves of so many mantissas add up to less than 2**53, exactly."""


def exact_sums(values: Array, cells: Array | None = None, n_cells: int = 1) -> Array:
    """Sum the values of each cell, in units.

    Parameters
    ----------
    values : array of shape (n,)
        Finite floats, or truth values.
    cells : int array of shape (n,), optional
        The cell each value belongs to; one cell for all when left out.
    n_cells : int

    Returns
    -------
    array of shape (n_cells,) of Python integers

    Examples
    --------
    >>> total = exact_sums(np.array([1e16, 1.0, -1e16]))[0]
    >>> total == UNIT, float(np.sum([1e16, 1.0, -1e16]))
    (True, 0.0)
    """
    return _summed(values, cells, n_cells, power=1)


def exact_squares(values: Array, cells: Array | None = None, n_cells: int = 1) -> Array:
    """Sum the squares of the values of each cell, in squares of units.

    Each square is rounded once, as a float of any size: none overflows, none vanishes.

    Parameters
    ----------
    values, cells, n_cells
        As for `exact_sums`.

    Examples
    --------
    >>> exact_squares(np.array([3.0, 4.0]))[0] == 25 * UNIT**2
    True
    >>> weights = np.array([1e300, 1e300])
    >>> exact_sums(weights)[0] ** 2 / exact_squares(weights)[0]
    2.0
    """
    return _summed(values, cells, n_cells, power=2)


def _summed(values: Array, cells: Array | None, n_cells: int, power: int) -> Array:
    there = np.flatnonzero(values)
    values = values[there]
    cells = np.zeros(len(values), np.intp) if cells is None else cells[there].astype(np.intp)
    if values.dtype == bool:
        return np.bincount(cells, minlength=n_cells).astype(object) * UNIT**power
    sums = np.zeros(n_cells, dtype=object)
    for start in range(0, len(values), BLOCK):
        block = slice(start, start + BLOCK)
        sums += _block_sums(values[block].astype(np.float64), cells[block], n_cells, power)
    return sums


def _block_sums(values: Array, cells: Array, n_cells: int, power: int) -> Array:
    fraction, exponent = np.frexp(values)
    if power == 2:
        fraction, carry = np.frexp(fraction**2)
        exponent = 2 * exponent + carry
    mantissa = np.ldexp(fraction, MANTISSA).astype(np.int64)
    lowest = int(exponent.min())
    width = int(exponent.max()) - lowest + 1
    place = cells * width + (exponent - lowest)
    # In two halves, the sums of which are exact in float64.
    high, low = mantissa >> HALF, mantissa & (2**HALF - 1)
    sums = np.zeros((n_cells, width), dtype=object)
    for half, shift in ((high, HALF), (low, 0)):
        found = np.bincount(place, half, n_cells * width).reshape(n_cells, width)
        sums += found.astype(np.int64).astype(object) << shift
    places = range(lowest + power * SHIFT - MANTISSA, lowest + power * SHIFT - MANTISSA + width)
    return sums @ np.array([1 << place for place in places], object)


def share(part: int, whole: int) -> float:
    """Divide two exact sums, rounding once; NaN where the whole is 0.

    >>> share(1 * UNIT, 3 * UNIT)
    0.3333333333333333
    """
    return part / whole if whole else math.nan


def rounded(sums: Any, unit: int = UNIT) -> Array:
    """Exact sums as floats, each rounded once, in the same shape; `unit` counts as 1.

    >>> rounded(exact_sums(np.array([0.1, 0.2]), np.array([0, 1]), 2))
    array([0.1, 0.2])
    """
    sums = np.asarray(sums, dtype=object)
    return np.array([total / unit for total in sums.ravel()], dtype=float).reshape(sums.shape)
