"""Established measures are those of fairlearn and of AIF360, also where data are awkward.

What a library leaves undefined, refuses, or fills in (fairlearn takes a rate over no rows for 0)
is NaN here; everything that is defined must agree.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset
from aif360.metrics import ClassificationMetric
from fairlearn.metrics import (
    MetricFrame,
    demographic_parity_difference,
    equalized_odds_difference,
    false_positive_rate,
    selection_rate,
    true_positive_rate,
)
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from dr_core import Predictions, compare, learn_attributes

CLOSE = {"rel": 1e-12, "abs": 1e-14}


@st.composite
def audits(draw):
    """Groups, labels, predictions and weights, with empty groups, single classes and zeros."""
    n = draw(st.integers(2, 12))
    bits = st.lists(st.integers(0, 1), min_size=n, max_size=n).map(np.array)
    sparse = st.sampled_from([np.zeros(n, int), np.ones(n, int)])
    group, y, f = (draw(bits | sparse) for _ in range(3))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n))
    return group, y, f, np.where(np.any(weights), weights, 1.0)


def rows(*columns):
    return tuple(np.array(column) for column in columns)


AWKWARD = {
    "an empty group": rows([1, 1, 1], [0, 1, 1], [0, 1, 0], [1.0, 1, 1]),
    "a group of one class": rows([1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1], [1.0, 1, 1, 1]),
    "a group that is never selected": rows([1, 1, 0, 0], [0, 1, 0, 1], [0, 1, 0, 0], [1.0] * 4),
    "a group without weight": rows([1, 1, 0, 0], [0, 1, 0, 1], [0, 1, 1, 0], [1.0, 1, 0, 0]),
    "one label": rows([1, 1, 0, 0], [1, 1, 1, 1], [0, 1, 1, 0], [1.0, 2, 3, 4]),
}


def ours(group, y, f, weights, provider="core"):
    X = pd.DataFrame({"group": group})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return (
            compare(
                {"m": Predictions(f, f)},
                X,
                y,
                learn_attributes(X, {"group": 1}, domain={"group": [0, 1]}),
                labels=[0, 1],
                sample_weight=weights,
                provider=provider,
            )
            .table()
            .loc[("m", "group")]
        )


def of_fairlearn(group, y, f, weights):
    """The established measures by fairlearn's own functions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame = MetricFrame(
            metrics={"tpr": true_positive_rate, "fpr": false_positive_rate, "s": selection_rate},
            y_true=y,
            y_pred=f,
            sensitive_features=group,
            sample_params={name: {"sample_weight": weights} for name in ("tpr", "fpr", "s")},
        )
        gap, both = frame.difference(), {"sensitive_features": group, "sample_weight": weights}
        weighted = {"sample_weight": weights}
        return {
            "demographic_parity": demographic_parity_difference(y, f, **both),
            "equalized_odds": equalized_odds_difference(y, f, **both),
            "equal_opportunity": gap["tpr"],
            "equalized_odds_mean": (gap["tpr"] + gap["fpr"]) / 2,
            "accuracy": accuracy_score(y, f, **weighted),
            "precision": precision_score(y, f, zero_division=0, **weighted),
            "recall": recall_score(y, f, zero_division=0, **weighted),
            "f1": f1_score(y, f, zero_division=0, **weighted),
        }


def of_aif360(group, y, f, weights):
    """The established measures by a plain `ClassificationMetric`."""
    frame = pd.DataFrame({"group": group, "label": y, "weight": weights}, dtype=float)
    dataset = BinaryLabelDataset(
        df=frame,
        label_names=["label"],
        protected_attribute_names=["group"],
        instance_weights_name="weight",
    )
    predicted = dataset.copy(deepcopy=True)
    predicted.labels = np.reshape(f, (-1, 1)).astype(float)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metric = ClassificationMetric(dataset, predicted, [{"group": 0.0}], [{"group": 1.0}])
        return {
            "demographic_parity": abs(metric.statistical_parity_difference()),
            "disparate_impact": metric.disparate_impact(),
            "equal_opportunity": abs(metric.equal_opportunity_difference()),
            "predictive_parity": abs(metric.difference(metric.positive_predictive_value)),
            "equalized_odds": metric.equalized_odds_difference(),
            "equalized_odds_mean": metric.average_abs_odds_difference(),
            "accuracy": metric.accuracy(),
            "precision": metric.precision(),
            "recall": metric.recall(),
            "specificity": metric.specificity(),
        }


LIBRARIES = {"fairlearn": of_fairlearn, "aif360": of_aif360}


def agree(found, expected):
    for name, value in expected.items():
        if not np.isnan(found[name]):
            assert found[name] == pytest.approx(value, **CLOSE), name


def has_both_labels(data, g):
    group, y, f, _ = data
    return {*y[group == g], *f[group == g]} == {0, 1}


@pytest.mark.parametrize("library", LIBRARIES)
@settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much])
@given(data=audits())
def test_what_is_defined_is_the_same(library, data):
    group, _, _, weights = data
    if library == "fairlearn":  # compares a group that is alone with itself
        assume(all(weights[group == g].any() for g in (0, 1)))
        assume(all(has_both_labels(data, g) for g in (0, 1)))  # fairlearn 0.7 fails otherwise
    agree(ours(*data), LIBRARIES[library](*data))


@pytest.mark.parametrize("provider", LIBRARIES)
@settings(max_examples=12)
@given(data=audits())
def test_a_provider_gives_what_we_give(provider, data):
    own = ours(*data)
    np.testing.assert_allclose(
        ours(*data, provider=provider).to_numpy(float), own.to_numpy(float), rtol=1e-12, atol=1e-14
    )


PAIRS = [(name, case) for name in LIBRARIES for case in AWKWARD]
PAIRS.remove(("fairlearn", "an empty group"))  # which it leaves out, to compare one with itself
PAIRS.remove(("fairlearn", "a group without weight"))  # which it refuses


@pytest.mark.parametrize(("library", "case"), PAIRS)
def test_awkward_data_give_no_other_number(library, case):
    agree(ours(*AWKWARD[case]), LIBRARIES[library](*AWKWARD[case]))


UNDEFINED = {
    "an empty group": ["demographic_parity", "equal_opportunity", "disparate_impact"],
    "a group of one class": ["equalized_odds", "equalized_odds_mean"],
    "a group that is never selected": ["predictive_parity"],
    "a group without weight": ["demographic_parity", "equal_opportunity", "disparate_impact"],
    "one label": ["equalized_odds", "specificity"],
}


@pytest.mark.parametrize("case", UNDEFINED)
def test_what_cannot_be_known_is_nan(case):
    assert ours(*AWKWARD[case])[UNDEFINED[case]].isna().all()


@settings(max_examples=25)
@example(data=AWKWARD["an empty group"])
@given(data=audits())
def test_performance_over_all_rows_is_nan_only_without_rows_to_judge(data):
    _, y, f, weights = data
    found = ours(*data)
    assert not np.isnan(found["accuracy"])
    assert np.isnan(found["recall"]) == (weights[y == 1].sum() == 0)
    assert np.isnan(found["precision"]) == (weights[f == 1].sum() == 0)
