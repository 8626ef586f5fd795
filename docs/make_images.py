"""Draw the pictures of README and docs from real runs: `python docs/make_images.py`."""

import io
import re
from pathlib import Path
from string import Template

import matplotlib
import numpy as np

matplotlib.use("agg")

import matplotlib.pyplot as plt
from rich.console import Console
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from dr_core import assess_risk, collect_votes, compare, compute_bounds, datasets
from dr_core.cli import default_model, main
from fairlearn_dr import (
    POAFPruner,
    dr_metric_frame,
    plot_bounds,
    plot_comparison,
    plot_pareto_front,
    plot_risk_by_group,
)

IMAGES = Path(__file__).parent / "images"
STATIC = Path(__file__).parent / "_static"
TEMPLATES = Path(__file__).parent / "_templates"
APPLICANT = 359
"""Row of the credit data that the picture of the home page shows."""


def terminal(name, arguments):
    """A command and what it prints, as an SVG."""
    console = Console(
        record=True, width=122, file=io.StringIO(), force_terminal=True, highlight=False
    )
    console.print(f"$ dr-audit {' '.join(arguments)}\n", style="dim")
    main(arguments, console=console)
    svg = console.export_svg(title="dr-audit", unique_id="dr-audit")
    # The fonts it names would be fetched from elsewhere; the reader's own will do.
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    (IMAGES / f"{name}.svg").write_text(svg, encoding="utf-8")


def idea():
    """The picture of the home page: one decision of the model of `dr-audit credit`, and its DR."""
    credit = datasets.load("credit")
    X, audited, y, _ = train_test_split(
        credit.data, credit.target, test_size=0.3, random_state=0, stratify=credit.target
    )
    forest = default_model(X, regression=False, random_state=0).fit(X, y)
    risk = assess_risk(forest, audited, credit.privileged)
    young = audited[audited["age"] == "youth"]
    before, after = forest.predict(young), forest.predict(young.assign(age="adult"))
    shown = young.index == APPLICANT
    assert (before[shown], after[shown]) == (0, 1), "the decision does not change: show another"
    low, high, *_ = risk.interval()
    n_changed = round(100 * risk.value)
    text = Template((TEMPLATES / "idea.html").read_text(encoding="utf-8")).substitute(
        amount=f"{young['credit_amount'][APPLICANT]:,}",
        months=young["month"][APPLICANT],
        risk=f"{100 * risk.value:.1f} %",
        interval=f"{100 * low:.1f} % to {100 * high:.1f} %",
        people=len(audited),
        dots=dots(n_changed),
        n_changed=n_changed,
        young=len(young),
        gain=((before == 0) & (after == 1)).sum(),
        lose=((before == 1) & (after == 0)).sum() or "none",
    )
    (STATIC / "idea.html").write_text(text, encoding="utf-8")


def dots(n_changed):
    """A hundred dots in five lines, some of them changed, as parts of an SVG."""
    changed = set(np.random.default_rng(0).choice(100, n_changed, replace=False))
    return "".join(
        f'<circle class="{"changed" if dot in changed else "dot"}" '
        f'cx="{24 + 17.5 * (dot % 20):g}" cy="{110 + 18 * (dot // 20)}" r="5.5"/>'
        for dot in range(100)
    )


def plots(name):
    """The four plots, of models trained on one half of a data set and judged on the other."""
    bunch = datasets.load(name)
    X = datasets.binarize(bunch).iloc[:, :-1]
    privileged = dict.fromkeys(bunch.privileged, 1)
    X, X_test, y, y_test = train_test_split(X, bunch.target, test_size=0.5, random_state=0)
    forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    models = {
        "forest": forest,
        "pruned forest": POAFPruner(
            forest, privileged=privileged, prefit=True, max_members=25, n_iter=100, random_state=0
        ).fit(X_test[::2], y_test[::2]),
        "tree": DecisionTreeClassifier(random_state=0).fit(X, y),
        "logistic regression": make_pipeline(
            StandardScaler(), LogisticRegression(max_iter=999)
        ).fit(X, y),
    }
    unseen, labels = X_test[1::2], y_test[1::2]
    votes = collect_votes(forest, X_test[::2], y_test[::2], privileged, method="exact")
    frame = dr_metric_frame(
        forest,
        unseen,
        labels,
        privileged=privileged,
        n_boot=100,
        ci_quantiles=[0.025, 0.975],
        random_state=0,
    )
    plot_risk_by_group(frame)
    _save("risk-by-group")
    plot_pareto_front(models["pruned forest"], votes)
    _save("pareto-front")
    plot_bounds([compute_bounds(votes.subset(range(size))) for size in range(5, 51, 5)])
    _save("bounds")
    plot_comparison(compare(models, unseen, labels, privileged, n_boot=1000, random_state=0))
    _save("comparison")


def _save(name):
    plt.savefig(IMAGES / f"{name}.png", dpi=110, bbox_inches="tight")
    plt.close()


if __name__ == "__main__":
    idea()
    terminal("dr-audit-credit", ["credit"])
    plots("ppr")
