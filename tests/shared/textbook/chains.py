"""AIF360's postprocessors of a logistic regression on scaled features, row by row.

A row is a dict: "features" (list), "group" ("privileged", "unprivileged" or None). Each
postprocessor is a function of the fitted algorithm, the group, and the label and score that the
model gives, and returns the probability of the favorable label. Labels are 1 (favorable) and 0.
"""

import math


def score(scaler, regression, features):
    """P(favorable) of a row by the regression."""
    total = regression.intercept_[0]
    for x, mean, scale, weight in zip(
        features, scaler.mean_, scaler.scale_, regression.coef_[0], strict=True
    ):
        total += weight * (x - mean) / scale
    return 1 / (1 + math.exp(-total))


def equalized_odds(algorithm, group, label, score):
    keeps, gains, other_keeps, other_gains = algorithm.model_params.x
    if group == "privileged":
        return keeps if label else gains
    return other_keeps if label else other_gains


def calibrated_equalized_odds(algorithm, group, label, score):
    rate, base_rate = algorithm.unpriv_mix_rate, algorithm.base_rate_unpriv
    if group == "privileged":
        rate, base_rate = algorithm.priv_mix_rate, algorithm.base_rate_priv
    return (1 - rate) * (score >= 0.5) + rate * (base_rate >= 0.5)


def reject_option(algorithm, group, label, score):
    threshold, margin = algorithm.classification_threshold, algorithm.ROC_margin
    if threshold - margin < score <= threshold + margin:
        return float(group == "unprivileged")
    return float(score > threshold)


POSTPROCESSORS = {
    "EqOddsPostprocessing": equalized_odds,
    "CalibratedEqOddsPostprocessing": calibrated_equalized_odds,
    "RejectOptionClassification": reject_option,
}


def favorable_probability(scaler, regression, postprocessor, row):
    """P(favorable) of a row by the whole chain."""
    found = score(scaler, regression, row["features"])
    function = POSTPROCESSORS[type(postprocessor).__name__]
    return function(postprocessor, row["group"], found > 0.5, found)


def swap(row, column):
    """The same person in the other group, whose feature at this column is 1 if privileged."""
    features = list(row["features"])
    features[column] = 1 - features[column]
    others = {"privileged": "unprivileged", "unprivileged": "privileged"}
    return {"features": features, "group": others[row["group"]]}


def risks(probability, rows, column):
    """Total variation between a row and its swapped self, for each row."""
    return [abs(probability(row) - probability(swap(row, column))) for row in rows]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def group_measures(true, predicted, groups):
    """AIF360's measures, unprivileged against privileged, by counting rows."""

    def rate(group, *, label=None):
        return mean(
            p
            for y, p, g in zip(true, predicted, groups, strict=True)
            if g == group and label in (None, y)
        )

    def difference(**condition):
        return rate("unprivileged", **condition) - rate("privileged", **condition)

    right = [y == p for y, p in zip(true, predicted, strict=True)]
    return {
        "accuracy": mean(right),
        "statistical_parity_difference": difference(),
        "disparate_impact": rate("unprivileged") / rate("privileged"),
        "equal_opportunity_difference": difference(label=1),
        "false_positive_rate_difference": difference(label=0),
        "average_odds_difference": (difference(label=0) + difference(label=1)) / 2,
    }
