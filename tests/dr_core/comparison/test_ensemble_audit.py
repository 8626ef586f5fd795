import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, VotingClassifier
from sklearn.tree import DecisionTreeClassifier

from dr_core import compare

BOUNDS = ["name", "value", "applies", "guaranteed", "actual", "holds_for", "suggested"]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"sex": rng.integers(0, 2, 400), "score": rng.normal(size=400)})


@pytest.fixture(scope="module")
def labels(people):
    noise = np.random.default_rng(1).normal(size=400)
    return (people["score"] + 0.8 * people["sex"] + noise > 0).astype(int)


@pytest.fixture(scope="module")
def bagging(people, labels):
    return BaggingClassifier(DecisionTreeClassifier(), 11, random_state=0).fit(people, labels)


def audit(model, X, y, **options):
    settings = {"ensembles": True, "random_state": 0} | options
    return compare({"m": model}, X, y, {"sex": 1}, **settings).ensembles


def test_the_suggested_vote_has_at_most_half_of_the_members(people, labels, bagging):
    found = audit(bagging, people, labels)["m"]
    assert found.n_members == 11
    assert 1 <= len(found.pruned.members) <= 5
    assert tuple(found.pruned.members) in found.pruned.front["members"].tolist()


@pytest.fixture(scope="module")
def decisions(labels):
    # As text, the favourable label is the lower one.
    return labels.map({1: "granted", 0: "refused"})


@pytest.fixture(scope="module")
def clerk(people, decisions):
    return BaggingClassifier(DecisionTreeClassifier(), 11, random_state=0).fit(people, decisions)


@pytest.mark.parametrize("favorable", ["granted", "refused"])
def test_the_selection_rate_is_the_share_of_favourable_votes(people, decisions, clerk, favorable):
    found = audit(clerk, people, decisions, favorable=favorable)["m"].scores
    # Trees that were fitted on these rows nearly vote as the labels are.
    share = (decisions == favorable).mean()
    assert found["selection_rate"].iloc[0] == pytest.approx(share, abs=0.05)


def test_recall_is_that_of_the_favourable_class(people, decisions, clerk):
    found = [
        audit(clerk, people, decisions, favorable=label)["m"].scores
        for label in ("granted", "refused")
    ]
    mean = (found[0]["recall"] + found[1]["recall"]) / 2
    assert mean.tolist() == pytest.approx(found[0]["balanced_accuracy"].tolist())


def test_the_audit_says_which_label_its_recall_is_about(people, decisions, clerk):
    found = audit(clerk, people, decisions, favorable="granted")["m"]
    assert found.favorable == found.to_dict()["favorable"] == "granted"


def test_of_three_classes_the_selection_rate_is_that_of_the_favourable_one(people, labels):
    three = labels.where(people["score"] < 1, 2)
    model = BaggingClassifier(DecisionTreeClassifier(), 11, random_state=0).fit(people, three)
    found = audit(model, people, three, favorable=2, measures=["accuracy"])["m"].scores
    assert found["selection_rate"].iloc[0] == pytest.approx((three == 2).mean(), abs=0.05)


def test_rows_for_pruning_and_held_out_rows_are_halves(people, labels, bagging):
    scores = audit(bagging, people, labels)["m"].scores
    assert scores[["vote", "on", "rows"]].to_numpy().tolist() == [
        ["full", "choose", 200],
        ["suggested", "choose", 200],
        ["full", "judge", 200],
        ["suggested", "judge", 200],
    ]


def test_bounds_are_computed_for_both_votes(people, labels, bagging):
    found = audit(bagging, people, labels)["m"]
    assert found.bounds.columns.tolist() == BOUNDS
    judged = found.scores[found.scores["on"] == "judge"].set_index("vote")["risk"]
    sure = found.bounds[found.bounds["guaranteed"] & found.bounds["applies"]]
    assert (sure["actual"] == judged["full"]).all()
    assert (sure["value"] >= judged["full"] - 1e-12).all()
    assert (sure["suggested"].dropna() >= judged["suggested"] - 1e-12).all()


def test_the_same_seed_suggests_the_same(people, labels, bagging):
    first, second = (audit(bagging, people, labels)["m"].to_dict() for _ in range(2))
    assert first == second


def test_weights_of_rows_count(people, labels, bagging):
    weights = np.random.default_rng(2).integers(1, 5, 400)
    plain, weighted = (
        audit(bagging, people, labels, sample_weight=w)["m"].scores for w in (None, weights)
    )
    assert (plain["risk"] != weighted["risk"]).any()


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), GradientBoostingClassifier()])
def test_models_that_are_no_ensembles_are_left_out(people, labels, model):
    assert audit(model.fit(people, labels), people, labels) == {}


def test_too_few_rows_are_not_cut_into_halves(people, labels, bagging):
    assert audit(bagging, people[:19], labels[:19], measures=["accuracy"]) == {}


def test_rows_of_weight_0_are_left_out(people, labels, bagging):
    weights = (np.arange(400) < 40).astype(float)
    assert audit(bagging, people, labels, sample_weight=weights)["m"].scores["rows"].max() == 20
    weights = (np.arange(400) < 1).astype(float)
    with pytest.warns(UserWarning, match="undefined"):
        assert audit(bagging, people, labels, sample_weight=weights) == {}


def test_a_label_that_the_ensemble_does_not_know_leaves_it_out(people, labels, bagging):
    three = labels.where(people["score"] < 1, 2)
    assert audit(bagging, people, three, favorable=1, measures=["accuracy"]) == {}


def test_nothing_is_pruned_unless_asked(people, labels, bagging):
    assert compare({"m": bagging}, people, labels, {"sex": 1}).ensembles == {}


class Rule(ClassifierMixin, BaseEstimator):
    def __init__(self, by="sex"):
        self.by = by

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[self.by] > 0.5).astype(int).to_numpy()


def vote_of(X, y, *columns):
    rules = [(f"{i}", Rule(by)) for i, by in enumerate(columns)]
    return VotingClassifier(rules).fit(X, y)


def test_less_risk_on_held_out_rows_is_an_improvement(people):
    labels = (people["score"] > 0).astype(int)
    model = vote_of(people, labels, *["sex"] * 6, *["score"] * 5)
    found = audit(model, people, labels, measures=["discriminative_risk"])["m"]
    assert found.is_improvement
    assert -1 <= found.risk_change[0] < found.risk_change[1] < 0
    assert found.to_dict()["suggested"] == found.pruned.members.tolist()


def test_a_vote_that_no_pruning_improves_gets_no_suggestion(people, labels):
    model = vote_of(people, labels, *["score"] * 11)
    found = audit(model, people, labels)["m"]
    low, high = found.risk_change
    assert not found.is_improvement
    assert low < 0 < high
    assert found.to_dict()["suggested"] is None


def test_the_change_of_risk_is_counted_by_rows(people, labels):
    # With three values, a privileged row has two perturbations: 400 rows, but more instances.
    three = people.assign(sex=np.arange(400) % 3)
    model = vote_of(three, labels, *["sex"] * 6, *["score"] * 5)
    found = compare({"m": model}, three, labels, {"sex": 1}, ensembles=True, random_state=0)
    low, high = found.ensembles["m"].risk_change
    judged = found.ensembles["m"].scores.query("on == 'judge'")
    change = judged["risk"].diff().iloc[-1]
    # 200 held-out rows and two pseudo-rows.
    assert (low + high) / 2 == pytest.approx(change * 200 / 202)
