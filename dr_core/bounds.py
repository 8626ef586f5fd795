"""The paper's bounds on the discriminative risk of a weighted vote.

All bounds follow from one fact: a vote that changes has φ(x) ≥ γ(x)/2. Here γ is the margin of the
vote, and φ is the weight of the members that change. With Z = φ/γ (0 if φ = 0, ∞ if only γ is 0),
this is Z ≥ 1/2, and Markov's inequalities bound P(Z ≥ 1/2). A bound that does not apply is NaN.
The PAC bounds instead compare the risk on these rows with the risk in their population.

Each bound is one function of `Votes`, named after its theorem; `compute_bounds` returns a table of
all. The paper's E_ρ[L(f)] is E[φ], and by its lemma E_ρ²[L(f, f′)] is E[φ²]. So every bound is
computed from γ and φ alone, without a loop over pairs of members.
"""

from __future__ import annotations

from itertools import accumulate
from math import inf, isnan, log, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from dr_core._utils import (
    Array,
    effective_size,
    exact_counts,
    exact_mean,
    exact_squares,
    find_largest_mean,
    is_integer,
    is_number,
)
from dr_core.ensembles import Votes, check_votes

__all__ = ["compute_bounds"]

Share = float | str
"""A low-margin share in [0, 1), or "best"."""

THESE_ROWS = "these rows"
"""What a bound on the risk of the vote on the given rows holds for."""

PAC_HOLDS_FOR = {
    "PAC, one hypothesis": "population, vote fixed beforehand",
    "PAC, any pruned vote": "population, vote chosen on these rows",
}
"""What the proven PAC bounds hold for, with probability 1 - δ."""

APPROXIMATE = "approximate, rows of unequal weight"
NOT_GUARANTEED = "not guaranteed"

EQUAL_WEIGHTS = 1e-9
"""Relative difference of two sums of probabilities that are equal but for rounding."""


def compute_bounds(
    votes: Votes,
    *,
    low_margin_share: Share = 0.05,
    delta: float = 0.05,
    n_pool: int | None = None,
    max_members: int | None = None,
) -> pd.DataFrame:
    """Compute all bounds on the discriminative risk of a vote, and the risk itself.

    Parameters
    ----------
    votes : Votes
        Votes of the members on x and x̃.
    low_margin_share : float in [0, 1) or "best", default=0.05
        The relaxed bounds exclude instances with a margin below γ₀. γ₀ is the largest margin that
        excludes at most this share of the instances. "best" uses the γ₀ with the smallest bound,
        for each of the two bounds.
    delta : float in (0, 1), default=0.05
        The PAC bounds hold with probability 1 - δ.
    n_pool : int, optional
        Number of members that those of a pruned vote were chosen from, for "PAC, any pruned vote".
        By default the number of members before `votes.subset`.
    max_members : int, optional
        Largest number of members that the pruned vote could have had, such as the `max_members`
        of `poaf`. `n_pool` by default.

    Returns
    -------
    DataFrame
        One row per bound.

        - `value`: the bound; NaN if it does not apply, and it can be ∞.
        - `applies`: whether the value is not NaN.
        - `guaranteed`: whether the bound is proven for what `holds_for` says.
        - `actual`: discriminative risk of the vote on these rows.
        - `holds_for`: what the bound holds for. "these rows": the bound is never below `actual`.
          "population, …": with probability 1 - δ, the bound is not below the risk on all data that
          these rows are an independent sample of. The members must have been trained on other
          rows. "vote fixed beforehand" excludes votes that were pruned or weighted on these rows;
          "vote chosen on these rows" includes uniform votes of at most `max_members` of `n_pool`
          members, chosen in any way. Both are approximate if the rows have unequal weights, and
          take frequencies of values in a range as known.

    Examples
    --------
    >>> votes = Votes([[0, 1], [0, 1], [0, 0]], [[0, 1], [0, 0], [0, 0]], y=[0, 1])
    >>> compute_bounds(votes).head(3)
               name  value  applies  guaranteed  actual   holds_for
    0        margin    0.5     True        True     0.5  these rows
    1   first order    1.0     True        True     0.5  these rows
    2  second order    2.0     True        True     0.5  these rows
    """
    check_votes(votes)
    _check_share(low_margin_share)
    _check_delta(delta)
    pool = _check_pool(votes, n_pool, max_members)
    on_rows, unproven = bounds_on_rows(votes, low_margin_share), unproven_bounds(votes, delta)
    values = on_rows | pac_bounds(votes, delta, *pool) | unproven
    pac = PAC_HOLDS_FOR if has_equal_rows(votes) else dict.fromkeys(PAC_HOLDS_FOR, APPROXIMATE)
    said = dict.fromkeys(on_rows, THESE_ROWS) | pac | dict.fromkeys(unproven, NOT_GUARANTEED)
    table = pd.DataFrame(values.items(), columns=["name", "value"])
    holds_for = table["name"].map(said)
    return table.assign(
        applies=table["value"].notna(),
        guaranteed=~holds_for.isin([APPROXIMATE, NOT_GUARANTEED]),
        actual=votes.risk,
        holds_for=holds_for,
    )


