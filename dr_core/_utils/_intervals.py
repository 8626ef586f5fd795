"""Confidence intervals for a mean of values between 0 and 1.

The number n of values in these intervals assumes that values are independent and weigh the same.
`MeanSample` finds the n that unequal weights, and several rows of one person, are worth, and makes
intervals longer where values depend on frequencies that were learned from a sample.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import rel_entr
from scipy.stats import beta, norm, t

from dr_core._utils._checks import check_choice, check_confidence, is_number
from dr_core._utils._numbers import Array, effective_size, exact_squares, exact_sums, share

__all__ = [
    "Interval",
    "LearnedRange",
    "LearnedSide",
    "MeanSample",
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

VARIANCE_ERROR = 1e-12
"""Relative error of a variance."""


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


class LearnedSide(NamedTuple):
    """Values on one side of a range, whose frequencies were learned from n rows.

    Rows of the other side become one of these values v, with its frequency. If all of them became
    v, their mean would be x(v), in [0, 1].

    Attributes
    ----------
    part : share of all rows that become values of this side, by weight
    mean, square : mean of x and of x², with the frequencies
    n : number of rows that the frequencies were learned from
    """

    part: float
    mean: float
    square: float
    n: float

    def compute_margins(self, z: float, rows_per_person: float) -> Array:
        """Return how far the mean of all rows may be below and above, at a normal quantile z.

        The interval of the mean of x is normal, with two pseudo-rows, of x = 0 and of x = 1. With
        them it allows for values that none of n rows has.
        """
        n = self.n / rows_per_person + 2
        mean, square = (((n - 2) * value + 1) / n for value in (self.mean, self.square))
        half = z * math.sqrt((square - mean**2) / n)
        low, high = max(0.0, mean - half), min(1.0, mean + half)
        return self.part * np.maximum([self.mean - low, high - self.mean], 0)


class LearnedRange(NamedTuple):
    """What a mean depends on where the values of a range were learned from a sample.

    Attributes
    ----------
    sides : LearnedSide of each side that rows become values of
    covariance : of the mean over rows and the mean over learned values, if these are the same rows
    """

    sides: tuple[LearnedSide, ...]
    covariance: float


@dataclass(frozen=True)
class MeanSample:
    """A weighted mean of values in [0, 1], and how many independent people it is worth.

    Person i has rows of total weight Bᵢ and weighted values Aᵢ = Σ w·ℓ; the mean is μ = ΣA / ΣB.
    Where nothing says who the rows are about, each row is one person.

    Attributes
    ----------
    mean : μ; NaN without rows
    n_effective : effective number of people, see `of`
    n_rows : Kish's effective number of rows, (Σw)²/Σw²
    n_people : Kish's effective number of people, (ΣB)²/ΣB²
    n_heaviest : ΣB / max B
    ranges : LearnedRange of each range whose values rows become
    """

    mean: float
    n_effective: float
    n_rows: float
    n_people: float
    n_heaviest: float
    ranges: tuple[LearnedRange, ...] = ()

    @classmethod
    def of_rows(cls, mean: float, n_rows: float) -> MeanSample:
        """Make the sample of rows that weigh the same and are about different people.

        The variance of values in [0, 1] is at most μ(1-μ), so n_rows are worth as many at least.
        """
        n = n_rows or math.nan
        return cls(mean, n, n, n, n)

    @classmethod
    def of(
        cls,
        mean: float,
        weight: float,
        squares: tuple[float, float, float],
        n_rows: float,
        largest: float,
    ) -> MeanSample:
        """Compute the effective number of people as Korn and Graubard (1998) do.

        The linearised variance of μ is V = Σ(A - μB)² / (ΣB)², and μ(1-μ)/V people that weigh the
        same would have the same. At most Kish's number is taken: where few values are not 0, V
        is uncertain, and too small if none of them is heavy.

        Parameters
        ----------
        mean : μ
        weight : ΣB
        squares : ΣA², ΣAB and ΣB²
        n_rows : Kish's effective number of rows
        largest : max B

        Examples
        --------
        Four people with two rows each, whose values are the same:

        >>> sample = MeanSample.of(0.25, 8, squares=(4, 4, 16), n_rows=8, largest=2)
        >>> sample.n_effective, sample.n_heaviest
        (4.0, 4.0)
        """
        a, ab, b = (share(some, weight**2) for some in squares)
        variance, n_people = a - 2 * mean * ab + mean**2 * b, share(weight**2, squares[2])
        least = share(mean * (1 - mean), n_people)
        # A variance that is larger by rounding only, as with equal weights, is the same.
        n = mean * (1 - mean) / variance if variance > least * (1 + VARIANCE_ERROR) else n_people
        return cls(mean, n, n_rows, n_people, share(weight, largest))

    @classmethod
    def of_values(cls, values: Array, weights: Array) -> MeanSample:
        """Make the sample of rows with these values and weights, each about another person.

        Examples
        --------
        >>> MeanSample.of_values(np.array([0.5, 1.0, 0.0]), np.array([2.0, 1.0, 1.0])).mean
        0.5
        """
        weight = exact_sums(weights)[0]
        mean = share(exact_sums(weights * values)[0], weight)
        if not len(weights) or (weights == weights[0]).all():
            return cls.of_rows(mean, len(weights))
        rows = weights * values, weights * np.sqrt(values), weights
        squares = tuple(exact_squares(row)[0] for row in rows)
        largest = exact_sums(weights.max(keepdims=True))[0]
        return cls.of(mean, weight, squares, effective_size(weight, squares[2]), largest)

    def interval(self, confidence: float, method: str = "clopper-pearson") -> Interval:
        """Return the interval of the mean; see `RiskAssessment.interval` for the methods."""
        check_choice("method", method, tuple(INTERVALS))
        check_confidence(confidence)
        if math.isnan(self.mean):
            return Interval(math.nan, math.nan, confidence, method)
        if method == "chernoff":
            return chernoff(self.mean, self.count_independent(), confidence)
        return self._widen(INTERVALS[method](self.mean, self._adjust(confidence), confidence))

    def count_independent(self) -> float:
        """Return the number of terms in a mean of independent values that bounds this mean.

        With one range learned from these rows, of which n₀ are below and n₁ above the limit, each
        row of the smaller side can be matched with another row of the other side. Each pair has
        two perturbed rows, the one with the other's value and the reverse. The mean is the average
        over all matchings of means of min(n₀, n₁) independent pairs, and Hoeffding's inequality
        holds for such an average (Hoeffding 1963, section 5). n / (1 + n₁/n₀) is this number.
        """
        rows_per_learned = sum(
            max(side.part * self.n_rows / side.n for side in one.sides) for one in self.ranges
        )
        return self.n_heaviest / (1 + rows_per_learned)

    def _widen(self, known: Interval) -> Interval:
        """Return the interval for frequencies that were learned, from that for known ones.

        The method of variance estimates recovery (Zou and Donner, 2008): distances from the mean
        to the ends add up as standard errors do.
        """
        if not self.ranges:
            return known
        factor = float(norm.ppf(0.5 + known.confidence / 2)) ** 2 * self.n_rows / self.n_people
        distances = np.array([self.mean - known.low, known.high - self.mean])
        squares = distances**2 + self.compute_margins(known.confidence) ** 2
        squares += 2 * factor * max(sum(one.covariance for one in self.ranges), 0)
        below, above = np.sqrt(squares).tolist()
        low, high = max(0.0, self.mean - below), min(1.0, self.mean + above)
        return known._replace(low=low, high=high)

    def compute_margins(self, confidence: float) -> Array:
        """Return how far below and above the mean may be because frequencies were learned.

        Each side of a range has rows of its own. Ranges may depend on each other, so their
        margins are added.
        """
        z, rows_per_person = float(norm.ppf(0.5 + confidence / 2)), self.n_rows / self.n_people
        margins = np.zeros(2)
        for one in self.ranges:
            each = [side.compute_margins(z, rows_per_person) for side in one.sides]
            margins += np.sqrt(np.square(each).sum(axis=0))
        return margins

    def _adjust(self, confidence: float) -> float:
        """Return the effective n, less where the variance is estimated from few people."""
        if self.n_people >= self.n_rows:
            return self.n_effective
        of_rows, of_people = (
            float(t.ppf((1 + confidence) / 2, max(n - 1, 1))) for n in (self.n_rows, self.n_people)
        )
        return self.n_effective * (of_rows / of_people) ** 2
