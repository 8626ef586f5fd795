"""RQ4: POAF as published, where ties go to the lowest class, beside POAF without ties.

POAF may keep an even number of members. Their vote can tie, and a tie goes to class 0: part of a
lower DR is then a lower recall. The counterpart counts a tied vote as wrong and as changed.
"""

from __future__ import annotations

import pandas as pd

from benchmarks.paper import statistics
from benchmarks.paper.pruned import FULL, JOINT, TIE_FREE

RANKED = {"DR": "low", "accuracy": "high", "recall": "high", "F1": "high", "objective": "low"}

SHOWN = ["DR", "accuracy", "recall", "F1", "size", "tied"]


def with_tie_free(found: pd.DataFrame) -> pd.DataFrame:
    """The same methods, the tie-free POAF in the place of POAF."""
    kept = found[found["method"] != "POAF"]
    return kept.assign(method=kept["method"].replace(TIE_FREE, "POAF"))


def compare_ties(found: pd.DataFrame) -> pd.DataFrame:
    """Average ranks over all cuts, and means, of POAF both ways, and of the full ensemble.

    `found` has both kinds of POAF. The tie-free one is ranked in the place of the other.
    """
    published, tie_free = found[found["method"] != TIE_FREE], with_tie_free(found)
    rows = []
    for ensemble, protocol in found[["ensemble", "protocol"]].drop_duplicates().values:
        for label, method, table in (
            (FULL, FULL, published),
            ("POAF, as published", "POAF", published),
            (TIE_FREE, "POAF", tie_free),
        ):
            part = table.query("ensemble == @ensemble and protocol == @protocol")
            row = {"ensemble": ensemble, "protocol": protocol, "method": label}
            rows.append(row | _describe(method, part))
    return pd.DataFrame(rows)


def _describe(method: str, part: pd.DataFrame) -> dict[str, float]:
    each = part[part["attribute"] != JOINT].drop_duplicates(["dataset", "fold", "seed", "method"])
    ranks = {
        f"rank on {measure}": _rank(each, measure, better)[method]
        for measure, better in RANKED.items()
    }
    own = each[each["method"] == method].groupby("dataset")[SHOWN].mean().mean()
    return ranks | own.to_dict()


def _rank(each: pd.DataFrame, measure: str, better: str) -> pd.Series:
    """Average rank over data sets, then over cuts."""
    means = each.groupby(["seed", "dataset", "method"])[measure].mean().unstack()
    cuts = [statistics.average_ranks(cut, better) for _, cut in means.groupby(level="seed")]
    return sum(cuts) / len(cuts)
