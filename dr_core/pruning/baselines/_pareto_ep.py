"""Ordering-based (OEP), single-objective (SEP) and Pareto (PEP) ensemble pruning.

All three minimise f, the error of the weighted vote. The publication does not bound the size;
here a sub-ensemble that is empty or larger than `max_members` has an infinite error, so no search
moves to it.

References
----------
C. Qian, Y. Yu, Z.-H. Zhou. Pareto ensemble pruning. AAAI 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import ceil, inf, log

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._ties import AS_PUBLISHED
from dr_core.pruning.baselines._greedy import compute_errors_after_flip, find_best
from dr_core.pruning.baselines._ordering import reduced_error_pruning

ErrorFunction = Callable[[Array], float]
"""From a sub-ensemble, a bool array (m,), to f."""


def ordering_based_pruning(votes: Votes, max_members: int) -> list[int]:
    """OEP: members in the order of reduced error, cut where the error of the vote is lowest.

    s_u = argmin_k f(S_{u-1} ∪ {k}); of S_1 ⊂ S_2 ⊂ … the first with the lowest f is kept.
    """
    order = reduced_error_pruning(votes, max_members)
    errors = [votes.subset(order[:size]).error for size in range(1, len(order) + 1)]
    return order[: find_best(-np.array(errors)) + 1]


def single_objective_pruning(
    votes: Votes, max_members: int, *, rng: np.random.Generator, n_iter: int | None = None
) -> Array:
    """SEP: random flips of members, kept if the error of the vote does not increase.

    1. Start with a random sub-ensemble s of random size.
    2. In each round, flip every member with probability 1/m to get s′, and move to s′ if
       f(s′) ≤ f(s).

    By default there are `n_iter` = ⌈m² ln m⌉ rounds, the order of the publication's running-time
    bound for PEP.
    """
    error = _make_error_function(votes, max_members)
    current = _draw_sub_ensemble(votes.n_members, max_members, rng)
    for _ in range(_get_n_rounds(votes.n_members, n_iter)):
        flipped = _flip_at_random(current, rng)
        if error(flipped) <= error(current):
            current = flipped
    return np.flatnonzero(current)


def pareto_pruning(
    votes: Votes, max_members: int, *, rng: np.random.Generator, n_iter: int | None = None
) -> Array:
    """PEP: a search for the Pareto front of error and size.

    1. The archive starts with a random sub-ensemble of random size.
    2. In each round, take a random sub-ensemble of the archive and flip every member with
       probability 1/m.
    3. If the result is not dominated, add it to the archive, and offer to the archive every
       sub-ensemble that a variable-depth search (VDS) from it visits.
    4. After the last round, keep the sub-ensemble of lowest error, the smaller one of equals.

    By default there are `n_iter` = ⌈m² ln m⌉ rounds. A sub-ensemble is not offered a second time
    in step 3: it could only replace an equal one.
    """
    error = _make_error_function(votes, max_members)
    archive, tried = [_draw_sub_ensemble(votes.n_members, max_members, rng)], set()
    for _ in range(_get_n_rounds(votes.n_members, n_iter)):
        flipped = _flip_at_random(archive[rng.integers(len(archive))], rng)
        if flipped.tobytes() not in tried and _offer(archive, flipped, error):
            for neighbour in _iter_variable_depth(votes, flipped, max_members):
                _offer(archive, neighbour, error)
        tried.add(flipped.tobytes())
    return np.flatnonzero(min(archive, key=lambda s: (error(s), s.sum())))


def _get_n_rounds(n_members: int, n_iter: int | None) -> int:
    return ceil(n_members**2 * log(n_members)) if n_iter is None else n_iter


def _draw_sub_ensemble(n_members: int, max_members: int, rng: np.random.Generator) -> Array:
    """Return a sub-ensemble of random size and random members, a bool array (m,)."""
    selected = np.zeros(n_members, dtype=bool)
    selected[rng.permutation(n_members)[: rng.integers(1, max_members, endpoint=True)]] = True
    return selected


def _flip_at_random(selected: Array, rng: np.random.Generator) -> Array:
    """Flip every member with probability 1/m."""
    return np.asarray(selected ^ (rng.random(len(selected)) < 1 / len(selected)))


def _make_error_function(votes: Votes, max_members: int) -> ErrorFunction:
    """Return f, with a cache; f is infinite for sizes not allowed."""

    @cache
    def compute_error(selected: bytes) -> float:
        members = np.flatnonzero(np.frombuffer(selected, dtype=bool))
        return votes.subset(members).error if 0 < len(members) <= max_members else inf

    return lambda selected: compute_error(selected.tobytes())


def _offer(archive: list[Array], candidate: Array, error: ErrorFunction) -> bool:
    """Add `candidate` unless it is dominated, remove all it weakly dominates; return if added."""
    scores = (error(candidate), candidate.sum())
    if scores[0] == inf or any(_dominates((error(s), s.sum()), scores) for s in archive):
        return False
    archive[:] = [s for s in archive if not _weakly_dominates(scores, (error(s), s.sum()))]
    archive.append(candidate)
    return True


def _weakly_dominates(left: tuple[float, int], right: tuple[float, int]) -> bool:
    return left[0] <= right[0] and left[1] <= right[1]


def _dominates(left: tuple[float, int], right: tuple[float, int]) -> bool:
    return _weakly_dominates(left, right) and left != right


def _iter_variable_depth(votes: Votes, start: Array, max_members: int) -> Iterator[Array]:
    """Yield the sub-ensembles of a walk from `start`.

    Each step flips the member, of those not flipped yet, that gives the lowest error.
    """
    evaluator = SubEnsembleEvaluator(votes, AS_PUBLISHED)
    current, flipped = start.copy(), np.zeros(len(start), dtype=bool)
    while True:
        errors = compute_errors_after_flip(evaluator, current, max_members)
        errors[flipped] = inf
        pick = find_best(-errors)
        if errors[pick] == inf:
            return
        current[pick] ^= True
        flipped[pick] = True
        yield current.copy()
