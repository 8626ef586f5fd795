"""Discriminative risk in an AIF360 metric."""

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset, StandardDataset
from aif360.datasets.multiclass_label_dataset import MulticlassLabelDataset
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from textbook.risk import exact_risk

from aif360_dr import DiscriminativeRiskMetric, EstimatorTransformer, perturb_dataset
from dr_core import assess_risk


def four(weights=(1, 2, 3, 4)):
    """Two women, two men; weights 1 to 4."""
    frame = pd.DataFrame({"sex": [0, 0, 1, 1], "x": [0, 1, 0, 1], "y": 0, "w": weights})
    return BinaryLabelDataset(
        df=frame,
        label_names=["y"],
        protected_attribute_names=["sex"],
        instance_weights_name="w",
    )


def metric_of(before, after, women, men, weights=(1, 2, 3, 4)):
    dataset = four(weights)
    classified, perturbed = dataset.copy(), perturb_dataset(dataset, men)
    classified.labels = np.reshape(before, (4, 1)).astype(float)
    perturbed.labels = np.reshape(after, (4, 1)).astype(float)
    return DiscriminativeRiskMetric(
        dataset, classified, women, men, perturbed_classified_dataset=perturbed
    )


@pytest.fixture
def metric(women, men):
    """The first woman gains, the second man loses."""
    return metric_of([0, 1, 0, 1], [1, 1, 0, 0], women, men)


class TestGivenPerturbedPredictions:
    def test_label_changes_are_counted_by_weight(self, metric):
        assert metric.num_label_changes() == 1 + 4
        assert metric.num_label_changes(privileged=True) == 4
        assert metric.num_label_changes(privileged=False) == 1

    def test_risk_is_the_share_of_changes(self, metric):
        assert metric.discriminative_risk() == 5 / 10
        assert metric.discriminative_risk(privileged=True) == 4 / 7
        assert metric.discriminative_risk(privileged=False) == 1 / 3

    def test_difference_and_ratio_are_unprivileged_against_privileged(self, metric):
        assert metric.discriminative_risk_difference() == 1 / 3 - 4 / 7
        assert metric.discriminative_risk_ratio() == (1 / 3) / (4 / 7)

    def test_the_subgroup_difference_of_the_paper_has_no_sign(self, metric):
        assert metric.discriminative_risk_abs_difference() == 4 / 7 - 1 / 3

    def test_gains_and_losses_are_counted_separately(self, metric):
        assert metric.num_favorable_gains() == 1
        assert metric.num_favorable_losses() == 4
        assert metric.num_favorable_losses(privileged=False) == 0

    def test_individual_risk_is_one_where_the_label_changes(self, metric):
        assert metric.individual_risk().tolist() == [1, 0, 0, 1]

    def test_worst_case_is_the_risk_itself(self, metric):
        assert metric.worst_case_discriminative_risk() == metric.discriminative_risk()

    def test_labels_of_one_dimension_count_too(self, women, men):
        metric = metric_of([0, 1, 0, 1], [1, 1, 0, 0], women, men)
        dataset, classified = metric.dataset, metric.classified_dataset
        classified.labels = classified.labels.ravel()
        again = DiscriminativeRiskMetric(
            dataset,
            classified,
            women,
            men,
            perturbed_classified_dataset=metric.perturbed_classified_dataset,
        )
        assert again.num_label_changes() == 5

    def test_an_empty_group_has_no_risk_and_warns(self, men):
        metric = metric_of([0, 1, 0, 1], [1, 1, 0, 0], [{"sex": 5.0}], men)
        with pytest.warns(UserWarning, match="no unprivileged instance: .* undefined"):
            assert np.isnan(metric.discriminative_risk(privileged=False))

    def test_a_group_of_weight_0_has_no_risk_and_warns(self, women, men):
        metric = metric_of([0, 1, 0, 1], [1, 1, 0, 0], women, men)
        for some in (metric.dataset, metric.classified_dataset):
            some.instance_weights = np.array([1.0, 1.0, 0.0, 0.0])
        with pytest.warns(UserWarning, match="no privileged instance with a weight above 0"):
            assert np.isnan(metric.discriminative_risk_difference())

    def test_groups_that_were_not_given_raise_the_error_of_aif360(self):
        metric = metric_of([0, 1, 0, 1], [1, 1, 0, 0], None, None)
        assert metric.discriminative_risk() == 0.5
        with pytest.raises(AttributeError, match="'privileged_groups' was not provided"):
            metric.discriminative_risk(privileged=True)