def bounds_on_rows(votes: Votes, low_margin_share: Share) -> dict[str, float]:
    """Return the values of the proven bounds on the risk on these rows, by name."""
    return {
        "margin": margin_bound(votes),
        "first order": first_order_bound(votes),
        "second order": second_order_bound(votes),
        "clipped first order": clipped_first_order_bound(votes),
        "clipped second order": clipped_second_order_bound(votes),
        "C-tandem": c_tandem_bound(votes),
        "relaxed first order": relaxed_first_order_bound(votes, low_margin_share),
        "relaxed second order": relaxed_second_order_bound(votes, low_margin_share),
    }


def pac_bounds(votes: Votes, delta: float, n_pool: int, max_members: int) -> dict[str, float]:
    """Return the values of the proven bounds on the risk in the population, by name."""
    return {
        "PAC, one hypothesis": pac_bound(votes, delta),
        "PAC, any pruned vote": pruned_vote_bound(votes, delta, n_pool, max_members),
    }


def unproven_bounds(votes: Votes, delta: float) -> dict[str, float]:
    """Return the values of the paper's bounds that can be below the risk, by name."""
    return {
        "PAC, all weightings": pac_bound(votes, delta, n_hypotheses=votes.n_members),
        "first order without margin": first_order_without_margin(votes),
        "second order without margin": second_order_without_margin(votes),
        "C-tandem without margin": c_tandem_without_margin(votes),
    }


def margin_bound(votes: Votes) -> float:
    """P(φ > 0 and φ ≥ γ/2), the tightest bound; φ and γ are integers here, so this is exact."""
    inconsistency = votes.inconsistency_units
    return votes.share((inconsistency > 0) & (2 * inconsistency >= votes.margin_units))


def first_order_bound(votes: Votes) -> float:
    """2 E[φ/γ], the paper's first-order oracle bound."""
    return 2 * _average(votes, inconsistency_ratio(votes))


def second_order_bound(votes: Votes) -> float:
    """4 E[φ²/γ²], the paper's second-order oracle bound."""
    return 4 * _average(votes, inconsistency_ratio(votes) ** 2)


def clipped_first_order_bound(votes: Votes) -> float:
    """E[min(1, 2φ/γ)]: finite, and never above the first-order bound."""
    return _average(votes, np.minimum(1, 2 * inconsistency_ratio(votes)))


def clipped_second_order_bound(votes: Votes) -> float:
    """E[min(1, 4φ²/γ²)]: finite, and never above the second-order bound."""
    return _average(votes, np.minimum(1, 4 * inconsistency_ratio(votes) ** 2))


def c_tandem_bound(votes: Votes) -> float:
    """(E[Z²] - E[Z]²) / (E[Z²] - E[Z] + ¼) with Z = φ/γ, for E[Z] < ½.

    It can equal the margin bound; the maximum keeps rounding errors from moving it below.
    """
    value = _cantelli(votes, inconsistency_ratio(votes))
    return value if isnan(value) else max(value, margin_bound(votes))


