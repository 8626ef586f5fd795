"""The row `score_shift` of a comparison: how far the scores of models move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dr_core._utils import differs
from dr_core.metrics import Bootstrap
from dr_core.perturbation import PerturbationPlan
from dr_core.risk import (
    Changes,
    Fold,
    Predictions,
    Predictor,
    ScoreFunction,
    ShiftAssessment,
    ShiftFold,
    ShiftTotals,
    choose_score,
    find_distribution,
)

__all__ = ["SCORE_SHIFT", "ScoredModels"]

SCORE_SHIFT = "score_shift"


@dataclass(frozen=True)
class ProbabilityFold:
    """The shift of the probability of one class, from the distributions of a randomised model."""

    label: int
    of_scores: ShiftFold

    def __call__(self, changes: Changes) -> ShiftTotals:
        """Add up the rows of a chunk, without asking the model again."""
        before, after = (each[:, self.label] for each in (changes.before, changes.after))
        loss = differs(before[changes.variants.rows], after, 0.0)
        return self.of_scores(replace(changes, before=before, after=after, loss=loss))


@dataclass(frozen=True, eq=False)
class ScoredModels:
    """The models whose score is compared, besides their predictions.

    Attributes
    ----------
    scores : ScoreFunction of each model that has a score apart from its predictions
    random : names of the models whose predictions are distributions, which have the score
    folds : the fold of scores, and that of distributions
    """

    scores: Mapping[str, ScoreFunction]
    random: list[str]
    folds: tuple[Fold, Fold]

    @classmethod
    def of(
        cls, models: Mapping[str, Any], classes: list[Any], label: int, plan: Any, n_rows: int
    ) -> ScoredModels:
        """Find the scores of models for the favourable class at position `label`."""
        columns = plan.attributes.columns
        given = {name: one for name, one in models.items() if not isinstance(one, Predictions)}
        random = [name for name, one in given.items() if find_distribution(one, columns)]
        scores = {
            name: choose_score(one, "auto", classes[label], columns)
            for name, one in given.items()
            if name not in random and _has_score(one)
        }
        fold = ShiftFold(n_rows)
        return cls(scores, random, (fold, ProbabilityFold(label, fold)))

    @property
    def predictors(self) -> dict[Any, Predictor]:
        """The scores as models of their own, beside those that predict."""
        return {
            (name, SCORE_SHIFT): Predictor(score, tolerance=0.0, name=f"the scores of {name!r}")
            for name, score in self.scores.items()
        }

    def choose_folds(self, folds: Mapping[str, Fold]) -> dict[Any, Mapping[str, Fold]]:
        """Return the folds of single models, where they are others than `folds`."""
        of_scores, of_distributions = self.folds
        found: dict[Any, Mapping[str, Fold]] = {
            key: {SCORE_SHIFT: of_scores} for key in self.predictors
        }
        return found | {name: {**folds, SCORE_SHIFT: of_distributions} for name in self.random}

    def iter_rows(
        self, name: str, plan: PerturbationPlan, found: Mapping[Any, Any], bootstrap: Bootstrap
    ) -> Iterator[dict[str, Any]]:
        """Yield the mean size of a model's shift for each attribute; NaN if it has no score."""
        key = name if name in self.random else (name, SCORE_SHIFT)
        totals = found.get(key, {}).get(SCORE_SHIFT)
        shift = None if totals is None else ShiftAssessment(plan, "score", totals)
        for s, attribute in enumerate(plan.names):
            row = {"attribute": attribute, "measure": SCORE_SHIFT, "signed": np.nan}
            yield row | _measure_shift(shift, s, bootstrap)


def _has_score(model: Any) -> bool:
    return hasattr(model, "predict_proba") or hasattr(model, "decision_function")


def _measure_shift(
    shift: ShiftAssessment | None, s: int, bootstrap: Bootstrap
) -> dict[str, float]:
    """Return the mean size of the shift in a scenario, with the ends of its interval."""
    if shift is None:
        return {"value": np.nan}
    found = {"value": shift.totals.perturbed[s].mean("size")}
    if not bootstrap.n_boot:
        return found
    options = {"n_boot": bootstrap.n_boot, "random_state": bootstrap.random_state}
    ends = shift.interval("mean", bootstrap.confidence, attribute=shift.names[s], **options)
    return found | {"low": ends.low, "high": ends.high}
