"""Is the risk of a pruned vote at most `max_risk` as often as `poaf` promises?

Members err and change independently of each other, so the risk of each vote in the population is
known exactly. Where all members are alike, `max_risk` is just below the risk of every vote, so
that every promise is a miss. Where they differ, the more accurate ones change more often, and some
votes of the front have more risk than `max_risk`, others less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.soundness.marks import Mark, simulate
from dr_core import Votes, poaf

DELTA = 0.05
N_MEMBERS, MAX_MEMBERS = 9, 5


@dataclass(frozen=True)
class Members:
    """Independent members with these probabilities of an error and of a change."""

    errors: np.ndarray
    changes: np.ndarray


ALIKE = Members(np.full(N_MEMBERS, 0.2), np.full(N_MEMBERS, 0.2))
DIFFERENT = Members(np.linspace(0.1, 0.3, N_MEMBERS), np.linspace(0.3, 0.1, N_MEMBERS))


@dataclass(frozen=True)
class Sample:
    """How many rows there are, and how many equally likely perturbations of each."""

    n_rows: int
    n_perturbations: int = 1
    weighted: bool = False


SAMPLES = {
    "one perturbation": Sample(300),
    "three perturbations": Sample(300, n_perturbations=3),
    "weighted rows": Sample(600, weighted=True),
    "few rows": Sample(80),
}


def promises_hold(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Yield the share of votes whose risk in the population is above what was promised."""
    below = 0.99 * compute_true_risk(ALIKE, range(MAX_MEMBERS))
    for kind, members, max_risk in (("alike", ALIKE, below), ("different", DIFFERENT, 0.13)):
        for how, sample in SAMPLES.items():
            name = f"members {kind}, {how}"
            run = partial(find_excess, members=members, sample=sample, max_risk=max_risk)
            promised, naive = simulate(run, n_runs, name, progress).T
            figure = f"misses at delta = {DELTA}"
            yield Mark(f"max_risk: {name}", figure, (promised > 0).mean(), at_most=DELTA)
            yield Mark(f"max_risk: {name}", "runs with a promise", np.isfinite(promised).mean())
            yield Mark(f"no promise: {name}", "misses", (naive > 0).mean())


def find_excess(
    random: np.random.Generator, members: Members, sample: Sample, max_risk: float
) -> tuple[float, float]:
    """Return by how much the risk exceeds `max_risk`, with a promise and without; NaN if none.

    Without a promise, the most accurate vote is chosen whose risk on all rows is at most
    `max_risk`.
    """
    votes, seed = draw_votes(random, members, sample), int(random.integers(2**31))
    front = poaf(votes, MAX_MEMBERS, random_state=seed).front
    safe = front["members"][front["risk"] <= max_risk]
    naive = compute_true_risk(members, safe.iat[0]) - max_risk if len(safe) else np.nan
    try:
        promised = poaf(votes, MAX_MEMBERS, max_risk=max_risk, delta=DELTA, random_state=seed)
    except ValueError:
        return np.nan, naive
    return compute_true_risk(members, promised.members) - max_risk, naive


def draw_votes(random: np.random.Generator, members: Members, sample: Sample) -> Votes:
    """Return votes on rows of class 1."""
    rows = np.repeat(np.arange(sample.n_rows), sample.n_perturbations)
    right = random.random((N_MEMBERS, sample.n_rows)) >= members.errors[:, None]
    changed = random.random((N_MEMBERS, len(rows))) < members.changes[:, None]
    votes = right[:, rows].astype(int)
    weights = random.lognormal(sigma=0.5 * sample.weighted, size=sample.n_rows)
    return Votes(
        votes,
        votes ^ changed,
        np.ones(len(rows), int),
        sample_weight=weights[rows],
        classes=[0, 1],
        rows=rows,
    )


def compute_true_risk(members: Members, kept: Iterable[int]) -> float:
    """Return the risk of a vote in the population, from the joint distribution of its totals."""
    kept = list(kept)
    n = len(kept)
    # joint[i, j]: probability that i members vote 1 on x, and j on x̃.
    joint = np.zeros((n + 1, n + 1))
    joint[0, 0] = 1
    for error, change in zip(members.errors[kept], members.changes[kept], strict=True):
        added = joint * error * (1 - change)
        added[:, 1:] += joint[:, :-1] * error * change
        added[1:] += joint[:-1] * (1 - error) * change
        added[1:, 1:] += joint[:-1, :-1] * (1 - error) * (1 - change)
        joint = added
    vote = np.arange(n + 1) > n / 2
    return float(joint[vote[:, None] != vote].sum())
