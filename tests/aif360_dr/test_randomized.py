"""AIF360's algorithms that draw their labels, without a wrapper."""

import numpy as np
import pandas as pd
import pytest
from aif360.algorithms.postprocessing import CalibratedEqOddsPostprocessing, EqOddsPostprocessing
from dr_adapters import as_estimator, to_aif360

from aif360_dr import DiscriminativeRiskMetric
from aif360_dr._models import classify
from aif360_dr._randomized import find_dataset_distribution
from dr_core import RandomizedModel, assess_risk

# AIF360's and fairlearn's own code warns with some versions of pandas.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def swap_sex(dataset):
    swapped = dataset.copy(deepcopy=True)
    for values, names in (
        (swapped.features, dataset.feature_names),
        (swapped.protected_attributes, dataset.protected_attribute_names),
    ):
        column = names.index("sex")
        values[:, column] = 1 - values[:, column]
    return swapped


def from_estimator(model, dataset, women, men):
    return DiscriminativeRiskMetric.from_estimator(model, dataset, women, men)


def test_a_reduction_without_the_attribute_has_no_risk(reduce, dataset, women, men):
    reduction = reduce(dataset, drop=True)
    assert from_estimator(reduction, dataset, women, men).discriminative_risk() == 0


def test_the_risk_of_a_reduction_is_the_difference_of_the_probabilities(
    reduce, dataset, women, men
):
    reduction = reduce(dataset, drop=False)
    before, after = (
        reduction.model.predict_proba(pd.DataFrame(some.features, columns=some.feature_names))
        for some in (dataset, swap_sex(dataset))
    )
    metric = from_estimator(reduction, dataset, women, men)
    expected = np.abs(np.asarray(before) - np.asarray(after))[:, 1]
    np.testing.assert_allclose(metric.individual_risk(), expected, atol=1e-9)
    changes = metric.num_favorable_losses() + metric.num_favorable_gains()
    assert metric.num_label_changes() == pytest.approx(changes)
    assert metric.discriminative_risk() > 0


@pytest.mark.parametrize("kind", [EqOddsPostprocessing, CalibratedEqOddsPostprocessing])
def test_the_distribution_of_a_postprocessor_is_that_of_many_draws(
    kind, dataset, forest, women, men
):
    classified = classify(forest, dataset)
    classified.scores = np.clip(0.8 * classified.scores + 0.1, 0, 1)
    algorithm = kind(women, men).fit(dataset, classified)
    draws = [algorithm.predict(classified).labels.ravel() for _ in range(800)]
    predict, labels = find_dataset_distribution(algorithm, classified)
    assert labels == [0.0, 1.0]
    np.testing.assert_allclose(np.mean(draws, axis=0), predict(classified)[:, 1], atol=0.1)


def test_a_randomised_estimator_is_compared_by_its_distribution(dataset, women, men):
    coin = RandomizedModel(lambda X: np.full((len(X), 2), 0.5), [0, 1])
    np.testing.assert_array_equal(from_estimator(coin, dataset, women, men).individual_risk(), 0)


def test_any_other_algorithm_that_draws_is_refused(dataset, women, men):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="predicted twice"):
        from_estimator(lambda X: rng.integers(0, 2, len(X)), dataset, women, men)


def test_an_adapted_reduction_is_compared_by_its_distribution(reduce):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"sex": rng.choice(["m", "f"], 300), "pay": rng.normal(size=300)})
    y = np.where(X["pay"] + (X["sex"] == "m") + rng.normal(size=300) > 0.5, "yes", "no")
    dataset = to_aif360(X, y, privileged={"sex": "m"}, favorable_label="yes")
    blind, seeing = (as_estimator(reduce(dataset, drop), dataset) for drop in (True, False))
    assert assess_risk(blind, X, {"sex": "m"}, y=y).value == 0
    assert assess_risk(seeing, X, {"sex": "m"}, y=y).value > 0
