import pandas as pd
import pytest

from benchmarks.paper.claims import (
    Finding,
    bounds_hold,
    c_tandem_is_tightest,
    correlates_best,
    epaf_d_scales,
    judge,
    no_risk_where_counterfactually_fair,
    poaf_is_accurate,
    poaf_ranks_best,
)


@pytest.fixture
def results(tmp_path):
    """A function that writes a table of results, and tells where."""

    def write(path, **columns):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        pd.DataFrame(columns).assign(protocol="paper").to_csv(tmp_path / path, index=False)
        return tmp_path

    return write


@pytest.mark.parametrize(
    ("paper", "recommended", "verdict"),
    [
        (1, 1, "reproduced"),
        (1, 0, "partly reproduced"),
        (0, 0.5, "partly reproduced"),
        (0, 0, "not reproduced"),
    ],
)
def test_a_claim_is_reproduced_when_all_cases_of_both_protocols_hold(paper, recommended, verdict):
    assert judge(Finding("", paper), Finding("", recommended)) == verdict


@pytest.mark.parametrize(("dp", "share"), [(0.3, 1), (0.6, 0.5)])
def test_dr_must_correlate_more_than_every_other_measure(results, dp, share):
    within = {"change in": "accuracy", "within data sets": [0.4, 0.2]}
    folder = results(
        "quality/correlations.csv", measure=["DR", "DP"], correlation=[0.5, dp], **within
    )
    figures = f"pooled DR 0.50, next DP {dp:.2f}; within data sets DR 0.40, next DP 0.20"
    assert correlates_best(folder, "paper") == (figures, share)


@pytest.mark.parametrize(("margin", "share"), [(1.0, 1), (0.99, 0)])
def test_one_proven_bound_that_fails_is_enough(results, margin, share):
    names = ["margin", "PAC, one hypothesis", "PAC, all weightings", "first order without margin"]
    folder = results("bounds/coverage.csv", name=names, coverage=[margin, 0.95, 1, 0.7])
    assert bounds_hold(folder, "paper").share == share


@pytest.mark.parametrize(("tightest", "share"), [(0.25, 0), (0.75, 1)])
def test_c_tandem_must_be_the_tightest_of_most_ensembles(results, tightest, share):
    names = ["first order", "second order", "C-tandem"]
    shares = {"tightest where C-tandem applies": [1 - tightest, 0, tightest]}
    found = c_tandem_is_tightest(results("bounds/tightest.csv", bound=names, **shares), "paper")
    assert found.share == share


def test_poaf_is_ranked_among_pruning_methods_not_with_the_full_ensemble(results):
    folder = results(
        "pruning/ranks.csv",
        method=["Ensem", "POAF", "KP"] * 2,
        ensemble=["bagging"] * 3 + ["SAMME"] * 3,
        measure="DR",
        **{"average rank, all cuts": [1, 2, 3, 1, 2.5, 2.0]},
    )
    figures = "bagging 1 of 2 (rank 2.00); SAMME 2 of 2 (rank 2.50)"
    assert poaf_ranks_best(folder, "paper") == (figures, 0.5)


def test_accuracy_is_comparable_within_one_and_a_half_points(results):
    changes = {"accuracy change": [-1.4, -1.6]}
    folder = results("pruning/poaf_against_full.csv", ensemble=["bagging", "SAMME"], **changes)
    assert poaf_is_accurate(folder, "paper") == ("bagging -1.40, SAMME -1.60 points", 0.5)


def test_scaling_is_that_of_machines(results):
    columns = {"time of": ["machines", "processes"], "speed-up": [1.9, 1.0]}
    folder = results(
        "pruning/scaling.csv", members=480, groups=2, efficiency=[0.95, 0.5], **columns
    )
    assert epaf_d_scales(folder, "paper") == ("2 groups 1.90 times", 1)


def test_the_fair_models_must_have_no_risk_under_both_perturbations(results):
    models = ["Fair K", "Fair add"]
    folder = results(
        "lawschool/summary.csv",
        model=models * 2,
        perturbation=["attributes alone"] * 2 + ["counterfactual"] * 2,
        tolerance=0.05,
        DR=[0.4, 0.6, 0, 0],
    )
    assert no_risk_where_counterfactually_fair(folder, "paper").share == 0.5
