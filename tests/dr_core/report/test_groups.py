"""The table of rates by group."""

import numpy as np
import pandas as pd

from dr_core import compare
from dr_core.report._groups import make_rate_table
from dr_core.report._values import MeasuredValues


def test_groups_that_are_not_compared_are_not_measured_against_four_fifths():
    # Every person of W, nobody else; A has 1 % of 1,000 rows, B has 5 %.
    race = ["A"] * 10 + ["B"] * 50 + ["W"] * 940
    X = pd.DataFrame({"race": race, "row": range(1000)})
    y = np.arange(1000) % 2
    options = {"n_boot": 5, "measures": ["accuracy"]}
    found = compare({"m": lambda X: X["race"] == "W"}, X, y, {"race": "W"}, **options)
    cells = {
        row[0].text: row[5].note for row in make_rate_table(MeasuredValues(found)).groups[0].rows
    }
    assert cells["W"] == "reference"
    assert cells["A"].endswith("not compared, below 2\xa0% of the rows")
    assert cells["B"].endswith("below four fifths\ntoo few rows for a precise rate")
