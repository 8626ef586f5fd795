"""What an audit costs beyond the model's own predictions, and whether smaller chunks are faster.

python -m benchmarks.speed.overhead
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.speed.growth import CheapRule, seconds_of, table
from benchmarks.speed.measure import print_table
from dr_core import assess_risk, compare

ROWS, REPEATS = 400_000, 5
SHAPES = [(800_000, 4), (400_000, 14), (60_000, 100), (25_000, 1_000)]
SMALLER = [0.5, 0.25, 0.1, 0.03]


def main() -> None:
    print_table(
        f"Beyond the predictions of {ROWS:,} rows: microseconds a row and perturbation (≤ 0.25)",
        ["sensitive columns", "assess_risk", "with y", "compare", "two attributes"],
        list(narrow_tables()),
    )
    print_table(
        "Time of chunks of the default size against the fastest of smaller ones (≤ 1.3)",
        ["rows", "columns", "as", "ratio"],
        list(chunk_sizes()),
    )


def narrow_tables() -> Iterator[tuple[str, float, float, float, float]]:
    """Rows of (kind of columns, microseconds in four audits)."""
    rng = np.random.default_rng(0)
    text = pd.DataFrame(
        {
            "sex": rng.choice(["M", "F"], ROWS),
            "race": rng.choice(["W", "B", "O"], ROWS),
            "age": rng.integers(18, 80, ROWS),
            "score": rng.normal(size=ROWS),
        }
    )
    codes = text.assign(sex=(text["sex"] == "M") * 1, race=pd.factorize(text["race"])[0])
    first = {"sex": 1, "race": int(codes["race"][text["race"] == "W"].iloc[0])}
    names = {"sex": "M", "race": "W"}
    categories = text.astype({"sex": "category", "race": "category"})
    yield "text", *overheads(text, names)
    yield "categories", *overheads(categories, names)
    yield "codes", *overheads(codes, first)


def overheads(X: pd.DataFrame, both: dict[str, Any]) -> list[float]:
    one, y = {"sex": both["sex"]}, (X["age"] > 40).astype(int).to_numpy()
    own = fastest(lambda: by_score(X))
    # Sex has one perturbation; race two if it is privileged, otherwise one.
    of_race = 1 + float((X["race"] == both["race"]).mean())
    n_both = 1 + of_race + of_race
    audits: list[tuple[Callable[[], object], float]] = [
        (lambda: assess_risk(by_score, X, one), 1.0),
        (lambda: assess_risk(by_score, X, one, y=y), 1.0),
        (lambda: compare({"model": by_score}, X, y, one, n_boot=0), 1.0),
        (lambda: assess_risk(by_score, X, both), n_both),
    ]
    return [(fastest(audit) - (1 + n) * own) / (len(X) * n) * 1e6 for audit, n in audits]


def by_score(X: pd.DataFrame) -> np.ndarray:
    return (X["score"].to_numpy() > 0.1).astype(np.int8)


def chunk_sizes() -> Iterator[tuple[int, int, str, float]]:
    """Rows of (rows, columns, kind of table, time of the default over the fastest smaller)."""
    model = CheapRule()
    for n, d in SHAPES:
        frame = table(n, d)
        for kind, X, key in (("pandas", frame, "c0"), ("NumPy", frame.to_numpy(), 0)):
            default = fewest_rows(d, kind)
            sizes = [None, *(max(1, int(default * share)) for share in SMALLER)]
            audit = partial(assess_risk, model, X, {key: 1.0})
            runs = [partial(audit, chunk_size=size) for size in sizes]
            turns = [[seconds_of(run) for run in runs] for _ in range(REPEATS)]
            usual, *smaller = np.min(turns, axis=0)
            yield n, d, kind, float(usual / min(smaller))


def fewest_rows(n_columns: int, kind: str) -> int:
    """Rows of a chunk of the default size, with one perturbation of each row."""
    return min(400_000, (2**23 if kind == "pandas" else 2**22) // n_columns)


def fastest(function: Callable[[], object]) -> float:
    return min(seconds_of(function) for _ in range(REPEATS))


if __name__ == "__main__":
    main()
