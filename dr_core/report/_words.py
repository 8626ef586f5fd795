"""Plain language for numbers, names and measures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

__all__ = [
    "FAIRNESS",
    "PERFORMANCE",
    "Measure",
    "interval",
    "joined",
    "name_in_text",
    "number",
    "percent",
]


class Measure(NamedTuple):
    """How a measure is called, what it says, and its value when all is well."""

    title: str
    says: str
    best: float = 0.0


FAIRNESS = {
    "discriminative_risk": Measure(
        "Discriminative risk (DR)", "decisions that change when only sensitive attributes do"
    ),
    "discriminative_risk_coupled": Measure(
        "DR with coupled columns", "the same where other columns follow by rules"
    ),
    "discriminative_risk_plausible": Measure(
        "DR, plausible rows only", "DR among perturbed rows that could exist"
    ),
    "discriminative_risk_difference": Measure(
        "DR difference", "gap in DR between privileged and marginalised people"
    ),
    "demographic_parity": Measure("Demographic parity (DP)", "gap in favourable decisions"),
    "equal_opportunity": Measure(
        "Equal opportunity (EOpp)", "gap in favourable decisions among those who deserve one"
    ),
    "predictive_parity": Measure(
        "Predictive parity (PP)", "gap in how often a favourable decision is deserved"
    ),
    "equalized_odds": Measure(
        "Equalized odds", "larger of the gaps in true and in false positive rate"
    ),
    "equalized_odds_mean": Measure(
        "Equalized odds, mean", "mean of the gaps in true and in false positive rate"
    ),
    "disparate_impact": Measure(
        "Disparate impact", "favourable decisions, marginalised over privileged; best is 1", 1.0
    ),
}
"""Measures of fairness; 0 is best, except for the ratio."""

PERFORMANCE = {
    "accuracy": Measure("Accuracy", "decisions that are right", 1.0),
    "precision": Measure("Precision", "favourable decisions that are deserved", 1.0),
    "recall": Measure("Recall", "deserved favourable decisions that are made", 1.0),
    "f1": Measure("F1", "harmonic mean of precision and recall", 1.0),
    "specificity": Measure("Specificity", "undeserved favourable decisions not made", 1.0),
}
"""Measures of performance; 1 is best."""

DIRECTED = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0590-\u08ff]")
"""Characters that are written, or that make others be written, from right to left."""

SMALL = 0.001
"""A smaller share is told with two digits, whatever its size."""


def percent(share: float) -> str:
    """Write a share as people say it.

    >>> percent(0.0423), percent(0.00031), percent(0.0), percent(float("nan"))
    ('4.2 %', '0.031 %', '0.0 %', 'unknown')
    """
    if math.isnan(share):
        return "unknown"
    return f"{100 * share:.2g} %" if 0 < share < SMALL else f"{100 * share:.1f} %"


def number(value: float | None, digits: int = 4) -> str:
    """Write a value of a measure.

    >>> number(0.04229), number(float("nan")), number(float("inf")), number(0.04229, 3)
    ('0.0423', 'undefined', '∞', '0.042')
    """
    if value is None or math.isnan(value):
        return "undefined"
    return "∞" if math.isinf(value) else f"{value:.{digits}f}"


def interval(low: float, high: float) -> str:
    """Write an interval; nothing when there is none.

    >>> interval(0.039, 0.0456), interval(float("nan"), float("nan"))
    ('0.039 to 0.046', '')
    """
    return "" if math.isnan(low) else f"{number(low, 3)} to {number(high, 3)}"


def name_in_text(name: Any) -> str:
    r"""Write a name so that no direction of writing it sets goes beyond it.

    >>> name_in_text("sex"), name_in_text("\u202ebackwards")
    ('sex', '\u2068\u202ebackwards\u2069')
    """
    name = str(name)
    return f"\u2068{name}\u2069" if DIRECTED.search(name) else name


def joined(names: Iterable[Any]) -> str:
    """Enumerate names.

    >>> joined(["sex"]), joined(["sex", "race"]), joined(["sex", "race", "age"])
    ('sex', 'sex and race', 'sex, race and age')
    """
    *first, last = map(name_in_text, names)
    return f"{', '.join(first)} and {last}" if first else last
