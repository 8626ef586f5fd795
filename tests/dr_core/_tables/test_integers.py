"""Integers in a column of floats are values without a decimal point."""

import numpy as np
import pandas as pd
import pytest

from dr_core import assess_risk, learn_attributes
from dr_core._tables import as_table

CODES = [1, 2, np.nan, 1.5, np.inf, 2.0**60]


@pytest.mark.parametrize("dtype", ["float64", "float32", "Float64"])
def test_distinct_integers_have_no_decimal_point(dtype):
    found = as_table(pd.DataFrame({"sex": pd.Series(CODES, dtype=dtype)})).distinct("sex")
    assert list(map(str, found)) == ["1", "2", "1.5", "inf", str(2.0**60)]


def test_values_of_a_domain_are_named_like_those_of_a_column():
    people = pd.DataFrame({"sex": [1.0, 2.0]})
    [attribute] = learn_attributes(people, {"sex": 1}, domain={"sex": [1.0, 2.0, 3.0]})
    assert list(map(str, attribute.values)) == ["1", "2", "3"]


def test_the_model_still_gets_floats():
    people = pd.DataFrame({"sex": [1.0, 2.0, np.nan, 1.0]})
    kinds = []

    def rule(X):
        kinds.append(X["sex"].dtype)
        return (X["sex"] == 1).to_numpy()

    attributes = learn_attributes(people, {"sex": 1}, missing="keep")
    assert assess_risk(rule, people, attributes).value == 1
    assert set(kinds) == {np.dtype("float64")}
