"""How models are called, and what is said about those that cannot be."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from dr_core.risk import RandomizedModel
from dr_core.risk._predictor import (
    _load_hooks,
    check_predictions,
    describe_scores,
    find_distribution,
    get_predict,
    have_fractions,
)


def test_a_booster_is_refused_with_the_name_of_its_library():
    Booster = type("Booster", (), {"__module__": "xgboost.core"})
    with pytest.raises(TypeError, match="Booster of xgboost,"):
        get_predict(Booster())


def test_predictions_of_three_dimensions_are_refused_with_their_shape():
    with pytest.raises(ValueError, match=r"shape \(3, 1, 1\) for 3 rows"):
        check_predictions(np.zeros((3, 1, 1)), 3)


def test_durations_have_no_fractions():
    assert not have_fractions(np.array([1, 2], "m8[s]"))


def test_a_message_about_scores_shows_three_of_them():
    assert "such as 0.25, 0.5, 0.75, not" in describe_scores("f", np.array([0.25, 0.5, 0.75, 1]))


def test_the_hook_of_a_library_is_asked_about_its_models_and_those_derived_from_them(monkeypatch):
    hook = SimpleNamespace(load=lambda: lambda model, columns: (model, columns))
    monkeypatch.setattr("dr_core.risk._predictor._load_hooks", lambda: {"library": hook})
    Model = type("Model", (), {"__module__": "library.models"})
    model = type("Derived", (Model,), {})()
    assert find_distribution(model, ["sex"]) == (model, ["sex"])
    assert find_distribution(object(), ["sex"]) is None


def test_all_steps_before_a_randomised_model_are_applied():
    seen = []
    last = RandomizedModel(lambda X: seen.append(X) or np.full((len(X), 2), 0.5), [0, 1])
    double, add = FunctionTransformer(lambda X: 2 * X), FunctionTransformer(lambda X: X + 1)
    found = find_distribution(make_pipeline(double, add, last), ["sex"])
    found.predict_proba(np.array([[3.0]]))
    assert seen[0].tolist() == [[7.0]]


def test_the_installed_hooks_are_read_once():
    assert _load_hooks() is _load_hooks()
