"""Confidence intervals for a mean of values between 0 and 1.

The number n of values in these intervals assumes that values are independent and weigh the same.
`MeanSample` is for all other means.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import rel_entr
from scipy.stats import beta, norm

from dr_core._utils._checks import Array, check_choice, check_confidence, is_number

__all__ = [
    "INTERVALS",
    "Interval",
    "chernoff",
    "clopper_pearson",
    "compute_difference_interval",
    "compute_ratio_interval",
    "find_largest_mean",
    "find_size",
    "fold_interval",
    "rows_needed",
    "widen_interval",
    "wilson",
]


TINY, EPS = 1e-300, 1e-16


class Interval(NamedTuple):
    """A confidence interval, and how it was made."""

    low: float
    high: float
    confidence: float
    method: str


def clopper_pearson(mean: float, n: float, confidence: float) -> Interval:
    """Clopper and Pearson's interval for a mean of n values in [0, 1].

    It inverts the binomial test, so that it covers the true mean of n independent 0/1 values at
    least as often as stated, for every n. Beta quantiles extend it to a sum of values that is not
    an integer.

    Examples
    --------
    >>> low, high, *_ = clopper_pearson(0.1, 100, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.049, 0.1762)
    """
    _check_mean(mean, n, confidence)
    tail, successes, failures = (1 - confidence) / 2, mean * n, (1 - mean) * n
    low = float(beta.ppf(tail, successes, failures + 1)) if successes > TINY else 0.0
    high = float(beta.ppf(1 - tail, successes + 1, failures)) if failures > TINY else 1.0
    # Rounding must not leave the mean itself outside.
    return Interval(min(low, mean), max(high, mean), confidence, "clopper-pearson")


def compute_ratio_interval(
    one: float, of_one: Interval, other: float, of_other: Interval
) -> tuple[float, float]:
    """Return an interval for the ratio of two independent means, from the interval of each.

    The method of variance estimates recovery (Donner and Zou, 2012) makes the distance between
    the ratio and an end of its interval from the distances between each mean and the end of its
    own interval that makes the ratio smaller, or larger. With l and u the ends of the two
    intervals, the lower end is ``(pq - √(p²q² - l(2p - l) u(2q - u))) / (u(2q - u))``.

    Examples
    --------
    >>> half, quarter = clopper_pearson(0.5, 100, 0.95), clopper_pearson(0.25, 100, 0.95)
    >>> low, high = compute_ratio_interval(0.25, quarter, 0.5, half)
    >>> round(low, 3), round(high, 3)
    (0.325, 0.746)
    """
    return (
        _find_ratio_end(one, of_one.low, other, of_other.high, sign=-1),
        _find_ratio_end(one, of_one.high, other, of_other.low, sign=1),
    )


def _find_ratio_end(p: float, p_end: float, q: float, q_end: float, sign: int) -> float:
    square = q_end * (2 * q - q_end)
    if square <= 0:  # the mean below the line is too uncertain: take both at their ends
        return p_end / q_end if q_end else math.inf
    root = math.sqrt(max((p * q) ** 2 - p_end * (2 * p - p_end) * square, 0.0))
    return (p * q + sign * root) / square


def wilson(mean: float, n: float, confidence: float) -> Interval:
    """Wilson's score interval for a mean of n values in [0, 1].

    It inverts the test ``|mean - μ| ≤ z √(μ(1-μ)/n)``. For 0/1 values μ(1-μ) is their variance;
    values in between have a smaller one (Bhatia and Davis), so there it is conservative.

    Examples
    --------
    >>> low, high, *_ = wilson(0.1, 100, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.0552, 0.1744)
    """
    _check_mean(mean, n, confidence)
    z = float(norm.ppf(0.5 + confidence / 2))
    centre = (mean + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(mean * (1 - mean) / n + z**2 / (4 * n**2))
    # Rounding must not leave the mean itself outside, as it could where the mean is 0 or 1.
    low, high = max(0.0, min(centre - half, mean)), min(1.0, max(centre + half, mean))
    return Interval(low, high, confidence, "wilson")


def chernoff(mean: float, n: float, confidence: float) -> Interval:
    """Chernoff-Hoeffding interval: all μ with n·kl(mean, μ) ≤ ln(2/δ).

    Its coverage is guaranteed for every n and every distribution on [0, 1] (Hoeffding 1963,
    theorem 1), not only in the limit; it is wider for that.

    Examples
    --------
    >>> low, high, *_ = chernoff(0.1, 100, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.0379, 0.2003)
    """
    _check_mean(mean, n, confidence)
    most = math.log(2 / (1 - confidence)) / n
    has_low = mean > TINY and _excess(TINY, mean, most) > 0
    low = brentq(_excess, TINY, mean, args=(mean, most)) if has_low else 0.0
    return Interval(low, find_largest_mean(mean, most), confidence, "chernoff")


def find_largest_mean(mean: float, most: float) -> float:
    """Return kl⁻¹(mean, most), the largest μ with kl(mean, μ) ≤ most.

    Examples
    --------
    >>> round(find_largest_mean(0.0, 0.5), 4)  # 1 - exp(-0.5)
    0.3935
    """
    if mean >= 1 - EPS or _excess(1 - EPS, mean, most) <= 0:
        return 1.0
    return float(brentq(_excess, mean, 1 - EPS, args=(mean, most)))


def _excess(mu: float, mean: float, most: float) -> float:
    """Return kl(mean, μ) - most, for the Kullback-Leibler divergence of two coins."""
    return float(rel_entr(mean, mu) + rel_entr(1 - mean, 1 - mu)) - most


def compute_difference_interval(
    differences: Array, weights: Array, confidence: float
) -> tuple[float, float]:
    """Return the interval of the mean of paired differences in [-1, 1].

    For 0/1 values it is that of Bonett and Price (2012): a normal interval with two pseudo-pairs,
    of difference 1 and -1, without which intervals of rare differences are too short.

    Parameters
    ----------
    differences : (n,) of each pair
    weights : (n,) of the pairs, which count as Kish's effective number of pairs
    confidence : in (0, 1)

    Examples
    --------
    >>> low, high = compute_difference_interval(np.array([1, 0, 0, -1, 0, 0]), np.ones(6), 0.95)
    >>> round(low, 3), round(high, 3)
    (-0.49, 0.49)
    """
    total = weights.sum()
    n = total**2 / (weights @ weights)
    mean = (weights @ differences) / total * n / (n + 2)
    mean_square = ((weights @ differences**2) / total * n + 2) / (n + 2)
    half = float(norm.ppf(0.5 + confidence / 2)) * math.sqrt((mean_square - mean**2) / (n + 2))
    return max(-1.0, float(mean - half)), min(1.0, float(mean + half))


def fold_interval(low: float, high: float) -> tuple[float, float]:
    """Return the ends of the absolute values of the numbers in an interval.

    Examples
    --------
    >>> fold_interval(-0.03, 0.07), fold_interval(-0.5, -0.25)
    ((0.0, 0.07), (0.25, 0.5))
    """
    # At most one of low and -high is positive: the distance of the interval from 0. NumPy's
    # maximum is NaN if one of the numbers is; that of Python is not.
    return float(np.max([0.0, low, -high])), float(np.max([-low, high]))


def widen_interval(low: float, high: float, value: float) -> tuple[float, float]:
    """Return the interval, widened to contain the value if necessary.

    Examples
    --------
    >>> widen_interval(0.25, 0.5, 0.125), widen_interval(0.25, 0.5, 0.375)
    ((0.125, 0.5), (0.25, 0.5))
    """
    return min(low, value), max(high, value)


def _check_mean(mean: float, n: float, confidence: float) -> None:
    check_confidence(confidence)
    if not (is_number(mean) and (0 <= mean <= 1 or math.isnan(mean))):
        raise ValueError(f"mean must be in [0, 1]; got {mean!r}.")
    if not (is_number(n) and (n > 0 or math.isnan(n))):
        raise ValueError(f"n must be greater than 0; got {n!r}.")


INTERVALS: dict[str, Callable[[float, float, float], Interval]] = {
    "clopper-pearson": clopper_pearson,
    "wilson": wilson,
    "chernoff": chernoff,
}
"""Intervals by name; the first is the default."""


def rows_needed(
    rate: float, width: float, *, confidence: float = 0.95, method: str = "clopper-pearson"
) -> int:
    """Return how many rows give a confidence interval of at most this width.

    Use it to plan an audit: guess the discriminative risk, or any other rate, and choose how wide
    its interval may be. Groups are audited separately, so each group needs this many rows.

    Parameters
    ----------
    rate : float
        Expected rate, in [0, 1]. The widest intervals are those of 0.5.
    width : float
        Largest distance between the two ends of the interval, in (0, 1).
    confidence : float, default=0.95
    method : {"clopper-pearson", "wilson", "chernoff"}, default="clopper-pearson"

    Returns
    -------
    int
        Number of independent rows of equal weight. If people have several rows, it is the number
        of people that is safe to plan with.

    Examples
    --------
    An expected risk of 5 %, to be known to about plus or minus one percentage point:

    >>> rows_needed(0.05, 0.02)
    1927
    >>> rows_needed(0.05, 0.02, confidence=0.9)
    1386
    """
    check_choice("method", method, tuple(INTERVALS))
    check_confidence(confidence)
    if not (is_number(rate) and 0 <= rate <= 1):
        raise ValueError(f"rate must be in [0, 1]; got {rate!r}.")
    if not (is_number(width) and 0 < width < 1):
        raise ValueError(f"width must be in (0, 1), such as 0.02; got {width!r}.")

    def is_narrow(n: int) -> bool:
        low, high, *_ = INTERVALS[method](rate, n, confidence)
        return high - low <= width

    # Chernoff's interval is the widest. By Pinsker's inequality, kl(mean, μ) ≥ 2 (mean - μ)², it
    # is narrow from n = 2 ln(2/δ) / width² on.
    most = math.ceil(2 * math.log(2 / (1 - confidence)) / width**2)
    return 1 + bisect_left(range(1, most + 1), True, key=is_narrow)


def find_size(mean: float, end: float, confidence: float) -> float:
    """Return the n for which Clopper and Pearson's interval of a mean has this end.

    NaN for the mean itself, and for an end that no n up to 10¹² has.

    Examples
    --------
    >>> low, high, *_ = clopper_pearson(0.1, 100, 0.95)
    >>> round(find_size(0.1, low, 0.95), 6), round(find_size(0.1, high, 0.95), 6)
    (100.0, 100.0)
    """

    def exceed(log_n: float) -> float:
        found = clopper_pearson(mean, math.exp(log_n), confidence)
        return (found.high if end > mean else found.low) - end

    first, last = 0.0, math.log(1e12)
    if exceed(first) * exceed(last) >= 0:
        return math.nan
    return math.exp(brentq(exceed, first, last, xtol=1e-12))
