"""Regressors and scores in fairlearn's terms: tolerance, score shift, weights of a scorer."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from fairlearn.metrics import MetricFrame
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import GridSearchCV, cross_validate

from dr_core import assess_risk, assess_shift
from fairlearn_dr import dr_metric_frame, risk_scorer, score_shift

rng = np.random.default_rng(0)
X = pd.DataFrame({"sex": rng.integers(0, 2, 200), "age": rng.normal(40, 10, 200)})
PAY = 2 * X["age"] + 5 * X["sex"] + rng.normal(size=200)
WEIGHTS = rng.uniform(0.5, 2, 200)
SEX = {"sex": 1}
REGRESSOR = LinearRegression().fit(X, PAY)
CLASSIFIER = LogisticRegression().fit(X, PAY > 82)


def test_a_frame_of_a_regressor_has_shift_means_and_errors():
    frame = dr_metric_frame(REGRESSOR, X, PAY, privileged=SEX, tolerance=1.0)
    names = ["discriminative_risk", "score_shift", "mean_prediction", "mean_absolute_error"]
    assert list(frame.overall.index) == names
    risk, shift = assess_risk(REGRESSOR, X, SEX, tolerance=1.0), assess_shift(REGRESSOR, X, SEX)
    assert frame.overall["discriminative_risk"] == pytest.approx(risk.value)
    assert frame.overall["score_shift"] == pytest.approx(shift.mean)
    men = X["sex"] == 1
    error = mean_absolute_error(PAY[men], REGRESSOR.predict(X[men]))
    assert frame.by_group["mean_absolute_error"][1] == pytest.approx(error)


def test_the_score_shift_of_a_classifier_is_passed_to_the_metric():
    frame = dr_metric_frame(
        CLASSIFIER,
        X,
        PAY > 82,
        privileged=SEX,
        metrics={"score_shift": score_shift},
        pos_label=True,
        sample_weight=WEIGHTS,
    )
    expected = assess_shift(CLASSIFIER, X, SEX, sample_weight=WEIGHTS)
    assert frame.overall["score_shift"] == pytest.approx(expected.mean)
    groups = expected.by_group.set_index("group")["mean"]
    for sex in (0, 1):
        assert frame.by_group["score_shift"][sex] == pytest.approx(groups[str(sex)])


def test_signed_shifts_show_which_group_would_gain():
    shift = assess_shift(REGRESSOR, X, SEX)
    frame = MetricFrame(
        metrics=score_shift,
        y_true=PAY,
        y_pred=shift.scores,
        sensitive_features=X["sex"],
        sample_params={"individual_shift": shift.signed_individual},
    )
    assert frame.by_group[0] > 4.5
    assert frame.by_group[1] == pytest.approx(-frame.by_group[0])


def test_a_scorer_takes_a_tolerance_and_weights():
    scorer = risk_scorer(SEX, tolerance=1.0)
    assert scorer(REGRESSOR, X, PAY) == -1.0
    halves = np.where(X["age"] > 40, 1.0, 0.0)
    senior = LogisticRegression().fit(X, (PAY > 82) & (X["age"] > 40))
    weighted = risk_scorer(SEX)(senior, X, sample_weight=halves)
    assert weighted == -assess_risk(senior, X[X["age"] > 40], SEX).value


def test_weights_are_routed_to_the_scorer_of_a_search():
    scorer = risk_scorer(SEX).set_score_request(sample_weight=True)
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        options = {"scoring": scorer, "cv": 2, "params": {"sample_weight": WEIGHTS}}
        scores = cross_validate(
            model, X, PAY > 82, **options, return_estimator=True, return_indices=True
        )
        search = GridSearchCV(model, {"C": [1.0]}, scoring=scorer, cv=2)
        search.fit(X, PAY > 82, sample_weight=WEIGHTS)
    test = scores["indices"]["test"]
    expected = [
        -assess_risk(one, X.iloc[rows], SEX, sample_weight=WEIGHTS[rows]).value
        for one, rows in zip(scores["estimator"], test, strict=True)
    ]
    assert scores["test_score"].tolist() == pytest.approx(expected)
    assert search.best_score_ == pytest.approx(np.mean(expected))


def test_weights_that_were_not_requested_are_not_routed():
    with sklearn.config_context(enable_metadata_routing=True):
        options = {"scoring": risk_scorer(SEX), "cv": 2, "params": {"sample_weight": WEIGHTS}}
        with pytest.raises(Exception, match="sample_weight"):
            cross_validate(LogisticRegression(), X, PAY > 82, **options)
