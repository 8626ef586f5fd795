"""Tables of RQ3 and RQ4 for docs/reproduction.md, made from the committed results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks.paper.published import average_ranks, published
from benchmarks.paper.side_by_side import MISSING


def aware_means(results: Path, measure: str, table: str) -> pd.DataFrame:
    """RQ3: mean of each method by data set and attribute, published / paper / recommended."""
    scale, digits = (100, 1) if measure == "accuracy" else (1, 3)
    measured = pd.read_csv(results / "aware" / "means.csv")
    measured[measure] *= scale
    cells = {("published", *key): value for key, value in _published(table).items()}
    index = ["protocol", "dataset", "attribute", "method"]
    cells |= measured.set_index(index)[measure].to_dict()
    blocks = measured[["dataset", "attribute"]].drop_duplicates().itertuples(index=False)
    return pd.DataFrame(
        [
            {"data set": dataset, "attribute": attribute}
            | {
                method: " / ".join(
                    _number(cells.get((source, dataset, attribute, method)), digits)
                    for source in ("published", "paper", "recommended")
                )
                for method in measured["method"].unique()
            }
            for dataset, attribute in blocks
        ]
    )


def _published(table: str) -> dict[tuple[str, ...], float]:
    return dict(published(table).set_index(["dataset", "attribute", "method"])["mean"])


def aware_ranks(results: Path) -> pd.DataFrame:
    """RQ3: average rank of each method, published / paper / recommended, by measure."""
    ranked = pd.read_csv(results / "aware" / "ranks.csv")
    names = {"accuracy": "accuracy_pct", "F1": "f1"}
    columns = {}
    for measure, part in ranked.groupby("measure", sort=False):
        reported = average_ranks(f"aware_{names.get(measure, measure)}")
        columns[measure] = _ranks(part, reported, "average rank")
    return pd.DataFrame(columns).reset_index(names="method")


def pruning_ranks(results: Path, measure: str) -> pd.DataFrame:
    """RQ4: average rank of each method, published / paper / recommended, by ensemble."""
    ranked = pd.read_csv(results / "pruning" / "ranks.csv").query("measure == @measure")
    name = {"accuracy": "accuracy_pct"}.get(measure, measure)
    columns = {}
    for ensemble, part in ranked.groupby("ensemble", sort=False):
        reported = average_ranks(f"pruning_{name}_{ensemble.lower()}")
        columns[ensemble] = _ranks(part, reported, "average rank, all cuts")
    return pd.DataFrame(columns).reset_index(names="method")


def _ranks(part: pd.DataFrame, reported: pd.Series, column: str) -> pd.Series:
    wide = part.pivot(index="method", columns="protocol", values=column)
    wide.insert(0, "published", reported)
    order = part["method"].unique()
    return wide.loc[order, ["published", "paper", "recommended"]].apply(
        lambda row: " / ".join(_number(value, 1) for value in row), axis=1
    )


def pruning_changes(results: Path) -> pd.DataFrame:
    """RQ4: POAF against the full ensemble."""
    table = pd.read_csv(results / "pruning" / "poaf_against_full.csv")
    return table.round({name: 2 if "accuracy" in name else 4 for name in table.columns[2:]})


def pruning_cuts(results: Path) -> pd.DataFrame:
    """RQ4: average rank on DR of POAF and of the best other method, cut by cut."""
    table = pd.read_csv(results / "pruning" / "poaf_by_cut.csv")
    return table[table["protocol"] == "recommended"].drop(columns="protocol").round(2)


def pruning_variants(results: Path) -> pd.DataFrame:
    """RQ4: average rank on DR and change of accuracy, in points, of variants of POAF."""
    table = pd.read_csv(results / "pruning" / "poaf_variants.csv")
    table["case"] = table["ensemble"] + ", " + table["protocol"]
    pairs = zip(table["average rank on DR"], table["accuracy change"], strict=True)
    table["cell"] = [f"{rank:.1f} ({change:+.1f})" for rank, change in pairs]
    wide = table.pivot(index="variant", columns="case", values="cell")
    return wide.loc[table["variant"].unique(), table["case"].unique()].reset_index()


def scaling(results: Path) -> pd.DataFrame:
    """RQ4: speed-up and efficiency of EPAF-D."""
    return pd.read_csv(results / "pruning" / "scaling.csv").round(3)


def lambda_wins(results: Path) -> pd.DataFrame:
    """RQ4: for how many λ each method has the lowest objective."""
    return pd.read_csv(results / "pruning" / "lambda_wins.csv")


def _number(value: float | None, digits: int) -> str:
    return MISSING if value is None or pd.isna(value) else f"{value:.{digits}f}"


TABLES: dict[str, Callable[[Path], pd.DataFrame]] = {
    "aware_accuracy": partial(aware_means, measure="accuracy", table="aware_accuracy_pct"),
    "aware_DR": partial(aware_means, measure="DR", table="aware_DR"),
    "aware_ranks": aware_ranks,
    "pruning_DR": partial(pruning_ranks, measure="DR"),
    "pruning_accuracy": partial(pruning_ranks, measure="accuracy"),
    "pruning_changes": pruning_changes,
    "pruning_cuts": pruning_cuts,
    "pruning_variants": pruning_variants,
    "scaling": scaling,
    "lambda_wins": lambda_wins,
}
