"""RQ3: POAF and EPAF against fairness-aware ensembles, by data set and attribute.

Every method is given the same training rows. LightGBM, FairGBM, AdaFair and bagging train on all
of them. EPAF and POAF prune bagged trees: trained and pruned on all of them in the paper's
protocol, trained on two thirds and pruned on the third in the recommended one. FairGBM and AdaFair
are told one attribute and trained once for each. As in the paper, DR is that of all attributes
together, so that it is the same in both rows of a data set for methods not told the attribute.

The paper does not tell the settings of any of these: here they are the libraries' defaults, with
`adafair.AdaFair`'s those of its publication.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.paper import fairgbm_environment, side_by_side, statistics
from benchmarks.paper.adafair import AdaFair
from benchmarks.paper.fairgbm_environment import FairGBM
from benchmarks.paper.figures import COLOURS, MARKERS, drawing
from benchmarks.paper.output import show, write_csv
from benchmarks.paper.protocol import (
    KEPT,
    PAPER,
    RECOMMENDED,
    Data,
    Fold,
    fold_pieces,
    folds,
    load,
    make_ensemble,
    make_learner,
)
from benchmarks.paper.pruned import (
    BY_ATTRIBUTE,
    TIE_FREE,
    Row,
    our_methods,
    pruning_rows,
    tie_free_poaf,
)
from benchmarks.paper.store import Settings, run
from benchmarks.paper.ties import with_tie_free
from dr_core import as_ensemble, compare
from dr_core.perturbation import ALL

PROTOCOLS = [PAPER, RECOMMENDED]

OTHERS = ["lightGBM", "FairGBM", "AdaFair", "Bagging"]
PRUNED = ["EPAF-C", "EPAF-D", "POAF"]
METHODS = OTHERS + PRUNED

MEASURES = {"accuracy": "accuracy", "F1": "f1", "DR": "discriminative_risk", **BY_ATTRIBUTE}
"""By the paper's name, and by ours."""

PUBLISHED = {"accuracy": "aware_accuracy_pct", "F1": "aware_f1"}
"""Published tables whose names are not those of the measures."""

FAIRNESS = ["DP", "EOpp", "PP", "DR"]

BETTER = dict.fromkeys(MEASURES, "low") | {"accuracy": "high", "F1": "high"}


def main(settings: Settings) -> None:
    """Print, write and draw the comparison."""
    missing = fairgbm_environment.why_unavailable()
    found = gather(settings)
    folder = settings.folder("aware")
    means = means_and_stds(found)
    write_csv(means, folder / "means.csv")
    write_csv(rank_methods(found), folder / "ranks.csv")
    write_csv(tie_free_ranks(means), folder / "ranks_tie_free.csv")
    for measure in MEASURES:
        show_measure(found, measure)
    draw_ranks(found, folder)
    draw_trade_offs(found, folder)
    if missing:
        print(f"\n!!! FairGBM WAS NOT RUN, its columns are empty: {missing}")


def gather(settings: Settings) -> pd.DataFrame:
    """Everything measured; EPAF and POAF are run anew each time, as in RQ4."""
    pieces = fold_pieces(settings.quick)
    theirs = run("aware", judge_others, pieces, settings)
    ours = run("aware", judge_pruned, pieces, replace(settings, restart=True))
    return pd.concat([theirs, ours], ignore_index=True).drop(columns="quick")


def judge_others(dataset: str, fold: int, quick: bool) -> list[Row]:
    """Rows of one fold: protocols × attributes × methods that do not prune."""
    data = load(dataset, quick)
    rows = folds(data.y)[fold]
    models = trained_on_everything(data, rows)
    return [row for protocol in PROTOCOLS for row in judged(models, OTHERS, data, rows, protocol)]


def judge_pruned(dataset: str, fold: int, quick: bool) -> list[Row]:
    """Rows of one fold: protocols × attributes × methods that prune."""
    data = load(dataset, quick)
    rows = folds(data.y)[fold]
    return [
        row
        for protocol in PROTOCOLS
        for row in judged(pruned(data, rows, protocol), [*PRUNED, TIE_FREE], data, rows, protocol)
    ]


