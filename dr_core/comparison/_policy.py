"""Limits on risk and gaps, decided on confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dr_core._utils import (
    find_decimals,
    find_size,
    format_estimate,
    format_points,
    is_number,
    quote,
    round_percent,
)
from dr_core.comparison._ensemble_audit import to_records
from dr_core.metrics import CONTRASTS, DR
from dr_core.perturbation import ALL
from dr_core.risk import describe_zero_risk

if TYPE_CHECKING:
    from dr_core.comparison._comparison import Comparison

__all__ = [
    "FAIL",
    "PASS",
    "UNDECIDED",
    "Decision",
    "Verdict",
    "check_comparison",
]

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
"""Outcomes of a limit."""

LIMIT_DIGITS = 9
"""Significant digits of a limit in percent."""


class FormattedNumbers(NamedTuple):
    """Value, ends of the interval and limit of a decision, as they are shown; "" if undefined."""

    value: str
    low: str
    high: str
    limit: str


MIN_BOOT = 100
"""Bootstrap replicates that a limit on a gap needs at least."""


@dataclass(frozen=True)
class Decision:
    """A limit on one measure of one model, and whether it is kept.

    Attributes
    ----------
    model, attribute, measure : what the limit is for
    value, low, high : the value and its confidence interval
    limit : largest acceptable value
    outcome : "pass" if the interval is within the limit, "fail" if it is beyond, else "undecided"
    rows : number of rows that the value is computed from
    rows_needed : number of rows with which about the same value would be decided; None otherwise
    signed, signed_low, signed_high : the gap with its sign, marginalised minus privileged, and its
        interval; NaN for measures without a sign
    """

    model: str
    attribute: str
    measure: str
    value: float
    low: float
    high: float
    limit: float
    outcome: str
    rows: int
    rows_needed: int | None = None
    signed: float = math.nan
    signed_low: float = math.nan
    signed_high: float = math.nan

    def __str__(self) -> str:
        name = self.measure.replace("_", " ")
        where = f"{name} of {self.model} for {self.attribute}"
        text = f"{self.outcome.upper()}: {where}: {self._describe_numbers()}"
        if self.outcome != UNDECIDED:
            return text
        if self.rows_needed is None:
            return f"{text}; more rows like these would not decide"
        needed = format_estimate(self.rows_needed)
        return f"{text}; about {needed} rows would decide, these are {self.rows:,}"

    def _describe_numbers(self) -> str:
        value, low, high, limit = self.format_numbers()
        ends = ", ".join(end.removesuffix(" pp").removesuffix(" %") for end in (low, high))
        return f"{value} [{ends}], limit {limit}" if low else f"{value}, limit {limit}"

    def format_numbers(self) -> FormattedNumbers:
        """Return value, interval and limit; a gap with its sign.

        There are as many decimals as are needed to show on which side of the limit a number is.
        """
        limit = f"{round_percent(self.limit):.{LIMIT_DIGITS}g}"
        if math.isnan(self.value):
            return FormattedNumbers("undefined", "", "", f"{limit} %")
        if math.isnan(self.signed_low):
            numbers = self.value, self.low, self.high
            decimals = find_decimals(numbers, [self.limit])
            shown = (f"{round_percent(one):.{decimals}f} %" for one in numbers)
            return FormattedNumbers._make((*shown, f"{limit} %"))
        numbers = self.signed, self.signed_low, self.signed_high
        decimals = find_decimals(numbers, [self.limit, -self.limit])
        shown = (format_points(one, decimals) for one in numbers)
        return FormattedNumbers._make((*shown, f"±{limit} pp"))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Decision:
        """Return the decision of an entry of `Verdict.to_dict`, where None is undefined."""
        needed = record["rows_needed"]
        numbers: dict[str, Any] = {
            key: math.nan if value is None else value for key, value in record.items()
        }
        return cls(**numbers | {"rows_needed": needed})


@dataclass(frozen=True)
class Verdict:
    """Decisions on all limits; true if every limit is kept.

    Attributes
    ----------
    decisions : list of Decision
    notes : list of str
        What a kept limit on the risk can hide, such as a model that does not use the attributes.
    """

    decisions: list[Decision]
    notes: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """The outcome of all limits, "fail" if one fails, else "undecided" if one is."""
        found = {decision.outcome for decision in self.decisions}
        return next((one for one in (FAIL, UNDECIDED) if one in found), PASS)

    def __bool__(self) -> bool:
        return self.outcome == PASS

    def __str__(self) -> str:
        return "\n".join([*map(str, self.decisions), *self.notes])

    def table(self) -> pd.DataFrame:
        """Return one row for each limit."""
        decisions = [asdict(decision) for decision in self.decisions]
        return pd.DataFrame(decisions).astype({"rows_needed": "Int64"})

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict in plain types."""
        return {"outcome": self.outcome, "limits": to_records(self.table())}


