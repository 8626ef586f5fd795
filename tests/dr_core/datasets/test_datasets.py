"""Every count of the paper's table of data sets."""

import pandas as pd
import pytest

from dr_core import datasets

INSTANCES = {"ricci": 118, "credit": 1000, "income": 30162, "ppr": 6167, "ppvr": 4010}
FEATURES = {"ricci": 5, "credit": 20, "income": 13, "ppr": 10, "ppvr": 10}
BINARIZED = {"ricci": 6, "credit": 59, "income": 99, "ppr": 402, "ppvr": 328}
PRIVILEGED = {
    "ricci": {"Race": 68},
    "credit": {"sex": 690, "age": 851},
    "income": {"race": 25933, "sex": 20380},
    "ppr": {"sex": 4994, "race": 2100},
    "ppvr": {"sex": 3173, "race": 1452},
}
JOINT = {"credit": 625, "income": 18038, "ppr": 1620, "ppvr": 1119}
POSITIVE = {"ricci": 56, "credit": 700, "income": 7508, "ppr": 2809, "ppvr": 652}


def is_privileged(dataset):
    return pd.DataFrame({a: dataset.data[a] == v for a, v in dataset.privileged.items()})


@pytest.mark.parametrize("name", INSTANCES)
def test_instances_and_features_are_those_of_the_paper(name):
    assert datasets.load(name).data.shape == (INSTANCES[name], FEATURES[name])


@pytest.mark.parametrize("name", INSTANCES)
def test_binarized_features_are_those_of_the_paper(name):
    dataset = datasets.load(name)
    encoded = datasets.binarize(dataset)
    assert encoded.shape == (INSTANCES[name], BINARIZED[name])
    assert all(pd.api.types.is_numeric_dtype(dtype) for dtype in encoded.dtypes)


@pytest.mark.parametrize("name", PRIVILEGED)
def test_privileged_counts_are_those_of_the_paper(name):
    assert is_privileged(datasets.load(name)).sum().to_dict() == PRIVILEGED[name]


@pytest.mark.parametrize("name", JOINT)
def test_joint_privileged_counts_are_those_of_the_paper(name):
    dataset = datasets.load(name)
    assert is_privileged(dataset).all(axis=1).sum() == JOINT[name]
    assert datasets.binarize(dataset).iloc[:, -1].sum() == JOINT[name]


@pytest.mark.parametrize("name", POSITIVE)
def test_target_is_0_and_1_with_the_positive_label_of_the_paper(name):
    target = datasets.load(name).target
    assert set(target) == {0, 1}
    assert target.sum() == POSITIVE[name]


@pytest.mark.parametrize("name", datasets.names())
def test_the_favourable_target_is_that_of_the_person(name):
    dataset = datasets.load(name)
    favorable = {"ppr": 0, "ppvr": 0, "lawschool": None}.get(name, 1)
    assert dataset.favorable == favorable
    if name in ("ppr", "ppvr"):
        assert dataset.target_names[dataset.favorable].startswith("no ")


def test_law_school_has_its_students_and_its_float_target():
    dataset = datasets.load("lawschool")
    assert dataset.data["race"].value_counts().to_dict() == {
        "White": 18284,
        "Black": 1282,
        "Asian": 845,
        "Hispanic": 488,
        "Mexican": 389,
        "Other": 293,
        "Puertorican": 110,
        "Amerindian": 99,
    }
    assert dataset.data["sex"].value_counts().to_dict() == {"male": 12253, "female": 9537}
    means = dataset.data[["LSAT", "UGPA"]].assign(ZFYA=dataset.target).mean()
    assert means.to_dict() == pytest.approx(
        {"LSAT": 36.772281, "UGPA": 3.226604, "ZFYA": 0.096401}, abs=1e-6
    )
    assert dataset.privileged == {"race": "White", "sex": "male"}


@pytest.mark.parametrize("name", datasets.names())
def test_every_data_set_names_whom_to_credit_and_its_targets(name):
    dataset = datasets.load(name)
    assert "Credit: " in dataset.description
    assert len(dataset.target_names) == (1 if name == "lawschool" else 2)


def test_loading_twice_gives_independent_copies():
    first = datasets.load("ricci")
    first.data.loc[0, "Race"] = "?"
    first.privileged["Race"] = "?"
    assert datasets.load("ricci").data.loc[0, "Race"] == "W"
    assert datasets.load("ricci").privileged == {"Race": "W"}
