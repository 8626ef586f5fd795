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


SEVERAL = {"affected_instances", "discriminative_risk_by_attribute"}
SEVERAL |= {"discriminative_risk_interval"}
"""Methods of the metric that return several values."""


@pytest.mark.parametrize("name", sorted(set(NEW) - SEVERAL))
def test_a_text_ends_with_the_value(metric, name):
    text = getattr(DRTextExplainer(metric), name)()
    assert text.endswith(f": {getattr(metric, name)()}")


def test_a_text_has_every_value(metric):
    explainer, interval = DRTextExplainer(metric), metric.discriminative_risk_interval()
    assert explainer.affected_instances().endswith(": 1 (1), 5 (1)")
    assert explainer.discriminative_risk_by_attribute().endswith(": sex 0.25")
    text = explainer.discriminative_risk_interval()
    assert text.endswith(f"(95 %): {interval.low} to {interval.high}")


def test_a_text_names_ten_instances_at_most(women, men):
    dataset = hiring().subset([*range(8)] * 2)
    dataset.instance_names = [f"row {i}" for i in range(16)]
    metric = DiscriminativeRiskMetric.from_estimator(
        lambda features: features[:, 0], dataset, women, men
    )
    assert DRTextExplainer(metric).affected_instances().endswith("row 9 (1) and 6 more")


def test_nobody_affected_is_said(women, men):
    metric = DiscriminativeRiskMetric.from_estimator(
        lambda features: features[:, 2] > 4, hiring(), women, men
    )
    assert DRTextExplainer(metric).affected_instances().endswith(": none")


def test_counts_of_the_worst_case_make_its_value():
    metric = DiscriminativeRiskMetric.from_estimator(
        lambda features: features[:, 1] == 2, hiring(), [{"race": 0}], [{"race": 1}]
    )
    explained = json.loads(DRJSONExplainer(metric).worst_case_discriminative_risk())
    share = explained["numInstancesAtRisk"] / explained["numInstances"]
    assert share == metric.worst_case_discriminative_risk() != metric.discriminative_risk()
    assert "numLabelChanges" not in explained


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


class TestSeveralAttributes:
    """This model compares sex with race 1; changes of both cancel out."""

    @staticmethod
    def metric(**options):
        return DiscriminativeRiskMetric.from_estimator(
            lambda features: (features[:, 0] == 1) == (features[:, 1] == 1),
            hiring(),
            [{"sex": 0, "race": 0}],
            [{"sex": 1, "race": 1}],
            **options,
        )

    def test_risk_of_each_attribute_alone_and_of_all(self):
        found = self.metric(each_attribute=True).discriminative_risk_by_attribute()
        assert found == {"sex": 1.0, "race": 1.0, "all": 0.0}

    def test_together_they_have_the_same_risk_either_way(self):
        assert self.metric(each_attribute=True).discriminative_risk() == 0
        assert self.metric().discriminative_risk() == 0

    def test_the_text_says_that_one_alone_has_more_risk(self):
        text = DRTextExplainer(self.metric(each_attribute=True)).discriminative_risk()
        assert text.endswith(
            ": 0.0. Perturbing sex alone changes more predictions (100.0 %) than all attributes "
            "together (0.0 %)."
        )

    def test_nothing_is_said_of_what_is_unknown(self):
        assert DRTextExplainer(self.metric()).discriminative_risk().endswith(": 0.0")

    def test_an_attribute_that_was_not_perturbed_alone_is_unknown(self):
        with pytest.raises(AttributeError, match="each_attribute=True"):
            self.metric().discriminative_risk_by_attribute()

    def test_of_one_attribute_it_is_the_risk(self, metric):
        assert metric.discriminative_risk_by_attribute() == {"sex": metric.discriminative_risk()}


def test_the_definition_names_the_features_that_follow(metric, women, men):
    assert "protected attributes change):" in DRTextExplainer(metric).discriminative_risk()
    model = lambda features: features[:, 2] > 4  # noqa: E731
    coupled = {"years": {"sex": {1.0: {7.0: 5.0}}}}
    found = DiscriminativeRiskMetric.from_estimator(model, hiring(), women, men, coupled=coupled)
    text = DRTextExplainer(found).discriminative_risk()
    assert "protected attributes change, and years with them" in text
    assert "and years with them" in DRJSONExplainer(found).discriminative_risk_difference()
