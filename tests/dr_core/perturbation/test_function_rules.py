"""Coupled columns that follow an attribute by a function."""

import json

import numpy as np
import pandas as pd
import pytest
from textbook import couplings as textbook

from dr_core import (
    assess_risk,
    at_least,
    compare,
    enumerate_perturbations,
    learn_attributes,
    perturb,
)
from dr_core.perturbation import Couplings

ADULT = {"age": at_least(25)}


def limit_years(age, years):
    """Nobody works before the age of 16."""
    return min(years, age - 16)


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


def test_a_function_works_on_partitions():
    X = make_workers(30)
    whole = assess_risk(hires, X, learn_attributes(X, ADULT, coupled=YEARS))
    parts = [X[:9], X[9:]]
    in_parts = assess_risk(hires, parts, learn_attributes(parts, ADULT, coupled=YEARS))
    pd.testing.assert_frame_equal(in_parts.table(), whole.table(), check_exact=True)


def test_missing_values_stay():
    X = pd.DataFrame({"age": [20, 60], "years": [3, np.nan]})
    perturbed = perturb(X, learn_attributes(X, ADULT, coupled=YEARS))
    assert perturbed["years"].isna().tolist() == [False, True]


def test_a_value_that_was_not_learned_is_refused():
    attributes = learn_attributes(make_workers(), ADULT, coupled=YEARS)
    new = pd.DataFrame({"age": [30], "years": [1.5], "z": [0.0]})
    with pytest.raises(ValueError, match=r"coupled column 'years' has 1\.5"):
        enumerate_perturbations(new, attributes)


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


def test_a_function_of_too_many_pairs_is_refused():
    X = pd.DataFrame({"age": np.arange(1500) / 10, "years": np.arange(1500) / 7})
    with pytest.raises(ValueError, match="Round one of the columns"):
        learn_attributes(X, ADULT, coupled=YEARS)


def test_a_value_that_the_column_cannot_hold_is_refused():
    X = pd.DataFrame({"age": [20, 60], "years": [3, 40]})
    attributes = learn_attributes(
        X, ADULT, coupled={"years": {"age": lambda age, years: years / 7}}
    )
    with pytest.raises(ValueError, match="column 'years' of dtype int64 cannot hold"):
        perturb(X, attributes)


def test_rules_without_functions_are_described_as_before():
    rules = {"title": {"sex": {"F": {"Mr": "Ms"}}}}
    assert Couplings(rules=rules).to_dict() == rules
