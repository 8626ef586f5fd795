"""Content of the report, section by section, made from a `Comparison`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dr_core.report._directions import make_direction_table, make_flows, make_group_table
from dr_core.report._drawings import ReportTable
from dr_core.report._evidence import make_data_quality_table, make_verdict_table
from dr_core.report._facts import collect_facts
from dr_core.report._groups import make_impact_tables, make_rate_table
from dr_core.report._headline import Headline, make_headlines
from dr_core.report._individuals import make_individual_tables
from dr_core.report._measures import make_gap_table, make_other_table, make_performance_table
from dr_core.report._plausible import PlausibleSection, make_plausible_section
from dr_core.report._plots import Flow
from dr_core.report._untested import iter_untested
from dr_core.report._values import MeasuredValues
from dr_core.report._votes import VoteSection, make_vote_section
from dr_core.report._words import DECISION_TEXTS, PageTexts, describe_perturbation

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["Sections"]


@dataclass(frozen=True, eq=False)
class Sections:
    """Content of the report, section by section; None or [] for a section that is left out."""

    comparison: Comparison
    texts: PageTexts = DECISION_TEXTS

    @cached_property
    def values(self) -> MeasuredValues:
        """Values by measure, model and attribute."""
        return MeasuredValues(self.comparison)

    @property
    def models(self) -> list[Any]:
        """Names of the models."""
        return self.values.models

    def facts(self, given: Mapping[str, str]) -> dict[str, str]:
        """Facts about the audit, those given by the caller first."""
        return collect_facts(self.comparison.settings, given)

    def headlines(self) -> list[Headline]:
        """Summary of each model."""
        return make_headlines(self.values)

    def verdict(self) -> ReportTable | None:
        """Table of limits and whether they are kept."""
        return make_verdict_table(self.comparison.evidence)

    def rates(self) -> ReportTable | None:
        """Table of the rates of all groups."""
        return make_rate_table(self.values)

    def impact(self) -> list[ReportTable]:
        """Tables of impact ratios as in Local Law 144, if asked for."""
        return make_impact_tables(self.comparison)

    def gaps(self) -> list[ReportTable]:
        """Tables of the signed gaps, and of the fairness measures without a sign."""
        tables = make_gap_table(self.values), make_other_table(self.values)
        return [table for table in tables if table is not None]

    def flows(self) -> list[Flow]:
        """Pictures of decisions before and after, one for each model."""
        return make_flows(self.values)

    def directions(self) -> ReportTable | None:
        """Table of the risk of each attribute alone and of all together, by direction."""
        return make_direction_table(self.values)

    def groups(self) -> list[ReportTable]:
        """Table of the groups most affected."""
        table = make_group_table(self.values)
        return [] if table is None else [table]

    def plausible(self) -> PlausibleSection | None:
        """Section on implausible perturbed rows and coupled columns."""
        return make_plausible_section(self.values)

    def individuals(self) -> list[ReportTable]:
        """Tables of individuals whose decision may change, one for each model."""
        return make_individual_tables(self.comparison.individuals)

    def performance(self) -> ReportTable | None:
        """Table of the performance measures."""
        return make_performance_table(self.values)

    def untested(self) -> list[str]:
        """What the audit leaves open."""
        return list(iter_untested(self.comparison.settings, self.comparison.evidence))

    def meaning(self) -> list[str]:
        """How to read the numbers."""
        return describe_perturbation(self.texts, self.comparison.settings)

    def data_quality(self) -> ReportTable | None:
        """Table of what in the data can make the audit misleading; None if not checked."""
        return make_data_quality_table(self.comparison.evidence)

    def ensembles(self) -> list[VoteSection]:
        """Bounds and pruning of the models that are ensembles."""
        everything = str(self.comparison.values["attribute"].iloc[-1])
        n_left_out = self.comparison.settings.get("not_perturbed", {}).get(everything, 0)
        return [
            make_vote_section(name, found, n_left_out=n_left_out)
            for name, found in self.comparison.ensembles.items()
        ]
