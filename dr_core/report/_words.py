"""Text of the report: numbers, names and descriptions of measures."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dr_core._utils import format_percent, format_percent_ends, format_points
from dr_core.comparison import SCORE_SHIFT
from dr_core.metrics import MEASURES
from dr_core.perturbation import ALL

__all__ = [
    "DECISION_TEXTS",
    "QUANTITY_TEXTS",
    "MeasureText",
    "PageTexts",
    "describe_measure",
    "describe_perturbation",
    "format_gap",
    "format_measure",
    "format_measure_ends",
    "format_name",
    "format_number",
    "format_points_interval",
    "format_scenario",
    "format_share_interval",
    "format_value_interval",
    "join_units",
]


class PageTexts(NamedTuple):
    """Sentences of the page that depend on what was audited.

    Attributes
    ----------
    question : below the title
    directions_title : of the section with the changes by attribute
    meaning_title, meaning, limit : of the section on interpretation
    """

    question: str
    directions_title: str
    meaning_title: str
    meaning: list[str]
    limit: str


DECISION_TEXTS = PageTexts(
    "How many decisions of a model change when only people’s sensitive attributes do?",
    "Directions: who would lose, and who would gain",
    "What discriminative risk shows, and what it does not",
    [
        "Discriminative risk is the share of decisions that change when only people’s sensitive "
        "attributes are perturbed: a marginalised value becomes the privileged one, a privileged "
        "value becomes one of the others. If there are several, it is the average over them.",
        "A discriminative risk above 0 proves that sensitive attributes alone change decisions.",
        "A discriminative risk of 0 does not show that a model is fair: other columns can be "
        "proxies for the attributes, and they are not perturbed. Group measures detect the "
        "effect of proxies, but not changes of individual decisions. Read both.",
        "Whether an attribute may matter is not for a measure to decide. Where a decision needs "
        "it, such as a diagnosis that depends on sex, a discriminative risk above 0 can be right.",
    ],
    "Discriminative risk does not show which of two decisions is correct, or whether the labels "
    "are fair.",
)

QUANTITY_TEXTS = PageTexts(
    "How far do the predictions of a model move when only people’s sensitive attributes do?",
    "Shift of the prediction",
    "What the shift shows, and what it does not",
    [
        "The shift is the difference that it makes to a prediction when only the sensitive "
        "attributes of a person are perturbed: a marginalised value becomes the privileged one, a "
        "privileged value becomes one of the others. Its size has no sign.",
        "The signed mean of a group is what its members would gain on average if they had other "
        "sensitive values: positive if their own values cost them.",
        "A shift of 0 does not show that a model is fair: other columns can be proxies for the "
        "attributes, and they are not perturbed. Means and errors by group show the effect of "
        "proxies. Read both.",
        "Whether an attribute may matter is not for a measure to decide. Where a prediction needs "
        "it, such as a dose that depends on sex, a shift above 0 can be right.",
    ],
    "The shift does not show which of two predictions is correct, or whether the labels are fair.",
)

RANGE_MEANING = (
    "Where a range is privileged, such as ages from 25, a value outside becomes one inside it, "
    "drawn as often as the values inside occur in the data, and a value inside becomes one "
    "outside."
)
"""How values of a range are perturbed."""


class MeasureText(NamedTuple):
    """Title and description of a measure, and its best value."""

    title: str
    description: str
    best: float = 0.0


MEASURE_TEXTS = {
    "discriminative_risk": MeasureText(
        "Discriminative risk (DR)", "decisions that change when only sensitive attributes do"
    ),
    "discriminative_risk_coupled": MeasureText(
        "DR with coupled columns", "DR if other columns follow by rules"
    ),
    "discriminative_risk_plausible": MeasureText(
        "DR, plausible rows only", "DR among plausible perturbed rows"
    ),
    "discriminative_risk_difference": MeasureText(
        "DR difference", "gap in DR between the privileged and the marginalised group"
    ),
    "score_shift": MeasureText(
        "Score shift", "mean size by which the score moves, in the unit of the score"
    ),
    "demographic_parity": MeasureText("Demographic parity (DP)", "gap in favourable decisions"),
    "equal_opportunity": MeasureText(
        "Equal opportunity (EOpp)",
        "gap in favourable decisions, rows with a favourable label",
    ),
    "predictive_parity": MeasureText(
        "Predictive parity (PP)", "gap in how often a favourable decision has a favourable label"
    ),
    "equalized_odds": MeasureText(
        "Equalized odds", "larger of the gaps in true and in false positive rate"
    ),
    "equalized_odds_mean": MeasureText(
        "Equalized odds, mean", "mean of the gaps in true and in false positive rate"
    ),
    "disparate_impact": MeasureText(
        "Disparate impact",
        "favourable decisions, marginalised over privileged; best value 100 %",
        1.0,
    ),
    "accuracy": MeasureText("Accuracy", "correct decisions", 1.0),
    "precision": MeasureText("Precision", "favourable decisions with a favourable label", 1.0),
    "recall": MeasureText("Recall", "favourable decisions, rows with a favourable label", 1.0),
    "f1": MeasureText("F1", "harmonic mean of precision and recall", 1.0),
    "specificity": MeasureText("Specificity", "other decisions, rows with another label", 1.0),
}
"""Texts of the measures. Measures without an entry are described by their docstring."""

RIGHT_TO_LEFT = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0590-\u08ff]")
"""Right-to-left letters, and characters that change the direction of writing."""


def describe_measure(name: str) -> MeasureText:
    """Return the texts of a measure; by default its name and the first line of its docstring.

    >>> describe_measure("f1").title
    'F1'
    """
    if name in MEASURE_TEXTS:
        return MEASURE_TEXTS[name]
    first_line = (inspect.getdoc(MEASURES[name]) or "").partition("\n")[0]
    title = name.replace("_", " ").capitalize()
    return MeasureText(title, first_line.replace("``", "").removesuffix("."))


def describe_perturbation(texts: PageTexts, settings: Mapping[str, Any]) -> list[str]:
    """Return how to read the numbers, with a sentence on ranges if a range is privileged."""
    # A range is described by a text, other attributes by a list of their privileged values.
    has_range = any(isinstance(one, str) for one in settings.get("privileged", {}).values())
    first, *others = texts.meaning
    return [first, *([RANGE_MEANING] if has_range else []), *others]


def format_gap(difference: float) -> str:
    """Format a signed difference of two shares with a typographic minus sign.

    >>> format_gap(0.04229), format_gap(-0.04229)
    ('+4.2 pp', '−4.2 pp')
    """
    return format_points(difference).replace("-", "−")


def format_measure(measure: str, value: float) -> str:
    """Format the value of a measure: in percent, a score in its own unit.

    >>> format_measure("accuracy", 0.857), format_measure("score_shift", 0.1234567)
    ('85.7 %', '0.1235')
    """
    return format_number(value) if measure == SCORE_SHIFT else format_percent(value)


def format_measure_ends(measure: str, low: float, high: float) -> tuple[str, str]:
    """Format both ends of the confidence interval of a measure.

    >>> format_measure_ends("accuracy", 0.0002, 0.857)
    ('0.0 %', '85.7 %')
    >>> format_measure_ends("score_shift", 0.1, 0.2)
    ('0.1000', '0.2000')
    """
    if measure == SCORE_SHIFT:
        return format_number(low), format_number(high)
    return format_percent_ends(low, high)


def format_number(value: float | None, digits: int = 4) -> str:
    """Format a value that is not a share.

    >>> format_number(0.04229), format_number(float("nan")), format_number(float("inf"))
    ('0.0423', 'undefined', '∞')
    """
    if value is None or math.isnan(value):
        return "undefined"
    return "∞" if math.isinf(value) else f"{value:.{digits}f}"


def format_value_interval(low: float, high: float, format_end: Callable[[float], str]) -> str:
    """Format a confidence interval; return "" if there is none.

    >>> format_value_interval(0.039, 0.0456, format_percent)
    '3.9 % to 4.6 %'
    """
    return "" if math.isnan(low) else f"{format_end(low)} to {format_end(high)}"


def format_share_interval(low: float, high: float) -> str:
    """Format a confidence interval of a share; return "" if there is none.

    >>> format_share_interval(0.039, 0.0456), format_share_interval(float("nan"), float("nan"))
    ('3.9 % to 4.6 %', '')
    """
    return "" if math.isnan(low) else " to ".join(format_percent_ends(low, high))


def format_points_interval(low: float, high: float) -> str:
    """Format a confidence interval of a signed difference; return "" if there is none.

    >>> format_points_interval(-0.039, 0.0456)
    '−3.9 to +4.6 pp'
    """
    return format_value_interval(low, high, format_gap).replace(" pp to", " to")


def join_units(text: str) -> str:
    r"""Keep numbers and their percent sign on one line.

    >>> join_units("4.4 % of 300")
    '4.4\xa0% of 300'
    """
    return re.sub(r"(?<=\d) %", "\xa0%", text)


def format_name(name: Any) -> str:
    r"""Format a name so that its direction of writing does not affect the text around it.

    >>> format_name("sex"), format_name("\u202ebackwards")
    ('sex', '\u2068\u202ebackwards\u2069')
    """
    name = str(name)
    return f"\u2068{name}\u2069" if RIGHT_TO_LEFT.search(name) else name


def format_scenario(attribute: Any) -> str:
    """Return the name of an attribute, or "all together"."""
    return "all together" if attribute == ALL else str(attribute)