def relaxed_first_order_bound(votes: Votes, low_margin_share: Share = 0.05) -> float:
    """(2/γ₀) E_ρ[L(f)] + η with η = P(γ < γ₀), for γ₀ > 0."""
    return _relax(votes, 2 * _average(votes, votes.inconsistency), 1, low_margin_share)


def relaxed_second_order_bound(votes: Votes, low_margin_share: Share = 0.05) -> float:
    """(4/γ₀²) E_ρ²[L(f, f′)] + η with η = P(γ < γ₀), for γ₀ > 0."""
    return _relax(votes, 4 * _average(votes, votes.inconsistency**2), 2, low_margin_share)


def pac_bound(votes: Votes, delta: float = 0.05, n_hypotheses: int = 1) -> float:
    """DR + √(ln(|F|/δ) / 2n); n is the effective sample size of the instances."""
    return votes.risk + sqrt(log(n_hypotheses / delta) / (2 * effective_instances(votes)))


def pruned_vote_bound(votes: Votes, delta: float, n_pool: int, max_members: int) -> float:
    """kl⁻¹(DR, ln(Σ_{j≤k} C(m, j) / δ) / n), for uniform votes of at most k of m members.

    A union bound over all these votes (Langford and Seeger 2001): it holds for each of them, and
    so for the one that was chosen on the same rows. Weighted votes are infinitely many; NaN.

    Examples
    --------
    >>> votes = Votes([[0] * 100] * 3, [[0] * 90 + [1] * 10] * 3, y=[0] * 100)
    >>> round(pruned_vote_bound(votes, 0.05, n_pool=11, max_members=5), 4)
    0.2816
    """
    weights = votes.units[votes.units.nonzero()]
    if (weights != weights[0]).any():
        return nan
    most = (log(count_votes(n_pool, max_members)) - log(delta)) / effective_instances(votes)
    return find_largest_mean(votes.risk, most)


