"""Single-objective (SEP), ordering-based (OEP) and Pareto (PEP) ensemble pruning.

Reference of all three: C. Qian, Y. Yu, Z.-H. Zhou. Pareto ensemble pruning. AAAI 2015.

The publication bounds no size; here a sub-ensemble that is empty or larger than `max_members` has
an infinite error, so neither search ever moves to one. The objective f is the error of the
weighted vote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import ceil, inf, log

import numpy as np

from dr_core._utils import Array
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import Judge
from dr_core.pruning.baselines._flips import errors_after_flip
from dr_core.pruning.baselines._greedy import best
from dr_core.pruning.baselines._ordering import reduced_error

Error = Callable[[Array], float]


def ordering_based(votes: Votes, max_members: int) -> list[int]:
    """OEP: members in the order of reduced error, cut where the error of the vote is lowest.

    s_u = argmin_k f(S_{u-1} ∪ {k}); of S_1 ⊂ S_2 ⊂ … the first with the lowest f is kept.

    References
    ----------
    C. Qian, Y. Yu, Z.-H. Zhou. Pareto ensemble pruning. AAAI 2015.
    """
    order = reduced_error(votes, max_members)
    errors = [votes.subset(order[:size]).error for size in range(1, len(order) + 1)]
    return order[: best(-np.array(errors)) + 1]


def single_objective(
    votes: Votes, max_members: int, *, rng: np.random.Generator, n_iter: int | None = None
) -> Array:
    """SEP: random flips of members, kept when the error of the vote does not grow.

    From a random sub-ensemble s of random size, each round flips every member with probability
    1/m to get s′, and moves to s′ when f(s′) ≤ f(s). There are `n_iter` rounds, ⌈m² ln m⌉ unless
    given, the order of the publication's running-time bound for PEP.

    References
    ----------
    C. Qian, Y. Yu, Z.-H. Zhou. Pareto ensemble pruning. AAAI 2015.
    """
    error = _error_of(votes, max_members)
    current = _random_start(votes.n_members, max_members, rng)
    for _ in range(_rounds(votes.n_members, n_iter)):
        flipped = _mutated(current, rng)
        if error(flipped) <= error(current):
            current = flipped
    return np.flatnonzero(current)


def pareto(
    votes: Votes, max_members: int, *, rng: np.random.Generator, n_iter: int | None = None
) -> Array:
    """PEP: an archive of sub-ensembles that no other beats in both error and size.

    Each round takes one sub-ensemble of the archive at random and flips every member with
    probability 1/m. If the result is not dominated it enters the archive, and a variable-depth
    search (VDS) from it offers one further sub-ensemble for each member: always the neighbour of
    lowest error among the members not flipped yet. After `n_iter` rounds, ⌈m² ln m⌉ unless given,
    the sub-ensemble of lowest error is kept, the smaller among equals. A sub-ensemble already
    tried is not tried again: it could only change places with an equal.

    References
    ----------
    C. Qian, Y. Yu, Z.-H. Zhou. Pareto ensemble pruning. AAAI 2015.
    """
    error = _error_of(votes, max_members)
    archive, tried = [_random_start(votes.n_members, max_members, rng)], set()
    for _ in range(_rounds(votes.n_members, n_iter)):
        flipped = _mutated(archive[rng.integers(len(archive))], rng)
        if flipped.tobytes() not in tried and _enter(archive, flipped, error):
            for neighbour in _variable_depth(votes, flipped, max_members):
                _enter(archive, neighbour, error)
        tried.add(flipped.tobytes())
    return np.flatnonzero(min(archive, key=lambda s: (error(s), s.sum())))


def _rounds(n_members: int, n_iter: int | None) -> int:
    return ceil(n_members**2 * log(n_members)) if n_iter is None else n_iter


def _random_start(n_members: int, max_members: int, rng: np.random.Generator) -> Array:
    """Mask of a sub-ensemble of random size and random members, (m,)."""
    selected = np.zeros(n_members, dtype=bool)
    selected[rng.permutation(n_members)[: rng.integers(1, max_members, endpoint=True)]] = True
    return selected


def _mutated(selected: Array, rng: np.random.Generator) -> Array:
    """Flip every member with probability 1/m."""
    return np.asarray(selected ^ (rng.random(len(selected)) < 1 / len(selected)))


def _error_of(votes: Votes, max_members: int) -> Error:
    """Error of the vote of a mask of members, remembered; infinite beyond the sizes allowed."""

    @cache
    def error(selected: bytes) -> float:
        members = np.flatnonzero(np.frombuffer(selected, dtype=bool))
        return votes.subset(members).error if 0 < len(members) <= max_members else inf

    return lambda selected: error(selected.tobytes())


def _enter(archive: list[Array], entrant: Array, error: Error) -> bool:
    """Put `entrant` into the archive, and whom it beats or equals out, unless it is dominated."""
    goals = (error(entrant), entrant.sum())
    if goals[0] == inf or any(_beats((error(s), s.sum()), goals) for s in archive):
        return False
    archive[:] = [s for s in archive if not _no_worse(goals, (error(s), s.sum()))]
    archive.append(entrant)
    return True


def _no_worse(left: tuple[float, int], right: tuple[float, int]) -> bool:
    return left[0] <= right[0] and left[1] <= right[1]


def _beats(left: tuple[float, int], right: tuple[float, int]) -> bool:
    return _no_worse(left, right) and left != right


def _variable_depth(votes: Votes, start: Array, max_members: int) -> Iterator[Array]:
    """Walk from `start`, flipping each member at most once, always to the lowest error."""
    judge, current, flipped = Judge(votes), start.copy(), np.zeros(len(start), dtype=bool)
    while True:
        errors = errors_after_flip(judge, current, max_members)
        errors[flipped] = inf
        pick = best(-errors)
        if errors[pick] == inf:
            return
        current[pick] ^= True
        flipped[pick] = True
        yield current.copy()
