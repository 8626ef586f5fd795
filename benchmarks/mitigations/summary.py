"""Means over folds, and the table of the page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks.mitigations.judging import REPEATS
from benchmarks.mitigations.methods import ENSEMBLES, PART, WHOLE
from benchmarks.paper.output import show
from benchmarks.paper.side_by_side import MISSING

SHOWN = {
    "accuracy": "accuracy",
    "balanced accuracy": "balanced",
    "recall": "recall",
    "selection rate": "selected",
    "DR": "DR",
    "DP": "DP",
    "EOpp": "EOpp",
}
"""Measures of the tables, and the heads of their columns."""

COUPLED = "DR coupled"
KEYS = ["dataset", "ensemble", "way"]

ORDER = [
    WHOLE,
    "marginalised",
    "marginalised, coupled",
    "columns left out",
    "Reweighing (AIF360)",
    "ExponentiatedGradient (fairlearn)",
    "ThresholdOptimizer (fairlearn)",
    PART,
    "POAF",
    "EPAF",
    "25 members at random",
]
PRUNED = ORDER[-3:]
"""Ways whose changes are those against the ensemble that they were cut from."""


def summarize(folds: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over folds of each measure in %, standard errors, and those of changes.

    Parameters
    ----------
    folds : rows of `judge_retrained` and `judge_pruned`
    """
    measures = [*SHOWN, COUPLED]
    values = folds.set_index([*KEYS, "repeat", "fold"])[measures] * 100
    references = values[values.index.get_level_values("way").isin([WHOLE, PART])]
    way = values.index.get_level_values("way")
    base = values.index.to_frame()
    base["way"] = [PART if one in [PART, *PRUNED] else WHOLE for one in way]
    changes = values - references.loc[pd.MultiIndex.from_frame(base)].to_numpy()
    parts = {
        "": values.groupby(level=KEYS).mean(),
        " se": values.groupby(level=KEYS).sem(),
        " change": changes.groupby(level=KEYS).mean(),
        " change se": changes.groupby(level=KEYS).sem(),
    }
    found = pd.concat([part.add_suffix(suffix) for suffix, part in parts.items()], axis=1)
    found.insert(0, "folds", values.groupby(level=KEYS).size())
    places = {key: i for keys in (REPEATS, ENSEMBLES, ORDER) for i, key in enumerate(keys)}
    return found.reset_index().sort_values(KEYS, key=lambda keys: keys.map(places))


def show_summary(summary: pd.DataFrame) -> None:
    """Print one table for each data set and ensemble."""
    for (dataset, ensemble), part in summary.groupby(["dataset", "ensemble"], sort=False):
        show(f"{dataset}, {ensemble}, %", _format(part))


def table_of(results: Path, dataset: str, ensemble: str = "bagging") -> pd.DataFrame:
    """Return the table of one data set for the page."""
    summary = pd.read_csv(results / "summary.csv")
    return _format(summary[(summary["dataset"] == dataset) & (summary["ensemble"] == ensemble)])


def _format(part: pd.DataFrame) -> pd.DataFrame:
    shown = SHOWN | ({COUPLED: COUPLED} if part[COUPLED].notna().any() else {})
    columns = {"way": part["way"]}
    for measure, head in shown.items():
        pairs = zip(part[measure], part[f"{measure} se"], strict=True)
        columns[head] = [f"{mean:.1f} ± {error:.1f}" for mean, error in pairs]
    return pd.DataFrame(columns)


def changes_table(results: Path) -> pd.DataFrame:
    """Return what POAF changes in points against the ensemble that it prunes, for each of them."""
    summary = pd.read_csv(results / "summary.csv").query("way == 'POAF'")
    rows = []
    for row in summary.to_dict("records"):
        before = row["DR"] - row["DR change"]
        relative = f"{100 * row['DR change'] / before:+.0f} %" if before else MISSING
        cells = {"data set": row["dataset"], "ensemble": row["ensemble"]}
        cells["DR before"] = f"{before:.1f}"
        for measure in ("DR", "accuracy", "balanced accuracy", "recall", "selection rate"):
            change, error = row[f"{measure} change"], row[f"{measure} change se"]
            cells[measure] = f"{change:+.1f} ± {error:.1f}"
        rows.append(cells | {"DR, relative": relative})
    return pd.DataFrame(rows)
