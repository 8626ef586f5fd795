"""Algorithms 1, 2 and 3 of the paper, line by line, and the Pareto front by brute force.

Random numbers are drawn in the same order as in the fast code, so that the same seed must give the
same sub-ensembles.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from textbook.bounds import tandem_risk
from textbook.voting import Ensemble, cautious_error, cautious_risk, error, risk

Members = tuple[int, ...]
Scores = tuple[float, float]


class Evaluation:
    """𝒢 and 𝓛 of sub-ensembles, each computed from scratch, once."""

    def __init__(self, ensemble: Ensemble, trade_off: float, ties: str = "cautious") -> None:
        self.ensemble, self.trade_off, self.ties = ensemble, trade_off, ties
        self.known: dict[Members, Scores] = {}
        self.n = sum(ensemble.row_weights)
        self.tandem = [
            [int(tandem_risk(ensemble, j, k) * self.n) for k in ensemble.everyone]
            for j in ensemble.everyone
        ]
        self.errors = [
            sum(
                weight
                for vote, label, weight in zip(row, ensemble.y, ensemble.row_weights, strict=True)
                if vote != label
            )
            for row in ensemble.votes
        ]

    def scores(self, members: Members) -> Scores:
        if members not in self.known:
            self.known[members] = scores_of(self.ensemble, members, self.ties)
        return self.known[members]

    def objective(self, members: Members) -> float:
        w = self.ensemble.weights
        total = sum(w[j] for j in members)
        accuracy = sum(w[j] * self.errors[j] for j in members)
        fairness = sum(w[j] * w[k] * self.tandem[j][k] for j in members for k in members)
        return self.trade_off * (accuracy / (total * self.n)) + (1 - self.trade_off) * (
            fairness / (total**2 * self.n)
        )

    def pair_objective(self, j: int, k: int) -> float:
        mean_error = (self.errors[j] + self.errors[k]) / (2 * self.n)
        return self.trade_off * mean_error + (1 - self.trade_off) * self.tandem[j][k] / self.n


def scores_of(ensemble: Ensemble, members: Members, ties: str) -> Scores:
    pair = (cautious_error, cautious_risk) if ties == "cautious" else (error, risk)
    return tuple(score(ensemble, list(members)) for score in pair)


def must_be_odd(ensemble: Ensemble, ties: str) -> bool:
    return ties == "cautious" and ensemble.n_classes == 2 and len(set(ensemble.weights)) == 1


def weakly_dominates(a: Scores, b: Scores) -> bool:
    return a[0] <= b[0] and a[1] <= b[1]


def dominates(a: Scores, b: Scores) -> bool:
    return weakly_dominates(a, b) and a != b


def poaf(
    ensemble: Ensemble,
    k: int,
    trade_off: float,
    n_iter: int,
    exchange: bool,
    seed: int,
    ties: str = "cautious",
) -> tuple[Members, set[Members]]:
    odd = must_be_odd(ensemble, ties)
    k = k - 1 if odd and k % 2 == 0 else k
    random = np.random.default_rng(seed)
    evaluate = Evaluation(ensemble, trade_off, ties)
    archive = [as_members(random.choice(len(ensemble.everyone), k, replace=False))]
    search = search_by_walks if exchange else search_as_published
    search(archive, evaluate, k, n_iter, odd, random)
    archive.sort(key=evaluate.scores)
    return min(archive, key=lambda z: round(evaluate.objective(z), 12)), set(archive)


def search_as_published(
    archive: list[Members],
    evaluate: Evaluation,
    k: int,
    n_iter: int,
    odd: bool,
    random: np.random.Generator,
) -> None:
    m = len(evaluate.ensemble.everyone)
    for _ in range(n_iter):
        child = mutated(archive[random.integers(len(archive))], m, k, odd, random)
        if offer(archive, child, evaluate):
            candidates = neighbours(child, m, k, odd)
            candidates.sort(key=lambda members: round(evaluate.objective(members), 12))
            for candidate in candidates:
                offer(archive, candidate, evaluate)


def search_by_walks(
    archive: list[Members],
    evaluate: Evaluation,
    k: int,
    n_iter: int,
    odd: bool,
    random: np.random.Generator,
) -> None:
    """Pareto local search; when all of the archive is explored, tabu walks of 60 steps."""
    m = len(evaluate.ensemble.everyone)
    explored: set[Members] = set()
    here = None
    for j in range(m):
        offer_first(archive, (j,), evaluate)
    for _ in range(n_iter):
        archive.sort(key=evaluate.scores)
        unexplored = [z for z in archive if z not in explored]
        if here is None and unexplored:
            child = unexplored[random.integers(len(unexplored))]
            explored.add(child)
            for candidate in exchanges(child, m, k, odd):
                offer_first(archive, candidate, evaluate)
            continue
        if here is None:
            place = int(random.integers(len(archive)))
            here, n_steps, rests_until = archive[place], 0, [0] * m
            weight = 1 - (place + 0.5) / len(archive) + 0.15 * random.normal()
            weight = min(max(weight, 0.02), 0.98)
            errors, risks = zip(*(evaluate.scores(z) for z in archive), strict=True)
            ranges = max(errors) - min(errors) or 1.0, max(risks) - min(risks) or 1.0
        explored.add(here)
        candidates = exchanges(here, m, k, odd)
        for candidate in candidates:
            offer_first(archive, candidate, evaluate)
        free = [z for z in candidates if all(rests_until[j] <= n_steps for j in moved(here, z))]
        n_steps += 1
        if n_steps == 60 or not free:
            here = None
            continue
        values = [weigh(evaluate.scores(z), weight, ranges) for z in free]
        best = [z for z, value in zip(free, values, strict=True) if value == min(values)]
        chosen = best[random.integers(len(best))]
        rest = random.integers(1, 4, 1)[0]
        for j in moved(here, chosen):
            rests_until[j] = n_steps + rest
        here = chosen


def weigh(scores: Scores, weight: float, ranges: tuple[float, float]) -> float:
    return weight * (scores[0] / ranges[0]) + (1 - weight) * (scores[1] / ranges[1])


def moved(before: Members, after: Members) -> set[int]:
    return set(before) ^ set(after)


def exchanges(members: Members, m: int, k: int, odd: bool) -> list[Members]:
    """Leavers, joiners and swaps; if sizes must stay odd, any two members leave or join."""
    if not odd:
        return neighbours(members, m, k, odd) + swaps(members, m)
    pairs = [as_members(moved(members, pair)) for pair in combinations(range(m), 2)]
    return [pair for pair in pairs if 1 <= len(pair) <= k]


def offer_first(archive: list[Members], candidate: Members, evaluate: Evaluation) -> None:
    """Offer a candidate that is added only if nothing has the same error and risk."""
    scores = evaluate.scores(candidate)
    if not any(evaluate.scores(other) == scores for other in archive):
        offer(archive, candidate, evaluate)


def offer(archive: list[Members], candidate: Members, evaluate: Evaluation) -> bool:
    scores = evaluate.scores(candidate)
    for other in archive:
        if dominates(evaluate.scores(other), scores):
            return False
    kept = [z for z in archive if not weakly_dominates(scores, evaluate.scores(z))]
    archive[:] = [*kept, candidate]
    return True


def mutated(parent: Members, m: int, k: int, odd: bool, random: np.random.Generator) -> Members:
    flips = random.random(m)
    child = [j for j in range(m) if (j in parent) != (flips[j] < 1 / m)]
    size = min(len(child), k)
    if odd and size > 0 and size % 2 == 0:
        size -= 1
    if len(child) > size:
        dropped = random.choice(child, len(child) - size, replace=False)
        child = [j for j in child if j not in dropped]
    if not child:
        child = [int(random.integers(m))]
    return tuple(child)


def neighbours(members: Members, m: int, k: int, odd: bool) -> list[Members]:
    """Leavers and joiners, in pairs if sizes must stay odd."""
    others = [j for j in range(m) if j not in members]
    number = 2 if odd else 1
    found = []
    if len(members) > number:
        for leavers in combinations(members, number):
            found.append(tuple(j for j in members if j not in leavers))
    if len(members) + number <= k:
        for joiners in combinations(others, number):
            found.append(as_members((*members, *joiners)))
    return found


def swaps(members: Members, m: int) -> list[Members]:
    others = [j for j in range(m) if j not in members]
    return [as_members((*without(members, i), j)) for i in members for j in others]


def without(members: Members, j: int) -> Members:
    return tuple(i for i in members if i != j)


def as_members(indices: object) -> Members:
    return tuple(sorted(int(j) for j in indices))


def epaf_c(evaluate: Evaluation, group: list[int], k: int) -> list[int]:
    rest = sorted(group)
    chosen = [min(rest, key=lambda j: round(evaluate.pair_objective(j, j), 12))]
    rest.remove(chosen[0])
    while rest and len(chosen) < k:
        best = min(rest, key=lambda j: round(mean_objective(evaluate, j, chosen), 12))
        rest.remove(best)
        chosen.append(best)
    return chosen


def mean_objective(evaluate: Evaluation, j: int, chosen: list[int]) -> float:
    return sum(evaluate.pair_objective(j, i) for i in chosen) / len(chosen)


def epaf_sizes(ensemble: Ensemble, k: int, ties: str) -> list[int]:
    return [size for size in range(1, k + 1) if size % 2 or not must_be_odd(ensemble, ties)]


def epaf_d(
    ensemble: Ensemble, k: int, trade_off: float, n_groups: int, seed: int, ties: str = "cautious"
) -> Members:
    evaluate = Evaluation(ensemble, trade_off, ties)
    shuffled = np.random.default_rng(seed).permutation(ensemble.everyone)
    groups = [part.tolist() for part in np.array_split(shuffled, n_groups)]

    def prune(group: list[int]) -> list[int]:
        return epaf_c(evaluate, group, epaf_sizes(ensemble, min(k, len(group)), ties)[-1])

    finalists = [prune(group) for group in groups]
    finalists.append(prune([j for part in finalists for j in part]))
    return min(
        map(as_members, finalists), key=lambda members: round(evaluate.objective(members), 12)
    )


def true_front(ensemble: Ensemble, k: int, ties: str = "cautious") -> set[Scores]:
    scores = {
        scores_of(ensemble, members, ties)
        for size in range(1, k + 1)
        for members in combinations(ensemble.everyone, size)
    }
    return {a for a in scores if not any(dominates(b, a) for b in scores)}