def trained_on_everything(data: Data, fold: Fold) -> dict[str, Any]:
    """Models by method, or by method and attribute: "AdaFair/sex"."""
    X, y = data.rows(fold.train)
    models = {
        "lightGBM": make_learner("lightGBM", fold.number).fit(X, y),
        "Bagging": make_ensemble("bagging", fold.number).fit(X, y),
    }
    for attribute in data.attributes.names:
        protected = ~data.privileged(attribute, fold.train)
        models[f"AdaFair/{attribute}"] = AdaFair(random_state=fold.number).fit(X, y, protected)
        if fairgbm_environment.why_unavailable() is None:
            fair = FairGBM(random_state=fold.number).fit(X, y, protected)
            models[f"FairGBM/{attribute}"] = fair
    return models


def pruned(data: Data, fold: Fold, protocol: str) -> dict[str, Any]:
    """Bagged trees, pruned by the paper's methods, and by POAF without ties."""
    fitted = fold.train if protocol == PAPER else fold.fitted
    model = make_ensemble("bagging", fold.number).fit(*data.rows(fitted))
    on = pruning_rows(fold, protocol)
    votes = data.votes(model, on, "aware", protocol, seed=fold.number)
    methods = our_methods(protocol) | {TIE_FREE: tie_free_poaf(protocol)}
    return {
        name: as_ensemble(model).subset(prune(votes, KEPT).members)
        for name, prune in methods.items()
    }


def judged(
    models: dict[str, Any], methods: list[str], data: Data, fold: Fold, protocol: str
) -> list[Row]:
    """Rows of models of these methods on test rows, perturbed as the protocol says."""
    how = data.perturbation("aware", protocol, seed=fold.number)
    measures = list(MEASURES.values())
    found = compare(models, *data.rows(fold.test), data.attributes, measures=measures, **how)
    rows = rows_of(found.table(), methods, data.attributes.names)
    return [{"protocol": protocol, **row} for row in rows]


def rows_of(table: pd.DataFrame, methods: list[str], attributes: list[str]) -> Iterator[Row]:
    """One row for each attribute and method; DR is that of all attributes together."""
    together = ALL if len(attributes) > 1 else attributes[0]
    for attribute in attributes:
        for method in methods:
            names = [name for name in (method, f"{method}/{attribute}") if name in table.index]
            row = {"attribute": str(attribute).lower(), "method": method}
            if not names:
                yield row | dict.fromkeys(MEASURES, np.nan)
                continue
            values = table.loc[(names[0], attribute)].copy()
            values["discriminative_risk"] = table.at[(names[0], together), "discriminative_risk"]
            yield row | {short: float(values[name]) for short, name in MEASURES.items()}


def values_of(found: pd.DataFrame, measure: str, protocol: str) -> pd.DataFrame:
    """Values of one measure: methods in columns, one row for each block and fold."""
    part = found[found["protocol"] == protocol]
    table = part.pivot(index=["dataset", "attribute", "fold"], columns="method", values=measure)
    return table[METHODS]


def summary(found: pd.DataFrame, measure: str, protocol: str) -> pd.DataFrame:
    """Statistics of the methods that were run."""
    values = values_of(found, measure, protocol).dropna(axis="columns", how="all")
    return statistics.summary(values, "POAF", BETTER[measure])


