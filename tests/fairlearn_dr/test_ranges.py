"""Ranges as groups in the terms of fairlearn."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from dr_core import assess_risk, at_least, at_most
from fairlearn_dr import (
    EPAFPruner,
    POAFPruner,
    dr_metric_frame,
    perturbed_predictions,
    risk_scorer,
)

ADULT = {"age": at_least(25)}


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"age": rng.integers(18, 70, 240), "debt": rng.normal(size=240)})


@pytest.fixture(scope="module")
def y(people):
    return (people["age"] / 40 + people["debt"] > 1).astype(int)


@pytest.fixture(scope="module")
def forest(people, y):
    return RandomForestClassifier(7, max_depth=4, random_state=0).fit(people, y)


def test_a_metric_frame_has_the_sides_of_the_range(people, y, forest):
    frame = dr_metric_frame(forest, people, y, privileged=ADULT)
    assert frame.by_group.index.tolist() == ["age < 25", "age >= 25"]
    risk = assess_risk(forest, people, ADULT)
    assert frame.overall["discriminative_risk"] == pytest.approx(risk.value, abs=1e-12)
    young = risk.individual[people["age"] < 25].mean()
    assert frame.by_group["discriminative_risk"].iloc[0] == pytest.approx(young, abs=1e-12)


@pytest.mark.filterwarnings("ignore:a group has no perturbed row")
def test_missing_ages_are_a_group(people, y):
    some = people.assign(age=people["age"].where(people["age"] != 40))
    rule = lambda X: (X["debt"] > 0).astype(int)  # noqa: E731
    frame = dr_metric_frame(rule, some, y, privileged=ADULT, missing="keep")
    assert set(frame.by_group.index) == {"age < 25", "age >= 25", "(missing)"}


def test_perturbed_predictions_and_scorers_take_ranges(people, y, forest):
    changed = perturbed_predictions(forest, people, privileged=ADULT, random_state=0)
    assert changed.shape == (240,)
    score = risk_scorer(ADULT)(forest, people, y)
    assert score == pytest.approx(-assess_risk(forest, people, ADULT).value, abs=1e-12)


@pytest.mark.parametrize("pruner", [POAFPruner, EPAFPruner])
def test_pruners_take_ranges(pruner, people, y, forest):
    one = pruner(forest, privileged={"age": at_most(40)}, max_members=3, random_state=0)
    fitted = clone(one).fit(people, y)
    assert 1 <= len(fitted.members_) <= 3
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(people).tolist() == fitted.predict(people).tolist()


def test_the_error_for_one_age_of_many_reaches_the_user_of_fairlearn(people, y, forest):
    with pytest.raises(ValueError, match=r"at_least\(30\)"):
        dr_metric_frame(forest, people, y, privileged={"age": 30})


def test_a_pruner_draws_perturbations_of_a_range_of_many_values_by_default():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(18, 80, 300), "score": rng.normal(size=300)})
    y = (X["score"] + X["age"] / 80 > 0.5).astype(int)
    forest = RandomForestClassifier(9, random_state=0).fit(X, y)
    options = {"privileged": {"age": at_least(25)}, "prefit": True, "random_state": 0}
    default = POAFPruner(forest, **options).fit(X, y)
    drawn = POAFPruner(forest, **options, method="sample").fit(X, y)
    every = POAFPruner(forest, **options, method="exact").fit(X, y)
    pd.testing.assert_frame_equal(default.result_.scores, drawn.result_.scores)
    assert not default.result_.scores.equals(every.result_.scores)


def test_the_progress_of_a_search_is_shown_only_if_asked_for(capsys):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": rng.integers(0, 2, 200), "score": rng.normal(size=200)})
    y = (X["score"] + X["sex"] > 0.5).astype(int)
    forest = RandomForestClassifier(21, random_state=0).fit(X, y)
    options = {"privileged": {"sex": 1}, "prefit": True, "random_state": 0, "n_iter": 20}
    POAFPruner(forest, **options).fit(X, y)
    assert capsys.readouterr().err == ""
    POAFPruner(forest, **options, progress=True).fit(X, y)
    assert "search" in capsys.readouterr().err


def test_a_promise_warns_where_learned_frequencies_count_as_known(people, y, forest):
    pruner = POAFPruner(forest, privileged=ADULT, prefit=True, max_risk=0.9, random_state=0)
    with pytest.warns(UserWarning, match="max_risk.*'age'.*rows.*domain"):
        pruner.fit(people, y)
