"""Marginalising inside AIF360 pipelines."""

import pickle

import numpy as np
import pytest
from aif360.algorithms.preprocessing import Reweighing
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from aif360_dr import AttributeMarginalization, DiscriminativeRiskMetric, EstimatorTransformer
from dr_core import marginalize

BOTH = [{"sex": 1.0, "race": 1.0}]
OTHERS = [{"sex": 0.0}, {"race": 0.0}, {"race": 2.0}]


def risk(model, dataset):
    return DiscriminativeRiskMetric.from_estimator(
        model, dataset, OTHERS, BOTH
    ).discriminative_risk()


@pytest.fixture
def forest(dataset):
    forest = RandomForestClassifier(9, max_depth=4, random_state=0)
    return forest.fit(dataset.features, dataset.labels.ravel())


def models(dataset, forest):
    X, y = dataset.features, dataset.labels.ravel()
    return {
        "forest": forest,
        "labels only": make_pipeline(StandardScaler(), LinearSVC(random_state=0)).fit(X, y),
        "callable": lambda features: features[:, 3] + features[:, 0] > 0.5,
        "algorithm": EstimatorTransformer(forest),
    }


@pytest.mark.parametrize("kind", ["forest", "labels only", "callable", "algorithm"])
def test_the_risk_is_zero_for_every_kind_of_model(kind, dataset, forest):
    model = models(dataset, forest)[kind]
    assert risk(model, dataset) > 0
    assert risk(AttributeMarginalization(model, OTHERS, BOTH).fit(dataset), dataset) == 0


def test_labels_and_scores_are_those_of_the_core(dataset, forest):
    predicted = AttributeMarginalization(forest, OTHERS, BOTH).fit_predict(dataset)
    core = marginalize(forest, dataset.features, {0: 1.0, 1: 1.0})
    assert np.array_equal(predicted.labels.ravel(), core.predict(dataset.features))
    expected = core.predict_proba(dataset.features)[:, 1]
    assert predicted.scores.ravel() == pytest.approx(expected, abs=1e-12)
    assert predicted.labels.shape == predicted.scores.shape == (200, 1)


def test_other_rows_are_averaged_with_the_frequencies_of_those_fitted(dataset, forest):
    averaged = AttributeMarginalization(forest, OTHERS, BOTH).fit(dataset)
    others = dataset.subset(np.flatnonzero(dataset.features[:, 0] == 1))
    core = marginalize(forest, dataset.features, {0: 1.0, 1: 1.0})
    assert np.array_equal(averaged.predict(others).labels.ravel(), core.predict(others.features))


def test_instance_weights_are_counted(dataset, forest):
    weighted = Reweighing(OTHERS, BOTH).fit_transform(dataset)
    averaged = AttributeMarginalization(forest, OTHERS, BOTH).fit_predict(weighted)
    weights = weighted.instance_weights
    core = marginalize(forest, dataset.features, {0: 1.0, 1: 1.0}, sample_weight=weights)
    assert averaged.scores.ravel() == pytest.approx(core.predict_proba(dataset.features)[:, 1])


def test_decisions_can_vote_in_place_of_probabilities(dataset, forest):
    votes = AttributeMarginalization(forest, OTHERS, BOTH, response="predict").fit_predict(dataset)
    core = marginalize(forest, dataset.features, {0: 1.0, 1: 1.0}, response="predict")
    assert np.array_equal(votes.labels.ravel(), core.predict(dataset.features))


def test_scaled_features_are_replaced_by_patterns(dataset, forest):
    scaled = dataset.copy(deepcopy=True)
    scaled.features = StandardScaler().fit_transform(scaled.features)
    model = RandomForestClassifier(9, random_state=0).fit(scaled.features, scaled.labels.ravel())
    assert risk(model, scaled) > 0
    assert risk(AttributeMarginalization(model, OTHERS, BOTH).fit(scaled), scaled) == 0


def test_it_can_be_pickled_when_fitted(dataset, forest):
    averaged = AttributeMarginalization(forest, OTHERS, BOTH).fit(dataset)
    again = pickle.loads(pickle.dumps(averaged))
    assert np.array_equal(again.predict(dataset).scores, averaged.predict(dataset).scores)


def test_it_does_not_predict_before_fit(dataset, forest):
    with pytest.raises(NotFittedError, match="fit"):
        AttributeMarginalization(forest, OTHERS, BOTH).predict(dataset)
