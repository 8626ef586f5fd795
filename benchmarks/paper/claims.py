"""The paper's claims, and what the results say of each.

A claim is judged once for each protocol, by a rule that stands here in code: reproduced when it
holds under both, partly when it holds under one, or for some of the cases it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from benchmarks.paper.bounds import ORACLE, PAC
from benchmarks.paper.lawschool import ATTRIBUTES, COUNTERFACTUAL, TOLERANCE
from benchmarks.paper.protocol import PAPER, RECOMMENDED
from benchmarks.paper.pruned import FULL

POINTS = 1.5
"""Accuracy counts as comparable within so many percentage points."""

EFFICIENT = 0.75
"""Speed-up by group from which EPAF-D is said to scale."""

FAIR = ["Fair K", "Fair add"]


class Finding(NamedTuple):
    """What one protocol says of a claim: figures, and the share of its cases that hold."""

    figures: str
    share: float


def claims_table(results: Path) -> pd.DataFrame:
    """Every claim with its figures and its verdict."""
    rows = []
    for claim, (find, link) in CLAIMS.items():
        paper, recommended = find(results, PAPER), find(results, RECOMMENDED)
        verdict = f"**{judge(paper, recommended)}**"
        rows.append([claim, paper.figures, recommended.figures, verdict, link])
    columns = ["the paper's claim", "paper protocol", "recommended protocol", "verdict", "see"]
    return pd.DataFrame(rows, columns=columns)


def judge(paper: Finding, recommended: Finding) -> str:
    """Reproduced, partly, or not.

    >>> judge(Finding("", 1), Finding("", 1)), judge(Finding("", 0), Finding("", 0.3))
    ('reproduced', 'partly reproduced')
    """
    shares = paper.share, recommended.share
    if min(shares) == 1:
        return "reproduced"
    return "not reproduced" if max(shares) == 0 else "partly reproduced"


def correlates_best(results: Path, protocol: str) -> Finding:
    """DR correlates best with the change in accuracy."""
    table = pd.read_csv(results / "quality" / "correlations.csv")
    rows = table[(table["protocol"] == protocol) & (table["change in"] == "accuracy")]
    found = rows.set_index("measure")[["correlation", "within data sets"]]
    own, others = found.loc["DR"], found.drop(index="DR")
    texts = [
        f"{kind} DR {own[column]:.2f}, next {others[column].idxmax()} {others[column].max():.2f}"
        for kind, column in [("pooled", "correlation"), ("within data sets", "within data sets")]
    ]
    return Finding("; ".join(texts), float((own > others.max()).mean()))


def bounds_hold(results: Path, protocol: str) -> Finding:
    """Bounds hold: all of those with a margin, nearly all PAC bounds, fewer without margin."""
    table = pd.read_csv(results / "bounds" / "coverage.csv")
    found = table[table["protocol"] == protocol].set_index("name")["coverage"]
    free = found[found.index.str.contains("without margin")]
    proven, pac = found.drop([*free.index, *PAC]), found[PAC]
    figures = (
        f"with margin {proven.min():.1%}, PAC {pac.min():.1%}, without margin {free.min():.1%} "
        "(lowest coverage)"
    )
    return Finding(figures, float(proven.min() == 1 and pac.min() > 0.9 and free.min() < 1))


def c_tandem_is_tightest(results: Path, protocol: str) -> Finding:
    """C-tandem is the tightest oracle bound, for most ensembles."""
    table = pd.read_csv(results / "bounds" / "tightest.csv")
    found = table[table["protocol"] == protocol].set_index("bound")
    found = found["tightest where C-tandem applies"]
    figures = ", ".join(f"{name} {found[name]:.1%}" for name in ORACLE)
    return Finding(f"tightest: {figures}", float(found["C-tandem"] > 0.5))


def poaf_ranks_best(results: Path, protocol: str) -> Finding:
    """POAF has the best average rank on DR among the pruning methods."""
    table = pd.read_csv(results / "pruning" / "ranks.csv")
    rows = table[(table["protocol"] == protocol) & (table["measure"] == "DR")]
    rows = rows[rows["method"] != FULL]
    texts, best = [], []
    for ensemble, part in rows.groupby("ensemble", sort=False):
        ranks = part.set_index("method")["average rank, all cuts"].sort_values()
        place = int(ranks.rank(method="min")["POAF"])
        texts.append(f"{ensemble} {place} of {len(ranks)} (rank {ranks['POAF']:.2f})")
        best.append(place == 1)
    return Finding("; ".join(texts), sum(best) / len(best))


def poaf_is_accurate(results: Path, protocol: str) -> Finding:
    """Accuracy of POAF is comparable with that of the full ensemble."""
    table = pd.read_csv(results / "pruning" / "poaf_against_full.csv")
    changes = table[table["protocol"] == protocol].set_index("ensemble")["accuracy change"]
    figures = ", ".join(f"{name} {change:+.2f}" for name, change in changes.items())
    return Finding(f"{figures} points", float((changes > -POINTS).mean()))


def epaf_d_scales(results: Path, protocol: str) -> Finding:
    """EPAF-D scales with the number of groups; the protocols do not differ here."""
    table = pd.read_csv(results / "pruning" / "scaling.csv")
    rows = table[(table["time of"] == "machines") & (table["groups"] > 1)]
    largest = rows[rows["members"] == rows["members"].max()].set_index("groups")["speed-up"]
    figures = ", ".join(f"{groups} groups {value:.2f} times" for groups, value in largest.items())
    return Finding(figures, float((rows["efficiency"] > EFFICIENT).mean()))


def no_risk_where_counterfactually_fair(results: Path, protocol: str) -> Finding:
    """DR ≈ 0 for the counterfactually fair models."""
    table = pd.read_csv(results / "lawschool" / "summary.csv")
    rows = table[(table["protocol"] == protocol) & (table["tolerance"] == TOLERANCE)]
    found = rows.set_index(["perturbation", "model"])["DR"]
    texts = [
        f"{kind}: " + ", ".join(f"{model} {found[kind, model]:.2f}" for model in found[kind].index)
        for kind in (ATTRIBUTES, COUNTERFACTUAL)
    ]
    zero = [found[kind, model] < 0.01 for kind in (ATTRIBUTES, COUNTERFACTUAL) for model in FAIR]
    return Finding("; ".join(texts), sum(zero) / len(zero))


CLAIMS: dict[str, tuple[Callable[[Path, str], Finding], str]] = {
    "DR correlates best with the change in accuracy": (correlates_best, "RQ1"),
    "the bounds hold": (bounds_hold, "RQ2"),
    "C-tandem is the tightest of the oracle bounds": (c_tandem_is_tightest, "RQ2"),
    "POAF has the best average rank on DR among the pruning methods": (poaf_ranks_best, "RQ4"),
    "POAF's accuracy is comparable (to the full ensemble)": (poaf_is_accurate, "RQ4"),
    "EPAF-D scales (speed-up with a machine for each group)": (epaf_d_scales, "RQ4"),
    "DR ≈ 0 for the counterfactually fair models": (
        no_risk_where_counterfactually_fair,
        "case study",
    ),
}