class TestFromEstimator:
    def test_an_estimator_is_judged_as_by_the_core(self, dataset, forest, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(forest, dataset, women, men)
        core = assess_risk(forest, dataset.features, {0: 1.0})
        assert metric.discriminative_risk() == pytest.approx(core.value, abs=1e-12)
        np.testing.assert_allclose(metric.individual_risk(), core.individual, atol=1e-12)
        assert metric.discriminative_risk_abs_difference() == pytest.approx(
            core.by_group.loc[0, "difference"], abs=1e-12
        )

    def test_instance_weights_count(self, weighted, forest, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(forest, weighted, women, men)
        weights = weighted.instance_weights
        core = assess_risk(forest, weighted.features, {0: 1.0}, sample_weight=weights)
        assert metric.discriminative_risk() == pytest.approx(core.value, abs=1e-12)

    def test_without_groups_every_protected_attribute_is_perturbed(self, dataset, forest):
        metric = DiscriminativeRiskMetric.from_estimator(forest, dataset)
        core = assess_risk(forest, dataset.features, {0: 1.0, 1: 1.0})
        assert metric.discriminative_risk() == pytest.approx(core.value, abs=1e-12)

    def test_directions_are_those_of_the_core(self, dataset, forest):
        metric = DiscriminativeRiskMetric.from_estimator(forest, dataset)
        core = assess_risk(forest, dataset.features, {0: 1.0, 1: 1.0}).directions
        shares = {(row["from"], row["to"]): row["share"] for _, row in core.iterrows()}
        n = len(dataset.labels)
        assert metric.num_favorable_gains() == pytest.approx(n * shares[0.0, 1.0])
        assert metric.num_favorable_losses() == pytest.approx(n * shares[1.0, 0.0])

    def test_the_exact_method_counts_what_is_to_be_expected(self, dataset):
        prefers_race_2 = lambda features: features[:, 1] == 2  # noqa: E731
        races = [{"race": 0.0}, {"race": 2.0}], [{"race": 1.0}]
        metric = DiscriminativeRiskMetric.from_estimator(prefers_race_2, dataset, *races)
        counts = np.bincount(dataset.features[:, 1].astype(int))
        assert metric.num_label_changes() == counts[1] / 2 + counts[2]
        assert metric.worst_case_discriminative_risk() * 200 == counts[1] + counts[2]

    def test_the_sampled_risk_tends_to_the_exact_one(self, dataset, forest):
        sampled = DiscriminativeRiskMetric.from_estimator(
            forest, dataset, method="sample", n_samples=200, seed=0
        )
        exact = DiscriminativeRiskMetric.from_estimator(forest, dataset)
        assert sampled.discriminative_risk() == pytest.approx(
            exact.discriminative_risk(), abs=0.01
        )

    def test_the_same_seed_draws_the_same(self, dataset, forest):
        risks = [
            DiscriminativeRiskMetric.from_estimator(
                forest, dataset, method="sample", seed=3
            ).individual_risk()
            for _ in range(2)
        ]
        np.testing.assert_array_equal(*risks)

    def test_predictions_and_scores_are_those_of_the_estimator(self, dataset, forest, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(forest, dataset, women, men)
        classified = metric.classified_dataset
        np.testing.assert_array_equal(classified.labels.ravel(), forest.predict(dataset.features))
        np.testing.assert_allclose(
            classified.scores.ravel(), forest.predict_proba(dataset.features)[:, 1]
        )

    def test_an_estimator_fitted_on_a_frame_gets_a_frame(self, dataset, women, men):
        frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)[["pay", "sex"]]
        model = DecisionTreeClassifier(random_state=0).fit(frame, dataset.labels.ravel())
        metric = DiscriminativeRiskMetric.from_estimator(model, dataset, women, men)
        assert metric.discriminative_risk() > 0

    def test_an_aif360_algorithm_is_judged_as_its_estimator(self, dataset, forest, women, men):
        metrics = [
            DiscriminativeRiskMetric.from_estimator(model, dataset, women, men)
            for model in (forest, EstimatorTransformer(forest))
        ]
        assert metrics[0].discriminative_risk() == metrics[1].discriminative_risk() > 0

    def test_a_dataset_of_many_chunks_is_judged_the_same(self, dataset, forest, monkeypatch):
        whole = DiscriminativeRiskMetric.from_estimator(forest, dataset).individual_risk()
        monkeypatch.setattr("aif360_dr._label_changes.MAX_CHUNK_ROWS", 7)
        parts = DiscriminativeRiskMetric.from_estimator(forest, dataset).individual_risk()
        np.testing.assert_array_equal(whole, parts)

    def test_a_part_is_perturbed_into_values_that_only_the_whole_has(self, dataset, forest):
        women_only = dataset.subset(np.flatnonzero(dataset.features[:, 0] == 0))
        metric = DiscriminativeRiskMetric.from_estimator(forest, women_only, None, [{"sex": 1}])
        assert metric.discriminative_risk() > 0

    @settings(max_examples=50, deadline=None)
    @given(
        rows=st.lists(
            st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 3)),
            min_size=3,
            max_size=12,
        ),
        table=st.lists(st.booleans(), min_size=24, max_size=24),
        p=st.sampled_from([0.25, 0.5, 1.0]),
    )
    def test_the_exact_risk_is_that_of_the_blackboard(self, rows, table, p):
        frame = pd.DataFrame(rows, columns=["sex", "race", "x"]).assign(y=0)
        frame.loc[:2, "race"], frame.loc[:1, "sex"] = [0, 1, 2], [0, 1]
        dataset = BinaryLabelDataset(
            df=frame,
            label_names=["y"],
            protected_attribute_names=["sex", "race"],
            privileged_protected_attributes=[[1.0], [1.0]],
            unprivileged_protected_attributes=[[0.0], [0.0, 2.0]],
        )
        table = np.array(table)

        def model(features):
            return table[(features @ [12, 4, 1]).astype(int)]

        metric = DiscriminativeRiskMetric.from_estimator(model, dataset, p=p)
        expected = exact_risk(
            lambda row: table[int(12 * row["sex"] + 4 * row["race"] + row["x"])],
            frame.to_dict("records"),
            {"sex": [0, 1], "race": [0, 1, 2]},
            {"sex": [1], "race": [1]},
            p,
        )
        assert metric.discriminative_risk() == pytest.approx(expected, abs=1e-12)


