"""Unexpected behaviour of AIF360 0.6.1 that aif360_dr avoids."""

import gc
import weakref

import numpy as np
import pandas as pd
import pytest
from aif360.algorithms.postprocessing import EqOddsPostprocessing
from aif360.datasets import StandardDataset
from aif360.metrics import ClassificationMetric

from aif360_dr import (
    Chain,
    DiscriminativeRiskMetric,
    EPAFPruning,
    POAFPruning,
    perturb_dataset,
)


def relabelled(dataset, labels):
    classified = dataset.copy()
    classified.labels = np.asarray(labels, dtype=float).reshape(-1, 1)
    return classified


class TestStandardDatasetRaisesOnWords:
    """String, category and bool attributes, string labels: dr_adapters.to_aif360 takes them."""

    @pytest.mark.parametrize("dtype", ["string", "category"])
    def test_words_as_protected_attribute_raise(self, dtype):
        frame = pd.DataFrame({"sex": ["m", "f"] * 4, "x": range(8), "y": [0, 1] * 4})
        frame["sex"] = frame["sex"].astype(dtype)
        with pytest.raises((TypeError, ValueError)):
            StandardDataset(frame, "y", [1], ["sex"], [["m"]])


class TestCopyIsShallow:
    def test_a_perturbed_dataset_shares_no_array(self, dataset, men):
        perturbed = perturb_dataset(dataset, men)
        for name, value in vars(perturbed).items():
            if isinstance(value, np.ndarray):
                assert not np.shares_memory(value, getattr(dataset, name)), name

    def test_perturbing_leaves_the_original_alone(self, dataset, men):
        before = dataset.copy(deepcopy=True)
        perturb_dataset(dataset, men)
        np.testing.assert_array_equal(dataset.features, before.features)
        np.testing.assert_array_equal(dataset.protected_attributes, before.protected_attributes)


class TestIgnoreFieldsAreShared:
    def test_the_metric_of_aif360_leaves_copies_that_ignore_labels(self, dataset):
        classified = dataset.copy()
        ClassificationMetric(dataset, classified)
        assert "labels" in classified.ignore_fields

    def test_ours_leaves_every_dataset_as_it_was(self, dataset):
        classified = dataset.copy()
        DiscriminativeRiskMetric(dataset, classified)
        assert classified.ignore_fields == dataset.ignore_fields == {"metadata", "ignore_fields"}

    def test_a_perturbed_dataset_ignores_nothing_more(self, dataset, men):
        assert perturb_dataset(dataset, men).ignore_fields is not dataset.ignore_fields


