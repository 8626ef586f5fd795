"""Chains of preprocessing, a model and postprocessing."""

import pickle
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from aif360.algorithms import Transformer
from aif360.algorithms.inprocessing import GerryFairClassifier, GridSearchReduction
from aif360.algorithms.postprocessing import (
    CalibratedEqOddsPostprocessing,
    DeterministicReranking,
    EqOddsPostprocessing,
    RejectOptionClassification,
)
from aif360.algorithms.preprocessing import LFR, Reweighing
from dr_adapters import as_estimator, as_transformer, to_aif360
from scipy.optimize import fmin_l_bfgs_b
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from aif360_dr import (
    Chain,
    DiscriminativeRiskMetric,
    EPAFPruning,
    EstimatorTransformer,
    POAFPruning,
    perturb_dataset,
)
from aif360_dr._models import classify
from dr_core import RandomizedModel, assess_risk

# AIF360's and fairlearn's own code warns with some versions of pandas.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def reject_option(women, men, **options):
    return RejectOptionClassification(women, men, num_class_thresh=6, num_ROC_margin=6, **options)


def risk(model, dataset, women, men, **options):
    metric = DiscriminativeRiskMetric.from_estimator(model, dataset, women, men, **options)
    return metric.individual_risk()


class ReadsLabels(Transformer):
    """A postprocessor of somebody else: men keep their label, women get the favorable one."""

    def __init__(self):
        super().__init__()

    def predict(self, dataset):
        predicted = dataset.copy()
        women = dataset.protected_attributes[:, [0]] == 0
        predicted.labels = np.where(women, dataset.favorable_label, dataset.labels)
        return predicted


