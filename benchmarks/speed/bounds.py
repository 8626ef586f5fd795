"""What all bounds cost, against one weighted count of the votes; run as a module.

python -m benchmarks.speed.bounds
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.speed.measure import ensemble_votes, peak_gigabytes, print_table, seconds
from dr_core import Votes
from dr_core.bounds import compute_bounds

LARGE = 101, 1_000_000


def main() -> None:
    against_one_count()
    print_table(
        "Growth of all bounds",
        ["m", "n", "seconds", "nanoseconds per vote"],
        [growth(m, n) for m in (25, 50, 100) for n in (50_000, 100_000, 200_000)],
    )
    print_table(
        "Peak memory at m = 101, n = 1,000,000, from int64 labels to all bounds",
        ["GB", "at most"],
        [(peak_gigabytes("benchmarks.speed.bounds", "memory"), 4.0)],
    )


def against_one_count() -> None:
    votes = ensemble_votes(*LARGE)
    one_count = seconds(lambda: votes.weights @ (votes.votes == 1), repeats=3)
    ratios = [
        (share, seconds(lambda share=share: all_bounds(votes, share), repeats=3) / one_count, 10.0)
        for share in (0.05, "best")
    ]
    print_table(
        "All bounds at m = 101, n = 1,000,000, in units of one `w @ (votes == c)`",
        ["low-margin share", "ratio", "at most"],
        ratios,
    )


def all_bounds(votes: Votes, low_margin_share: float | str = 0.05) -> object:
    """All bounds of votes of which nothing has been computed before."""
    return compute_bounds(fresh(votes), low_margin_share=low_margin_share)


def fresh(votes: Votes) -> Votes:
    return Votes(votes.votes, votes.perturbed, votes.y, votes.units, classes=votes.classes)


def growth(m: int, n: int) -> tuple[int, int, float, float]:
    votes = ensemble_votes(m, n)
    duration = seconds(lambda: all_bounds(votes))
    return m, n, duration, duration / (m * n) * 1e9


def from_labels() -> None:
    """Encode a large ensemble given as int64 labels, and evaluate all bounds."""
    m, n = LARGE
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, (m, n))
    perturbed = labels.copy()
    perturbed[:, : n // 10] = 0
    compute_bounds(Votes(labels, perturbed, labels[0]))


if __name__ == "__main__":
    from_labels() if sys.argv[1:] == ["memory"] else main()