class TestMetaclassCachesForEver:
    def test_metrics_of_aif360_are_kept_alive(self, dataset):
        metric = ClassificationMetric(dataset, dataset.copy())
        metric.accuracy()
        reference = weakref.ref(metric)
        del metric
        gc.collect()
        assert reference() is not None

    def test_ours_are_freed(self, dataset, forest, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(forest, dataset, women, men)
        metric.performance_measures()
        metric.discriminative_risk_difference()
        metric.statistical_parity_difference()
        references = weakref.ref(metric), weakref.ref(metric.classified_dataset)
        del metric
        gc.collect()
        assert [reference() for reference in references] == [None, None]

    def test_memory_does_not_grow_in_a_loop(self, dataset, women, men):
        def use():
            metric = DiscriminativeRiskMetric(dataset, dataset.copy(), women, men)
            metric.accuracy(), metric.disparate_impact(), metric.num_instances()

        def alive():
            gc.collect()
            return sum(isinstance(each, DiscriminativeRiskMetric) for each in gc.get_objects())

        before = alive()
        for _ in range(50):
            use()
        assert alive() == before

    def test_values_follow_the_dataset(self, dataset):
        metric = DiscriminativeRiskMetric(dataset, dataset.copy())
        assert metric.accuracy() == 1
        metric.classified_dataset.labels = 1 - metric.classified_dataset.labels
        assert metric.accuracy() == 0

    def test_a_returned_dict_is_the_callers_own(self, dataset):
        metric = DiscriminativeRiskMetric(dataset, dataset.copy())
        metric.binary_confusion_matrix()["TP"] = -1
        assert metric.binary_confusion_matrix()["TP"] > 0

    def test_subclasses_are_not_cached_either(self, dataset):
        class Mine(DiscriminativeRiskMetric):
            def fresh(self):
                return object()

        metric = Mine(dataset, dataset.copy())
        assert metric.fresh() is not metric.fresh()

    def test_a_public_staticmethod_works_in_subclasses(self, dataset):
        class Mine(DiscriminativeRiskMetric):
            @staticmethod
            def double(x):
                return 2 * x

        assert Mine(dataset, dataset.copy()).double(2) == 4


class TestLabelsOutsideTheLabelSetAreAccepted:
    def test_by_aif360_with_accuracy_zero(self, dataset):
        metric = ClassificationMetric(dataset, relabelled(dataset, np.full(200, 7)))
        assert metric.accuracy() == 0

    def test_not_by_ours(self, dataset):
        with pytest.raises(ValueError, match=r"classified_dataset .*7\.0"):
            DiscriminativeRiskMetric(dataset, relabelled(dataset, np.full(200, 7)))


class TestOnlyLabelsAndScoresMayDiffer:
    def test_other_features_raise_the_error_of_aif360(self, dataset):
        classified = dataset.copy(deepcopy=True)
        classified.features[0, 3] += 1
        with pytest.raises(ValueError, match="expected to differ only"):
            DiscriminativeRiskMetric(dataset, classified)


class TestLabelsAndScoresMustBeColumns:
    @pytest.mark.parametrize("pruning", [POAFPruning, EPAFPruning])
    def test_pruning_sets_columns(self, pruning, dataset, forest, women, men):
        predicted = pruning(forest, women, men, seed=0).fit_predict(dataset)
        assert predicted.labels.shape == predicted.scores.shape == (200, 1)

    def test_classified_datasets_of_estimators_have_columns(self, dataset, forest):
        classified = DiscriminativeRiskMetric.from_estimator(forest, dataset).classified_dataset
        assert classified.labels.shape == classified.scores.shape == (200, 1)


class TestFeaturesAndProtectedAttributesAreSeparate:
    def test_both_are_perturbed(self, dataset, men):
        perturbed = perturb_dataset(dataset, men)
        np.testing.assert_array_equal(
            perturbed.protected_attributes[:, 0], 1 - dataset.protected_attributes[:, 0]
        )
        np.testing.assert_array_equal(perturbed.features[:, 0], 1 - dataset.features[:, 0])


class TestSeedsReseedNumPy:
    def test_those_of_aif360_do(self, dataset, women, men):
        np.random.seed(1)  # noqa: NPY002
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        EqOddsPostprocessing(women, men, seed=0).fit_predict(dataset, dataset.copy())
        assert (np.random.get_state()[1] != before).any()  # noqa: NPY002

    def test_not_in_a_chain(self, dataset, forest, women, men):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        chain = Chain(forest, EqOddsPostprocessing(women, men, seed=0)).fit(dataset)
        DiscriminativeRiskMetric.from_estimator(chain, dataset, women, men)
        np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002

    def test_ours_leave_the_global_state_alone(self, dataset, forest, women, men):
        before = np.random.get_state()[1].copy()  # noqa: NPY002
        perturb_dataset(dataset, seed=0)
        POAFPruning(forest, women, men, seed=0, method="sample").fit_predict(dataset)
        DiscriminativeRiskMetric.from_estimator(forest, dataset, method="sample", seed=0)
        np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


class TestParametersAreCopiedIntoMetadata:
    def test_metadata_name_the_estimator_and_do_not_hold_it(self, dataset, forest, women, men):
        pruning = POAFPruning(forest, women, men, seed=0)
        params = pruning.fit_predict(dataset).metadata["params"]
        assert params["estimator"] == "RandomForestClassifier"
        assert forest not in params.values()


class TestStandardDatasetCollapsesValues:
    def test_three_races_become_two(self):
        races = ["White", "Black", "Asian"] * 3
        frame = pd.DataFrame({"race": races, "x": range(9), "y": [0, 1, 1] * 3}, dtype=object)
        dataset = StandardDataset(frame, "y", [1], ["race"], [["White"]])
        assert set(dataset.protected_attributes.ravel()) == {0.0, 1.0}

    def test_three_codes_of_a_binary_label_dataset_stay_three(self, dataset):
        perturbed = perturb_dataset(dataset, [{"race": 1}], seed=0)
        assert set(perturbed.protected_attributes[:, 1]) == {0.0, 1.0, 2.0}


class TestConventions:
    def test_differences_are_unprivileged_minus_privileged(self, dataset, forest, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(forest, dataset, women, men)
        expected = metric.discriminative_risk(False) - metric.discriminative_risk(True)
        assert metric.discriminative_risk_difference() == expected

    def test_counts_are_weighted_floats(self, weighted, forest, women, men):
        metric = DiscriminativeRiskMetric.from_estimator(forest, weighted, women, men)
        expected = weighted.instance_weights @ metric.individual_risk()
        assert isinstance(metric.num_label_changes(), float)
        assert metric.num_label_changes() == pytest.approx(expected)
