"""DR with missing sensitive values: that of the rows that are perturbed, row by row."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import risk as textbook

from dr_core import assess_risk, assess_shift, compare, learn_attributes

PRIVILEGED = {"sex": "M", "race": "W"}
DOMAINS = {"sex": ["F", "M"], "race": ["A", "B", "W"]}
SETS = {name: {value} for name, value in PRIVILEGED.items()}


def people(n, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(np.array(["M", "F", None], dtype=object), n),
            "race": rng.choice(np.array(["W", "B", "A", None], dtype=object), n),
            "points": rng.integers(0, 4, n),
            "weight": rng.integers(1, 4, n) / 2,
        }
    ).astype({"sex": object, "race": object})


def score_of(row):
    sex, race = row["sex"], row["race"]
    return row["points"] + (sex == "M") + 0.5 * (race == "B") - 0.25 * (sex is None)


def score(X):
    return np.array([score_of(row) for row in to_rows(X)])


def rule(X):
    return (score(X) > 2).astype(int)


def to_rows(X):
    return X.astype(object).where(X.notna(), None).to_dict("records")


def learn(X):
    return learn_attributes(X, PRIVILEGED, domain=DOMAINS, missing="keep")


def split(X):
    return X.drop(columns="weight"), X["weight"].to_numpy()


def have_values(X):
    """Which rows the scenarios perturb: sex, race and both together."""
    has = X[["sex", "race"]].notna()
    return {"sex": has["sex"], "race": has["race"], "all": has.any(axis=1)}


@pytest.mark.filterwarnings("ignore:.*undefined")
@settings(deadline=None, max_examples=25)
@given(st.integers(5, 40), st.integers(0, 10_000), st.sampled_from([1.0, 0.5]))
def test_every_risk_is_the_mean_over_the_rows_that_are_perturbed(n, seed, p):
    X, _ = split(people(n, seed))
    if not all(have_values(X)[name].any() for name in ("sex", "race")):
        return
    risk, rows = assess_risk(rule, X, learn(X), p=p), to_rows(X)
    predict = lambda row: score_of(row) > 2  # noqa: E731
    for name in ("sex", "race", "all"):
        some = SETS if name == "all" else {name: SETS[name]}
        expected = textbook.exact_risk(predict, rows, DOMAINS, some, p)
        assert risk.table().loc[name, "risk"] == pytest.approx(expected)
    assert risk.value == pytest.approx(textbook.exact_risk(predict, rows, DOMAINS, SETS, p))
    assert risk.directions["share"].sum() == pytest.approx(risk.value)
    concerned = [
        textbook.individual_risk(predict, row, DOMAINS, SETS, p) > 0
        for row in rows
        if textbook.is_perturbed(row, SETS)
    ]
    assert risk.worst_case == pytest.approx(np.mean(concerned))


@pytest.mark.filterwarnings("ignore:.*undefined")
@settings(deadline=None, max_examples=15)
@given(st.integers(5, 40), st.integers(0, 10_000))
def test_the_mean_shift_is_that_of_the_rows_that_are_perturbed(n, seed):
    X, weights = split(people(n, seed))
    if not have_values(X)["all"].any():
        return
    shift, rows = assess_shift(score, X, learn(X), sample_weight=weights), to_rows(X)
    size, signed = (
        textbook.mean_shift(score_of, rows, DOMAINS, SETS, weights=weights.tolist(), of=of)
        for of in (abs, float)
    )
    assert shift.mean == pytest.approx(size)
    assert shift.signed_mean == pytest.approx(signed)


@pytest.mark.parametrize("weighted", [False, True])
def test_results_are_those_of_the_rows_with_a_value(weighted):
    X, weights = split(people(200, 0))
    attributes = learn(X)
    of = lambda some: {"sample_weight": weights[some]} if weighted else {}  # noqa: E731
    some = have_values(X)["all"].to_numpy()
    found = assess_risk(rule, X, attributes, **of(slice(None)))
    alone = assess_risk(rule, X[some], attributes, **of(some))
    assert found.value == alone.value
    assert found.interval() == alone.interval()
    assert found.worst_case == alone.worst_case
    assert found.n_effective == alone.n_effective
    pd.testing.assert_frame_equal(found.directions, alone.directions)
    np.testing.assert_array_equal(np.isnan(found.individual), ~some)
    np.testing.assert_array_equal(found.individual[some], alone.individual)
    w = weights[some] if weighted else np.ones(some.sum())
    assert found.value == pytest.approx(np.average(found.individual[some], weights=w))
    for s, has_value in enumerate(have_values(X).values()):
        np.testing.assert_array_equal(np.isnan(found.risks[s]), ~has_value)


@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"person": np.arange(200) // 3}])
def test_compare_and_parts_give_the_same_bits(options):
    X, weights = split(people(200, 1))
    attributes, y = learn(X), np.arange(200) % 2
    given = {"sample_weight": weights} if options.get("weighted") else {}
    given |= {key: value for key, value in options.items() if key == "person"}
    risk = assess_risk(rule, X, attributes, **given)
    values = compare({"m": rule}, X, y, attributes, n_boot=9, **given).table(wide=False)
    own = values.xs("discriminative_risk", level="measure").loc["m", ["value", "low", "high"]]
    np.testing.assert_array_equal(own, risk.table()[["risk", "low", "high"]])
    cuts = [slice(0, 7), slice(7, 120), slice(120, 200)]
    parts = {key: [value[cut] for cut in cuts] for key, value in given.items()}
    merged = assess_risk(rule, [X[cut] for cut in cuts], attributes, **parts)
    pd.testing.assert_frame_equal(merged.table(), risk.table(), check_exact=True)
    chunked = assess_risk(rule, X, attributes, chunk_size=13, **given)
    pd.testing.assert_frame_equal(chunked.table(), risk.table(), check_exact=True)
    pd.testing.assert_frame_equal(merged.directions, risk.directions, check_exact=True)


@pytest.mark.filterwarnings("ignore:.*undefined")
@pytest.mark.parametrize("person", [None, [0, 0, 1, 1]])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 3.0, 0.5]])
def test_without_any_row_to_perturb_results_are_undefined(person, weights):
    X, _ = split(people(4, 0))
    attributes, X = learn(X), X.assign(sex=None, race=None)
    given = {"person": person, "sample_weight": weights}
    risk = assess_risk(rule, X, attributes, **given)
    assert np.isnan([risk.value, risk.worst_case, *risk.interval()[:2]]).all()
    assert np.isnan(risk.individual).all()
    assert len(risk.concerned) == 0
    shift = assess_shift(score, X, attributes, **given)
    found = shift.mean, shift.signed_mean, shift.share_above(0), *shift.interval()[:2]
    assert np.isnan([*found, *shift.quantiles()]).all()
    values = compare({"m": rule}, X, [0, 1, 0, 1], attributes, n_boot=9, **given).table()
    assert values["discriminative_risk"].isna().all()


def test_a_group_without_a_value_has_no_shift():
    X, _ = split(people(60, 0))
    shift = assess_shift(score, X, learn(X))
    missing = shift.by_group.set_index(["attribute", "group"]).loc[("all", "(missing), (missing)")]
    assert missing["rows"] > 0
    assert missing[["mean", "signed_mean", "q50"]].isna().all()
    assert np.isnan(shift.interval(group="(missing), (missing)").low)
    found = shift.quantile_intervals([0.5], group="(missing), (missing)").loc[0.5]
    assert found.isna().all()


def test_shifts_of_attributes_are_those_of_the_rows_with_a_value():
    X, weights = split(people(200, 2))
    attributes = learn(X)
    found = assess_shift(score, X, attributes, sample_weight=weights)
    for name, has_value in have_values(X).items():
        some = has_value.to_numpy()
        alone = assess_shift(score, X[some], attributes, sample_weight=weights[some])
        own, expected = found.table().loc[name], alone.table().loc[name]
        pd.testing.assert_series_equal(own.drop("not_perturbed"), expected.reindex(own.index[:-1]))
        assert own["not_perturbed"] == (~some).sum()
        if name != "all":
            assert found.by_attribute[name] == alone.by_attribute[name]


@pytest.mark.filterwarnings("ignore:.*undefined")
@settings(deadline=None, max_examples=15)
@given(st.integers(5, 40), st.integers(0, 10_000), st.integers(1, 4))
def test_weights_and_people_count_by_their_rows_that_are_perturbed(n, seed, rows_each):
    X, weights = split(people(n, seed))
    some = have_values(X)["all"].to_numpy()
    if not some.any():
        return
    person, attributes = np.arange(n) // rows_each, learn(X)
    found = assess_risk(rule, X, attributes, sample_weight=weights, person=person)
    alone = assess_risk(
        rule, X[some], attributes, sample_weight=weights[some], person=person[some]
    )
    assert found.value == alone.value
    assert found.interval() == alone.interval()
    assert found.n_people == alone.n_people == len(set(person[some]))


def make_gaps(n=1000, seed=0):
    """Rows of which half have no sex; all have a race, which the rule does not use."""
    rng = np.random.default_rng(seed)
    table = {"sex": rng.choice(["M", "F"], n), "race": rng.choice(["W", "B"], n)}
    X = pd.DataFrame(table | {"points": rng.integers(0, 10, n)}).astype({"sex": object})
    return X.assign(sex=X["sex"].where(rng.random(n) < 0.5, None))


def uses_sex(X):
    return (X["points"] + (X["sex"] == "M") > 5).astype(int)


def test_attributes_that_are_missing_in_other_rows_are_compared_by_what_changes():
    X = make_gaps()
    attributes = learn_attributes(X, PRIVILEGED, missing="keep")
    risk = assess_risk(uses_sex, X, attributes)
    # The same predictions change, of half as many rows.
    assert risk.by_attribute["sex"] > 1.5 * risk.value
    assert "alone changes more" not in repr(risk)
    comparison = compare({"m": uses_sex}, X, np.arange(1000) % 2, attributes)
    assert comparison.notes == []
    assert "alone changes more" not in comparison.to_html()
    shift = assess_shift(lambda X: X["points"] + 1.0 * (X["sex"] == "M"), X, attributes)
    assert shift.by_attribute["sex"] > 1.5 * shift.mean


def test_an_attribute_that_changes_more_than_all_is_named_without_shares_of_other_rows():
    X = make_gaps()

    def cancels(X):
        """Race undoes the effect of sex for half of the people; without a sex nobody is chosen."""
        other_race = (X["race"] == "W") & (X["points"] > 4)
        return X["sex"].notna() & ((X["sex"] == "M") != other_race)

    risk = assess_risk(cancels, X, learn_attributes(X, PRIVILEGED, missing="keep"))
    assert risk.by_attribute["sex"] == 1
    sentence = "Perturbing sex alone changes more predictions than all attributes together"
    assert sentence in repr(risk)
