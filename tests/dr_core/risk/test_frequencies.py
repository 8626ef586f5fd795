"""Intervals of a risk where the frequencies of values in a range were learned from few rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from textbook import ranges as textbook

from dr_core import (
    Predictions,
    RiskDisplay,
    assess_risk,
    assess_shift,
    at_least,
    clopper_pearson,
    compare,
    learn_attributes,
    perturb,
)
from dr_core.comparison import Comparison
from dr_core.risk import describe_few_learned

AGE = {"age": at_least(30)}


def people(n=300, seed=0, share_young=0.2):
    rng = np.random.default_rng(seed)
    is_young = rng.random(n) < share_young
    is_young[:2] = True, False
    return pd.DataFrame(
        {
            "age": np.where(is_young, rng.integers(20, 30, n), rng.integers(30, 70, n)),
            "sex": rng.choice(["M", "F"], n),
            "score": rng.normal(size=n),
        }
    )


def rule(X):
    """Decide by age below 25, and by a score that counts less for the old."""
    return np.asarray((X["age"] < 25) | (X["score"] > X["age"] / 20 - 1))


def depend_on_sex(X):
    return np.asarray(X["sex"] == "M")


def get_numbers(risk):
    [one] = get_ranges(risk)
    return [*np.ravel(one.sides), one.covariance]


def get_ranges(risk, s=-1):
    return risk.totals.make_sample(s).ranges


@settings(deadline=None, max_examples=25)
@given(st.integers(4, 40), st.integers(0, 10_000), st.booleans(), st.booleans())
def test_sides_and_covariance_are_those_of_the_textbook(n, seed, weighted, shared):
    X, rng = people(n, seed, 0.4), np.random.default_rng(seed)
    weights = rng.lognormal(size=n) if weighted else np.ones(n)
    person = rng.integers(0, n // 2, n) if shared else None
    [found] = get_ranges(assess_risk(rule, X, AGE, sample_weight=weights, person=person))

    def changes(i, age):
        both = pd.concat([X.iloc[[i]], X.iloc[[i]].assign(age=age)])
        before, after = rule(both)
        return bool(before != after)

    each = range(n) if person is None else person
    expected = textbook.learned_range(X["age"].tolist(), lambda a: a >= 30, changes, weights, each)
    assert np.array(found.sides) == pytest.approx(np.array(expected[0]))
    assert found.covariance == pytest.approx(expected[1], abs=1e-12)


def oppose(X):
    """Change who becomes less than 25, but nobody who is."""
    change_if_old = (X["score"] < -10) & (X["age"] >= 30)
    return (X["score"] > 0) & (X["age"] >= 25) | change_if_old


@pytest.mark.filterwarnings("ignore:.*may encode it, too")
@pytest.mark.parametrize(("model", "sign"), [(rule, 1), (oppose, -1)])
def test_distances_to_the_ends_add_up_as_squares(model, sign):
    X = people()
    if model is oppose:
        X["score"] = np.select([X["age"] < 25, X["age"] < 30], [-5.0, -20.0], 5.0)
    risk = assess_risk(model, X, AGE)
    sample = risk.totals.make_sample(-1)
    [one] = sample.ranges
    assert np.sign(one.covariance) == sign
    known = clopper_pearson(risk.value, len(X), 0.95)
    squares = np.array([risk.value - known.low, known.high - risk.value]) ** 2
    squares += sample.compute_margins(0.95) ** 2
    squares += 2 * norm.ppf(0.975) ** 2 * max(one.covariance, 0)
    low, high, *_ = risk.interval()
    assert [risk.value - low, high - risk.value] == pytest.approx(np.sqrt(squares))


def test_the_interval_is_that_of_known_frequencies_if_they_were_learned_from_many_rows():
    X = people()
    many = learn_attributes(X, AGE, domain={"age": np.repeat(X["age"].to_numpy(), 100_000)})
    few = assess_risk(rule, X, AGE)
    known = assess_risk(rule, X, many)
    assert known.value == pytest.approx(few.value)
    rows_only = few.totals.make_sample(-1).n_effective
    assert rows_only == len(X)
    (low, high, *_), (few_low, few_high, *_) = known.interval(), few.interval()
    assert few_low < low - 0.005
    assert high + 0.005 < few_high


def test_a_risk_that_does_not_depend_on_the_range_keeps_its_interval():
    X = people()
    alone = assess_risk(depend_on_sex, X, {"sex": "M"})
    both = assess_risk(depend_on_sex, X, {"sex": "M"} | AGE)
    assert both.table().loc["sex", ["low", "high"]].tolist() == list(alone.interval()[:2])


METHODS = pytest.mark.parametrize("method", ["clopper-pearson", "wilson", "chernoff"])


@METHODS
def test_the_only_value_of_a_side_has_a_known_frequency(method):
    X = people().assign(flag=lambda X: (X["age"] < 30).astype(int))
    as_range = assess_risk(lambda X: X["flag"] > 0, X, {"flag": at_least(1)})
    as_value = assess_risk(lambda X: X["flag"] > 0, X, {"flag": 1})
    assert as_range.interval(method=method) == as_value.interval(method=method)


def test_values_that_no_row_has_are_allowed_for():
    X = people(2000, share_young=0.05)
    risk = assess_risk(lambda X: X["score"] > 0, X, AGE)
    n_young = int((X["age"] < 30).sum())
    assert risk.value == 0
    assert risk.interval().high > 2 / n_young  # as many young may have an age that matters


@METHODS
@pytest.mark.parametrize("has_people", [False, True])
def test_chunks_and_parts_do_not_change_the_interval(method, has_people):
    X = people().assign(person=np.tile(np.arange(60), 5))  # with rows in all chunks and parts
    attributes, options = learn_attributes(X, AGE), {"person": "person"} if has_people else {}
    whole = assess_risk(rule, X, attributes, **options).interval(method=method)
    chunked = assess_risk(rule, X, attributes, chunk_size=7, **options)
    assert chunked.interval(method=method) == whole
    parts = [X.iloc[:100], X.iloc[100:130], X.iloc[130:]]
    assert assess_risk(rule, parts, attributes, **options).interval(method=method) == whole


class TestPeopleWithSeveralRows:
    def assess_few(self, n_each=10):
        """Assess 20 young people with some rows each, and others with one row."""
        X = people(400, share_young=0.0).iloc[20:]
        young = people(20, share_young=1.0).assign(age=np.arange(20) % 10 + 20)
        few = pd.concat([young] * n_each + [X], ignore_index=True)
        person = np.append(np.tile(np.arange(20), n_each), 20 + np.arange(len(X)))
        few.loc[few["age"] < 30, "score"] = 0.0
        return assess_risk(rule, few, AGE, person=person)

    def test_each_side_of_a_range_counts_its_own_people(self):
        [one] = get_ranges(self.assess_few())
        young = one.sides[0]
        assert young.n == pytest.approx(21, abs=1.5)  # with the only young one of the others
        assert young.n_heaviest == pytest.approx(20, abs=0.2)

    def test_rows_of_one_person_count_once(self):
        X = people()
        copies = pd.concat([X] * 3, ignore_index=True)
        person = np.tile(np.arange(len(X)), 3)
        once, three = assess_risk(rule, X, AGE), assess_risk(rule, copies, AGE, person=person)
        assert get_numbers(three) == pytest.approx(get_numbers(once))

    def test_chernoffs_interval_counts_people_of_the_smaller_side(self):
        few = self.assess_few().totals.make_sample(-1)
        assert few.count_independent() == pytest.approx(20, abs=1.5)

    def test_rows_per_person_are_those_of_the_assessed_rows_if_others_were_learned_from(self):
        X = people()
        learned, person = learn_attributes(people(1000, seed=1), AGE), np.repeat(range(100), 3)
        counts = [
            [side.n for side in get_ranges(risk)[0].sides]
            for risk in (
                assess_risk(rule, X.loc[X.index.repeat(3)[:300]], learned, person=person),
                assess_risk(rule, X, learned),
            )
        ]
        assert 3 * np.array(counts[0]) == pytest.approx(counts[1])

    @pytest.mark.filterwarnings("ignore:no marginalised row")
    def test_all_rows_tell_how_many_a_person_has_if_none_is_on_a_side(self):
        X = people()
        old = X[X["age"] >= 30].iloc[:200]
        person, learned = np.repeat(np.arange(50), 4), learn_attributes(X, AGE)
        [one] = get_ranges(assess_risk(rule, old, learned, person=person))
        [young] = one.sides  # which all rows become values of
        assert young.n == pytest.approx(int((X["age"] < 30).sum()) / 4)

    def test_a_missing_age_counts_on_neither_side(self):
        X = people().astype({"age": float})
        person = np.repeat(np.arange(150), 2)
        missing = pd.concat([X, X.assign(age=np.nan)], ignore_index=True)
        risks = [
            assess_risk(rule, table, learn_attributes(X, AGE, missing="keep"), person=who)
            for table, who in ((X, person), (missing, np.tile(person, 2)))
        ]
        assert get_numbers(risks[1]) == pytest.approx(get_numbers(risks[0]))

    def test_the_interval_of_the_difference_between_groups_counts_people(self):
        X = people()
        copies = pd.concat([X] * 10, ignore_index=True)
        person = np.tile(np.arange(len(X)), 10)
        once, ten = (
            compare_rule(X, measures=DIFFERENCE).values,
            compare_rule(copies, person=person, measures=DIFFERENCE).values,
        )
        widths = [one["signed_high"].item() - one["signed_low"].item() for one in (once, ten)]
        assert widths[1] == pytest.approx(widths[0], rel=0.1)


def test_chernoffs_interval_counts_pairs_of_rows_of_both_sides():
    X = people()
    n_young = int((X["age"] < 30).sum())
    risk = assess_risk(rule, X, AGE)
    assert risk.totals.make_sample(-1).count_independent() == pytest.approx(n_young)


def test_where_quantiles_stand_for_a_range_their_frequencies_count_all_rows():
    rng = np.random.default_rng(0)
    X = people(400).assign(income=rng.lognormal(10, 1, 400))
    attributes = learn_attributes(X, {"income": at_least(20_000)} | AGE, max_values=5)
    risk = assess_risk(lambda X: X["income"] < 10_000, X, attributes)
    [income] = get_ranges(risk, risk.names.index("income"))
    n_high = int((X["income"] >= 20_000).sum())
    assert sorted(side.n for side in income.sides) == sorted([n_high, 400 - n_high])


def test_draws_have_about_the_margins_of_the_enumeration():
    X = people(2000)
    exact = assess_risk(rule, X, AGE).totals.make_sample(-1).compute_margins(0.95)
    drawn = assess_risk(rule, X, AGE, method="sample", n_samples=40, random_state=0)
    assert drawn.totals.make_sample(-1).compute_margins(0.95) == pytest.approx(exact, rel=0.1)


DIFFERENCE = ["discriminative_risk_difference"]


def compare_rule(X, **options) -> Comparison:
    y = np.asarray(X["score"] > 0)
    options = {"measures": ["discriminative_risk", "discriminative_risk_difference"]} | options
    return compare({"rule": rule}, X, y, AGE, n_boot=50, random_state=0, **options)


def test_compare_has_the_interval_of_assess_risk():
    X = people()
    row = compare_rule(X).values.set_index("measure").loc["discriminative_risk"]
    assert (row["low"], row["high"]) == assess_risk(rule, X, AGE).interval()[:2]


@pytest.mark.filterwarnings("ignore:undefined")
def test_a_difference_to_a_group_without_rows_has_no_interval():
    X = people()
    old, attributes = X[X["age"] >= 30], learn_attributes(X, AGE)
    options = {"measures": DIFFERENCE, "n_boot": 50, "random_state": 0}
    found = compare({"rule": rule}, old, rule(old), attributes, **options).values
    assert found[["value", "low", "high", "signed_low", "signed_high"]].isna().all(axis=None)


def test_intervals_of_groups_and_of_their_difference_are_wider_than_for_known_frequencies():
    X = people()
    domain = {"age": np.repeat(X["age"].to_numpy(), 100_000)}
    found = [
        compare({"rule": rule}, X, rule(X), attributes, n_boot=50, random_state=0)
        for attributes in (learn_attributes(X, AGE), learn_attributes(X, AGE, domain=domain))
    ]
    for frames in (
        [one.group_rates.query("measure == 'discriminative_risk'") for one in found],
        [one.values.query("measure == 'discriminative_risk_difference'") for one in found],
    ):
        few, known = (frame["high"] - frame["low"] for frame in frames)
        assert (few.to_numpy() > known.to_numpy() + 0.01).any()
        assert (few.to_numpy() > known.to_numpy()).all()


def test_bars_of_groups_have_the_wider_intervals():
    pytest.importorskip("matplotlib")
    X = people()
    risk = assess_risk(rule, X, AGE)
    display = RiskDisplay.from_assessment(risk, by="group")
    sums = risk.totals.group_sums[-1]
    n_old = sums.total("rows", [(1,)])
    low, high = display.low["privileged"].iloc[-1], display.high["privileged"].iloc[-1]
    known = clopper_pearson(risk.by_group["privileged"].iloc[-1], n_old, 0.95)
    assert low < known.low
    assert known.high < high


class TestFrequenciesThatCountAsKnown:
    def describe(self, ages):
        table = pd.DataFrame({"age": ages})
        return describe_few_learned(learn_attributes(table, {"age": at_least(25)}))

    @pytest.mark.parametrize(("n_young", "is_named"), [(999, True), (1000, False)])
    def test_few_rows_on_one_side_of_a_limit_are_named(self, n_young, is_named):
        notes = self.describe(([20, 21] * 500 + [30, 31] * 1000)[1000 - n_young :])
        assert ["only 999 rows" in note for note in notes] == [True] * is_named

    def test_the_remedy_is_a_column_of_more_rows(self):
        [note] = self.describe([20, 21, 30, 31])
        assert "domain={'age': X_train['age']}" in note

    def test_the_frequency_of_a_single_value_on_one_side_is_certain(self):
        assert self.describe([20] * 10 + [30, 31] * 1000) == []

    def test_the_interval_of_a_mean_shift_has_a_note(self):
        shift = assess_shift(lambda X: X["age"] / 100, people(), AGE, response="predict")
        assert "frequencies of the values of 'age' are taken as known" in repr(shift)
        assert "as known" not in repr(assess_risk(rule, people(), AGE))

    def compare_given(self, n_boot=50, **options):
        X = people()
        attributes = learn_attributes(X, AGE)
        perturbed = perturb(X, attributes, random_state=0)
        models = {"made": Predictions(rule(X), rule(perturbed)), "known": rule}
        options |= {"n_boot": n_boot, "random_state": 0}
        return compare(models, X, rule(X), attributes, **options).notes

    def test_intervals_of_predictions_made_elsewhere_have_a_note(self):
        [note] = self.compare_given()
        assert "the intervals of 'made' can be too short" in note
        assert "frequencies of the values of 'age'" in note

    def test_without_intervals_there_is_no_note(self):
        assert self.compare_given(n_boot=0) == []

    def test_intervals_of_the_shift_of_scores_have_a_note_in_a_comparison(self):
        X = people()
        model = LogisticRegression().fit(X[["age", "score"]], X["score"] > 0)
        options = {"measures": ["score_shift"], "n_boot": 50, "random_state": 0}
        found = compare({"m": model}, X[["age", "score"]], X["score"] > 0, AGE, **options)
        assert sum("intervals of score_shift" in note for note in found.notes) == 1
        assert not compare_rule(X).notes

    def test_bounds_of_ensembles_have_a_note_in_a_comparison(self):
        X = people()[["age", "score"]]
        model = RandomForestClassifier(3, random_state=0).fit(X, X["score"] > 0)
        options = {"measures": ["discriminative_risk"], "ensembles": True}
        found = compare({"m": model}, X, X["score"] > 0, AGE, **options)
        assert sum("bounds" in note for note in found.notes) == 1
