"""Discriminative risk by group and by direction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from dr_core._utils import Array, share, shorten_float
from dr_core.perturbation import MISSING_LABEL, NEITHER, PRIVILEGED, PerturbationPlan, Scenario
from dr_core.risk import Changes, GroupSums, PerScenario

__all__ = ["Breakdown", "GroupsFold", "count_rows_by_missing", "find_perturbed_groups"]

GROUP_COLUMNS = ["model", "attribute", "group", "privileged", "rows", "share", "risk"]
GROUP_COLUMNS += ["loses", "gains", "carries"]
DIRECTION_COLUMNS = ["model", "attribute", "loses", "gains", "other"]


def find_perturbed_groups(sums: GroupSums) -> list[tuple[int, ...]]:
    """Return the groups that were perturbed: those with a value in at least one attribute."""
    return [codes for codes in sums.sums if max(codes) >= 0]


def count_rows_by_missing(sums: GroupSums) -> tuple[int, int]:
    """Return the number of rows without any value to perturb, and of those that lack some."""
    perturbed = find_perturbed_groups(sums)
    partly = [codes for codes in perturbed if min(codes) < 0]
    return sums.total("rows") - sums.total("rows", perturbed), sums.total("rows", partly)


@dataclass(frozen=True)
class GroupsFold:
    """The fold that sums risk, losses and gains by group, for each scenario."""

    favorable: int

    def __call__(self, changes: Changes) -> PerScenario:
        """Add up the rows of a chunk."""
        both = map(changes.expect, changes.get_losses_and_gains(self.favorable))
        values = zip(changes.risk, *both, strict=True)
        return PerScenario(
            self._add_up(changes, s, *of_scenario) for s, of_scenario in enumerate(values)
        )

    def _add_up(
        self, changes: Changes, s: int, risk: Array, loses: Array, gains: Array
    ) -> GroupSums:
        values = {"risk": risk, "loses": loses, "gains": gains}
        if not changes.is_known(s):
            return GroupSums(("rows", "weight", *values), {})
        return GroupSums.of(changes.codes_of(s), changes.weights, **values)


@dataclass(frozen=True, eq=False)
class Breakdown:
    """Sums by group, without any feature of single rows.

    Attributes
    ----------
    plan : PerturbationPlan
    sums : for each model, GroupSums of each scenario whose perturbed predictions are known

    Examples
    --------
    >>> from dr_core import compare
    >>> X = pd.DataFrame({"sex": ["Male", "Male", "Female", "Female"], "age": [25, 35, 35, 45]})
    >>> hires = lambda X: X["age"] > X["sex"].map({"Male": 30, "Female": 40})
    >>> y, measures = [0, 1, 1, 1], ["discriminative_risk"]
    >>> comparison = compare({"rule": hires}, X, y, {"sex": "Male"}, measures=measures)
    >>> comparison.by_group[["group", "privileged", "rows", "risk", "loses", "gains"]]
        group  privileged  rows  risk  loses  gains
    0  Female       False     2   0.5    0.0    0.5
    1    Male        True     2   0.5    0.5    0.0
    """

    plan: PerturbationPlan
    sums: Mapping[str, Mapping[Scenario, GroupSums]]

    @cached_property
    def by_group(self) -> pd.DataFrame:
        """One row for each model, each attribute and each of its values.

        For all attributes together, the groups are the combinations of values that occur.
        Columns: whether the group is `privileged` (None where a value is missing), its `rows`,
        its `share` of all rows, its `risk`, the share of it that `loses` or `gains` the
        favourable class, and its share of all changes, `carries`.
        """
        return pd.DataFrame(self._iter_groups(), columns=GROUP_COLUMNS)

    @cached_property
    def directions(self) -> pd.DataFrame:
        """Share of rows that lose or gain the favourable class, or change among `other` ones."""
        return pd.DataFrame(self._iter_directions(), columns=DIRECTION_COLUMNS)

    def _iter_sums(self) -> Iterator[tuple[str, Scenario, GroupSums]]:
        for model, by_scenario in self.sums.items():
            for scenario, sums in by_scenario.items():
                yield model, scenario, sums

    def _iter_directions(self) -> Iterator[tuple[Any, ...]]:
        for model, scenario, sums in self._iter_sums():
            weight, risk, loses, gains = map(sums.total, ("weight", "risk", "loses", "gains"))
            shares = (share(part, weight) for part in (loses, gains, risk - loses - gains))
            yield model, scenario.name, *shares

    def _iter_groups(self) -> Iterator[tuple[Any, ...]]:
        for model, scenario, sums in self._iter_sums():
            all_weight, all_risk = sums.total("weight"), sums.total("risk")
            for codes, (rows, weight, risk, loses, gains) in sorted(sums.sums.items()):
                name, privileged = self.describe(scenario, codes)
                means = (share(part, weight) for part in (risk, loses, gains))
                carries = share(risk, all_risk) if all_risk else 0.0
                size = rows, share(weight, all_weight)
                yield model, scenario.name, name, privileged, *size, *means, carries

    def describe(self, scenario: Scenario, codes: tuple[int, ...]) -> tuple[str, bool | None]:
        """Return the name of a group, and whether it is privileged (None if unknown)."""
        attributes = self.plan.attributes
        values = (
            str(shorten_float(attributes.attributes[j].values[code]))
            if code >= 0
            else MISSING_LABEL
            for j, code in zip(scenario.active, codes, strict=True)
        )
        group = attributes.group_of(codes, scenario.active)
        return ", ".join(values), None if group == NEITHER else group == PRIVILEGED