def check_comparison(
    comparison: Comparison,
    max_risk: float | Mapping[Any, float] | None,
    max_gap: Mapping[str, float] | None,
) -> Verdict:
    """Decide on limits; see `Comparison.check`."""
    attributes = comparison.values["attribute"].unique().tolist()
    limits = dict(_iter_risk_limits(max_risk, attributes, set(comparison.values["measure"])))
    limits |= dict(_iter_gap_limits(max_gap or {}, attributes, comparison))
    if not limits:
        raise ValueError("pass a limit: max_risk=0.05, or max_gap={'demographic_parity': 0.1}.")
    if "low" not in comparison.values:
        raise ValueError("check needs confidence intervals: pass n_boot=1000 to compare.")
    n_boot = comparison.settings["n_boot"]
    if max_gap and n_boot < MIN_BOOT:
        raise ValueError(
            f"n_boot must be at least {MIN_BOOT} for a limit on a gap; got {n_boot}. 1,000 "
            "replicates take milliseconds."
        )
    rows, confidence = comparison.values.itertuples(), comparison.settings["confidence"]
    return Verdict(
        [
            _decide(
                row, limits[row.measure, row.attribute], _count_rows(comparison, row), confidence
            )
            for row in rows
            if (row.measure, row.attribute) in limits
        ],
        [] if max_risk is None else list(_iter_risk_notes(comparison)),
    )


def _count_rows(comparison: Comparison, row: Any) -> int:
    """Return the number of rows that a value is computed from.

    DR is that of the rows with a sensitive value, a gap that of the rows with all of them.
    """
    keys = ["not_perturbed"] if row.measure == DR else ["not_perturbed", "partly_perturbed"]
    settings = comparison.settings
    missing = (settings.get(key, {}).get(str(row.attribute), 0) for key in keys)
    return int(settings.get("rows", 0) - sum(missing))


def _iter_risk_notes(comparison: Comparison) -> Iterator[str]:
    """Yield what the risk of each model can hide."""
    for model in comparison.values["model"].unique():
        notes = (
            comparison.describe_hidden_risk(model),
            describe_zero_risk(comparison.get_risks(model)),
        )
        yield from (f"{model}: {note}" for note in notes if note)


def _iter_risk_limits(
    max_risk: float | Mapping[Any, float] | None, attributes: list[Any], measures: set[str]
) -> Iterator[tuple[tuple[str, Any], float]]:
    if max_risk is None:
        return
    if DR not in measures:
        raise ValueError(f"max_risk needs the measure {DR!r}: add it to measures of compare.")
    by_attribute = max_risk if isinstance(max_risk, Mapping) else {attributes[-1]: max_risk}
    if len(attributes) == 1 and {ALL, *attributes} <= set(by_attribute):
        raise ValueError(
            f"max_risk: {ALL!r} and {attributes[0]!r} are limits of the same, as "
            f"{attributes[0]!r} is the only sensitive attribute; pass one."
        )
    for attribute, limit in by_attribute.items():
        place = attributes[-1] if attribute == ALL else attribute  # one attribute is all of them
        if place not in attributes:
            raise ValueError(
                f"max_risk: {attribute!r} is not a sensitive attribute; pass one of "
                f"{quote(attributes)}."
            )
        yield (DR, place), _check_limit("max_risk", limit)


def _iter_gap_limits(
    max_gap: Mapping[str, float], attributes: list[Any], comparison: Comparison
) -> Iterator[tuple[tuple[str, Any], float]]:
    known = set(comparison.values["measure"])
    for measure, limit in max_gap.items():
        if measure not in CONTRASTS or measure not in known:
            gaps = [name for name in CONTRASTS if name in known]
            raise ValueError(
                f"max_gap: {measure!r} is not one of the gaps that were measured: {quote(gaps)}."
            )
        for attribute in attributes:
            yield (measure, attribute), _check_limit("max_gap", limit)


def _check_limit(name: str, limit: Any) -> float:
    if not is_number(limit) or not 0 <= limit <= 1:
        raise ValueError(f"{name} must be a limit in [0, 1]; got {limit!r}.")
    return float(limit)


def _decide(row: Any, limit: float, n_rows: int, confidence: float) -> Decision:
    what = str(row.model), str(row.attribute), row.measure
    numbers = row.value, row.low, row.high, limit
    # A comparison without any gap has no column of signed intervals.
    signed = (getattr(row, key, math.nan) for key in ("signed", "signed_low", "signed_high"))
    needed = None
    if row.high <= limit:
        outcome = PASS
    elif row.low > limit:
        outcome = FAIL
    else:
        outcome, needed = UNDECIDED, _estimate_rows(row, limit, n_rows, confidence)
    return Decision(*what, *numbers, outcome, n_rows, needed, *signed)


def _estimate_rows(row: Any, limit: float, n_rows: int, confidence: float) -> int | None:
    """Return the number of rows that would bring the end of the interval to the limit."""
    end = row.high if row.value <= limit else row.low
    if math.isnan(row.value) or row.value == limit:
        return None
    if row.measure == DR:
        # With weights or several rows per person, the rows are worth a smaller number. If 1,000
        # rows are worth 500, and the limit needs 2,000 of these, 4,000 rows are needed.
        worth, needed = (find_size(row.value, one, confidence) for one in (end, limit))
        if not math.isnan(needed / worth):
            return math.ceil(round(n_rows * needed / worth, 6))
    # The length of an interval falls with the root of n: to bring an end from a distance of 0.04
    # to the value to one of 0.02, four times as many rows are needed.
    return math.ceil(n_rows * ((end - row.value) / (limit - row.value)) ** 2)
