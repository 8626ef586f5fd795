"""The audit of a regressor: how far predictions move, means and errors by group."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from dr_core._utils import format_enumeration, format_percent
from dr_core.comparison import Individuals, describe_plan, to_plain, to_records
from dr_core.perturbation import ALL
from dr_core.report._drawings import (
    Cell,
    Column,
    ReportTable,
    RowGroup,
    Scale,
    compute_scale_end,
    make_bar,
    make_heading,
    make_text_cell,
    make_value_cell,
)
from dr_core.report._evidence import describe_spellings, make_data_quality_table
from dr_core.report._facts import collect_facts
from dr_core.report._headline import Headline
from dr_core.report._individuals import make_individual_tables
from dr_core.report._plausible import iter_next_steps
from dr_core.report._untested import iter_untested
from dr_core.report._words import (
    QUANTITY_TEXTS,
    PageTexts,
    describe_perturbation,
    format_name,
    format_scenario,
    format_value_interval,
)
from dr_core.risk import Plausibility, ShiftAssessment, describe_hidden_risk, describe_zero_risk

__all__ = ["QuantityAudit", "QuantitySections", "format_amount", "format_shift"]

ERROR_COLUMNS = {
    "mean_score": Column("Mean prediction"),
    "mean_label": Column("Mean label"),
    "mean_error": Column("Mean error", "prediction minus label"),
    "mean_absolute_error": Column("Mean absolute error"),
}


@dataclass(frozen=True, eq=False)
class QuantityAudit:
    """What was measured of a regressor.

    Attributes
    ----------
    shift : ShiftAssessment with labels
    coupled : the same where coupled columns follow, or None
    plausibility : Plausibility without and with coupled columns; empty for rows in chunks
    settings : how it was computed
    evidence : checks of the data and provenance; see `Comparison`
    individuals : rows whose prediction moves furthest, by the name of the model: personal data
    """

    shift: ShiftAssessment
    coupled: ShiftAssessment | None = None
    plausibility: list[Plausibility] = field(default_factory=list)
    settings: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    individuals: Mapping[str, Individuals] = field(default_factory=dict)

    def table(self) -> pd.DataFrame:
        """Return the shift of each attribute, and of all together."""
        table = self.shift.table()
        if self.coupled is not None:
            table.insert(1, "mean_coupled", self.coupled.table()["mean"])
        if self.shift.risk is not None:
            table["above_tolerance"] = self.shift.risk.table()["risk"]
        return table

    @property
    def all_settings(self) -> dict[str, Any]:
        """Settings, with those of the perturbation and the numbers of rows with missing values."""
        return dict(self.settings) | describe_plan(self.shift.plan) | self.shift.n_missing

    def to_json(self) -> str:
        """Return all figures as JSON text."""
        content = {
            "settings": self.all_settings,
            "shift": to_records(self.table().rename_axis("attribute").reset_index()),
            "groups": to_records(self.shift.by_group),
            "errors": to_records(self.shift.errors.to_frame().T)[0],
            **self.evidence,
        }
        if self.plausibility:
            content["plausibility"] = self.plausibility[0].to_dict()
            content["implausible_pairs"] = to_records(self.plausibility[0].pairs)
        return json.dumps(content, indent=2, default=to_plain, allow_nan=False)


def format_amount(value: float) -> str:
    """Format a number in the unit of the label.

    >>> format_amount(0.123456), format_amount(1234.5), format_amount(float("nan"))
    ('0.1235', '1234', 'undefined')
    """
    if pd.isna(value):
        return "undefined"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def format_shift(audit: QuantityAudit, format_name: Any = format_name) -> str:
    """Return the sentence that sums up how far predictions move."""
    shift = audit.shift
    low, high, confidence, _ = shift.interval()
    names = format_enumeration(map(format_name, shift.plan.attributes.names))
    means = dict(zip(shift.names, shift.table()["mean"], strict=True))
    effect = "moves predictions further"
    sums = zip(shift.names, shift.totals.perturbed, strict=True)
    weights = {name: one.total("weight") for name, one in sums}
    note = describe_hidden_risk(means, format_name, format_amount, effect, weights)
    note = note or describe_zero_risk(means, format_name)
    first = (
        f"Predictions would move by {format_amount(shift.mean)} on average if only people's "
        f"{names} were different; {100 * confidence:g} % interval {format_amount(low)} to "
        f"{format_amount(high)}"
    )
    largest = f"The largest shift is {format_amount(shift.largest)}."
    spellings = describe_spellings(audit.evidence, shift.plan.attributes.names, format_name)
    more = " ".join(filter(None, (largest, spellings, note)))
    return f"{'; '.join([first, *shift.describe_missing()])}. {more}"


@dataclass(frozen=True, eq=False)
class QuantitySections:
    """Content of the report on a regressor, section by section; see `Sections`."""

    audit: QuantityAudit
    texts: PageTexts = QUANTITY_TEXTS
    models: tuple[str, ...] = ("model",)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings of the audit."""
        return self.audit.all_settings

    def facts(self, given: Mapping[str, str]) -> dict[str, str]:
        """Facts about the audit, those given by the caller first."""
        return collect_facts(self.settings, {**given, "intervals": "95 %, bootstrap over people"})

    def headlines(self) -> list[Headline]:
        """Summary of the model."""
        figure = format_amount(self.audit.shift.mean)
        details = list(self._iter_details())
        return [Headline("model", [(figure, "")], format_shift(self.audit), details)]

    def _iter_details(self) -> Iterator[str]:
        shift = self.audit.shift
        if ALL in shift.names:
            alone = (f"{format_name(n)} {format_amount(v)}" for n, v in shift.by_attribute.items())
            yield f"Each attribute alone: {', '.join(alone)}."
        half, ninety = shift.quantiles([0.5, 0.9])
        yield (
            f"Half of the shifts are at most {format_amount(half)}, nine of ten at most "
            f"{format_amount(ninety)}."
        )
        if not shift.errors.empty:
            yield f"Mean absolute error: {format_amount(shift.errors['mean_absolute_error'])}."
        if self.audit.plausibility:
            yield str(self.audit.plausibility[0])
            yield from iter_next_steps(self.audit.plausibility[0])

    def directions(self) -> ReportTable:
        """Table of the shift of each attribute, and of all together."""
        table = self.audit.table()
        scale = _make_amount_scale(table["high"])
        extra = {"mean_coupled": "with coupled columns", "above_tolerance": "share of predictions"}
        more = [name for name in extra if name in table]
        titles = ["Median", "90 % quantile", "99 % quantile", "Largest"]
        return ReportTable(
            "Size of the shift when only sensitive attributes are perturbed",
            [
                Column("If only this were different"),
                Column("Mean size", "with its confidence interval", scale),
                *(Column(name.replace("_", " ").capitalize(), extra[name]) for name in more),
                *map(Column, titles),
                Column("Privileged", "mean gain or loss"),
                Column("Marginalised", "mean gain or loss"),
            ],
            [self._make_row(row, scale, more) for row in table.reset_index().to_dict("records")],
            "All figures are in the unit of the label.",
        )

    def _make_row(self, row: dict[str, Any], scale: Scale, extra: list[str]) -> list[Cell]:
        note = format_value_interval(row["low"], row["high"], format_amount)
        bar = make_bar(scale, row["mean"], row["low"], row["high"])
        others = ["q50", "q90", "q99", "largest", "privileged", "marginalised"]
        return [
            make_heading(format_scenario(row["perturbed"])),
            make_value_cell(row["mean"], format_amount(row["mean"]), note, bar),
            *(_make_extra_cell(name, row[name]) for name in extra),
            *(_make_amount(row[name]) for name in others),
        ]

    def performance(self) -> ReportTable | None:
        """Table of means and errors over all rows."""
        errors = self.audit.shift.errors
        if errors.empty:
            return None
        columns = [ERROR_COLUMNS[name] for name in errors.index]
        row = [make_heading("model"), *map(_make_amount, errors)]
        return ReportTable(
            "Predictions and labels of all rows", [Column("Model"), *columns], [row]
        )

    def groups(self) -> list[ReportTable]:
        """Table of shifts, means and errors by group: of each attribute, and of all together."""
        frame = self.audit.shift.by_group
        scale = _make_amount_scale(frame["mean"])
        errors = [column for column in ERROR_COLUMNS if column in frame]
        return [
            ReportTable(
                "Shift by group, the most affected first",
                [
                    Column("Group"),
                    Column("Mean size", scale=scale),
                    Column("Signed mean", "positive: would gain"),
                    Column("Largest"),
                    *(ERROR_COLUMNS[column] for column in errors),
                    Column("Rows"),
                    Column("Privileged"),
                ],
                [],
                groups=[
                    self._make_group(name, frame[frame["attribute"] == name], scale, errors)
                    for name in self.audit.shift.names
                ],
            )
        ]

    def _make_group(
        self, name: Any, frame: pd.DataFrame, scale: Scale, errors: list[str]
    ) -> RowGroup:
        perturbed = (
            "all attributes together are" if name == ALL else f"only {format_name(name)} is"
        )
        frame = frame.sort_values("mean", ascending=False, kind="stable")
        return RowGroup(
            f"When {perturbed} perturbed",
            [self._make_group_row(row, scale, errors) for row in frame.to_dict("records")],
        )

    def _make_group_row(self, row: dict[str, Any], scale: Scale, errors: list[str]) -> list[Cell]:
        privileged = {True: "yes", False: "no"}.get(row["privileged"], "–")
        return [
            make_heading(row["group"]),
            make_value_cell(
                row["mean"], format_amount(row["mean"]), bar=make_bar(scale, row["mean"])
            ),
            *(_make_amount(row[name]) for name in ("signed_mean", "largest", *errors)),
            make_value_cell(row["rows"], f"{row['rows']:,}"),
            make_text_cell(privileged),
        ]

    def individuals(self) -> list[ReportTable]:
        """Tables of individuals whose prediction moves furthest."""
        return make_individual_tables(self.audit.individuals, format_amount)

    def untested(self) -> list[str]:
        """What the audit leaves open."""
        has_intervals = {"n_boot": 1}
        plausible = {"reference_rows": 1} if self.audit.plausibility else {}
        settings = self.settings | has_intervals | plausible
        return list(iter_untested(settings, self.audit.evidence))

    def meaning(self) -> list[str]:
        """How to read the numbers."""
        return describe_perturbation(self.texts, self.settings)

    def data_quality(self) -> ReportTable | None:
        """Table of what in the data can make the audit misleading; None if not checked."""
        return make_data_quality_table(self.audit.evidence)

    def verdict(self) -> None:
        """No section: limits are for decisions."""

    def plausible(self) -> None:
        """No section: the headline has the sentence."""

    def rates(self) -> None:
        """No section: rates are for decisions."""

    def gaps(self) -> list[ReportTable]:
        """No section: gaps are for decisions."""
        return []

    def flows(self) -> list[Any]:
        """No section: directions are in the table of the shifts."""
        return []

    def impact(self) -> list[ReportTable]:
        """No section."""
        return []

    def ensembles(self) -> list[Any]:
        """No section."""
        return []


def _make_amount_scale(amounts: Iterable[float]) -> Scale:
    end = compute_scale_end(amounts)
    return Scale(end, texts=("0", format_amount(end)))


def _make_amount(value: float) -> Cell:
    return make_value_cell(value, format_amount(value))


def _make_extra_cell(name: str, value: float) -> Cell:
    shown = format_percent(value) if name == "above_tolerance" else format_amount(value)
    return make_value_cell(value, shown)
