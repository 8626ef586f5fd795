"""The headline: what was found, in plain words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from dr_core._utils import format_count, format_enumeration, format_percent, format_percent_ends
from dr_core.comparison import COUPLED_RISK, IMPLAUSIBLE_SHARE, PLAUSIBLE_RISK
from dr_core.metrics import DR
from dr_core.report._evidence import describe_spellings
from dr_core.report._plausible import iter_next_steps
from dr_core.report._values import MIN_GROUP_ROWS, MeasuredValues, is_unknown, iter_rows
from dr_core.report._words import format_name
from dr_core.risk import describe_missing, describe_zero_risk

if TYPE_CHECKING:
    from dr_core.comparison import Comparison
    from dr_core.risk import Plausibility

__all__ = ["Headline", "format_headline", "make_headlines"]

MATERIAL_CHANGE = 0.1
"""Risks that differ from DR by more than this share of it stand beside it in the headline."""

MATERIAL_SHARE = 0.05
"""From this share of implausible rows on, the headline names them, whatever DR is without them.

A smaller share changes DR by less than five percentage points: without a share s of the rows, DR
changes by s times the difference between the DR of these rows and that of the others.
"""

BESIDE_CAPTIONS = {
    PLAUSIBLE_RISK: "without implausible rows",
    COUPLED_RISK: "with coupled columns",
}


class Headline(NamedTuple):
    """Summary of one model in plain words; several figures each have a caption."""

    model: str
    figures: list[tuple[str, str]]
    sentence: str
    details: list[str]


def make_headlines(values: MeasuredValues) -> list[Headline]:
    """Return the summary of each model."""
    return [_Summary(values, model).make_headline() for model in values.models]


def format_headline(
    comparison: Comparison,
    model: Any,
    format_name: Callable[[Any], str] = format_name,
    *,
    with_plausibility: bool = True,
) -> str:
    """Return the sentence that sums up the discriminative risk of a model.

    Parameters
    ----------
    comparison : Comparison
    model : name of the model
    format_name : function that returns the name of an attribute as it is shown
    with_plausibility : whether to name implausible rows, if they are many or change DR much
    """
    summary = _Summary(MeasuredValues(comparison), model, format_name)
    return summary.make_sentence(with_plausibility=with_plausibility)


@dataclass(frozen=True, eq=False)
class _Summary:
    """Sentences about one model."""

    values: MeasuredValues
    model: Any
    format_name: Callable[[Any], str] = format_name

    @property
    def settings(self) -> dict[str, Any]:
        return self.values.comparison.settings

    @property
    def everything(self) -> Any:
        """Return the name of all attributes together, or that of a single attribute."""
        return self.values.attributes[-1]

    @cached_property
    def risk(self) -> Any:
        return self.get(DR)

    def get(self, measure: str) -> Any:
        return self.values.get_row(measure, self.model, self.everything)

    def make_headline(self) -> Headline:
        sentence = self.make_sentence()
        if is_unknown(self.risk):
            return Headline(str(self.model), [("–", "")], sentence, [])
        return Headline(str(self.model), self._get_figures(), sentence, list(self._iter_details()))

    def _get_figures(self) -> list[tuple[str, str]]:
        """Return DR, and beside it the risks that are very different."""
        beside = self._beside
        captions = [
            "as defined" if self._material else "",
            *(BESIDE_CAPTIONS[name] for name in beside),
        ]
        shown = (format_percent(one.value) for one in (self.risk, *beside.values()))
        return list(zip(shown, captions, strict=True))

    @cached_property
    def _material(self) -> list[str]:
        """Risks that differ much from DR for any model; all models show them, to be comparable."""
        models = [replace(self, model=model) for model in self.values.models]
        return [name for name in BESIDE_CAPTIONS if any(one._differs(name) for one in models)]

    def _differs(self, measure: str) -> bool:
        row = self.get(measure)
        if is_unknown(self.risk) or is_unknown(row):
            return False
        risk: float = self.risk.value
        return abs(row.value - risk) > MATERIAL_CHANGE * risk

    @cached_property
    def _beside(self) -> dict[str, Any]:
        """Risks with plausibility or couplings taken into account that stand beside DR."""
        rows = {name: self.get(name) for name in self._material}
        return {name: row for name, row in rows.items() if not is_unknown(row)}

    @cached_property
    def _implausible(self) -> Plausibility | None:
        """The implausible rows, if there are any and they matter for any model."""
        found = self.values.comparison.plausibility.get(self.model)
        if found is None or found.pairs.empty:
            return None
        shares = (
            self.values.get_row(IMPLAUSIBLE_SHARE, model, self.everything)
            for model in self.values.models
        )
        are_many = any(one is not None and one.value >= MATERIAL_SHARE for one in shares)
        return found if are_many or PLAUSIBLE_RISK in self._material else None

    def make_sentence(self, *, with_plausibility: bool = True) -> str:
        names = format_enumeration(map(self.format_name, self.values.names))
        if self.risk is None:
            return "Discriminative risk was not measured."
        if math.isnan(self.risk.value):
            return (
                f"The share of decisions that depend on {names} is unknown: "
                f"{self._explain_unknown()}."
            )
        share, interval = format_percent(self.risk.value), self._format_interval(self.risk)
        first = f"{share} of {self._describe_changes(names)}{interval}"
        more = "".join(f" {sentence}" for sentence in self._iter_context(with_plausibility))
        return "; ".join([first, *self._describe_missing()]) + f".{more}"

    def _describe_changes(self, names: str) -> str:
        """Return what DR is a share of; one person may have several decisions or perturbations."""
        average = f" ({self._averaging})" if self._averaging else ""
        if "people" in self.settings:
            people = format_count(self.settings["people"], "person", "people")
            change = f"the decisions about {people} would be different if only their"
        elif average:
            change = "decisions would be different if only people's"
        else:
            change = "people would get a different decision if only their"
        return f"{change} {names} were different{average}"

    @property
    def _averaging(self) -> str:
        breakdown = self.values.comparison.breakdown
        return "" if breakdown is None else breakdown.plan.averaging

    def _explain_unknown(self) -> str:
        if self._count_missing("not_perturbed") == self.settings.get("rows"):
            return "no row has a sensitive value"
        return "the predictions for perturbed rows were not given"

    def _describe_missing(self) -> list[str]:
        """Say how many rows missing values kept from being perturbed, fully or in part."""
        return describe_missing(*map(self._count_missing, ("not_perturbed", "partly_perturbed")))

    def _count_missing(self, key: str) -> int:
        return int(self.settings.get(key, {}).get(str(self.everything), 0))

    def _format_interval(self, row: Any) -> str:
        """Return the end of a sentence with the interval of a value; "" if there is none."""
        confidence = self.settings.get("confidence")
        if math.isnan(row.low) or confidence is None:
            return ""
        low, high = format_percent_ends(row.low, row.high)
        return f"; {100 * confidence:g} % interval {low} to {high}"

    def _iter_context(self, with_plausibility: bool) -> Iterator[str]:
        """Yield a sentence for spellings, and each risk beside DR, with the reason."""
        evidence = self.values.comparison.evidence
        spellings = describe_spellings(evidence, self.values.names, self.format_name)
        if spellings:
            yield spellings
        if with_plausibility and self._implausible is not None:
            implausible = self.get(IMPLAUSIBLE_SHARE).value
            pair = self._implausible.describe_pairs(1, self.format_name)
            yield (
                f"{format_percent(implausible)} of the perturbed rows have combinations rarely "
                f"or never seen in the data, such as {pair}; predictions for them may mean little."
            )
            plausible = self.get(PLAUSIBLE_RISK)
            if not is_unknown(plausible):
                rest = f"{format_percent(1 - implausible)} of the perturbed rows"
                risk = f"{format_percent(plausible.value)}{self._format_interval(plausible)}"
                yield f"Among the other rows ({rest}), DR is {risk}."
        if COUPLED_RISK in self._beside:
            coupled = self._beside[COUPLED_RISK]
            risk, interval = format_percent(coupled.value), self._format_interval(coupled)
            yield f"{risk} with the rules for {self._name_coupled()}{interval}."
        comparison = self.values.comparison
        hidden = comparison.describe_hidden_risk(self.model, self.format_name)
        zero = describe_zero_risk(comparison.get_risks(self.model), self.format_name)
        yield from filter(None, (hidden, zero))

    def _name_coupled(self) -> str:
        return format_enumeration(map(self.format_name, self.settings["coupled"]))

    # Below the sentence

    def _iter_details(self) -> Iterator[str]:
        alone = [(n, self.values.get_row(DR, self.model, n)) for n in self.values.names]
        known = [
            f"{self.format_name(name)} {format_percent(row.value)}"
            for name, row in alone
            if not is_unknown(row)
        ]
        if len(alone) > 1 and known:
            yield f"Each attribute alone: {', '.join(known)}."
        yield from self._iter_directions()
        yield from self._iter_plausible_details()
        yield from self._iter_most_affected()
        yield from (f"{note[0].upper()}{note[1:]}." for note in self.settings.get("notes", ()))

    def _iter_directions(self) -> Iterator[str]:
        directions = self.values.comparison.directions
        for row in iter_rows(directions, self.model, self.everything):
            if not math.isnan(row.loses):
                yield f"{_describe_directions(row.loses, row.gains, row.other)}."

    def _iter_plausible_details(self) -> Iterator[str]:
        implausible, coupled = self.get(IMPLAUSIBLE_SHARE), self.get(COUPLED_RISK)
        is_named = self._implausible is not None or is_unknown(implausible)
        if not is_named and implausible.value > 0:
            yield (
                f"{format_percent(implausible.value)} of the perturbed rows have combinations "
                "rarely or never seen in the data."
            )
        found = self.values.comparison.plausibility.get(self.model)
        if found is not None and found.pairs.empty:
            yield f"No implausible combination was found. {found.describe_power()}"
        elif found is not None and not found.has_power:
            yield found.describe_power()
        if self._implausible is not None:
            yield from iter_next_steps(self._implausible)
        if COUPLED_RISK not in self._beside and not is_unknown(coupled):
            yield (
                f"With the rules for {self._name_coupled()}, {format_percent(coupled.value)} of "
                f"decisions would be different{self._format_interval(coupled)}."
            )

    def _iter_most_affected(self) -> Iterator[str]:
        frame = self.values.comparison.by_group
        rows = iter_rows(frame, self.model, self.everything)
        groups = [row for row in rows if not math.isnan(row.risk)]
        # The rates of small groups are uncertain: a larger one is named, if there is any.
        large = [row for row in groups if row.rows >= MIN_GROUP_ROWS] or groups
        most = max(large, key=lambda row: (row.risk, row.rows), default=None)
        if most is not None and most.risk > 0:
            size = f" of at least {MIN_GROUP_ROWS} rows" if len(large) < len(groups) else ""
            # 0.3 - 0.2 - 0.1 is -3e-17, but no row changes to another unfavourable decision.
            other = round(most.risk - most.loses - most.gains, 9)
            yield (
                f"Most affected group{size}: {self.format_name(most.group)}, "
                f"{format_percent(most.risk)} of {format_count(most.rows, 'row')}"
                f"{self._describe_group_risk(most)}; "
                f"{_describe_directions(most.loses, most.gains, other)}."
            )

    def _describe_group_risk(self, group: Any) -> str:
        """Return the interval of the DR of a group, and its part of all changes."""
        rates = self.values.comparison.group_rates
        of_group = iter_rows(rates, self.model, self.everything)
        intervals = (
            self._format_interval(row).removeprefix("; ")
            for row in of_group
            if row.group == group.group and row.measure == DR
        )
        changes = f"{format_percent(group.share_of_changes)} of all changes"
        return f" ({'; '.join(filter(None, [next(intervals, ''), changes]))})"


def _describe_directions(loses: float, gains: float, other: float) -> str:
    """Return which shares of the decisions change in which direction.

    >>> _describe_directions(0.2, 0.1, 0.0)
    '20.0 % would lose the favourable decision, 10.0 % would gain it'
    """
    unfavorable = "would change to another unfavourable decision"
    more = f", {format_percent(other)} {unfavorable}" if other > 0 else ""
    return (
        f"{format_percent(loses)} would lose the favourable decision, {format_percent(gains)} "
        f"would gain it{more}"
    )