class TestSteps:
    def test_a_scaler_and_a_model_are_a_pipeline(self, dataset, women, men):
        chain = Chain(StandardScaler(), LogisticRegression()).fit(dataset)
        pipeline = make_pipeline(StandardScaler(), LogisticRegression())
        pipeline.fit(dataset.features, dataset.labels.ravel())
        np.testing.assert_array_equal(
            risk(chain, dataset, women, men), risk(pipeline, dataset, women, men)
        )

    def test_steps_that_are_fitted_need_no_fit(self, dataset):
        scaler = StandardScaler().fit(dataset.features)
        model = LogisticRegression().fit(
            scaler.transform(dataset.features), dataset.labels.ravel()
        )
        expected = model.predict(scaler.transform(dataset.features))
        predicted = Chain(scaler, model).predict(dataset)
        np.testing.assert_array_equal(predicted.labels.ravel(), expected)

    def test_only_labels_and_scores_change(self, dataset):
        predicted = Chain(StandardScaler(), LogisticRegression()).fit(dataset).predict(dataset)
        np.testing.assert_array_equal(predicted.features, dataset.features)
        np.testing.assert_array_equal(predicted.instance_weights, dataset.instance_weights)
        assert predicted.metadata["transformer"] == "Chain.predict"
        assert predicted.metadata["params"] == {"steps": ["StandardScaler", "LogisticRegression"]}

    def test_reweighing_weighs_the_model_and_no_result(self, weighted, women, men):
        chain = Chain(Reweighing(women, men), LogisticRegression()).fit(weighted)
        reweighed = Reweighing(women, men).fit_transform(weighted)
        by_hand = LogisticRegression().fit(
            reweighed.features, reweighed.labels.ravel(), reweighed.instance_weights
        )
        np.testing.assert_allclose(chain.model.coef_, by_hand.coef_)
        metric = DiscriminativeRiskMetric.from_estimator(chain, weighted, women, men)
        assert metric.num_instances() == weighted.instance_weights.sum()

    @pytest.mark.skipif(
        "disp" not in signature(fmin_l_bfgs_b).parameters, reason="AIF360's LFR needs SciPy < 1.18"
    )
    def test_a_learned_representation_comes_before_the_model(self, dataset, women, men):
        lfr = LFR(women, men, k=3, verbose=0, seed=0)
        lfr.fit(dataset, maxiter=2, maxfun=2)
        model = DecisionTreeClassifier(max_depth=3, random_state=0)
        model.fit(lfr.transform(dataset).features, dataset.labels.ravel())
        changes = [
            model.predict(lfr.transform(some).features)
            for some in (dataset, perturb_dataset(dataset, men))
        ]
        found = risk(Chain(lfr, model), dataset, women, men)
        np.testing.assert_array_equal(found, changes[0] != changes[1])

    @pytest.mark.parametrize(
        "step",
        [
            PCA(2),
            FunctionTransformer(lambda X: X[:, :2]),
            ColumnTransformer([("hot", OneHotEncoder(), [1])], remainder="passthrough"),
        ],
        ids=["components", "fewer columns", "one-hot, sparse"],
    )
    def test_preprocessing_may_change_the_columns(self, step, dataset, women, men):
        model = DecisionTreeClassifier(max_depth=3, random_state=0)
        chain = Chain(step, model).fit(dataset)
        pipeline = make_pipeline(step, model).fit(dataset.features, dataset.labels.ravel())
        np.testing.assert_array_equal(
            risk(chain, dataset, women, men), risk(pipeline, dataset, women, men)
        )

    def test_steps_fitted_on_frames_get_frames(self, dataset, women, men):
        frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)
        scaler = StandardScaler().set_output(transform="pandas").fit(frame)
        model = LogisticRegression().fit(scaler.transform(frame), dataset.labels.ravel())
        found = Chain(scaler, model).predict(dataset).labels.ravel()
        np.testing.assert_array_equal(found, model.predict(scaler.transform(frame)))

    def test_a_function_can_be_the_model(self, dataset, women, men):
        prefers_men = lambda features: features[:, 0] == 1  # noqa: E731
        assert (risk(Chain(prefers_men), dataset, women, men) == 1).all()

    def test_a_chain_can_be_a_step(self, dataset, women, men):
        inner = Chain(StandardScaler(), LogisticRegression())
        outer = Chain(inner, reject_option(women, men)).fit(dataset)
        flat = Chain(StandardScaler(), LogisticRegression(), reject_option(women, men))
        np.testing.assert_array_equal(
            outer.predict(dataset).labels, flat.fit(dataset).predict(dataset).labels
        )

    def test_postprocessing_is_fitted_on_the_rows_held_out(self, dataset, women, men):
        train, valid = dataset.split([0.5], shuffle=True, seed=0)
        chain = Chain(LogisticRegression(), EqOddsPostprocessing(women, men)).fit(train, valid)
        by_hand = EqOddsPostprocessing(women, men).fit(valid, classify(chain.model, valid))
        np.testing.assert_allclose(chain.steps[-1].model_params.x, by_hand.model_params.x)

    def test_estimators_passed_in_stay_unfitted(self, dataset):
        scaler, model = StandardScaler(), LogisticRegression()
        Chain(scaler, model).fit(dataset)
        assert not hasattr(scaler, "mean_")
        assert not hasattr(model, "coef_")

    def test_a_chain_can_be_pickled(self, dataset, women, men):
        chain = Chain(StandardScaler(), LogisticRegression(), reject_option(women, men))
        again = pickle.loads(pickle.dumps(chain.fit(dataset)))
        np.testing.assert_array_equal(again.predict(dataset).labels, chain.predict(dataset).labels)


