"""The tables and sentences of the report, from a `Comparison`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dr_core.comparison import COUPLED_RISK, IMPLAUSIBLE_SHARE, Individuals
from dr_core.metrics import DR
from dr_core.perturbation import ALL
from dr_core.report._drawings import UNIT, Scale, bar, round_top, stacked_bar
from dr_core.report._facts import audit_facts
from dr_core.report._plausible import PlausibleSection, plausible_section
from dr_core.report._tables import Cell, Column, Table, heading, text, value_cell
from dr_core.report._votes import VoteSection, vote_section
from dr_core.report._words import FAIRNESS, PERFORMANCE, interval, joined, name_in_text, percent

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["Headline", "Sections"]

MOST_GROUPS = 40
"""Groups that a table shows; of more, those that carry most."""

MOST_FEATURES = 30
"""Columns of X that the table of individuals shows, sensitive ones first."""

DIRECTIONS = ["would lose the favourable decision", "would gain it"]

TOGETHER = "all together"


class Headline(NamedTuple):
    """One model in plain words."""

    model: str
    figure: str
    sentence: str
    details: list[str]


@dataclass(frozen=True, eq=False)
class Sections:
    """What the report says, section by section."""

    comparison: Comparison

    @cached_property
    def values(self) -> pd.DataFrame:
        """The values of the comparison; low and high are NaN where there is no interval."""
        values = self.comparison.values
        return values.reindex(columns=["model", "attribute", "measure", "value", "low", "high"])

    @cached_property
    def models(self) -> list[Any]:
        """Names of the models."""
        return self.values["model"].unique().tolist()

    @cached_property
    def attributes(self) -> list[Any]:
        """Names of what is perturbed: each attribute, then all together."""
        return self.values["attribute"].unique().tolist()

    @property
    def _names(self) -> list[Any]:
        return [name for name in self.attributes if name != ALL]

    @property
    def _several(self) -> bool:
        return len(self.models) > 1

    def _model_column(self) -> list[Column]:
        return [Column("Model")] if self._several else []

    def _model_cell(self, model: Any) -> list[Cell]:
        return [text(model)] if self._several else []

    @cached_property
    def _rows(self) -> dict[tuple[Any, ...], Any]:
        return {(row.measure, row.model, row.attribute): row for row in self.values.itertuples()}

    def _measured(self, measure: str, model: Any, attribute: Any) -> Any:
        return self._rows.get((measure, model, attribute))

    def facts(self, given: Mapping[str, str]) -> dict[str, str]:
        """What was audited and how; what the caller says comes first."""
        return audit_facts(self.comparison.settings, given)

    # The headline

    def headlines(self) -> list[Headline]:
        """How much of the decisions hangs on sensitive attributes, for each model."""
        return [self._headline(model) for model in self.models]

    def _headline(self, model: Any) -> Headline:
        row = self._measured(DR, model, self.attributes[-1])
        who = joined(self._names)
        if row is None:
            return Headline(str(model), "–", "Discriminative risk was not measured.", [])
        if math.isnan(row.value):
            sentence = (
                f"How many decisions depend on {who} is unknown: the predictions for perturbed "
                "rows were not given."
            )
            return Headline(str(model), "–", sentence, [])
        sentence = (
            f"{percent(row.value)} of people would get a different decision if only their {who} "
            f"were different{self._interval_words(row)}."
        )
        return Headline(str(model), percent(row.value), sentence, list(self._details(model)))

    def _interval_words(self, row: Any) -> str:
        confidence = self.comparison.settings.get("confidence")
        if math.isnan(row.low) or confidence is None:
            return ""
        return f"; {100 * confidence:g} % interval {percent(row.low)} to {percent(row.high)}"

    def _details(self, model: Any) -> Iterator[str]:
        alone = [(name, self._measured(DR, model, name)) for name in self._names]
        known = [
            f"{name_in_text(name)} {percent(row.value)}"
            for name, row in alone
            if not _unknown(row)
        ]
        if len(self._names) > 1 and known:
            yield f"Each attribute alone: {', '.join(known)}."
        for row in self._of(self.comparison.directions, model, self.attributes[-1]):
            yield (
                f"{percent(row.loses)} would lose the favourable decision, {percent(row.gains)} "
                "would gain it."
            )
        yield from self._plausible_details(model)
        groups = list(self._of(self.comparison.by_group, model, self.attributes[-1]))
        most = max(groups, key=lambda row: (row.carries, row.risk), default=None)
        if most is not None and most.carries > 0:
            yield (
                f"The group that carries most of it: {name_in_text(most.group)}, "
                f"{percent(most.carries)} of all changes with {percent(most.share)} of the rows."
            )

    def _plausible_details(self, model: Any) -> Iterator[str]:
        everything = self.attributes[-1]
        implausible = self._measured(IMPLAUSIBLE_SHARE, model, everything)
        if not _unknown(implausible):
            yield (
                f"{percent(implausible.value)} of the perturbed rows are implausible: people who "
                "hardly exist."
            )
        coupled = self._measured(COUPLED_RISK, model, everything)
        if not _unknown(coupled):
            columns = joined(self.comparison.settings["coupled"])
            yield (
                f"Where {columns} may follow by rules, {percent(coupled.value)} would get a "
                f"different decision{self._interval_words(coupled)}."
            )

    def _of(self, frame: pd.DataFrame, model: Any, attribute: Any) -> Iterator[Any]:
        if not frame.empty:
            chosen = (frame["model"] == model) & (frame["attribute"] == attribute)
            yield from frame[chosen].itertuples()

    # Side by side

    def fairness(self) -> Table | None:
        """All measures of fairness, one column for each attribute."""
        shown = self._shown(FAIRNESS)
        if not shown:
            return None
        scales = self._scales()
        rows = [
            [
                heading(FAIRNESS[measure].title, FAIRNESS[measure].says),
                *self._model_cell(model),
                *(
                    self._value_cell(self._measured(measure, model, name), scales[best], best)
                    for name in self.attributes
                ),
            ]
            for measure in shown
            for best in (FAIRNESS[measure].best,)
            for model in self.models
        ]
        columns = [Column(_perturbed(name)) for name in self.attributes]
        note = f"Bars end at {scales[0.0].end:g}; the mark in a bar of disparate impact is 1."
        return Table(
            "Measures of fairness: 0 is best, but for disparate impact, where 1 is",
            [Column("Measure"), *self._model_column(), *columns],
            rows,
            note,
        )

    def _shown(self, measures: Mapping[str, Any]) -> list[str]:
        known = set(self.values["measure"])
        return [measure for measure in measures if measure in known]

    def _scales(self) -> dict[float, Scale]:
        """One scale for all gaps, another for ratios, by what is best."""
        gaps = [name for name, measure in FAIRNESS.items() if measure.best == 0]
        columns = self.values[["value", "high"]]
        is_gap, is_ratio = (self.values["measure"].isin(x) for x in (gaps, ["disparate_impact"]))
        ratios = [1.0, *columns[is_ratio].to_numpy().ravel()]
        tops = {0.0: columns[is_gap].to_numpy().ravel(), 1.0: ratios}
        return {best: Scale(round_top(values)) for best, values in tops.items()}

    def _value_cell(self, row: Any, scale: Scale, tick: float = 0.0) -> Cell:
        drawn = bar(scale, row.value, row.low, row.high, tick)
        return value_cell(row.value, note=interval(row.low, row.high), bar=drawn)

    def performance(self) -> Table | None:
        """All measures of performance, one column each."""
        shown = self._shown(PERFORMANCE)
        if not shown:
            return None
        rows = [
            [
                heading(model),
                *(
                    self._value_cell(self._measured(one, model, self.attributes[-1]), UNIT)
                    for one in shown
                ),
            ]
            for model in self.models
        ]
        columns = [Column(PERFORMANCE[m].title, PERFORMANCE[m].says) for m in shown]
        return Table("Performance over all rows: 1 is best", [Column("Model"), *columns], rows)

    # Each attribute alone, and all together

    def directions(self) -> Table | None:
        """Risk of each attribute alone and of all together, by direction."""
        frame = self.comparison.directions
        if frame.empty:
            return None
        scale = Scale(round_top(frame["loses"] + frame["gains"] + frame["other"]))
        rows = [self._direction_row(row, scale) for row in frame.itertuples()]
        several_classes = bool((frame["other"] > 0).any())
        legend = [*DIRECTIONS, "would get another unfavourable one"]
        return Table(
            "Discriminative risk of each attribute alone and of all together, by direction",
            [
                Column("If only this were different"),
                *self._model_column(),
                Column("Risk"),
                Column("Would lose", "the favourable decision"),
                Column("Would gain", "the favourable decision"),
            ],
            rows,
            f"Bars end at {scale.end:g}.",
            legend if several_classes else legend[:2],
        )

    def _direction_row(self, row: Any, scale: Scale) -> list[Cell]:
        known = self._measured(DR, row.model, row.attribute)
        risk = row.loses + row.gains + row.other if known is None else known.value
        note = "" if known is None else interval(known.low, known.high)
        drawn = stacked_bar(scale, row.loses, row.gains, row.other)
        return [
            heading(TOGETHER if row.attribute == ALL else row.attribute),
            *self._model_cell(row.model),
            value_cell(risk, note=note, bar=drawn),
            value_cell(row.loses),
            value_cell(row.gains),
        ]

    # Who carries it

    def groups(self) -> list[Table]:
        """Risk by group, a table for each attribute and one for all together."""
        frame = self.comparison.by_group
        if frame.empty:
            return []
        scale = Scale(round_top(frame["risk"]))
        known = [name for name in self.attributes if name in set(frame["attribute"])]
        return [self._groups_of(name, frame[frame["attribute"] == name], scale) for name in known]

    def _groups_of(self, name: Any, frame: pd.DataFrame, scale: Scale) -> Table:
        frame = frame.sort_values("carries", ascending=False, kind="stable")
        shown = frame.head(MOST_GROUPS)
        left_out = f" The {MOST_GROUPS} of {len(frame)} groups that carry most."
        what = "all attributes together are" if name == ALL else f"{name_in_text(name)} is"
        return Table(
            f"By group, when {what} perturbed",
            [
                Column("Group"),
                *self._model_column(),
                Column("Risk", "in the group"),
                Column("Would lose", "the favourable decision"),
                Column("Would gain", "the favourable decision"),
                Column("Carries", "of all changes"),
                Column("Rows"),
                Column("Privileged"),
            ],
            [self._group_row(row, scale) for row in shown.itertuples()],
            f"Bars end at {scale.end:g}.{left_out if len(frame) > len(shown) else ''}",
            DIRECTIONS,
        )

    def _group_row(self, row: Any, scale: Scale) -> list[Cell]:
        drawn = None if math.isnan(row.risk) else stacked_bar(scale, row.loses, row.gains)
        privileged = {True: "yes", False: "no"}.get(row.privileged, "–")
        return [
            heading(row.group),
            *self._model_cell(row.model),
            value_cell(row.risk, bar=drawn),
            value_cell(row.loses),
            value_cell(row.gains),
            value_cell(row.carries, percent(row.carries)),
            value_cell(row.rows, f"{row.rows:,}"),
            text(privileged),
        ]

    # Plausibility

    def plausible(self) -> PlausibleSection | None:
        """Whether perturbed rows could exist, and the risk where other columns follow."""
        return plausible_section(self.comparison)

    # Individuals

    def individuals(self) -> list[Table]:
        """Some of the people concerned, a table for each model."""
        return [self._people(name, some) for name, some in self.comparison.individuals.items()]

    def _people(self, model: Any, some: Individuals) -> Table:
        features = some.features.iloc[:, :MOST_FEATURES]
        columns = [
            Column(str(name), "sensitive" if i < some.n_sensitive else "")
            for i, name in enumerate(features)
        ]
        people = some.rows, some.predictions, some.risks, features.itertuples(index=False)
        rows = [
            [heading(row), text(decision), value_cell(risk), *map(text, values)]
            for row, decision, risk, values in zip(*people, strict=True)
        ]
        many = f"{len(rows)} of {some.n_concerned:,}"
        return Table(
            f"{name_in_text(model)}: {many} people whose decision may change",
            [
                Column("Row", "from 0"),
                Column("Decision now"),
                Column("Changes", "with this probability"),
                *columns,
            ],
            rows,
            _left_out(some.features.shape[1]),
        )

    # Ensembles

    def ensembles(self) -> list[VoteSection]:
        """Bounds and pruning of the models that are votes."""
        return [vote_section(name, found) for name, found in self.comparison.ensembles.items()]


def _unknown(row: Any) -> bool:
    return row is None or math.isnan(row.value)


def _perturbed(name: Any) -> str:
    return TOGETHER if name == ALL else str(name)


def _left_out(n_features: int) -> str:
    if n_features <= MOST_FEATURES:
        return ""
    return f"The first {MOST_FEATURES} of {n_features} columns."
