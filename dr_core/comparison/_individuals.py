"""Some of the rows whose prediction may change, most at risk first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import as_partitions
from dr_core._utils import Array, round_probability
from dr_core.perturbation import PerturbationPlan, SensitiveAttributes
from dr_core.risk import Changes, Predictor, choose_score, fold, iter_changes

__all__ = ["Individuals", "IndividualsFold", "find_shifted"]

LISTS = ("predictions", "perturbed", "predictions_after")


@dataclass(frozen=True, eq=False)
class Individuals:
    """Some of the people whose prediction may change: personal data.

    Those of two parts of the rows add up: most at risk first, then by position.

    Attributes
    ----------
    rows : (k,) their positions in X
    predictions : list of their predictions
    risks : (k,) probability that the prediction changes, all attributes perturbed; of a quantity,
        the mean size of the change
    features : DataFrame of k rows, the sensitive columns first
    perturbed : list of a mapping each, from attributes to their new values: those of the
        perturbation that changes the prediction most; empty if predictions were given
    predictions_after : list of their predictions after this perturbation
    n_sensitive : number of sensitive columns
    n_concerned : number of all rows whose prediction may change
    max_rows : maximum number of rows that are kept
    row_meaning : what `rows` are
    identifiers : name of the column that identifies rows, and its values; None if there is none
    """

    rows: Array
    predictions: list[Any]
    risks: Array
    features: pd.DataFrame
    perturbed: list[dict[Any, Any]]
    predictions_after: list[Any]
    n_sensitive: int
    n_concerned: int
    max_rows: int
    row_meaning: str = "position in X, from 0"
    identifiers: tuple[str, list[Any]] | None = None

    def __add__(self, other: Individuals) -> Individuals:
        frames = [some.features for some in (self, other) if len(some.rows)]
        features = pd.concat(frames, ignore_index=True) if frames else self.features
        risks = np.concatenate([self.risks, other.risks])
        kept = np.argsort(-risks, kind="stable")[: self.max_rows]
        both = {name: [*getattr(self, name), *getattr(other, name)] for name in LISTS}
        lists: dict[str, Any] = {name: [values[i] for i in kept] for name, values in both.items()}
        return Individuals(
            rows=np.concatenate([self.rows, other.rows])[kept],
            risks=risks[kept],
            features=features.iloc[kept].reset_index(drop=True),
            n_sensitive=self.n_sensitive,
            n_concerned=self.n_concerned + other.n_concerned,
            max_rows=self.max_rows,
            **lists,
        )


@dataclass(frozen=True)
class IndividualsFold:
    """The fold that keeps up to `max_rows` rows, all attributes perturbed together."""

    max_rows: int

    def __call__(self, changes: Changes) -> Individuals:
        """Find the rows of a chunk that are most at risk."""
        s, size = changes.plan.find_scenario(-1, kind=0), _get_sizes(changes)
        # Rounded, so that rows of equal risk stay in the order of their positions.
        risks = round_probability(changes.expect(size)[s])
        concerned = np.flatnonzero(risks)
        rows = concerned[np.argsort(-risks[concerned], kind="stable")][: self.max_rows]
        table, sensitive = changes.chunk.x.table, changes.plan.attributes.columns
        keys = [*sensitive, *(key for key in table.keys() if key not in sensitive)]  # noqa: SIM118
        taken = table.take(rows)
        variants = [_find_variant(changes, row, size, s) for row in rows]
        return Individuals(
            rows=changes.start + rows,
            predictions=_get_labels(changes, changes.before[rows]),
            risks=risks[rows],
            features=pd.DataFrame({key: list(taken.column(key)) for key in keys}),
            perturbed=[_describe_variant(changes, variant) for variant in variants],
            predictions_after=_get_labels(changes, changes.after[variants]),
            n_sensitive=len(sensitive),
            n_concerned=len(concerned),
            max_rows=self.max_rows,
        )


def _get_sizes(changes: Changes) -> Array:
    """Return what counts of each variant: whether it changes, or by how much a quantity moves."""
    if changes.predictor.classes is not None:
        return changes.loss
    moved = np.abs(changes.after.astype(float) - changes.before_of_variants.astype(float))
    return np.where(changes.loss, moved, 0.0)


def _get_labels(changes: Changes, predictions: Array) -> list[Any]:
    """Return predictions as labels, of distributions the likeliest; quantities as they are."""
    classes = changes.predictor.classes
    if classes is None:
        return list(predictions.tolist())
    codes = predictions.argmax(axis=1) if changes.is_randomized else predictions
    return [classes[code] for code in codes]


def _find_variant(changes: Changes, row: int, size: Array, s: int) -> int:
    """Return the variant of a row that changes the prediction most, the likeliest of these."""
    variants = np.flatnonzero(changes.variants.rows == row)
    chances = changes.variants.probability[variants, s]
    order = np.lexsort([-chances, -(size[variants] * (chances > 0)).astype(float)])
    return int(variants[order[0]])


def _describe_variant(changes: Changes, variant: int) -> dict[Any, Any]:
    """Return the sensitive values that are new in a variant."""
    new = changes.variants.codes[:, variant]
    old = changes.chunk.x.codes[:, changes.variants.rows[variant]]
    return {
        attribute.name: attribute.values[code]
        for attribute, code, before in zip(changes.plan.attributes, new, old, strict=False)
        if code != before
    }


def find_shifted(
    estimator: Any, X: Any, attributes: SensitiveAttributes, max_rows: int
) -> Individuals:
    """Return the rows whose predicted quantity moves furthest, all attributes perturbed.

    Parameters
    ----------
    estimator : regressor
    X : table, or rows in partitions
    attributes : SensitiveAttributes
    max_rows : int
    """
    score = choose_score(estimator, "predict", None, attributes.columns)
    predictors = {"model": Predictor(score, tolerance=0.0, name="the model's predictions")}
    plan = PerturbationPlan(attributes, each_attribute=False)
    source = partial(iter_changes, predictors=predictors, plan=plan)
    found = fold(as_partitions(X, {}), source, {"individuals": IndividualsFold(max_rows)})
    individuals: Individuals = found["model"]["individuals"]
    return individuals
