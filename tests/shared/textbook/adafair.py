"""AdaFair as its publication writes it, row by row; the oracle of benchmarks.paper.adafair."""

from math import exp, log


def rate(rows, of):
    """Share of the rows of a kind that are wrong; None when there are none."""
    found = [wrong for kind, wrong in rows if kind == of]
    return sum(found) / len(found) if found else None


def gaps(y, protected, says):
    """δFNR and δFPR, by class."""
    rows = [((y[i], protected[i]), says[i] != y[i]) for i in range(len(y))]
    found = {}
    for label in (1, 0):
        one, other = rate(rows, (label, True)), rate(rows, (label, False))
        found[label] = 0.0 if one is None or other is None else one - other
    return found


def learners_and_weights(make_learner, X, y, protected, n_rounds, tolerance=0.0, balance=1.0):
    """The θ learners kept, as (learner, α) pairs."""
    n = len(y)
    weights = [1 / n] * n
    scores = [0.0] * n
    pairs, judged = [], []
    for _ in range(n_rounds):
        learner = make_learner().fit(X, y, sample_weight=weights)
        said = list(learner.predict(X))
        confidence = [max(row) for row in learner.predict_proba(X)]
        error = sum(weights[i] for i in range(n) if said[i] != y[i])
        if error >= 0.5 or error == 0:
            if not pairs:
                pairs.append((learner, 1.0))
                judged.append(0.0)
            break
        alpha = 0.5 * log((1 - error) / error)
        pairs.append((learner, alpha))
        for i in range(n):
            scores[i] += alpha if said[i] == 1 else -alpha
        ensemble_says = [1 if score > 0 else 0 for score in scores]
        delta = gaps(y, protected, ensemble_says)
        judged.append(objective(y, ensemble_says, delta, balance))
        for i in range(n):
            if said[i] != y[i]:
                gap = delta[y[i]]
                hurt = (gap > 0 and protected[i]) or (gap < 0 and not protected[i])
                cost = abs(gap) if abs(gap) > tolerance and hurt else 0.0
                weights[i] *= exp(alpha * confidence[i]) * (1 + cost)
        total = sum(weights)
        weights = [weight / total for weight in weights]
    return pairs[: judged.index(min(judged)) + 1]


def objective(y, says, delta, balance):
    """c · balanced error + (1 - c) · error + equalised odds."""
    wrong = [says[i] != y[i] for i in range(len(y))]
    by_class = [
        sum(w for w, label in zip(wrong, y, strict=True) if label == one) / list(y).count(one)
        for one in (0, 1)
    ]
    error = sum(wrong) / len(wrong)
    odds = abs(delta[0]) + abs(delta[1])
    return balance * sum(by_class) / 2 + (1 - balance) * error + odds
