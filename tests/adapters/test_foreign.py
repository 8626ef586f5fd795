"""Datasets that AIF360 made: words come from its own metadata."""

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset, StandardDataset
from dr_adapters import to_fairlearn

MAPS = {
    "label_maps": [{0.0: "Did recid.", 1.0: "No recid."}],
    "protected_attribute_maps": [{1.0: "Male", 0.0: "Female"}, {1.0: "White", 0.0: "Other"}],
}
FRAME = pd.DataFrame(
    {
        "sex": [1, 0, 1, 0],
        "race": [1, 0, 0, 0],
        "age": [30, 40, 50, 60],
        "charge=F": [1, 0, 1, 0],
        "charge=M": [0, 1, 0, 1],
        "y": [0, 1, 1, 0],
    }
)


def make(frame=FRAME, metadata=MAPS, favorable=1.0, **options):
    return BinaryLabelDataset(
        df=frame,
        label_names=["y"],
        protected_attribute_names=["sex", "race"],
        favorable_label=favorable,
        unfavorable_label=1 - favorable,
        metadata=metadata,
        **options,
    )


def test_labels_come_back_in_words():
    back = to_fairlearn(make())
    assert back.y.tolist() == ["Did recid.", "No recid.", "No recid.", "Did recid."]
    assert back.favorable_label == "No recid."


@pytest.mark.parametrize("favorable", [0.0, 1.0])
def test_the_favorable_label_is_that_of_the_dataset(favorable):
    assert to_fairlearn(make(metadata=None, favorable=favorable)).favorable_label == favorable


def test_protected_attributes_come_back_in_words():
    back = to_fairlearn(make())
    assert back.sensitive_features["race"].tolist() == ["White", "Other", "Other", "Other"]
    assert back.X["sex"].tolist() == ["Male", "Female", "Male", "Female"]
    assert back.privileged == {"sex": ["Male"], "race": ["White"]}


def test_one_hot_features_come_back_as_a_column():
    back = to_fairlearn(make())
    assert list(back.X) == ["sex", "race", "age", "charge"]
    assert back.X["charge"].tolist() == ["F", "M", "F", "M"]


@pytest.mark.parametrize(
    "frame",
    [FRAME.assign(**{"charge=F": 0.5}), FRAME.assign(**{"charge=F": 0}), FRAME.assign(charge=1)],
)
def test_what_is_not_one_hot_stays_as_it_is(frame):
    assert {"charge=F", "charge=M"} <= set(to_fairlearn(make(frame)).X)


def test_scaled_features_stay_numbers():
    dataset = make()
    dataset.features = dataset.features * 2 - 1
    back = to_fairlearn(dataset)
    np.testing.assert_array_equal(back.X, dataset.features)
    assert list(back.X) == dataset.feature_names
    assert back.sensitive_features["sex"].tolist() == ["Male", "Female", "Male", "Female"]


@pytest.mark.parametrize(
    "maps",
    [
        {"label_maps": [{0.0: "no"}]},
        {"label_maps": [{0.0: "no", 1.0: "no"}]},
        {"label_maps": []},
        {"label_maps": None},
    ],
)
def test_maps_that_do_not_tell_labels_apart_are_not_used(maps):
    assert to_fairlearn(make(metadata=maps)).y.tolist() == [0.0, 1.0, 1.0, 0.0]


def test_scores_are_kept():
    dataset = make(FRAME.assign(score=[0.1, 0.9, 0.8, 0.3]), scores_names=["score"])
    assert to_fairlearn(dataset).scores.tolist() == [0.1, 0.9, 0.8, 0.3]
    assert to_fairlearn(make()).scores is None


def test_a_standard_dataset_comes_back_in_words():
    frame = pd.DataFrame(
        {
            "sex": pd.Series(["Male", "Female", "Male", "Female"], dtype=object),
            "job": pd.Series(["clerk", "nurse", "nurse", "clerk"], dtype=object),
            "credit": [1, 2, 1, 2],
        }
    )
    dataset = StandardDataset(
        frame,
        "credit",
        [1],
        ["sex"],
        [["Male"]],
        categorical_features=["job"],
        metadata={
            "label_maps": [{1.0: "Good", 2.0: "Bad"}],
            "protected_attribute_maps": [{1.0: "Male", 0.0: "Female"}],
        },
    )
    back = to_fairlearn(dataset)
    assert back.X["sex"].tolist() == frame["sex"].tolist()
    assert back.X["job"].tolist() == frame["job"].tolist()
    assert back.favorable_label == "Good"
