"""Command line: `python -m benchmarks.paper EXPERIMENT [--quick]`."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from benchmarks.paper.store import Settings

EXPERIMENTS = {
    "quality": "RQ1: does DR follow the change in accuracy?",
    "bounds": "RQ2: do the bounds hold, and which is tight?",
    "aware": "RQ3: against fairness-aware ensembles",
    "pruning": "RQ4: against pruning methods; λ; speed-up of EPAF-D",
    "lawschool": "the case study of counterfactual fairness",
}

RESULTS = Path(__file__).parent / "results"


def main(arguments: list[str] | None = None) -> None:
    """Run one experiment, or all of them one after the other."""
    options = _parser().parse_args(arguments)
    results = options.results or (RESULTS / "quick" if options.quick else RESULTS)
    settings = Settings(results, options.quick, options.n_jobs, options.restart)
    for name in EXPERIMENTS if options.experiment == "all" else [options.experiment]:
        print(f"\n=== {name} — {EXPERIMENTS[name]}")
        import_module(f"benchmarks.paper.{name}").main(settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.paper", description=__doc__)
    parser.add_argument("experiment", choices=[*EXPERIMENTS, "all"])
    parser.add_argument("--quick", action="store_true", help="less of everything, in minutes")
    parser.add_argument("--n-jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--results", type=Path, help="folder to write to (beside this module)")
    parser.add_argument("--restart", action="store_true", help="forget finished pieces")
    return parser


if __name__ == "__main__":
    main()
