"""RQ1: which fairness measure follows the change in performance when people are perturbed?

Learners are fitted in 5-fold cross-validation. On test rows DR, DP, EOpp and PP are measured, and
by how much accuracy, precision, recall, F1 and specificity change between x and x̃. A measure that
sees changed treatment correlates with these changes.

Under the paper's protocol all attributes are perturbed together, at random; the group measures of
each attribute are set against that one change. Under the recommended protocol each attribute is
also perturbed alone, certainly, and every measure is about the attribute that was perturbed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from benchmarks.paper.figures import COLOURS, MARKERS, drawing
from benchmarks.paper.output import show, write_csv
from benchmarks.paper.protocol import (
    DATASETS,
    LEARNERS,
    PAPER,
    PAPER_P,
    RECOMMENDED,
    Data,
    affordable,
    fold_pieces,
    folds,
    load,
    make_learner,
)
from benchmarks.paper.store import Settings, run
from dr_core import Perturbations, enumerate_perturbations, learn_attributes, perturb
from dr_core._utils import Array
from dr_core.metrics import measure, tally_predictions
from dr_core.perturbation import ALL

FAIRNESS = {
    "DR": "discriminative_risk",
    "DP": "demographic_parity",
    "EOpp": "equal_opportunity",
    "PP": "predictive_parity",
}
PERFORMANCE = ["accuracy", "precision", "recall", "f1", "specificity"]

PUBLISHED = {"DR": "highest", "DP": "lower", "EOpp": "lower", "PP": "lower"}
"""All the paper's text says of the correlation with the change in accuracy; the rest is drawn."""


def main(settings: Settings) -> None:
    """Run RQ1, write and print its tables, draw its figures."""
    pieces = fold_pieces(settings.quick, learner=list(LEARNERS))
    points = run("quality", judge_learner, pieces, settings).drop(columns="quick")
    folder = settings.folder("quality")
    table, leads = correlations(points), lead(points)
    write_csv(points, folder / "points.csv")
    write_csv(table, folder / "correlations.csv")
    write_csv(leads, folder / "lead.csv")
    draw_heat_map(table, folder)
    draw_scatter(points, folder)
    show(f"Correlation with the change in accuracy, {len(points):,} points", headline(table))
    show("Lead of DR: by how much it correlates more, 95% intervals", leads)
    for protocol, part in table.groupby("protocol", sort=False):
        matrix = part.pivot(index="measure", columns="change in", values="correlation")
        matrix = matrix.loc[list(FAIRNESS), PERFORMANCE].round(3).reset_index()
        show(f"Correlation with the change in each criterion, {protocol} protocol", matrix)


