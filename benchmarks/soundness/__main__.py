"""`python -m benchmarks.soundness` simulates what the library's numbers promise.

Each design has a known truth: the share of intervals that cover it, the share of independent data
sets with a false alarm, and the risk of models that are blind to an attribute are compared with
the marks that they must reach. Exit code 1 if one of them is missed.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.soundness.blind_models import blind_models
from benchmarks.soundness.bounds import bounds_hold
from benchmarks.soundness.dummies import dummies_are_found
from benchmarks.soundness.group_rates import group_rate_intervals
from benchmarks.soundness.intervals import gap_intervals
from benchmarks.soundness.marks import Design, Mark
from benchmarks.soundness.paired_changes import paired_changes
from benchmarks.soundness.plausibility import false_alarms
from benchmarks.soundness.promises import promises_hold
from benchmarks.soundness.risk_interval import risk_intervals
from benchmarks.soundness.shift_interval import quantile_intervals, shift_intervals
from benchmarks.speed.measure import print_table

DESIGNS: dict[str, Design] = {
    "gaps": gap_intervals,
    "groups": group_rate_intervals,
    "models": blind_models,
    "risk": risk_intervals,
    "plausibility": false_alarms,
    "bounds": bounds_hold,
    "promises": promises_hold,
    "dummies": dummies_are_found,
    "shift": shift_intervals,
    "quantiles": quantile_intervals,
    "changes": paired_changes,
}


def print_marks(name: str, marks: list[Mark]) -> None:
    """Print the marks of a design, those that are missed with a note."""
    rows = [
        (mark.about, mark.figure, f"{mark.value:.4g}", mark.limit, "" if mark.holds else "MISSED")
        for mark in marks
    ]
    print_table(name, ["design", "figure", "value", "mark", ""], rows)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.soundness", description=__doc__)
    parser.add_argument("designs", nargs="*", help=f"some of {', '.join(DESIGNS)}; default: all")
    parser.add_argument("--runs", type=int, default=1000, help="simulations of each design")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    options = parser.parse_args(arguments)
    unknown = set(options.designs) - set(DESIGNS)
    if unknown:
        parser.error(
            f"unknown design: {', '.join(sorted(unknown))}; choose from {', '.join(DESIGNS)}"
        )
    missed = 0
    for name in options.designs or DESIGNS:
        marks = list(DESIGNS[name](options.runs, not options.quiet))
        print_marks(name, marks)
        missed += sum(not mark.holds for mark in marks)
    print(f"\n{missed} marks missed." if missed else "\nAll marks reached.")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
