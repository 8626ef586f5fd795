"""With missing sensitive values, every way to DR gives the same number."""

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame

import aif360_dr.sklearn
from dr_core import RiskDisplay, assess_risk, compare, learn_attributes
from fairlearn_dr import discriminative_risk, dr_metric_frame, risk_scorer

SEX = ["M", "F", "M", None, "F", "M", None, "F"]
X = pd.DataFrame({"sex": pd.Series(SEX, dtype=object), "points": [5, 5, 9, 5, 1, 5, 1, 9]})
Y = np.array([1, 0, 1, 1, 0, 1, 0, 1])
WEIGHTS = np.array([1.0, 4.0, 1.0, 8.0, 1.0, 1.0, 4.0, 2.0])
PRIVILEGED = {"sex": "M"}


def rule(X):
    return (X["points"] + 3 * (X["sex"] == "M") > 7).astype(int)


CASES = {None: 3 / 6, "weighted": 6 / 10}


@pytest.fixture(params=CASES)
def case(request):
    """Weights, and DR by hand: rows 0, 1 and 5 of the six with a value depend on it."""
    return None if request.param is None else WEIGHTS, CASES[request.param]


@pytest.fixture
def risk(case):
    attributes = learn_attributes(X, PRIVILEGED, missing="keep")
    return assess_risk(rule, X, attributes, sample_weight=case[0])


def test_assess_risk(risk, case):
    weights, expected = case
    assert risk.value == risk.table().loc["sex", "risk"] == risk.by_attribute["sex"] == expected
    assert repr(risk).startswith(f"<RiskAssessment: {100 * expected:.1f} % of predictions change")
    some = ~np.isnan(risk.individual)
    own = np.ones(8) if weights is None else weights
    assert np.average(risk.individual[some], weights=own[some]) == expected
    assert RiskDisplay.from_assessment(risk).values.to_numpy().tolist() == [[expected]]


def test_compare_and_its_report(risk, case):
    weights, expected = case
    options = {"sample_weight": weights, "measures": ["discriminative_risk", "accuracy"]}
    comparison = compare({"m": rule}, X, Y, risk.plan.attributes, **options)
    assert comparison.table()["discriminative_risk"].item() == expected
    moved = comparison.directions[["loses", "gains"]].sum(axis=1).item()
    assert moved == pytest.approx(expected)
    headline = f"{100 * expected:.1f} % of people would get a different decision"
    assert headline in comparison.to_markdown()
    assert headline in comparison.to_html().replace("\xa0", " ")
    assert not any("_perturbed" in name for name in comparison.table())


@pytest.mark.filterwarnings("ignore:a group has no perturbed row")
def test_fairlearn(risk, case):
    weights, expected = case
    options = {"missing": "keep", "sample_weight": weights}
    frame = dr_metric_frame(rule, X, Y, privileged=PRIVILEGED, **options)
    assert frame.overall["discriminative_risk"] == expected
    assert risk_scorer(PRIVILEGED, missing="keep")(rule, X, Y, weights) == -expected
    given = {"individual_risk": risk.individual}
    given |= {} if weights is None else {"sample_weight": weights}
    by_hand = MetricFrame(
        metrics=discriminative_risk,
        y_true=Y,
        y_pred=rule(X),
        sensitive_features=X["points"],
        sample_params=given,
    )
    assert by_hand.overall == expected


def test_aif360(case):
    weights, expected = case
    indexed = X.set_index("sex", drop=False)
    indexed.index.name = "protected"
    options = {"prot_attr": "protected", "priv_group": "M", "carried_by": {"protected": ["sex"]}}
    options |= {"missing": "keep", "sample_weight": weights}
    assert aif360_dr.sklearn.discriminative_risk(rule, indexed, **options) == expected
