"""Core, fairlearn and AIF360 compute the same values on the datasets of the paper."""

import numpy as np
import pytest
from aif360.metrics import ClassificationMetric
from dr_adapters import as_estimator, as_transformer, groups, to_aif360, to_fairlearn
from fairlearn.metrics import (
    MetricFrame,
    demographic_parity_difference,
    equalized_odds_difference,
    selection_rate,
    true_positive_rate,
)
from sklearn.metrics import precision_score
from sklearn.tree import DecisionTreeClassifier

import fairlearn_dr
from aif360_dr import DiscriminativeRiskMetric, perturb_dataset
from dr_core import assess_risk, datasets

CLASSIFICATION = ["ricci", "credit", "income", "ppr", "ppvr"]


@pytest.fixture(scope="module", params=CLASSIFICATION)
def audit(request):
    """A tree on AIF360's numbers, as an algorithm for AIF360 and an estimator for frames."""
    bunch = datasets.load(request.param)
    dataset = to_aif360(bunch.data, bunch.target, privileged=bunch.privileged)
    tree = DecisionTreeClassifier(max_features=1, max_depth=9, random_state=1)
    algorithm = as_transformer(tree).fit(dataset)
    metric = DiscriminativeRiskMetric.from_estimator(algorithm, dataset, *groups(dataset))
    return bunch, dataset, algorithm, metric


def test_discriminative_risk_is_the_same_three_ways(audit):
    bunch, dataset, algorithm, metric = audit
    data = to_fairlearn(dataset)
    core = assess_risk(as_estimator(algorithm, dataset), data.X, bunch.privileged)
    predictions = to_fairlearn(metric.classified_dataset).y
    fairlearn = fairlearn_dr.discriminative_risk(
        data.y, predictions, individual_risk=core.individual
    )
    assert core.value > 0
    assert metric.discriminative_risk() == pytest.approx(core.value, abs=1e-12)
    assert fairlearn == pytest.approx(core.value, abs=1e-12)


def test_risk_of_one_draw_is_the_same_both_ways(audit):
    bunch, dataset, algorithm, metric = audit
    unprivileged, privileged = groups(dataset)
    perturbed = perturb_dataset(dataset, seed=0)
    sampled = DiscriminativeRiskMetric(
        dataset,
        metric.classified_dataset,
        unprivileged,
        privileged,
        perturbed_classified_dataset=algorithm.predict(perturbed),
    )
    estimator = as_estimator(algorithm, dataset)
    fairlearn = fairlearn_dr.discriminative_risk(
        bunch.target,
        estimator.predict(bunch.data),
        y_pred_perturbed=estimator.predict(to_fairlearn(perturbed).X),
    )
    assert sampled.discriminative_risk() == pytest.approx(fairlearn, abs=1e-12)


def test_individual_risk_is_the_same(audit):
    bunch, dataset, algorithm, metric = audit
    core = assess_risk(as_estimator(algorithm, dataset), bunch.data, bunch.privileged)
    np.testing.assert_allclose(metric.individual_risk(), core.individual, atol=1e-12)


def test_the_subgroup_difference_is_the_same(audit):
    bunch, dataset, algorithm, metric = audit
    core = assess_risk(as_estimator(algorithm, dataset), bunch.data, bunch.privileged)
    difference = core.by_group["difference"].iloc[-1]
    assert metric.discriminative_risk_abs_difference() == pytest.approx(difference, abs=1e-12)


def test_group_measures_of_both_libraries_are_the_same(audit):
    bunch, dataset, _, metric = audit
    y, predicted = bunch.target, to_fairlearn(metric.classified_dataset).y
    for name, value in bunch.privileged.items():
        group = bunch.data[name] == value
        theirs = ClassificationMetric(dataset, metric.classified_dataset, *groups(dataset, name))
        frame = MetricFrame(
            metrics={"tpr": true_positive_rate, "ppv": precision_score, "rate": selection_rate},
            y_true=y,
            y_pred=predicted,
            sensitive_features=group,
        ).difference()
        both = {"sensitive_features": group}
        pairs = [
            (
                theirs.selection_rate(privileged=False) - theirs.selection_rate(privileged=True),
                demographic_parity_difference(y, predicted, **both),
            ),
            (theirs.equal_opportunity_difference(), frame["tpr"]),
            (theirs.difference(theirs.positive_predictive_value), frame["ppv"]),
            (
                theirs.equalized_odds_difference(),
                equalized_odds_difference(y, predicted, **both),
            ),
        ]
        for aif360, fairlearn in pairs:
            assert abs(aif360) == pytest.approx(fairlearn, abs=1e-12)


def test_trap_labels_in_words_reach_fairlearn_as_numbers(audit):
    """`demographic_parity_difference` of string labels is silently 0; datasets have numbers."""
    bunch, dataset, _, _ = audit
    words = np.where(bunch.target == 1, "yes", "no")
    in_words = to_aif360(bunch.data, words, privileged=bunch.privileged, favorable_label="yes")
    np.testing.assert_array_equal(in_words.labels, dataset.labels)