class TestRandomisedSteps:
    def test_the_risk_is_the_difference_of_the_rates_of_both_groups(
        self, dataset, forest, women, men
    ):
        chain = Chain(forest, EqOddsPostprocessing(women, men))
        chain.steps[-1].fit(dataset, classify(forest, dataset))
        metric = DiscriminativeRiskMetric.from_estimator(chain, dataset, women, men)
        keeps, gains, other_keeps, other_gains = chain.steps[-1].model_params.x
        rates = {1: (gains, keeps), 0: (other_gains, other_keeps)}

        def probability(features):
            label = int(forest.predict([features])[0])
            return rates[int(features[0])][label]

        swapped = np.column_stack([1 - dataset.features[:, 0], dataset.features[:, 1:]])
        expected = [
            abs(probability(x) - probability(other))
            for x, other in zip(dataset.features, swapped, strict=True)
        ]
        np.testing.assert_allclose(metric.individual_risk(), expected, atol=1e-9)

    def test_draws_of_the_model_and_of_the_postprocessor_multiply(
        self, reduce, dataset, women, men
    ):
        model = reduce(dataset, drop=False)
        equal_odds = EqOddsPostprocessing(women, men).fit(dataset, model.predict(dataset))
        keeps, gains, other_keeps, other_gains = equal_odds.model_params.x

        def probability(some):
            frame = pd.DataFrame(some.features, columns=some.feature_names)
            p = np.asarray(model.model.predict_proba(frame))[:, 1]
            is_man = some.protected_attributes[:, 0] == 1
            return np.where(
                is_man, p * keeps + (1 - p) * gains, p * other_keeps + (1 - p) * other_gains
            )

        expected = np.abs(probability(dataset) - probability(perturb_dataset(dataset, men)))
        found = risk(Chain(model, equal_odds), dataset, women, men)
        np.testing.assert_allclose(found, expected, atol=1e-9)

    def test_a_step_after_drawn_scores_sees_each_of_them(self, dataset, forest, women, men):
        calibrated = CalibratedEqOddsPostprocessing(women, men, cost_constraint="fnr")
        classified = classify(forest, dataset)
        classified.scores = np.clip(0.8 * classified.scores + 0.1, 0, 1)
        calibrated.fit(dataset, classified)
        reject = reject_option(women, men).fit(dataset, classified)
        reject.classification_threshold, reject.ROC_margin = 0.6, 0.1
        rates = {1: calibrated.priv_mix_rate, 0: calibrated.unpriv_mix_rate}
        base = {1: calibrated.base_rate_priv, 0: calibrated.base_rate_unpriv}

        def decide(score, sex):
            return float(sex == 0) if 0.5 < score <= 0.7 else float(score > 0.6)

        def probability(features):
            sex, score = int(features[0]), forest.predict_proba([features])[0, 1]
            kept, mixed = decide(score, sex), decide(base[sex], sex)
            return (1 - rates[sex]) * kept + rates[sex] * mixed

        swapped = np.column_stack([1 - dataset.features[:, 0], dataset.features[:, 1:]])
        expected = [
            abs(probability(x) - probability(other))
            for x, other in zip(dataset.features, swapped, strict=True)
        ]
        found = risk(Chain(forest, calibrated, reject), dataset, women, men)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert max(rates.values()) > 0

    def test_a_randomised_model_after_a_scaler_is_compared_by_its_distribution(
        self, dataset, women, men
    ):
        tosses = RandomizedModel(
            lambda X: np.column_stack([0.5 + X[:, 0] / 10, 0.5 - X[:, 0] / 10]), [0, 1]
        )
        scaler = StandardScaler().fit(dataset.features)
        expected = 0.1 / scaler.scale_[0]
        found = risk(Chain(scaler, tosses), dataset, women, men, seed=0)
        np.testing.assert_allclose(found, expected)

    def test_a_mixing_rate_above_one_is_a_certain_draw(self, dataset, forest, women, men):
        calibrated = CalibratedEqOddsPostprocessing(women, men)
        calibrated.fit(dataset, classify(forest, dataset))
        calibrated.priv_mix_rate = 1.5
        chain = Chain(forest, calibrated)
        assert 0 <= risk(chain, dataset, women, men).max() <= 1

    def test_any_other_step_that_draws_is_refused(self, dataset, forest, women, men):
        class Coin(ReadsLabels):
            def predict(self, dataset):
                predicted = dataset.copy()
                predicted.labels = np.random.randint(0, 2, dataset.labels.shape) * 1.0  # noqa: NPY002
                return predicted

        with pytest.raises(ValueError, match="predicted twice"):
            risk(Chain(forest, Coin()), dataset, women, men)


