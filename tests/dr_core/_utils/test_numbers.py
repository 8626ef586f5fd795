import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_core._utils._numbers import (
    EXACT_IN_FLOAT64,
    HALF_BITS,
    MANTISSA_BITS,
    MAX_VALUES_PER_BLOCK,
    UNIT,
    _find_decimal_units,
    effective_size,
    exact_counts,
    exact_mean,
    exact_squares,
    exact_sums,
    iter_slices,
    round_probability,
    scale_sums,
    share,
    to_float,
)

floats = st.floats(allow_nan=False, allow_infinity=False)
cells = st.integers(0, 3)


@given(st.lists(st.tuples(floats, cells)))
def test_sums_are_those_of_fractions(terms):
    values = np.array([value for value, _ in terms], dtype=float)
    where = np.array([cell for _, cell in terms], dtype=int)
    sums = exact_sums(values, where, 4)
    for cell in range(4):
        expected = sum((Fraction(value) for value, of in terms if of == cell), Fraction(0))
        assert Fraction(sums[cell], UNIT) == expected


@given(st.lists(st.floats(0, 1e300), max_size=30), st.integers(0, 30))
def test_sums_of_two_parts_add_up_to_the_sum_of_the_whole(values, cut):
    values = np.array(values, dtype=float)
    parts = exact_sums(values[:cut])[0] + exact_sums(values[cut:])[0]
    assert parts == exact_sums(values)[0]


@given(st.lists(st.floats(-1e300, 1e300)))
def test_a_sum_is_rounded_once(values):
    assert to_float(exact_sums(np.array(values, dtype=float))[0]) == math.fsum(values)


def test_booleans_are_counted():
    assert exact_sums(np.array([True, False, True])).tolist() == [2 * UNIT]


def test_more_values_than_a_block_are_summed_in_blocks(monkeypatch):
    monkeypatch.setattr("dr_core._utils._numbers.MAX_VALUES_PER_BLOCK", 3)
    values = np.random.default_rng(0).normal(size=10)
    assert to_float(exact_sums(values)[0]) == math.fsum(values)


def test_a_block_is_as_large_as_exact_sums_of_halves_allow():
    largest_half = 2 ** max(HALF_BITS, MANTISSA_BITS - HALF_BITS)
    assert MAX_VALUES_PER_BLOCK * largest_half == EXACT_IN_FLOAT64
    assert float(EXACT_IN_FLOAT64 + 1) != EXACT_IN_FLOAT64 + 1


def test_decimals_whose_sum_is_not_exact_have_no_units():
    assert _find_decimal_units(np.array([EXACT_IN_FLOAT64 / 10**6])) is None
    assert _find_decimal_units(np.array([EXACT_IN_FLOAT64 / 2 / 10**6])).tolist() == [1]


@pytest.mark.parametrize("sign", [-1, 1])
def test_totals_are_scaled_from_an_exponent_of_400_on(sign):
    for exponent, expected in ((399, 2.0 ** (399 * sign)), (400, 0.5)):
        total = np.array([int(UNIT * Fraction(2) ** (exponent * sign))], dtype=object)
        assert scale_sums(total, total)[0].tolist() == [expected]


def test_a_share_of_nothing_is_undefined():
    assert math.isnan(share(0, 0))


def test_counts_are_sums_of_weights_of_one():
    cells = np.array([0, 2, 2, 2])
    sums, squares = exact_counts(np.bincount(cells))
    assert sums.tolist() == exact_sums(np.ones(4), cells, 3).tolist()
    assert squares.tolist() == exact_squares(np.ones(4), cells, 3).tolist()


@pytest.mark.parametrize("scale", [1e-323, 1e-300, 1.0, 1e300])
def test_the_effective_size_does_not_depend_on_the_scale(scale):
    weights = np.array([2.0, 1.0, 1.0]) * scale
    assert effective_size(exact_sums(weights)[0], exact_squares(weights)[0]) == pytest.approx(
        16 / 6, rel=1e-15
    )


def test_the_effective_size_of_no_weight_is_undefined():
    assert math.isnan(effective_size(0, 0))


@given(st.lists(st.tuples(st.floats(0, 10), st.integers(0, 9)), min_size=1))
def test_an_exact_mean_is_that_of_fractions(terms):
    values, weights = (np.array(column, dtype=float) for column in zip(*terms, strict=True))
    total = sum(Fraction(value * weight) for value, weight in terms)
    if weights.any():
        assert exact_mean(values, weights) == float(total / Fraction(weights.sum()))
    assert exact_mean(values) == float(sum(map(Fraction, values)) / len(values))


def test_an_exact_mean_is_infinite_only_where_a_weight_is_positive():
    values = np.array([1.0, math.inf])
    assert exact_mean(values) == math.inf
    assert exact_mean(values, np.array([2.0, 0.0])) == 1


@pytest.mark.parametrize("scale", [1e-323, 1e-300, 1e300, 1e308])
def test_extreme_weights_are_scaled_so_that_their_squares_are_floats(scale):
    weights = np.full(2, scale / 2)
    cells = np.array([0, 1])
    sums, squares = scale_sums(exact_sums(weights, cells, 2), exact_squares(weights, cells, 2))
    assert 0.5 <= sums.sum() < 1
    assert sums.sum() ** 2 / squares.sum() == 2


def test_ordinary_weights_are_not_scaled():
    weights = np.array([3.0, 1e100])
    sums, squares = scale_sums(exact_sums(weights), exact_squares(weights))
    assert (sums[0], squares[0]) == (3 + 1e100, 9 + 1e200)


def test_no_weight_stays_no_weight():
    assert [part.tolist() for part in scale_sums(*exact_counts(np.zeros(2, int)))] == [[0, 0]] * 2


def test_the_order_of_terms_does_not_change_a_rounded_probability():
    one, other = 0.1 + 0.2 + 0.7, 0.7 + 0.2 + 0.1
    assert one != other
    assert round_probability(np.array(one)) == round_probability(np.array(other))


@given(st.integers(0, 50), st.integers(0, 60))
def test_slices_cover_everything_once(length, size):
    positions = [i for part in iter_slices(length, size) for i in range(length)[part]]
    assert positions == [*range(length)]
