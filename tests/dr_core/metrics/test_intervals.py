"""Intervals of gaps and rates: signed, folded, wide enough, and around their values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from dr_core._utils import fold_interval, widen_interval
from dr_core.metrics import (
    CONTRASTS,
    DR,
    FAIRNESS_MEASURES,
    MEASURES,
    RATIO_MEASURES,
    SIGNED_MEASURES,
    Bootstrap,
    View,
    measure,
    measure_signed,
    tally_predictions,
)
from dr_core.metrics._pseudo_rows import draw_pseudo_rows

FINITE = st.floats(-1, 1)
ROWS = st.lists(
    st.tuples(*[st.integers(0, 2)] * 4, st.sampled_from([0.5, 1.0, 3.0])), min_size=1, max_size=40
)


def tally_rows(rows, n_classes=3):
    groups, *labels, weights = map(np.array, zip(*rows, strict=True))
    return tally_predictions(groups, *labels, list(range(n_classes)), weights)


def draw_blind(rng, n=200):
    """Tally rows whose labels, predictions and changes have nothing to do with the group."""
    groups = rng.integers(0, 2, n)
    return tally_predictions(groups, *rng.integers(0, 2, (3, n)), [0, 1])


@given(FINITE, FINITE, st.floats(0, 1))
def test_a_folded_interval_holds_the_absolute_values_of_the_interval(a, b, part):
    low, high = min(a, b), max(a, b)
    inside = min(max(low + part * (high - low), low), high)
    start, end = fold_interval(low, high)
    assert start <= abs(inside) <= end
    assert {start, end} <= {0.0, abs(low), abs(high)}
    assert (start == 0) == (low <= 0 <= high)


def test_a_folded_undefined_interval_is_undefined():
    assert np.isnan(fold_interval(np.nan, np.nan)).all()


@given(FINITE, FINITE, FINITE)
def test_a_widened_interval_holds_the_value_and_the_interval(a, b, value):
    low, high = min(a, b), max(a, b)
    assert widen_interval(low, high, value) == (min(low, high, value), max(low, high, value))


@given(ROWS)
def test_gaps_are_the_largest_of_their_signed_differences(rows):
    view = View(tally_rows(rows).table, 1)
    for name, contrasts in CONTRASTS.items():
        largest = np.max([np.abs(one(view)) for one in contrasts])
        assert MEASURES[name](view) == pytest.approx(largest, abs=1e-12, nan_ok=True)


@given(ROWS)
def test_values_are_in_their_intervals(rows):
    tally = tally_rows(rows)
    values = measure(tally.table, 1, list(MEASURES))
    signed = measure_signed(tally.table, 1, SIGNED_MEASURES)
    ends = Bootstrap(30, 0.5, 0).intervals(tally, 1, list(MEASURES))
    for name, of in ends.items():
        assert np.isnan(values[name]) == np.isnan(of["low"]) == np.isnan(of["high"])
        assert np.isnan(values[name]) or of["low"] <= values[name] <= of["high"]
        assert ("signed_low" in of) == (name in SIGNED_MEASURES)
        if name in SIGNED_MEASURES and not np.isnan(values[name]):
            assert of["signed_low"] <= signed[name] <= of["signed_high"]
            folded = fold_interval(of["signed_low"], of["signed_high"])
            assert (of["low"], of["high"]) == folded


def test_a_signed_difference_is_marginalised_minus_privileged():
    rows = [(0, 1, 0, 0, 1.0), (0, 1, 1, 1, 1.0), (1, 1, 1, 1, 1.0), (1, 0, 1, 0, 1.0)]
    expected = {
        "discriminative_risk_difference": -0.5,
        "demographic_parity": -0.5,
        "equal_opportunity": -0.5,
        "predictive_parity": 0.5,
    }
    found = measure_signed(tally_rows(rows).table, 1, list(expected))
    assert {name: float(value) for name, value in found.items()} == expected


def test_gaps_and_ratios_are_all_fairness_measures_besides_dr():
    assert [DR, *CONTRASTS, *RATIO_MEASURES] == FAIRNESS_MEASURES


def test_intervals_of_gaps_contain_zero_if_the_model_and_the_labels_ignore_the_group():
    rngs = np.random.default_rng(0).spawn(100)
    found = [Bootstrap(200, 0.95, rng).intervals(draw_blind(rng), 1, [*CONTRASTS]) for rng in rngs]
    for name in CONTRASTS:
        assert np.mean([of[name]["low"] == 0 for of in found]) >= 0.9


def test_a_large_gap_has_an_interval_without_zero():
    rows = [(0, 1, 0, 0, 1.0)] * 60 + [(1, 1, 1, 1, 1.0)] * 60
    ends = Bootstrap(500, 0.95, 0).intervals(tally_rows(rows), 1, ["demographic_parity"])
    assert ends["demographic_parity"]["signed_high"] < -0.8
    assert ends["demographic_parity"]["low"] > 0.8


def test_equalized_odds_need_wider_intervals_than_one_gap():
    """With equal differences of both rates, Bonferroni makes the interval of the maximum wider."""
    rows = [(group, y, f, f, 1.0) for group in (0, 1) for y in (0, 1) for f in (0, 1)] * 20
    names = ["equal_opportunity", "equalized_odds", "equalized_odds_mean"]
    ends = Bootstrap(2000, 0.95, 0).intervals(tally_rows(rows, 2), 1, names)
    one, largest, mean = (ends[name]["high"] for name in names)
    assert mean < one < largest


@pytest.mark.parametrize(("right", "n"), [(0, 20), (3, 20), (20, 20), (90, 100)])
def test_the_interval_of_a_rate_is_close_to_the_one_of_jeffreys(right, n):
    f = np.arange(n) < right
    tally = tally_predictions(np.full(n, 2), np.ones(n, int), f * 1, f * 1, [0, 1])
    ends = Bootstrap(20_000, 0.95, 0).intervals(tally, 1, ["recall"])["recall"]
    low, high = beta.ppf([0.025, 0.975], right + 0.5, n - right + 0.5)
    assert ends["low"] == pytest.approx(low if right else 0, abs=0.02)
    assert ends["high"] == pytest.approx(high if right < n else 1, abs=0.02)


def test_an_undefined_value_has_no_interval():
    tally = tally_predictions([1, 1], [1, 0], [1, 0], [1, 0], [0, 1])
    ends = Bootstrap(50, 0.95, 0).intervals(tally, 1, ["demographic_parity", "accuracy"])
    assert np.isnan(list(ends["demographic_parity"].values())).all()
    assert ends["accuracy"]["high"] == 1


def test_each_group_with_rows_gets_two_pseudo_rows_spread_over_its_classes():
    tally = tally_predictions([1, 0], [0, 1], [2, 1], [2, 0], [0, 1, 2], [2.0, 6.0])
    drawn = draw_pseudo_rows(tally, 1, 40_000, np.random.default_rng(0))
    privileged, marginalised = drawn.mean(axis=0)[[1, 0]]
    assert not drawn[:, 2].any()
    np.testing.assert_allclose(marginalised, 3 * privileged, atol=0.05)
    np.testing.assert_allclose(privileged.sum(), 2 * 2.0, rtol=0.02)
    np.testing.assert_allclose(privileged.sum(axis=(1, 2)), [1, 2, 1], rtol=0.03)
    np.testing.assert_allclose(privileged.sum(axis=(0, 2)), [1, 2, 1], rtol=0.03)
    np.testing.assert_allclose(np.einsum("yff", privileged).sum(), 2, rtol=0.03)


@given(ROWS, ROWS)
def test_intervals_of_merged_tallies_are_those_of_all_rows(some, others):
    names = list(MEASURES)
    merged, whole = tally_rows(some) + tally_rows(others), tally_rows([*some, *others])
    found = (Bootstrap(20, 0.95, 0).intervals(tally, 1, names) for tally in (merged, whole))
    np.testing.assert_equal(*found)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_unit_of_weights_does_not_matter(factor):
    rng = np.random.default_rng(0)
    rows, weights = rng.integers(0, 2, (4, 100)), rng.exponential(size=100)
    tallies = (tally_predictions(*rows, [0, 1], unit * weights) for unit in (1, factor))
    first, second = (Bootstrap(100, 0.9, 0).intervals(t, 1, list(MEASURES)) for t in tallies)
    for name in MEASURES:
        assert first[name] == pytest.approx(second[name])
