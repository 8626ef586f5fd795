"""Perturbation and discriminative risk as one would write them on a blackboard: row by row."""

import random
from itertools import product


def outcomes(value, values, privileged, p):
    """What a value may become, with probabilities, as (value, probability) pairs.

    A value that `values` has several times is drawn as many times as often. A range is a function:
    then `values` are those of all rows, and each row of the other side is equally likely. A value
    that is missing, None, stays so.
    """
    if value is None:
        return [(None, 1.0)]
    if callable(privileged):
        targets = [v for v in values if privileged(v) != privileged(value)]
    elif value in privileged:
        targets = [v for v in values if v not in privileged]
    else:
        targets = [v for v in values if v in privileged]
    result = [
        (target, p * targets.count(target) / len(targets)) for target in dict.fromkeys(targets)
    ]
    return [*result, (value, 1 - p)] if p < 1 else result


def perturbations(row, domains, privileged, p):
    """Every perturbation of a row (a dict) with its probability."""
    names = list(privileged)
    options = [outcomes(row[name], domains[name], privileged[name], p) for name in names]
    for combination in product(*options):
        probability = 1.0
        perturbed = dict(row)
        for name, (value, chance) in zip(names, combination, strict=True):
            perturbed[name] = value
            probability *= chance
        yield perturbed, probability


def individual_risk(predict, row, domains, privileged, p=1.0):
    """Probability that the prediction of one row changes."""
    before = predict(row)
    return sum(
        probability
        for perturbed, probability in perturbations(row, domains, privileged, p)
        if predict(perturbed) != before
    )


def is_perturbed(row, privileged):
    """Whether a row has a value to perturb."""
    return any(row[name] is not None for name in privileged)


def exact_risk(predict, rows, domains, privileged, p=1.0):
    """Mean individual risk of the rows that are perturbed."""
    some = [row for row in rows if is_perturbed(row, privileged)]
    return sum(individual_risk(predict, row, domains, privileged, p) for row in some) / len(some)


def sampled_risk(predict, rows, domains, privileged, p=1.0, seed=0):
    """Share of rows whose prediction changes under one random perturbation each."""
    rng = random.Random(seed)
    changed = 0
    for row in rows:
        options = list(perturbations(row, domains, privileged, p))
        perturbed = rng.choices([x for x, _ in options], [w for _, w in options])[0]
        changed += predict(perturbed) != predict(row)
    return changed / len(rows)


def shifts(score, row, domains, privileged, p=1.0):
    """Every change of the score of one row, as (change, probability) pairs."""
    before = score(row)
    return [
        (score(perturbed) - before, probability)
        for perturbed, probability in perturbations(row, domains, privileged, p)
    ]


def mean_shift(score, rows, domains, privileged, p=1.0, weights=None, of=abs):
    """Weighted mean over rows of the expected size (or `of`) of the change of the score."""
    weights = weights or [1.0] * len(rows)
    some = [is_perturbed(row, privileged) for row in rows]
    weights = [weight * one for weight, one in zip(weights, some, strict=True)]
    total = 0.0
    for row, weight in zip(rows, weights, strict=True):
        for change, probability in shifts(score, row, domains, privileged, p):
            total += weight * probability * of(change)
    return total / sum(weights)


def shift_quantile(score, rows, domains, privileged, q, p=1.0, of=abs):
    """Smallest change (or `of` it) that at least the share q of all changes does not exceed."""
    changes = sorted(
        (of(change), probability)
        for row in rows
        for change, probability in shifts(score, row, domains, privileged, p)
    )
    reached = 0.0
    for change, probability in changes:
        reached += probability / len(rows)
        if reached >= q - 1e-12:
            return change
    return changes[-1][0]
