"""The bounds of the paper by plain loops over instances and pairs of members, in fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb, inf, log, nan, sqrt

from textbook.voting import Ensemble, inconsistency, margin, risk


def bounds(ensemble: Ensemble, low_margin_share: float, delta: float) -> dict[str, float]:
    everyone = ensemble.everyone
    φ = [inconsistency(ensemble, everyone, i) for i in ensemble.instances]
    γ = [margin(ensemble, everyone, i) for i in ensemble.instances]
    z = [0 if p == 0 else inf if g == 0 else p / g for p, g in zip(φ, γ, strict=True)]

    def mean(values: list) -> Fraction | float:
        total = sum(ensemble.row_weights)
        return sum(v * w for v, w in zip(values, ensemble.row_weights, strict=True) if w) / total

    def c_tandem(values: list) -> float:
        first, second = mean(values), mean([v * v for v in values])
        if first >= 0.5:
            return nan
        return (second - first**2) / (second - first + Fraction(1, 4))

    def relaxed(numerator: Fraction, order: int) -> float:
        γ0 = 0
        for candidate in γ:
            if mean([g < candidate for g in γ]) <= low_margin_share:
                γ0 = max(γ0, candidate)
        return numerator / γ0**order + mean([g < γ0 for g in γ]) if γ0 else nan

    def pac(n_hypotheses: int) -> float:
        n = sum(ensemble.row_weights) ** 2 / sum(w**2 for w in ensemble.row_weights)
        return risk(ensemble, everyone) + sqrt(log(n_hypotheses / delta) / (2 * n))

    first, second = mean_member_risk(ensemble), mean_tandem_risk(ensemble)
    return {
        "margin": mean([p > 0 and 2 * p >= g for p, g in zip(φ, γ, strict=True)]),
        "first order": 2 * mean(z),
        "second order": 4 * mean([v * v for v in z]),
        "clipped first order": mean([min(1, 2 * v) for v in z]),
        "clipped second order": mean([min(1, 4 * v * v) for v in z]),
        "C-tandem": c_tandem(z),
        "relaxed first order": relaxed(2 * first, 1),
        "relaxed second order": relaxed(4 * second, 2),
        "PAC, one hypothesis": pac(1),
        "PAC, any pruned vote": pruned_vote(ensemble, delta),
        "PAC, all weightings": pac(len(everyone)),
        "first order without margin": 2 * first,
        "second order without margin": 4 * second,
        "C-tandem without margin": c_tandem(φ),
    }


def pruned_vote(ensemble: Ensemble, delta: float) -> float:
    """The largest μ with n·kl(DR, μ) ≤ ln((2^m - 1)/δ), by bisection."""
    if len({w for w in ensemble.weights if w}) > 1:
        return nan
    m, found = len(ensemble.everyone), float(risk(ensemble, ensemble.everyone))
    n = sum(ensemble.row_weights) ** 2 / sum(w**2 for w in ensemble.row_weights)
    most = log(sum(comb(m, j) for j in range(1, m + 1)) / delta) / n

    def kl(mu: float) -> float:
        pairs = ((found, mu), (1 - found, 1 - mu))
        return sum(a * log(a / b) for a, b in pairs if a)

    low, high = found, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if middle == 1 or kl(middle) <= most else (low, middle)
    return high


def tandem_risk(ensemble: Ensemble, j: int, k: int) -> Fraction:
    both = 0
    for i in ensemble.instances:
        first = ensemble.votes[j][i] != ensemble.perturbed[j][i]
        second = ensemble.votes[k][i] != ensemble.perturbed[k][i]
        if first and second:
            both += ensemble.row_weights[i]
    return Fraction(both, sum(ensemble.row_weights))


def mean_member_risk(ensemble: Ensemble) -> Fraction:
    total = sum(ensemble.weights)
    return sum(
        Fraction(ensemble.weights[j], total) * tandem_risk(ensemble, j, j)
        for j in ensemble.everyone
    )


def mean_tandem_risk(ensemble: Ensemble) -> Fraction:
    total = sum(ensemble.weights)
    return sum(
        Fraction(ensemble.weights[j] * ensemble.weights[k], total**2) * tandem_risk(ensemble, j, k)
        for j in ensemble.everyone
        for k in ensemble.everyone
    )
