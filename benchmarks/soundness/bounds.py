"""Do the PAC bounds hold for the population as often as they say?

The members of an ensemble change their predictions independently, each with the same probability.
So no vote of a given size has less risk in the population than another of that size, and whatever
a choice on the rows seems to gain is chance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import binom

from benchmarks.soundness.marks import Mark, simulate
from dr_core import Votes, compute_bounds, exhaustive_front

DELTA = 0.05
N_ROWS, N_FRESH = 200, 10_000

CHANGE_RATE = 0.45
"""Probability that a member changes its prediction."""

N_POOL, MAX_MEMBERS = 11, 5
"""Members of the ensemble that is pruned on the rows, to one of 1,023 votes."""

N_WEIGHTED, N_ROUNDS, LEARNING_RATE = 51, 200, 0.5
"""Members of the ensemble that is weighted on the rows, and how."""

NAMES = ["PAC, one hypothesis", "PAC, any pruned vote"]


def bounds_hold(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Yield the shares of bounds below the risk in the population, for votes of three kinds."""
    figure = f"misses at delta = {DELTA}"
    fixed = simulate(miss_for_fixed_vote, n_runs, "vote fixed beforehand", progress)
    pruned = simulate(miss_for_pruned_vote, n_runs, "vote pruned on the rows", progress)
    weighted = simulate(miss_for_weighted_vote, n_runs, "vote weighted on the rows", progress)
    one, any_pruned = NAMES
    yield Mark(f"{one}: vote fixed beforehand", figure, fixed[:, 0].mean(), at_most=DELTA)
    yield Mark(f"{any_pruned}: vote fixed beforehand", figure, fixed[:, 1].mean(), at_most=DELTA)
    yield Mark(f"{any_pruned}: best of 1,023", figure, pruned[:, 1].mean(), at_most=DELTA)
    yield Mark(f"{one}: best of 1,023, not guaranteed", figure, pruned[:, 0].mean())
    yield Mark("PAC, all weightings: chosen weights, not guaranteed", figure, weighted.mean())


def miss_for_fixed_vote(random: np.random.Generator) -> list[bool]:
    """Return which bounds are below the risk of the vote of all members."""
    votes = as_votes(draw_changes(random, N_POOL, N_ROWS))
    risk = compute_true_risk(N_POOL)
    return [bound < risk for bound in get_bounds(votes, NAMES)]


def miss_for_pruned_vote(random: np.random.Generator) -> list[bool]:
    """Return which bounds are below the risk of the vote with the lowest risk on the rows."""
    votes = as_votes(draw_changes(random, N_POOL, N_ROWS))
    best = exhaustive_front(votes, MAX_MEMBERS).front["members"].iat[-1]
    risk = compute_true_risk(len(best))
    bounds = get_bounds(votes.subset(best), NAMES, max_members=MAX_MEMBERS)
    return [bound < risk for bound in bounds]


def miss_for_weighted_vote(random: np.random.Generator) -> bool:
    """Return whether the bound is below the risk of a vote weighted on the rows."""
    changes = draw_changes(random, N_WEIGHTED, N_ROWS)
    weights = choose_weights(changes)
    fresh = as_votes(draw_changes(random, N_WEIGHTED, N_FRESH), weights)
    return get_bounds(as_votes(changes, weights), ["PAC, all weightings"])[0] < fresh.risk


def choose_weights(changes: np.ndarray) -> np.ndarray:
    """Return the weights with the lowest risk on the rows that multiplicative updates find.

    Members that change on the rows whose vote changes lose weight, as in boosting.
    """
    weights = np.full(len(changes), 1 / len(changes))
    found = {}
    for _ in range(N_ROUNDS):
        changed = weights @ changes >= 0.5
        found[float(changed.mean())] = weights
        if not changed.any():
            break
        weights = weights * np.exp(-LEARNING_RATE * changes[:, changed].mean(axis=1))
        weights = weights / weights.sum()
    return found[min(found)]


def draw_changes(random: np.random.Generator, m: int, n: int) -> np.ndarray:
    """Return which of m members changes its prediction on which of n rows."""
    return random.random((m, n)) < CHANGE_RATE


def as_votes(changes: np.ndarray, weights: np.ndarray | None = None) -> Votes:
    """Return votes of members that predict 1 for every x, and 0 for x̃ where they change."""
    before = np.ones(changes.shape, np.int64)
    return Votes(before, 1 - changes, before[0], weights)


def compute_true_risk(n_members: int) -> float:
    """Return the risk of a vote in the population: at least half of its members change."""
    return float(binom.sf((n_members - 1) // 2, n_members, CHANGE_RATE))


def get_bounds(votes: Votes, names: list[str], **options: int) -> list[float]:
    """Return the values of these bounds."""
    table = compute_bounds(votes, delta=DELTA, **options)
    return table.set_index("name").loc[names, "value"].tolist()
