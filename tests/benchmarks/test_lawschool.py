import pandas as pd
import pytest

from benchmarks.paper.lawschool import (
    ATTRIBUTES,
    COUNTERFACTUAL,
    MODELS,
    TOLERANCE,
    TOLERANCES,
    UNPERTURBED,
    count_grades,
    judge_model,
    side_by_side,
    summary,
)


@pytest.fixture(scope="module")
def rows():
    names = ["Fair add", "Unaware", "Full"]
    found = [{"model": name} | row for name in names for row in judge_model(name, 0, quick=True)]
    return pd.DataFrame(found)


def dr(rows, model, kind, protocol="recommended"):
    """Risk by tolerance."""
    part = rows.query("model == @model and perturbation == @kind and protocol == @protocol")
    return part.set_index("tolerance")["DR"]


def test_risk_falls_as_the_tolerance_grows(rows):
    assert dr(rows, "Full", ATTRIBUTES).is_monotonic_decreasing
    assert dr(rows, "Full", ATTRIBUTES).index.tolist() == TOLERANCES


def test_error_of_an_unaware_model_does_not_change_with_the_attributes_alone(rows):
    part = rows.query("model == 'Unaware' and perturbation == @ATTRIBUTES")
    assert part["MSE after"].tolist() == pytest.approx(part["MSE before"].tolist())


def test_risk_of_counterfactuals_is_zero_exactly_for_the_fair_model(rows):
    risks = {model: dr(rows, model, COUNTERFACTUAL)[TOLERANCE] for model in rows["model"].unique()}
    assert risks["Fair add"] == 0
    assert min(risks["Full"], risks["Unaware"]) > 0.5


def test_the_papers_protocol_leaves_some_people_as_they_are(rows):
    paper, exact = (dr(rows, "Full", ATTRIBUTES, how) for how in ("paper", "recommended"))
    assert paper[TOLERANCE] < exact[TOLERANCE]


def test_the_summary_is_the_mean_of_the_folds_in_the_order_of_models(rows):
    other = rows.assign(DR=rows["DR"] + 0.5)
    table = summary(pd.concat([rows, other]))
    assert table["model"].unique().tolist() == ["Full", "Unaware", "Fair add"]
    assert table["DR"].mean() == pytest.approx(rows["DR"].mean() + 0.25)


def test_the_table_has_published_and_measured_risk(rows):
    fair_k = rows.query("model == 'Fair add'").assign(model="Fair K")
    table = side_by_side(summary(pd.concat([rows, fair_k])))
    assert table["model"].tolist() == list(MODELS)
    assert table["published"].tolist() == ["> 0", "≈ 0", "≈ 0", "≈ 0"]


def test_densities_are_of_everybody_and_of_the_perturbed():
    table = pd.DataFrame(count_grades("Unaware", quick=True))
    shares = table.pivot(index="grade", columns="perturbation", values="share")
    assert shares.sum().tolist() == pytest.approx([1, 1, 1])
    assert shares[ATTRIBUTES].tolist() == pytest.approx(shares[UNPERTURBED].tolist())
    assert (shares[COUNTERFACTUAL] - shares[UNPERTURBED]).abs().max() > 0.01
