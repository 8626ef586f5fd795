"""Results by group: tallies; discriminative risk and its direction; labels and decisions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dr_core._utils import Array, MeanSample, clopper_pearson, compute_ratio_interval, share
from dr_core.metrics import DR, Tally, tally_predictions, tally_profiles
from dr_core.perturbation import PerturbationPlan, Scenario
from dr_core.risk import (
    Changes,
    GroupSums,
    PerScenario,
    describe_group,
    make_group_sample,
)

__all__ = ["IMPACT_RATIO", "Breakdown", "GroupRates", "GroupsFold", "RatesFold", "tally_changes"]

IMPACT_RATIO = "impact_ratio"

RATES = {
    "base_rate": ("favorable", "weight"),
    "selection_rate": ("selected", "weight"),
    "true_positive_rate": ("selected_favorable", "favorable"),
    "false_positive_rate": ("selected_unfavorable", "unfavorable"),
}
"""Sums that each rate is the quotient of."""

MIN_REFERENCE_SHARE = 0.02
"""Impact ratios are relative to the most selected group with at least this share of the rows."""

RATE_COLUMNS = ["model", "attribute", "group", "privileged", "rows", "share"]
RATE_COLUMNS += ["measure", "value", "low", "high", "reference"]

GROUP_COLUMNS = ["model", "attribute", "group", "privileged", "rows", "share", "risk"]
GROUP_COLUMNS += ["loses", "gains", "share_of_changes"]
DIRECTION_COLUMNS = ["model", "attribute", "loses", "gains", "other"]


def tally_changes(changes: Changes) -> PerScenario:
    """Tally the rows of a chunk in each scenario; a fold."""
    return PerScenario(_tally(changes, s) for s in range(len(changes.plan.scenarios)))


def _tally(changes: Changes, s: int) -> Tally:
    rows = changes.groups[s], changes.y
    how: Any = (changes.predictor.classes or [], changes.weights, changes.person)
    if changes.is_randomized:
        return tally_profiles(*rows, None, changes.get_joint_profiles(s), *how)
    certain = changes.get_certain(s)
    if certain is None:
        return tally_profiles(*rows, changes.before, changes.get_profiles(s), *how)
    return tally_predictions(*rows, changes.before, certain, *how)


@dataclass(frozen=True)
class GroupsFold:
    """The fold that sums risk, losses and gains by group, for each scenario."""

    favorable: int

    def __call__(self, changes: Changes) -> PerScenario:
        """Add up the rows of a chunk."""
        both = map(changes.expect, changes.get_exits_and_entries(self.favorable))
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
        """One row for each model, each attribute and each of its values, or side of its range.

        For all attributes together, the groups are the combinations of values that occur.
        Columns: whether the group is `privileged` (None where a value is missing), its `rows`,
        its `share` of all rows, its `risk`, the share of it that `loses` or `gains` the
        favourable class (these are NaN for a group without a value to perturb), and its share of
        all changes, `share_of_changes`.
        """
        return pd.DataFrame(self._iter_groups(), columns=GROUP_COLUMNS)

    @cached_property
    def directions(self) -> pd.DataFrame:
        """Share of perturbed rows that lose or gain the favourable class, or change to `other`."""
        return pd.DataFrame(self._iter_directions(), columns=DIRECTION_COLUMNS)

    def get_perturbed_weights(self, model: Any) -> dict[Any, int]:
        """Return the weight of the rows that each scenario of a model perturbs, by its name."""
        return {
            scenario.name: sums.perturbed.total("weight")
            for scenario, sums in self.sums.get(model, {}).items()
        }

    def _iter_sums(self) -> Iterator[tuple[str, Scenario, GroupSums]]:
        for model, by_scenario in self.sums.items():
            for scenario, sums in by_scenario.items():
                yield model, scenario, sums

    def _iter_directions(self) -> Iterator[tuple[Any, ...]]:
        for model, scenario, sums in self._iter_sums():
            columns = "weight", "risk", "loses", "gains"
            weight, risk, loses, gains = map(sums.perturbed.total, columns)
            shares = (share(part, weight) for part in (loses, gains, risk - loses - gains))
            yield model, scenario.name, *shares

    def _iter_groups(self) -> Iterator[tuple[Any, ...]]:
        for model, scenario, sums in self._iter_sums():
            all_weight, all_risk = sums.total("weight"), sums.total("risk")
            perturbed = sums.perturbed
            for codes, (rows, weight, risk, *_) in sorted(sums.sums.items()):
                name, privileged = describe_group(self.plan, scenario, codes)
                means = (perturbed.mean(column, [codes]) for column in ("risk", "loses", "gains"))
                of_changes = share(risk, all_risk) if all_risk else 0.0
                size = rows, share(weight, all_weight)
                yield model, scenario.name, name, privileged, *size, *means, of_changes


@dataclass(frozen=True)
class RatesFold:
    """The fold that sums labels and decisions by group, all attributes together."""

    favorable: int

    def __call__(self, changes: Changes) -> GroupSums:
        """Add up the rows of a chunk."""
        before = changes.before
        is_selected = (
            before[:, self.favorable] if changes.is_randomized else before == self.favorable
        )
        is_favorable = np.asarray(changes.y == self.favorable)
        selected = np.asarray(is_selected)
        return GroupSums.of(
            changes.codes_of(changes.plan.find_scenario(-1, kind=0)),
            changes.weights,
            favorable=is_favorable,
            unfavorable=~is_favorable,
            selected=selected,
            selected_favorable=selected * is_favorable,
            selected_unfavorable=selected * ~is_favorable,
        )


@dataclass(frozen=True, eq=False)
class GroupRates:
    """Rates of each group of each model.

    Attributes
    ----------
    breakdown : Breakdown
        Its groups, and their discriminative risk.
    sums : result of `RatesFold` for each model
    ranges : RangeSums of each range, for each scenario of each model; empty without ranges
    confidence : of the intervals; None for none
    """

    breakdown: Breakdown
    sums: Mapping[str, GroupSums]
    ranges: Mapping[str, PerScenario]
    confidence: float | None

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row for each rate of each group."""
        rows = []
        for (model, attribute), groups in self.breakdown.by_group.groupby(
            ["model", "attribute"], sort=False
        ):
            by_name = _sum_by_name(self.breakdown.plan, self.sums[model], attribute)
            samples = self._sample_risks(model, attribute)
            rates = list(_iter_rates(groups, by_name, samples, self.confidence))
            rows += [{"model": model, "attribute": attribute} | row for row in rates]
        frame = pd.DataFrame(rows, columns=RATE_COLUMNS)
        return frame.astype({"reference": object}).replace({"reference": {math.nan: None}})

    def _sample_risks(self, model: str, attribute: Any) -> dict[str, MeanSample]:
        """Return the discriminative risk of each group of one attribute, by its name."""
        plan, ranges = self.breakdown.plan, self.ranges[model]
        names = [scenario.name for scenario in plan.scenarios]
        s = names.index(attribute)
        scenario = plan.scenarios[s]
        sums = self.breakdown.sums[model][scenario]
        of_scenario = ranges[s] if ranges else ()
        return {
            describe_group(plan, scenario, codes)[0]: make_group_sample(sums, [codes], of_scenario)
            for codes in sums.sums
        }


