"""A promise of the risk of a pruned vote, tested on rows that did not make the front.

References
----------
A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei. Learn then test: calibrating
predictive algorithms to achieve risk control. Annals of Applied Statistics 19, 2025.
S. Bates, A. Angelopoulos, L. Lei, J. Malik, M. Jordan. Distribution-free, risk-controlling
prediction sets. Journal of the ACM 68, 2021.
"""

from __future__ import annotations

from math import ceil, exp
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import rel_entr
from scipy.stats import binom

from dr_core._utils import Array, is_number
from dr_core.ensembles import Votes
from dr_core.pruning._neighbours import SubEnsembleVote
from dr_core.pruning._ties import TieRule

__all__ = ["MIN_HELD_OUT_ROWS", "PROMISE_CLAIM", "check_promise", "find_promised", "split_rows"]

PROMISE_CLAIM = "the risk can be above max_risk with a higher probability than delta"
"""What is wrong with a promise that takes frequencies of a range as known."""

MIN_HELD_OUT_ROWS = 2
"""Rows are not split into halves if there are fewer."""


def split_rows(votes: Votes, random: np.random.Generator) -> list[Array]:
    """Return the instances of a random half of the rows with weight, and those of the others."""
    weighted = np.unique(votes.rows[votes.row_units > 0])
    if len(weighted) < MIN_HELD_OUT_ROWS:
        raise ValueError(
            f"votes must have at least {MIN_HELD_OUT_ROWS} rows with weight to hold some out; got "
            f"{len(weighted)}."
        )
    first, second = np.array_split(random.permutation(weighted), 2)
    return [np.flatnonzero(np.isin(votes.rows, half)) for half in (first, second)]


def find_promised(
    front: pd.DataFrame, votes: Votes, max_risk: float, delta: float, rule: TieRule
) -> int:
    """Return the position of the most accurate candidate whose risk is at most `max_risk`.

    Candidates are tested one after the other, from the lowest risk to the lowest error, until the
    first that cannot be shown to have a risk of at most `max_risk` (fixed-sequence testing). The
    order is that of the front, so all tests together err with a probability of at most `delta`.

    Parameters
    ----------
    front : DataFrame
        As in `PruningResult.front`.
    votes : Votes
        On rows that did not make the front.
    max_risk, delta : float
    rule : TieRule
        How to judge ties.
    """
    last = None
    for position in reversed(range(len(front))):
        risks = compute_row_risks(votes, front["members"].iat[position], rule)
        if compute_p_value(risks, max_risk) > delta:
            break
        last = position
    if last is None:
        raise ValueError(_explain_failure(risks, max_risk, delta))
    return last


def compute_row_risks(votes: Votes, members: Any, rule: TieRule) -> tuple[Array, Array]:
    """Return the risk of the vote of `members` on each row, and the weights of the rows."""
    selected = np.isin(np.arange(votes.n_members), members)
    changed = SubEnsembleVote.make_empty(votes, rule).move_to(selected).changed
    _, positions = np.unique(votes.rows, return_inverse=True)
    weights = np.bincount(positions, votes.row_units)
    counts = np.bincount(positions, votes.row_units * changed)
    return counts[weights > 0] / weights[weights > 0], weights[weights > 0]


def compute_p_value(risks: tuple[Array, Array], max_risk: float) -> float:
    """Return a p-value of the hypothesis that the risk in the population is above `max_risk`.

    By the binomial distribution if each row has risk 0 or 1 and the same weight, otherwise the
    smallest of Hoeffding's and Bentkus' bounds on the same probability, which hold for any risks
    in [0, 1]. The weights count as fixed.

    Examples
    --------
    No change among 59 rows:

    >>> no_changes = np.zeros(59), np.ones(59)
    >>> round(compute_p_value(no_changes, max_risk=0.05), 4)
    0.0485
    """
    by_row, weights = risks
    # Weighted rows: E[w (r - α)] > 0 if and only if E[u] > α for u = α + (r - α) w / max w, which
    # is in [0, 1]. For equal weights u = r.
    values = max_risk + (by_row - max_risk) * weights / weights.max()
    n, mean = len(values), float(values.mean())
    if mean >= max_risk:
        return 1.0
    if np.isin(values, (0, 1)).all():
        return float(binom.cdf(round(n * mean), n, max_risk))
    divergence = rel_entr(mean, max_risk) + rel_entr(1 - mean, 1 - max_risk)
    bentkus = exp(1) * binom.cdf(ceil(n * mean), n, max_risk)
    # Hoeffding's bound for a sum whose terms have ranges of w each. It is the smallest where a
    # few weights are large.
    by_ranges = exp(-2 * (weights @ (by_row - max_risk)) ** 2 / (weights @ weights))
    return float(min(exp(-n * divergence), by_ranges, bentkus, 1.0))


def check_promise(max_risk: float | None, delta: float) -> None:
    """Raise ValueError unless `max_risk` is None or in (0, 1), and `delta` in (0, 1)."""
    for name, value in (("max_risk", max_risk), ("delta", delta)):
        if value is not None and not (is_number(value) and 0 < value < 1):
            raise ValueError(f"{name} must be above 0 and below 1; got {value!r}.")


def _explain_failure(risks: tuple[Array, Array], max_risk: float, delta: float) -> str:
    by_row, weights = risks
    return (
        f"max_risk={max_risk:g} cannot be promised with probability {1 - delta:g} for any "
        f"sub-ensemble found: the one of lowest risk has {by_row @ weights / weights.sum():.4f} "
        f"on {len(by_row)} rows that did not choose it. Pass a larger max_risk or more rows, or "
        "use another way to lower the risk, such as marginalizing."
    )
