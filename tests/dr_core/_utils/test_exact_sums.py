import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dr_core._utils._exact_sums import UNIT, exact_sums, rounded, share

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
    assert rounded(exact_sums(np.array(values, dtype=float)))[0] == math.fsum(values)


def test_truth_values_are_counted():
    assert exact_sums(np.array([True, False, True])).tolist() == [2 * UNIT]


def test_more_values_than_a_block_are_summed_in_blocks(monkeypatch):
    monkeypatch.setattr("dr_core._utils._exact_sums.BLOCK", 3)
    values = np.random.default_rng(0).normal(size=10)
    assert rounded(exact_sums(values))[0] == math.fsum(values)


def test_a_share_of_nothing_is_undefined():
    assert math.isnan(share(0, 0))