def count_votes(n_pool: int, max_members: int) -> int:
    """Return Σ_{1≤j≤k} C(m, j), the number of sub-ensembles of at most k of m members.

    Examples
    --------
    >>> count_votes(4, 2)  # 4 of one member, 6 of two
    10
    """
    sizes = range(1, max_members + 1)
    # C(m, j) = C(m, j-1) (m-j+1)/j is many times faster than each binomial by itself.
    binomials = accumulate(sizes, lambda last, j: last * (n_pool - j + 1) // j, initial=1)
    return sum(binomials) - 1


def first_order_without_margin(votes: Votes) -> float:
    """2 E_ρ[L(f)]: bounds the error of a vote, but not its discriminative risk."""
    return 2 * _average(votes, votes.inconsistency)


def second_order_without_margin(votes: Votes) -> float:
    """4 E_ρ²[L(f, f′)]: bounds the error of a vote, but not its discriminative risk."""
    return 4 * _average(votes, votes.inconsistency**2)


def c_tandem_without_margin(votes: Votes) -> float:
    """(E[φ²] - E[φ]²) / (E[φ²] - E[φ] + ¼), for E[φ] < ½; not guaranteed."""
    return _cantelli(votes, votes.inconsistency)


def inconsistency_ratio(votes: Votes) -> Array:
    """Return Z = φ/γ of each instance, (n,), with 0/0 = 0 and φ/0 = ∞.

    Examples
    --------
    >>> inconsistency_ratio(Votes([[0, 1, 1], [0, 0, 0]], [[0, 1, 0], [1, 0, 0]], y=[0, 1, 1]))
    array([0.5, 0. , inf])
    """
    inconsistency, margin = votes.inconsistency_units, votes.margin_units
    limit = np.where(inconsistency, inf, 0.0)
    return np.divide(inconsistency, margin, out=limit, where=margin > 0)


def effective_instances(votes: Votes) -> float:
    """Return the effective sample size (Σv)²/Σv²; perturbations of one row count as one instance.

    Examples
    --------
    >>> votes = Votes([[0, 1, 0]], [[0, 0, 0]], y=[0, 1, 0], rows=[0, 0, 1])
    >>> effective_instances(votes)  # rows of weight 2 and 1
    1.8
    """
    units = _count_row_units(votes)
    total, _ = exact_counts(np.array([int(units.sum())]))  # of integers, hence exact
    return effective_size(total[0], exact_squares(units)[0])


def has_equal_rows(votes: Votes) -> bool:
    """Return whether all rows with a weight have the same weight."""
    units = _count_row_units(votes)
    return bool(units.max() - units[units.nonzero()].min() <= EQUAL_WEIGHTS * units.max())


def _count_row_units(votes: Votes) -> Array:
    """Return the weight of each row, in units; that of its perturbations together."""
    _, position = np.unique(votes.rows, return_inverse=True)
    return np.bincount(position, votes.row_units)


def _average(votes: Votes, values: Array) -> float:
    """Return the weighted mean over instances, from an exact sum.

    So the order of the instances cannot decide whether a bound applies.
    """
    return exact_mean(values, None if votes.uniform_rows else votes.row_units)


# Z = 0 on three of four instances and Z = 1 on the fourth: the mean is ¼ and the variance is
# ¼ - 1/16 = 3/16. The bound on P(Z ≥ ½) is (3/16) / (3/16 + (¼)²) = ¾; P(Z ≥ ½) itself is ¼.
def _cantelli(votes: Votes, values: Array) -> float:
    """Return Cantelli's bound on P(Z ≥ ½): var / (var + (½ - mean)²), for mean < ½."""
    mean = _average(votes, values)
    if mean >= 0.5:
        return nan
    variance = _average(votes, (values - mean) ** 2)
    return variance / (variance + (0.5 - mean) ** 2)


def _relax(votes: Votes, numerator: float, order: int, low_margin_share: Share) -> float:
    """Return `numerator`/γ₀^`order` + P(γ < γ₀), where γ₀ is one of the margins of the votes."""
    margins, below = _compute_margin_distribution(votes)
    if low_margin_share != "best":
        chosen = np.flatnonzero(below <= low_margin_share)[-1:]
        margins, below = margins[chosen], below[chosen]
    positive = margins.nonzero()
    margins, below = margins[positive], below[positive]
    return float(np.min(numerator / margins**order + below)) if len(margins) else nan


def _compute_margin_distribution(votes: Votes) -> tuple[Array, Array]:
    """Return the distinct margins γ₀ in ascending order, and P(γ < γ₀) of each."""
    margins, positions = np.unique(votes.margin_units, return_inverse=True)
    mass = np.bincount(positions, weights=votes.row_units)
    below = (np.cumsum(mass) - mass) / votes.row_units.sum()
    return margins / votes.units.sum(), below


def _check_share(share: Share) -> None:
    if share != "best" and not (is_number(share) and 0 <= float(share) < 1):
        raise ValueError(f'low_margin_share must be in [0, 1) or "best"; got {share!r}.')


def _check_delta(delta: float) -> None:
    if not (is_number(delta) and 0 < delta < 1):
        raise ValueError(f"delta must be in (0, 1); got {delta!r}.")


def _check_pool(votes: Votes, n_pool: Any, max_members: Any) -> tuple[int, int]:
    """Return the sizes of the ensemble and of the largest vote that it could be pruned to."""
    kept = int(np.count_nonzero(votes.units))
    n_pool = votes.n_pool if n_pool is None else n_pool
    if not (is_integer(n_pool) and n_pool >= kept):
        raise ValueError(
            f"n_pool must be an integer of at least {kept}, the number of members of the vote; "
            f"got {n_pool!r}."
        )
    max_members = n_pool if max_members is None else max_members
    if not (is_integer(max_members) and kept <= max_members <= n_pool):
        raise ValueError(
            f"max_members must be an integer from {kept}, the number of members of the vote, to "
            f"{n_pool}, the number that they were chosen from (n_pool); got {max_members!r}."
        )
    return int(n_pool), int(max_members)
