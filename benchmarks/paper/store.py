"""Pieces of work: computed in parallel, kept on disk, gathered into one table.

A piece is a dict of plain values that names a part of an experiment, such as
``{"dataset": "ppr", "fold": 3, "learner": "DT"}``. `run` calls ``work(**piece)`` for every piece
that is not finished yet; the result, a list of dicts, is written whole to a file of its own. So a
run that was killed goes on where it stopped.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from os import cpu_count
from pathlib import Path
from time import perf_counter
from typing import Any

import pandas as pd
from joblib import Parallel, delayed
from tqdm import tqdm

from dr_core._utils import write_atomically

Piece = dict[str, Any]
Work = Callable[..., list[dict[str, Any]]]

VERSIONED = (
    "discriminative-risk",
    "joblib",
    "lightgbm",
    "numpy",
    "pandas",
    "scikit-learn",
    "scikit-posthocs",
    "scipy",
)


@dataclass(frozen=True)
class Settings:
    """What the command line asked for.

    Attributes
    ----------
    results : folder that gets one folder for each experiment
    quick : less of everything
    n_jobs : pieces worked on at the same time
    restart : forget pieces that were finished before
    """

    results: Path
    quick: bool = False
    n_jobs: int = 2
    restart: bool = False

    def folder(self, experiment: str) -> Path:
        """Where an experiment writes its tables and figures; made if need be."""
        folder = self.results / experiment
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def run(experiment: str, work: Work, pieces: Iterable[Piece], settings: Settings) -> pd.DataFrame:
    """Finish all pieces of an experiment and return their rows.

    Parameters
    ----------
    experiment : folder of the results; one experiment may call `run` several times with
        different work, whose pieces are told apart by the name of the function
    work : top-level function; ``work(**piece)`` returns rows, dicts of plain values
    pieces : dicts of strings and numbers; order them from slow to fast to keep all cores busy
    settings : see `Settings`

    Returns
    -------
    DataFrame with the columns of the pieces, then those of the rows, in the order of the pieces.

    Beside the results `about.json` has versions and machine, and for each work its date, its
    seconds and the commit it ran on.
    """
    folder = settings.folder(experiment)
    store = Store(folder / "pieces" / work.__name__)
    if settings.restart:
        store.clear()
    pieces = list(pieces)
    todo = [piece for piece in pieces if not store.has(piece)]
    jobs = (delayed(_finish)(store, work, piece) for piece in todo)
    finished = Parallel(settings.n_jobs, return_as="generator_unordered")(jobs)
    done = len(pieces) - len(todo)
    title = f"{experiment}: {work.__name__}"
    for _ in tqdm(finished, title, total=len(pieces), initial=done, mininterval=1):
        pass
    found = [store.read(piece) for piece in pieces]
    _stamp(folder, settings, work.__name__, [piece["seconds"] for piece in found])
    rows = [piece | row for piece, one in zip(pieces, found, strict=True) for row in one["rows"]]
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Store:
    """Finished pieces, a JSON file each."""

    folder: Path

    def path(self, piece: Piece) -> Path:
        """File of a piece, named after it."""
        return self.folder / ("-".join(str(value) for value in piece.values()) + ".json")

    def has(self, piece: Piece) -> bool:
        """Whether the piece is finished."""
        return self.path(piece).exists()

    def read(self, piece: Piece) -> dict[str, Any]:
        """Its rows, and the seconds they took."""
        return dict(json.loads(self.path(piece).read_text("utf-8")))

    def write(self, piece: Piece, rows: list[dict[str, Any]], seconds: float) -> None:
        """Keep a piece, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        content = {"piece": piece, "seconds": round(seconds, 3), "rows": rows}
        write_atomically(self.path(piece), json.dumps(content, default=_plain))

    def clear(self) -> None:
        """Forget everything."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _finish(store: Store, work: Work, piece: Piece) -> None:
    start = perf_counter()
    rows = work(**piece)
    store.write(piece, rows, perf_counter() - start)


def _plain(value: Any) -> Any:
    """What a NumPy number or array is in JSON."""
    return value.tolist()


def _stamp(folder: Path, settings: Settings, work: str, seconds: list[float]) -> None:
    path = folder / "about.json"
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    date = datetime.now(UTC).date().isoformat()
    done = {"pieces": len(seconds), "seconds": round(sum(seconds), 1)}
    parts = before.get("work", {}) | {work: done | {"date": date, "commit": _commit()}}
    about = {
        "date": date,
        "quick": settings.quick,
        "processes": settings.n_jobs,
        "machine": {"cores": cpu_count(), "processor": _processor()},
        "versions": {"Python": platform.python_version()} | {v: version(v) for v in VERSIONED},
        "work": parts,
    }
    write_atomically(path, json.dumps(about, indent=2) + "\n")


def _commit() -> str:
    """The commit of this checkout, "-dirty" behind it if files differ; "unknown" without Git."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