def judge_learner(dataset: str, fold: int, learner: str, quick: bool) -> list[dict[str, Any]]:
    """Fairness of one learner on one fold, and how its performance changes, by protocol."""
    data, seed = load(dataset, quick), fold
    rows = folds(data.y)[fold]
    X, y = data.rows(affordable(learner, rows.train, seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 60 rounds of an MLP are enough
        model = make_learner(learner, seed).fit(X, y)
    X, y = data.rows(rows.test)
    f = model.predict(X)
    found = []
    for protocol, attributes, every in _perturbations(data, X, seed):
        perturbed = model.predict(every.data)
        for attribute in attributes:
            groups = _privileged(data, attribute, rows.test)[every.rows]
            found.append(
                {"protocol": protocol, "attribute": attribute}
                | _judge(groups, y.to_numpy()[every.rows], f[every.rows], perturbed, every)
            )
    return found


def _perturbations(
    data: Data, X: pd.DataFrame, seed: int
) -> Iterator[tuple[str, list[str], Perturbations]]:
    """Protocol, attributes whose groups are compared, and the perturbed rows."""
    names = data.attributes.names
    drawn = perturb(X, data.attributes, p=PAPER_P["quality"], random_state=seed)
    yield PAPER, names, Perturbations(drawn, np.arange(len(X)), np.ones(len(X)))
    for name in names:
        alone = enumerate_perturbations(X, learn_attributes(X, {name: 1}, domain={name: [0, 1]}))
        yield RECOMMENDED, [name], alone
    if len(names) > 1:
        yield RECOMMENDED, [ALL], enumerate_perturbations(X, data.attributes)


def _privileged(data: Data, attribute: str, rows: Array) -> Array:
    """Group of each row, 1 for privileged, in one attribute or in all."""
    names = data.attributes.names if attribute == ALL else [attribute]
    return np.all([data.privileged(name, rows) for name in names], axis=0).astype(int)


def _judge(
    groups: Array, y: Array, f: Array, perturbed: Array, every: Perturbations
) -> dict[str, float]:
    raw = tally_predictions(groups, y, f, perturbed, [0, 1], every.probability)
    after = tally_predictions(groups, y, perturbed, perturbed, [0, 1], every.probability)
    fairness = measure(raw.table, 1, list(FAIRNESS.values()))
    before, then = (measure(tally.table, 1, PERFORMANCE) for tally in (raw, after))
    changes = {f"Δ{name}": float(then[name] - before[name]) for name in PERFORMANCE}
    return {short: float(fairness[name]) for short, name in FAIRNESS.items()} | changes


def correlations(points: pd.DataFrame) -> pd.DataFrame:
    """Pearson correlation of each fairness measure with the size of each change.

    `within data sets` has the mean of each data set taken off first, so that it cannot come from
    data sets that differ in everything; `signed` correlates with the change itself.
    """
    found = []
    for protocol, part in points.groupby("protocol", sort=False):
        for name in PERFORMANCE:
            signed = part[f"Δ{name}"]
            sizes = part.assign(change=signed.abs())
            for short in FAIRNESS:
                row = {"protocol": protocol, "measure": short, "change in": name}
                row["correlation"] = _pooled(sizes, short)
                row["within data sets"] = _within(sizes, short)
                row["signed"] = part[short].corr(signed)
                row["points"] = int((part[short].notna() & signed.notna()).sum())
                found.append(row)
    return pd.DataFrame(found)


def _within(points: pd.DataFrame, measure: str) -> float:
    """Correlation with the change, the mean of each data set taken off both."""
    defined = points[["dataset", measure, "change"]].dropna()
    centred = defined[[measure, "change"]] - defined.groupby("dataset").transform("mean")
    return float(centred[measure].corr(centred["change"]))


def lead(points: pd.DataFrame, n_boot: int = 500) -> pd.DataFrame:
    """By how much DR correlates more with the change in accuracy than each other measure.

    Intervals are of a bootstrap that draws models (data set, fold and learner), with all their
    points.
    """
    found = []
    for protocol, part in points.groupby("protocol", sort=False):
        sizes = part.assign(change=part["Δaccuracy"].abs()).reset_index(drop=True)
        draws = [sizes.loc[rows] for rows in _bootstrap(sizes, n_boot)]
        for kind, correlate in {"pooled": _pooled, "within data sets": _within}.items():
            replicates = pd.DataFrame([_leads(draw, correlate) for draw in draws])
            for rival, value in _leads(sizes, correlate).items():
                low, high = np.quantile(replicates[rival], [0.025, 0.975])
                row = {"protocol": protocol, "correlation": kind, "DR against": rival}
                found.append(row | {"lead": value, "low": low, "high": high})
    return pd.DataFrame(found).round(3)


def _bootstrap(points: pd.DataFrame, n_boot: int) -> Iterator[Array]:
    """Rows of points, models drawn with replacement."""
    models = list(points.groupby(["dataset", "fold", "learner"]).indices.values())
    rng = np.random.default_rng(0)
    for _ in range(n_boot):
        yield np.concatenate([models[i] for i in rng.integers(0, len(models), len(models))])


def _pooled(points: pd.DataFrame, measure: str) -> float:
    return float(points[measure].corr(points["change"]))


def _leads(
    points: pd.DataFrame, correlate: Callable[[pd.DataFrame, str], float]
) -> dict[str, float]:
    own = correlate(points, "DR")
    return {name: own - correlate(points, name) for name in FAIRNESS if name != "DR"}


def headline(table: pd.DataFrame) -> pd.DataFrame:
    """Published and measured correlation with the change in accuracy."""
    rows = table[table["change in"] == "accuracy"].set_index(["protocol", "measure"])
    return pd.DataFrame(
        [
            {
                "measure": name,
                "published": PUBLISHED[name],
                "measured (paper)": round(rows.loc[(PAPER, name), "correlation"], 3),
                "measured (recommended)": round(rows.loc[(RECOMMENDED, name), "correlation"], 3),
                "within data sets (paper)": round(rows.loc[(PAPER, name), "within data sets"], 3),
                "within data sets (recommended)": round(
                    rows.loc[(RECOMMENDED, name), "within data sets"], 3
                ),
            }
            for name in FAIRNESS
        ]
    )


def draw_heat_map(table: pd.DataFrame, folder: Path) -> None:
    """Correlation of measures and changes, one panel a protocol."""
    with drawing(folder / "correlations", figsize=(8, 2.8)) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (protocol, part) in zip(
            panels, table.groupby("protocol", sort=False), strict=True
        ):
            matrix = part.pivot(index="measure", columns="change in", values="correlation")
            matrix = matrix.loc[list(FAIRNESS), PERFORMANCE]
            image = axes.imshow(matrix, vmin=-1, vmax=1, cmap="RdBu", aspect="auto")
            axes.grid(False)
            axes.set_title(f"{protocol} protocol")
            axes.set_xticks(range(len(PERFORMANCE)), PERFORMANCE, rotation=20)
            axes.set_yticks(range(len(FAIRNESS)), list(FAIRNESS))
            for (i, j), value in np.ndenumerate(matrix.to_numpy()):
                colour = "white" if abs(value) > 0.6 else "black"
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", color=colour)
        figure.colorbar(image, ax=panels, label="correlation with\nthe size of the change")


def draw_scatter(points: pd.DataFrame, folder: Path) -> None:
    """Each fairness measure against the size of the change in accuracy."""
    with drawing(folder / "scatter", figsize=(9, 5)) as figure:
        panels = figure.subplots(2, len(FAIRNESS), sharey="row")
        for row, (protocol, part) in zip(
            panels, points.groupby("protocol", sort=False), strict=True
        ):
            row[0].set_ylabel(f"|change in accuracy|\n{protocol} protocol")
            for axes, short in zip(row, FAIRNESS, strict=True):
                for name, marker, colour in zip(DATASETS, MARKERS, COLOURS, strict=False):
                    own = part[part["dataset"] == name]
                    axes.scatter(
                        own[short],
                        own["Δaccuracy"].abs(),
                        s=9,
                        alpha=0.6,
                        marker=marker,
                        color=colour,
                        label=name,
                        linewidths=0,
                        rasterized=True,
                    )
                correlation = part[short].corr(part["Δaccuracy"].abs())
                axes.set_title(f"{short}: r = {correlation:.2f}")
        for axes, short in zip(panels[-1], FAIRNESS, strict=True):
            axes.set_xlabel(short)
        handles, names = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=5, markerscale=2)
