"""Frames with protected attributes in their index."""

import numpy as np
import pandas as pd
import pytest
from aif360.sklearn.metrics import statistical_parity_difference
from dr_adapters import from_aif360_sklearn, to_aif360_sklearn
from pandas.testing import assert_frame_equal, assert_series_equal

PRIVILEGED = {"sex": "Male", "race": ["White", "Asian"]}


def test_sensitive_features_are_levels_of_every_index(loans):
    data = to_aif360_sklearn(*loans, privileged=PRIVILEGED, sample_weight=np.ones(120))
    for part in data:
        assert list(part.index.names) == ["sex", "race"]


def test_aif360_sklearn_finds_the_groups(loans):
    X, y = loans
    data = to_aif360_sklearn(X, y, privileged={"sex": "Male"})
    found = statistical_parity_difference(
        data.y, prot_attr="sex", priv_group="Male", pos_label="granted"
    )
    granted = (y == "granted").groupby(X["sex"]).mean()
    assert found == pytest.approx(granted["Female"] - granted["Male"])


@pytest.mark.parametrize("apart", [True, False])
def test_everything_comes_back_with_its_index(loans, apart):
    X, y = loans
    weights = pd.Series(np.arange(120.0), index=X.index, name="w")
    A = X[["sex", "race"]]
    X = X.drop(columns=["sex", "race"]) if apart else X
    data = to_aif360_sklearn(
        X,
        y,
        sensitive_features=A,
        privileged=PRIVILEGED,
        sample_weight=weights,
        keep_index=True,
    )
    back = from_aif360_sklearn(*data, privileged=PRIVILEGED)
    assert_frame_equal(back.X, X)
    assert_series_equal(back.y, y)
    assert_frame_equal(back.sensitive_features, A)
    assert_series_equal(back.sample_weight, weights)


def test_a_multilevel_index_comes_back(loans):
    X, y = loans
    index = pd.MultiIndex.from_arrays([range(120), ["a"] * 120], names=["i", "j"])
    X, y = X.set_axis(index), y.set_axis(index)
    data = to_aif360_sklearn(X, y, privileged={"sex": "Male"}, keep_index=True)
    assert_frame_equal(from_aif360_sklearn(*data, privileged={"sex": "Male"}).X, X)


def test_without_their_index_rows_are_numbered(loans):
    X, y = loans
    data = to_aif360_sklearn(X, y, privileged={"sex": "Male"})
    back = from_aif360_sklearn(*data, privileged={"sex": "Male"})
    assert_frame_equal(back.X, X.reset_index(drop=True))


def test_a_level_that_is_not_there_is_named(loans):
    data = to_aif360_sklearn(*loans, privileged={"sex": "Male"})
    with pytest.raises(ValueError, match=r"index.*'race'"):
        from_aif360_sklearn(*data, privileged={"race": "White"})


def test_levels_of_one_name_are_refused(loans):
    X, y = loans
    X = X.rename_axis("sex")
    with pytest.raises(ValueError, match=r"index.*'sex', 'sex'"):
        to_aif360_sklearn(X, y, privileged={"sex": "Male"}, keep_index=True)
