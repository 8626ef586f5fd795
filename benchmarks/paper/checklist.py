"""Every definition, theorem, algorithm, figure and table of the paper, and its counterpart here.

`code` is an importable name, or a file of the benchmarks; `evidence` lists tests, and tables and
figures in the folder of results. Numbers are the paper's.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd


class Item(NamedTuple):
    """One item of the paper.

    Attributes
    ----------
    kind : "definition", "theorem", "algorithm", "figure" or "table"
    name : the paper's number or name, and what it is
    place : section
    code : where it is in this repository: importable names, or files
    evidence : tests, as paths, and files of results, as paths below `benchmarks/paper/results`
    note : what differs from the paper, if anything
    """

    kind: str
    name: str
    place: str
    code: list[str]
    evidence: list[str]
    note: str = ""


def checklist_table(results: Path) -> pd.DataFrame:
    """The checklist; raises FileNotFoundError if a file of results is missing."""
    rows = []
    for item in ITEMS:
        missing = [name for name in _results_of(item) if not (results / name).is_file()]
        if missing:
            raise FileNotFoundError(f"{item.name}: no {', '.join(missing)} in {results.name}")
        rows.append(
            [item.kind, item.name, item.place, _names(item.code), _names(item.evidence), item.note]
        )
    columns = ["kind", "in the paper", "section", "here", "made or checked by", "note"]
    return pd.DataFrame(rows, columns=columns)


def _results_of(item: Item) -> list[str]:
    return [name for name in item.evidence if not name.startswith("tests/")]


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


PERTURB_TESTS = "tests/dr_core/perturbation"
RISK_TESTS = "tests/dr_core/risk/test_assessment.py"
METRIC_TESTS = "tests/dr_core/metrics/test_tally.py"
VOTE_TESTS = "tests/dr_core/ensembles/test_votes.py"
BOUND_TESTS = "tests/dr_core/test_bounds.py"
OBJECTIVE_TESTS = "tests/dr_core/pruning/test_objectives.py"
NO_NUMBERS = "the paper's text has no numbers of this figure"
NO_TABLE = "the body of this table is not in the paper's source; ranks are compared with its text"

ITEMS = [
    Item("definition", "perturbation ã of a", "3", ["dr_core.perturb"], [PERTURB_TESTS]),
    Item(
        "definition",
        "DP, EOpp, PP (footnote)",
        "3.1",
        ["dr_core.metrics.measure"],
        [METRIC_TESTS],
    ),
    Item(
        "definition",
        "Lipschitz individual fairness (footnote)",
        "3.1",
        [],
        [],
        "background; the paper does not compute it",
    ),
    Item(
        "definition", "risk of one instance ℓ_bias", "3.1", ["dr_core.assess_risk"], [RISK_TESTS]
    ),
    Item("definition", "empirical DR", "3.1", ["dr_core.assess_risk"], [RISK_TESTS]),
    Item(
        "definition",
        "true DR",
        "3.1",
        ["dr_core.bounds.pac_bound"],
        [BOUND_TESTS],
        "an expectation over the population; estimated, with bounds",
    ),
    Item(
        "definition",
        "counterfactual fairness (footnote)",
        "3.1.1",
        ["benchmarks.paper.counterfactual.AdditiveWorld"],
        ["tests/benchmarks/test_counterfactual.py"],
    ),
    Item(
        "definition",
        "proxy discrimination (footnote)",
        "3.1.1",
        [],
        [],
        "background; the paper does not compute it",
    ),
    Item("definition", "subgroup difference L′", "3.1.1", ["dr_core.assess_risk"], [RISK_TESTS]),
    Item("definition", "weighted vote", "3.2", ["dr_core.Votes"], [VOTE_TESTS]),
    Item("definition", "margin γ", "3.2", ["dr_core.Votes.margin"], [VOTE_TESTS]),
    Item("definition", "inconsistency φ", "3.2", ["dr_core.Votes.inconsistency"], [VOTE_TESTS]),
    Item(
        "definition",
        "margin bound ℓ(wv, x) ≤ 1[φ ≥ γ/2]",
        "3.2",
        ["dr_core.bounds.margin_bound"],
        [BOUND_TESTS, "bounds/coverage.csv"],
    ),
    Item(
        "definition",
        "tandem fairness quality L(f, f′)",
        "3.2.2",
        ["dr_core.pruning.tandem_risks"],
        [OBJECTIVE_TESTS],
    ),
    Item("definition", "0/1 loss of accuracy", "3.3", ["dr_core.Votes.error"], [VOTE_TESTS]),
    Item(
        "definition",
        "Pareto dominance",
        "3.3",
        ["dr_core/pruning/_pareto.py"],
        ["tests/dr_core/pruning/test_pareto.py"],
    ),
    Item(
        "definition",
        "objective 𝓛(f, f′) of a pair",
        "3.3",
        ["dr_core/pruning/_objectives.py"],
        [OBJECTIVE_TESTS],
    ),
    Item(
        "definition",
        "objective 𝓛 of a vote",
        "3.3",
        ["dr_core.pruning.scalar_objective"],
        [OBJECTIVE_TESTS],
    ),
    Item(
        "definition",
        "speed-up and efficiency (footnote)",
        "C.3",
        ["benchmarks.paper.scaling.summaries"],
        ["tests/benchmarks/test_scaling.py"],
    ),
    Item(
        "definition",
        "models Full, Unaware, Fair K, Fair add",
        "D",
        ["benchmarks.paper.counterfactual", "benchmarks.paper.knowledge"],
        ["tests/benchmarks/test_counterfactual.py", "tests/benchmarks/test_knowledge.py"],
    ),
    Item(
        "theorem",
        "theorem 3.1, first-order bound",
        "3.2.1",
        ["dr_core.bounds.first_order_bound"],
        [BOUND_TESTS, "bounds/coverage.csv"],
    ),
    Item(
        "theorem",
        "theorem 3.2, second-order bound",
        "3.2.1",
        ["dr_core.bounds.second_order_bound"],
        [BOUND_TESTS, "bounds/coverage.csv"],
    ),
    Item(
        "theorem",
        "theorem 3.3, C-tandem bound",
        "3.2.1",
        ["dr_core.bounds.c_tandem_bound"],
        [BOUND_TESTS, "bounds/coverage.csv"],
    ),
    Item(
        "theorem",
        "corollary 3.4, relaxed first order",
        "3.2.2",
        ["dr_core.bounds.relaxed_first_order_bound"],
        [BOUND_TESTS, "bounds/coverage.csv"],
    ),
    Item(
        "theorem",
        "lemma 3.5, E[φ²] = E_ρ²[L(f, f′)]",
        "3.2.2",
        ["dr_core.pruning.tandem_risks"],
        [BOUND_TESTS, "bounds/points.csv"],
    ),
    Item(
        "theorem",
        "corollary 3.6, relaxed second order",
        "3.2.2",
        ["dr_core.bounds.relaxed_second_order_bound"],
        [BOUND_TESTS, "bounds/coverage.csv"],
    ),
    Item(
        "theorem",
        "theorem 3.7, PAC, one hypothesis",
        "3.2.3",
        ["dr_core.bounds.pac_bound"],
        [BOUND_TESTS, "bounds/coverage.csv"],
    ),
    Item(
        "theorem",
        "theorem 3.8, PAC, all weightings",
        "3.2.3",
        ["dr_core.bounds.pac_bound"],
        [BOUND_TESTS, "bounds/coverage.csv"],
        "its union bound covers the members only: marked as not guaranteed",
    ),
    Item(
        "algorithm",
        "algorithm 1, POAF",
        "A.1",
        ["dr_core.poaf"],
        ["tests/dr_core/pruning/test_poaf.py"],
        'as published with neighbourhood="paper", n_iter=k and ties="lowest"',
    ),
    Item(
        "algorithm",
        "algorithm 2, EPAF-C",
        "A.1",
        ["dr_core.epaf"],
        ["tests/dr_core/pruning/test_epaf.py"],
        "starts with the member of lowest 𝓛 instead of an arbitrary one",
    ),
    Item(
        "algorithm",
        "algorithm 3, EPAF-D",
        "A.1",
        ["dr_core.epaf"],
        ["tests/dr_core/pruning/test_epaf.py"],
    ),
    Item(
        "figure",
        "1: DR, DP, EOpp, PP against the change in performance",
        "4.1",
        ["benchmarks.paper.quality"],
        ["quality/scatter.png", "quality/correlations.png"],
        NO_NUMBERS,
    ),
    Item(
        "figure",
        "2: law school, MSE, and its change against DR",
        "4.1",
        ["benchmarks.paper.lawschool"],
        ["lawschool/errors.png", "lawschool/changes.png", "lawschool/summary.csv"],
        NO_NUMBERS,
    ),
    Item(
        "figure",
        "3: bounds against what they bound",
        "4.2",
        ["benchmarks.paper.bounds"],
        ["bounds/bounds_paper.png", "bounds/bounds_recommended.png"],
        NO_NUMBERS,
    ),
    Item(
        "figure",
        "4: analogues without margin",
        "4.2",
        ["benchmarks.paper.bounds"],
        ["bounds/bounds_paper.png", "bounds/bounds_recommended.png"],
        "panels of the same figures",
    ),
    Item(
        "figure",
        "5: fairness against accuracy, and their weighted sum",
        "4.3",
        ["benchmarks.paper.aware"],
        ["aware/trade_off_paper.png", "aware/trade_off_recommended.png"],
        NO_NUMBERS,
    ),
    Item(
        "figure",
        "6: Friedman charts and ranks of fairness-aware methods",
        "4.3",
        ["benchmarks.paper.aware"],
        ["aware/critical_difference_paper.png", "aware/critical_difference_recommended.png"],
    ),
    Item(
        "figure",
        "7: Friedman charts and ranks of pruning methods, bagging",
        "4.4",
        ["benchmarks.paper.rank_charts"],
        ["pruning/ranks_bagging.png", "pruning/critical_difference_DR.png", "pruning/ranks.csv"],
    ),
    Item(
        "figure",
        "8: group fairness after pruning, AdaBoostM1",
        "C.2",
        ["benchmarks.paper.rank_charts"],
        ["pruning/group_ranks_AdaBoostM1.png", "pruning/ranks_AdaBoostM1.png"],
    ),
    Item(
        "figure",
        "9: group fairness after pruning, SAMME",
        "C.2",
        ["benchmarks.paper.rank_charts"],
        ["pruning/group_ranks_SAMME.png", "pruning/ranks_SAMME.png"],
    ),
    Item(
        "figure",
        "10: income by attribute and jointly",
        "C.2",
        ["benchmarks.paper.income"],
        ["pruning/income_paper.png", "pruning/income_recommended.png"],
        NO_NUMBERS,
    ),
    Item(
        "figure",
        "11: speed-up and efficiency of EPAF-D",
        "C.3",
        ["benchmarks.paper.scaling"],
        ["pruning/scaling.png", "pruning/scaling.csv"],
        "processes, threads and simulated machines",
    ),
    Item(
        "figure",
        "12: effect of λ",
        "C.3",
        ["benchmarks.paper.lambda_effect"],
        ["pruning/lambda.png", "pruning/lambda_wins.csv"],
        "with two more data sets",
    ),
    Item(
        "figure",
        "13: space and time cost",
        "C.3",
        ["benchmarks.paper.cost"],
        ["pruning/cost.png", "pruning/sizes.csv", "pruning/times.csv"],
        NO_NUMBERS,
    ),
    Item(
        "figure",
        "14: causal model of Fair K, density of predicted FYA",
        "D",
        ["benchmarks.paper.lawschool"],
        ["lawschool/densities.png"],
        "the diagram of the causal model is the list of its equations",
    ),
    Item(
        "table",
        "1: data sets",
        "B",
        ["dr_core.datasets"],
        ["tests/dr_core/datasets", "tests/benchmarks/test_published.py"],
    ),
    Item(
        "table",
        "2: accuracy and F1 of fairness-aware methods",
        "C.1",
        ["benchmarks.paper.aware"],
        ["aware/means.csv", "aware/ranks.csv"],
    ),
    Item(
        "table",
        "3: DR, DP, EOpp, PP of fairness-aware methods",
        "C.1",
        ["benchmarks.paper.aware"],
        ["aware/means.csv", "aware/ranks.csv"],
    ),
    Item(
        "table",
        "4: DR of pruning methods",
        "C.2",
        ["benchmarks.paper.pruning"],
        ["pruning/means.csv", "pruning/ranks.csv", "pruning/ranks_tie_free.csv"],
    ),
    Item(
        "table",
        "5: accuracy of pruning methods",
        "C.2",
        ["benchmarks.paper.pruning"],
        ["pruning/means.csv", "pruning/ranks.csv"],
    ),
    Item(
        "table",
        "6: DP, EOpp, PP of pruning methods, bagging",
        "C.2",
        ["benchmarks.paper.pruning"],
        ["pruning/means.csv", "pruning/ranks.csv", "pruning/group_ranks_bagging.png"],
        NO_TABLE,
    ),
    Item(
        "table",
        "7: DP, EOpp, PP of pruning methods, AdaBoostM1",
        "C.2",
        ["benchmarks.paper.pruning"],
        ["pruning/means.csv", "pruning/ranks.csv"],
        NO_TABLE,
    ),
    Item(
        "table",
        "8: DP, EOpp, PP of pruning methods, SAMME",
        "C.2",
        ["benchmarks.paper.pruning"],
        ["pruning/means.csv", "pruning/ranks.csv"],
        NO_TABLE,
    ),
]
