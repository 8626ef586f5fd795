import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from textbook.intervals import count_rows

from dr_core import chernoff, clopper_pearson, rows_needed, wilson
from dr_core._utils import compute_ratio_interval


@given(st.integers(0, 30), st.integers(1, 30), st.sampled_from([0.5, 0.95, 0.999]))
def test_clopper_and_pearson_is_that_of_scipy(successes, n, confidence):
    successes = min(successes, n)
    expected = binomtest(successes, n).proportion_ci(confidence, method="exact")
    found = clopper_pearson(successes / n, n, confidence)
    assert found[:2] == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert found[2:] == (confidence, "clopper-pearson")


@pytest.mark.parametrize("risk", [0.01, 0.05])
def test_clopper_and_pearson_cover_rare_risks_in_few_rows_where_wilson_does_not(risk):
    n = 50
    chances = [math.comb(n, k) * risk**k * (1 - risk) ** (n - k) for k in range(n + 1)]

    def coverage(make):
        found = [make(k / n, n, 0.95) for k in range(n + 1)]
        return sum(c for c, one in zip(chances, found, strict=True) if one.low <= risk <= one.high)

    assert coverage(clopper_pearson) >= 0.95
    if risk == 0.01:
        assert coverage(wilson) < 0.93


METHODS = {"clopper-pearson": clopper_pearson, "wilson": wilson, "chernoff": chernoff}


@given(st.floats(0, 1), st.floats(0.1, 0.9), st.sampled_from([*METHODS]))
def test_rows_needed_are_the_first_number_that_counting_up_finds(rate, width, method):
    expected = count_rows(rate, width, lambda mean, n: METHODS[method](mean, n, 0.95))
    assert rows_needed(rate, width, method=method) == expected


@pytest.mark.parametrize("width", [1e-5, 1e-3])
def test_narrow_intervals_need_rows_in_proportion_to_the_inverse_square_of_the_width(width):
    z = 1.959964
    assert rows_needed(0.3, width) == pytest.approx(0.21 * (2 * z / width) ** 2, rel=0.01)


def test_a_rate_of_0_needs_rows_until_the_upper_end_reaches_the_width():
    assert rows_needed(0, 0.01) == math.ceil(math.log(0.025) / math.log(0.99))


def find_ratio_end(p, p_end, q, q_end, sign):
    """The ratio θ at which an end of the interval of p - θq, made from both intervals, is 0."""

    def end(theta):
        return p - theta * q + sign * math.hypot(p - p_end, theta * (q - q_end))

    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if end(middle) > 0 else (low, middle)
    return low


@given(st.integers(0, 40), st.integers(40, 90), st.integers(20, 80), st.integers(80, 200))
def test_the_interval_of_a_ratio_is_where_that_of_the_difference_ends_at_0(a, n, b, m):
    p, q = a / n, b / m
    of_p, of_q = clopper_pearson(p, n, 0.95), clopper_pearson(q, m, 0.95)
    low, high = compute_ratio_interval(p, of_p, q, of_q)
    assert low == pytest.approx(find_ratio_end(p, of_p.low, q, of_q.high, -1), abs=1e-9)
    assert high == pytest.approx(find_ratio_end(p, of_p.high, q, of_q.low, 1), rel=1e-6)
    assert low <= p / q <= high


def test_the_interval_of_a_ratio_to_a_very_uncertain_rate_takes_both_at_their_ends():
    of_p, of_q = clopper_pearson(0.5, 100, 0.95), clopper_pearson(0.1, 5, 0.95)
    low, high = compute_ratio_interval(0.5, of_p, 0.1, of_q)
    assert low == of_p.low / of_q.high
    assert high > 5
