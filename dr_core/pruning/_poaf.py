"""POAF, Pareto optimal ensemble pruning for accuracy and fairness.

`poaf` searches for the Pareto front of error and discriminative risk, and selects one
sub-ensemble of it. By default the search is an improved one (`_exchange`); the paper's algorithm 1
is `_published`. If members are few, all sub-ensembles are evaluated instead (`_exhaustive`).

References
----------
Y. Bian. Improving fairness with ensemble combination: margin-dependent bounds. FAccT 2026.
"""

from __future__ import annotations

from collections.abc import Collection
from math import comb

import numpy as np
import pandas as pd
from tqdm import tqdm

from dr_core._utils import RandomState, as_generator, is_integer, use_one_blas_thread
from dr_core.ensembles import Votes
from dr_core.pruning._class_losses import compute_class_losses
from dr_core.pruning._exchange import ExchangeSearch
from dr_core.pruning._exhaustive import MAX_EXHAUSTIVE_MEMBERS, find_true_front
from dr_core.pruning._objectives import check_trade_off
from dr_core.pruning._promise import check_promise, find_promised, split_rows
from dr_core.pruning._published import PublishedSearch
from dr_core.pruning._result import (
    ACCURACY_TOLERANCE,
    PruningResult,
    SelectionRule,
    append_held_out,
    check_max_members,
    check_selection,
    find_voting_members,
    make_front_table,
    make_result,
    select_from_front,
)
from dr_core.pruning._scores import score_vote
from dr_core.pruning._ties import TieRule

__all__ = ["poaf"]

EXHAUSTIVE_SPEEDUP = 8
"""Candidates evaluated all at once in the time of one iteration of a search."""


def poaf(
    votes: Votes,
    max_members: int,
    *,
    trade_off: float = 0.5,
    n_iter: int | None = None,
    neighbourhood: str = "exchange",
    selection: SelectionRule = "objective",
    accuracy_tolerance: float = ACCURACY_TOLERANCE,
    ties: str = "cautious",
    max_risk: float | None = None,
    delta: float = 0.05,
    random_state: RandomState = None,
    progress: bool = False,
) -> PruningResult:
    """Prune an ensemble to at most `max_members`, searching for the Pareto front of 𝒢.

    Parameters
    ----------
    votes : Votes
        Votes of the members on x and x̃.
    max_members : int
        k, the largest size allowed.
    trade_off : float in [0, 1], default=0.5
        λ, the weight of accuracy in 𝓛.
    n_iter : int, optional
        Number of iterations. By default enough for a nearly complete front: 4,000, and 300 more
        for each member beyond 41 (up to 900 if there are fewer than 1,500 instances); a twentieth
        of it if weights differ or there are more than two classes, as these take longer to
        evaluate. With `neighbourhood="paper"`, k, as in the paper.
    neighbourhood : "exchange" or "paper", default="exchange"
        "paper" is the algorithm as published: neighbours have one member more or less.
        "exchange" also swaps one member for another, explores the neighbours of every candidate
        of the front and walks on from there (tabu search). Where it is faster to evaluate all
        sub-ensembles (m up to about 16 by default), this is done, and the front is the true one.
    selection : "objective", "largest", "min_risk" or callable, default="objective"
        The sub-ensemble to select from the front: the lowest 𝓛; the lowest 𝓛 among the largest
        sub-ensembles; the lowest risk within `accuracy_tolerance` of the lowest error; or the
        row whose position the callable returns for the front.
    accuracy_tolerance : float, default=0.02
        For `selection="min_risk"`. Moreover, the error on no class may exceed that of the whole
        ensemble by more than this, if any candidate allows it. So risk is not lowered by
        predicting one class less often.
    ties : "cautious" or "lowest", default="cautious"
        How to judge tied votes. "cautious" counts a tied vote as wrong, and as changed if any
        member changed. So error and risk are upper bounds for every way to break ties, and the
        same members are kept if classes are renamed. In a vote of two classes and equal weights
        only odd sizes are candidates. "lowest" gives ties to the lowest class, as in the paper.
    max_risk : float in (0, 1), optional
        Select the most accurate candidate whose risk in the population is at most `max_risk`
        with probability 1 - `delta`, instead of applying `selection`. The front is made on a
        random half of the rows; its candidates are tested on the other half, from the lowest
        risk on, until a test fails. Raise ValueError if already the first fails. The rows must
        not be those that the ensemble was fitted on. Frequencies of values in a range count as
        known.
    delta : float in (0, 1), default=0.05
        For `max_risk`.
    random_state : int, Generator, RandomState or None
        The same seed gives the same result.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    PruningResult
        Its `front` holds every non-dominated sub-ensemble found.

    Examples
    --------
    The second member is always right and never changes:

    >>> votes = Votes(
    ...     [[0, 0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 0]],
    ...     [[0, 1, 1], [0, 1, 1], [0, 0, 1], [1, 0, 1]],
    ...     y=[0, 1, 1],
    ... )
    >>> poaf(votes, max_members=2, random_state=0)
    PruningResult(1 member [1], error 0.0000, risk 0.0000, objective 0.0000; front of 1)
    """
    k, rule = check_max_members(max_members, votes), TieRule(ties)
    searcher, random = _check_neighbourhood(neighbourhood), as_generator(random_state)
    check_selection(selection, accuracy_tolerance)
    check_trade_off(trade_off)
    check_promise(max_risk, delta)
    n_iter = _check_n_iter(n_iter, searcher.get_default_n_iter(votes, k))
    iterations = tqdm(range(n_iter), desc="search", unit="iteration", disable=not progress)
    if max_risk is None:
        front, n_judged = _find_front(searcher, votes, k, trade_off, rule, iterations, random)
        losses = compute_class_losses(votes, front, rule) if selection == "min_risk" else 0.0
        position = select_from_front(front, selection, accuracy_tolerance, losses)
        return make_result(votes, front, position, n_judged)
    choosing, judging = map(votes.take, split_rows(votes, random))
    front, n_judged = _find_front(searcher, choosing, k, trade_off, rule, iterations, random)
    position = find_promised(front, judging, max_risk, delta, rule)
    result = make_result(choosing, front, position, n_judged, max_risk=max_risk, delta=delta)
    kept = judging.subset(result.members)
    return append_held_out(result, score_vote(kept))


