"""RQ4: what of POAF matters, the length of its search or how it picks from the front.

Algorithm 1 makes as many mutations as members are kept. Each variant takes POAF's place among the
other pruning methods in turn, on the first cut into folds.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from benchmarks.paper import statistics
from benchmarks.paper.protocol import KEPT, folds, load
from benchmarks.paper.pruned import FULL, Judge, Row, votes_of
from benchmarks.paper.store import Piece, Settings, run
from dr_core import poaf

LONG = 200

VARIANTS: dict[str, dict[str, Any]] = {
    "as published": {"neighbourhood": "paper", "n_iter": KEPT},
    f"published, {LONG} mutations": {"neighbourhood": "paper", "n_iter": LONG},
    "exchange, objective": {"n_iter": LONG, "selection": "objective"},
    "exchange, min_risk": {
        "n_iter": LONG,
        "selection": "min_risk",
        "accuracy_tolerance": 0.01,
    },
}
"""Arguments of `poaf`; ties go to the lowest class, as published."""

RANKED = {"DR": "low", "accuracy": "high", "recall": "high", "F1": "high", "objective": "low"}
"""Measures to rank the variants on."""


def compare_variants(found: pd.DataFrame, pieces: list[Piece], settings: Settings) -> pd.DataFrame:
    """Average rank of each variant on each measure, and by how much it differs from *Ensem*.

    `found` is what the other methods do, `pieces` are those of the first cut.
    """
    variants = run("pruning", prune_by_variants, pieces, replace(settings, restart=True))
    others = found[(found["method"] != "POAF") & (found["seed"] == 0)]
    rows = []
    for (ensemble, protocol), rivals in others.groupby(["ensemble", "protocol"], sort=False):
        same = (variants["ensemble"] == ensemble) & (variants["protocol"] == protocol)
        both = pd.concat([rivals, variants[same]])
        for variant in VARIANTS:
            row = {"ensemble": ensemble, "protocol": protocol, "variant": variant}
            rows.append(row | _describe(variant, both))
    return pd.DataFrame(rows)


def _describe(variant: str, both: pd.DataFrame) -> dict[str, float]:
    """Rank a variant among the other methods, without the other variants."""
    among = both[~both["method"].isin([name for name in VARIANTS if name != variant])]
    means = among.groupby(["method", "dataset"], sort=False)[[*RANKED, "tied", "size"]].mean()
    found = {
        f"average rank on {measure}": statistics.average_ranks(means[measure].unstack(0), better)[
            variant
        ]
        for measure, better in RANKED.items()
    }
    own, full = (means.loc[name].mean() for name in (variant, FULL))
    for measure in ("accuracy", "recall", "F1"):
        found[f"{measure} change"] = 100 * (own[measure] - full[measure])
    return found | {"DR change": own["DR"] - full["DR"], "tied": own["tied"], "size": own["size"]}


def prune_by_variants(**piece: Any) -> list[Row]:
    """Rows of each variant of POAF."""
    data, (votes, unseen) = load(piece["dataset"], piece["quick"]), votes_of(**piece)
    test = Judge(data, folds(data.y, piece["seed"])[piece["fold"]].test)
    shared = {"ties": "lowest", "random_state": 0}
    methods = {name: partial(poaf, **shared, **how) for name, how in VARIANTS.items()}
    return [row for item in methods.items() for row in test.pruned(*item, votes, unseen)]
