"""Each rule of a claim looks at the right figures."""

import ast
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.paper import findings
from benchmarks.paper.claims import CLAIMS, judge
from benchmarks.paper.findings import Finding

ROOT = Path(__file__).parents[2]


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
    assert findings.correlates_best(folder, "paper") == (figures, share)


@pytest.mark.parametrize(("second", "share"), [(1.0, 1), (0.99, 2 / 3)])
def test_one_oracle_bound_that_fails_is_counted(results, second, share):
    names = ["first order", "second order", "C-tandem"]
    folder = results("bounds/coverage.csv", name=names, coverage=[1, second, 1])
    assert findings.oracle_bounds_hold(folder, "paper").share == pytest.approx(share)


def test_a_vote_is_compared_with_the_mean_risk_of_its_members(results):
    # Members change on 10 %, 20 % and none; the last ensemble has nothing to lower.
    bounds = {"first order without margin": [0.2, 0.4, 0.0]}
    folder = results("bounds/points.csv", actual=[0.05, 0.3, 0.0], **bounds)
    assert findings.voting_lowers_risk(folder, "paper").figures == "50.0% of 2 ensembles"


@pytest.mark.parametrize(("tightest", "share"), [(0.25, 0), (0.75, 1)])
def test_c_tandem_must_be_the_tightest_of_most_ensembles(results, tightest, share):
    names = ["first order", "second order", "C-tandem"]
    shares = {"tightest where C-tandem applies": [1 - tightest, 0, tightest]}
    found = findings.c_tandem_is_tightest(
        results("bounds/tightest.csv", bound=names, **shares), "paper"
    )
    assert found.share == share


def test_poaf_is_ranked_among_all_methods_with_the_full_ensemble(results):
    folder = results(
        "pruning/ranks.csv",
        method=["Ensem", "POAF", "KP"] * 2,
        ensemble=["bagging"] * 3 + ["SAMME"] * 3,
        measure="DR",
        **{"average rank, all cuts": [3, 2, 2.5, 1, 2.5, 2.0]},
    )
    figures = "bagging 1 of 3 (rank 2.00); SAMME 3 of 3 (rank 2.50)"
    assert findings.poaf_ranks_best(folder, "paper") == (figures, 0.5)


def test_accuracy_is_comparable_within_one_and_a_half_points(results):
    changes = {"accuracy change": [-1.4, -1.6]}
    folder = results("pruning/poaf_against_full.csv", ensemble=["bagging", "SAMME"], **changes)
    assert findings.poaf_is_accurate(folder, "paper") == ("bagging -1.40, SAMME -1.60 points", 0.5)


def test_scaling_is_measured_and_simulated(results):
    columns = {"time of": ["machines", "processes"], "speed-up": [1.9, 1.0]}
    folder = results(
        "pruning/scaling.csv", members=480, groups=2, efficiency=[0.95, 0.5], **columns
    )
    figures = "machines 1.90 to 1.90 times; processes 1.00 to 1.00 times"
    assert findings.epaf_d_scales(folder, "paper") == (figures, 0.5)


def test_the_fair_models_must_have_no_risk_under_both_perturbations(results):
    models = ["Unaware", "Fair K", "Fair add"]
    folder = results(
        "lawschool/summary.csv",
        model=models * 2,
        perturbation=["attributes alone"] * 3 + ["counterfactual"] * 3,
        tolerance=0.05,
        DR=[0, 0.4, 0.6, 0.9, 0, 0],
    )
    assert findings.no_risk_where_counterfactually_fair(folder, "paper").share == 0.5


def test_wins_of_poaf_over_adafair_are_counted(results):
    folder = results(
        "aware/ranks.csv",
        measure="accuracy",
        method=["AdaFair", "POAF"],
        **{"average rank": [6.0, 3.0], "win/tie/loss": ["5/2/2", None]},
    )
    found = findings.beats_adafair(folder, "paper")
    assert found == ("wins/ties/losses 5/2/2; ranks 3.0 and 6.0", 1)


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.find is None])
def test_a_claim_without_results_names_a_test_that_exists(claim):
    path, _, name = claim.see.partition("::")
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    tests = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert name in tests
    assert claim.verdict


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.text)
def test_every_claim_has_a_place_and_a_rule(claim):
    assert claim.place
    assert claim.rule
