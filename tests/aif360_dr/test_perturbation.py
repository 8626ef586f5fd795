"""Perturbed datasets."""

import numpy as np
import pandas as pd
import pytest
from aif360.datasets import BinaryLabelDataset
from hypothesis import given, settings
from hypothesis import strategies as st

from aif360_dr import perturb_dataset

RACES = ["race=White", "race=Black", "race=Asian"]


def one_hot_dataset(names=RACES, attribute="race"):
    """Race as a protected attribute, White or not, and as three one-hot features."""
    race = np.array([0, 1, 2, 0, 1, 2])
    frame = pd.DataFrame(np.eye(3)[race], columns=names).assign(age=range(6))
    frame[attribute] = (race == 0).astype(float)
    frame["y"] = 0
    dataset = BinaryLabelDataset(
        df=frame, label_names=["y"], protected_attribute_names=[attribute]
    )
    dataset.features = dataset.features[:, :4]
    dataset.feature_names = dataset.feature_names[:4]
    return dataset


def test_two_values_change_places(dataset, men):
    perturbed = perturb_dataset(dataset, men)
    np.testing.assert_array_equal(perturbed.features[:, 0], 1 - dataset.features[:, 0])


def test_features_and_protected_attributes_stay_in_step(dataset):
    perturbed = perturb_dataset(dataset, seed=0)
    np.testing.assert_array_equal(perturbed.features[:, :2], perturbed.protected_attributes)


def test_only_attributes_that_the_groups_name_change(dataset, men):
    perturbed = perturb_dataset(dataset, men)
    np.testing.assert_array_equal(perturbed.features[:, 1:], dataset.features[:, 1:])


def test_every_value_of_a_privileged_row_becomes_unprivileged(dataset):
    joint = [{"sex": 1, "race": 1}]
    perturbed = perturb_dataset(dataset, joint, seed=0)
    privileged = (dataset.features[:, :2] == 1).all(axis=1)
    assert set(perturbed.features[privileged, 0]) == {0.0}
    assert set(perturbed.features[privileged, 1]) == {0.0, 2.0}


def test_unprivileged_values_become_the_privileged_one(dataset):
    perturbed = perturb_dataset(dataset, [{"race": 1}], seed=0)
    assert set(perturbed.features[dataset.features[:, 1] != 1, 1]) == {1.0}


def test_several_privileged_values_are_drawn_from(dataset):
    perturbed = perturb_dataset(dataset, [{"race": 1}, {"race": 2}], seed=0)
    assert set(perturbed.features[dataset.features[:, 1] == 0, 1]) == {1.0, 2.0}
    assert set(perturbed.features[dataset.features[:, 1] != 0, 1]) == {0.0}


def test_one_hot_features_follow_their_attribute():
    dataset = one_hot_dataset()
    perturbed = perturb_dataset(dataset, [{"race": 1}], seed=0)
    hot, was_white = perturbed.features[:, :3], dataset.features[:, 0] == 1
    np.testing.assert_array_equal(hot.sum(axis=1), 1)
    np.testing.assert_array_equal(hot[:, 0], ~was_white)
    np.testing.assert_array_equal(perturbed.protected_attributes[:, 0], ~was_white)


def test_one_hot_features_under_other_names_follow_when_named():
    names = ["r_w", "r_b", "r_a"]
    dataset = one_hot_dataset(names, "white")
    perturbed = perturb_dataset(dataset, [{"white": 1}], seed=0, carried_by={"white": names})
    np.testing.assert_array_equal(perturbed.features[:, 0], 1 - dataset.features[:, 0])


def test_scaled_features_follow_their_attribute(dataset, men):
    scaled = dataset.copy()
    scaled.features = (dataset.features - 0.5) * 3
    perturbed = perturb_dataset(scaled, men)
    np.testing.assert_array_equal(perturbed.features[:, 0], -scaled.features[:, 0])
    np.testing.assert_array_equal(
        perturbed.protected_attributes[:, 0], 1 - dataset.protected_attributes[:, 0]
    )


