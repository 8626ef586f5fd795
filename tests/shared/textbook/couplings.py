"""Coupled columns and plausibility as one would write them on a blackboard: row by row."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import pandas as pd

from textbook import risk


def follow(before, after, rules):
    """Let columns of a perturbed row (a dict, changed in place) follow what drives them.

    Rules must be in an order in which what drives a column comes before it. A missing value, None,
    stays.
    """
    for column, drivers in rules.items():
        for driver, cases in drivers.items():
            if after[driver] == before[driver] or after[column] is None:
                continue
            if callable(cases):
                after[column] = cases(after[driver], after[column])
            else:
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


def lower_tail(seen, with_value, with_other, n):
    """P(X <= seen), X the number of `with_other` rows among `with_value` of n drawn at random."""
    ways = sum(comb(with_other, x) * comb(n - with_other, with_value - x) for x in range(seen + 1))
    return Fraction(ways, comb(n, with_value))


def holm(p_values, n_tests, alpha):
    """Hypotheses (keys) that Holm's procedure rejects; tests without a p-value are never so."""
    rejected = set()
    for key in sorted(p_values, key=p_values.get):
        if p_values[key] > alpha / (n_tests - len(rejected)):
            break
        rejected.add(key)
    return rejected


def implausible_pairs(rows, attributes, rare, alpha):
    """Pairs of values that occur (nearly) never, though chance would have shown them."""
    p_values, n_tests = {}, 0
    for attribute in attributes:
        for column in rows[0]:
            if column == attribute:
                continue
            of_value = Counter(row[attribute] for row in rows)
            of_other = Counter(row[column] for row in rows)
            of_both = Counter((row[attribute], row[column]) for row in rows)
            for value, other in product(of_value, of_other):
                n_tests += 1
                both, margins = of_both[value, other], (of_value[value], of_other[other])
                if both <= rare * margins[0] * margins[1] / len(rows):
                    key = attribute, value, column, other
                    p_values[key] = lower_tail(both, *margins, len(rows))
    return holm(p_values, n_tests, alpha)


def plausibility(predict, rows, domains, privileged, rules, p=1.0, rare=0.01, alpha=0.01):
    """Share of implausible perturbed rows, the risk among the others, and the pairs' counts."""
    unlikely = implausible_pairs(rows, privileged, rare, alpha)
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
