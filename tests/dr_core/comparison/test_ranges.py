"""Models compared with a range as a group."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from dr_core import assess_risk, at_least, between, collect_votes, compare, learn_attributes

RISK = ["discriminative_risk", "demographic_parity"]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 70, 300), "sex": rng.integers(0, 2, 300)})
    return X.assign(debt=rng.normal(size=300))


@pytest.fixture(scope="module")
def y(people):
    return (people["age"] / 40 + people["debt"] > 1).astype(int)


@pytest.fixture(scope="module")
def tree(people, y):
    return DecisionTreeClassifier(max_depth=4, random_state=0).fit(people, y)


PRIVILEGED = {"age": between(25, 60), "sex": 1}


def test_rows_without_a_value_of_a_range_are_a_group_of_their_own():
    X = pd.DataFrame({"age": [20.0, 40.0, 50.0, np.nan]})
    adults = learn_attributes(X, {"age": at_least(30)}, missing="keep")
    model = {"m": lambda X: (X["age"] > 45).astype(int)}
    groups = compare(model, X, [0, 1, 1, 0], adults, measures=RISK[:1]).by_group
    assert groups["group"].tolist() == ["(missing)", "age < 30", "age >= 30"]
    assert groups["rows"].tolist() == [1, 1, 2]


def test_the_groups_of_a_range_are_its_sides(people, y, tree):
    groups = compare({"tree": tree}, people, y, PRIVILEGED, measures=RISK).by_group
    outside, inside = "age < 25 or > 60", "25 <= age <= 60"
    assert groups["group"].tolist() == [
        *(outside, inside, "0", "1"),
        *(f"{outside}, 0", f"{outside}, 1", f"{inside}, 0", f"{inside}, 1"),
    ]
    alone = groups[groups["attribute"] == "age"]
    is_inside = people["age"].between(25, 60)
    risk = assess_risk(tree, people, {"age": PRIVILEGED["age"]})
    assert alone["rows"].tolist() == [(~is_inside).sum(), is_inside.sum()]
    expected = [risk.individual[~is_inside].mean(), risk.individual[is_inside].mean()]
    assert alone["risk"].tolist() == pytest.approx(expected, abs=1e-12)
    assert groups["privileged"].tolist() == [False, True] * 2 + [False] * 3 + [True]


def test_discriminative_risk_is_that_of_assess_risk(people, y, tree):
    table = compare({"tree": tree}, people, y, PRIVILEGED, measures=RISK).table()
    risk = assess_risk(tree, people, PRIVILEGED)
    assert table["discriminative_risk"].tolist() == risk.table()["risk"].tolist()


def test_group_measures_compare_the_sides_of_the_range(people, y, tree):
    chosen = pd.Series(tree.predict(people))
    is_inside = people["age"].between(25, 60)
    gap = abs(chosen[is_inside].mean() - chosen[~is_inside].mean())
    table = compare({"tree": tree}, people, y, PRIVILEGED, measures=RISK).table()
    assert table["demographic_parity"].iloc[0] == pytest.approx(gap, abs=1e-12)


def test_partitions_give_the_same_comparison(people, y, tree):
    whole = compare({"tree": tree}, people, y, PRIVILEGED, n_boot=20, random_state=0)
    with_y = people.assign(y=y)
    parts = [with_y[:50], with_y[50:51], with_y[51:]]
    in_parts = compare({"tree": tree}, parts, "y", PRIVILEGED, n_boot=20, random_state=0)
    pd.testing.assert_frame_equal(in_parts.values, whole.values, check_exact=True)
    pd.testing.assert_frame_equal(in_parts.by_group, whole.by_group, check_exact=True)


def test_json_and_report_say_the_range(people, y, tree):
    comparison = compare({"tree": tree}, people, y, PRIVILEGED, measures=RISK)
    assert json.loads(comparison.to_json())["settings"]["privileged"] == {
        "age": "25 <= age <= 60",
        "sex": [1],
    }
    page = comparison.to_html()
    assert "25 &lt;= age &lt;= 60; sex = 1" in page
    assert "age &lt; 25 or &gt; 60, 0" in page


def test_results_say_that_quantiles_stand_for_values(y):
    X = pd.DataFrame({"income": np.arange(10_300) / 7})
    rule = {"rule": lambda X: X["income"] > 500}
    said = "10,300 values of 'income' are represented by 170 of them"
    labels = np.arange(10_300) % 2
    comparison = compare(rule, X, labels, {"income": at_least(10)}, measures=RISK)
    assert said in repr(comparison)
    assert said in comparison.to_html().replace("&#39;", "'")


def test_exact_votes_on_a_range_have_the_risk_of_the_model(people, y, tree):
    attributes = learn_attributes(people, {"age": at_least(25)})
    votes = collect_votes([tree], people, y, attributes, method="exact")
    changed = (votes.votes != votes.perturbed)[0]
    risk = assess_risk(tree, people, attributes)
    assert np.average(changed, weights=votes.sample_weight) == pytest.approx(risk.value, abs=1e-12)
