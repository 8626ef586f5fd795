"""How likely the predicted label of each row changes, and in which direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from aif360.algorithms import Transformer

from aif360_dr._carriers import Carriers
from aif360_dr._checks import check_ignores_labels
from aif360_dr._models import predict_labels
from aif360_dr._randomized import find_dataset_distribution
from dr_core import RandomizedModel, RiskAssessment
from dr_core.plugins import (
    WEIGHT,
    Array,
    Changes,
    PerturbationPlan,
    Predictor,
    RiskTotals,
    RowRisks,
    as_partitions,
    fold,
    iter_changes,
)

__all__ = ["LabelChanges", "changes_between", "changes_of_model"]

MAX_CHUNK_ROWS = 100_000
"""Rows whose perturbations are predicted at once."""


@dataclass(frozen=True, eq=False)
class LabelChanges:
    """Probabilities, one for each row; 0 and 1 where one perturbed prediction is known.

    Attributes:
        any: That the label changes, the individual risk.
        losses: That it changes from a favorable to an unfavorable one.
        gains: That it changes from an unfavorable to a favorable one.
        by_attribute: That it changes if each attribute is perturbed alone, by name, and then all
            together; only the latter, where the former was not asked for.
        assessment: All results of the model; None where one perturbed prediction is known.
    """

    any: Array
    losses: Array
    gains: Array
    by_attribute: Mapping[Any, Array] = field(default_factory=dict)
    assessment: RiskAssessment | None = None


def changes_between(labels: Array, perturbed: Array, favorable: Array) -> LabelChanges:
    """Compare labels of the same rows before and after perturbation.

    Examples:
        >>> changes = changes_between(np.array([0, 1, 1]), np.array([1, 1, 0]), np.array([1]))
        >>> changes.any, changes.losses
        (array([1., 0., 1.]), array([0., 0., 1.]))
    """
    return LabelChanges(*_kinds(labels, perturbed, favorable).astype(float))


def changes_of_model(
    model: Any,
    dataset: Any,
    labels: Array,
    carriers: Carriers,
    favorable: Array,
    *,
    method: str,
    p: float,
    n_samples: int,
    seed: Any,
    each_attribute: bool = False,
) -> LabelChanges:
    """Let a model predict perturbed rows: all that are possible, or some drawn at random.

    Examples:
        >>> from aif360_dr._carriers import find_carriers
        >>> from aif360_dr.examples import hiring
        >>> prefers_race_2 = lambda features: features[:, 1] == 2
        >>> dataset, options = hiring(), dict(method="exact", p=1.0, n_samples=1, seed=None)
        >>> labels = predict_labels(prefers_race_2, dataset)
        >>> carriers = find_carriers(dataset, [{"race": 1}])
        >>> changes_of_model(prefers_race_2, dataset, labels, carriers, np.ones(1), **options).any
        array([0. , 0.5, 1. , 0.5, 0. , 0.5, 1. , 0.5])
    """
    plan = PerturbationPlan(carriers.attributes, method, p, n_samples, seed, each_attribute)
    columns = [i for attribute in carriers.protected for i in attribute.columns]
    distribution = find_dataset_distribution(model, dataset, columns)
    if isinstance(model, Transformer):
        predict = partial(predict_labels, model) if distribution is None else distribution[0]
        check_ignores_labels(predict, dataset)
    source = partial(
        iter_changes,
        predictors={"model": _make_predictor(model, distribution, dataset, carriers)},
        plan=plan.reserve_draws(len(labels)),
        before={"model": labels} if distribution is None else None,
        chunk_size=MAX_CHUNK_ROWS,
    )
    weights = dataset.instance_weights
    data = as_partitions(
        carriers.frame(dataset), {WEIGHT: None if (weights == 1).all() else weights}
    )
    shift = _FavorableShift(favorable)
    found = fold(data, source, {"totals": RiskTotals.of, "rows": RowRisks.of, "shift": shift})[
        "model"
    ]
    rows = RowRisks.concatenate(found["rows"])
    losses, gains = np.concatenate(found["shift"], axis=1)
    by_attribute = dict(zip(plan.names, rows.risks, strict=True))
    assessment = RiskAssessment(plan, found["totals"], rows, data.whole)
    return LabelChanges(rows.risks[-1], losses, gains, by_attribute, assessment)


@dataclass(frozen=True, eq=False)
class _FavorableShift:
    """The fold that keeps the probability of a loss and of a gain of each row, [(2, n), ...]."""

    favorable: Array

    def __call__(self, changes: Changes) -> list[Array]:
        _, losses, gains = _find_kinds(changes, self.favorable)
        return [np.stack([changes.expect(losses)[-1], changes.expect(gains)[-1]])]


def _make_predictor(model: Any, distribution: Any, dataset: Any, carriers: Carriers) -> Predictor:
    """Return the model as a function of the frame of its protected attributes."""
    if distribution is None:
        return Predictor(lambda frame: predict_labels(model, carriers.variant(dataset, frame)))
    predict, classes = distribution
    return Predictor(
        RandomizedModel(lambda frame: predict(carriers.variant(dataset, frame)), classes)
    )


def _find_kinds(changes: Changes, favorable: Array) -> Array:
    """Return the probability that the label of each variant changes, and in which direction."""
    if not changes.is_randomized:
        return _kinds(changes.before_of_variants, changes.after, favorable)
    is_favorable = np.isin(changes.predictor.classes or [], favorable)
    shift = (changes.after - changes.before_of_variants)[:, is_favorable].sum(axis=1)
    shift[changes.loss == 0] = 0
    return np.stack([changes.loss, np.maximum(-shift, 0), np.maximum(shift, 0)])


def _kinds(before: Array, after: Array, favorable: Array) -> Array:
    """Which labels changed at all, which to an unfavorable one, which to a favorable one."""
    was, is_now = np.isin(before, favorable), np.isin(after, favorable)
    return np.stack([before != after, was & ~is_now, ~was & is_now])
