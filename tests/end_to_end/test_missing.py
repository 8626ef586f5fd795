"""With missing sensitive values, every way to DR gives the same number."""

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame
from sklearn.ensemble import RandomForestClassifier

import aif360_dr.sklearn
from dr_core import (
    Predictions,
    RiskDisplay,
    assess_risk,
    assess_shift,
    at_least,
    collect_votes,
    compare,
    compute_bounds,
    learn_attributes,
)
from fairlearn_dr import (
    POAFPruner,
    discriminative_risk,
    dr_metric_frame,
    perturbed_predictions,
    risk_scorer,
)

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


def make_loans(n=600, seed=0):
    """Loans of people of whom two of three have no recorded sex, which decides for many."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"sex": rng.integers(0, 2, n) + 0.0, "pay": rng.normal(size=n).round(2)})
    y = (X["pay"] + X["sex"] + rng.normal(size=n) / 2 > 0.5).astype(int).to_numpy()
    return X.assign(sex=X["sex"].where(rng.random(n) < 1 / 3)), y


@pytest.fixture(scope="module")
def loans():
    X, y = make_loans()
    forest = RandomForestClassifier(15, min_samples_leaf=3, random_state=0).fit(X, y)
    return forest, *make_loans(seed=1)


PAYS = {"sex": 1.0}


def test_votes_and_bounds_are_those_of_the_rows_with_a_value(loans):
    forest, X, y = loans
    attributes, some = learn_attributes(X, PAYS, missing="keep"), X["sex"].notna().to_numpy()
    votes = collect_votes(forest, X, y, attributes, method="exact")
    alone = collect_votes(forest, X[some], y[some], attributes, method="exact")
    assert set(votes.rows) == set(np.flatnonzero(some))
    assert votes.risk == alone.risk
    pd.testing.assert_frame_equal(compute_bounds(votes), compute_bounds(alone))


def test_a_pruner_states_the_risk_of_the_rows_with_a_value(loans):
    forest, X, y = loans
    options = {"privileged": PAYS, "prefit": True, "missing": "keep", "random_state": 0}
    pruner = POAFPruner(forest, max_members=5, n_iter=20, method="exact", **options).fit(X, y)
    attributes = learn_attributes(X, PAYS, missing="keep")
    assert pruner.result_.risk == pytest.approx(assess_risk(pruner, X, attributes).value)


def test_the_report_says_which_rows_its_shares_are_of(loans):
    forest, X, y = loans
    attributes, some = learn_attributes(X, PAYS, missing="keep"), X["sex"].notna().to_numpy()
    comparison = compare({"m": forest}, X, y, attributes, n_boot=20, ensembles=True)
    page = comparison.to_html().replace("\xa0", " ")
    favorable = forest.predict(X[some]).mean()
    assert f"{100 * favorable:.1f} % of the decisions about {some.sum()} perturbed rows" in page
    assert "Most affected group: (missing)" not in page
    assert "Most affected group" in page
    n_left_out = (~some).sum()
    assert f"{n_left_out} rows that lack all sensitive values are left out of this section" in page
    scores = comparison.ensembles["m"].scores.query("vote == 'full'")
    assert scores["rows"].sum() == some.sum()
    (decision,) = comparison.check(max_risk=0.2).decisions
    assert decision.rows == some.sum()


def test_rows_that_lack_one_of_two_values_are_in_the_section_of_the_ensemble(loans):
    forest, X, y = loans
    richer = {"pay": at_least(0)}
    attributes = learn_attributes(X, PAYS | richer, missing="keep")
    page = compare({"m": forest}, X, y, attributes, ensembles=True).to_html()
    assert "left out of this section" not in page


def test_a_score_in_a_comparison_moves_by_the_mean_over_the_rows_with_a_value(loans):
    forest, X, y = loans
    attributes = learn_attributes(X, PAYS, missing="keep")
    values = compare({"m": forest}, X, y, attributes, measures=["score_shift"]).table()
    expected = assess_shift(forest, X, attributes).mean
    assert values["score_shift"].item() == pytest.approx(expected)


def test_predictions_for_rows_that_cannot_be_perturbed_are_refused(loans):
    forest, X, y = loans
    with pytest.raises(ValueError, match=r"rows have no sensitive value.*individual_risk"):
        perturbed_predictions(forest, X, privileged=PAYS, missing="keep")
    f = forest.predict(X)
    attributes = learn_attributes(X, PAYS, missing="keep")
    with pytest.raises(ValueError, match=r"y_pred_perturbed of 'm'.*rows whose sensitive values"):
        compare({"m": Predictions(f, 1 - f)}, X, y, attributes)


@pytest.mark.parametrize("model", [lambda X: X["pay"] > 0, None])
def test_without_any_value_the_reason_is_named(loans, model):
    forest, X, y = loans
    attributes = learn_attributes(X, PAYS, missing="keep")
    options = {"measures": ["discriminative_risk", "score_shift", "accuracy"], "reference": X}
    with pytest.warns(UserWarning, match="no row has a sensitive value to perturb") as caught:
        found = compare({"m": model or forest}, X.assign(sex=np.nan), y, attributes, **options)
    assert not any("has no score" in str(one.message) for one in caught)
    page = found.to_html()
    assert "is unknown: no row has a sensitive value." in page
    assert "vnan" not in page
    assert "undefined would" not in page
    with pytest.raises(ValueError, match="no row has a sensitive value"):
        collect_votes(forest, X.assign(sex=np.nan), y, attributes)
