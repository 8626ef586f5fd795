"""The case study: discriminative risk and counterfactual fairness of four predictors of grades.

First-year averages of 21,790 law students are predicted by `Full`, `Unaware`, `FairK` and
`FairAdd` (see `counterfactual`) in 5-fold cross-validation. They are perturbed in two ways:

- *attributes alone*: race and sex change, the scores stay. That is discriminative risk as the
  paper defines it, and what its case study does;
- *counterfactual*: race and sex change, and the scores follow, by the additive causal model. A
  model is counterfactually fair when its risk is then 0.

A prediction counts as changed when it moves by more than a tolerance; the target has standard
deviation 0.93. The paper's protocol perturbs at random, the recommended one is exact.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import KFold

from benchmarks.paper.counterfactual import AdditiveWorld, FairAdd, FairK, Full, Unaware
from benchmarks.paper.figures import COLOURS, MARKERS, drawing
from benchmarks.paper.knowledge import r_hat
from benchmarks.paper.output import show, write_csv
from benchmarks.paper.protocol import FOLDS, PAPER, PAPER_P, RECOMMENDED
from benchmarks.paper.store import Settings, run
from dr_core import (
    Perturbations,
    SensitiveAttributes,
    datasets,
    enumerate_perturbations,
    learn_attributes,
    perturb,
)
from dr_core._utils import Array, differs

MODELS = {"Full": Full, "Unaware": Unaware, "Fair K": FairK, "Fair add": FairAdd}

TOLERANCE = 0.05
"""Of the tables: a twentieth of a standard deviation of the grades."""

GRADES = np.linspace(-2, 2, 81)
"""Edges of the bins in which predicted grades are counted."""

TOLERANCES = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0]

UNPERTURBED, ATTRIBUTES, COUNTERFACTUAL = "as they are", "attributes alone", "counterfactual"

PUBLISHED = {"Full": "> 0", "Unaware": "≈ 0", "Fair K": "≈ 0", "Fair add": "≈ 0"}
"""What the paper's text says of DR; its figure has no numbers."""

QUICK_STUDENTS = 3000
DRAWS = {"n_draws": 300, "n_warmup": 50}
QUICK_DRAWS = {"n_draws": 100, "n_warmup": 20}
"""Of each of the four chains behind *Fair K*."""


def main(settings: Settings) -> None:
    """Run the case study, write and print its table, draw its figures."""
    folds = range(1 if settings.quick else FOLDS)
    pieces = [
        {"model": model, "fold": fold, "quick": settings.quick}
        for model in sorted(MODELS, key="Fair K".__ne__)
        for fold in folds
    ]
    rows = run("lawschool", judge_model, pieces, settings).drop(columns="quick")
    folder = settings.folder("lawschool")
    table = summary(rows)
    write_csv(rows, folder / "folds.csv")
    write_csv(table, folder / "summary.csv")
    draw_errors(table, folder)
    draw_tolerances(rows, folder)
    draw_changes(rows, folder)
    pieces = [{"model": model, "quick": settings.quick} for model in MODELS]
    grades = run("lawschool", count_grades, pieces, settings).drop(columns="quick")
    write_csv(grades, folder / "densities.csv")
    draw_densities(grades, folder)
    show(f"DR with tolerance {TOLERANCE}: published and measured", side_by_side(table))
    at = table["tolerance"] == TOLERANCE
    show("Mean squared error before and after", table[at].drop(columns="tolerance"))
    if "R-hat" in rows:
        print(f"\nLargest R-hat of the chains behind Fair K: {rows['R-hat'].max():.3f}")


def judge_model(model: str, fold: int, quick: bool) -> list[dict[str, Any]]:
    """Error and risk of one model on one fold, by protocol, kind of perturbation and tolerance."""
    trial = Trial(model, fold, quick)
    found = []
    for protocol in (PAPER, RECOMMENDED):
        for kind in (ATTRIBUTES, COUNTERFACTUAL):
            after, every = trial.predict_perturbed(kind, protocol)
            row = {"protocol": protocol, "perturbation": kind}
            found += [row | one for one in _judge(trial.before, after, trial.y, every)]
    if isinstance(trial.fitted, FairK):
        found[0]["R-hat"] = _worst_r_hat(trial.fitted)
    return found


