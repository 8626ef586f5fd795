"""Confidence intervals for a mean of values between 0 and 1."""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.optimize import brentq
from scipy.special import rel_entr
from scipy.stats import norm

from dr_core._utils._checks import check_confidence, is_number

__all__ = ["Interval", "chernoff", "find_largest_mean", "wilson"]


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


def _check_mean(mean: float, n: float, confidence: float) -> None:
    check_confidence(confidence)
    if not (is_number(mean) and (0 <= mean <= 1 or math.isnan(mean))):
        raise ValueError(f"mean must be in [0, 1]; got {mean!r}.")
    if not (is_number(n) and (n > 0 or math.isnan(n))):
        raise ValueError(f"n must be greater than 0; got {n!r}.")
