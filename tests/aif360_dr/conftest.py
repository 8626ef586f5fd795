"""Datasets and models shared by the tests of aif360_dr."""

import warnings

import numpy as np
import pandas as pd
import pytest
from aif360.algorithms.inprocessing import ExponentiatedGradientReduction
from aif360.datasets import BinaryLabelDataset
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

WOMEN, MEN = [{"sex": 0.0}], [{"sex": 1.0}]


def make_dataset(n=200, seed=0, weighted=False):
    """People with sex (two values), race (three), age and pay; men are favoured."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "sex": rng.integers(0, 2, n),
            "race": rng.integers(0, 3, n),
            "age": rng.normal(40, 10, n),
            "pay": rng.normal(0, 1, n),
        }
    )
    frame["label"] = (frame["pay"] + frame["sex"] + rng.normal(0, 1, n) > 0.5).astype(int)
    frame["weight"] = rng.integers(1, 5, n) / 2 if weighted else 1.0
    return BinaryLabelDataset(
        df=frame,
        label_names=["label"],
        protected_attribute_names=["sex", "race"],
        privileged_protected_attributes=[[1.0], [1.0]],
        unprivileged_protected_attributes=[[0.0], [0.0, 2.0]],
        instance_weights_name="weight",
    )


@pytest.fixture
def dataset():
    return make_dataset()


@pytest.fixture
def weighted():
    return make_dataset(weighted=True)


@pytest.fixture
def forest(dataset):
    forest = RandomForestClassifier(n_estimators=15, max_depth=5, random_state=0)
    return forest.fit(dataset.features, dataset.labels.ravel())


@pytest.fixture
def women():
    return WOMEN


@pytest.fixture
def men():
    return MEN


def fit_reduction(dataset, drop):
    """A randomised model of AIF360, without (`drop`) or with the protected attributes."""
    algorithm = ExponentiatedGradientReduction(
        DecisionTreeClassifier(max_depth=4, random_state=0),
        "DemographicParity",
        drop_prot_attr=drop,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # AIF360 passes labels of shape (n, 1)
        return algorithm.fit(dataset)


@pytest.fixture
def reduce():
    return fit_reduction
