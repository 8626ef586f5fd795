"""Coupled columns that follow an attribute by a function."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from textbook import couplings as textbook

from dr_core import (
    assess_risk,
    at_least,
    collect_votes,
    compare,
    enumerate_perturbations,
    learn_attributes,
    marginalize,
    perturb,
)
from dr_core.perturbation import Couplings

ADULT = {"age": at_least(25)}


def limit_years(age, years):
    """Nobody works before the age of 16."""
    return min(years, age - 16)


def halve_age(age, years):
    """The years depend on the age alone."""
    return age // 2


YEARS = {"years": {"age": limit_years}}


def make_workers(n=15, seed=0):
    rng = np.random.default_rng(seed)
    age = np.array([18, 24, 25, 60, *rng.integers(18, 60, n)])
    years = np.minimum(rng.integers(0, 40, len(age)), age - 16)
    return pd.DataFrame({"age": age, "years": years, "z": rng.normal(size=len(age))})


def hires(X):
    return (X["years"] + 0.1 * X["age"] + X["z"] > 8).astype(int)


def hires_one(row):
    return int(row["years"] + 0.1 * row["age"] + row["z"] > 8)


def test_a_quantity_follows_a_range():
    X = pd.DataFrame({"age": [20, 60], "years": [3, 40]})
    attributes = learn_attributes(X, ADULT, coupled=YEARS)
    assert perturb(X, attributes).to_numpy().tolist() == [[60, 3], [20, 4]]


@pytest.mark.parametrize("p", [1.0, 0.6])
def test_risk_with_a_function_is_that_of_the_textbook(p):
    X = make_workers()
    attributes = learn_attributes(X, ADULT, coupled=YEARS)
    domains = {"age": X["age"].tolist()}
    expected = textbook.exact_risk(hires_one, X.to_dict("records"), domains, ADULT, YEARS, p)
    assert assess_risk(hires, X, attributes, p=p).value == pytest.approx(expected, abs=1e-12)


def test_functions_and_replacements_follow_one_after_the_other():
    X = pd.DataFrame({"age": [20, 60], "years": [3, 40], "level": ["low", "high"]})
    rules = YEARS | {"level": {"years": lambda years, level: "low" if years < 5 else level}}
    attributes = learn_attributes(X, ADULT, coupled=rules)
    assert perturb(X, attributes)["level"].tolist() == ["low", "low"]
    both = {"years": {"age": limit_years, "sex": {"M": {4: 3}}}}
    X = X.assign(sex=["M", "F"])
    attributes = learn_attributes(
        X, ADULT | {"sex": "M"}, coupled=both, domain={"years": [3, 4, 40]}
    )
    assert perturb(X, attributes)["years"].tolist() == [3, 3]


def test_one_hot_columns_follow_the_result_of_a_function():
    X = pd.DataFrame(
        {"age": [20, 60], "years": [3, 40], "level=low": [1, 0], "level=high": [0, 1]}
    )
    rules = YEARS | {"level": {"years": {4: {"high": "low"}}}}
    attributes = learn_attributes(X, ADULT, coupled=rules, domain={"years": [4]})
    assert perturb(X, attributes).to_numpy().tolist() == [[60, 3, 1, 0], [20, 4, 1, 0]]


def test_a_function_works_on_partitions():
    X = make_workers(30)
    whole = assess_risk(hires, X, learn_attributes(X, ADULT, coupled=YEARS))
    parts = [X[:9], X[9:]]
    in_parts = assess_risk(hires, parts, learn_attributes(parts, ADULT, coupled=YEARS))
    pd.testing.assert_frame_equal(in_parts.table(), whole.table(), check_exact=True)


def test_members_vote_on_rows_that_follow_a_function():
    train, X = make_workers(60), make_workers(40, seed=1).assign(years=lambda X: X["years"] / 3)
    forest = RandomForestClassifier(5, random_state=0).fit(train, hires(train))
    attributes = learn_attributes(train, ADULT, coupled=YEARS)
    votes = collect_votes(forest, X, hires(X), attributes, method="exact")
    every = enumerate_perturbations(X, attributes)
    expected = [tree.predict(every.data.to_numpy()) for tree in forest.estimators_]
    assert np.array_equal(votes.rows, every.rows)
    assert np.array_equal(votes.perturbed, expected)


def test_a_function_follows_an_average_that_was_pickled():
    X, new = (
        make_workers(30, seed).assign(years=lambda X: halve_age(X["age"], None)) for seed in (0, 1)
    )
    attributes = learn_attributes(X, ADULT, coupled={"years": {"age": halve_age}})
    model = LinearRegression().fit(X, X["years"] + X["z"])
    averaged = marginalize(model, X, attributes)
    again = pickle.loads(pickle.dumps(averaged))
    assert np.array_equal(again.predict(new), averaged.predict(new))
    assert assess_risk(averaged, new, attributes, tolerance=0).value == 0


def test_missing_values_stay():
    X = pd.DataFrame({"age": [20, 60], "years": [3, np.nan]})
    perturbed = perturb(X, learn_attributes(X, ADULT, coupled=YEARS))
    assert perturbed["years"].isna().tolist() == [False, True]


def test_a_function_applies_to_a_value_that_only_the_function_returned_before():
    train = pd.DataFrame({"age": [20, 50, 60], "years": [3, 30, 40]})
    attributes = learn_attributes(train, ADULT, coupled=YEARS)
    X = pd.DataFrame({"age": [60, 60, 50], "years": [40, 34, 30]})  # 34 = 50 - 16
    assert perturb(X, attributes).to_numpy().tolist() == [[20, 4]] * 3
    with pytest.warns(UserWarning, match="no marginalised row"):
        risk = assess_risk(lambda X: X["years"] > 20, X, attributes)
    assert risk.individual.tolist() == [1, 1, 1]


def test_a_function_applies_to_values_that_were_not_learned():
    train = pd.DataFrame({"age": [18, 24, 60], "years": [1.0, 8.0, 40.0]})
    attributes = learn_attributes(train, ADULT, coupled=YEARS)
    X = pd.DataFrame({"age": [58, 61], "years": [1.5, 29.318]})
    every = enumerate_perturbations(X, attributes).data
    assert every.to_numpy().tolist() == [[18, 1.5], [24, 1.5], [18, 2], [24, 8]]


def test_a_quantity_with_a_value_of_its_own_in_each_row_follows():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 70, 30_000)
    X = pd.DataFrame({"age": age, "years": rng.random(30_000) * (age - 16)})
    attributes = learn_attributes(X[:15_000], ADULT, coupled=YEARS)
    perturbed = perturb(X, attributes, random_state=0)
    assert perturbed["years"].tolist() == np.minimum(X["years"], perturbed["age"] - 16).tolist()


def test_a_value_that_the_rules_of_a_function_column_name_must_be_known():
    X = pd.DataFrame({"age": [20, 60], "sex": ["M", "F"], "years": [3, 40]})
    both = {"years": {"age": limit_years, "sex": {"M": {4: 3}}}}
    with pytest.raises(ValueError, match=r"domain=\{'years'"):
        learn_attributes(X, ADULT | {"sex": "M"}, coupled=both)


def test_a_function_is_called_once_for_each_pair_of_values_that_occurs():
    X = pd.DataFrame({"age": [20, 60] * 50, "years": [3, 40] * 50})
    calls = []

    def follow(age, years):
        calls.append((age, years))
        return years

    attributes = learn_attributes(X, ADULT, coupled={"years": {"age": follow}})
    calls.clear()
    assess_risk(hires, X.assign(z=0.0), attributes)
    assert sorted(calls) == [(20, 40), (60, 3)]


def test_values_of_one_batch_do_not_stay_in_the_attributes():
    attributes = learn_attributes(make_workers(), ADULT, coupled=YEARS)
    assess_risk(hires, make_workers(seed=1), attributes)
    assert attributes.couplings.all[0].values == ()
    X, copied = make_workers(seed=2), pickle.loads(pickle.dumps(attributes))
    assert assess_risk(hires, X, copied).value == assess_risk(hires, X, attributes).value


def test_attributes_with_rules_have_a_short_repr():
    X = make_workers().assign(sex=["F", "M"] * 9 + ["F"])
    attributes = learn_attributes(
        X, ADULT | {"sex": "M"}, coupled=YEARS | {"z": {"sex": {}, "years": max}}
    )
    assert repr(attributes) == (
        "<SensitiveAttributes: privileged age >= 25 and sex = M; years follows age; z follows sex "
        "and years>"
    )
    assert repr(attributes.couplings) == "<Couplings: years follows age; z follows sex and years>"
    assert repr(attributes.uncoupled.couplings) == "<Couplings: none>"
    without_rules = learn_attributes(X, ADULT, coupled={"z": {}})
    assert repr(without_rules.couplings) == "<Couplings: z follows nothing>"
    assert repr(attributes.attributes[1]) == "<Attribute: privileged sex = M, 2 values>"


def test_a_report_names_the_function():
    X = make_workers(60)
    attributes = learn_attributes(X, ADULT, coupled=YEARS)
    comparison = compare(
        {"rule": hires}, X, hires(X), attributes, measures=["discriminative_risk"]
    )
    settings = json.loads(comparison.to_json())["settings"]
    assert settings["coupled"] == {"years": {"age": "limit_years"}}
    assert "years when age changes: by the function limit_years" in comparison.to_html()


@pytest.mark.parametrize(
    ("rules", "match"),
    [
        ({"years": {"age": lambda age: age}}, "must be a function of the new value of 'age'"),
        ({"years": {"age": lambda age, years: None}}, "it returned None"),
        ({"years": {"age": lambda age, years: [1]}}, r"it returned \[1\]"),
        ({"pay": {"age": limit_years}}, "coupled has the column 'pay'; X has"),
    ],
)
def test_a_function_that_cannot_be_used_is_refused(rules, match):
    with pytest.raises(ValueError, match=match):
        learn_attributes(make_workers(), ADULT, coupled=rules)


def test_a_function_that_fails_for_a_later_value_is_refused_then():
    attributes = learn_attributes(
        make_workers(), ADULT, coupled={"years": {"age": lambda age, years: [30][years > 70]}}
    )
    X = pd.DataFrame({"age": [60], "years": [80], "z": [0.0]})
    with pytest.raises(ValueError, match=r"coupled\['years'\]\['age'\].* 80 .*IndexError"):
        perturb(X, attributes, random_state=0)


def test_a_value_that_the_column_cannot_hold_is_refused():
    X = pd.DataFrame({"age": [20, 60], "years": [3, 40]})
    attributes = learn_attributes(
        X, ADULT, coupled={"years": {"age": lambda age, years: years / 7}}
    )
    with pytest.raises(ValueError, match="column 'years' of dtype int64 cannot hold"):
        perturb(X, attributes)


@pytest.mark.parametrize("rules", [YEARS, {"years": {"age": {20: {40: 4}}}}])
def test_rows_without_a_coupled_column_are_refused(rules):
    X = pd.DataFrame({"age": [20, 60], "years": [3, 40]})
    attributes = learn_attributes(X, ADULT, coupled=rules, domain={"years": [3, 4, 40]})
    with pytest.raises(ValueError, match="coupled has the columns 'years', which are not in X"):
        perturb(X[["age"]], attributes)


def test_rules_without_functions_are_described_as_before():
    rules = {"title": {"sex": {"F": {"Mr": "Ms"}}}}
    assert Couplings(rules=rules).to_dict() == rules
