"""What more rows, more members and more workers cost; run as a module.

python -m benchmarks.speed.scaling
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import joblib
import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.speed import growth, overhead
from benchmarks.speed.measure import ensemble_votes, peak_and_output, print_table
from dr_core import Votes, assess_risk, collect_votes, datasets, epaf, iter_chunks, poaf
from dr_core.pruning import tandem_risks

HERE = "benchmarks.speed.scaling"
ROWS, ROWS_IN_MEMORY, CHUNK_ROWS = 5_000_000, 500_000, 100_000
LARGE = 2_000, 1_000_000
MEMBERS = 20
MODEL_MB, WORKER_MEMORY = 100, "1.5GB"
WIDE = 50_000, 1_000


def main() -> None:
    overhead.main()
    growth.main()
    print_table(
        f"An audit of {WIDE[0]:,} rows and {WIDE[1]:,} columns of floats, 0.4 GB",
        ["as", "peak memory, table included, GB", "at most"],
        list(more_columns()),
    )
    print_table(
        f"A model of {MODEL_MB} MB, two workers of {WORKER_MEMORY}",
        ["partitions", "seconds", "models received by a worker", "at most"],
        list(models_on_a_cluster()),
    )
    print_table(
        "Partitions of 10 rows on a cluster of two workers",
        ["partitions", "audit, s", "plain map_partitions, s", "ratio"],
        list(small_partitions()),
    )
    with TemporaryDirectory() as folder:
        print_table(
            f"Exact audit by sex, {ROWS:,} rows of a Parquet file in chunks of {CHUNK_ROWS:,}",
            ["what", "is", "at most"],
            list(more_rows(Path(folder))),
        )
    print_table(
        f"Tandem risks and POAF at m = {LARGE[0]:,}, n = {LARGE[1]:,}, k = {MEMBERS}",
        ["what", "is", "at most"],
        list(more_members()),
    )
    print_table(
        "Votes of a forest of 100 trees on x and x̃, against its own predict on x",
        ["rows", "collect_votes, s", "predict, s", "ratio"],
        list(many_votes()),
    )
    print_table(
        "The same work on a Dask cluster of one worker and of two, one thread each",
        ["what", "1 worker, s", "2 workers, s", "speed-up", "efficiency", "processor time, ×"],
        list(more_workers()),
    )


# More rows


def more_rows(folder: Path) -> Iterator[tuple[str, float, float | str]]:
    """Rows of (what, figure, limit) for a file audited in chunks, and for rows in memory."""
    write_rows(folder / "large.parquet", ROWS)
    write_rows(folder / "small.parquet", ROWS_IN_MEMORY)
    joblib.dump(fitted_model(), folder / "model.joblib")
    whole, words = peak_and_output(HERE, "in_memory", str(folder))
    in_memory = float(words[0])
    chunked, words = peak_and_output(HERE, "in_chunks", str(folder))
    in_chunks = float(words[0])
    yield "peak memory in chunks, GB", chunked, 1.5
    yield f"peak memory of {ROWS_IN_MEMORY:,} rows in memory, GB", whole, ""
    yield "microseconds a row in chunks", in_chunks * 1e6, ""
    yield f"microseconds a row of {ROWS_IN_MEMORY:,} in memory", in_memory * 1e6, ""
    yield "ratio of the two", in_chunks / in_memory, 1.3


def write_rows(path: Path, n: int) -> None:
    """Rows of income, drawn at random, in a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    income, rng = datasets.load("income"), np.random.default_rng(0)
    frame = income.data.assign(y=income.target)
    with pq.ParquetWriter(path, pa.Schema.from_pandas(frame, preserve_index=False)) as writer:
        for start in range(0, n, CHUNK_ROWS):
            some = frame.iloc[rng.integers(0, len(frame), min(CHUNK_ROWS, n - start))]
            writer.write_table(pa.Table.from_pandas(some, writer.schema, preserve_index=False))


def fitted_model() -> object:
    """A cheap model: the cheaper it is, the more the audit around it shows."""
    income = datasets.load("income")
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
        (StandardScaler(), make_column_selector(dtype_include="number")),
    )
    return make_pipeline(columns, LogisticRegression(max_iter=1000)).fit(
        income.data, income.target
    )


