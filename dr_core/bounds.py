"""Every bound of the paper on the discriminative risk of a weighted vote, evaluated.

All start from one observation: a vote that changes has φ(x) ≥ γ(x)/2, where γ is the margin of the
vote and φ the weight of the members that change. With Z = φ/γ (0 where φ = 0, ∞ where only γ is 0)
that is Z ≥ 1/2, and Markov's inequalities do the rest. A bound that does not apply is NaN.

Each bound is one function of `Votes`, named after its theorem; `compute_bounds` tables them all.
E_ρ[L(f)] = E[φ], and by the paper's lemma E_ρ²[L(f, f′)] = E[φ²], so that none of them needs more
than one pass over the votes.
"""

from __future__ import annotations

from math import inf, isnan, log, nan, sqrt

import numpy as np
import pandas as pd

from dr_core._utils import UNIT, Array, exact_squares, exact_sums, is_number
from dr_core.ensembles import Votes, checked_votes

__all__ = ["compute_bounds"]

Share = float | str
"""A low-margin share in [0, 1), or "best"."""


def compute_bounds(
    votes: Votes, *, low_margin_share: Share = 0.05, delta: float = 0.05
) -> pd.DataFrame:
    """Evaluate all bounds on the discriminative risk of a vote, beside the risk itself.

    Parameters
    ----------
    votes : Votes
        Votes of the members on x and x̃.
    low_margin_share : float in [0, 1) or "best", default=0.05
        The relaxed bounds set aside the instances with margin below γ₀, at most this share of
        them; "best" takes the γ₀ with the smallest bound, for each of the two.
    delta : float in (0, 1), default=0.05
        The PAC bounds hold with probability 1 - δ.

    Returns
    -------
    DataFrame
        One row per bound: its `name`; its `value` (NaN where it does not apply, may be ∞);
        whether it `applies`; whether it is `guaranteed`, that is, proven never to lie below the
        risk of the vote on these instances; and that `actual` risk. The PAC bounds are so
        trivially; what they add, a bound on the risk over unseen data, holds with probability
        1 - δ, and for "all weightings" only as far as the paper's union bound over the members.

    Examples
    --------
    >>> votes = Votes([[0, 1], [0, 1], [0, 0]], [[0, 1], [0, 0], [0, 0]], y=[0, 1])
    >>> compute_bounds(votes).head(3)
               name  value  applies  guaranteed  actual
    0        margin    0.5     True        True     0.5
    1   first order    1.0     True        True     0.5
    2  second order    2.0     True        True     0.5
    """
    checked_votes(votes)
    share, delta = _checked_share(low_margin_share), _checked_delta(delta)
    guaranteed, analogues = guaranteed_bounds(votes, share, delta), bounds_without_margin(votes)
    table = pd.DataFrame({**guaranteed, **analogues}.items(), columns=["name", "value"])
    table["applies"] = table["value"].notna()
    table["guaranteed"] = table["name"].isin(list(guaranteed))
    table["actual"] = votes.risk
    return table


def guaranteed_bounds(votes: Votes, low_margin_share: Share, delta: float) -> dict[str, float]:
    """Values, by name, of the bounds that are proven."""
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
    """Values, by name, of the analogues that are not."""
    return {
        "first order without margin": first_order_without_margin(votes),
        "second order without margin": second_order_without_margin(votes),
        "C-tandem without margin": c_tandem_without_margin(votes),
    }


def margin_bound(votes: Votes) -> float:
    """P(φ > 0 and φ ≥ γ/2), the tightest of the family; compared in whole units, so exactly."""
    inconsistency = votes.inconsistency_units
    return votes.share((inconsistency > 0) & (2 * inconsistency >= votes.margin_units))


def first_order_bound(votes: Votes) -> float:
    """2 E[φ/γ], the paper's first-order oracle bound."""
    return 2 * _mean(votes, ratio(votes))


def second_order_bound(votes: Votes) -> float:
    """4 E[φ²/γ²], the paper's second-order oracle bound."""
    return 4 * _mean(votes, ratio(votes) ** 2)


def clipped_first_order_bound(votes: Votes) -> float:
    """E[min(1, 2φ/γ)]: finite, and never above the first-order bound."""
    return _mean(votes, np.minimum(1, 2 * ratio(votes)))


def clipped_second_order_bound(votes: Votes) -> float:
    """E[min(1, 4φ²/γ²)]: finite, and never above the second-order bound."""
    return _mean(votes, np.minimum(1, 4 * ratio(votes) ** 2))


def c_tandem_bound(votes: Votes) -> float:
    """(E[Z²] - E[Z]²) / (E[Z²] - E[Z] + ¼) with Z = φ/γ, for E[Z] < ½.

    It can equal P(Z ≥ ½) exactly; rounding must not bring it below.
    """
    value = _cantelli(votes, ratio(votes))
    return value if isnan(value) else max(value, margin_bound(votes))


