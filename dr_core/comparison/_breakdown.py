"""Who carries the risk, and in which direction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from dr_core._utils import share
from dr_core.perturbation import MISSING, Scenario, SensitiveAttributes
from dr_core.risk import GroupSums

__all__ = ["Breakdown"]

GROUPS = ["model", "attribute", "group", "privileged", "rows", "share", "risk"]
GROUPS += ["loses", "gains", "carries"]
DIRECTIONS = ["model", "attribute", "loses", "gains", "other"]


@dataclass(frozen=True, eq=False)
class Breakdown:
    """Sums of each group, told when somebody asks: no feature of any row.

    Attributes
    ----------
    attributes : SensitiveAttributes
    scenarios : which attributes are perturbed, by name
    sums : GroupSums for each model and each scenario whose perturbed predictions are known

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

    attributes: SensitiveAttributes
    scenarios: dict[Any, Scenario]
    sums: Mapping[str, Mapping[Any, GroupSums]]

    @cached_property
    def by_group(self) -> pd.DataFrame:
        """One row for each model, each attribute and each of its values.

        Of all attributes together, the groups are the combinations of values that occur. Columns:
        whether it is `privileged` (None where a value is missing), its `rows`, its `share` of
        them all, its `risk`, the part of it that `loses` or `gains` the favourable class, and the
        part of all changes that it `carries`.
        """
        return pd.DataFrame(self._group_rows(), columns=GROUPS)

    @cached_property
    def directions(self) -> pd.DataFrame:
        """Share of rows that lose or gain the favourable class, or change among `other` ones."""
        return pd.DataFrame(self._direction_rows(), columns=DIRECTIONS)

    def _each(self) -> Iterator[tuple[str, Any, GroupSums]]:
        for model, of_model in self.sums.items():
            for scenario in self.scenarios:
                if scenario in of_model:
                    yield model, scenario, of_model[scenario]

    def _direction_rows(self) -> Iterator[tuple[Any, ...]]:
        for model, scenario, found in self._each():
            _, weight, risk, loses, gains = found.totals
            shares = (share(part, weight) for part in (loses, gains, risk - loses - gains))
            yield model, scenario, *shares

    def _group_rows(self) -> Iterator[tuple[Any, ...]]:
        for model, scenario, found in self._each():
            _, all_weight, all_risk, *_ = found.totals
            for codes, (rows, weight, risk, loses, gains) in sorted(found.sums.items()):
                name, privileged = self._group(self.scenarios[scenario], codes)
                means = (share(part, weight) for part in (risk, loses, gains))
                carries = share(risk, all_risk) if all_risk else 0.0
                size = rows, share(weight, all_weight)
                yield model, scenario, name, privileged, *size, *means, carries

    def _group(self, active: Scenario, codes: tuple[int, ...]) -> tuple[str, bool | None]:
        """Name of a group, and whether it is privileged; None where a value is missing."""
        attributes = [self.attributes.attributes[j] for j in active]
        pairs = list(zip(attributes, codes, strict=True))
        name = ", ".join(str(a.values[code]) if code >= 0 else MISSING for a, code in pairs)
        if min(codes) < 0:
            return name, None
        return name, all(bool(a.is_privileged[code]) for a, code in pairs)
