"""Marginalising inside AIF360 pipelines."""

import pickle

import numpy as np
import pytest
from aif360.algorithms import Transformer
from aif360.algorithms.postprocessing import EqOddsPostprocessing, RejectOptionClassification
from aif360.algorithms.preprocessing import Reweighing
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from aif360_dr import (
    AttributeMarginalization,
    Chain,
    DiscriminativeRiskMetric,
    EstimatorTransformer,
    POAFPruning,
)
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


class LabelsAndScores(Transformer):
    """An algorithm with the labels of a model, and scores that are made of its probabilities."""

    def __init__(self, model, make_scores):
        super().__init__()
        self.model, self.make_scores = model, make_scores

    def predict(self, dataset):
        predicted = dataset.copy()
        predicted.labels = self.model.predict(dataset.features).reshape(-1, 1)
        scores = self.make_scores(self.model.predict_proba(dataset.features)[:, [1]])
        if scores is not None:
            predicted.scores = scores
        return predicted


class SwapsLabels(Transformer):
    """An algorithm that reads the labels of a dataset as predictions."""

    def __init__(self):
        super().__init__()

    def predict(self, dataset):
        swapped = dataset.copy()
        swapped.labels = 1 - dataset.labels
        return swapped


def average(model, dataset, **options):
    return AttributeMarginalization(model, OTHERS, BOTH, **options).fit(dataset)


def have_equal_predictions(averaged, other, dataset):
    found, expected = averaged.predict(dataset), other.predict(dataset)
    return np.array_equal(found.labels, expected.labels) and np.allclose(
        found.scores, expected.scores
    )


@pytest.fixture
def tuned(dataset):
    tuned = FixedThresholdClassifier(LogisticRegression(), threshold=0.7)
    return tuned.fit(dataset.features, dataset.labels.ravel())


class TestAlgorithmsWithProbabilities:
    def test_an_estimator_as_algorithm_is_averaged_like_the_estimator(self, dataset, forest):
        both = average(EstimatorTransformer(forest), dataset), average(forest, dataset)
        assert have_equal_predictions(*both, dataset)

    @pytest.mark.parametrize("wrap", [lambda model: model, EstimatorTransformer])
    def test_a_chain_is_averaged_like_the_equal_pipeline(self, wrap, dataset):
        chain = Chain(StandardScaler(), wrap(LogisticRegression())).fit(dataset)
        pipeline = make_pipeline(StandardScaler(), LogisticRegression())
        pipeline = pipeline.fit(dataset.features, dataset.labels.ravel())
        assert have_equal_predictions(average(chain, dataset), average(pipeline, dataset), dataset)

    def test_scores_that_agree_with_the_labels_are_averaged(self, dataset, forest):
        algorithm = LabelsAndScores(forest, lambda scores: scores)
        both = average(algorithm, dataset), average(forest, dataset)
        assert have_equal_predictions(*both, dataset)

    def test_scores_of_a_pruned_vote_are_averaged(self, dataset, forest):
        pruning = POAFPruning(forest, OTHERS, BOTH, 5, seed=0).fit(dataset)
        assert average(pruning, dataset).response_ == "predict_proba"

    def test_they_are_averaged_for_rows_that_it_has_predicted_before(self, dataset, forest):
        algorithm = LabelsAndScores(forest, lambda scores: scores)
        predicted = algorithm.predict(dataset)
        assert average(algorithm, predicted).response_ == "predict_proba"

    def test_one_row_can_be_predicted_that_it_has_predicted_before(self, dataset, forest):
        algorithm = LabelsAndScores(forest, lambda scores: scores)
        averaged, row = average(algorithm, dataset), dataset.subset([0])
        again = algorithm.predict(row)
        assert np.array_equal(averaged.predict(again).scores, averaged.predict(row).scores)

    def test_a_favorable_label_of_0_is_counted_the_right_way(self, dataset, forest):
        dataset.favorable_label, dataset.unfavorable_label = 0.0, 1.0
        algorithm = LabelsAndScores(forest, lambda scores: 1 - scores)
        both = average(algorithm, dataset), average(forest, dataset)
        assert have_equal_predictions(*both, dataset)


class TestAlgorithmsWithLabelsOnly:
    @pytest.mark.parametrize(
        "make_scores",
        [
            lambda scores: None,
            lambda scores: scores**4,
            lambda scores: 4 * scores - 1.5,
            lambda scores: np.full_like(scores, np.nan),
        ],
        ids=["scores unchanged", "another threshold", "decision function", "missing"],
    )
    def test_labels_are_averaged(self, make_scores, dataset, forest):
        averaged = average(LabelsAndScores(forest, make_scores), dataset)
        votes = average(forest, dataset, response="predict")
        assert have_equal_predictions(averaged, votes, dataset)

    def test_labels_after_postprocessing_are_averaged(self, dataset):
        reject = RejectOptionClassification(
            [{"sex": 0.0}], [{"sex": 1.0}], num_class_thresh=5, num_ROC_margin=5
        )
        chain = Chain(LogisticRegression(), reject).fit(dataset)
        assert average(chain, dataset).response_ == "predict"

    @pytest.mark.parametrize("kind", ["labels only", "callable"])
    def test_probabilities_that_a_model_lacks_cannot_be_averaged(self, kind, dataset, forest):
        with pytest.raises(ValueError, match=r'response.*Use "predict" or "auto"'):
            average(models(dataset, forest)[kind], dataset, response="predict_proba")

    @pytest.mark.parametrize("make_scores", [lambda scores: None, lambda scores: scores**4])
    def test_scores_that_are_no_probabilities_cannot_be_averaged(
        self, make_scores, dataset, forest
    ):
        algorithm = LabelsAndScores(forest, make_scores)
        with pytest.raises(ValueError, match=r'response.*Use "predict" or "auto"'):
            average(algorithm, dataset, response="predict_proba")


class TestThresholds:
    @pytest.mark.parametrize("wrap", [lambda model: model, EstimatorTransformer, Chain])
    def test_a_warning_names_the_response_that_keeps_the_threshold(self, wrap, dataset, tuned):
        with pytest.warns(UserWarning, match='threshold.*response="predict"') as caught:
            average(wrap(tuned), dataset)
        assert [warning.filename for warning in caught] == [__file__]

    def test_decisions_keep_the_threshold(self, dataset, tuned):
        votes = average(EstimatorTransformer(tuned), dataset, response="predict").predict(dataset)
        core = marginalize(tuned, dataset.features, {0: 1.0, 1: 1.0}, response="predict")
        assert np.array_equal(votes.labels.ravel(), core.predict(dataset.features))


def test_a_postprocessor_alone_is_refused(dataset):
    with pytest.raises(TypeError, match=r"EqOddsPostprocessing.*Chain\(model, postprocessor\)"):
        average(EqOddsPostprocessing([{"sex": 0.0}], [{"sex": 1.0}]), dataset)


def test_an_algorithm_that_reads_labels_is_refused(dataset):
    with pytest.raises(ValueError, match=r"dataset\.labels.*Chain\(model, postprocessor\)"):
        average(SwapsLabels(), dataset)
