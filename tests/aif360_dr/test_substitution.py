"""DiscriminativeRiskMetric can replace ClassificationMetric."""

import inspect

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset
from aif360.datasets.multiclass_label_dataset import MulticlassLabelDataset
from aif360.metrics import ClassificationMetric

from aif360_dr import DiscriminativeRiskMetric

# AIF360 divides by zero where a rate is undefined, and compares groups that do not occur.
pytestmark = [
    pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:divide by zero encountered:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:Mean of empty slice:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

WITH_FUNCTION = {"difference", "ratio"}
WITH_PREDICTIONS = {"rich_subgroup"}


def binary(rng, n, labels=None, **options):
    frame = pd.DataFrame(
        {"sex": rng.integers(0, 2, n), "race": rng.integers(0, 2, n), "age": rng.random(n)}
    )
    frame["label"] = rng.integers(0, 2, n) if labels is None else labels
    frame["weight"] = rng.integers(1, 9, n) / 4 if options.pop("weighted", False) else 1.0
    return BinaryLabelDataset(
        df=frame,
        label_names=["label"],
        protected_attribute_names=["sex", "race"],
        instance_weights_name="weight",
        **options,
    )


def predicted(rng, dataset, labels=None):
    n = len(dataset.labels)
    classified = dataset.copy()
    values = np.unique(np.r_[dataset.favorable_label, dataset.unfavorable_label])
    classified.labels = (rng.choice(values, n) if labels is None else labels).reshape(-1, 1)
    classified.scores = rng.random((n, 1))
    return dataset, classified


def multiclass(rng, n):
    frame = pd.DataFrame({"sex": rng.integers(0, 2, n), "label": rng.integers(0, 3, n)})
    dataset = MulticlassLabelDataset(
        favorable_label=[0, 2],
        unfavorable_label=[1],
        df=frame,
        label_names=["label"],
        protected_attribute_names=["sex"],
    )
    return predicted(rng, dataset)


PAIRS = {
    "plain": lambda rng: predicted(rng, binary(rng, 40)),
    "weighted": lambda rng: predicted(rng, binary(rng, 40, weighted=True)),
    "few rows, rates undefined": lambda rng: predicted(rng, binary(rng, 5)),
    "nobody favorable": lambda rng: predicted(rng, binary(rng, 12, labels=0), np.zeros(12)),
    "everybody predicted favorable": lambda rng: predicted(rng, binary(rng, 12), np.ones(12)),
    "other label values": lambda rng: predicted(
        rng,
        binary(rng, 30, labels=rng.choice([1, 2], 30), favorable_label=2.0, unfavorable_label=1.0),
    ),
    "more than two classes": lambda rng: multiclass(rng, 30),
}

PUBLIC = [
    name
    for name, method in inspect.getmembers(ClassificationMetric, inspect.isfunction)
    if not name.startswith("_")
]


def outcome(metric, name):
    """Return the results of a method, for each group if it takes one, or the error raised."""
    method = getattr(metric, name)
    if name in WITH_FUNCTION:
        calls = [((metric.num_instances,), {}), ((metric.accuracy,), {})]
    elif name in WITH_PREDICTIONS:
        calls = [((tuple(metric.classified_dataset.labels.ravel()),), {})]
    elif "privileged" in inspect.signature(method).parameters:
        calls = [((), {"privileged": group}) for group in (None, True, False)]
    else:
        calls = [((), {})]
    return [attempt(method, *call) for call in calls]


def attempt(method, arguments, keywords):
    try:
        return method(*arguments, **keywords)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", PAIRS)
def test_every_public_method_of_the_parent_gives_the_identical_value(kind, seed):
    dataset, classified = PAIRS[kind](np.random.default_rng(seed))
    groups = [{"sex": 0}], [{"sex": 1}]
    theirs = ClassificationMetric(dataset, classified, *groups)
    ours = DiscriminativeRiskMetric(dataset, classified, *groups)
    assert len(PUBLIC) > 70
    for name in PUBLIC:
        np.testing.assert_equal(outcome(ours, name), outcome(theirs, name), err_msg=name)


def test_groups_may_be_left_out(dataset):
    assert DiscriminativeRiskMetric(dataset, dataset.copy()).accuracy() == 1.0


def test_it_is_a_classification_metric(dataset):
    assert isinstance(DiscriminativeRiskMetric(dataset, dataset.copy()), ClassificationMetric)


@pytest.mark.parametrize("arguments", [(None, None), ("x", "y")])
def test_what_is_no_dataset_raises_the_errors_of_the_parent(arguments):
    with pytest.raises(TypeError, match="should be a BinaryLabelDataset"):
        DiscriminativeRiskMetric(*arguments)


def test_overlapping_groups_raise_the_error_of_the_parent(dataset, men):
    with pytest.raises(ValueError, match="must be disjoint"):
        DiscriminativeRiskMetric(dataset, dataset.copy(), men, men)
