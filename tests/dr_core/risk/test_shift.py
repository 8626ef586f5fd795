import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from textbook import risk as textbook

from dr_core import (
    RandomizedModel,
    assess_risk,
    assess_shift,
    learn_attributes,
)

PRIVILEGED = {"sex": "M", "race": "W"}
SEXES, RACES = ["F", "M"], ["A", "B", "O", "W"]
DOMAINS = {"sex": SEXES, "race": RACES}
BROUGHT = {"sex": ["M"], "race": ["W"]}


def population(n, seed):
    """Rows in which every value occurs."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": [*SEXES, *SEXES, *rng.choice(SEXES, n)],
            "race": [*RACES, *rng.choice(RACES, n)],
            "points": rng.integers(0, 6, n + 4),
        }
    )


def arbitrary_score(seed):
    """A score that is an arbitrary function of the row; some scores do not move at all."""
    scores = np.random.default_rng(seed).normal(size=(2, 4, 6)).round(1)

    def score(X):
        sex, race = (X[name].map(of.index).to_numpy() for name, of in DOMAINS.items())
        return scores[sex, race, X["points"].to_numpy()]

    score.of_row = lambda row: scores[
        SEXES.index(row["sex"]), RACES.index(row["race"]), row["points"]
    ]
    return score


def brute_force(score, X, law, p=1.0, **options):
    rows = X.to_dict(orient="records")
    return law(score.of_row, rows, DOMAINS, BROUGHT, p=p, **options)


populations = st.builds(population, st.integers(0, 12), st.integers(0, 10_000))
scores = st.builds(arbitrary_score, st.integers(0, 10_000))
probabilities = st.sampled_from([1.0, 0.5, 0.2])


@settings(deadline=None, max_examples=25)
@given(populations, scores, probabilities)
def test_means_are_those_of_the_textbook(X, score, p):
    shift = assess_shift(score, X, PRIVILEGED, p=p)
    assert shift.mean == pytest.approx(
        brute_force(score, X, textbook.mean_shift, p), abs=1e-12, rel=0
    )
    assert shift.signed_mean == pytest.approx(
        brute_force(score, X, textbook.mean_shift, p, of=lambda change: change), abs=1e-12, rel=0
    )


@settings(deadline=None, max_examples=25)
@given(populations, scores, st.integers(0, 1000))
def test_weighted_means_are_those_of_the_textbook(X, score, seed):
    weights = np.random.default_rng(seed).uniform(0.1, 5, len(X))
    shift = assess_shift(score, X, PRIVILEGED, sample_weight=weights)
    expected = brute_force(score, X, textbook.mean_shift, weights=weights.tolist())
    assert shift.mean == pytest.approx(expected, abs=1e-12, rel=0)


@settings(deadline=None, max_examples=25)
@given(populations, scores, probabilities, st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
def test_quantiles_are_those_of_the_textbook_within_their_error(X, score, p, q):
    shift = assess_shift(score, X, PRIVILEGED, p=p)
    for signed, of in ((False, abs), (True, lambda change: change)):
        expected = brute_force(score, X, textbook.shift_quantile, p, q=q, of=of)
        assert shift.quantiles([q], signed=signed)[q] == pytest.approx(expected, rel=1e-3)


@settings(deadline=None, max_examples=15)
@given(populations, scores)
def test_single_attributes_and_the_largest_are_those_of_the_textbook(X, score):
    shift, rows, one = assess_shift(score, X, PRIVILEGED), X.to_dict("records"), score.of_row
    for name in PRIVILEGED:
        alone = textbook.mean_shift(one, rows, DOMAINS, {name: BROUGHT[name]})
        assert shift.by_attribute[name] == pytest.approx(alone, abs=1e-12, rel=0)
    every = [c for row in rows for c, _ in textbook.shifts(one, row, DOMAINS, BROUGHT)]
    assert shift.largest == pytest.approx(max(map(abs, every)), abs=1e-12, rel=0)


@settings(deadline=None, max_examples=15)
@given(populations, scores, st.sampled_from([0.0, 0.25, 1.05]))
def test_the_share_above_a_threshold_is_the_risk_with_this_tolerance(X, score, threshold):
    shift = assess_shift(score, X, PRIVILEGED)
    risk = assess_risk(score, X, PRIVILEGED, tolerance=threshold)
    assert shift.share_above(threshold) == pytest.approx(risk.value, abs=1e-12)
    alone = shift.share_above(threshold, attribute="sex")
    assert alone == pytest.approx(risk.by_attribute["sex"], abs=1e-12)


X = population(200, seed=1)
Y = (np.arange(len(X)) + (X["sex"] == "M")) % 3 > 0
NUMBERS = pd.DataFrame({"sex": (X["sex"] == "M") * 1, "points": X["points"]})
SEX = {"sex": 1}


def test_a_shift_is_positive_where_the_perturbation_raises_the_score():
    shift = assess_shift(lambda X: 2.0 * (X["sex"] == "M"), X, {"sex": "M"})
    groups = shift.by_group.set_index("group")
    assert groups["signed_mean"].to_dict() == {"F": 2.0, "M": -2.0}
    assert groups["privileged"].to_dict() == {"F": False, "M": True}
    assert shift.table().loc["sex", ["privileged", "marginalised"]].tolist() == [-2.0, 2.0]


def test_the_rows_of_groups_are_those_of_the_data():
    by_group = assess_shift(arbitrary_score(3), X, PRIVILEGED).by_group
    both = by_group[by_group["attribute"] == "all"].set_index("group")["rows"]
    expected = (X["sex"] + ", " + X["race"]).value_counts()
    assert both.sort_index().to_dict() == expected.sort_index().to_dict()


def test_the_score_of_a_classifier_is_the_probability_of_the_favourable_class():
    model = LogisticRegression().fit(NUMBERS, Y)
    shift = assess_shift(model, NUMBERS, SEX)
    other = NUMBERS.assign(sex=1 - NUMBERS["sex"])
    expected = (model.predict_proba(other) - model.predict_proba(NUMBERS))[:, 1]
    assert np.allclose(shift.signed_individual, expected, atol=1e-14)
    assert shift.meaning == "probability of True"
    assert assess_shift(model, NUMBERS, SEX, favorable=False).signed_mean == pytest.approx(
        -shift.signed_mean
    )


@pytest.mark.parametrize("model", [LinearSVC(), RidgeClassifier()])
def test_a_classifier_without_probabilities_has_its_decision_function(model):
    model.fit(NUMBERS, Y)
    shift = assess_shift(model, NUMBERS, SEX)
    other = NUMBERS.assign(sex=1 - NUMBERS["sex"])
    expected = model.decision_function(other) - model.decision_function(NUMBERS)
    assert np.allclose(shift.signed_individual, expected)
    opposite = assess_shift(model, NUMBERS, SEX, favorable=False)
    assert np.allclose(opposite.signed_individual, -expected)


def test_the_decision_function_of_one_of_three_classes_is_its_column():
    model = LogisticRegression().fit(NUMBERS, X["points"] % 3)
    shift = assess_shift(model, NUMBERS, SEX, response="decision_function", favorable=2)
    assert np.allclose(shift.scores, model.decision_function(NUMBERS)[:, 2])


def test_the_score_of_a_regressor_is_its_prediction():
    model = LinearRegression().fit(NUMBERS, 3.0 * NUMBERS["sex"] + NUMBERS["points"])
    shift = assess_shift(model, NUMBERS, SEX)
    assert shift.mean == pytest.approx(3.0)
    assert shift.quantiles().tolist() == pytest.approx([3.0, 3.0, 3.0], rel=1e-9)


def test_a_model_that_ignores_the_attribute_has_no_shift():
    model = DecisionTreeClassifier().fit(NUMBERS[["points"]], Y)
    shift = assess_shift(lambda X: model.predict_proba(X[["points"]])[:, 1], NUMBERS, SEX)
    assert (shift.mean, shift.largest, shift.share_above(0.0)) == (0.0, 0.0, 0.0)
    assert shift.interval()[:2] == (0.0, 0.0)
    assert shift.find_most_affected().empty


def test_a_randomised_model_is_measured_by_its_distribution():
    def probabilities(X):
        yes = 0.2 + 0.5 * (X["sex"] == "M").to_numpy()
        return np.column_stack([1 - yes, yes])

    shift = assess_shift(
        RandomizedModel(probabilities, ["no", "yes"]), X, PRIVILEGED, favorable="yes"
    )
    assert shift.by_attribute.round(12).to_dict() == {"sex": 0.5, "race": 0.0}


def test_shifts_of_coarse_floats_are_not_their_noise():
    def noisy(X):
        return np.float32(0.1) + np.float32(1e-8) * (X["sex"] == "M").to_numpy(np.float32)

    assert assess_shift(noisy, X, {"sex": "M"}).largest == 0.0


def test_the_risk_at_a_threshold_is_that_of_the_decision():
    model = LogisticRegression().fit(NUMBERS, Y)
    joint = assess_shift(model, NUMBERS, SEX, threshold=0.6).risk
    apart = assess_risk(lambda X: model.predict_proba(X)[:, 1] > 0.6, NUMBERS, SEX)
    pd.testing.assert_frame_equal(joint.table(), apart.table())
    assert (joint.individual == apart.individual).all()
    assert assess_shift(model, NUMBERS, SEX).risk is None


def test_the_model_is_asked_once_for_shift_and_risk():
    asked = []

    def score(X):
        asked.append(len(X))
        return X["points"] / 10 + (X["sex"] == "M")

    assess_shift(score, X, {"sex": "M"}, threshold=0.5)
    with_both = list(asked)
    asked.clear()
    assess_risk(lambda X: score(X) > 0.5, X, {"sex": "M"})
    assert with_both == asked


def results(shift):
    frames = [shift.table(), shift.by_group, shift.quantiles([0.1, 0.5, 0.77]).to_frame()]
    return [*frames, shift.share_above(0.3), shift.interval("signed_mean", attribute="sex")]


def same(one, other):
    for a, b in zip(results(one), results(other), strict=True):
        if isinstance(a, pd.DataFrame):
            pd.testing.assert_frame_equal(a, b, check_exact=True)
        else:
            assert a == b


BIG = population(1000, seed=2)
WEIGHTS = np.random.default_rng(0).uniform(0.1, 3, len(BIG))
PEOPLE = np.random.default_rng(1).integers(0, 230, len(BIG))


@pytest.mark.parametrize("options", [{}, {"p": 0.5}, {"method": "sample", "random_state": 0}])
@pytest.mark.parametrize("person", [None, PEOPLE])
def test_chunks_and_partitions_have_the_results_of_one_table(options, person):
    score, weights = arbitrary_score(7), {"sample_weight": WEIGHTS, "person": person}
    whole = assess_shift(score, BIG, PRIVILEGED, **weights, **options)
    same(whole, assess_shift(score, BIG, PRIVILEGED, **weights, **options, chunk_size=257))
    parts = [BIG.iloc[:30], BIG.iloc[30:800], BIG.iloc[800:]]
    same(whole, assess_shift(score, parts, PRIVILEGED, **weights, **options))


def test_the_order_of_rows_does_not_change_the_sums():
    shift = assess_shift(arbitrary_score(7), BIG, PRIVILEGED, sample_weight=WEIGHTS)
    back = BIG[::-1].reset_index(drop=True)
    other = assess_shift(arbitrary_score(7), back, PRIVILEGED, sample_weight=WEIGHTS[::-1])
    pd.testing.assert_frame_equal(shift.by_group, other.by_group, check_exact=True)


def test_polars_and_pandas_have_the_same_shifts():
    def score(X):
        return X["points"].to_numpy() + (X["sex"] == "M").to_numpy() * 0.5

    same(
        assess_shift(score, X, {"sex": "M"}), assess_shift(score, pl.from_pandas(X), {"sex": "M"})
    )


def test_results_of_single_rows_are_refused_for_partitions():
    shift = assess_shift(arbitrary_score(7), [X, X], PRIVILEGED)
    for ask in (lambda: shift.individual, lambda: shift.scores, shift.find_most_affected):
        with pytest.raises(ValueError, match="partition"):
            ask()


def test_the_most_affected_come_with_the_perturbation_that_moves_them_most():
    def score(X):
        return X["points"] * X["race"].map({"A": 0.1, "B": 0.2, "O": 0.3, "W": 1.0})

    found = assess_shift(score, X, {"race": "W"}).find_most_affected(5)
    top = found.iloc[0]
    assert (top["race"], top["race becomes"]) == ("W", "A")
    assert top["shift"] == pytest.approx(-0.9 * X["points"].max())
    assert top["becomes"] == pytest.approx(score(X.assign(race="A"))[found.index[0]])
    assert found["shift"].abs().is_monotonic_decreasing


def test_rows_without_a_value_are_left_out():
    gaps = X.assign(sex=X["sex"].where(np.arange(len(X)) % 2 == 0, None))
    attributes = learn_attributes(gaps, {"sex": "M"}, missing="keep")
    shift = assess_shift(lambda X: 1.0 * (X["sex"] == "M"), gaps, attributes)
    assert shift.mean == shift.share_above(0.5) == 1
    assert shift.quantiles([0, 1]).tolist() == [1, 1]
    assert np.nanmean(shift.individual) == shift.mean
    assert np.nanmean(shift.signed_individual) == pytest.approx(shift.signed_mean)
    np.testing.assert_array_equal(np.isnan(shift.individual), gaps["sex"].isna())
    assert "102 rows with a missing value were not perturbed" in repr(shift)


def test_rows_without_a_value_do_not_dilute_the_headline():
    gaps = X.assign(sex=X["sex"].where(np.arange(len(X)) % 2 == 0, None))
    attributes = learn_attributes(gaps, {"sex": "M"}, missing="keep")
    score = lambda X: X["points"] * (X["sex"] == "M")  # noqa: E731
    shift = assess_shift(score, gaps, attributes)
    known = gaps[gaps["sex"].notna()].reset_index(drop=True)
    alone = assess_shift(score, known, {"sex": "M"})
    assert shift.mean == alone.mean
    assert shift.signed_mean == alone.signed_mean
    assert shift.quantiles().tolist() == alone.quantiles().tolist()
    assert shift.quantile_intervals().equals(alone.quantile_intervals())
    assert f"moves by {alone.mean:.4g} on average" in repr(shift)
    found, expected = shift.interval(), alone.interval()
    assert found.low == pytest.approx(expected.low, rel=0.02)
    assert found.high == pytest.approx(expected.high, rel=0.02)


def test_coupled_columns_are_named_in_the_headline():
    rules = {"points": {"sex": lambda sex, points: points + (sex == "M")}}
    attributes = learn_attributes(X, {"sex": "M"}, coupled=rules)
    shift = assess_shift(lambda X: 1.0 * X["points"], X, attributes)
    assert "when only sex is perturbed and points follows" in repr(shift)


def test_rows_of_one_person_say_nothing_about_others():
    shift = assess_shift(arbitrary_score(7), X, PRIVILEGED, person=np.zeros(len(X), dtype=int))
    assert (shift.interval().low, shift.interval().high) == (0, np.inf)
    assert shift.interval("signed_mean").low == -np.inf


@pytest.mark.parametrize("of", ["mean", "signed_mean"])
@pytest.mark.parametrize("attribute", [None, "race"])
@pytest.mark.filterwarnings("ignore:no marginalised row:UserWarning")
@pytest.mark.filterwarnings("ignore:no privileged row:UserWarning")
def test_the_interval_of_a_group_is_that_of_its_rows(of, attribute):
    shift = assess_shift(arbitrary_score(7), X, PRIVILEGED)
    group = "F, W" if attribute is None else "W"
    some = X[(X["race"] == "W") & ((X["sex"] == "F") | (attribute is not None))]
    alone = assess_shift(
        arbitrary_score(7), some.reset_index(drop=True), learn_attributes(X, PRIVILEGED)
    )
    found = shift.interval(of, attribute=attribute, group=group)
    assert found[:2] == pytest.approx(alone.interval(of, attribute=attribute)[:2], rel=1e-12)


def test_ends_of_quantiles_are_order_statistics():
    some = X[:20].assign(points=np.arange(20))
    shift = assess_shift(lambda X: X["points"] * (X["sex"] == "M"), some, {"sex": "M"})
    found = shift.quantile_intervals([0.5, 0.02, 0.98], 0.95)
    # P(6 <= Binomial(20, 1/2) <= 14) = 0.959: the 6th and the 15th of 0 to 19
    assert found.loc[0.5].tolist() == [9, 5, 14]
    assert found.loc[0.02, "low"] == 0
    assert found.loc[0.98, "high"] == np.inf
    signed = shift.quantile_intervals([0.02], signed=True)
    assert signed["low"].tolist() == [-np.inf]


def test_quantiles_of_few_people_are_less_certain():
    person = np.arange(len(X)) % 10
    shift = assess_shift(arbitrary_score(7), X, PRIVILEGED, person=person)
    rows = assess_shift(arbitrary_score(7), X, PRIVILEGED)
    wide, narrow = (one.quantile_intervals([0.5]).iloc[0] for one in (shift, rows))
    assert wide["high"] - wide["low"] > narrow["high"] - narrow["low"]


def test_the_interval_contains_the_mean_and_shrinks_with_rows():
    score = arbitrary_score(7)
    wide, narrow = (assess_shift(score, some, PRIVILEGED).interval() for some in (X, BIG))
    for interval in (wide, narrow):
        assert interval.low < interval.high
    assert narrow.high - narrow.low < (wide.high - wide.low) / 2


def test_the_interval_of_repeated_people_is_wider():
    twice = pd.concat([X] * 4, ignore_index=True)
    score = arbitrary_score(7)
    rows = assess_shift(score, twice, PRIVILEGED).interval()
    people = assess_shift(
        score, twice, PRIVILEGED, person=np.tile(np.arange(len(X)), 4)
    ).interval()
    assert people.high - people.low > 1.6 * (rows.high - rows.low)


def test_the_text_says_what_moves_and_how_far():
    text = repr(assess_shift(lambda X: 2.0 * (X["sex"] == "M"), X, {"sex": "M"}))
    assert "the prediction moves by 2 on average when only sex is perturbed" in text
    assert "at most 2" in text


def test_a_group_without_rows_is_warned_about():
    attributes = learn_attributes(X, {"sex": "M"})
    women = X[X["sex"] == "F"]
    with pytest.warns(UserWarning, match="no privileged row for 'sex': its mean shift"):
        assess_shift(lambda X: 2.0 * (X["sex"] == "M"), women, attributes)


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError):
        assess_shift(LogisticRegression(), NUMBERS, SEX)


def test_the_risk_at_a_tolerance_is_that_of_assess_risk():
    score = arbitrary_score(7)
    joint = assess_shift(score, X, PRIVILEGED, tolerance=0.4).risk
    apart = assess_risk(score, X, PRIVILEGED, tolerance=0.4)
    pd.testing.assert_frame_equal(joint.table(), apart.table())
    pd.testing.assert_frame_equal(joint.plausibility().table(), apart.plausibility().table())


def test_plausibility_has_the_size_of_the_shift_of_plausible_rows():
    rows = {"sex": ["M", "M", "F", "F"], "title": ["Mr", "Dr", "Ms", "Dr"]}
    people = pd.concat([pd.DataFrame(rows)] * 10, ignore_index=True)
    # The title Dr occurs with both sexes: 3.0 for men, 1.0 for women. Others are implausible.
    points = lambda X: np.where(X["title"] == "Dr", 2.0, 7.0) * (X["sex"] == "M") + 1  # noqa: E731
    found = assess_shift(points, people, {"sex": "M"}).plausibility()
    assert (found.share, found.risk) == (0.5, 2.0)
    assert found.table()["risk_implausible"].item() == 7.0
    assert "Mean size of the shift without the implausible rows: 2." in str(found)


def test_labels_give_means_and_errors_by_group():
    y, weights = X["points"] + 0.25, np.arange(1.0, len(X) + 1)
    shift = assess_shift(lambda X: 2.0 * X["points"], X, {"sex": "M"}, y=y, sample_weight=weights)
    men = X["sex"] == "M"
    error = (2.0 * X["points"] - y)[men]
    row = shift.by_group.set_index("group").loc["M"]
    assert row["mean_label"] == pytest.approx(np.average(y[men], weights=weights[men]))
    assert row["mean_error"] == pytest.approx(np.average(error, weights=weights[men]))
    assert row["mean_absolute_error"] == pytest.approx(
        np.average(error.abs(), weights=weights[men])
    )
    assert shift.errors["mean_score"] == pytest.approx(
        np.average(2.0 * X["points"], weights=weights)
    )
    assert assess_shift(lambda X: 2.0 * X["points"], X, {"sex": "M"}).errors.empty
