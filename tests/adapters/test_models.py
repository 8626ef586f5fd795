"""Models of AIF360 in scikit-learn, and estimators of scikit-learn in AIF360."""

import numpy as np
import pandas as pd
import pytest
from aif360.algorithms import Transformer
from aif360.algorithms.preprocessing import Reweighing
from dr_adapters import as_estimator, as_transformer, groups, to_aif360
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from aif360_dr import (
    AttributeMarginalization,
    Chain,
    DiscriminativeRiskMetric,
    EPAFPruning,
    POAFPruning,
)
from dr_core import as_ensemble, assess_risk, collect_votes, poaf

TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
FOREST = RandomForestClassifier(15, max_depth=4, random_state=0)


@pytest.fixture
def dataset(loans):
    return to_aif360(*loans, privileged={"sex": "Male"}, favorable_label="granted")


def on_words(model=TREE):
    encoder = make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_exclude=["number", "bool"])),
        remainder="passthrough",
    )
    return make_pipeline(encoder, clone(model))


class LabelsOnly(Transformer):
    """Predict one label for owners and another for all others, and leave scores unchanged."""

    def __init__(self, label=1.0):
        super().__init__()
        self.label = label

    def predict(self, dataset):
        predicted = dataset.copy()
        owns = dataset.features[:, [dataset.feature_names.index("owner")]]
        predicted.labels = owns * self.label
        return predicted


class TestAsEstimator:
    def test_an_algorithm_predicts_frames_in_words(self, loans, dataset):
        X, _ = loans
        algorithm = as_transformer(TREE).fit(dataset)
        expected = algorithm.predict(dataset).labels.ravel() == 1
        predicted = as_estimator(algorithm, dataset).predict(X)
        np.testing.assert_array_equal(predicted, np.where(expected, "granted", "denied"))

    def test_probabilities_are_in_the_order_of_the_classes(self, loans, dataset):
        X, y = loans
        estimator = as_estimator(as_transformer(TREE), dataset).fit(X, y)
        assert estimator.classes_.tolist() == ["denied", "granted"]
        best = estimator.classes_[estimator.predict_proba(X).argmax(axis=1)]
        np.testing.assert_array_equal(best, estimator.predict(X))

    def test_classes_are_sorted_whichever_is_favorable(self, loans):
        X, y = loans
        dataset = to_aif360(X, y, privileged={"sex": "Male"}, favorable_label="denied")
        estimator = as_estimator(as_transformer(TREE), dataset).fit(X, y)
        assert estimator.classes_.tolist() == ["denied", "granted"]
        assert estimator.score(X, y) > 0.8
        best = estimator.classes_[estimator.predict_proba(X).argmax(axis=1)]
        np.testing.assert_array_equal(best, estimator.predict(X))

    def test_an_algorithm_that_predicts_labels_only_is_certain(self, loans, dataset):
        X, _ = loans
        estimator = as_estimator(LabelsOnly(), dataset)
        certain = estimator.predict_proba(X)
        assert set(np.ravel(certain)) == {0.0, 1.0}
        best = estimator.classes_[certain.argmax(axis=1)]
        np.testing.assert_array_equal(best, estimator.predict(X))

    def test_labels_that_nobody_has_are_refused(self, loans, dataset):
        with pytest.raises(ValueError, match=r"model.*\b0\.7\b"):
            as_estimator(LabelsOnly(0.7), dataset).predict(loans[0])

    def test_weights_reach_the_algorithm(self, loans, dataset):
        X, y = loans
        weights = np.where(y == "granted", 9.0, 1.0)
        plain, weighted = (
            as_estimator(as_transformer(TREE), dataset).fit(X, y, sample_weight=w).predict(X)
            for w in (None, weights)
        )
        assert (weighted == "granted").sum() > (plain == "granted").sum()

    def test_its_risk_can_be_assessed(self, loans, dataset):
        estimator = as_estimator(as_transformer(TREE).fit(dataset), dataset)
        assert assess_risk(estimator, loans[0], {"sex": "Male"}).value > 0

    def test_sensitive_features_may_be_apart(self, loans):
        X, y = loans
        apart = {"sensitive_features": X["sex"]}
        dataset = to_aif360(
            X[["owner"]], y, privileged={"sex": "Male"}, favorable_label="granted", **apart
        )
        estimator = as_estimator(as_transformer(TREE), dataset)
        assert estimator.fit(X[["owner"]], y, **apart).predict(X[["owner"]], **apart).shape == (
            120,
        )

    def test_it_is_cloned_and_cross_validated_like_any_estimator(self, loans, dataset):
        X, y = loans
        estimator = clone(as_estimator(as_transformer(TREE), dataset))
        X = X.assign(income=X["income"].fillna(50))
        dataset = to_aif360(X, y, privileged={"sex": "Male"}, favorable_label="granted")
        estimator = as_estimator(as_transformer(TREE), dataset)
        assert cross_val_score(estimator, X, y, cv=3).mean() > 0.6

    def test_values_the_dataset_never_had_are_named(self, loans, dataset):
        X = loans[0].assign(sex="Unknown")
        with pytest.raises(ValueError, match=r"'sex'.*'Unknown'"):
            as_estimator(as_transformer(TREE).fit(dataset), dataset).predict(X)

    def test_gaps_the_dataset_never_had_are_counted(self, loans):
        X, y = loans
        full = X.assign(income=X["income"].fillna(50))
        dataset = to_aif360(full, y, privileged={"sex": "Male"}, favorable_label="granted")
        with pytest.raises(ValueError, match=r"'income'.*\bmissing\b"):
            as_estimator(as_transformer(TREE).fit(dataset), dataset).predict(X)

    def test_a_dataset_made_elsewhere_is_refused(self, loans, dataset):
        del dataset.metadata["dr_adapters"]
        with pytest.raises(ValueError, match=r"dataset.*\bto_aif360\b"):
            as_estimator(as_transformer(TREE), dataset).predict(loans[0])


