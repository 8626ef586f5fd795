"""RQ4: POAF and EPAF against other pruning methods, on ensembles of decision trees.

Every method prunes the same votes. In the paper's protocol these are the votes of an ensemble
trained on all training rows, on those rows, and POAF is the algorithm as published. In the
recommended one they are exact votes on the held-out third, and POAF is
`protocol.recommended_poaf`. Both are judged on test rows, DR perturbed as the protocol says.

The paper cuts each data set into folds once. Ranks of 22 methods on five data sets are a matter of
luck then, so the cut is repeated; tables like the paper's are of the first cut alone.

What the baselines keep is stored; EPAF and POAF are run anew each time, on stored votes, so that
a change to them shows within a minute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from benchmarks.paper import (
    cost,
    income,
    lambda_effect,
    rank_charts,
    scaling,
    side_by_side,
    statistics,
)
from benchmarks.paper.figures import MARKERS, drawing
from benchmarks.paper.output import show, write_csv
from benchmarks.paper.poaf_variants import compare_variants
from benchmarks.paper.protocol import ENSEMBLES, PAPER, RECOMMENDED, fold_pieces
from benchmarks.paper.pruned import (
    BY_ATTRIBUTE,
    FULL,
    JOINT,
    OVERALL,
    TIE_FREE,
    prune_by_baselines,
    prune_by_ours,
    votes_on_disk,
)
from benchmarks.paper.store import Piece, Settings, run
from benchmarks.paper.ties import RANKED, compare_ties, with_tie_free

PROTOCOLS = [PAPER, RECOMMENDED]

SEEDS = list(range(3))
"""Cuts into folds; the first is that of all other experiments."""

BY_GROUP = [*BY_ATTRIBUTE, "accuracy gap"]
"""Measures that compare groups, by attribute."""

WITHOUT_TIES = {"DR, ties undecided": "low", "accuracy, ties undecided": "high"}

BETTER = dict.fromkeys(OVERALL, "high")
BETTER |= dict.fromkeys(["DR", *BY_GROUP, "size", "objective"], "low") | WITHOUT_TIES
"""Which values of a measure are good."""

DIAGRAMS = ["DR", "accuracy"]


def main(settings: Settings) -> None:
    """Compare pruning methods; then their cost, the effect of λ, and how EPAF-D scales."""
    if settings.restart:
        votes_on_disk.clear(warn=False)
    compare_methods(settings)
    cost.main(settings)
    lambda_effect.main(settings)
    scaling.main(settings)


def compare_methods(settings: Settings) -> None:
    """Print and write what the paper's tables of pruning methods hold."""
    everything, folder = gather(settings), settings.folder("pruning")
    found = everything[everything["method"] != TIE_FREE]
    ties = compare_ties(everything)
    ranked, distance = rank_methods(found), distances(found)
    variants = compare_variants(found, pieces_of(SEEDS[:1], settings), settings)
    for ensemble in ENSEMBLES:
        show_ensemble(found, ensemble)
    show("Average rank on DR over all cuts into folds", overview(ranked))
    show("POAF against the full ensemble, all cuts (accuracy in points)", distance)
    show("Variants of POAF, first cut (accuracy in points against the full ensemble)", variants)
    show("POAF as published and without ties, all cuts", ties)
    write_csv(ties, folder / "ties.csv")
    tie_free = rank_methods(with_tie_free(everything), list(RANKED))
    write_csv(tie_free, folder / "ranks_tie_free.csv")
    write_csv(variants, folder / "poaf_variants.csv")
    means = means_and_stds(everything)
    write_csv(means, folder / "means.csv")
    write_csv(sizes(found), folder / "sizes.csv")
    write_csv(ranked, folder / "ranks.csv")
    write_csv(distance, folder / "poaf_against_full.csv")
    write_csv(by_cut(found), folder / "poaf_by_cut.csv")
    draw_ranks(found, folder)
    draw_trade_off(found, folder)
    rank_charts.main(ranked, folder)
    if not settings.quick:  # a quick run leaves income out
        income.draw(means[means["method"] != TIE_FREE], folder)


