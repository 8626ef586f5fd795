"""What a risk owes to frequencies that were learned from the assessed rows, by loops over rows."""


def learned_range(values, is_privileged, changes, weights, person):
    """Sides of a range and the covariance, as `dr_core.risk` describes them.

    Parameters
    ----------
    values : the value of each row, which frequencies are learned from
    is_privileged : function of a value
    changes : function of a row and a value that it becomes, to 0 or 1
    weights : of the rows
    person : of each row
    """
    rows, total, people = range(len(values)), sum(weights), sorted(set(person))
    sides = {s: [i for i in rows if is_privileged(values[i]) == s] for s in (False, True)}

    def by_person(of_rows):
        return [sum(of_rows[r] for r in rows if person[r] == p and r in of_rows) for p in people]

    def risk(i):
        others = sides[not is_privileged(values[i])]
        return sum(changes(i, values[r]) for r in others) / len(others)

    mean = sum(weights[i] * risk(i) for i in rows) / total
    errors = [by_person({i: weights[i] * (risk(i) - mean) / total for i in rows})]
    found = []
    for side, learned in sides.items():
        if len({values[r] for r in learned}) == 1:  # its frequency is known to be 1
            continue
        become = sides[not side]
        weight = sum(weights[i] for i in become)
        x = {r: sum(weights[i] * changes(i, values[r]) for i in become) / weight for r in learned}
        n, part = len(learned), weight / total
        of_x, of_square = sum(x.values()) / n, sum(one**2 for one in x.values()) / n
        deviations = {r: x[r] - of_x for r in learned}
        counts = by_person(dict.fromkeys(learned, 1))
        alike = sum(m**2 for m in counts) / n
        variation = sum(d**2 for d in deviations.values())
        effect = sum(d**2 for d in by_person(deviations)) / variation if variation > 1e-20 else 0
        found.append((part, of_x, of_square, n / max(alike, effect), n / max(counts)))
        errors.append(by_person({r: d * part / n for r, d in deviations.items()}))
    pairs = [(one, other) for i, one in enumerate(errors) for other in errors[:i]]
    return found, sum(sum(x * y for x, y in zip(*pair, strict=True)) for pair in pairs)
