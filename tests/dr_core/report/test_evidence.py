"""Limits in the report."""

import warnings

import numpy as np
import pandas as pd

from dr_core import compare
from dr_core.comparison import Decision, Verdict
from dr_core.metrics import DR
from dr_core.report._evidence import make_verdict_table


def show_limit(model, **gap):
    """Value, interval and limit of a gap, as the report has them."""
    X, y = pd.DataFrame({"sex": ["m", "f"] * 50, "row": range(100)}), [0, 0, 1, 1] * 25
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of undefined gaps
        found = compare({"m": model}, X, y, {"sex": "m"}, n_boot=100, random_state=0)
    table = make_verdict_table({"verdict": found.check(max_gap=gap).to_dict()})
    return [cell.text for cell in table.rows[0]][2:5]


def is_man(X):
    return (X["sex"] == "m").astype(int)


def test_a_limit_of_a_gap_has_its_sign():
    value, interval, limit = show_limit(is_man, demographic_parity=0.1)
    assert (value, limit) == ("−100.0 pp", "±10 pp")
    assert interval.startswith("−100.0 to −")


def test_a_limit_of_equalized_odds_has_no_sign():
    value, interval, limit = show_limit(is_man, equalized_odds=0.1)
    assert (value, limit) == ("100.0 %", "10 %")
    assert interval.endswith("to 100.0 %")


def test_numbers_beside_a_limit_have_the_decimals_of_the_verdict():
    decision = Decision("m", "sex", DR, 0.0503, 0.049993, 0.0713, 0.05, "undecided", 9_000)
    [row] = make_verdict_table({"verdict": Verdict([decision]).to_dict()}).rows
    shown = [cell.text for cell in row][2:5]
    assert shown == ["5.030 %", "4.999 % to 7.130 %", "5 %"]
    assert "5.030 % [4.999, 7.130], limit 5 %" in str(decision)


def test_an_undefined_gap_is_shown_as_undefined():
    shown = show_limit(lambda X: np.zeros(len(X), int), predictive_parity=0.1)
    assert shown == ["undefined", "", "10 %"]
