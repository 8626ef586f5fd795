"""The rows that models are judged on, and the tally of each model on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np

from dr_core.attributes import ALL
from dr_core.checks import check_column
from dr_core.encoding import Array, encode, factorize, listed, sorted_values
from dr_core.responses import Plan, Response, predictor, responses
from dr_core.tables import Table
from dr_core.tally import Tally, tally_predictions, tally_profiles

__all__ = ["Audit", "Judged", "Predictions", "class_labels"]

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


@dataclass(frozen=True, eq=False)
class Judged:
    """What one model did on the rows of an audit.

    Attributes
    ----------
    predictions : (n,) positions of f(x) in the classes
    tallies : Tally for each name in the plan's scenarios
    unknown : names for which no perturbed predictions are known
    """

    predictions: Array
    tallies: dict[Any, Tally]
    unknown: tuple[Any, ...] = ()


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
    def groups(self) -> dict[Any, Array]:
        """Group of each row, for each attribute and for all of them together."""
        codes = self.plan.attributes.encode(self.table)
        return {
            name: self.plan.attributes.groups(codes, active)
            for name, active in self.plan.scenarios.items()
        }

    def judge(self, name: str, model: Any, **options: Any) -> Judged:
        """Let a model predict, or take its predictions as given, and tally them."""
        if isinstance(model, Predictions):
            return self._judge_given(name, model)
        what = f"the predictions of model {name!r}"
        answers = responses(predictor(model), self.table, self.plan, **options)
        parts = [self._tally(answer, what) for answer in answers]
        tallies = {
            scenario: reduce(add, (part.tallies[scenario] for part in parts))
            for scenario in self.plan.scenarios
        }
        return Judged(np.concatenate([part.predictions for part in parts]), tallies)

    def _encode(self, values: Array, what: str) -> Array:
        return encode(factorize(values), self.classes, what)

    def _tally(self, answer: Response, what: str) -> Judged:
        f = self._encode(answer.predictions, what)
        perturbed = self._encode(answer.perturbed, what)
        weights = None if self.sample_weight is None else self.sample_weight[answer.rows]
        tallies = {
            name: tally_profiles(
                self.groups[name][answer.rows],
                self.labels[answer.rows],
                f,
                _profiles(answer, f, perturbed, len(self.classes), s),
                self.classes,
                weights,
            )
            for s, name in enumerate(self.plan.scenarios)
        }
        return Judged(f, tallies)

    def _judge_given(self, name: str, model: Predictions) -> Judged:
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
        return Judged(f, tallies, tuple(set(tallies) - set(known)))

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


def class_labels(y: Array, models: Mapping[str, Any], labels: Any = None) -> list[Any]:
    """All class labels: those of y, those the models know, and those given."""
    known = [list(getattr(model, "classes_", ())) for model in models.values()]
    every = [*factorize(y).values, *([] if labels is None else labels)]
    return sorted_values(dict.fromkeys([*every, *(label for some in known for label in some)]))
