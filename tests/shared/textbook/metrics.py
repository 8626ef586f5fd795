"""Group measures as their definitions say, by counting rows one at a time."""

from math import nan


def share(rows, event, given=lambda row: True):
    """P(event | given) over weighted rows."""
    total = sum(row["weight"] for row in rows if given(row))
    return (
        sum(row["weight"] for row in rows if given(row) and event(row)) / total if total else nan
    )


def measures(rows):
    """All measures of rows with keys privileged, y, f, perturbed and weight; 1 is favourable."""

    def gap(event, given=lambda row: True):
        return abs(
            share(rows, event, lambda row: given(row) and row["privileged"])
            - share(rows, event, lambda row: given(row) and not row["privileged"])
        )

    def positive(row):
        return row["f"] == 1

    tpr = gap(positive, lambda row: row["y"] == 1)
    fpr = gap(positive, lambda row: row["y"] == 0)
    precision = share(rows, lambda row: row["y"] == 1, positive)
    recall = share(rows, positive, lambda row: row["y"] == 1)
    return {
        "discriminative_risk": share(rows, lambda row: row["f"] != row["perturbed"]),
        "discriminative_risk_difference": gap(lambda row: row["f"] != row["perturbed"]),
        "demographic_parity": gap(positive),
        "equal_opportunity": tpr,
        "predictive_parity": gap(lambda row: row["y"] == 1, positive),
        "equalized_odds": max(tpr, fpr),
        "equalized_odds_mean": (tpr + fpr) / 2,
        "disparate_impact": share(rows, positive, lambda row: not row["privileged"])
        / share(rows, positive, lambda row: row["privileged"]),
        "accuracy": share(rows, lambda row: row["f"] == row["y"]),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "specificity": share(rows, lambda row: row["f"] == 0, lambda row: row["y"] == 0),
    }
