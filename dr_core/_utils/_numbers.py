"""How this library computes with floats: exact sums, integer weights, equal predictions.

Floating-point addition rounds, so its result depends on the order of the terms. Results of this
library must not depend on chunks, partitions, the order of rows, or the machine. Four rules
ensure that.

**Sums over rows are exact.** Every finite float is an integer multiple of one small unit, 2⁻¹¹²⁶.
`exact_sums` adds these integers, as Python integers, so the sums of chunks or partitions add up to
the sum of all rows to the last bit. Rounding happens once, when `to_float`, `share`, `exact_mean`
or `effective_size` divides. Boolean values are counted, which is exact and fast. Squares are in
squared units: `exact_squares` rounds each square once, but never to 0 or ∞. Only this module knows
the unit.

**Weights of votes are integers.** Whether a vote is tied must not depend on rounding: in floats
0.1 + 0.2 > 0.3. `to_units` turns weights into integers in the same proportions, with a total
below 2⁵³. Their sums are exact in float64, so equality of two sums of votes is exact as well. The
same holds for the weights of instances, so that a share of them is one division of integers.

**Predictions are compared with a tolerance.** Integer, boolean and text predictions differ when
they are unequal. Floating-point predictions differ when they are further apart than `tolerance`
plus the noise of their type, because a model can return other last digits for the same row in a
batch of another size. For float64, the noise is 1e-9 of the larger prediction. For types of less
precision it is 100 units in the last place (float32: 1.2e-5) of the larger prediction, or of 1 if
both are smaller: sums of many terms lose digits where they cancel.

**Probabilities are rounded to 14 decimals** before they are compared or grouped. The probability
of a class is a sum over perturbations, in no fixed order, and the order changes its last digits
(around 1e-16). `round_probability` makes 0.1 + 0.2 + 0.7 and 0.7 + 0.2 + 0.1 the same probability.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from pandas.api.types import infer_dtype

from dr_core._utils._checks import Array

__all__ = [
    "NUMERIC_KINDS",
    "differs",
    "effective_size",
    "exact_counts",
    "exact_mean",
    "exact_squares",
    "exact_sums",
    "iter_slices",
    "rescale",
    "round_probability",
    "scale_sums",
    "share",
    "to_float",
    "to_units",
    "unbox_floats",
]

SHIFT = 1126
"""The smallest float, 2**-1074, is 2**52 units, so every 53-bit mantissa is an integer of them."""

UNIT = 2**SHIFT
"""Units in 1.0."""

MANTISSA_BITS, HALF_BITS = 53, 26

MAX_VALUES_PER_BLOCK = 2**26
"""Halves of this many mantissas sum to less than 2**53, so exactly in float64."""

MAX_ORDINARY_EXPONENT = 400
"""Total weights from 2**-400 to 2**400 need no scaling: their squares fit into float64."""

EXACT_IN_FLOAT64 = 2**53
"""Integers below this are exact in float64, and so are their sums below it."""

MAX_DENOMINATOR = 1000
"""Largest denominator of a simple ratio, and largest number of distinct ratios."""

SHORT_BITS = 32
"""A fraction with at most this many binary places is not replaced by a ratio close to it."""

MAX_DECIMALS = 6
"""Decimal places up to which a float is read as the decimal it was written as."""

EPSILON = float(np.finfo(np.float64).eps)

RELATIVE_NOISE = 1e-9
"""Relative difference up to which floating-point predictions are equal."""

NOISE_UNITS = 100
"""Units in the last place up to which predictions around 1 are equal."""

PROBABILITY_DIGITS = 14
"""Decimals of a probability."""

BOXED_FLOATS = {"floating", "mixed-integer-float", "decimal"}
"""Names that pandas gives to arrays of objects that are floats."""

NUMERIC_KINDS = "biuf"
"""Kinds of NumPy dtypes that are numbers, booleans included."""


def iter_slices(length: int, size: int) -> Iterator[slice]:
    """Iterate over slices that cover `length` positions, `size` (at least one) at a time.

    Examples
    --------
    >>> list(iter_slices(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, size)
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def exact_sums(values: Array, cells: Array | None = None, n_cells: int = 1) -> Array:
    """Sum the values of each cell without rounding.

    Parameters
    ----------
    values : array of shape (n,)
        Finite floats, or booleans.
    cells : int array of shape (n,), optional
        The cell of each value; one cell for all values by default.
    n_cells : int

    Returns
    -------
    array of shape (n_cells,) of Python integers, in units

    Examples
    --------
    >>> values = np.array([1e16, 1.0, -1e16])
    >>> to_float(exact_sums(values)[0]), float(np.sum(values))
    (1.0, 0.0)
    """
    return _sum_cells(values, cells, n_cells, power=1)


def exact_squares(values: Array, cells: Array | None = None, n_cells: int = 1) -> Array:
    """Sum the squares of the values of each cell, in squared units.

    Each square is rounded once, with an exponent of any size: it never becomes 0 or ∞.

    Parameters
    ----------
    values, cells, n_cells
        As for `exact_sums`.

    Examples
    --------
    >>> weights = np.array([1e300, 1e300])
    >>> effective_size(exact_sums(weights)[0], exact_squares(weights)[0])
    2.0
    """
    return _sum_cells(values, cells, n_cells, power=2)


def exact_counts(counts: Array) -> tuple[Array, Array]:
    """Return the exact sums, and the exact squares, of this many weights of 1.

    >>> sums, squares = exact_counts(np.array([2, 0]))
    >>> bool((sums == exact_sums(np.ones(2), np.array([0, 0]), 2)).all())
    True
    """
    counts = counts.astype(object)
    return counts * UNIT, counts * UNIT**2


def _sum_cells(values: Array, cells: Array | None, n_cells: int, power: int) -> Array:
    nonzero = np.flatnonzero(values)
    values = values[nonzero]
    cells = np.zeros(len(values), np.intp) if cells is None else cells[nonzero]
    if values.dtype == bool or (values == 1).all():  # counted, which is faster
        return np.bincount(cells, minlength=n_cells).astype(object) * UNIT**power
    sums = np.zeros(n_cells, dtype=object)
    for block in iter_slices(len(values), MAX_VALUES_PER_BLOCK):
        own = cells[block].astype(np.intp)
        sums += _block_sums(values[block].astype(np.float64), own, n_cells, power)
    return sums


# A float is mantissa · 2**exponent, with an integer mantissa of 53 bits. Mantissas with the same
# exponent are added first. Each of these sums is then shifted to its place, as a Python integer.
# For example, 6.0 = 0.75 · 2³ and 0.5 = 0.5 · 2⁰ span the exponents 0 to 3:
#     place       0           1  2  3
#     mantissas   0.5 · 2⁵³   0  0  0.75 · 2⁵³
# `np.bincount` adds in float64, where three mantissas of 2⁵³ - 1 add up to one too little. So the
# upper 27 and the lower 26 bits are added separately: 2⁵³ - 1 is split into 2²⁷ - 1 and 2²⁶ - 1.
# 2²⁶ such halves sum to less than 2⁵³, which is exact.
def _block_sums(values: Array, cells: Array, n_cells: int, power: int) -> Array:
    fraction, exponent = np.frexp(values)
    if power == 2:
        fraction, carry = np.frexp(fraction**2)
        exponent = 2 * exponent + carry
    mantissa = np.ldexp(fraction, MANTISSA_BITS).astype(np.int64)
    lowest = int(exponent.min())
    width = int(exponent.max()) - lowest + 1
    place = cells * width + (exponent - lowest)
    high, low = mantissa >> HALF_BITS, mantissa & (2**HALF_BITS - 1)
    sums = np.zeros((n_cells, width), dtype=object)
    for half, shift in ((high, HALF_BITS), (low, 0)):
        found = np.bincount(place, half, n_cells * width).reshape(n_cells, width)
        sums += found.astype(np.int64).astype(object) << shift
    first = lowest + power * SHIFT - MANTISSA_BITS
    return sums @ np.array([1 << shift for shift in range(first, first + width)], object)


def to_float(exact_sum: int) -> float:
    """Round an exact sum to a float.

    >>> to_float(exact_sums(np.array([0.5, 0.25]))[0])
    0.75
    """
    return exact_sum / UNIT


def share(part: float, whole: float) -> float:
    """Divide two exact sums and round once; NaN if the whole is 0.

    >>> share(1, 3), share(0, 0)
    (0.3333333333333333, nan)
    """
    return part / whole if whole else math.nan


def effective_size(weight_sum: int, square_sum: int) -> float:
    """Return Kish's effective sample size (Σw)²/Σw², from exact sums; NaN if all weights are 0.

    >>> weights = np.array([2.0, 1.0, 1.0])
    >>> effective_size(exact_sums(weights)[0], exact_squares(weights)[0])
    2.6666666666666665
    """
    return share(weight_sum**2, square_sum)


def exact_mean(values: Array, weights: Array | None = None) -> float:
    """Return the weighted mean of values that may be infinite; the sum is not rounded.

    A value of weight 0 does not count, even if it is infinite.

    >>> exact_mean(np.array([1.0, 2.0, np.inf]), np.array([1.0, 1.0, 0.0]))
    1.5
    """
    if weights is None:  # without copies, and the total is known
        weighted, total = values, len(values) * UNIT
    else:
        nonzero = weights.nonzero()
        weighted = weights[nonzero] * values[nonzero]
        total = exact_sums(weights)[0]
    if np.isinf(weighted).any():
        return math.inf
    return share(exact_sums(weighted)[0], total)


def scale_sums(sums: Array, squares: Array) -> tuple[Array, Array]:
    """Return exact sums and squares of weights as floats, on a common scale.

    The scale is 1 unless the total is below 2**-400 or above 2**400. It is then a power of 2 close
    to the total, so that squares do not underflow or overflow.

    >>> weights = np.array([2.0**1000, 2.0**1000])
    >>> sums, squares = scale_sums(exact_sums(weights), exact_squares(weights))
    >>> sums.tolist(), squares.tolist()
    ([0.5], [0.125])
    """
    total = int(sums.sum())
    exponent = total.bit_length() - UNIT.bit_length()
    is_ordinary = abs(exponent) < MAX_ORDINARY_EXPONENT or not total
    scale = UNIT if is_ordinary else 1 << total.bit_length()
    return _divide_each(sums, scale), _divide_each(squares, scale**2)


def _divide_each(sums: Array, scale: int) -> Array:
    return np.array([total / scale for total in sums.ravel()], dtype=float).reshape(sums.shape)


def rescale(weights: Array) -> Array:
    """Return weights in the same proportions, with the largest in [½, 1).

    This is exact, as it divides by a power of 2. Sums and squares of the result do not overflow.

    >>> rescale(np.array([1e300, 5e299])), rescale(np.array([3.0, 0.0]))
    (array([0.74..., 0.37...]), array([0.75, 0.  ]))
    """
    return np.ldexp(weights, -int(np.frexp(weights.max(initial=0.0))[1]))


# Weights are read as the numbers they were written as. Three examples:
#     0.5, 0.25, 0.75   are binary fractions: 2 : 1 : 3, exactly.
#     0.1, 0.2, 0.3     are decimals: 1 : 2 : 3. So the first two members tie with the third,
#                       although 0.1 + 0.2 > 0.3 in float64.
#     1/6, 2/6, 3/6     are ratios of small integers, up to rounding: 1 : 2 : 3.
# Any other weights, such as 1 and √2, are rounded to integers with a total just below 2⁵².
def to_units(weights: npt.ArrayLike | None, length: int, name: str) -> Array:
    """Return integers in proportion to `weights`, small enough for every sum to be exact.

    Equal weights all become 1. Integers, binary fractions of up to 32 places, decimals of up to 6
    places and simple ratios keep their exact proportions. Other weights are rounded to integers
    with a total just below 2**52.

    Parameters
    ----------
    weights : array of shape (length,), optional
        Finite numbers, at least 0 and not all 0; equal by default.
    length : int
        Number of weights.
    name : str
        Name of the argument in error messages.

    Returns
    -------
    array of shape (length,), float64

    Examples
    --------
    >>> to_units([0.5, 0.25, 0.75], 3, "weights")
    array([2., 1., 3.])
    >>> to_units([0.1, 0.2, 0.3], 3, "weights")
    array([1., 2., 3.])
    >>> int(to_units([1, 2**0.5], 2, "weights").sum()) == 2**52 - 2
    True
    """
    if weights is None:
        return np.ones(length)
    given = _check_proportions(weights, length, name)
    if _are_equal(given):
        return np.ones(length)
    for units in _iter_exact_units(given):
        if units is not None and units.sum() < EXACT_IN_FLOAT64:
            return units
    units = _round_to_units(given)
    return np.ones(length) if _are_equal(units) else units


def _are_equal(values: Array) -> bool:
    return bool((values == values[0]).all())


def _iter_exact_units(weights: Array) -> Iterator[Array | None]:
    """Iterate over readings of the weights, the likeliest first; None if one is impossible."""
    scaled = rescale(weights)
    if _are_short(weights):
        yield _find_binary_units(scaled)
        yield _find_ratio_units(scaled)
    else:
        yield _find_decimal_units(weights)
        yield _find_ratio_units(scaled)
        yield _find_binary_units(scaled)


def _round_to_units(weights: Array) -> Array:
    scaled = rescale(weights)
    # fsum rounds once. NumPy's sum depends on the machine, and a tie must not.
    return np.round(scaled * ((EXACT_IN_FLOAT64 // 2 - len(scaled)) / math.fsum(scaled)))


def _are_short(weights: Array) -> bool:
    """Return whether all weights are integers or short binary fractions: 44.75 is, 44.7 is not."""
    with np.errstate(over="ignore"):
        shifted = np.ldexp(weights, SHORT_BITS)
    return bool((shifted == np.rint(shifted)).all())


def _find_decimal_units(weights: Array) -> Array | None:
    """Return multiples of the last decimal place in use, or None if there are too many places."""
    with np.errstate(over="ignore"):
        shifted = weights * 10.0**MAX_DECIMALS
    integers = np.rint(shifted)
    # A float is within half of its last binary place of its decimal, and so is the product.
    is_off = np.abs(shifted - integers) > EPSILON * shifted
    if not integers.sum() < EXACT_IN_FLOAT64 or is_off.any():
        return None
    return integers / np.gcd.reduce(integers.astype(np.int64))


def _find_binary_units(weights: Array) -> Array | None:
    """Return exact multiples of the last binary place in use, or None if it is too small."""
    fractions, exponents = np.frexp(weights[weights.nonzero()])
    mantissas = np.ldexp(fractions, MANTISSA_BITS).astype(np.int64)
    # m & -m keeps the lowest bit that is set: 12 = 0b1100 gives 4 = 2², hence two trailing zeros.
    trailing_zeros = np.frexp((mantissas & -mantissas).astype(np.float64))[1] - 1
    places = int((MANTISSA_BITS - trailing_zeros - exponents).max())
    return np.ldexp(weights, places) if places <= MANTISSA_BITS else None


def _find_ratio_units(weights: Array) -> Array | None:
    """Return multiples of a common fraction, or None if the weights are not simple ratios."""
    values, positions = np.unique(weights / weights.max(), return_inverse=True)
    if len(values) > MAX_DENOMINATOR:
        return None
    ratios = []
    for value in values.tolist():
        ratios.append(Fraction(value).limit_denominator(MAX_DENOMINATOR))
        if abs(float(ratios[-1]) - value) > 4 * EPSILON * value:
            return None
    denominator = math.lcm(*(ratio.denominator for ratio in ratios))
    if denominator >= EXACT_IN_FLOAT64:
        return None
    return np.array([float(ratio * denominator) for ratio in ratios])[positions]


def _check_proportions(weights: npt.ArrayLike, length: int, name: str) -> Array:
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}.") from None
    if given.shape != (length,):
        raise ValueError(
            f"{name} must have shape ({length},), as many as the votes have "
            f"{'members' if name == 'weights' else 'instances'}; got {given.shape}."
        )
    if not np.isfinite(given).all() or (given < 0).any():
        bad = given[~np.isfinite(given) | (given < 0)][0]
        raise ValueError(f"{name} must be finite and at least 0; got {bad}.")
    if not given.any():
        raise ValueError(f"{name} are all 0; at least one must be positive.")
    return given


def unbox_floats(values: Array) -> Array:
    """Return an array of floats in place of Python objects that are floats or decimals.

    >>> unbox_floats(np.array([0.5, 1], dtype=object)).dtype, unbox_floats(np.array(["a"])).dtype
    (dtype('float64'), dtype('<U1'))
    """
    if values.dtype.kind != "O" or infer_dtype(values.ravel(), skipna=False) not in BOXED_FLOATS:
        return values
    return values.astype(float)


def differs(before: Array, after: Array, tolerance: float) -> Array:
    """Return whether predictions differ, by more than `tolerance` if they are numbers.

    Floating-point predictions that differ by the noise of their type only are equal: 1e-9 of the
    larger one for float64, and 1.2e-5 of it, or of 1, for float32.

    >>> differs(np.array([1.0, 1.0]), np.array([1 + 1e-12, 1.5]), tolerance=0)
    array([False,  True])
    >>> differs(np.float32([1e-7, 1.0]), np.float32([2e-7, 1.5]), tolerance=0)
    array([False,  True])
    """
    are_floats = "f" in before.dtype.kind + after.dtype.kind
    if not are_floats and not tolerance:
        return np.asarray(before != after)
    _check_comparable(before, after, tolerance)
    least = max(map(_get_noise, (before, after)))
    before, after = before.astype(float), after.astype(float)
    largest = np.maximum(np.abs(before), np.abs(after))
    with np.errstate(invalid="ignore", over="ignore"):
        noise = np.maximum(max(RELATIVE_NOISE, least) * largest, least) if are_floats else 0
        moved = np.abs(after - before) > tolerance + noise
    # ∞ - ∞ is not a number: infinite predictions are compared as they are.
    return np.where(np.isinf(largest), before != after, moved)


def _get_noise(values: Array) -> float:
    """Return the noise of predictions around 1; 0 for types as precise as float64."""
    is_coarse = values.dtype.kind == "f" and values.dtype.itemsize < np.dtype(float).itemsize
    return NOISE_UNITS * float(np.finfo(values.dtype).eps) if is_coarse else 0.0


def _check_comparable(before: Array, after: Array, tolerance: float) -> None:
    if {before.dtype.kind, after.dtype.kind} <= set(NUMERIC_KINDS):
        return
    if tolerance:
        raise ValueError(
            f"tolerance is {tolerance!r}, but predictions are not numbers: {before.dtype}."
        )
    raise ValueError(f"labels of type {before.dtype} cannot be predictions of type {after.dtype}.")


def round_probability(probabilities: Array) -> Array:
    """Round probabilities, so that the order in which their terms were added does not matter.

    >>> bool(0.1 + 0.2 + 0.7 == 0.7 + 0.2 + 0.1)
    False
    >>> round_probability(np.array([0.1 + 0.2 + 0.7, 0.7 + 0.2 + 0.1])).tolist()
    [1.0, 1.0]
    """
    return np.round(probabilities, PROBABILITY_DIGITS)
