"""Coupled columns and plausibility as one would write them on a blackboard: row by row."""

import pandas as pd

from textbook import risk


def follow(before, after, rules):
    """Let columns of a perturbed row (a dict, changed in place) follow what drives them.

    Rules must be in an order in which what drives a column comes before it.
    """
    for column, drivers in rules.items():
        for driver, cases in drivers.items():
            if after[driver] != before[driver]:
                moves = cases.get(after[driver], {})
                after[column] = moves.get(after[column], after[column])
    return after


def perturbations(row, domains, privileged, rules, p=1.0):
    """Every perturbation of a row with its probability, coupled columns included."""
    for perturbed, probability in risk.perturbations(row, domains, privileged, p):
        yield follow(row, perturbed, rules), probability


def perturb_frame(X, domains, privileged, rules):
    """A frame whose rows are perturbed one by one; attributes must have two values."""
    perturbed = []
    for _, row in X.iterrows():
        ((new, _),) = perturbations(dict(row), domains, privileged, rules)
        perturbed.append(new)
    return pd.DataFrame(perturbed, index=X.index)


def exact_risk(predict, rows, domains, privileged, rules, p=1.0):
    """Mean probability that a prediction changes."""
    total = 0.0
    for row in rows:
        before = predict(row)
        for perturbed, probability in perturbations(row, domains, privileged, rules, p):
            total += probability * (predict(perturbed) != before)
    return total / len(rows)


def implausible_pairs(rows, attribute, column, rare, min_expected):
    """Pairs of values that occur (nearly) never, though chance would have shown them."""
    values = {row[attribute] for row in rows}
    others = {row[column] for row in rows}
    pairs = set()
    for value in values:
        for other in others:
            with_value = sum(row[attribute] == value for row in rows)
            with_other = sum(row[column] == other for row in rows)
            both = sum(row[attribute] == value and row[column] == other for row in rows)
            expected = with_value * with_other / len(rows)
            if expected >= min_expected and both <= rare * expected:
                pairs.add((attribute, value, column, other))
    return pairs


def plausibility(predict, rows, domains, privileged, rules, p=1.0, rare=0.01, min_expected=1.0):
    """Share of implausible perturbed rows, the risk among the others, and the pairs' counts."""
    unlikely = set()
    for attribute in privileged:
        for column in rows[0]:
            if column != attribute:
                unlikely |= implausible_pairs(rows, attribute, column, rare, min_expected)
    implausible = changed = 0.0
    counts = {}
    for row in rows:
        for perturbed, probability in perturbations(row, domains, privileged, rules, p):
            found = [
                (attribute, perturbed[attribute], column, perturbed[column])
                for attribute in privileged
                if perturbed[attribute] != row[attribute]
                for column in row
                if (attribute, perturbed[attribute], column, perturbed[column]) in unlikely
            ]
            for pair in found:
                counts[pair] = counts.get(pair, 0.0) + probability
            if found:
                implausible += probability
            else:
                changed += probability * (predict(perturbed) != predict(row))
    plausible = len(rows) - implausible
    return implausible / len(rows), changed / plausible if plausible else None, counts