def relaxed_first_order_bound(votes: Votes, low_margin_share: Share = 0.05) -> float:
    """(2/γ₀) E_ρ[L(f)] + η with η = P(γ < γ₀), for γ₀ > 0."""
    return _relaxed(votes, 2 * _mean(votes, votes.inconsistency), 1, low_margin_share)


def relaxed_second_order_bound(votes: Votes, low_margin_share: Share = 0.05) -> float:
    """(4/γ₀²) E_ρ²[L(f, f′)] + η with η = P(γ < γ₀), for γ₀ > 0."""
    return _relaxed(votes, 4 * _mean(votes, votes.inconsistency**2), 2, low_margin_share)


def pac_bound(votes: Votes, delta: float = 0.05, n_hypotheses: int = 1) -> float:
    """DR + √(ln(|F|/δ) / 2n); n is the effective number (Σv)²/Σv² for weighted instances."""
    return votes.risk + sqrt(log(n_hypotheses / delta) / (2 * effective_instances(votes)))


def first_order_without_margin(votes: Votes) -> float:
    """2 E_ρ[L(f)], true of the error of a vote, not of its discriminative risk."""
    return 2 * _mean(votes, votes.inconsistency)


def second_order_without_margin(votes: Votes) -> float:
    """4 E_ρ²[L(f, f′)], true of the error of a vote, not of its discriminative risk."""
    return 4 * _mean(votes, votes.inconsistency**2)


def c_tandem_without_margin(votes: Votes) -> float:
    """(E[φ²] - E[φ]²) / (E[φ²] - E[φ] + ¼), for E[φ] < ½; not guaranteed either."""
    return _cantelli(votes, votes.inconsistency)


def ratio(votes: Votes) -> Array:
    """Z = φ/γ on each instance, (n,), with 0/0 = 0 and φ/0 = ∞.

    Examples
    --------
    >>> ratio(Votes([[0, 1, 1], [0, 0, 0]], [[0, 1, 0], [1, 0, 0]], y=[0, 1, 1]))
    array([0.5, 0. , inf])
    """
    inconsistency, margin = votes.inconsistency_units, votes.margin_units
    limit = np.where(inconsistency > 0, inf, 0.0)
    return np.divide(inconsistency, margin, out=limit, where=margin > 0)


def effective_instances(votes: Votes) -> float:
    """Kish's effective number (Σv)²/Σv² of people; all perturbations of one count as one."""
    _, person = np.unique(votes.rows, return_inverse=True)
    units = np.bincount(person, votes.row_units)
    return (int(units.sum()) * UNIT) ** 2 / exact_squares(units)[0]


def _mean(votes: Votes, values: Array) -> float:
    """Average over the instances; those of weight 0 do not count, even where infinite.

    The sum is exact: no order of the instances decides whether a bound applies.
    """
    units = votes.row_units
    weighted = values if votes.uniform_rows else units[units > 0] * values[units > 0]
    if np.isinf(weighted).any():
        return inf
    total = votes.n_instances if votes.uniform_rows else int(units.sum())
    return exact_sums(weighted)[0] / (total * UNIT)


def _cantelli(votes: Votes, values: Array) -> float:
    """Bound P(Z ≥ ½) by Chebyshev and Cantelli: var / (var + (½ - mean)²) for mean < ½."""
    mean = _mean(votes, values)
    if mean >= 0.5:
        return nan
    variance = _mean(votes, (values - mean) ** 2)
    return variance / (variance + (0.5 - mean) ** 2)


def _relaxed(votes: Votes, numerator: float, order: int, low_margin_share: Share) -> float:
    """`numerator`/γ₀^`order` + P(γ < γ₀), with γ₀ one of the margins that occur."""
    margins, below = _margin_distribution(votes)
    if low_margin_share != "best":
        chosen = np.flatnonzero(below <= low_margin_share)[-1:]
        margins, below = margins[chosen], below[chosen]
    margins, below = margins[margins > 0], below[margins > 0]
    return float(np.min(numerator / margins**order + below)) if len(margins) else nan


def _margin_distribution(votes: Votes) -> tuple[Array, Array]:
    """Distinct margins γ₀, ascending, and P(γ < γ₀) for each."""
    margins, positions = np.unique(votes.margin_units, return_inverse=True)
    mass = np.bincount(positions, weights=votes.row_units)
    below = (np.cumsum(mass) - mass) / votes.row_units.sum()
    return margins / votes.units.sum(), below


def _checked_share(share: Share) -> Share:
    if share == "best" or (is_number(share) and 0 <= float(share) < 1):
        return share
    raise ValueError(f'low_margin_share must be in [0, 1) or "best"; found {share!r}.')


def _checked_delta(delta: float) -> float:
    if is_number(delta) and 0 < delta < 1:
        return delta
    raise ValueError(f"delta must be in (0, 1); found {delta!r}.")