class TestBarePostprocessors:
    @pytest.mark.parametrize(
        "kind",
        [EqOddsPostprocessing, CalibratedEqOddsPostprocessing, RejectOptionClassification],
    )
    def test_they_are_refused_with_the_remedy(self, kind, dataset, forest, women, men):
        algorithm = kind(women, men)
        algorithm.fit(dataset, classify(forest, dataset)) if kind is EqOddsPostprocessing else None
        with pytest.raises(TypeError, match=rf"{kind.__name__} .*Chain\(model, postprocessor\)"):
            DiscriminativeRiskMetric.from_estimator(algorithm, dataset, women, men)

    def test_a_subclass_is_refused_too(self, dataset, women, men):
        class Mine(EqOddsPostprocessing):
            pass

        with pytest.raises(TypeError, match=r"Mine .*Chain\(model"):
            DiscriminativeRiskMetric.from_estimator(Mine(women, men), dataset, women, men)

    def test_an_adapter_refuses_them(self, women, men):
        X = pd.DataFrame({"sex": ["m", "f"] * 4, "x": range(8)})
        dataset = to_aif360(X, [0, 1] * 4, privileged={"sex": "m"})
        with pytest.raises(TypeError, match=r"EqOddsPostprocessing .*Chain\(model"):
            as_estimator(EqOddsPostprocessing(women, men), dataset)

    def test_what_reads_labels_is_found_whoever_wrote_it(self, dataset, women, men):
        with pytest.raises(ValueError, match=r"dataset.labels .*Chain\(model"):
            DiscriminativeRiskMetric.from_estimator(ReadsLabels(), dataset, women, men)

    @pytest.mark.parametrize(
        "algorithm",
        [
            GridSearchReduction(
                LogisticRegression(), "DemographicParity", drop_prot_attr=False, grid_size=3
            ),
            GerryFairClassifier(max_iters=3),
        ],
        ids=["grid search", "gerry fair"],
    )
    @pytest.mark.filterwarnings("ignore")  # AIF360 passes labels of shape (n, 1)
    def test_models_of_aif360_are_welcome(self, algorithm, dataset, women, men):
        model = algorithm.fit(dataset)
        predicted = [
            model.predict(some).labels for some in (dataset, perturb_dataset(dataset, men))
        ]
        expected = (predicted[0] != predicted[1]).ravel()
        np.testing.assert_array_equal(risk(model, dataset, women, men), expected)

    def test_in_a_chain_it_is_welcome(self, dataset, forest, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(
            Chain(forest, ReadsLabels()), dataset, women, men
        )
        swapped = np.column_stack([1 - dataset.features[:, 0], dataset.features[:, 1:]])
        is_man = dataset.features[:, 0] == 1
        before = np.where(is_man, forest.predict(dataset.features), 1)
        after = np.where(is_man, 1, forest.predict(swapped))
        np.testing.assert_array_equal(metric.individual_risk(), before != after)


class TestRefusals:
    @pytest.mark.parametrize(
        ("steps", "message"),
        [
            ((), "no step .*predicts"),
            ((StandardScaler(),), r"no step .*predicts: 'StandardScaler'"),
            ((LogisticRegression(), StandardScaler()), "step 1 .*StandardScaler, follows"),
            ((LogisticRegression(), LogisticRegression()), "step 1 .*LogisticRegression, follows"),
            ((StandardScaler, LogisticRegression()), "step 0 .*class StandardScaler"),
            (("scaler", LogisticRegression()), "step 0 .*a str"),
        ],
    )
    def test_steps_in_a_wrong_place_are_named(self, steps, message):
        with pytest.raises(TypeError, match=message):
            Chain(*steps)

    def test_a_postprocessor_needs_a_model_before_it(self, women, men):
        with pytest.raises(TypeError, match=r"EqOddsPostprocessing .*Chain\(model"):
            Chain(StandardScaler(), EqOddsPostprocessing(women, men))

    def test_a_step_that_changes_all_rows_together_is_refused(self):
        class Repairs(Transformer):
            def __init__(self):
                super().__init__()

            def fit_transform(self, dataset):
                return dataset

        with pytest.raises(TypeError, match=r"Repairs, has fit_transform but no transform"):
            Chain(Repairs(), LogisticRegression())

    def test_a_ranking_is_refused(self, women, men):
        with pytest.raises(TypeError, match=r"DeterministicReranking, needs 'rec_size'"):
            Chain(LogisticRegression(), DeterministicReranking(women, men))

    @pytest.mark.parametrize(
        "kind",
        [EqOddsPostprocessing, CalibratedEqOddsPostprocessing, RejectOptionClassification],
    )
    def test_a_postprocessor_that_is_not_fitted_is_named(self, kind, dataset, forest, women, men):
        chain = Chain(forest, kind(women, men))
        with pytest.raises(NotFittedError, match=rf"{kind.__name__} is not fitted"):
            chain.predict(dataset)
        with pytest.raises(NotFittedError, match=rf"{kind.__name__} is not fitted"):
            DiscriminativeRiskMetric.from_estimator(chain, dataset, women, men)

    def test_an_attribute_that_no_step_receives_is_refused(self, dataset, women, men):
        frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)[["age", "pay"]]
        model = LogisticRegression().fit(frame, dataset.labels.ravel())
        for blind in (Chain(model), EstimatorTransformer(model)):
            with pytest.raises(ValueError, match=r"fitted without 'sex'.*risk 0"):
                DiscriminativeRiskMetric.from_estimator(blind, dataset, women, men)

    def test_with_a_postprocessor_the_attribute_is_received(self, dataset, women, men):
        frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)[["age", "pay"]]
        model = LogisticRegression().fit(frame, dataset.labels.ravel())
        reject = reject_option(women, men).fit(dataset, classify(model, dataset))
        assert risk(Chain(model, reject), dataset, women, men).mean() > 0