def count_grades(model: str, quick: bool) -> list[dict[str, Any]]:
    """Share of predicted grades in each bin, first fold: as they are, and perturbed exactly."""
    trial = Trial(model, 0, quick)
    found = {UNPERTURBED: _shares(trial.before, np.ones(len(trial.before)))}
    for kind in (ATTRIBUTES, COUNTERFACTUAL):
        after, every = trial.predict_perturbed(kind, RECOMMENDED)
        found[kind] = _shares(after, every.probability)
    centres = (GRADES[1:] + GRADES[:-1]) / 2
    return [
        {"perturbation": kind, "grade": float(grade), "share": float(share)}
        for kind, shares in found.items()
        for grade, share in zip(centres, shares, strict=True)
    ]


def _shares(grades: Array, weights: Array) -> Array:
    inside = np.clip(grades, GRADES[0], GRADES[-1])
    counts, _ = np.histogram(inside, GRADES, weights=weights)
    return counts / counts.sum()


class Trial:
    """A model fitted to the training students of one fold, and its test students.

    Attributes
    ----------
    fitted : the model
    y, before : grades of the test students, and what the model predicts
    """

    def __init__(self, model: str, fold: int, quick: bool) -> None:
        data, y, self.attributes = _students(quick)
        cut = KFold(FOLDS, shuffle=True, random_state=0).split(data)
        train, test = list(cut)[fold]
        self.fitted = _make(model, fold, quick).fit(data.iloc[train], y[train])
        self.world, self.seed = AdditiveWorld(data.iloc[train]), fold
        self.X, self.y = data.iloc[test], y[test]
        self.before = self.fitted.predict(self.X)

    def predict_perturbed(self, kind: str, protocol: str) -> tuple[Array, Perturbations]:
        """What the model predicts of the perturbed students, and who they are."""
        table = self.X if kind == ATTRIBUTES else self.world.persons(self.X)
        every = _perturbed(table, self.attributes, protocol, seed=self.seed)
        after = every.data if kind == ATTRIBUTES else self.world.scores(every.data)
        return self.fitted.predict(after), every


def _make(model: str, fold: int, quick: bool) -> Any:
    if model != "Fair K":
        return MODELS[model]()
    return FairK(**(QUICK_DRAWS if quick else DRAWS), random_state=fold)


def _students(quick: bool) -> tuple[pd.DataFrame, Array, SensitiveAttributes]:
    bunch = datasets.load("lawschool")
    data, y = bunch.data, bunch.target.to_numpy()
    attributes = learn_attributes(data, bunch.privileged)
    rows = np.random.default_rng(0).permutation(len(data))
    rows = rows[:QUICK_STUDENTS] if quick else rows
    return data.iloc[rows].reset_index(drop=True), y[rows], attributes


def _perturbed(
    X: pd.DataFrame, attributes: SensitiveAttributes, protocol: str, seed: int
) -> Perturbations:
    if protocol == RECOMMENDED:
        return enumerate_perturbations(X, attributes)
    drawn = perturb(X, attributes, p=PAPER_P["lawschool"], random_state=seed)
    return Perturbations(drawn, np.arange(len(X)), np.ones(len(X)))


def _judge(before: Array, after: Array, y: Array, every: Perturbations) -> list[dict[str, float]]:
    own, weights = before[every.rows], every.probability
    errors = {
        "MSE before": float(mean_squared_error(y, before)),
        "MSE after": float(mean_squared_error(y[every.rows], after, sample_weight=weights)),
    }
    return [
        {"tolerance": tolerance}
        | errors
        | {"DR": float(np.average(differs(own, after, tolerance), weights=weights))}
        for tolerance in TOLERANCES
    ]


