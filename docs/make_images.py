"""Draw the pictures of README and docs from real runs: `python docs/make_images.py`."""

import io
import re
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
from rich.console import Console
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from dr_core import collect_votes, compare, compute_bounds, datasets
from dr_core.cli import main
from fairlearn_dr import (
    POAFPruner,
    dr_metric_frame,
    plot_bounds,
    plot_comparison,
    plot_pareto_front,
    plot_risk_by_group,
)

IMAGES = Path(__file__).parent / "images"


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
    terminal("dr-audit-income", ["income"])
    plots("ppr")
