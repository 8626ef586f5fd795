"""Who carries the risk, and in which direction: by group, and by individual."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dr_core.attributes import MARGINALISED, PRIVILEGED, SensitiveAttributes
from dr_core.audit import Audit, Changes, Judged
from dr_core.encoding import Array
from dr_core.metrics import ratio
from dr_core.perturbation import Scenario

__all__ = ["Breakdown", "Individuals", "concerned", "gather"]

GROUPS = ["model", "attribute", "group", "privileged", "rows", "share", "risk"]
GROUPS += ["loses", "gains", "carries"]
DIRECTIONS = ["model", "attribute", "loses", "gains", "other"]

MISSING = "(missing)"
"""How a group of rows whose sensitive value is missing is called."""


@dataclass(frozen=True, eq=False)
class Breakdown:
    """What is known of each row, to be summed up by group when somebody asks.

    Attributes
    ----------
    attributes : SensitiveAttributes
    scenarios : which attributes are perturbed, by name
    codes : (attributes, n) sensitive values of the rows
    groups : (n,) marginalised, privileged or neither, for each scenario
    weights : (n,) weights of the rows
    changes : Changes for each model and each scenario
    """

    attributes: SensitiveAttributes
    scenarios: dict[Any, Scenario]
    codes: Array
    groups: dict[Any, Array]
    weights: Array
    changes: dict[str, dict[Any, Changes]]

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

    def _each(self) -> Iterator[tuple[str, Any, Changes]]:
        for model, changes in self.changes.items():
            for scenario in self.scenarios:
                if scenario in changes:
                    yield model, scenario, changes[scenario]

    def _direction_rows(self) -> Iterator[tuple[Any, ...]]:
        for model, scenario, changes in self._each():
            risk, loses, gains = (np.asarray(values, float) for values in changes)
            shares = (self._mean(values) for values in (loses, gains, risk - loses - gains))
            yield model, scenario, *shares

    def _mean(self, values: Array) -> float:
        return float(np.average(values, weights=self.weights))

    def _group_rows(self) -> Iterator[tuple[Any, ...]]:
        cells = {scenario: self._cells(scenario) for scenario in self.scenarios}
        for model, scenario, changes in self._each():
            names, privileged, position = cells[scenario]
            rows = np.bincount(position)
            weight = np.bincount(position, self.weights)
            moved = [np.bincount(position, self.weights * values) for values in changes]
            risk, loses, gains = (ratio(part, weight) for part in moved)
            share, carries = (part / (part.sum() or 1.0) for part in (weight, moved[0]))
            columns = (rows, share, risk, loses, gains, carries)
            yield from zip(
                [model] * len(names),
                [scenario] * len(names),
                names,
                privileged,
                *(column.tolist() for column in columns),
                strict=True,
            )

    def _cells(self, scenario: Any) -> tuple[list[str], list[bool | None], Array]:
        """Names of the groups, whether each is privileged, and the group of each row."""
        position = np.zeros(self.codes.shape[1], dtype=np.intp)
        active = self.scenarios[scenario]
        for codes in self.codes[list(active)].astype(np.intp):
            position, _ = pd.factorize(position * (codes.max() + 2) + codes + 1, sort=True)
        first = np.unique(position, return_index=True)[1]
        names = [self._name(active, codes) for codes in self.codes[:, first].T]
        is_privileged = {PRIVILEGED: True, MARGINALISED: False}
        groups = self.groups[scenario][first].tolist()
        return names, [is_privileged.get(group) for group in groups], position

    def _name(self, active: Scenario, codes: Array) -> str:
        return ", ".join(
            str(self.attributes.attributes[j].values[codes[j]]) if codes[j] >= 0 else MISSING
            for j in active
        )


def gather(audit: Audit, judged: Mapping[str, Judged]) -> Breakdown:
    """Keep what a breakdown needs of an audit: no feature of any row.

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
    return Breakdown(
        audit.plan.attributes,
        audit.plan.scenarios,
        audit.codes,
        audit.groups,
        audit.weights,
        {name: of_model.changes for name, of_model in judged.items()},
    )


@dataclass(frozen=True, eq=False)
class Individuals:
    """Some of the people whose decision may change: personal data.

    Attributes
    ----------
    rows : (k,) their positions in X
    predictions : list of what they are predicted to be
    risks : (k,) how likely the prediction is to change, all attributes perturbed
    features : DataFrame of k rows, the sensitive columns first
    n_sensitive : how many columns these are
    n_concerned : how many there are in all
    """

    rows: Array
    predictions: list[Any]
    risks: Array
    features: pd.DataFrame
    n_sensitive: int
    n_concerned: int


def concerned(audit: Audit, judged: Judged, most: int) -> Individuals:
    """Up to `most` rows whose prediction may change, most at risk first."""
    scenario = list(audit.plan.scenarios)[-1]
    changes = judged.changes.get(scenario)
    risks = np.zeros(audit.table.n_rows) if changes is None else np.asarray(changes.risk, float)
    n_concerned = int(np.count_nonzero(risks))
    rows = np.argsort(-risks, kind="stable")[: min(most, n_concerned)]
    sensitive = [c for a in audit.plan.attributes for c in a.columns or (a.name,)]
    return Individuals(
        rows,
        [audit.classes[code] for code in judged.predictions[rows]],
        risks[rows],
        _features(audit, rows, sensitive),
        len(sensitive),
        n_concerned,
    )


def _features(audit: Audit, rows: Array, sensitive: list[Any]) -> pd.DataFrame:
    others = [key for key in audit.table.keys() if key not in sensitive]  # noqa: SIM118
    taken = audit.table.take(rows)
    return pd.DataFrame({key: list(taken.column(key)) for key in [*sensitive, *others]})
