"""Coupled columns through the functions and pruners for fairlearn."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_validate

from dr_core import assess_risk, collect_votes, learn_attributes, perturb
from fairlearn_dr import (
    EPAFPruner,
    POAFPruner,
    dr_metric_frame,
    perturbed_predictions,
    risk_scorer,
)

PRIVILEGED = {"sex": 1}
RULES = {"title": {"sex": {0: {1: 2}, 1: {2: 1}}}}
PRUNERS = [POAFPruner, EPAFPruner]


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    sex = rng.integers(0, 2, 300)
    title = np.where(rng.random(300) < 0.3, 0, np.where(sex == 1, 1, 2))
    return pd.DataFrame({"sex": sex, "title": title, "score": rng.normal(size=300)})


@pytest.fixture
def attributes(rows):
    return learn_attributes(rows, PRIVILEGED, coupled=RULES)


@pytest.fixture
def labels(rows):
    return ((rows["title"] == 1) & (rows["score"] > 0)).astype(int).to_numpy()


@pytest.fixture
def forest(rows, labels):
    return RandomForestClassifier(n_estimators=11, random_state=0).fit(rows, labels)


def test_predictions_are_those_of_rows_that_follow(rows, forest, attributes):
    expected = forest.predict(perturb(rows, attributes))
    found = perturbed_predictions(forest, rows, privileged=PRIVILEGED, coupled=RULES)
    np.testing.assert_array_equal(found, expected)
    plain = perturbed_predictions(forest, rows, privileged=PRIVILEGED)
    assert (plain != expected).any()


def test_a_metric_frame_shows_the_risk_with_rules(rows, labels, forest, attributes):
    frame = dr_metric_frame(forest, rows, labels, privileged=PRIVILEGED, coupled=RULES)
    expected = assess_risk(forest, rows, attributes).value
    assert frame.overall["discriminative_risk"] == pytest.approx(expected)
    plain = dr_metric_frame(forest, rows, labels, privileged=PRIVILEGED)
    assert plain.overall["discriminative_risk"] != frame.overall["discriminative_risk"]


def test_a_scorer_follows_rules_in_every_fold(rows, labels, forest, attributes):
    scorer = risk_scorer(PRIVILEGED, coupled=RULES)
    assert scorer(forest, rows) == -assess_risk(forest, rows, attributes).value
    learned = risk_scorer(attributes)
    folds = cross_validate(clone(forest), rows, labels, scoring=learned, cv=3)["test_score"]
    assert (folds <= 0).all()


@pytest.mark.parametrize("pruner", PRUNERS)
def test_pruners_let_members_vote_on_rows_that_follow(pruner, rows, labels, forest, attributes):
    how = {"privileged": PRIVILEGED, "prefit": True, "random_state": 0, "max_members": 4}
    pruned = pruner(forest, coupled=RULES, **how).fit(rows, labels)
    votes = collect_votes(forest, rows, labels, attributes, method="exact")
    assert pruned.result_.risk == pytest.approx(votes.subset(pruned.members_).risk)
    plain = pruner(forest, **how).fit(rows, labels)
    same = votes.subset(plain.members_).risk
    assert plain.result_.risk != pytest.approx(same)


@pytest.mark.parametrize("pruner", PRUNERS)
def test_rules_are_a_parameter_that_clones_keep(pruner):
    assert clone(pruner(coupled=RULES)).get_params()["coupled"] == RULES


@pytest.mark.parametrize("pruner", PRUNERS)
def test_a_pruner_refuses_rules_about_unknown_columns(pruner, rows, labels):
    rules = {"job": RULES["title"]}
    with pytest.raises(ValueError, match="job"):
        pruner(privileged=PRIVILEGED, coupled=rules).fit(rows, labels)
