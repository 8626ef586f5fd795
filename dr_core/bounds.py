"""The paper's bounds on the discriminative risk of a weighted vote.

All bounds follow from one fact: a vote that changes has φ(x) ≥ γ(x)/2. Here γ is the margin of the
vote, and φ is the weight of the members that change. With Z = φ/γ (0 if φ = 0, ∞ if only γ is 0),
this is Z ≥ 1/2, and Markov's inequalities bound P(Z ≥ 1/2). A bound that does not apply is NaN.

Each bound is one function of `Votes`, named after its theorem; `compute_bounds` returns a table of
all. The paper's E_ρ[L(f)] is E[φ], and by its lemma E_ρ²[L(f, f′)] is E[φ²]. So every bound is
computed from γ and φ alone, without a loop over pairs of members.
"""

from __future__ import annotations

from math import inf, isnan, log, nan, sqrt

import numpy as np
import pandas as pd

from dr_core._utils import (
    Array,
    effective_size,
    exact_counts,
    exact_mean,
    exact_squares,
    is_number,
)
from dr_core.ensembles import Votes, check_votes

__all__ = ["compute_bounds"]

Share = float | str
"""A low-margin share in [0, 1), or "best"."""


def compute_bounds(
    votes: Votes, *, low_margin_share: Share = 0.05, delta: float = 0.05
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

    Returns
    -------
    DataFrame
        One row per bound. `value` is NaN if the bound does not apply, and can be ∞. `applies` is
        False if the value is NaN. `guaranteed` is True if the bound is proven never to be below
        the risk of the vote on these instances, which is `actual`. The PAC bounds also bound the
        risk on unseen data, with probability 1 - δ; for "all weightings" this relies on the
        paper's union bound over the members.

    Examples
    --------
    >>> votes = Votes([[0, 1], [0, 1], [0, 0]], [[0, 1], [0, 0], [0, 0]], y=[0, 1])
    >>> compute_bounds(votes).head(3)
               name  value  applies  guaranteed  actual
    0        margin    0.5     True        True     0.5
    1   first order    1.0     True        True     0.5
    2  second order    2.0     True        True     0.5
    """
    check_votes(votes)
    _check_share(low_margin_share)
    _check_delta(delta)
    guaranteed = guaranteed_bounds(votes, low_margin_share, delta)
    analogues = bounds_without_margin(votes)
    table = pd.DataFrame({**guaranteed, **analogues}.items(), columns=["name", "value"])
    table["applies"] = table["value"].notna()
    table["guaranteed"] = table["name"].isin(list(guaranteed))
    table["actual"] = votes.risk
    return table


def guaranteed_bounds(votes: Votes, low_margin_share: Share, delta: float) -> dict[str, float]:
    """Return the values of the proven bounds, by name."""
    return {
        "margin": margin_bound(votes),
        "first order": first_order_bound(votes),
        "second order": second_order_bound(votes),
        "clipped first order": clipped_first_order_bound(votes),
        "clipped second order": clipped_second_order_bound(votes),
        "C-tandem": c_tandem_bound(votes),
        "relaxed first order": relaxed_first_order_bound(votes, low_margin_share),
        "relaxed second order": relaxed_second_order_bound(votes, low_margin_share),
        "PAC, one hypothesis": pac_bound(votes, delta),
        "PAC, all weightings": pac_bound(votes, delta, n_hypotheses=votes.n_members),
    }


def bounds_without_margin(votes: Votes) -> dict[str, float]:
    """Return the values of the analogues that are not proven, by name."""
    return {
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
    limit = np.where(inconsistency > 0, inf, 0.0)
    return np.divide(inconsistency, margin, out=limit, where=margin > 0)


def effective_instances(votes: Votes) -> float:
    """Return the effective sample size (Σv)²/Σv²; perturbations of one row count as one instance.

    Examples
    --------
    >>> votes = Votes([[0, 1, 0]], [[0, 0, 0]], y=[0, 1, 0], rows=[0, 0, 1])
    >>> effective_instances(votes)  # rows of weight 2 and 1
    1.8
    """
    _, position = np.unique(votes.rows, return_inverse=True)
    units = np.bincount(position, votes.row_units)
    total, _ = exact_counts(np.array([int(units.sum())]))  # of integers, hence exact
    return effective_size(total[0], exact_squares(units)[0])


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
    margins, below = margins[margins > 0], below[margins > 0]
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
