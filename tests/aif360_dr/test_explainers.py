"""Explanations of discriminative risk."""

import inspect
import json

import pytest

from aif360_dr import DiscriminativeRiskMetric, DRJSONExplainer, DRTextExplainer
from aif360_dr.examples import hiring

NEW = [
    name
    for name, _ in inspect.getmembers(DRTextExplainer, inspect.isfunction)
    if name in vars(DRTextExplainer)
]


@pytest.fixture
def metric(women, men):
    return DiscriminativeRiskMetric.from_estimator(
        lambda features: features[:, 2] > 2 + 2 * (features[:, 0] == 0), hiring(), women, men
    )


@pytest.mark.parametrize("name", NEW)
def test_a_text_ends_with_the_value(metric, name):
    text = getattr(DRTextExplainer(metric), name)()
    assert text.endswith(f": {getattr(metric, name)()}")


@pytest.mark.parametrize("name", NEW)
def test_json_holds_the_text_of_the_same_name(metric, name):
    explained = json.loads(getattr(DRJSONExplainer(metric), name)())
    assert explained["message"] == getattr(DRTextExplainer(metric), name)()
    assert {"metric", "message", "description", "ideal"} <= set(explained)


def test_json_holds_the_counts_of_a_share(metric):
    explained = json.loads(DRJSONExplainer(metric).discriminative_risk(privileged=True))
    counts = {name: value for name, value in explained.items() if name.startswith("num")}
    assert counts == {
        "numLabelChanges": 1.0,
        "numFavorableLosses": 1.0,
        "numFavorableGains": 0.0,
        "numInstances": 4.0,
    }


def test_a_group_is_named(metric):
    text = DRTextExplainer(metric).num_label_changes(privileged=False)
    assert text == "Number of unprivileged instances whose prediction changes: 1.0"


@pytest.mark.parametrize("explainer", [DRTextExplainer, DRJSONExplainer])
def test_explanations_of_aif360_are_still_there(metric, explainer):
    assert "accuracy" in explainer(metric).accuracy().lower()
