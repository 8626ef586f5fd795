"""What results say is what was computed, in whatever form they are asked for."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from dr_core import Predictions, Votes, compare, exhaustive_front, poaf
from dr_core._utils import quote
from fairlearn_dr import (
    favorable_to_unfavorable_rate,
    plot_comparison,
    risk_scorer,
    unfavorable_to_favorable_rate,
)

X = pd.DataFrame({"sex": [0, 1, 0, 1], "age": [20, 30, 40, 50]})
Y = [0, 1, 1, 0]


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.filterwarnings("ignore:undefined")
def test_json_holds_numbers_of_numpy_as_numbers_and_nothing_that_is_no_json():
    comparison = compare(
        {"m": Predictions(Y)},
        X,
        Y,
        {"sex": 1},
        random_state=np.int64(3),
        n_boot=np.int64(5),
        p=np.float64(0.5),
    )
    settings = json.loads(comparison.to_json(), parse_constant=refuse)["settings"]
    assert (settings["random_state"], settings["n_boot"], settings["p"]) == (3, 5, 0.5)


@pytest.mark.parametrize("rate", [favorable_to_unfavorable_rate, unfavorable_to_favorable_rate])
def test_predictions_in_a_column_count_like_those_in_a_row(rate):
    before, after = np.array([0, 1, 1, 0]), np.array([1, 0, 1, 0])
    column = rate(Y, before[:, None], y_pred_perturbed=after[:, None])
    assert column == rate(Y, before, y_pred_perturbed=after) == 0.25


@pytest.mark.parametrize("search", [poaf, exhaustive_front])
def test_a_wrong_selection_is_told_before_the_search(search, monkeypatch):
    votes = Votes([[0, 1]] * 12, [[0, 1]] * 12, y=[0, 1])
    begun = lambda *_: pytest.fail("the search has begun")  # noqa: E731
    monkeypatch.setattr(sys.modules[search.__module__], "find_true_front", begun)
    with pytest.raises(ValueError, match=r"^`?selection.*min_risk"):
        search(votes, 3, selection="best")


def test_a_wrong_scorer_fails_before_a_search_that_would_hide_it():
    # A search over models turns an error of its scorer into scores of NaN.
    with pytest.raises(ValueError, match=r"^`?p\b.* 1\b"):
        risk_scorer({"sex": 1}, p=0)


def test_names_in_an_error_come_in_the_order_of_the_table():
    comparison = compare(
        {"m": Predictions(Y, Y)}, X, Y, {"sex": 1}, measures=["recall", "accuracy"]
    )
    with pytest.raises(ValueError, match="'recall', 'accuracy'"):
        plot_comparison(comparison, measures=["f1"])


def test_a_long_value_is_cut_in_messages():
    assert len(quote(["x" * 10**6] * 20)) < 1000
