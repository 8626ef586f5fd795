"""What a risk owes to frequencies that were learned from the assessed rows, by loops over rows."""


def learned_range(values, is_privileged, changes, weights):
    """Sides of a range and the covariance, as `dr_core.risk` describes them.

    Parameters
    ----------
    values : the value of each row, which frequencies are learned from
    is_privileged : function of a value
    changes : function of a row and a value that it becomes, to 0 or 1
    weights : of the rows
    """
    rows, total = range(len(values)), sum(weights)
    sides = {s: [i for i in rows if is_privileged(values[i]) == s] for s in (False, True)}

    def risk(i):
        others = sides[not is_privileged(values[i])]
        return sum(changes(i, values[r]) for r in others) / len(others)

    mean = sum(weights[i] * risk(i) for i in rows) / total
    found, covariance = [], 0.0
    for side, learned in sides.items():
        if len({values[r] for r in learned}) == 1:  # its frequency is known to be 1
            continue
        become = sides[not side]
        weight = sum(weights[i] for i in become)
        x = [sum(weights[i] * changes(i, values[r]) for i in become) / weight for r in learned]
        n, part = len(learned), weight / total
        of_x, of_square = sum(x) / n, sum(one**2 for one in x) / n
        found.append((part, of_x, of_square, n))
        for r, own in zip(learned, x, strict=True):
            error = weights[r] * (risk(r) - mean) / total
            covariance += error * part * (own - of_x) / n
    return found, covariance
