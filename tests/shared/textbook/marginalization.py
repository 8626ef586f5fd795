"""The average over the sensitive attributes as one would write it on a blackboard: row by row."""

from collections import Counter


def combinations(rows, names):
    """Joint values of the attributes in the rows (dicts), each with its share."""
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    return {values: count / len(rows) for values, count in counts.items()}


def average(respond, row, weights, names, follow=lambda row, names, values: {}):
    """Σ_v P(v) respond(row with attributes v); `follow` says what else of the row changes."""
    total = 0.0
    for values, weight in weights.items():
        changed = dict(zip(names, values, strict=True))
        total += weight * respond({**row, **follow(row, names, values), **changed})
    return total


def likeliest(respond, row, weights, names, classes):
    """The class with the largest average, where `respond` gives one number for each class."""
    shares = [average(lambda r, c=c: respond(r)[c], row, weights, names) for c in classes]
    return max(classes, key=lambda c: (round(shares[c], 14), -c))
