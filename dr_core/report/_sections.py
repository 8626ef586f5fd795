"""Tables and sentences of the report, made from a `Comparison`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dr_core.comparison import (
    COUPLED_RISK,
    IMPLAUSIBLE_SHARE,
    PERTURBED_RISK,
    PLAUSIBLE_RISK,
    SCORE_SHIFT,
    Individuals,
)
from dr_core.metrics import DR, FAIRNESS_MEASURES, PERFORMANCE_MEASURES
from dr_core.perturbation import ALL
from dr_core.report._drawings import (
    SHARE_SCALE,
    Cell,
    Column,
    ReportTable,
    Scale,
    compute_scale_end,
    make_bar,
    make_heading,
    make_stacked_bar,
    make_text_cell,
    make_value_cell,
)
from dr_core.report._evidence import make_data_quality_table, make_verdict_table
from dr_core.report._facts import collect_facts
from dr_core.report._groups import make_impact_tables, make_rate_table
from dr_core.report._plausible import (
    RISK_COLUMNS,
    PlausibleSection,
    format_pair,
    make_plausible_section,
)
from dr_core.report._votes import VoteSection, make_vote_section
from dr_core.report._words import (
    DECISION_TEXTS,
    PageTexts,
    describe_measure,
    format_enumeration,
    format_interval,
    format_name,
    format_percent,
    format_scenario,
    format_signed,
)
from dr_core.risk import describe_hidden_risk, describe_missing

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["MIN_GROUP_ROWS", "Headline", "Sections", "format_headline"]

MAX_GROUP_ROWS = 40
"""Rows of a table of groups; the most affected groups are shown."""

MAX_FEATURE_COLUMNS = 30
"""Columns of X in the table of individuals, sensitive columns first."""

MIN_GROUP_ROWS = 30
"""Rates of smaller groups are uncertain; the headline names larger ones, if there are any."""

MATERIAL_CHANGE = 0.1
"""Risks that differ from DR by more than this share of it stand beside it in the headline."""

BESIDE_CAPTIONS = {
    PLAUSIBLE_RISK: "among combinations that occur in the data",
    COUPLED_RISK: "with coupled columns",
}

DIRECTION_LEGEND = ["would lose the favourable decision", "would gain it"]


def format_headline(
    comparison: Comparison, model: Any, format_name: Callable[[Any], str] = format_name
) -> str:
    """Return the sentence that sums up the discriminative risk of a model.

    Parameters
    ----------
    comparison : Comparison
    model : name of the model
    format_name : function that returns the name of an attribute as it is shown
    """
    sections = Sections(comparison)
    row = sections.get_perturbed_row(model, sections.attributes[-1])
    names = format_enumeration(map(format_name, sections.names))
    if row is None:
        return "Discriminative risk was not measured."
    if math.isnan(row.value):
        return (
            f"The share of decisions that depend on {names} is unknown: the predictions for "
            "perturbed rows were not given."
        )
    return (
        "; ".join(
            [
                f"{format_percent(row.value)} of {sections.describe_changes()} if only their "
                f"{names} were different{sections.format_confidence_interval(row)}",
                *sections.describe_missing(),
            ]
        )
        + "."
        + "".join(f" {sentence}" for sentence in sections.iter_context(model, format_name))
        + sections.format_hidden_risk(model, format_name)
    )


class Headline(NamedTuple):
    """Summary of one model in plain words; several figures each have a caption."""

    model: str
    figures: list[tuple[str, str]]
    sentence: str
    details: list[str]


@dataclass(frozen=True, eq=False)
class Sections:
    """Content of the report, section by section."""

    comparison: Comparison
    texts: PageTexts = DECISION_TEXTS

    @cached_property
    def values(self) -> pd.DataFrame:
        """Values of the comparison; low and high are NaN if there is no interval."""
        values = self.comparison.values
        columns = ["model", "attribute", "measure", "value", "low", "high"]
        return values.reindex(columns=[*columns, "signed", "signed_low", "signed_high"])

    @cached_property
    def models(self) -> list[Any]:
        """Names of the models."""
        return self.values["model"].unique().tolist()

    @cached_property
    def attributes(self) -> list[Any]:
        """Names of the columns: each attribute, then all together."""
        return self.values["attribute"].unique().tolist()

    @property
    def names(self) -> list[Any]:
        """Names of the attributes."""
        return [name for name in self.attributes if name != ALL]

    @property
    def _has_several_models(self) -> bool:
        return len(self.models) > 1

    def _make_model_column(self) -> list[Column]:
        return [Column("Model")] if self._has_several_models else []

    def _make_model_cell(self, model: Any) -> list[Cell]:
        return [make_text_cell(model)] if self._has_several_models else []

    @cached_property
    def _rows(self) -> dict[tuple[Any, ...], Any]:
        return {(row.measure, row.model, row.attribute): row for row in self.values.itertuples()}

    def get_row(self, measure: str, model: Any, attribute: Any) -> Any:
        """Return the value of a measure with its interval; None if it was not computed."""
        return self._rows.get((measure, model, attribute))

    def get_perturbed_row(self, model: Any, attribute: Any) -> Any:
        """Return DR of the rows that were perturbed; without missing values, of all rows."""
        perturbed = self.get_row(PERTURBED_RISK, model, attribute)
        return self.get_row(DR, model, attribute) if perturbed is None else perturbed

    def describe_changes(self) -> str:
        """Return what DR is a share of; one person may have several decisions."""
        if "people" not in self.comparison.settings:
            return "people would get a different decision"
        n_people = self.comparison.settings["people"]
        return f"the decisions about {n_people:,} people would be different"

    def describe_missing(self) -> list[str]:
        """Say how many rows missing values kept from being perturbed, fully or in part."""
        keys, name = ("not_perturbed", "partly_perturbed"), str(self.attributes[-1])
        return describe_missing(*(self.comparison.settings.get(k, {}).get(name, 0) for k in keys))

    def facts(self, given: Mapping[str, str]) -> dict[str, str]:
        """Facts about the audit, those given by the caller first."""
        return collect_facts(self.comparison.settings, given)

    def data_quality(self) -> ReportTable | None:
        """Table of what in the data can make the audit misleading; None if not checked."""
        return make_data_quality_table(self.comparison.evidence)

    def rates(self) -> ReportTable | None:
        """Table of the rates of all groups."""
        return make_rate_table(self.comparison)

    def impact(self) -> list[ReportTable]:
        """Tables of impact ratios as in Local Law 144, if asked for."""
        return make_impact_tables(self.comparison)

    def verdict(self) -> ReportTable | None:
        """Table of limits and whether they are kept; None if there are none."""
        return make_verdict_table(self.comparison.evidence)

    # The headline

    def headlines(self) -> list[Headline]:
        """Summary of each model."""
        return [self._make_headline(model) for model in self.models]

    def _make_headline(self, model: Any) -> Headline:
        sentence = format_headline(self.comparison, model)
        row = self.get_perturbed_row(model, self.attributes[-1])
        if _is_unknown(row):
            return Headline(str(model), [("–", "")], sentence, [])
        figures, details = self._get_figures(model, row), list(self._iter_details(model))
        return Headline(str(model), figures, sentence, details)

    def _get_figures(self, model: Any, row: Any) -> list[tuple[str, str]]:
        """Return DR, and beside it the risks that are very different."""
        beside = self._find_beside(model)
        captions = ["as defined" if beside else "", *(BESIDE_CAPTIONS[name] for name in beside)]
        values = (format_percent(one.value) for one in (row, *beside.values()))
        return list(zip(values, captions, strict=True))

    def format_confidence_interval(self, row: Any) -> str:
        """Return the end of a sentence with the interval of a value; "" if there is none."""
        confidence = self.comparison.settings.get("confidence")
        if math.isnan(row.low) or confidence is None:
            return ""
        low, high = format_percent(row.low), format_percent(row.high)
        return f"; {100 * confidence:g} % interval {low} to {high}"

    def _find_beside(self, model: Any) -> dict[str, Any]:
        """Return the risks with plausibility taken into account that differ much from DR."""
        risk = self.get_perturbed_row(model, self.attributes[-1]).value
        rows = {name: self.get_row(name, model, self.attributes[-1]) for name in BESIDE_CAPTIONS}
        return {
            name: row
            for name, row in rows.items()
            if not _is_unknown(row) and abs(row.value - risk) > MATERIAL_CHANGE * risk
        }

    def iter_context(self, model: Any, format_name: Callable[[Any], str]) -> Iterator[str]:
        """Yield a sentence for each risk that differs much from DR, with the reason."""
        beside = self._find_beside(model)
        if PLAUSIBLE_RISK in beside:
            risk, implausible = (
                format_percent(self.get_row(name, model, self.attributes[-1]).value)
                for name in (PLAUSIBLE_RISK, IMPLAUSIBLE_SHARE)
            )
            first = next(self.comparison.plausibility[model].pairs.itertuples())
            yield (
                f"{risk} among combinations that occur in the data: {implausible} of the "
                "perturbed rows are combinations rarely or never seen there, such as "
                f"{format_pair(first, format_name)}, and predictions for them may mean little."
            )
        if COUPLED_RISK in beside:
            columns = format_enumeration(map(format_name, self.comparison.settings["coupled"]))
            interval = self.format_confidence_interval(beside[COUPLED_RISK])
            risk = format_percent(beside[COUPLED_RISK].value)
            yield f"{risk} if {columns} may follow by rules{interval}."

    def format_hidden_risk(self, model: Any, format_name: Callable[[Any], str]) -> str:
        """Return a further sentence if one attribute alone has more risk than all; else ""."""
        note = describe_hidden_risk(self.comparison.get_risks(model), format_name, format_percent)
        return f" {note}" if note else ""

    def _iter_details(self, model: Any) -> Iterator[str]:
        alone = [(name, self.get_perturbed_row(model, name)) for name in self.names]
        known = [
            f"{format_name(name)} {format_percent(row.value)}"
            for name, row in alone
            if not _is_unknown(row)
        ]
        if len(self.names) > 1 and known:
            yield f"Each attribute alone: {', '.join(known)}."
        for row in self._iter_rows(self.comparison.directions, model, self.attributes[-1]):
            of_all = " of all rows" if self.describe_missing() else ""
            yield (
                f"{format_percent(row.loses)}{of_all} would lose the favourable decision, "
                f"{format_percent(row.gains)} would gain it."
            )
        yield from self._iter_plausible_details(model)
        groups = list(self._iter_rows(self.comparison.by_group, model, self.attributes[-1]))
        large = [row for row in groups if row.rows >= MIN_GROUP_ROWS] or groups
        most = max(large, key=lambda row: (row.risk, row.rows), default=None)
        if most is not None and most.risk > 0:
            yield (
                f"Most affected group: {format_name(most.group)}, {format_percent(most.risk)} of "
                f"{most.rows:,} rows ({format_percent(most.carries)} of all changes)."
            )

    def _iter_plausible_details(self, model: Any) -> Iterator[str]:
        everything, beside = self.attributes[-1], self._find_beside(model)
        implausible = self.get_row(IMPLAUSIBLE_SHARE, model, everything)
        is_known = PLAUSIBLE_RISK in beside or _is_unknown(implausible)
        if not is_known and implausible.value > 0:
            yield (
                f"{format_percent(implausible.value)} of the perturbed rows are implausible: "
                "combinations rarely or never seen in the data."
            )
        coupled = self.get_row(COUPLED_RISK, model, everything)
        if COUPLED_RISK not in beside and not _is_unknown(coupled):
            columns = format_enumeration(map(format_name, self.comparison.settings["coupled"]))
            yield (
                f"If {columns} may follow by rules, {format_percent(coupled.value)} would get a "
                f"different decision{self.format_confidence_interval(coupled)}."
            )

    def _iter_rows(self, frame: pd.DataFrame, model: Any, attribute: Any) -> Iterator[Any]:
        if not frame.empty:
            chosen = (frame["model"] == model) & (frame["attribute"] == attribute)
            yield from frame[chosen].itertuples()

    # Side by side

    def fairness(self) -> ReportTable | None:
        """Table of the fairness measures, one column for each attribute."""
        # The variants of DR in RISK_COLUMNS come directly after DR.
        shown = self._select_measures(
            dict.fromkeys((*RISK_COLUMNS, *FAIRNESS_MEASURES, SCORE_SHIFT))
        )
        if not shown:
            return None
        scales = self._make_scales(shown)
        rows = [
            self._make_fairness_row(measure, model, scales)
            for measure in shown
            for model in self.models
        ]
        columns = [Column(format_scenario(name)) for name in self.attributes]
        return ReportTable(
            "Fairness measures (best value 0; disparate impact: 1)",
            [Column("Measure"), *self._make_model_column(), *columns],
            rows,
            "Gaps with a sign are marginalised minus privileged; bars show their size. "
            f"Bars end at {scales[0.0].end:g}; the mark in a bar of disparate impact is 1.",
        )

    def _make_fairness_row(
        self, measure: str, model: Any, scales: Mapping[float, Scale]
    ) -> list[Cell]:
        title, description, best = describe_measure(measure)
        cells = (
            _make_interval_cell(self.get_row(measure, model, name), scales[best], best)
            for name in self.attributes
        )
        return [make_heading(title, description), *self._make_model_cell(model), *cells]

    def _select_measures(self, names: Iterable[str]) -> list[str]:
        known = set(self.values["measure"])
        return [name for name in names if name in known]

    def _make_scales(self, shown: list[str]) -> dict[float, Scale]:
        """Return one scale for gaps and another for ratios, by their best value."""
        gaps = [name for name in shown if describe_measure(name).best == 0]
        ratios = [name for name in shown if name not in gaps]
        ends = {0.0: self._get_values(gaps), 1.0: [1.0, *self._get_values(ratios)]}
        return {best: Scale(compute_scale_end(values)) for best, values in ends.items()}

    def _get_values(self, measures: list[str]) -> list[float]:
        """Return the values and upper interval ends of some measures."""
        rows = self.values["measure"].isin(measures)
        values: list[float] = self.values.loc[rows, ["value", "high"]].to_numpy().ravel().tolist()
        return values

    def performance(self) -> ReportTable | None:
        """Table of the performance measures, one column for each."""
        shown = self._select_measures(PERFORMANCE_MEASURES)
        if not shown:
            return None
        texts = [describe_measure(name) for name in shown]
        columns = [Column(text.title, text.description) for text in texts]
        rows = [self._make_performance_row(model, shown) for model in self.models]
        return ReportTable(
            "Performance over all rows (best value 1)", [Column("Model"), *columns], rows
        )

    def _make_performance_row(self, model: Any, shown: list[str]) -> list[Cell]:
        values = (self.get_row(name, model, self.attributes[-1]) for name in shown)
        return [make_heading(model), *(_make_interval_cell(row, SHARE_SCALE) for row in values)]

    # Each attribute alone, and all together

    def directions(self) -> ReportTable | None:
        """Table of the risk of each attribute alone and of all together, by direction."""
        frame = self.comparison.directions
        if frame.empty:
            return None
        scale = Scale(compute_scale_end(frame["loses"] + frame["gains"] + frame["other"]))
        rows = [self._make_direction_row(row, scale) for row in frame.itertuples()]
        several_classes = bool((frame["other"] > 0).any())
        legend = [*DIRECTION_LEGEND, "would get another unfavourable one"]
        return ReportTable(
            "Discriminative risk of each attribute alone and of all together, by direction",
            [
                Column("If only this were different"),
                *self._make_model_column(),
                Column("Risk"),
                Column("Would lose", "the favourable decision"),
                Column("Would gain", "the favourable decision"),
            ],
            rows,
            f"Bars end at {scale.end:g}.",
            legend if several_classes else legend[:2],
        )

    def _make_direction_row(self, row: Any, scale: Scale) -> list[Cell]:
        known = self.get_row(DR, row.model, row.attribute)
        risk = row.loses + row.gains + row.other if known is None else known.value
        note = "" if known is None else format_interval(known.low, known.high)
        bar = make_stacked_bar(scale, row.loses, row.gains, row.other)
        return [
            make_heading(format_scenario(row.attribute)),
            *self._make_model_cell(row.model),
            make_value_cell(risk, note=note, bar=bar),
            make_value_cell(row.loses),
            make_value_cell(row.gains),
        ]

    # Groups most affected

    def groups(self) -> list[ReportTable]:
        """Tables of the risk by group: one for each attribute, and one for all together."""
        frame = self.comparison.by_group
        if frame.empty:
            return []
        scale = Scale(compute_scale_end(frame["risk"]))
        known = [name for name in self.attributes if name in set(frame["attribute"])]
        return [
            self._make_group_table(name, frame[frame["attribute"] == name], scale)
            for name in known
        ]

    def _make_group_table(self, name: Any, frame: pd.DataFrame, scale: Scale) -> ReportTable:
        frame = frame.sort_values("risk", ascending=False, kind="stable")
        shown = frame.head(MAX_GROUP_ROWS)
        selection = f" The {MAX_GROUP_ROWS} most affected of {len(frame)} groups."
        perturbed = "all attributes together are" if name == ALL else f"{format_name(name)} is"
        return ReportTable(
            f"By group, when {perturbed} perturbed",
            [
                Column("Group"),
                *self._make_model_column(),
                Column("Risk", "in the group"),
                Column("Would lose", "the favourable decision"),
                Column("Would gain", "the favourable decision"),
                Column("Share of all changes"),
                Column("Rows"),
                Column("Privileged"),
            ],
            [self._make_group_row(row, scale) for row in shown.itertuples()],
            f"Bars end at {scale.end:g}.{selection if len(frame) > len(shown) else ''}",
            DIRECTION_LEGEND,
        )

    def _make_group_row(self, row: Any, scale: Scale) -> list[Cell]:
        bar = None if math.isnan(row.risk) else make_stacked_bar(scale, row.loses, row.gains)
        privileged = {True: "yes", False: "no"}.get(row.privileged, "–")
        return [
            make_heading(row.group),
            *self._make_model_cell(row.model),
            make_value_cell(row.risk, bar=bar),
            make_value_cell(row.loses),
            make_value_cell(row.gains),
            make_value_cell(row.carries, format_percent(row.carries)),
            make_value_cell(row.rows, f"{row.rows:,}"),
            make_text_cell(privileged),
        ]

    # Plausibility

    def plausible(self) -> PlausibleSection | None:
        """Section on implausible perturbed rows and coupled columns."""
        return make_plausible_section(self.comparison)

    # Individuals

    def individuals(self) -> list[ReportTable]:
        """Tables of individuals whose decision may change, one for each model."""
        return [
            self._make_individual_table(name, some)
            for name, some in self.comparison.individuals.items()
        ]

    def _make_individual_table(self, model: Any, some: Individuals) -> ReportTable:
        features = some.features.iloc[:, :MAX_FEATURE_COLUMNS]
        columns = [
            Column(str(name), "sensitive" if i < some.n_sensitive else "")
            for i, name in enumerate(features)
        ]
        people = some.rows, some.predictions, some.risks, features.itertuples(index=False)
        rows = [
            [
                make_heading(row),
                make_text_cell(decision),
                make_value_cell(risk),
                *map(make_text_cell, values),
            ]
            for row, decision, risk, values in zip(*people, strict=True)
        ]
        count = f"{len(rows)} of {some.n_concerned:,}"
        return ReportTable(
            f"{format_name(model)}: {count} people whose decision may change",
            [
                Column("Row", "from 0"),
                Column("Decision now"),
                Column("Changes", "with this probability"),
                *columns,
            ],
            rows,
            _describe_columns(some.features.shape[1]),
        )

    # Ensembles

    def ensembles(self) -> list[VoteSection]:
        """Bounds and pruning of the models that are ensembles."""
        return [
            make_vote_section(name, found) for name, found in self.comparison.ensembles.items()
        ]


def _is_unknown(row: Any) -> bool:
    return row is None or math.isnan(row.value)


def _make_interval_cell(row: Any, scale: Scale, tick: float = 0.0) -> Cell:
    bar = make_bar(scale, row.value, row.low, row.high, tick)
    if math.isnan(row.signed):
        return make_value_cell(row.value, note=format_interval(row.low, row.high), bar=bar)
    note = format_interval(row.signed_low, row.signed_high, format_signed)
    return make_value_cell(row.value, format_signed(row.signed), note=note, bar=bar)


def _describe_columns(n_features: int) -> str:
    if n_features <= MAX_FEATURE_COLUMNS:
        return ""
    return f"The first {MAX_FEATURE_COLUMNS} of {n_features} columns."