class TestDatasets:
    def test_a_standard_dataset_works(self, women, men):
        frame = pd.DataFrame(
            {"sex": ["m", "f", "m", "f"], "x": [1, 2, 3, 4], "y": ["+", "-", "+", "-"]},
            dtype=object,
        )
        dataset = StandardDataset(frame, "y", ["+"], ["sex"], [["m"]])
        metric = DiscriminativeRiskMetric.from_estimator(
            lambda features: features[:, 0] > 0, dataset, women, men
        )
        assert metric.discriminative_risk() == 1.0

    def test_a_change_between_favorable_classes_is_a_change(self, women, men):
        frame = pd.DataFrame({"sex": [0, 0, 1, 1], "y": [0, 1, 2, 2]})
        dataset = MulticlassLabelDataset(
            favorable_label=[1.0, 2.0],
            unfavorable_label=[0.0],
            df=frame,
            label_names=["y"],
            protected_attribute_names=["sex"],
        )
        metric = DiscriminativeRiskMetric.from_estimator(
            lambda features: features[:, 0] + 1, dataset, women, men
        )
        assert metric.discriminative_risk() == 1.0
        assert metric.num_favorable_losses() == metric.num_favorable_gains() == 0
        assert metric.num_true_positives() == 3


class TestRefusals:
    def test_without_perturbed_predictions_it_says_how_to_get_them(self, dataset):
        metric = DiscriminativeRiskMetric(dataset, dataset.copy())
        with pytest.raises(AttributeError, match=r"perturb_dataset.*from_estimator"):
            metric.discriminative_risk()

    def test_lengths_that_differ_are_named(self, dataset):
        with pytest.raises(ValueError, match=r"200 rows.*classified_dataset has 3"):
            DiscriminativeRiskMetric(dataset, dataset.subset([0, 1, 2]))

    def test_labels_of_another_length_are_named(self, dataset):
        classified = dataset.copy()
        classified.labels = classified.labels[:5]
        with pytest.raises(ValueError, match=r"classified_dataset\.labels .*\(200, 1\).*\(5, 1\)"):
            DiscriminativeRiskMetric(dataset, classified)

    def test_perturbed_labels_outside_the_label_set_are_named(self, women, men):
        with pytest.raises(ValueError, match=r"perturbed_classified_dataset .*7\.0"):
            metric_of([0, 1, 0, 1], [1, 1, 0, 7], women, men)

    def test_other_features_may_not_differ(self, dataset, forest, men):
        perturbed = perturb_dataset(dataset, men)
        perturbed.features[0, 2] += 1
        with pytest.raises(ValueError, match=r"perturbed_.*'age'.*pass carried_by="):
            DiscriminativeRiskMetric(
                dataset, dataset.copy(), perturbed_classified_dataset=perturbed
            )

    def test_features_that_carry_an_attribute_may_differ(self, dataset, men):
        perturbed = perturb_dataset(dataset, men)
        perturbed.features[0, 2] += 1
        metric = DiscriminativeRiskMetric(
            dataset,
            dataset.copy(),
            perturbed_classified_dataset=perturbed,
            carried_by={"sex": ["age"]},
        )
        assert metric.discriminative_risk() == 0

    @pytest.mark.parametrize("field", ["instance_weights", "instance_names", "feature_names"])
    def test_other_fields_of_the_perturbed_dataset_may_not_differ(self, dataset, men, field):
        perturbed = perturb_dataset(dataset, men)
        setattr(perturbed, field, getattr(perturbed, field)[::-1])
        perturbed.instance_weights[0] += field == "instance_weights"
        with pytest.raises(ValueError, match=f"perturbed_.*{field}.*perturb_dataset"):
            DiscriminativeRiskMetric(
                dataset, dataset.copy(), perturbed_classified_dataset=perturbed
            )

    def test_an_estimator_that_never_sees_the_attribute_is_refused(self, dataset, women, men):
        blind = dataset.copy()
        blind.features, blind.feature_names = dataset.features[:, 1:], ["race", "age", "pay"]
        with pytest.raises(ValueError, match=r"'sex'.*pass carried_by="):
            DiscriminativeRiskMetric.from_estimator(lambda X: X[:, 0] > 0, blind, women, men)

    def test_features_the_estimator_was_fitted_on_and_the_dataset_lacks_are_named(self, dataset):
        frame = pd.DataFrame({"height": [1, 2], "sex": [0, 1]})
        model = DecisionTreeClassifier().fit(frame, [0, 1])
        with pytest.raises(ValueError, match=r"'height'.*it has .*'age'"):
            DiscriminativeRiskMetric.from_estimator(model, dataset)

    def test_an_unfitted_estimator_is_refused(self, dataset):
        with pytest.raises(NotFittedError):
            DiscriminativeRiskMetric.from_estimator(LogisticRegression(), dataset)

    @pytest.mark.parametrize(
        ("model", "message"),
        [
            (lambda X: np.full(len(X), "yes"), "'yes'; fit it on the labels of the dataset"),
            (lambda X: np.full(len(X), 3), r"the model .*3\.0.*dataset has the labels"),
            (lambda X: [1], "1 labels for 200 rows.*one per row"),
        ],
    )
    def test_predictions_outside_the_label_set_are_refused(self, dataset, model, message):
        with pytest.raises(ValueError, match=message):
            DiscriminativeRiskMetric.from_estimator(model, dataset)

    def test_an_unknown_method_is_refused(self, dataset, forest):
        with pytest.raises(ValueError, match="method must be"):
            DiscriminativeRiskMetric.from_estimator(forest, dataset, method="exhaustive")