def in_memory(folder: str) -> None:
    """Print seconds a row of an audit in memory."""
    X = pd.read_parquet(Path(folder) / "small.parquet")
    print(audit_seconds(folder, X, ROWS_IN_MEMORY))


def in_chunks(folder: str) -> None:
    """Print seconds a row of an audit in chunks, reading included."""
    print(audit_seconds(folder, iter_chunks(Path(folder) / "large.parquet", CHUNK_ROWS), ROWS))


def audit_seconds(folder: str, X: object, n: int) -> float:
    """Seconds of processor time a row, which other programs on the machine do not lengthen."""
    model = joblib.load(Path(folder) / "model.joblib")
    start = process_time()
    assess_risk(model, X, {"sex": "Male"}, y="y")
    return (process_time() - start) / n


# More columns


def more_columns() -> Iterator[tuple[str, float, float]]:
    """Rows of (kind of table, figure, limit)."""
    for kind in ("pandas", "NumPy"):
        yield kind, peak_and_output(HERE, "wide_audit", kind)[0], 1.5


def wide_audit(kind: str) -> None:
    X = growth.table(*WIDE)
    assess_risk(
        growth.CheapRule(),
        X if kind == "pandas" else X.to_numpy(),
        {"c0" if kind == "pandas" else 0: 1.0},
    )


# Dask