@pytest.mark.parametrize("pruning", [POAFPruning, EPAFPruning])
class TestPruning:
    @pytest.fixture
    def chain(self, dataset):
        return Chain(StandardScaler(), RandomForestClassifier(9, random_state=0)).fit(dataset)

    def test_the_ensemble_of_a_chain_is_pruned(self, pruning, chain, dataset, women, men):
        pipeline = make_pipeline(*chain.steps)
        ours, theirs = (
            pruning(model, privileged_groups=men, unprivileged_groups=women, seed=0).fit(dataset)
            for model in (chain, pipeline)
        )
        np.testing.assert_array_equal(ours.members_, theirs.members_)
        np.testing.assert_array_equal(ours.predict(dataset).scores, theirs.predict(dataset).scores)

    def test_a_transformer_around_the_ensemble_is_no_obstacle(
        self, pruning, forest, dataset, women, men
    ):
        groups = {"privileged_groups": men, "unprivileged_groups": women}
        ours, theirs = (
            pruning(model, seed=0, **groups).fit(dataset)
            for model in (as_transformer(forest), forest)
        )
        np.testing.assert_array_equal(ours.members_, theirs.members_)

    def test_a_pruned_vote_can_be_postprocessed(self, pruning, chain, dataset, women, men):
        groups = {"privileged_groups": men, "unprivileged_groups": women}
        whole = Chain(pruning(chain, seed=0, **groups), reject_option(women, men)).fit(dataset)
        assert whole.predict(dataset).labels.shape == (200, 1)

    def test_an_ensemble_that_is_postprocessed_is_refused(
        self, pruning, forest, dataset, women, men
    ):
        chain = Chain(forest, reject_option(women, men))
        with pytest.raises(TypeError, match=r"RejectOption.*Chain\(pruning, postprocessor\)"):
            pruning(chain, privileged_groups=men, unprivileged_groups=women).fit(dataset)


class TestAsEstimator:
    @pytest.fixture
    def people(self):
        rng = np.random.default_rng(0)
        X = pd.DataFrame({"sex": rng.choice(["m", "f"], 300), "pay": rng.normal(size=300)})
        y = np.where(X["pay"] + (X["sex"] == "m") + rng.normal(size=300) > 0.5, "yes", "no")
        return X, y, to_aif360(X, y, privileged={"sex": "m"}, favorable_label="yes")

    @pytest.mark.parametrize("kind", [reject_option, EqOddsPostprocessing])
    def test_a_chain_has_the_risk_of_the_metric(self, kind, people, women, men):
        X, y, dataset = people
        chain = Chain(StandardScaler(), LogisticRegression(), kind(women, men)).fit(dataset)
        expected = risk(chain, dataset, women, men)
        found = assess_risk(as_estimator(chain, dataset), X, {"sex": "m"}, y=y)
        np.testing.assert_allclose(found.individual, expected, atol=1e-12)

    def test_it_fits_a_chain(self, people, women, men):
        X, y, dataset = people
        chain = Chain(StandardScaler(), LogisticRegression(), reject_option(women, men))
        predicted = as_estimator(chain, dataset).fit(X, y).predict(X)
        assert (predicted == y).mean() > 0.5


def test_a_dataset_that_was_predicted_before_gets_the_same_scores(dataset, forest):
    chain = Chain(EstimatorTransformer(forest))
    once = chain.predict(dataset)
    assert np.array_equal(chain.predict(once).scores, once.scores)
