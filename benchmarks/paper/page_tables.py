"""Tables of RQ3 and RQ4 for docs/reproduction.md, made from the committed results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks.paper.published import average_ranks, published, tables
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


def aware_ranks(results: Path, table: str = "ranks") -> pd.DataFrame:
    """RQ3: average rank of each method, published / paper / recommended, by measure."""
    ranked = pd.read_csv(results / "aware" / f"{table}.csv")
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
        source = f"pruning_{name}_{ensemble.lower()}"
        reported = average_ranks(source) if source in tables() else pd.Series(dtype=float)
        columns[ensemble] = _ranks(part, reported, "average rank, all cuts")
    return pd.DataFrame(columns).reset_index(names="method")


def _ranks(part: pd.DataFrame, reported: pd.Series, column: str) -> pd.Series:
    wide = part.pivot(index="method", columns="protocol", values=column)
    wide.insert(0, "published", reported)
    order = part["method"].unique()
    return wide.loc[order, ["published", "paper", "recommended"]].apply(
        lambda row: " / ".join(_number(value, 1) for value in row), axis=1
    )


def pruning_means(results: Path, measure: str, ensemble: str) -> pd.DataFrame:
    """RQ4: mean of each method by data set, published / paper / recommended."""
    scale, digits = (100, 1) if measure == "accuracy" else (1, 3)
    measured = pd.read_csv(results / "pruning" / "means.csv").query("ensemble == @ensemble")
    measured[measure] *= scale
    source = f"pruning_{'accuracy_pct' if measure == 'accuracy' else measure}_{ensemble.lower()}"
    reported = published(source).set_index(["dataset", "method"])["mean"]
    cells = {("published", *key): value for key, value in reported.items()}
    once = measured.drop_duplicates(["protocol", "dataset", "method"])
    cells |= once.set_index(["protocol", "dataset", "method"])[measure].to_dict()
    return pd.DataFrame(
        [
            {"method": method}
            | {
                dataset: " / ".join(
                    _number(cells.get((source, dataset, method)), digits)
                    for source in ("published", "paper", "recommended")
                )
                for dataset in sorted(measured["dataset"].unique())
            }
            for method in measured["method"].unique()
        ]
    )


def group_ranks(results: Path, ensemble: str) -> pd.DataFrame:
    """RQ4: average rank on the group measures, paper / recommended."""
    ranked = pd.read_csv(results / "pruning" / "ranks.csv").query("ensemble == @ensemble")
    columns = {}
    for measure in ("DP", "EOpp", "PP", "accuracy gap"):
        part = ranked[ranked["measure"] == measure]
        wide = part.pivot(index="method", columns="protocol", values="average rank, all cuts")
        wide = wide.loc[part["method"].unique(), ["paper", "recommended"]]
        columns[measure] = [" / ".join(_number(v, 1) for v in row) for row in wide.to_numpy()]
    return pd.DataFrame({"method": wide.index} | columns)


def ties(results: Path) -> pd.DataFrame:
    """RQ4: POAF as published and without ties: ranks of 22, and means."""
    table = pd.read_csv(results / "pruning" / "ties.csv")
    for name in ("accuracy", "recall", "F1", "tied"):
        table[name] = (100 * table[name]).round(1)
    ranks = [name for name in table if name.startswith("rank on")]
    return table.round(dict.fromkeys(ranks, 1) | {"DR": 4, "size": 1})


def income_groups(results: Path) -> pd.DataFrame:
    """RQ4: DP, EOpp and PP of five methods on income, paper / recommended, by attribute."""
    table = pd.read_csv(results / "pruning" / "means.csv").query("dataset == 'income'")
    rows = []
    for (ensemble, attribute), part in table.groupby(["ensemble", "attribute"], sort=False):
        for measure in ("DP", "EOpp", "PP"):
            wide = part.pivot(index="method", columns="protocol", values=measure)
            cells = {
                method: " / ".join(_number(wide.at[method, p], 3) for p in wide.columns)
                for method in ("Ensem", "EPAF-C", "EPAF-D", "POAF", "POAF, tie-free")
            }
            rows.append({"ensemble": ensemble, "attribute": attribute, "gap": measure} | cells)
    return pd.DataFrame(rows)


def times(results: Path) -> pd.DataFrame:
    """RQ4: milliseconds of processor time by method and data set, paper / recommended."""
    table = pd.read_csv(results / "pruning" / "times.csv")
    table["seconds"] *= 1000
    wide = table.pivot(index="method", columns=["dataset", "protocol"], values="seconds")
    columns = {
        dataset: [
            " / ".join(_number(wide.at[method, (dataset, p)], 1) for p in ("paper", "recommended"))
            for method in table["method"].unique()
        ]
        for dataset in table["dataset"].unique()
    }
    return pd.DataFrame({"method": table["method"].unique()} | columns)


def sizes(results: Path) -> pd.DataFrame:
    """RQ4: members kept, mean (fewest to most), by ensemble, recommended protocol."""
    table = pd.read_csv(results / "pruning" / "sizes.csv").query("protocol == 'recommended'")
    cells = zip(table["mean"], table["fewest"], table["most"], strict=True)
    table["cell"] = [f"{mean:.1f} ({low} to {high})" for mean, low, high in cells]
    wide = table.pivot(index="method", columns="ensemble", values="cell")
    return wide.loc[table["method"].unique(), table["ensemble"].unique()].reset_index()


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
    "aware_F1": partial(aware_means, measure="F1", table="aware_f1"),
    "aware_DP": partial(aware_means, measure="DP", table="aware_DP"),
    "aware_EOpp": partial(aware_means, measure="EOpp", table="aware_EOpp"),
    "aware_PP": partial(aware_means, measure="PP", table="aware_PP"),
    "aware_ranks": aware_ranks,
    "aware_ranks_tie_free": partial(aware_ranks, table="ranks_tie_free"),
    "pruning_DR": partial(pruning_ranks, measure="DR"),
    "pruning_accuracy": partial(pruning_ranks, measure="accuracy"),
    "pruning_objective": partial(pruning_ranks, measure="objective"),
    "pruning_DR_undecided": partial(pruning_ranks, measure="DR, ties undecided"),
    "pruning_recall": partial(pruning_ranks, measure="recall"),
    "pruning_F1": partial(pruning_ranks, measure="F1"),
    **{
        f"pruning_{measure}_{ensemble}": partial(pruning_means, measure=measure, ensemble=ensemble)
        for measure in ("DR", "accuracy")
        for ensemble in ("bagging", "AdaBoostM1", "SAMME")
    },
    **{
        f"groups_{ensemble}": partial(group_ranks, ensemble=ensemble)
        for ensemble in ("bagging", "AdaBoostM1", "SAMME")
    },
    "ties": ties,
    "income": income_groups,
    "times": times,
    "sizes": sizes,
    "pruning_changes": pruning_changes,
    "pruning_cuts": pruning_cuts,
    "pruning_variants": pruning_variants,
    "scaling": scaling,
    "lambda_wins": lambda_wins,
}