def _find_front(
    searcher: type[PublishedSearch] | type[ExchangeSearch],
    votes: Votes,
    max_members: int,
    trade_off: float,
    rule: TieRule,
    iterations: Collection[int],
    random: np.random.Generator,
) -> tuple[pd.DataFrame, int]:
    """Return the front, and the number of sub-ensembles evaluated."""
    pool = find_voting_members(votes)
    voting = votes if len(pool) == votes.n_members else votes.subset(pool)
    size = min(max_members, len(pool))
    n_candidates = count_candidates(len(pool), size, rule.needs_odd_sizes(voting))
    if searcher.exchange and is_exhaustive_faster(len(pool), n_candidates, len(iterations)):
        archive, n_judged = find_true_front(voting, size, trade_off, rule)
        return make_front_table(archive, pool), n_judged
    search = searcher(voting, size, trade_off, rule, random)
    with use_one_blas_thread():
        search.run(iterations)
    return make_front_table(search.archive, pool), search.n_judged


def count_candidates(m: int, k: int, odd: bool) -> int:
    """Return the number of sub-ensembles of up to k of m members, of odd sizes only if `odd`.

    Examples
    --------
    >>> count_candidates(m=4, k=3, odd=False), count_candidates(m=4, k=3, odd=True)
    (14, 8)
    """
    return sum(comb(m, size) for size in range(1, k + 1, 2 if odd else 1))


def is_exhaustive_faster(m: int, n_candidates: int, n_iter: int) -> bool:
    """Return whether evaluating all candidates of m members takes no longer than a search.

    Examples
    --------
    >>> is_exhaustive_faster(m=11, n_candidates=1023, n_iter=200)
    True
    """
    return m <= MAX_EXHAUSTIVE_MEMBERS and n_candidates <= EXHAUSTIVE_SPEEDUP * n_iter


def _check_neighbourhood(neighbourhood: str) -> type[PublishedSearch] | type[ExchangeSearch]:
    searches: dict[str, type[PublishedSearch] | type[ExchangeSearch]]
    searches = {"exchange": ExchangeSearch, "paper": PublishedSearch}
    if isinstance(neighbourhood, str) and neighbourhood in searches:
        return searches[neighbourhood]
    raise ValueError(f'neighbourhood must be "exchange" or "paper"; got {neighbourhood!r}.')


def _check_n_iter(n_iter: int | None, default: int) -> int:
    if n_iter is None:
        return default
    if is_integer(n_iter) and n_iter >= 0:
        return int(n_iter)
    raise ValueError(f"n_iter must be an integer, 0 or more; got {n_iter!r}.")
