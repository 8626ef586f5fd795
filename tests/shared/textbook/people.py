"""Intervals and a bootstrap that know who the rows are about, person by person."""

import math


def effective_people(risks, weights, people):
    """μ(1-μ) over the linearised variance of the weighted mean, at most Kish's number."""
    total = math.fsum(weights)
    mean = math.fsum(w * risk for w, risk in zip(weights, risks, strict=True)) / total
    rows = list(zip(risks, weights, people, strict=True))
    influence = [
        math.fsum(w * (risk - mean) for risk, w, who in rows if who == one)
        for one in dict.fromkeys(people)
    ]
    each = [math.fsum(w for _, w, who in rows if who == one) for one in dict.fromkeys(people)]
    kish = total**2 / math.fsum(weight**2 for weight in each)
    variance = math.fsum(one**2 for one in influence) / total**2
    return min(kish, mean * (1 - mean) / variance) if variance > 1e-15 else kish


def replicates(people, n_boot, rng):
    """Rows of each bootstrap replicate: people are drawn, each with all their rows."""
    everyone = sorted(set(people))
    for drawn in rng.integers(len(everyone), size=(n_boot, len(everyone))):
        yield [
            row
            for position in drawn
            for row, person in enumerate(people)
            if person == everyone[position]
        ]
