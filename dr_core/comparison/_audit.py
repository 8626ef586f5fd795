"""The rows that models are judged on, and the tally of each model on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np

from dr_core._tables import Table, encode, factorize
from dr_core._utils import Array, check_column, listed, round_probability
from dr_core.comparison._individuals import Individuals, concerned
from dr_core.metrics import Tally, tally_predictions, tally_profiles
from dr_core.perturbation import ALL, CodedRows
from dr_core.risk import (
    Changes,
    CheckedRows,
    GroupSums,
    PairCheck,
    Plan,
    PlausibilityTally,
    Predictions,
    Response,
    predictor,
    responses,
)

__all__ = ["Audit", "Judged"]


@dataclass(frozen=True, eq=False)
class Judged:
    """What one model did on rows of an audit; what it did on parts of them adds up.

    Attributes
    ----------
    tallies : Tally for each name in the plan's scenarios
    carried : GroupSums for each name whose perturbed predictions are known
    individuals : some of those concerned
    plausibility : which of the perturbed rows could exist, where asked for
    coupled : the same where other columns follow the attributes; None where none does
    """

    tallies: dict[Any, Tally]
    carried: dict[Any, GroupSums]
    individuals: Individuals
    plausibility: PlausibilityTally | None = None
    coupled: Judged | None = None

    def __add__(self, other: Judged) -> Judged:
        return Judged(
            {name: tally + other.tallies[name] for name, tally in self.tallies.items()},
            {name: sums + other.carried[name] for name, sums in self.carried.items()},
            self.individuals + other.individuals,
            _added(self.plausibility, other.plausibility),
            _added(self.coupled, other.coupled),
        )


@dataclass(frozen=True, eq=False)
class Audit:
    """The rows that models are judged on.

    Parameters
    ----------
    table : Table
    plan : Plan
        How the rows are perturbed.
    classes : list
        All class labels, sorted.
    y : (n,) true labels
    sample_weight : (n,) or None
    start : position of the first row, where the rows are a part of more
    pair_check : PairCheck, or None
        What makes perturbed rows implausible; without it they are not checked.
    """

    table: Table
    plan: Plan
    classes: list[Any]
    y: Array
    sample_weight: Array | None = None
    start: int = 0
    pair_check: PairCheck | None = None

    @cached_property
    def labels(self) -> Array:
        """Positions of the true labels in the classes."""
        return self._encode(self.y, "y")

    @cached_property
    def codes(self) -> Array:
        """Sensitive values of the rows, shape (attributes, n)."""
        return self.plan.attributes.encode(self.table)

    @cached_property
    def groups(self) -> dict[Any, Array]:
        """Group of each row, for each attribute and for all of them together."""
        return {
            name: self.plan.attributes.groups(self.codes, active)
            for name, active in self.plan.scenarios.items()
        }

    def judge(
        self, name: str, model: Any, favorable: int, *, individuals: int = 0, **options: Any
    ) -> Judged:
        """Let a model predict, or take its predictions as given, and tally them.

        Parameters
        ----------
        name : what errors call the model
        model : fitted model, callable or Predictions
        favorable : position of the favourable class
        individuals : how many of those concerned to keep
        **options : for `responses`; its `plan` has the random numbers of this model
        """
        if isinstance(model, Predictions):
            return self._judge_given(name, model, favorable, individuals)
        what = f"the predictions of model {name!r}"
        options = {"plan": self.plan} | options
        answers = responses(predictor(model), self.table, apart=True, **options)
        parts = (self._judge_both(answer, what, favorable, individuals) for answer in answers)
        return reduce(add, parts)

    @cached_property
    def _checked(self) -> tuple[CheckedRows | None, CheckedRows | None]:
        """Rows ready to be checked, as defined and with coupled columns."""
        if self.pair_check is None:
            return None, None
        rows = CodedRows.of(self.table, self.plan.attributes)
        return self.pair_check.over(rows.uncoupled), self.pair_check.over(rows)

    def _judge_both(self, answer: Response, what: str, favorable: int, individuals: int) -> Judged:
        """As defined and, where columns are coupled, with these."""
        as_defined, followed = self._checked
        judged = self._judge(answer, what, favorable, individuals, as_defined)
        if answer.coupled is None:
            return judged
        coupled = self._judge(answer.with_couplings, what, favorable, 0, followed)
        return replace(judged, coupled=coupled)

    def _encode(self, values: Array, what: str) -> Array:
        return encode(factorize(values), self.classes, what)

    def _judge(
        self,
        answer: Response,
        what: str,
        favorable: int,
        individuals: int,
        checked: CheckedRows | None,
    ) -> Judged:
        f = self._encode(answer.predictions, what)
        perturbed = self._encode(answer.perturbed, what)
        profiles = {
            name: _profiles(answer, f, perturbed, len(self.classes), s)
            for s, name in enumerate(self.plan.scenarios)
        }
        tallies = {
            name: tally_profiles(
                *self._cells(name, answer.rows), f, of_rows, *self._weigh(answer.rows)
            )
            for name, of_rows in profiles.items()
        }
        changes = {name: _changes(f, of_rows, favorable) for name, of_rows in profiles.items()}
        judged = self._judged(tallies, changes, f, answer.rows, individuals)
        if checked is None:
            return judged
        moved = f[answer.variants.rows] != perturbed
        weights = self._weigh(answer.rows)[1]
        found = checked.tally(answer.rows, answer.variants, moved, weights)
        return replace(judged, plausibility=found)

    def _cells(self, name: Any, rows: slice) -> tuple[Array, Array]:
        return self.groups[name][rows], self.labels[rows]

    def _weigh(self, rows: slice) -> tuple[list[Any], Array | None]:
        weights = None if self.sample_weight is None else self.sample_weight[rows]
        return self.classes, weights

    def _judged(
        self,
        tallies: dict[Any, Tally],
        changes: dict[Any, Changes],
        f: Array,
        rows: slice,
        individuals: int,
    ) -> Judged:
        carried = {
            name: GroupSums.of(
                self.codes[list(self.plan.scenarios[name]), rows], self._weigh(rows)[1], found
            )
            for name, found in changes.items()
        }
        last = changes.get(list(self.plan.scenarios)[-1])
        risks = np.zeros(len(f)) if last is None else np.asarray(last.risk, float)
        sensitive = self.plan.attributes.columns
        some = concerned(
            self.table.take(rows),
            risks,
            lambda chosen: [self.classes[code] for code in f[chosen]],
            sensitive,
            individuals,
            self.start + rows.start,
        )
        return Judged(tallies, carried, some)

    def _judge_given(
        self, name: str, model: Predictions, favorable: int, individuals: int
    ) -> Judged:
        f = self._given(model.y_pred, f"y_pred of {name!r}")
        known = {
            scenario: self._given(values, f"y_pred_perturbed of {name!r}")
            for scenario, values in self._perturbed_by_name(name, model).items()
        }
        rows = slice(0, len(f))
        tallies = {
            scenario: tally_predictions(
                *self._cells(scenario, rows), f, known.get(scenario, f), *self._weigh(rows)
            )
            for scenario in self.plan.scenarios
        }
        changes = {
            scenario: _sure_changes(f, perturbed, favorable)
            for scenario, perturbed in known.items()
        }
        return self._judged(tallies, changes, f, rows, individuals)

    def _given(self, values: Any, what: str) -> Array:
        return self._encode(check_column(what, values, self.table.n_rows), what)

    def _perturbed_by_name(self, name: str, model: Predictions) -> dict[Any, Any]:
        given, scenarios = model.y_pred_perturbed, list(self.plan.scenarios)
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            return {scenarios[-1]: given}
        if len(scenarios) == 1:  # a single attribute is all of them
            given = {scenarios[0] if key == ALL else key: values for key, values in given.items()}
        unknown = [key for key in given if key not in scenarios]
        if unknown:
            raise ValueError(
                f"y_pred_perturbed of {name!r} has {listed(unknown)}; its keys must be among "
                f"{listed(scenarios)}, where {ALL!r} is all attributes perturbed together."
            )
        return dict(given)


def _added(one: Any, other: Any) -> Any:
    return None if one is None else one + other


def _profiles(answer: Response, f: Array, perturbed: Array, n_classes: int, s: int) -> Array:
    """Distribution of f(x̃) over the classes for each row, shape (n, C), in scenario s."""
    n, variants = len(f), answer.variants
    cell = variants.rows * n_classes + perturbed
    mass = np.bincount(cell, variants.probability[:, s], n * n_classes).reshape(n, n_classes)
    stays = np.zeros((n, n_classes))
    stays[np.arange(n), f] = variants.stay_probability(n)[s]
    # Added, not in place: of no variants at all NumPy counts whole numbers.
    return mass + stays


def _changes(f: Array, profiles: Array, favorable: int) -> Changes:
    moved = profiles.copy()
    moved[np.arange(len(f)), f] = 0
    # Rounded, so that a row that changes in every case has risk 1, not 0.9999999999999999.
    risk, gains = round_probability(moved.sum(axis=1)), round_probability(moved[:, favorable])
    return Changes(risk, np.where(f == favorable, risk, 0.0), gains)


def _sure_changes(f: Array, perturbed: Array, favorable: int) -> Changes:
    changed = f != perturbed
    return Changes(changed, changed & (f == favorable), changed & (perturbed == favorable))
