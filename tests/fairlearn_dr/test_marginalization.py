"""Marginalising inside fairlearn and scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

from dr_core import assess_risk, compare, marginalize
from fairlearn_dr import AttributeMarginalizer, POAFPruner, risk_scorer

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

SEX = {"sex": 1}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": rng.integers(0, 2, 200), "pay": rng.normal(size=200)})
    return X, (X["pay"] + X["sex"] + rng.normal(size=200) > 0.5).astype(int)


def test_it_predicts_as_the_core_does(data):
    X, y = data
    fitted = AttributeMarginalizer(LogisticRegression(), privileged=SEX).fit(X, y)
    core = marginalize(LogisticRegression().fit(X, y), X, SEX)
    assert np.array_equal(fitted.predict_proba(X), core.predict_proba(X))
    assert np.array_equal(fitted.predict(X), core.predict(X))
    assert fitted.classes_.tolist() == [0, 1]
    assert fitted.feature_names_in_.tolist() == ["sex", "pay"]


def test_the_risk_is_zero_with_the_default_estimator(data):
    X, y = data
    assert assess_risk(AttributeMarginalizer(privileged=SEX).fit(X, y), X, SEX).value == 0


def test_a_fitted_estimator_is_not_fitted_again(data):
    X, y = data
    estimator = LogisticRegression().fit(X, y)
    fitted = AttributeMarginalizer(estimator, privileged=SEX, prefit=True).fit(X)
    assert fitted.estimator_ is estimator
    assert fitted.model_.estimator is estimator


def test_it_is_what_its_estimator_is(data):
    X = data[0]
    assert is_classifier(AttributeMarginalizer())
    assert is_classifier(AttributeMarginalizer(LogisticRegression()))
    regressor = AttributeMarginalizer(Ridge(), privileged=SEX)
    assert is_regressor(regressor)
    assert not hasattr(regressor, "predict_proba")
    target = X["pay"] + X["sex"]
    assert regressor.fit(X, target).score(X, target) == pytest.approx(
        Ridge().fit(X, target).score(X.assign(sex=X["sex"].mean()), target)
    )


def test_probabilities_are_there_only_where_the_estimator_has_them(data):
    X, y = data
    assert hasattr(AttributeMarginalizer(), "predict_proba")
    svc = AttributeMarginalizer(LinearSVC(random_state=0), privileged=SEX)
    assert not hasattr(svc, "predict_proba")
    assert not hasattr(svc.fit(X, y), "predict_proba")


def test_it_works_around_and_inside_a_pipeline(data):
    X, y = data
    words = X.assign(sex=X["sex"].map({0: "f", 1: "m"}))
    encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    around = AttributeMarginalizer(
        make_pipeline(encode, LogisticRegression()), privileged={"sex": "m"}
    ).fit(words, y)
    assert assess_risk(around, words, {"sex": "m"}).value == 0
    inside = make_pipeline("passthrough", AttributeMarginalizer(privileged=SEX)).fit(X, y)
    assert assess_risk(inside, X, SEX).value == 0


def test_it_can_be_searched_cloned_and_pickled(data):
    X, y = data
    marginalizer = AttributeMarginalizer(LogisticRegression(), privileged=SEX)
    search = GridSearchCV(marginalizer, {"weights": ["empirical", "uniform"]}, cv=2).fit(X, y)
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert np.array_equal(again.predict(X), search.predict(X))
    scores = cross_val_score(clone(marginalizer), X, y, scoring=risk_scorer(SEX), cv=2)
    assert scores.tolist() == [0, 0]


def test_weights_of_rows_are_passed_on_and_counted(data):
    X, y = data
    weights = np.where(X["sex"] == 1, 3.0, 1.0)
    fitted = AttributeMarginalizer(LogisticRegression(), privileged=SEX)
    fitted.fit(X, y, sample_weight=weights)
    expected = LogisticRegression().fit(X, y, sample_weight=weights)
    assert np.array_equal(fitted.estimator_.coef_, expected.coef_)
    assert fitted.model_.weights[1] == pytest.approx(np.average(X["sex"], weights=weights))


def test_a_sensitive_feature_that_is_no_column_is_refused(data):
    X, y = data
    marginalizer = AttributeMarginalizer(privileged={"race": 1})
    with pytest.raises(ValueError, match="sensitive_features"):
        marginalizer.fit(X, y, sensitive_features=X["sex"])


def test_it_does_not_predict_before_fit(data):
    with pytest.raises(NotFittedError):
        AttributeMarginalizer(privileged=SEX).predict(data[0])


def test_without_privileged_it_warns_and_predicts_as_the_estimator(data):
    X, y = data
    with pytest.warns(UserWarning, match="privileged is None"):
        fitted = AttributeMarginalizer(LogisticRegression()).fit(X, y)
    assert np.array_equal(fitted.predict(X), LogisticRegression().fit(X, y).predict(X))


def test_distributions_of_randomised_models_are_averaged(data):
    X, y = data
    mixture = ExponentiatedGradient(LogisticRegression(), DemographicParity(), max_iter=5)
    thresholds = ThresholdOptimizer(estimator=LogisticRegression(), predict_method="predict_proba")
    for model in (mixture, thresholds):
        model.fit(X, y, sensitive_features=X["sex"])
        averaged = marginalize(model, X, SEX)
        assert assess_risk(model, X, SEX).value > 0
        assert assess_risk(averaged, X, SEX).value == 0
        assert averaged.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))


def test_all_ways_to_lower_risk_are_compared_without_a_function(data):
    X, y = data
    forest = RandomForestClassifier(10, random_state=0)
    drop = make_column_transformer(("drop", ["sex"]), remainder="passthrough")
    thresholds = ThresholdOptimizer(estimator=forest, predict_method="predict_proba")
    models = {
        "forest": forest.fit(X, y),
        "left out": make_pipeline(drop, clone(forest)).fit(X, y),
        "averaged": AttributeMarginalizer(forest, privileged=SEX, prefit=True).fit(X),
        "pruned": POAFPruner(forest, privileged=SEX, prefit=True, random_state=0).fit(X, y),
        "thresholds": thresholds.fit(X, y, sensitive_features=X["sex"]),
    }
    found = compare(models, X, y, SEX).table()["discriminative_risk"].droplevel("attribute")
    assert found["left out"] == found["averaged"] == 0
    assert found[["forest", "pruned", "thresholds"]].gt(0).all()


def test_a_threshold_outside_is_that_of_the_averaged_probabilities(data):
    X, y = data
    averaged = AttributeMarginalizer(LogisticRegression(), privileged=SEX)
    strict = FixedThresholdClassifier(averaged, threshold=0.7).fit(X, y)
    probabilities = averaged.fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_array_equal(strict.predict(X), probabilities >= 0.7)
    assert assess_risk(strict, X, SEX).value == 0