def test_an_attribute_that_is_no_feature_changes_alone(dataset, men):
    blind = dataset.copy()
    blind.features, blind.feature_names = dataset.features[:, 1:], ["race", "age", "pay"]
    perturbed = perturb_dataset(blind, men)
    np.testing.assert_array_equal(perturbed.features, blind.features)
    np.testing.assert_array_equal(
        perturbed.protected_attributes[:, 0], 1 - dataset.protected_attributes[:, 0]
    )


def test_a_part_is_perturbed_into_values_of_the_domain():
    whole = one_hot_dataset()
    whites = whole.subset([0, 3])
    perturbed = perturb_dataset(whites, [{"race": 1}], seed=0, domain=whole)
    assert (perturbed.features[:, 0] == 0).all()


def test_with_p_below_one_some_rows_stay(dataset, men):
    perturbed = perturb_dataset(dataset, men, p=0.5, seed=0)
    changed = (perturbed.features != dataset.features).any(axis=1).mean()
    assert 0.4 < changed < 0.6


def test_the_same_seed_draws_the_same(dataset):
    drawn = [perturb_dataset(dataset, seed=1).features for _ in range(2)]
    np.testing.assert_array_equal(*drawn)


def test_metadata_are_kept_and_remember_the_origin(dataset, men):
    dataset.metadata["note"] = "kept"
    metadata = perturb_dataset(dataset, men).metadata
    assert metadata["note"] == "kept"
    assert metadata["previous"] == [dataset]
    assert metadata["transformer"] == "perturb_dataset"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=3), st.integers(0, 9))
def test_a_perturbed_value_is_always_on_the_other_side(rows, seed):
    frame = pd.DataFrame(rows, columns=["sex", "race"]).assign(y=0)
    frame.loc[:2, "race"], frame.loc[:1, "sex"] = [0, 1, 2], [0, 1]
    dataset = BinaryLabelDataset(
        df=frame, label_names=["y"], protected_attribute_names=["sex", "race"]
    )
    perturbed = perturb_dataset(dataset, [{"sex": 1, "race": 1}], seed=seed)
    assert ((perturbed.features == 1) != (dataset.features == 1)).all()


class TestRefusals:
    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            ([{"age": 1}], "privileged_groups .*'age'.*it has 'sex', 'race'"),
            ([{"sex": 3}], r"privileged .*3\.0 of 'sex'.*has 0\.0, 1\.0"),
            ([{"sex": 0}, {"sex": 1}], "'sex'.*Leave it out of privileged_groups.*domain"),
        ],
    )
    def test_wrong_groups_are_named(self, dataset, groups, message):
        with pytest.raises(ValueError, match=message):
            perturb_dataset(dataset, groups)

    def test_missing_protected_attributes_are_counted(self, dataset, men):
        dataset.protected_attributes[:3, 0] = np.nan
        with pytest.raises(ValueError, match=r"'sex' .*3 of 200 rows.*Fill or drop"):
            perturb_dataset(dataset, men)

    def test_unknown_features_are_named(self, dataset, men):
        with pytest.raises(ValueError, match=r"carried_by .*'gender'.*feature_names"):
            perturb_dataset(dataset, men, carried_by={"sex": ["gender"]})

    def test_a_quantity_is_no_attribute(self, dataset):
        dataset.protected_attributes[:, 1] = np.arange(200)
        dataset.features[:, 1] = np.arange(200)
        with pytest.raises(ValueError, match=r"'race' has 200 .*Bin it first"):
            perturb_dataset(dataset, [{"race": 1}])

    def test_values_outside_the_domain_are_named(self):
        whole = one_hot_dataset()
        with pytest.raises(ValueError, match=r"'race' .*whole dataset as domain"):
            perturb_dataset(whole, [{"race": 1}], domain=whole.subset([0, 1, 3, 4]))

    @pytest.mark.parametrize("p", [0, 1.5])
    def test_p_is_a_probability(self, dataset, men, p):
        with pytest.raises(ValueError, match="p must be"):
            perturb_dataset(dataset, men, p=p)
