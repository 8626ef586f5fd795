"""Every claim of the paper: where it stands, the rule that judges it, and its verdict.

A claim that the results can decide is judged once for each protocol: reproduced when all its cases
hold under both protocols, not reproduced when none holds, partly reproduced otherwise. A claim
about mathematics names the test that checks it. Sections, figures and tables have the paper's
numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from benchmarks.paper import findings
from benchmarks.paper.findings import Finding
from benchmarks.paper.protocol import PAPER, RECOMMENDED

Find = Callable[[Path, str], Finding]

TESTED = "holds, tested"
NOT_PROVEN = "not guaranteed, tested"


class Claim(NamedTuple):
    """One claim.

    Attributes
    ----------
    place : section, and figure or table if there is one
    text : the claim in short
    rule : what must hold for it to count as reproduced
    find : the function that looks at the results, or None
    see : sub-page with the figures, or the test that checks a claim without results
    verdict : of a claim without results
    """

    place: str
    text: str
    rule: str
    find: Find | None
    see: str
    verdict: str = ""

    def judge(self, results: Path) -> str:
        """Return the verdict."""
        if self.find is None:
            return self.verdict
        return judge(self.find(results, PAPER), self.find(results, RECOMMENDED))

    def figures(self, results: Path, protocol: str) -> str:
        """Return what a protocol measured."""
        return self.find(results, protocol).figures if self.find else "–"


def judge(paper: Finding, recommended: Finding) -> str:
    """Reproduced, partly, or not.

    >>> judge(Finding("", 1), Finding("", 1)), judge(Finding("", 0), Finding("", 0.3))
    ('reproduced', 'partly reproduced')
    """
    shares = paper.share, recommended.share
    if min(shares) == 1:
        return "reproduced"
    return "not reproduced" if max(shares) == 0 else "partly reproduced"


def verdicts_table(results: Path) -> pd.DataFrame:
    """Every claim with its place and its verdict."""
    rows = [
        [number, claim.place, claim.text, f"**{claim.judge(results)}**"]
        for number, claim in enumerate(CLAIMS, 1)
    ]
    return pd.DataFrame(rows, columns=["", "place", "the paper's claim", "verdict"])


def claims_table(results: Path) -> pd.DataFrame:
    """Every claim with its rule, its figures and where they come from."""
    rows = [
        [
            number,
            claim.text,
            claim.rule,
            claim.figures(results, PAPER),
            claim.figures(results, RECOMMENDED),
            f"`{claim.see}`" if claim.find is None else claim.see,
        ]
        for number, claim in enumerate(CLAIMS, 1)
    ]
    columns = ["", "claim", "rule", "paper protocol", "recommended protocol", "see"]
    return pd.DataFrame(rows, columns=columns)


RISK_TESTS = "tests/dr_core/risk/test_assessment.py"
BOUND_TESTS = "tests/dr_core/test_bounds.py"

QUALITY = "[RQ1](quality.md)"
BOUNDS = "[RQ2](bounds.md)"
AWARE = "[RQ3](fairness_aware.md)"
PRUNING = "[RQ4](pruning.md)"
GROUPS = "[RQ4, groups](pruning_groups.md)"
COST = "[RQ4, λ and cost](lambda_and_cost.md)"
CASE = "[case study](law_school.md)"

CLAIMS = [
    # Abstract and methodology
    Claim(
        "abstract, 3.1",
        "DR expresses individual and group fairness: the risk of one person, averaged over people",
        "DR of a table is the mean of the risks of its rows",
        None,
        f"{RISK_TESTS}::test_exact_risk_is_that_of_the_textbook",
        TESTED,
    ),
    Claim(
        "3.1",
        "empirical DR is an unbiased estimate of true DR",
        "the mean of sampled DR over draws is exact DR",
        None,
        f"{RISK_TESTS}::test_exact_risk_is_the_mean_of_sampled_risk",
        TESTED,
    ),
    Claim(
        "3.1",
        "DR = 0 is necessary for a fair model, not sufficient",
        "a model of the case study has DR 0 and changes on counterfactuals",
        findings.no_risk_is_not_enough,
        CASE,
    ),
    Claim(
        "3.1",
        "DR has smaller values than the group measures",
        "mean DR below mean DP, EOpp and PP",
        findings.has_smaller_values,
        QUALITY,
    ),
    Claim(
        "abstract, 3.2, 4.5",
        "measure and bounds are suitable for binary and multi-class classification",
        "bounds of random votes of up to four classes equal the textbook and hold",
        None,
        f"{BOUND_TESTS}::test_every_bound_equals_the_textbook",
        TESTED,
    ),
    Claim(
        "3.2",
        "a vote that changes has inconsistency of at least half its margin",
        "holds for random votes",
        None,
        "tests/dr_core/ensembles/test_votes.py"
        "::test_a_changed_vote_has_inconsistency_of_half_the_margin",
        TESTED,
    ),
    Claim(
        "3.2.3, theorem 3.8",
        "the PAC bound over all members holds for all weightings at once",
        "weights chosen on the rows break it; the library marks it as not guaranteed",
        None,
        f"{BOUND_TESTS}::test_the_papers_union_bound_over_members_is_not_guaranteed",
        NOT_PROVEN,
    ),
    Claim(
        "4.5",
        "DR depends on random perturbations",
        "sampled DR varies with the draw; exact DR, the default here, does not",
        None,
        f"{RISK_TESTS}::test_exact_risk_is_the_mean_of_sampled_risk",
        TESTED,
    ),
    # RQ1
    Claim(
        "4.1, figure 1a",
        "DR correlates best with the change in accuracy",
        "higher than DP, EOpp and PP, pooled and within data sets",
        findings.correlates_best,
        QUALITY,
    ),
    Claim(
        "4.1, figure 1b",
        "DR correlates best with the change in specificity",
        "higher than DP, EOpp and PP, pooled and within data sets",
        partial(findings.correlates_best, change="specificity"),
        QUALITY,
    ),
    Claim(
        "4.1, figure 2b",
        "DR ≈ 0 for the counterfactually fair models (Unaware, Fair K, Fair add)",
        "below 0.01, attributes alone and counterfactual",
        findings.no_risk_where_counterfactually_fair,
        CASE,
    ),
    # RQ2
    Claim(
        "4.2, figures 3a to 3c",
        "the first- and second-order and the C-tandem bound hold",
        "for every ensemble",
        findings.oracle_bounds_hold,
        BOUNDS,
    ),
    Claim(
        "4.2, figure 3c",
        "C-tandem is tighter than the first- and second-order bounds",
        "the tightest of the three for most ensembles to which it applies",
        findings.c_tandem_is_tightest,
        BOUNDS,
    ),
    Claim(
        "4.2, figure 3d",
        "both sides of the lemma are identical",
        "equal for random votes",
        None,
        f"{BOUND_TESTS}::test_the_lemma_second_moment_is_mean_tandem_risk",
        TESTED,
    ),
    Claim(
        "4.2, figures 3e and 3f",
        "the relaxed bounds hold",
        "for every ensemble",
        findings.relaxed_bounds_hold,
        BOUNDS,
    ),
    Claim(
        "4.2, figures 3g and 3h",
        "the PAC bounds hold in most cases",
        "in more than 90 %, computed on training (or held-out) rows, compared on test rows",
        findings.pac_bounds_mostly_hold,
        BOUNDS,
    ),
    Claim(
        "4.2, figure 4",
        "bounds with a margin hold more often than their analogues without",
        "higher coverage, each of the three",
        findings.margins_raise_coverage,
        BOUNDS,
    ),
    Claim(
        "abstract, 1, 4.2, 5",
        "combining classifiers improves fairness in most cases",
        "DR of the vote at most the mean DR of its members, for most ensembles",
        findings.voting_lowers_risk,
        BOUNDS,
    ),
    Claim(
        "5",
        "larger margins tighten the bounds",
        "the same inconsistency with larger margins has lower bounds",
        None,
        f"{BOUND_TESTS}::test_the_same_inconsistency_with_wider_margins_has_lower_bounds",
        TESTED,
    ),
    # RQ3
    Claim(
        "4.3, figures 5e to 5h and 6a",
        "POAF is significantly better than AdaFair",
        "more wins than losses on accuracy by paired t-tests",
        findings.beats_adafair,
        AWARE,
    ),
    Claim(
        "4.3, figures 5 and 6a",
        "POAF is comparable with FairGBM, not better",
        "average rank on accuracy worse by less than the critical difference",
        findings.is_level_with_fairgbm,
        AWARE,
    ),
    Claim(
        "4.3, figures 5f and 5g",
        "POAF balances accuracy and fairness slightly better than LightGBM",
        "lower mean of error and EOpp, and of error and PP",
        findings.balances_better_than_lightgbm,
        AWARE,
    ),
    Claim(
        "4.3, figures 6c, 6d, 6f, 6g",
        "POAF is fairer than the ensemble it prunes",
        "better average rank on DR, DP and EOpp",
        findings.is_fairer_than_bagging,
        AWARE,
    ),
    Claim(
        "4.3, figure 6",
        "POAF is nearly the fairest, compared with FairGBM and AdaFair",
        "among the first three of seven on DR, DP and EOpp",
        findings.is_nearly_the_fairest,
        AWARE,
    ),
    Claim(
        "C.1, tables 2 and 3",
        "POAF ranks high on every measure but F1",
        "in the better half on each, not on F1",
        findings.ranks_high_but_for_f1,
        AWARE,
    ),
    Claim(
        "C.1, tables 2 and 3",
        "POAF improves fairness and accuracy of bagging concurrently",
        "lower DR in most rows, and higher accuracy in most rows",
        findings.improves_both,
        AWARE,
    ),
    # RQ4
    Claim(
        "4.4, figures 7a, 7b, 7e, 7f",
        "POAF has at least the accuracy of the baselines",
        "no method significantly better on accuracy or precision (Nemenyi's test, bagging)",
        findings.is_as_accurate_as_baselines,
        PRUNING,
    ),
    Claim(
        "4.4, figures 7c and 7d, C.2, table 4",
        "POAF has the best average rank on DR of all, *Ensem* included",
        "first of 22, each ensemble",
        findings.poaf_ranks_best,
        PRUNING,
    ),
    Claim(
        "the same, without ties",
        "POAF has the best average rank on DR of all, *Ensem* included",
        "first of 22, each ensemble, POAF with the tie-free rule of this library",
        findings.tie_free_poaf_ranks_best,
        PRUNING,
    ),
    Claim(
        "4.4, figure 7h",
        "POAF has the best average rank on the objective 𝓛",
        "first of 22, bagging",
        findings.poaf_ranks_best_on_the_objective,
        PRUNING,
    ),
    Claim(
        "abstract, 1, 4.3, 5",
        "POAF makes ensembles fairer without much loss of accuracy",
        "accuracy at most 1.5 points below the full ensemble's",
        findings.poaf_is_accurate,
        PRUNING,
    ),
    Claim(
        "C.2, table 5",
        "on accuracy POAF ties with the baselines in most cases",
        "more ties than wins and losses by paired t-tests, first cut",
        findings.accuracy_is_mostly_tied,
        PRUNING,
    ),
    Claim(
        "4.4, figures 7a and 7c",
        "EPAF-C and EPAF-D are fair, with comparable accuracy",
        "in the better half on DR, not significantly worse on accuracy (bagging)",
        findings.epaf_is_fair_and_accurate,
        PRUNING,
    ),
    Claim(
        "C.2, tables 6 to 8, figures 8 and 9",
        "POAF is the best or nearly the best on DP, EOpp and PP",
        "among the first three of 22; PP with bagging only, as in the paper",
        findings.is_nearly_best_on_group_measures,
        GROUPS,
    ),
    Claim(
        "C.2, tables 7c and 8c",
        "EPAF-C is good on PP with boosting",
        "among the first three of 22",
        findings.epaf_c_is_good_on_pp,
        GROUPS,
    ),
    Claim(
        "C.2, figures 10a, 10e, 10i",
        "POAF has the lowest DR and 𝓛 on income",
        "first of 22, each ensemble",
        findings.is_best_on_income,
        GROUPS,
    ),
    Claim(
        "C.2, figure 10",
        "POAF is the fairest on income by race, by sex and jointly, in most cases",
        "smallest DP, EOpp, PP in more than half of the cases",
        findings.is_fairest_by_attribute_on_income,
        GROUPS,
    ),
    Claim(
        "C.2, table 4",
        "DR on ricci is extraordinarily low",
        "mean DR of a method below 0.01",
        findings.ricci_has_hardly_any_risk,
        PRUNING,
    ),
    Claim(
        "4.4, 4.5, figure 13b",
        "POAF takes longer than EPAF",
        "more processor time than EPAF-C and EPAF-D, each data set",
        findings.poaf_is_slower_than_epaf,
        COST,
    ),
    Claim(
        "C.3, figure 13a",
        "OO, DREP, SEP, OEP, PEP, TSP.AP, TSP.DP and POAF cannot fix the size",
        "these, and no other method, keep a varying number of members",
        findings.sizes_are_not_fixed,
        COST,
    ),
    Claim(
        "C.3, figure 12c",
        "POAF has the lowest 𝓛, whatever λ",
        "bagged MLPs on ricci, λ = 0.1, 0.2, … 0.9",
        findings.has_the_lowest_objective_for_all_lambdas,
        COST,
    ),
    Claim(
        "C.3, figures 12a, 12b, 12d to 12f",
        "where accuracy and fairness weigh the same, POAF is the best on both",
        "best accuracy, DR, DP and EOpp at λ = 0.5, bagged MLPs on ricci",
        findings.is_best_where_both_matter,
        COST,
    ),
    Claim(
        "A.2, C.3, figure 11",
        "EPAF-D scales linearly with the number of machines",
        f"efficiency above {findings.EFFICIENT}, each size, processes and simulated machines",
        findings.epaf_d_scales,
        COST,
    ),
]