class LargeRule(growth.CheapRule):
    """A model of many bytes, which writes down each process that loads it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bytes = np.random.default_rng(0).bytes(MODEL_MB * 10**6)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        with (self.folder / "loads").open("a") as file:
            file.write(f"{os.getpid()}\n")


def models_on_a_cluster() -> Iterator[tuple[int, float, float, int]]:
    """Rows of (partitions, seconds, models that a worker received on average, limit)."""
    import dask.dataframe as dd

    for n_partitions in (10, 40):
        with TemporaryDirectory() as folder, cluster(2, memory_limit=WORKER_MEMORY) as client:
            X = dd.from_pandas(growth.table(20_000, 8), npartitions=n_partitions)
            model, start = LargeRule(Path(folder)), perf_counter()
            assess_risk(model, X, {"c0": 1.0})
            workers = set(client.run(os.getpid).values())
            loads = [int(line) for line in (Path(folder) / "loads").read_text().split()]
            received = sum(process in workers for process in loads) / len(workers)
            yield n_partitions, perf_counter() - start, received, 1


def small_partitions() -> Iterator[tuple[int, float, float, float]]:
    """Rows of (partitions, seconds of an audit and of one plain pass, their ratio)."""
    import dask.dataframe as dd

    model = growth.CheapRule()
    with cluster(2) as client:
        client.wait_for_workers(2)
        for n_partitions in (200, 2_000):
            X = dd.from_pandas(growth.table(10 * n_partitions, 8), npartitions=n_partitions)
            plain = X.map_partitions(growth.count_favorable, model, meta=("n", int))
            turns = []
            for _ in range(2):
                start = perf_counter()
                assess_risk(model, X, {"c0": 1.0})
                middle = perf_counter()
                plain.compute()
                turns.append((middle - start, perf_counter() - middle))
            audit, work = np.min(turns, axis=0)
            yield n_partitions, float(audit), float(work), float(audit / work)


# More members


def more_members() -> Iterator[tuple[str, float, float | str]]:
    """Rows of (what, figure, limit) for a large ensemble, votes included."""
    peak, words = peak_and_output(HERE, "large_ensemble")
    tandem, pruning, share = map(float, words)
    yield "peak memory, votes included, GB", peak, 6.0
    yield "share of votes that change", share, ""
    yield "tandem risks, seconds", tandem, ""
    yield "POAF, seconds", pruning, ""


def large_ensemble() -> None:
    """Print seconds of all tandem risks and of POAF, and the share of votes that change."""
    votes = rare_changes(*LARGE)
    start = perf_counter()
    tandem_risks(votes)
    middle = perf_counter()
    poaf(votes, MEMBERS, n_iter=2, random_state=0)
    print(middle - start, perf_counter() - middle, votes.changes.nnz / votes.votes.size)


def rare_changes(m: int, n: int) -> Votes:
    """Votes agreed on most rows, which change on one row in ten, there by a tenth."""
    random = np.random.default_rng(0)
    leaning = random.beta(0.35, 0.35, n).astype(np.float32)
    shifted = np.where(random.random(n) < 0.1, np.clip(leaning + 0.1, 0, 1), leaning)
    y = (random.random(n) < leaning).astype(np.uint8)
    votes, perturbed = np.empty((m, n), np.uint8), np.empty((m, n), np.uint8)
    for j in range(m):
        draw = random.random(n, dtype=np.float32)
        votes[j], perturbed[j] = draw < leaning, draw < shifted
    return Votes(votes, perturbed, y, classes=np.arange(2))


def many_votes() -> Iterator[tuple[int, float, float, float]]:
    """Rows of (rows, processor time of all votes, and of `predict`, their ratio)."""
    rng, n = np.random.default_rng(0), LARGE[1]
    X = rng.normal(size=(n, 8)).astype(np.float32)
    X[:, 0] = X[:, 0] > 0
    y = (X[:, 1] + X[:, 2] * X[:, 0] + rng.normal(size=n) > 0).astype(int)
    forest = RandomForestClassifier(100, max_depth=12, random_state=0, n_jobs=1)
    forest.fit(X[:20_000], y[:20_000])
    work = growth.seconds_of(lambda: forest.predict(X))
    audit = growth.seconds_of(lambda: collect_votes(forest, X, y, {0: 1.0}, random_state=0))
    yield n, audit, work, audit / work


# More workers


def more_workers() -> Iterator[tuple[str, float, float, float, float, float]]:
    """Rows of (what, seconds with 1 worker and with 2, speed-up, efficiency, processor time).

    With a single core to use joblib stays in its own process: nothing travels, so that the
    speed-up of two workers pays for all that does. Both take turns, as other programs on the
    machine may come and go; what these cannot spoil is the processor time that is used.
    """
    works = {
        "collect_votes, 100 trees, 400,000 rows": vote(),
        "EPAF-D, 4,000 members, 200,000 rows": prune(),
    }
    with cluster(1) as one, cluster(2) as two:
        for name, work in works.items():
            turns = [[time_on(client, work) for client in (one, two)] for _ in range(3)]
            (wall, cpu), (wall_of_two, cpu_of_two) = np.min(turns, axis=0)
            speed_up = wall / wall_of_two
            yield name, wall, wall_of_two, speed_up, speed_up / 2, cpu_of_two / cpu


@contextmanager
def cluster(n_workers: int, **options: Any) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    options |= {"threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=n_workers, **options) as workers, Client(workers) as client:
        yield client


def time_on(client: Any, work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock, and of all processors used here and by the workers."""
    start, used = perf_counter(), processor_time(client)
    with joblib.parallel_config(backend="dask", client=client):
        work()
    return perf_counter() - start, processor_time(client) - used


def processor_time(client: Any) -> float:
    return process_time() + sum(client.run(process_time).values())


def vote() -> Callable[[], object]:
    income, rng = datasets.load("income"), np.random.default_rng(0)
    X = income.data.select_dtypes("number").astype(np.float32)
    X = X.assign(sex=(income.data["sex"] == income.privileged["sex"]).astype(np.float32))
    forest = RandomForestClassifier(100, random_state=0, n_jobs=1).fit(X, income.target)
    rows = rng.integers(0, len(X), 400_000)
    many, labels = X.iloc[rows], income.target.iloc[rows]
    return lambda: collect_votes(forest, many, labels, {"sex": 1.0}, random_state=0, n_jobs=-1)


def prune() -> Callable[[], object]:
    votes = ensemble_votes(4_000, 200_000)
    return lambda: epaf(votes, 10, n_groups=2, n_jobs=-1, random_state=0)


STEPS = [in_memory, in_chunks, large_ensemble, wide_audit]

if __name__ == "__main__":
    steps = {step.__name__: step for step in STEPS}
    name, *arguments = sys.argv[1:] or ["main"]
    steps.get(name, main)(*arguments)
