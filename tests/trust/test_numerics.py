"""Extreme weights, ties and margins, against exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dr_core import Predictions, Votes, assess_risk, chernoff, clopper_pearson, compare, wilson
from dr_core._utils import differs, to_units
from fairlearn_dr import discriminative_risk

X = pd.DataFrame({"sex": ["M", "M", "F", "F"], "age": [25, 35, 35, 45]})
RISKS = [0, 1, 1, 0]
SCALES = [1e-323, 1e-300, 1e-30, 1.0, 1e30, 1e300, 1e308]


def hires(X):
    return (X["age"] > X["sex"].map({"M": 30, "F": 40})).astype(int)


@pytest.mark.parametrize("scale", SCALES)
class TestWeightsOfAnySize:
    def test_give_the_risk_of_their_proportions(self, scale):
        weights = np.array([1.0, 1.0, 1.0, 0.0]) * scale
        risk = assess_risk(hires, X, {"sex": "M"}, sample_weight=weights)
        assert risk.value == pytest.approx(2 / 3, rel=1e-15)
        assert risk.directions["share"].sum() == pytest.approx(2 / 3, rel=1e-15)

    def test_give_the_interval_of_their_proportions(self, scale):
        weights = np.array([1.0, 1.0, 1.0, 0.0]) * scale
        risk = assess_risk(hires, X, {"sex": "M"}, sample_weight=weights)
        expected = clopper_pearson(2 / 3, 3.0, 0.95)
        assert risk.n_effective == pytest.approx(3, rel=1e-15)
        assert risk.interval()[:2] == pytest.approx(expected[:2], rel=1e-14)

    def test_give_the_comparison_of_their_proportions(self, scale):
        def values(weights):
            options = {"sample_weight": weights, "n_boot": 20, "random_state": 0}
            measures = ["discriminative_risk", "demographic_parity", "accuracy"]
            return compare(
                {"m": hires}, X, [0, 1, 1, 1], {"sex": "M"}, measures=measures, **options
            ).values

        ones = np.array([1.0, 1.0, 1.0, 1.0])
        pd.testing.assert_frame_equal(values(ones * scale), values(ones), rtol=1e-14)

    def test_give_fairlearns_metric_of_their_proportions(self, scale):
        found = discriminative_risk(
            RISKS, RISKS, individual_risk=RISKS, sample_weight=np.full(4, scale)
        )
        assert found == 0.5

    def test_give_the_votes_of_their_proportions(self, scale):
        votes = Votes(
            [[0], [1], [1]], [[0], [1], [0]], [1], weights=np.array([1, 0.5, 0.5]) * scale
        )
        assert (votes.vote.tolist(), votes.perturbed_vote.tolist()) == ([0], [0])
        assert (votes.units / votes.units.min()).tolist() == [2, 1, 1]


def test_a_group_that_weighs_nothing_beside_the_other_has_its_own_mean():
    weights = np.array([1e-300, 1e-300, 1e300, 1e300])
    risk = assess_risk(hires, X, {"sex": "M"}, sample_weight=weights)
    assert risk.by_group.loc["sex", ["privileged", "marginalised"]].tolist() == [0.5, 0.5]


WHOLE = st.integers(0, 2**40).map(float)
BINARY = st.integers(0, 64).map(lambda k: k / 64)
TENTHS = st.integers(0, 999).map(lambda k: k / 10)


@st.composite
def elections(draw, weights):
    m = draw(st.integers(2, 6))
    n_classes = draw(st.integers(2, 4))
    some = draw(st.lists(weights, min_size=m, max_size=m).filter(any))
    codes = st.lists(st.integers(0, n_classes - 1), min_size=m, max_size=m)
    return some, draw(codes), draw(codes), n_classes


def shares(weights, codes, n_classes):
    totals = [Fraction(0)] * n_classes
    for weight, code in zip(weights, codes, strict=True):
        totals[code] += weight
    return totals


def held(weights, before, after, n_classes):
    column = [np.reshape(codes, (-1, 1)) for codes in (before, after)]
    return Votes(*column, [0], weights=weights, classes=np.arange(n_classes))


@given(elections(WHOLE) | elections(BINARY))
def test_votes_are_those_of_rational_arithmetic(election):
    weights, before, after, n_classes = election
    votes = held(*election)
    exact = [Fraction(weight) for weight in weights]
    for codes, vote in ((before, votes.vote), (after, votes.perturbed_vote)):
        totals = shares(exact, codes, n_classes)
        assert vote[0] == totals.index(max(totals))


@given(elections(TENTHS))
def test_decimal_weights_tie_as_decimals_do(election):
    weights, before, _, n_classes = election
    exact = [Fraction(round(10 * weight), 10) for weight in weights]
    totals = shares(exact, before, n_classes)
    assert held(*election).vote[0] == totals.index(max(totals))


@given(st.integers(1, 9999), st.integers(1, 9999))
@example(123, 447)
def test_decimals_that_add_up_to_a_third_tie_with_it(one, other):
    weights = [one / 10, other / 10, (one + other) / 10]
    for codes in ([[1], [1], [0]], [[0], [0], [1]]):
        votes = Votes(codes, codes, [0], weights=weights)
        assert (votes.vote[0], votes.margin[0]) == (0, 0)


@given(elections(TENTHS))
@example(([12.0, 44.7, 44.7], [0, 0, 0], [0, 0, 1], 2))
def test_margins_and_inconsistencies_are_rounded_once(election):
    weights, before, after, n_classes = election
    exact = [Fraction(round(10 * weight), 10) for weight in weights]
    first, second = sorted(shares(exact, before, n_classes))[:-3:-1]
    moved = sum(w for w, b, a in zip(exact, before, after, strict=True) if b != a)
    votes = held(*election)
    assert votes.margin[0] == float((first - second) / sum(exact))
    assert votes.inconsistency[0] == float(Fraction(moved) / sum(exact))


POSITIVE = st.floats(1e-8, 1e8)


@given(elections(POSITIVE))
def test_other_weights_decide_as_rational_arithmetic_does_beyond_rounding(election):
    weights, before, _, n_classes = election
    exact = [Fraction(weight) for weight in weights]
    totals = shares(exact, before, n_classes)
    first, second = sorted(totals)[:-3:-1]
    if first - second > sum(exact) * len(weights) / 2**51:
        assert held(*election).vote[0] == totals.index(first)


@given(st.lists(POSITIVE, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_units_do_not_depend_on_the_order_of_the_weights(weights, random):
    order = list(range(len(weights)))
    random.shuffle(order)
    units = to_units(weights, len(weights), "weights")
    again = to_units([weights[i] for i in order], len(weights), "weights")
    assert again.tolist() == units[order].tolist()


@given(st.lists(POSITIVE, min_size=2, max_size=20))
def test_sums_of_units_are_exact(weights):
    units = to_units(weights, len(weights), "weights")
    assert all(unit == int(unit) for unit in units)
    assert sum(int(unit) for unit in units) < 2**53


@given(st.floats(0, 1), st.integers(1, 10**9), st.floats(0.01, 0.999))
def test_intervals_hold_the_mean(mean, n, confidence):
    for make in (clopper_pearson, wilson, chernoff):
        interval = make(mean, n, confidence)
        assert 0 <= interval.low <= mean <= interval.high <= 1


NUMBERS = [0.0, 1.0, -1.0, 1e308, -1e308, np.inf, -np.inf, 5e-324]


@pytest.mark.parametrize("after", NUMBERS)
@pytest.mark.parametrize("before", NUMBERS)
def test_numbers_differ_where_they_differ(before, after):
    assert differs(np.array([before]), np.array([after]), 0.0)[0] == (before != after)


def test_a_prediction_that_becomes_infinite_has_changed():
    def odds(X):
        return np.where(X["sex"] == "M", np.inf, 1.5)

    assert assess_risk(odds, X, {"sex": "M"}, tolerance=0).value == 1


@pytest.mark.parametrize("method", ["exact", "sample"])
def test_seventy_attributes_are_told_apart(method):
    # Three to the power of 70 combinations do not fit 64 bits.
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.integers(0, 2, (200, 70)), columns=[f"a{j}" for j in range(70)])
    wide.iloc[0] = 1
    flipped = assess_risk(
        lambda X: X["a0"], wide, dict.fromkeys(wide.columns, 1), method=method, random_state=0
    )
    assert flipped.by_attribute.tolist() == [1.0] + [0.0] * 69


def test_predictions_given_with_extreme_weights_compare():
    table = compare(
        {"m": Predictions([0, 1, 1, 0], [1, 1, 1, 0])},
        X,
        [0, 1, 1, 0],
        {"sex": "M"},
        sample_weight=[1e300, 1e300, 1e-300, 1e300],
        measures=["discriminative_risk", "accuracy"],
    ).table()
    assert table.loc[("m", "sex")].tolist() == [pytest.approx(1 / 3), 1.0]
