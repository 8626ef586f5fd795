"""Limits of a comparison that could pass without being checked."""

import numpy as np
import pandas as pd
import pytest

from dr_core import compare, learn_attributes

X = pd.DataFrame({"sex": ["m", "f"] * 50 + [None] * 900, "row": range(1000)})
KEPT = learn_attributes(X, {"sex": "m"}, missing="keep")


def is_man(X):
    return (X["sex"] == "m").astype(int)


def check(max_risk, **options):
    y = np.arange(1000) // 2 % 2
    return compare({"m": is_man}, X, y, KEPT, n_boot=20, random_state=0, **options).check(
        max_risk=max_risk
    )


def test_a_risk_that_was_not_measured_is_refused():
    with pytest.raises(ValueError, match=r"max_risk.*'discriminative_risk'.*measures"):
        check(0.1, measures=["accuracy"])


def test_rows_that_cannot_be_perturbed_do_not_dilute_the_risk():
    verdict = check(0.15, measures=["discriminative_risk"])
    assert verdict.outcome == "fail"
    assert verdict.decisions[0].value == 1


def test_a_single_attribute_is_all_of_them():
    assert check({"all": 0.15}, measures=["discriminative_risk"]).outcome == "fail"