class TestAsTransformer:
    def test_it_predicts_labels_and_scores_in_columns(self, dataset):
        predicted = as_transformer(TREE).fit(dataset).predict(dataset)
        assert predicted.labels.shape == predicted.scores.shape == (120, 1)

    def test_a_model_of_words_gets_words(self, loans, dataset):
        X, y = loans
        model = on_words().fit(X, (y == "granted").astype(float))
        predicted = as_transformer(model, original_columns=True).predict(dataset)
        np.testing.assert_array_equal(predicted.labels.ravel(), model.predict(X))

    def test_a_given_model_of_the_original_table_and_labels_is_audited(self, loans, dataset):
        X, y = loans
        model = on_words().fit(X, y)
        algorithm = as_transformer(model, original_columns=True)
        predicted = algorithm.predict(dataset)
        expected = model.predict(X) == "granted"
        np.testing.assert_array_equal(predicted.labels.ravel(), expected)
        scores = model.predict_proba(X)[:, model.classes_.tolist().index("granted")]
        np.testing.assert_allclose(predicted.scores.ravel(), scores)
        metric = DiscriminativeRiskMetric.from_estimator(algorithm, dataset, *groups(dataset))
        assert metric.discriminative_risk() == assess_risk(model, X, {"sex": "Male"}).value

    def test_a_model_of_other_labels_is_refused(self, loans, dataset):
        X, y = loans
        model = on_words().fit(X, y + "!")
        with pytest.raises(ValueError, match=r"predicted labels.*'denied!'.*'denied'"):
            as_transformer(model, original_columns=True).predict(dataset)

    @pytest.mark.parametrize("wrap", [lambda model: model, as_transformer, Chain])
    @pytest.mark.parametrize(
        "use",
        [
            DiscriminativeRiskMetric.from_estimator,
            *(
                lambda model, dataset, *both, kind=kind: kind(model, *both).fit(dataset)
                for kind in (POAFPruning, EPAFPruning, AttributeMarginalization)
            ),
        ],
    )
    def test_without_it_a_note_of_the_error_names_it_once(self, use, wrap, loans, dataset):
        X, y = loans
        model = wrap(on_words(FOREST).fit(X, (y == "granted").astype(float)))
        with pytest.raises((TypeError, ValueError)) as error:
            use(model, dataset, *groups(dataset))
        [note] = error.value.__notes__
        assert "as_transformer(model, original_columns=True)" in note

    def test_a_model_of_words_is_fitted_on_words(self, loans, dataset):
        X, y = loans
        fitted = as_transformer(on_words(), original_columns=True).fit(dataset).estimator
        direct = on_words().fit(X, (y == "granted").astype(float))
        np.testing.assert_array_equal(fitted.predict(X), direct.predict(X))

    @pytest.mark.parametrize("favorable", ["granted", "denied"])
    @pytest.mark.parametrize("wrap", [lambda algorithm: algorithm, Chain])
    def test_an_ensemble_of_the_original_table_is_pruned(self, wrap, favorable, loans):
        X, y = loans
        dataset = to_aif360(X, y, privileged={"sex": "Male"}, favorable_label=favorable)
        ensemble = on_words(FOREST).fit(X, y)
        algorithm = wrap(as_transformer(ensemble, original_columns=True))
        pruning = POAFPruning(algorithm, *groups(dataset), max_members=5).fit(dataset)
        votes = collect_votes(ensemble, X, y, {"sex": "Male"}, method="exact")
        core = poaf(votes, 5, selection="min_risk")
        assert pruning.members_.tolist() == core.members.tolist()
        expected = as_ensemble(ensemble).subset(core.members).predict(X) == favorable
        labels = pruning.predict(dataset).labels
        assert ((labels == dataset.favorable_label).ravel() == expected).all()

    @pytest.mark.parametrize("kind", [POAFPruning, EPAFPruning, AttributeMarginalization])
    def test_labels_in_words_without_it_are_refused_by_name(self, kind, loans, dataset):
        _, y = loans
        model = clone(FOREST).fit(dataset.features, y)
        with pytest.raises(ValueError, match=r"'denied'.*original_columns=True"):
            kind(model, *groups(dataset)).fit(dataset)

    def test_weights_of_reweighing_count(self, dataset):
        reweighed = Reweighing(*groups(dataset)).fit_transform(dataset)
        fitted = as_transformer(TREE).fit(reweighed).estimator
        direct = clone(TREE).fit(
            dataset.features, dataset.labels.ravel(), sample_weight=reweighed.instance_weights
        )
        np.testing.assert_array_equal(fitted.tree_.value, direct.tree_.value)

    def test_it_goes_there_and_back_again(self, loans, dataset):
        X, y = loans
        model = on_words().fit(X, (y == "granted").astype(float))
        there = as_transformer(model, original_columns=True)
        back = as_estimator(there, dataset)
        expected = np.where(model.predict(X) == 1, "granted", "denied")
        np.testing.assert_array_equal(back.predict(pd.DataFrame(X)), expected)
