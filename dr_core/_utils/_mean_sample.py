"""A weighted mean of values in [0, 1] with its confidence interval.

`MeanSample` finds the number of independent values that unequal weights, and several rows of one
person, are worth, and makes intervals longer where values depend on frequencies that were learned
from a sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, t

from dr_core._utils._checks import check_choice, check_confidence
from dr_core._utils._intervals import INTERVALS, Interval, chernoff
from dr_core._utils._numbers import Array, effective_size, exact_squares, exact_sums, share

__all__ = ["LearnedRange", "LearnedSide", "MeanSample"]

VARIANCE_ERROR = 1e-12
"""Relative error of a variance."""


class LearnedSide(NamedTuple):
    """Values on one side of a range, whose frequencies were learned from rows.

    Rows of the other side become one of these values v, with its frequency. If all of them became
    v, their mean would be x(v), in [0, 1].

    Attributes
    ----------
    part : share of all rows that become values of this side, by weight
    mean, square : mean of x and of x², with the frequencies
    n : effective number of people whose rows the frequencies were learned from
    n_heaviest : number of these rows, divided by the largest number of rows of one person
    """

    part: float
    mean: float
    square: float
    n: float
    n_heaviest: float

    def compute_margins(self, z: float) -> Array:
        """Return how far the mean of all rows may be below and above, at a normal quantile z.

        The interval of the mean of x is normal, with two pseudo-rows, of x = 0 and of x = 1. With
        them it allows for values that none of n people has.
        """
        n = self.n + 2
        mean, square = ((self.n * value + 1) / n for value in (self.mean, self.square))
        half = z * math.sqrt((square - mean**2) / n)
        low, high = max(0.0, mean - half), min(1.0, mean + half)
        return self.part * np.maximum([self.mean - low, high - self.mean], 0)


class LearnedRange(NamedTuple):
    """What a mean depends on where the values of a range were learned from a sample.

    Attributes
    ----------
    sides : LearnedSide of each side that rows become values of
    covariance : of the mean over rows and the means over learned values, between people; if these
        are the same rows
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
        holds for such an average (Hoeffding 1963, section 5).

        In general, a person takes part in pairs as the one who is perturbed, with at most
        1/n_heaviest of the total weight, and as the one whose value is drawn, with at most
        part/n_heaviest of each side. The number is 1 divided by the sum of these shares.
        """
        drawn = sum(
            max((side.part / side.n_heaviest for side in one.sides), default=0.0)
            for one in self.ranges
        )
        return self.n_heaviest / (1 + self.n_heaviest * drawn)

    def _widen(self, known: Interval) -> Interval:
        """Return the interval for frequencies that were learned, from that for known ones.

        The method of variance estimates recovery (Zou and Donner, 2008): distances from the mean
        to the ends add up as standard errors do.
        """
        if not self.ranges:
            return known
        factor = float(norm.ppf(0.5 + known.confidence / 2)) ** 2
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
        z = float(norm.ppf(0.5 + confidence / 2))
        margins = np.zeros(2)
        for one in self.ranges:
            each = [side.compute_margins(z) for side in one.sides]
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