def gather(settings: Settings) -> pd.DataFrame:
    """Everything measured: one row for each ensemble, protocol, method and attribute."""
    pieces = pieces_of(SEEDS[:1] if settings.quick else SEEDS, settings)
    theirs = run("pruning", prune_by_baselines, pieces, settings)
    ours = run("pruning", prune_by_ours, pieces, replace(settings, restart=True))
    return pd.concat([theirs, ours], ignore_index=True).drop(columns="quick")


def pieces_of(seeds: list[int], settings: Settings) -> list[Piece]:
    """Data sets × folds × ensembles × protocols of these cuts, cut by cut."""
    choices = {"ensemble": list(ENSEMBLES), "protocol": PROTOCOLS, "seed": seeds}
    return sorted(fold_pieces(settings.quick, **choices), key=lambda piece: piece["seed"])


def values_of(
    found: pd.DataFrame, measure: str, ensemble: str, protocol: str, seed: int = 0
) -> pd.DataFrame:
    """Values of one measure: methods in columns, one row for each block and fold of a cut."""
    part = found.query("ensemble == @ensemble and protocol == @protocol and seed == @seed")
    block = ["dataset", "attribute"] if measure in BY_GROUP else ["dataset"]
    part = part[part["attribute"] != JOINT].drop_duplicates([*block, "fold", "method"])
    table = part.pivot(index=[*block, "fold"], columns="method", values=measure)
    return table[part["method"].unique()]


