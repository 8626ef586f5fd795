import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import norm

from dr_core import chernoff, clopper_pearson, wilson
from dr_core._utils import LearnedRange, LearnedSide, MeanSample


def test_rows_of_equal_weight_are_worth_their_number():
    sample = MeanSample.of_rows(0.2, 50)
    assert sample.interval(0.95) == clopper_pearson(0.2, 50, 0.95)
    assert sample.interval(0.95, "wilson") == wilson(0.2, 50, 0.95)
    assert sample.interval(0.95, "chernoff") == chernoff(0.2, 50, 0.95)


def test_a_sample_without_rows_has_no_interval():
    low, high, *_ = MeanSample.of_rows(math.nan, 0).interval(0.95)
    assert math.isnan(low)
    assert math.isnan(high)


def test_the_number_of_people_is_that_of_kish_where_no_value_or_every_value_is_1():
    # Three people who weigh 2, 1 and 1.
    for mean, squares in ((0.0, (0, 0, 6)), (1.0, (6, 6, 6))):
        sample = MeanSample.of(mean, 4, squares, n_rows=16 / 6, largest=2)
        assert sample.n_effective == pytest.approx(16 / 6)


def test_few_people_with_many_rows_widen_the_interval_beyond_their_number():
    few = MeanSample(0.2, n_effective=5, n_rows=50, n_people=5, n_heaviest=5)
    low, high, *_ = few.interval(0.95)
    narrow = clopper_pearson(0.2, 5, 0.95)
    assert low < narrow.low < narrow.high < high


@pytest.mark.parametrize("weights", [[1.0] * 9, [5.0, *[1.0] * 8]])
def test_chernoff_covers_weighted_means_of_any_sizes(weights):
    rng, weights = np.random.default_rng(0), np.array(weights)
    values = rng.random((2000, len(weights))) < 0.3
    means = values @ weights / weights.sum()
    heaviest = weights.sum() / weights.max()
    found = [MeanSample(mean, 1, 1, 1, heaviest).interval(0.9, "chernoff") for mean in means]
    assert np.mean([one.low <= 0.3 <= one.high for one in found]) >= 0.9


class TestSamplesOfValues:
    VALUES, WEIGHTS = np.array([1.0, 0.5, 0.0, 0.0]), np.array([1.0, 2.0, 1.0, 4.0])

    def test_rows_that_weigh_the_same_are_counted(self):
        found = MeanSample.of_values(self.VALUES, np.full(4, 0.5))
        assert found == MeanSample.of_rows(0.375, 4)

    def test_unequal_weights_are_worth_fewer_rows(self):
        found = MeanSample.of_values(self.VALUES, self.WEIGHTS)
        w, v = self.WEIGHTS, self.VALUES
        mean = (w * v).sum() / w.sum()
        squares = ((w * v) ** 2).sum(), (w**2 * v).sum(), (w**2).sum()
        expected = MeanSample.of(mean, w.sum(), squares, w.sum() ** 2 / squares[2], w.max())
        assert dataclasses.astuple(found)[:5] == pytest.approx(dataclasses.astuple(expected)[:5])

    def test_rows_of_weight_zero_do_not_count(self):
        both = [np.append(some, 0.0) for some in (self.VALUES, self.WEIGHTS)]
        assert MeanSample.of_values(*both) == MeanSample.of_values(self.VALUES, self.WEIGHTS)

    def test_without_rows_nothing_is_known(self):
        assert math.isnan(MeanSample.of_values(np.empty(0), np.empty(0)).mean)


class TestLearnedSides:
    def test_two_pseudo_rows_allow_for_values_that_none_of_n_people_has(self):
        side = LearnedSide(part=0.5, mean=0.0, square=0.0, n=98, n_heaviest=98)
        below, above = side.compute_margins(z=2.0)
        # One of 100 rows with x = 1: mean 0.01, standard error √(0.01 · 0.99 / 100).
        assert below == 0
        assert above == pytest.approx(0.5 * (0.01 + 2 * np.sqrt(0.0099 / 100)))

    def test_margins_of_sides_add_up_as_squares_and_those_of_ranges_as_they_are(self):
        side = LearnedSide(part=0.5, mean=0.3, square=0.2, n=50, n_heaviest=50)
        one = LearnedRange((side, side), covariance=0.0)
        sample = dataclasses.replace(MeanSample.of_rows(0.3, 100), ranges=(one, one))
        expected = 2 * np.sqrt(2) * side.compute_margins(norm.ppf(0.975))
        assert sample.compute_margins(0.95) == pytest.approx(expected)

    def test_a_person_is_in_pairs_as_a_row_and_as_a_value_that_is_drawn(self):
        side = LearnedSide(part=0.5, mean=0.3, square=0.2, n=50, n_heaviest=10)
        one = LearnedRange((side,), covariance=0.0)
        sample = dataclasses.replace(MeanSample.of_rows(0.3, 100), ranges=(one,))
        assert sample.count_independent() == pytest.approx(1 / (1 / 100 + 0.5 / 10))
