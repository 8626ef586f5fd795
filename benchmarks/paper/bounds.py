"""RQ2: do the bounds hold, and which of them is tight?

Ensembles of every kind of individual classifier are fitted in 5-fold cross-validation, and every
bound is evaluated on test rows beside the risk of the vote there. A point below the identity line
is a bound that holds; their share is the bound's coverage. The PAC bounds speak of unseen rows, so
they are computed on the rows trained on (the paper) and, as recommended, on held-out rows.
"""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from benchmarks.paper.figures import COLOURS, MARKERS, drawing
from benchmarks.paper.output import show, write_csv
from benchmarks.paper.protocol import (
    ENSEMBLES,
    INDIVIDUALS,
    PAPER,
    RECOMMENDED,
    affordable,
    fold_pieces,
    folds,
    load,
    make_ensemble,
)
from benchmarks.paper.store import Settings, run
from dr_core import Votes, compute_bounds
from dr_core.pruning import tandem_risks

PUBLISHED = {
    "first order": "all",
    "second order": "all",
    "C-tandem": "all, tightest",
    "relaxed first order": "all",
    "relaxed second order": "all",
    "PAC, one hypothesis": "most",
    "PAC, all weightings": "most",
    "first order without margin": "fewer",
    "second order without margin": "fewer",
    "C-tandem without margin": "fewer",
}
"""How many points lie below the identity line, in the paper's words."""

ORACLE = ["first order", "second order", "C-tandem"]
"""The paper's theorems 1 to 3, of which it calls the last the tightest."""

PAC = ["PAC, one hypothesis", "PAC, all weightings"]

LEMMA = "E_ρ²[L(f, f′)]"
"""By the paper's lemma it equals E[φ²]."""

MOST_ROWS = {"most": 2000, "most_slow": 400}
"""Rows that an ensemble is fitted to and judged on, at the most: there are a thousand of them."""

QUICK_INDIVIDUALS = ["DT", "NB", "LR"]


def main(settings: Settings) -> None:
    """Run RQ2, write and print its tables, draw its figures."""
    individuals = QUICK_INDIVIDUALS if settings.quick else list(INDIVIDUALS)
    pieces = fold_pieces(settings.quick, individual=individuals, ensemble=list(ENSEMBLES))
    points = run("bounds", judge_ensemble, pieces, settings).drop(columns="quick")
    folder = settings.folder("bounds")
    tables = {"coverage": coverage(points), "tightest": tightest(points)}
    for name, table in tables.items():
        write_csv(table, folder / f"{name}.csv")
    write_csv(_of_votes(points), folder / "points.csv")
    draw_bounds(points, folder)
    votes = len(pieces)
    show(
        f"Coverage: share of bounds that hold, of {votes:,} ensembles",
        side_by_side(tables["coverage"]),
    )
    show("Which of the oracle bounds is the tightest?", tables["tightest"])
    show("Lemma: E[φ²] against E_ρ²[L(f, f′)]", lemma(points))


def judge_ensemble(
    dataset: str, fold: int, individual: str, ensemble: str, quick: bool
) -> list[dict[str, Any]]:
    """All bounds of one ensemble on one fold, by protocol."""
    data, seed = load(dataset, quick), fold
    rows = folds(data.y)[fold]
    afford = partial(affordable, individual, seed=seed, **MOST_ROWS)
    train, fitted, held_out, test = map(
        afford, (rows.train, rows.fitted, rows.held_out, rows.test)
    )
    found = []
    for protocol, own, known in [(PAPER, train, train), (RECOMMENDED, fitted, held_out)]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # 60 rounds of an MLP are enough
            model = make_ensemble(ensemble, seed, individual).fit(*data.rows(own))
        seen, unseen = (data.votes(model, at, "bounds", protocol, seed) for at in (known, test))
        judged = [*_oracle_bounds(unseen), *_pac_bounds(seen, unseen), _lemma(unseen)]
        found += [{"protocol": protocol} | row for row in judged]
    return found


def _oracle_bounds(votes: Votes) -> list[dict[str, Any]]:
    """Bounds from and for the same rows."""
    table = compute_bounds(votes)
    table = table[~table["name"].str.startswith("PAC")]
    return table[["name", "value", "actual"]].to_dict("records")


def _pac_bounds(seen: Votes, unseen: Votes) -> list[dict[str, Any]]:
    """Bounds from seen rows on the risk on unseen ones: of each member alone, and of the vote."""
    alone = [seen.subset([j]) for j in range(seen.n_members)]
    risks = [unseen.subset([j]).risk for j in range(seen.n_members)]
    found = [(PAC[0], _pac(votes, PAC[0]), risk) for votes, risk in zip(alone, risks, strict=True)]
    found.append((PAC[1], _pac(seen, PAC[1]), unseen.risk))
    return [{"name": name, "value": value, "actual": actual} for name, value, actual in found]


def _pac(votes: Votes, name: str) -> float:
    table = compute_bounds(votes).set_index("name")
    return float(table.loc[name, "value"])


def _lemma(votes: Votes) -> dict[str, Any]:
    pairs = votes.weights @ tandem_risks(votes) @ votes.weights
    mean = np.average(votes.inconsistency**2, weights=votes.row_weights)
    return {"name": LEMMA, "value": float(pairs), "actual": float(mean)}