def _worst_r_hat(model: FairK) -> float:
    """The largest R-hat of all parameters."""
    posterior = model.posterior_
    parts = (posterior.gpa, posterior.lsat, posterior.fya, posterior.sigma[:, None])
    return max(r_hat(draws, posterior.chains) for part in parts for draws in part.T)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over the folds."""
    keys = ["model", "protocol", "perturbation", "tolerance"]
    table = rows.groupby(keys, sort=False)[["MSE before", "MSE after", "DR"]].mean().reset_index()
    order = table["model"].map(list(MODELS).index)
    return table.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """DR of each model, published, and measured by protocol and kind of perturbation."""
    at = table[table["tolerance"] == TOLERANCE]
    values = at.set_index(["model", "protocol", "perturbation"])["DR"]
    measured = {
        f"{kind} ({protocol})": [round(values[model, protocol, kind], 4) for model in MODELS]
        for kind in (ATTRIBUTES, COUNTERFACTUAL)
        for protocol in (PAPER, RECOMMENDED)
    }
    return pd.DataFrame({"model": list(MODELS), "published": PUBLISHED.values()} | measured)


def draw_errors(table: pd.DataFrame, folder: Path) -> None:
    """Mean squared error before and after each kind of perturbation."""
    at = table[(table["tolerance"] == TOLERANCE) & (table["protocol"] == RECOMMENDED)]
    with drawing(folder / "errors", figsize=(6.5, 3)) as figure:
        axes = figure.subplots()
        wide = at.pivot(index="model", columns="perturbation", values="MSE after").loc[
            list(MODELS)
        ]
        bars = {UNPERTURBED: at.groupby("model")["MSE before"].first().loc[list(MODELS)]}
        bars |= {f"perturbed: {kind}": wide[kind] for kind in (ATTRIBUTES, COUNTERFACTUAL)}
        for i, (label, values) in enumerate(bars.items()):
            places = np.arange(len(MODELS)) + (i - 1) * 0.27
            drawn = axes.bar(places, values, 0.25, label=label, color=COLOURS[i])
            axes.bar_label(drawn, fmt="%.2f", fontsize=7, padding=1)
        axes.set_xticks(range(len(MODELS)), list(MODELS))
        axes.set_ylabel("mean squared error on test rows")
        axes.grid(axis="x", visible=False)
        figure.legend(loc="outside upper center", ncols=3)


def draw_tolerances(rows: pd.DataFrame, folder: Path) -> None:
    """DR of each model against the tolerance, for both kinds of perturbation."""
    exact = rows[rows["protocol"] == RECOMMENDED]
    means = exact.groupby(["perturbation", "model", "tolerance"])["DR"].mean()
    with drawing(folder / "tolerances", figsize=(8, 3.2)) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, kind in zip(panels, (ATTRIBUTES, COUNTERFACTUAL), strict=True):
            for i, model in enumerate(MODELS):
                values = means[kind, model]
                style = {"color": COLOURS[i], "marker": MARKERS[i], "ms": 8 - 1.5 * i, "lw": 1.2}
                axes.plot(values.index, values, label=model, clip_on=False, **style)
            axes.set_title(f"{kind} perturbed" if kind == ATTRIBUTES else kind)
            axes.set_xlabel("tolerance")
        panels[0].set_ylabel("discriminative risk")
        panels[0].set_ylim(0, 1)
        panels[1].legend()


def draw_changes(rows: pd.DataFrame, folder: Path) -> None:
    """Change of the mean squared error against DR, a point for each fold."""
    at = rows[rows["tolerance"] == TOLERANCE]
    with drawing(folder / "changes", figsize=(8, 3.2)) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, kind in zip(panels, (ATTRIBUTES, COUNTERFACTUAL), strict=True):
            for i, model in enumerate(MODELS):
                for protocol, filled in ((PAPER, False), (RECOMMENDED, True)):
                    part = at.query(
                        "perturbation == @kind and model == @model and protocol == @protocol"
                    )
                    axes.scatter(
                        part["DR"],
                        part["MSE after"] - part["MSE before"],
                        marker=MARKERS[i],
                        edgecolors=COLOURS[i],
                        facecolors=COLOURS[i] if filled else "none",
                        label=f"{model}, {protocol}",
                        alpha=0.8,
                        s=28,
                    )
            axes.set_title(f"{kind} perturbed" if kind == ATTRIBUTES else kind)
            axes.set_xlabel(f"discriminative risk (tolerance {TOLERANCE})")
            axes.set_xlim(-0.05, 1.05)
        panels[0].set_ylabel("change in mean\nsquared error")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside right", fontsize=7)


def draw_densities(grades: pd.DataFrame, folder: Path) -> None:
    """Density of predicted grades, as they are and perturbed, a panel for each model."""
    width = GRADES[1] - GRADES[0]
    kinds = {UNPERTURBED: "-", ATTRIBUTES: "--", COUNTERFACTUAL: ":"}
    with drawing(folder / "densities", figsize=(9, 2.8)) as figure:
        panels = figure.subplots(1, len(MODELS), sharex=True)
        for axes, model in zip(panels, MODELS, strict=True):
            for i, (kind, style) in enumerate(kinds.items()):
                part = grades[(grades["model"] == model) & (grades["perturbation"] == kind)]
                density = part["share"] / width
                axes.plot(part["grade"], density, style, color=COLOURS[i], label=kind)
            axes.set(title=model, xlabel="predicted FYA", xlim=(-1.5, 1.5), ylim=(0, None))
        panels[0].set_ylabel("density")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(kinds))
