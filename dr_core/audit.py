"""The rows that models are judged on, and the tally of each model on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from dr_core.attributes import ALL
from dr_core.checks import check_column
from dr_core.encoding import Array, encode, factorize, listed, sorted_values
from dr_core.responses import Plan, Response, predictor, responses
from dr_core.tables import Table
from dr_core.tally import DIGITS, Tally, tally_predictions, tally_profiles

__all__ = ["Audit", "Changes", "Judged", "Predictions", "class_labels"]

MOST_CLASSES = 100
"""More distinct labels than this are taken for quantities."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """A model that lives elsewhere, given by what it predicted.

    Parameters
    ----------
    y_pred : array of shape (n,)
        Predictions for X.
    y_pred_perturbed : array of shape (n,), or a mapping, optional
        Predictions for X with all sensitive attributes perturbed, as `perturb` does; or, by name,
        one array for each attribute perturbed alone and one, "all", for all of them together.
        Without it the established measures are still compared.
    """

    y_pred: Any
    y_pred_perturbed: Any = None


class Changes(NamedTuple):
    """How likely the prediction of each row is to change, (n,) each.

    Attributes
    ----------
    risk : into any other class
    loses : from the favourable class into another
    gains : from another class into the favourable one
    """

    risk: Array
    loses: Array
    gains: Array


@dataclass(frozen=True, eq=False)
class Judged:
    """What one model did on the rows of an audit.

    Attributes
    ----------
    predictions : (n,) positions of f(x) in the classes
    tallies : Tally for each name in the plan's scenarios
    changes : Changes of the rows, for each name whose perturbed predictions are known
    """

    predictions: Array
    tallies: dict[Any, Tally]
    changes: dict[Any, Changes]


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
    """

    table: Table
    plan: Plan
    classes: list[Any]
    y: Array
    sample_weight: Array | None = None

    def __post_init__(self) -> None:
        if len(self.classes) > MOST_CLASSES:
            raise ValueError(
                f"y and the models have {len(self.classes)} distinct labels, more than "
                f"{MOST_CLASSES}. If they are quantities, use assess_risk(..., tolerance=...)."
            )

    @property
    def weights(self) -> Array:
        """Weights of the rows, ones where none were given."""
        return np.ones(len(self.y)) if self.sample_weight is None else self.sample_weight

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

    def judge(self, name: str, model: Any, favorable: int, **options: Any) -> Judged:
        """Let a model predict, or take its predictions as given, and tally them."""
        if isinstance(model, Predictions):
            return self._judge_given(name, model, favorable)
        what = f"the predictions of model {name!r}"
        answers = responses(predictor(model), self.table, self.plan, **options)
        parts = [self._tally(answer, what, favorable) for answer in answers]
        tallies = {
            scenario: reduce(add, (part.tallies[scenario] for part in parts))
            for scenario in self.plan.scenarios
        }
        changes = {
            scenario: _joined([part.changes[scenario] for part in parts])
            for scenario in self.plan.scenarios
        }
        return Judged(np.concatenate([part.predictions for part in parts]), tallies, changes)

    def _encode(self, values: Array, what: str) -> Array:
        return encode(factorize(values), self.classes, what)

    def _tally(self, answer: Response, what: str, favorable: int) -> Judged:
        f = self._encode(answer.predictions, what)
        perturbed = self._encode(answer.perturbed, what)
        weights = None if self.sample_weight is None else self.sample_weight[answer.rows]
        profiles = {
            name: _profiles(answer, f, perturbed, len(self.classes), s)
            for s, name in enumerate(self.plan.scenarios)
        }
        tallies = {
            name: tally_profiles(
                self.groups[name][answer.rows],
                self.labels[answer.rows],
                f,
                of_rows,
                self.classes,
                weights,
            )
            for name, of_rows in profiles.items()
        }
        changes = {name: _changes(f, of_rows, favorable) for name, of_rows in profiles.items()}
        return Judged(f, tallies, changes)

    def _judge_given(self, name: str, model: Predictions, favorable: int) -> Judged:
        f = self._given(model.y_pred, f"y_pred of {name!r}")
        known = {
            scenario: self._given(values, f"y_pred_perturbed of {name!r}")
            for scenario, values in self._perturbed_by_name(name, model).items()
        }
        tallies = {
            scenario: tally_predictions(
                self.groups[scenario],
                self.labels,
                f,
                known.get(scenario, f),
                self.classes,
                self.sample_weight,
            )
            for scenario in self.plan.scenarios
        }
        changes = {
            scenario: _sure_changes(f, perturbed, favorable)
            for scenario, perturbed in known.items()
        }
        return Judged(f, tallies, changes)

    def _given(self, values: Any, what: str) -> Array:
        return self._encode(check_column(what, values, self.table.n_rows), what)

    def _perturbed_by_name(self, name: str, model: Predictions) -> dict[Any, Any]:
        given, scenarios = model.y_pred_perturbed, list(self.plan.scenarios)
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            return {scenarios[-1]: given}
        unknown = [key for key in given if key not in scenarios]
        if unknown:
            raise ValueError(
                f"y_pred_perturbed of {name!r} has {listed(unknown)}; its keys must be among "
                f"{listed(scenarios)}, where {ALL!r} is all attributes perturbed together."
            )
        return dict(given)


def _profiles(answer: Response, f: Array, perturbed: Array, n_classes: int, s: int) -> Array:
    """Distribution of f(x̃) over the classes for each row, shape (n, C), in scenario s."""
    n, variants = len(f), answer.variants
    cell = variants.rows * n_classes + perturbed
    mass = np.bincount(cell, variants.probability[:, s], n * n_classes).reshape(n, n_classes)
    mass[np.arange(n), f] += variants.stay_probability(n)[s]
    return mass


def _joined(parts: list[Changes]) -> Changes:
    return Changes(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _changes(f: Array, profiles: Array, favorable: int) -> Changes:
    moved = profiles.copy()
    moved[np.arange(len(f)), f] = 0
    # Rounded, so that a row that changes in every case has risk 1, not 0.9999999999999999.
    risk, gains = np.round(moved.sum(axis=1), DIGITS), np.round(moved[:, favorable], DIGITS)
    return Changes(risk, np.where(f == favorable, risk, 0.0), gains)


def _sure_changes(f: Array, perturbed: Array, favorable: int) -> Changes:
    changed = f != perturbed
    return Changes(changed, changed & (f == favorable), changed & (perturbed == favorable))


def class_labels(y: Array, models: Mapping[str, Any], labels: Any = None) -> list[Any]:
    """All class labels: those of y, those the models know, and those given."""
    known = [list(getattr(model, "classes_", ())) for model in models.values()]
    every = [*factorize(y).values, *([] if labels is None else labels)]
    return sorted_values(dict.fromkeys([*every, *(label for some in known for label in some)]))
