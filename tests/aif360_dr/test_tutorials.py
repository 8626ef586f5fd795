"""The pipeline of AIF360's tutorials for each postprocessor, as a chain, against plain loops."""

import numpy as np
import pytest
from aif360.algorithms.postprocessing import (
    CalibratedEqOddsPostprocessing,
    EqOddsPostprocessing,
    RejectOptionClassification,
)
from aif360.metrics import ClassificationMetric
from dr_adapters import groups, to_aif360
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from textbook import chains

from aif360_dr import Chain, DiscriminativeRiskMetric, perturb_dataset
from dr_core import datasets

POSTPROCESSORS = {
    "equalized odds": lambda *groups: EqOddsPostprocessing(*groups, seed=0),
    "calibrated, false negatives": lambda *groups: CalibratedEqOddsPostprocessing(
        *groups, cost_constraint="fnr", seed=0
    ),
    "calibrated, weighted": lambda *groups: CalibratedEqOddsPostprocessing(*groups, seed=0),
    "reject option": lambda *groups: RejectOptionClassification(
        *groups, num_class_thresh=8, num_ROC_margin=8
    ),
}


@pytest.fixture(scope="module")
def credit():
    credit = datasets.load("credit")
    privileged = {"sex": credit.privileged["sex"]}
    dataset = to_aif360(credit.data, credit.target, privileged=privileged)
    return *dataset.split([0.4, 0.7], shuffle=True, seed=0), *groups(dataset)


@pytest.fixture(scope="module", params=POSTPROCESSORS)
def make(request):
    return POSTPROCESSORS[request.param]


@pytest.fixture(scope="module")
def tutorial(make, credit):
    """The fitted steps, as the tutorials fit them, and the test rows."""
    train, valid, test, unprivileged, privileged = credit
    scaler = StandardScaler().fit(train.features)
    model = LogisticRegression(max_iter=1000)
    model.fit(scaler.transform(train.features), train.labels.ravel())
    predicted = valid.copy(deepcopy=True)
    X = scaler.transform(valid.features)
    predicted.labels = model.predict(X).reshape(-1, 1)
    predicted.scores = model.predict_proba(X)[:, [1]]
    postprocessor = make(unprivileged, privileged).fit(valid, predicted)
    return scaler, model, postprocessor, test, unprivileged, privileged


@pytest.fixture(scope="module")
def rows(credit):
    test = credit[2]
    names = {1.0: "privileged", 0.0: "unprivileged"}
    sex = test.protected_attributes[:, 0].tolist()
    return [
        {"features": features, "group": names[value]}
        for features, value in zip(test.features.tolist(), sex, strict=True)
    ]


@pytest.fixture(scope="module")
def metric(tutorial):
    *steps, test, unprivileged, privileged = tutorial
    return DiscriminativeRiskMetric.from_estimator(Chain(*steps), test, unprivileged, privileged)


@pytest.fixture(scope="module")
def by_hand(tutorial, rows):
    """The risk of each row, by loops."""
    *steps, test, _, _ = tutorial
    column = test.feature_names.index("sex")

    def probability(row):
        return chains.favorable_probability(*steps, row)

    return np.array(chains.risks(probability, rows, column))


def predict_by_hand(steps, dataset):
    """The calls of the tutorials."""
    scaler, model, postprocessor = steps
    predicted, X = dataset.copy(deepcopy=True), scaler.transform(dataset.features)
    predicted.labels = model.predict(X).reshape(-1, 1)
    predicted.scores = model.predict_proba(X)[:, [1]]
    return postprocessor.predict(predicted)


def test_the_risk_of_each_row_is_that_of_the_loops(metric, by_hand):
    np.testing.assert_allclose(metric.individual_risk(), by_hand, atol=1e-9)


def test_the_risk_is_that_of_the_loops(metric, by_hand):
    assert metric.discriminative_risk() == pytest.approx(by_hand.mean(), abs=1e-9)
    assert metric.discriminative_risk() > 0


def test_the_risk_of_each_group_is_that_of_the_loops(metric, by_hand, rows):
    of = {
        group: chains.mean(
            risk for risk, row in zip(by_hand, rows, strict=True) if row["group"] == group
        )
        for group in ("unprivileged", "privileged")
    }
    expected = of["unprivileged"] - of["privileged"]
    assert metric.discriminative_risk_difference() == pytest.approx(expected, abs=1e-9)


def test_group_measures_are_those_of_the_loops(tutorial, metric, rows):
    *steps, test, _, _ = tutorial
    predicted = predict_by_hand(steps, test).labels.ravel()
    measures = chains.group_measures(
        test.labels.ravel().tolist(), predicted.tolist(), [row["group"] for row in rows]
    )
    for name, expected in measures.items():
        assert getattr(metric, name)() == pytest.approx(expected, abs=1e-12), name


def test_labels_are_those_of_the_loops_where_nothing_is_drawn(tutorial, metric, rows):
    *steps, _, _, _ = tutorial
    expected = np.array([chains.favorable_probability(*steps, row) for row in rows])
    is_certain = (expected == 0) | (expected == 1)
    labels = metric.classified_dataset.labels.ravel()
    np.testing.assert_array_equal(labels[is_certain], expected[is_certain])
    assert is_certain.any()


def test_every_measure_is_that_of_aif360_on_the_tutorials_predictions(tutorial, metric):
    *steps, test, unprivileged, privileged = tutorial
    theirs = ClassificationMetric(test, predict_by_hand(steps, test), unprivileged, privileged)
    for name in ("accuracy", "equalized_odds_difference", "theil_index", "disparate_impact"):
        assert getattr(metric, name)() == getattr(theirs, name)()


def test_a_chain_that_fits_its_steps_is_the_same(make, credit, metric):
    train, valid, test, *groups = credit
    chain = Chain(StandardScaler(), LogisticRegression(max_iter=1000), make(*groups))
    again = DiscriminativeRiskMetric.from_estimator(chain.fit(train, valid), test, *groups)
    np.testing.assert_allclose(again.individual_risk(), metric.individual_risk(), atol=1e-9)


def test_predictions_for_a_perturbed_dataset_give_the_risk_of_certain_labels(tutorial, metric):
    *steps, test, unprivileged, privileged = tutorial
    chain = Chain(*steps)
    given = DiscriminativeRiskMetric(
        test,
        chain.predict(test),
        unprivileged,
        privileged,
        perturbed_classified_dataset=chain.predict(perturb_dataset(test, privileged)),
    )
    if isinstance(steps[-1], RejectOptionClassification):
        assert given.discriminative_risk() == metric.discriminative_risk()
    else:  # two draws differ at least as often as the total variation says, but for chance
        assert given.discriminative_risk() > metric.discriminative_risk() - 0.05
