"""`python -m benchmarks.mitigations` puts the ways to lower DR side by side, on unseen rows.

Whole ensembles of 51 trees, pruned votes of at most 25, models without the sensitive columns or
averaged over them, and the methods of fairlearn and AIF360, in repeated 5-fold cross-validation.
Finished folds are kept, so that a run goes on where it stopped. `page` writes the tables of
docs/lowering_measured.md from the results.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from benchmarks.mitigations.judging import (
    REPEATS,
    SLOW_REPEATS,
    iter_pieces,
    judge_pruned,
    judge_retrained,
)
from benchmarks.mitigations.summary import show_summary, summarize
from benchmarks.paper.output import write_csv
from benchmarks.paper.store import Settings, run

FOLDER = Path(__file__).parent


def main(arguments: list[str] | None = None) -> None:
    """Judge all ways, then write and print their means."""
    options = _parser().parse_args(arguments)
    experiment = "quick" if options.quick else "results"
    settings = Settings(FOLDER, options.quick, options.n_jobs, options.restart)
    found = [
        run(experiment, work, list(iter_pieces(repeats, options.quick)), settings)
        for work, repeats in ((judge_retrained, SLOW_REPEATS), (judge_pruned, REPEATS))
    ]
    summary = summarize(pd.concat(found, ignore_index=True))
    write_csv(summary, settings.folder(experiment) / "summary.csv")
    show_summary(summary)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.mitigations", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two folds of credit, in a minute")
    parser.add_argument("--n-jobs", type=int, default=2, help="folds at a time (2)")
    parser.add_argument("--restart", action="store_true", help="forget finished folds")
    return parser


if __name__ == "__main__":
    main()