def cases(found: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Every pair of ensemble and protocol."""
    return iter(found[["ensemble", "protocol"]].drop_duplicates().itertuples(index=False))


def means_and_stds(found: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over the folds of the first cut, as the paper has them."""
    keys = ["ensemble", "protocol", "dataset", "attribute", "method"]
    measures = [*OVERALL, *BY_GROUP, "objective", "size", "tied", *WITHOUT_TIES]
    groups = found.query("seed == 0").groupby(keys, sort=False)[measures]
    spread = groups.std(ddof=0).add_suffix(" std")
    return pd.concat([groups.mean(), spread], axis=1).reset_index()


def sizes(found: pd.DataFrame) -> pd.DataFrame:
    """How many members each method keeps, all cuts: mean, fewest and most."""
    keys = ["ensemble", "protocol", "method"]
    table = found.groupby(keys, sort=False)["size"].agg(["mean", "min", "max"])
    return table.rename(columns={"min": "fewest", "max": "most"}).reset_index()


def rank_methods(found: pd.DataFrame, measures: Iterable[str] = BETTER) -> pd.DataFrame:
    """Statistics of each method, by ensemble, protocol and measure."""
    tables = [
        summary(found, measure, *case).assign(ensemble=case[0], protocol=case[1], measure=measure)
        for case in cases(found)
        for measure in measures
    ]
    ranked = pd.concat(tables).reset_index(names="method")
    first = ["ensemble", "protocol", "measure"]
    return ranked[[*first, *ranked.columns.drop(first)]]


def summary(found: pd.DataFrame, measure: str, ensemble: str, protocol: str) -> pd.DataFrame:
    """Average rank and wins of the first cut, average rank over all cuts, Friedman's p."""
    better = BETTER[measure]
    cuts = [values_of(found, measure, ensemble, protocol, seed) for seed in found["seed"].unique()]
    ranks = [statistics.average_ranks(statistics.means(cut), better) for cut in cuts]
    return statistics.summary(cuts[0], "POAF", better).assign(
        **{
            "average rank, all cuts": sum(ranks) / len(ranks),
            "blocks": len(statistics.means(cuts[0])),
            "Friedman p": statistics.friedman(statistics.means(cuts[0]), better),
        }
    )


def by_cut(found: pd.DataFrame, measure: str = "DR") -> pd.DataFrame:
    """Average rank of POAF in each cut into folds, beside that of the best other method."""
    rows = []
    for ensemble, protocol in cases(found):
        for cut in sorted(found["seed"].unique()):
            means = statistics.means(values_of(found, measure, ensemble, protocol, cut))
            ranks = statistics.average_ranks(means, BETTER[measure])
            others = ranks.drop("POAF")
            best = others.idxmin(), others.min()
            rows.append([ensemble, protocol, cut + 1, ranks["POAF"], *best])
    columns = ["ensemble", "protocol", "cut", "POAF", "best other method", "its rank"]
    return pd.DataFrame(rows, columns=columns)


def overview(ranked: pd.DataFrame, measure: str = "DR") -> pd.DataFrame:
    """Average rank over all cuts: methods in rows, ensembles and protocols in columns."""
    part = ranked[ranked["measure"] == measure].assign(
        case=lambda table: table["ensemble"] + ", " + table["protocol"]
    )
    wide = part.pivot(index="method", columns="case", values="average rank, all cuts")
    return wide.loc[part["method"].unique(), part["case"].unique()].round(2).reset_index()


def distances(found: pd.DataFrame) -> pd.DataFrame:
    """Accuracy (in points) and DR of POAF against the full ensemble, averaged over data sets."""
    means = over_datasets(found)
    full, ours = (means.xs(method, level="method") for method in (FULL, "POAF"))
    columns = {
        "accuracy, full": 100 * full["accuracy"],
        "accuracy, POAF": 100 * ours["accuracy"],
        "accuracy change": 100 * (ours["accuracy"] - full["accuracy"]),
        "DR, full": full["DR"],
        "DR, POAF": ours["DR"],
    }
    return pd.DataFrame(columns).reset_index()


def over_datasets(found: pd.DataFrame) -> pd.DataFrame:
    """Accuracy and DR of all cuts, averaged over data sets: each counts the same."""
    keys = ["ensemble", "protocol", "method"]
    each = found.drop_duplicates([*keys, "dataset", "fold", "seed"])
    by_dataset = each.groupby([*keys, "dataset"], sort=False)[["accuracy", "DR"]].mean()
    return by_dataset.groupby(level=keys, sort=False).mean()


def show_ensemble(found: pd.DataFrame, ensemble: str) -> None:
    """Print published and measured values and ranks of one ensemble."""
    for measure, name, scale, digits in (("DR", "DR", 1, 4), ("accuracy", "accuracy_pct", 100, 2)):
        table = f"pruning_{name}_{ensemble.lower()}"
        folds = {p: scale * values_of(found, measure, ensemble, p) for p in PROTOCOLS}
        show(f"{ensemble}: {name}", side_by_side.values(table, folds, digits))
        found_ranks = {
            p: statistics.summary(one, "POAF", BETTER[measure]) for p, one in folds.items()
        }
        show(f"{ensemble}: average rank on {name}", side_by_side.ranks(table, found_ranks))


def draw_ranks(found: pd.DataFrame, folder: Path) -> None:
    """Critical-difference diagrams, one file for each measure, one panel for each case."""
    for measure in DIAGRAMS:
        with drawing(folder / f"critical_difference_{measure}", figsize=(12, 13)) as figure:
            axes = figure.subplots(len(ENSEMBLES), len(PROTOCOLS)).ravel()
            for ax, case in zip(axes, sorted_cases(), strict=True):
                means = statistics.means(values_of(found, measure, *case))
                title = f"{', '.join(case)}: average rank on {measure}, first cut"
                statistics.critical_difference_diagram(means, BETTER[measure], ax, title)


def sorted_cases() -> list[tuple[str, str]]:
    """Ensembles × protocols, in the order of panels."""
    return [(ensemble, protocol) for ensemble in ENSEMBLES for protocol in PROTOCOLS]


def draw_trade_off(found: pd.DataFrame, folder: Path) -> None:
    """Mean accuracy against mean DR of every method, all cuts; the paper's methods named."""
    means = over_datasets(found).sort_index()
    with drawing(folder / "accuracy_and_DR", figsize=(9, 10)) as figure:
        axes = figure.subplots(len(ENSEMBLES), len(PROTOCOLS)).ravel()
        for ax, case in zip(axes, sorted_cases(), strict=True):
            draw_points(ax, means.loc[case])
            ax.set(title=", ".join(case), xlabel="DR", ylabel="accuracy, %")
        axes[0].legend(fontsize=8)


def draw_points(ax: object, means: pd.DataFrame) -> None:
    """One panel of the trade-off: named methods, and the others in grey."""
    colours = {FULL: "black", **statistics.HIGHLIGHTED}
    others = means.drop(list(colours))
    ax.scatter(others["DR"], 100 * others["accuracy"], color="0.6", s=18, label="baselines")
    for (name, colour), marker in zip(colours.items(), MARKERS, strict=False):
        point = means.loc[name]
        ax.scatter(point["DR"], 100 * point["accuracy"], color=colour, marker=marker, label=name)