def _sum_by_name(
    plan: PerturbationPlan, sums: GroupSums, attribute: Any
) -> dict[str, dict[str, int]]:
    """Return the sums of the groups of one attribute, or of all together, by name."""
    scenario = next(one for one in plan.scenarios if one.name == attribute)
    every = plan.scenarios[plan.find_scenario(-1, kind=0)]
    places = [every.active.index(j) for j in scenario.active]
    members: dict[str, list[tuple[int, ...]]] = {}
    for codes in sums.sums:
        own = tuple(codes[place] for place in places)
        members.setdefault(describe_group(plan, scenario, own)[0], []).append(codes)
    return {
        name: {column: sums.total(column, groups) for column in sums.columns}
        for name, groups in members.items()
    }


def _iter_rates(
    groups: pd.DataFrame,
    sums: Mapping[str, Mapping[str, int]],
    risks: Mapping[str, MeanSample],
    confidence: float | None,
) -> Iterator[dict[str, Any]]:
    reference = _find_reference(groups, sums)
    for row in groups.itertuples():
        own = sums[row.group]
        group = {name: getattr(row, name) for name in ("group", "privileged", "rows", "share")}
        for measure, (part, whole) in RATES.items():
            n = own["rows"] * share(own[whole], own["weight"])
            value = share(own[part], own[whole])
            yield group | _make_value(measure, MeanSample.of_rows(value, n), confidence)
        yield group | _make_value(DR, risks[row.group], confidence)
        of = None if reference is None or row.privileged is None else sums[reference]
        ratio = _make_ratio(own, of, confidence)
        yield group | ratio | {"reference": reference}


def _find_reference(groups: pd.DataFrame, sums: Mapping[str, Mapping[str, int]]) -> str | None:
    """Return the most selected group with at least 2 % of the rows; None if none is selected.

    A group that lacks a sensitive value is no reference.
    """
    is_large = groups["share"] >= MIN_REFERENCE_SHARE
    large = groups.loc[is_large & groups["privileged"].notna(), "group"]
    rates = {name: _get_selection(sums[name]) for name in large if sums[name]["weight"]}
    most = max(rates, key=lambda name: rates[name], default=None)
    return most if most is not None and rates[most] else None


def _get_selection(sums: Mapping[str, int]) -> float:
    return share(sums["selected"], sums["weight"])


def _make_value(measure: str, sample: MeanSample, confidence: float | None) -> dict[str, Any]:
    low, high = (math.nan, math.nan) if confidence is None else sample.interval(confidence)[:2]
    return {"measure": measure, "value": sample.mean, "low": low, "high": high}


def _make_ratio(
    own: Mapping[str, int], reference: Mapping[str, int] | None, confidence: float | None
) -> dict[str, Any]:
    """Return the impact ratio; that of the reference group is 1 and has no interval.

    Without a reference, or for a group that lacks a sensitive value, it is NaN.
    """
    value = {"measure": IMPACT_RATIO, "value": math.nan, "low": math.nan, "high": math.nan}
    if reference is None:
        return value
    p, q = _get_selection(own), _get_selection(reference)
    value["value"] = p / q
    if confidence is None or math.isnan(p) or own is reference:
        return value
    of_one, of_other = (
        clopper_pearson(rate, sums["rows"], confidence)
        for rate, sums in ((p, own), (q, reference))
    )
    low, high = compute_ratio_interval(p, of_one, q, of_other)
    return value | {"low": low, "high": high}
