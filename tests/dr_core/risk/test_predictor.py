"""How models are called, and what is said about those that cannot be."""

import numpy as np
import pytest

from dr_core.risk._predictor import _load_hooks, describe_scores, get_predict


def test_a_booster_is_refused_with_the_name_of_its_library():
    Booster = type("Booster", (), {"__module__": "xgboost.core"})
    with pytest.raises(TypeError, match="Booster of xgboost,"):
        get_predict(Booster())


def test_a_message_about_scores_shows_three_of_them():
    assert "such as 0.25, 0.5, 0.75, not" in describe_scores("f", np.array([0.25, 0.5, 0.75, 1]))


def test_the_installed_hooks_are_read_once():
    assert _load_hooks() is _load_hooks()
