"""How the time of an audit grows with rows, columns, values, models, partitions and members.

python -m benchmarks.speed.growth

Each time is processor time, beside that of the work that must be done: the model's own predictions
for the same rows, a plain `map_partitions`, or the ensemble's own `predict`. The picture goes to
docs/images, the times to benchmarks/speed/results/growth.csv.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from benchmarks.paper.figures import COLOURS, drawing
from benchmarks.speed.measure import print_table
from dr_core import assess_risk, collect_votes, compare, learn_attributes

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results" / "growth.csv"
PICTURE = ROOT / "docs" / "images" / "growth"
MIN_TURNS, MAX_TURNS, ENOUGH = 3, 20, 1.0
COLUMNS = ["what", "size", "audit", "work"]


class Case(NamedTuple):
    """Two things to time: an audit, and the work that must be done."""

    audit: Callable[[], object]
    work: Callable[[], object]


def main() -> None:
    found = pd.DataFrame(measure(), columns=COLUMNS)
    RESULTS.parent.mkdir(exist_ok=True)
    found.to_csv(RESULTS, index=False, float_format="%.4g")
    draw(found)
    rows = [(*row, row[2] / row[3]) for row in found.itertuples(index=False)]
    print_table("Processor time, seconds", [*COLUMNS, "ratio"], rows)
    print_table(
        "Slopes of the larger half in the picture", ["what", "audit", "work"], slopes(found)
    )


def measure() -> Iterator[tuple[str, int, float, float]]:
    """Rows of (what, size, seconds of the audit, seconds of the work)."""
    for what, (make, sizes) in CASES.items():
        for size in sizes:
            yield what, size, *time_in_turn(make(size))


def time_in_turn(case: Case) -> tuple[float, float]:
    """Processor time of both, the best of several turns."""
    turns = [[seconds_of(one) for one in case]]
    while len(turns) < MIN_TURNS or (np.sum(turns) < ENOUGH and len(turns) < MAX_TURNS):
        turns.append([seconds_of(one) for one in case])
    audit, work = np.min(turns, axis=0)
    return float(audit), float(work)


def seconds_of(function: Callable[[], object]) -> float:
    start = process_time()
    function()
    return process_time() - start


def slopes(found: pd.DataFrame) -> list[tuple[str, float, float]]:
    """Rows of (what, exponent of the audit, exponent of the work)."""
    rows = []
    for what, of_case in found.groupby("what", sort=False):
        last = np.log(of_case.iloc[len(of_case) // 2 :][COLUMNS[1:]])
        fits = [np.polyfit(last["size"], last[kind], 1)[0] for kind in ("audit", "work")]
        rows.append((str(what), *map(float, fits)))
    return rows


# What is measured


class CheapRule:
    """A model that reads every column once, and decides by their sum."""

    def predict(self, X: Any) -> np.ndarray:
        return (np.asarray(X, dtype=float).sum(axis=1) > 0.1).astype(np.int8)


def more_rows(n: int) -> Case:
    return audit_of(table(n, 8))


def more_columns(d: int) -> Case:
    return audit_of(table(5_000, d))


def audit_of(X: pd.DataFrame) -> Case:
    """An audit by one binary attribute, beside two predictions of each row."""
    model = CheapRule()
    return Case(
        lambda: assess_risk(model, X, {"c0": 1.0}), lambda: (model.predict(X), model.predict(X))
    )


def more_values(v: int) -> Case:
    """An audit by three attributes of v values, beside a prediction of x and every x̃."""
    X, rng, model, n = table(1_000, 8), np.random.default_rng(1), CheapRule(), 0
    shares = np.array([1 / 3] + [2 / 3 / (v - 1)] * (v - 1))  # a third is privileged
    for key in ("c0", "c1", "c2"):
        X[key] = rng.choice(v, len(X), p=shares).astype(float)
    attributes = learn_attributes(
        X,
        dict.fromkeys(("c0", "c1", "c2"), 0.0),
        domain={key: list(map(float, range(v))) for key in ("c0", "c1", "c2")},
    )

    def count(Z: pd.DataFrame) -> np.ndarray:
        nonlocal n
        n += len(Z)
        return model.predict(Z)

    assess_risk(count, X, attributes)
    every = X.iloc[np.arange(n) % len(X)]
    return Case(lambda: assess_risk(model, X, attributes), lambda: model.predict(every))


def more_models(m: int) -> Case:
    X = table(40_000, 8)
    y, models = (X["c1"] > 0).astype(int), {f"model {j}": CheapRule() for j in range(m)}
    options = {"n_boot": 0, "measures": ["discriminative_risk", "accuracy"]}
    return Case(
        lambda: compare(models, X, y, {"c0": 1.0}, **options),
        lambda: [model.predict(X) for model in models.values() for _ in range(2)],
    )


def more_partitions(n_partitions: int) -> Case:
    """An audit of a Dask DataFrame in this process, beside one plain pass over it."""
    import dask
    import dask.dataframe as dd

    model, X = CheapRule(), dd.from_pandas(table(20_000, 8), npartitions=n_partitions)

    def run(function: Callable[[], object]) -> object:
        with dask.config.set(scheduler="sync"):
            return function()

    return Case(
        lambda: run(lambda: assess_risk(model, X, {"c0": 1.0})),
        lambda: run(X.map_partitions(count_favorable, model, meta=("n", int)).compute),
    )


def count_favorable(X: pd.DataFrame, model: CheapRule) -> pd.Series:
    return pd.Series([int(model.predict(X).sum())])


def more_members(m: int) -> Case:
    X = table(30_000, 8)
    y = (X["c1"] + X["c0"] > 0).astype(int)
    forest = RandomForestClassifier(m, random_state=0, max_samples=0.3).fit(X, y)
    return Case(
        lambda: collect_votes(forest, X, y, {"c0": 1.0}, random_state=0),
        lambda: forest.predict(X),
    )


def table(n: int, d: int) -> pd.DataFrame:
    """Random numbers; the first column is 0 or 1."""
    values = np.random.default_rng(0).normal(size=(n, d))
    values[:, 0] = values[:, 0] > 0
    return pd.DataFrame(values, columns=[f"c{j}" for j in range(d)])


CASES: dict[str, tuple[Callable[[int], Case], list[int]]] = {
    "rows": (more_rows, [1_000, 10_000, 100_000, 1_000_000]),
    "columns": (more_columns, [10, 30, 100, 300, 1_000]),
    "values of each of three attributes": (more_values, [2, 4, 8, 16, 30]),
    "models": (more_models, [1, 2, 4, 8, 16]),
    "partitions": (more_partitions, [10, 30, 100, 300, 1_000]),
    "members": (more_members, [10, 20, 50, 100, 200]),
}

LABELS = {"models": "compare", "members": "collect_votes"}
WORK = {"partitions": "one plain map_partitions", "members": "the forest's own predict"}


# The picture


def draw(found: pd.DataFrame) -> None:
    """Draw one log-log panel for each case; a dotted line grows in proportion to the size."""
    cases = found.groupby("what", sort=False)
    with drawing(PICTURE, figsize=(10, 6)) as figure:
        for axes, (what, of_case) in zip(figure.subplots(2, 3).flat, cases, strict=True):
            sizes, audit = of_case["size"], of_case["audit"]
            name = LABELS.get(str(what), "assess_risk")
            axes.loglog(sizes, audit, "o-", color=COLOURS[0], label=name)
            name = WORK.get(str(what), "predictions alone")
            axes.loglog(sizes, of_case["work"], "s--", color=COLOURS[1], label=name)
            # The number of perturbations grows with the third power of the values.
            base = of_case["work"] if str(what).startswith("values") else sizes
            proportional = audit.iloc[-1] * base / base.iloc[-1]
            axes.loglog(sizes, proportional, ":", color="grey", label="in proportion", zorder=0)
            axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
            axes.minorticks_off()
            axes.set(xlabel=what, ylabel="seconds of processor time")
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize=8)


if __name__ == "__main__":
    main()
