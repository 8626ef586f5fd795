"""Confidence intervals for a mean of values between 0 and 1."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import rel_entr
from scipy.stats import norm

from dr_core._utils._checks import check_confidence, is_number

__all__ = ["Interval", "chernoff", "fold_interval", "widen_interval", "wilson"]


TINY, EPS = 1e-300, 1e-16


class Interval(NamedTuple):
    """A confidence interval, and how it was made."""

    low: float
    high: float
    confidence: float
    method: str


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

    def excess(mu: float) -> float:
        return float(rel_entr(mean, mu) + rel_entr(1 - mean, 1 - mu)) - most

    low = brentq(excess, TINY, mean) if mean > TINY and excess(TINY) > 0 else 0.0
    high = brentq(excess, mean, 1 - EPS) if mean < 1 - EPS and excess(1 - EPS) > 0 else 1.0
    return Interval(low, high, confidence, "chernoff")


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
