"""What a chunk of rows says about predictions before and after."""

import numpy as np
import pandas as pd
import pytest

from dr_core import OneHot, RandomizedModel, learn_attributes
from dr_core._tables import Partition, as_table
from dr_core.perturbation import PerturbationPlan
from dr_core.risk import Predictor, iter_changes
from dr_core.risk._changes import get_domains


def find_changes(predictor, columns, privileged):
    table = as_table(pd.DataFrame(columns))
    plan = PerturbationPlan(learn_attributes(table, privileged))
    ((_, changes),) = iter_changes(Partition(0, table, {}), {"model": predictor}, plan)
    return changes


def test_columns_of_a_one_hot_attribute_are_0_or_1():
    X = pd.DataFrame({"sex": ["F", "M"], "race_a": [0, 1], "race_b": [1, 0]})
    races = OneHot(["race_a", "race_b"], "race_a")
    attributes = learn_attributes(X, {"sex": "M", "race": races})
    assert get_domains(attributes) == {"sex": ("F", "M"), "race_a": (0, 1), "race_b": (0, 1)}


def test_predictions_are_certain_if_each_row_has_one_perturbation():
    both = lambda X: (X["sex"] == "M") & (X["race"] == "W")  # noqa: E731
    columns = {"sex": ["M", "M", "F"], "race": ["W", "B", "W"]}
    changes = find_changes(Predictor(both, [False, True]), columns, {"sex": "M", "race": "W"})
    assert changes.before.tolist() == [1, 0, 0]
    assert [changes.get_certain(s).tolist() for s in range(3)] == [[0, 0, 1], [0, 1, 0], [0, 0, 0]]


def test_predictions_are_not_certain_if_a_row_has_two_perturbations():
    black = lambda X: X["race"] == "B"  # noqa: E731
    changes = find_changes(
        Predictor(black, [False, True]), {"race": ["W", "W", "B", "O"]}, {"race": "W"}
    )
    assert changes.get_certain(0) is None


def test_a_joint_distribution_keeps_what_both_distributions_share():
    given = {"M": [0.25, 0.75], "F": [0.5, 0.5]}
    model = RandomizedModel(lambda X: np.array([given[sex] for sex in X["sex"]]), [0, 1])
    changes = find_changes(Predictor(model), {"sex": ["M", "F"]}, {"sex": "M"})
    expected = [[0.25, 0.0, 0.25, 0.5], [0.25, 0.25, 0.0, 0.5]]  # of (f(x), f(x̃)), row by row
    assert changes.get_joint_profiles(0) == pytest.approx(np.array(expected))