def means_and_stds(found: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over the folds."""
    keys = ["protocol", "dataset", "attribute", "method"]
    groups = found.groupby(keys, sort=False)[list(MEASURES)]
    spread = groups.std(ddof=0).add_suffix(" std")
    return pd.concat([groups.mean(), spread], axis=1).reset_index()


def rank_methods(found: pd.DataFrame) -> pd.DataFrame:
    """Statistics of each method, by protocol and measure."""
    tables = []
    for protocol in PROTOCOLS:
        for measure, better in BETTER.items():
            means = statistics.means(values_of(found, measure, protocol))
            p = statistics.friedman(means.dropna(axis="columns", how="all"), better)
            table = summary(found, measure, protocol).reset_index(names="method")
            table.insert(0, "measure", measure)
            table.insert(0, "protocol", protocol)
            tables.append(table.assign(**{"Friedman p": p}))
    return pd.concat(tables)


def tie_free_ranks(means: pd.DataFrame) -> pd.DataFrame:
    """Average ranks with the tie-free POAF in the place of POAF, by protocol and measure."""
    tables = []
    for protocol, part in with_tie_free(means).groupby("protocol", sort=False):
        for measure, better in BETTER.items():
            wide = part.pivot(index=["dataset", "attribute"], columns="method", values=measure)
            ranks = statistics.average_ranks(wide.dropna(axis="columns", how="all"), better)
            table = ranks.reindex(METHODS).rename("average rank").reset_index()
            tables.append(table.assign(protocol=protocol, measure=measure))
    return pd.concat(tables)


def show_measure(found: pd.DataFrame, measure: str) -> None:
    """Print published and measured values, and ranks, of one measure."""
    table = PUBLISHED.get(measure, f"aware_{measure}")
    scale, digits = (100, 2) if measure == "accuracy" else (1, 4)
    values = {p: scale * values_of(found, measure, p) for p in PROTOCOLS}
    show(f"{measure}", side_by_side.values(table, values, digits))
    ranks = {protocol: summary(found, measure, protocol) for protocol in PROTOCOLS}
    show(f"{measure}: average rank, wins/ties/losses of POAF", side_by_side.ranks(table, ranks))


def draw_ranks(found: pd.DataFrame, folder: Path) -> None:
    """Critical-difference diagrams, one file for each protocol, one panel for each measure."""
    for protocol in PROTOCOLS:
        with drawing(folder / f"critical_difference_{protocol}", figsize=(11, 8)) as figure:
            for ax, measure in zip(figure.subplots(3, 2).ravel(), MEASURES, strict=True):
                values = values_of(found, measure, protocol).dropna(axis="columns", how="all")
                title, better = f"{measure}: average rank", BETTER[measure]
                statistics.critical_difference_diagram(statistics.means(values), better, ax, title)


def draw_trade_offs(found: pd.DataFrame, folder: Path) -> None:
    """Above, fairness against accuracy; below, their weighted sum for all weights."""
    for protocol in PROTOCOLS:
        part = found[found["protocol"] == protocol]
        with drawing(folder / f"trade_off_{protocol}", figsize=(13, 6.5)) as figure:
            for column, measure in zip(figure.subplots(2, 4).T, FAIRNESS, strict=True):
                draw_points(column[0], part, measure)
                draw_curves(column[1], part, measure)
            handles, labels = figure.axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside upper center", ncols=len(METHODS))


def draw_points(ax: Any, found: pd.DataFrame, measure: str) -> None:
    """Mean of each method by data set and attribute."""
    found = found[found["method"].isin(METHODS)]
    means = found.groupby(["method", "dataset", "attribute"])[["accuracy", measure]].mean()
    for name, colour, marker in zip(METHODS, COLOURS, MARKERS, strict=False):
        points = means.loc[name]
        ax.scatter(
            100 * points["accuracy"],
            points[measure],
            s=22,
            color=colour,
            marker=marker,
            label=name,
        )
    ax.set(xlabel="accuracy, %", ylabel=measure)


def draw_curves(ax: Any, found: pd.DataFrame, measure: str) -> None:
    """α · error + (1 - α) · unfairness against α: mean and 95 % interval of the mean."""
    alpha = np.linspace(0, 1, 21)[:, None]
    for name, colour in zip(METHODS, COLOURS, strict=False):
        rows = found.loc[found["method"] == name, ["accuracy", measure]].dropna().to_numpy()
        sums = alpha * (1 - rows[:, 0]) + (1 - alpha) * rows[:, 1]
        mean, half = sums.mean(axis=1), 1.96 * sums.std(axis=1) / np.sqrt(max(1, len(rows)))
        ax.plot(alpha[:, 0], mean, color=colour, label=name)
        ax.fill_between(alpha[:, 0], mean - half, mean + half, color=colour, alpha=0.15)
    ax.set(xlabel="α, weight of error", ylabel=f"α · error + (1 - α) · {measure}")