def coverage(points: pd.DataFrame) -> pd.DataFrame:
    """How often each bound applies, holds and is below 1, and by how much it is off."""
    bounds = points[points["name"] != LEMMA].copy()
    bounds["applies"] = bounds["value"].notna()
    # A bound may equal the risk; both went through a file.
    bounds["holds"] = bounds["value"] >= bounds["actual"] - 1e-12
    bounds["below 1"] = bounds["value"] < 1
    bounds["slack"] = bounds["value"] - bounds["actual"]
    applying = bounds[bounds["applies"]].groupby(["protocol", "name"], sort=False)
    table = applying.agg(
        points=("holds", "size"),
        coverage=("holds", "mean"),
        informative=("below 1", "mean"),
        median_value=("value", "median"),
        median_slack=("slack", "median"),
    )
    shares = bounds.groupby(["protocol", "name"], sort=False)["applies"].mean()
    return table.assign(applies=shares).reset_index()


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """Coverage of each bound, published and by protocol."""
    shares = table.pivot(index="name", columns="protocol", values="coverage")
    median = table.pivot(index="name", columns="protocol", values="median_slack")
    names = table["name"].unique()
    return pd.DataFrame(
        {
            "bound": names,
            "published": [PUBLISHED.get(name, "–") for name in names],
            "measured (paper)": shares.loc[names, PAPER].round(4),
            "measured (recommended)": shares.loc[names, RECOMMENDED].round(4),
            "median slack (paper)": median.loc[names, PAPER].round(3),
            "median slack (recommended)": median.loc[names, RECOMMENDED].round(3),
        }
    )


def tightest(points: pd.DataFrame) -> pd.DataFrame:
    """Share of ensembles at risk of which each oracle bound is the smallest."""
    keys = ["protocol", "dataset", "fold", "individual", "ensemble", "actual"]
    wide = points[points["name"].isin(ORACLE)].pivot(index=keys, columns="name", values="value")
    # Where nothing changes all bounds are 0, and none is tighter than the others.
    wide = wide[(wide[ORACLE] > 0).any(axis=1)]
    applying = wide.dropna()
    rows = []
    for protocol in (PAPER, RECOMMENDED):
        every, both = wide.loc[protocol], applying.loc[protocol]
        for name in ORACLE:
            rows.append(
                {
                    "protocol": protocol,
                    "bound": name,
                    "tightest of all": (every.idxmin(axis=1) == name).mean(),
                    "tightest where C-tandem applies": (both.idxmin(axis=1) == name).mean(),
                    "at most the second order": (both[name] <= both["second order"]).mean(),
                    "ensembles": len(every),
                    "where C-tandem applies": len(both),
                }
            )
    return pd.DataFrame(rows).round(4)


def lemma(points: pd.DataFrame) -> pd.DataFrame:
    """Largest difference of both sides of the lemma, and their correlation."""
    rows = points[points["name"] == LEMMA]
    return pd.DataFrame(
        [
            {
                "protocol": protocol,
                "largest difference": float((part["value"] - part["actual"]).abs().max()),
                "correlation": float(part["value"].corr(part["actual"])),
            }
            for protocol, part in rows.groupby("protocol", sort=False)
        ]
    )


def _of_votes(points: pd.DataFrame) -> pd.DataFrame:
    """One row an ensemble, bounds in columns; those of single members are left out."""
    rows = points[points["name"] != PAC[0]]
    keys = ["protocol", "dataset", "fold", "individual", "ensemble"]
    risks = rows[rows["name"] == "margin"].set_index(keys)["actual"].rename("actual")
    wide = rows.pivot(index=keys, columns="name", values="value")
    return wide.join(risks).reset_index()


def draw_bounds(points: pd.DataFrame, folder: Path) -> None:
    """Every bound against the risk it bounds; points below the line are bounds that hold."""
    names = [name for name in points["name"].unique() if name != LEMMA]
    for protocol, part in points.groupby("protocol", sort=False):
        with drawing(folder / f"bounds_{protocol}", figsize=(10, 8.2)) as figure:
            panels = figure.subplots(4, 4).ravel()
            for axes, name in zip(panels, [*names, LEMMA], strict=False):
                _draw_bound(axes, part[part["name"] == name], name)
            for axes in panels[len(names) + 1 :]:
                axes.set_axis_off()
            figure.supxlabel("bound (those above 1 at 1)")
            figure.supylabel("what is bounded")
            handles, labels = panels[0].get_legend_handles_labels()
            figure.legend(
                handles, labels, loc="outside upper center", ncols=len(handles), markerscale=2
            )


def _draw_bound(axes: Any, rows: pd.DataFrame, name: str) -> None:
    rows = rows.dropna(subset="value")
    for i, (ensemble, own) in enumerate(rows.groupby("ensemble")):
        axes.scatter(
            own["value"].clip(upper=1),
            own["actual"],
            s=7,
            alpha=0.5,
            color=COLOURS[i],
            marker=MARKERS[i],
            label=ensemble,
            linewidths=0,
            rasterized=True,
        )
    axes.axline((0, 0), slope=1, color="black", lw=0.8, ls="--")
    holds = (rows["value"] >= rows["actual"] - 1e-12).mean()
    title = "both sides of the lemma" if name == LEMMA else f"{holds:.1%} hold"
    axes.set_title(f"{name}\n{title}", fontsize=8)
    axes.set_xlim(-0.02, 1.04)
    axes.set_ylim(-0.02, max(0.1, rows["actual"].max() * 1.05))
