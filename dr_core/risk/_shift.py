"""How far the score of a model moves: `assess_shift`, folds over the one loop."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from dr_core._tables import PERSON, WEIGHT, Y, as_partitions
from dr_core._utils import check_any_weight, check_nonnegative, is_number
from dr_core.perturbation import (
    MARGINALISED,
    PRIVILEGED,
    PerturbationPlan,
    SensitiveAttributes,
    learn_attributes,
)
from dr_core.risk._assessment import RiskAssessment
from dr_core.risk._changes import Fold, fold, iter_changes
from dr_core.risk._predictor import Predictor
from dr_core.risk._scores import choose_score
from dr_core.risk._shift_result import ShiftAssessment
from dr_core.risk._shift_sums import ShiftFold, ShiftTotals, ThresholdFold, ToleranceFold
from dr_core.risk._totals import RiskTotals, RowRisks, find_groups, warn_empty_groups

__all__ = ["assess_shift"]


def assess_shift(
    estimator: Any,
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    response: str = "auto",
    favorable: Any = None,
    y: Any = None,
    threshold: float | None = None,
    tolerance: float | None = None,
    method: str = "exact",
    p: float = 1.0,
    n_samples: int = 1,
    random_state: Any = None,
    sample_weight: Any = None,
    person: Any = None,
    chunk_size: int | None = None,
    each_attribute: bool = True,
    progress: bool = False,
) -> ShiftAssessment:
    """Measure how far the score of a model moves when only sensitive attributes change.

    Parameters
    ----------
    estimator : fitted model, or a callable
        A classifier, a regressor, or a function from X to one score per row. A model that draws
        its predictions at random is measured by the probability of its prediction.
    X : DataFrame (pandas, polars), array of shape (n, d), or rows in partitions
        As for `assess_risk`; results in partitions are identical to those in memory.
    privileged : mapping, or SensitiveAttributes
        As for `assess_risk`.
    response : {"auto", "predict_proba", "decision_function", "predict"}
        The method that the score comes from. "auto" is the prediction of a regressor or of a
        callable; for a classifier the probability of the favourable class or, without
        `predict_proba`, its decision function.
    favorable : label, optional
        The favourable class; required unless the classes are 0 and 1, False and True, -1 and 1.
    y : array of shape (n,), or name of a column of X, optional
        The true values of what a regressor predicts, as for `assess_risk`. If given, `by_group`
        has means and errors.
    threshold : float, optional
        Also measure the discriminative risk of the decision "score > threshold", from the same
        predictions: the result's `risk`. For a classifier with two classes, 0.5 is its `predict`.
    tolerance : float, optional
        Also measure the discriminative risk of a quantity, the share of predictions that move by
        more than this, as the result's `risk`: that of `assess_risk(..., tolerance=tolerance)`.
    method, p, n_samples, random_state, sample_weight, chunk_size, each_attribute, progress
        As for `assess_risk`.
    person : array of shape (n,), or name of a column of X, optional
        Identity of the person whom each row is about, where one person has several rows. The
        bootstrap of `interval` then resamples people.

    Returns
    -------
    ShiftAssessment

    Examples
    --------
    A lender whose score is 10 points higher for men:

    >>> import pandas as pd
    >>> X = pd.DataFrame({"sex": ["Male", "Male", "Female", "Female"], "age": [25, 35, 35, 45]})
    >>> points = lambda X: 2.0 * X["age"] + 10 * (X["sex"] == "Male")
    >>> shift = assess_shift(points, X, {"sex": "Male"})
    >>> shift.mean, shift.signed_mean, shift.individual
    (10.0, 0.0, array([10., 10., 10., 10.]))
    >>> shift.by_group[["group", "privileged", "mean", "signed_mean"]]
        group  privileged  mean  signed_mean
    0  Female       False  10.0         10.0
    1    Male        True  10.0        -10.0
    """
    risk_folds = _make_risk_folds(threshold, tolerance)
    data = as_partitions(X, {Y: y, WEIGHT: sample_weight, PERSON: person})
    attributes = learn_attributes(data, privileged)
    score = choose_score(estimator, response, favorable, attributes.columns)
    plan = PerturbationPlan(attributes, method, p, n_samples, random_state, each_attribute)
    plan = plan.reserve_draws(data.n_rows)
    in_memory = data.whole is not None
    source = partial(
        iter_changes,
        predictors={"model": Predictor(score, tolerance=0.0, name="the model's scores")},
        plan=plan,
        chunk_size=chunk_size,
        progress=progress and in_memory,
    )
    folds: dict[str, Fold] = {"shift": ShiftFold(data.n_rows, keep_rows=in_memory)}
    folds |= {name: one for name, one in risk_folds.items() if in_memory or name == "risk"}
    found = fold(data, source, folds, progress=progress)["model"]
    totals = found["shift"]
    check_any_weight(totals.group_sums[-1].total("weight"))
    _warn_empty_groups(plan, totals)
    risk = None
    if risk_folds:
        rows = RowRisks.concatenate(found["rows"]) if in_memory else None
        risk = RiskAssessment(plan, found["risk"], rows, data.whole)
    return ShiftAssessment(plan, score.meaning, totals, risk, data.whole)


def _make_risk_folds(threshold: float | None, tolerance: float | None) -> dict[str, Fold]:
    """Return the folds of `assess_risk` for a decision or a quantity made of the score."""
    if threshold is not None and tolerance is not None:
        raise ValueError(
            f"threshold is {threshold!r} and tolerance is {tolerance!r}; pass one of them: a "
            "threshold makes the score a decision, a tolerance a quantity."
        )
    if threshold is not None and not is_number(threshold):
        raise ValueError(f"threshold must be a number; got {threshold!r}.")
    check_nonnegative("tolerance", tolerance or 0.0)
    folds: dict[str, Fold] = {"risk": RiskTotals.of, "rows": RowRisks.of}
    if threshold is not None:
        return {name: ThresholdFold(threshold, one) for name, one in folds.items()}
    if tolerance is not None:
        return {name: ToleranceFold(tolerance, one) for name, one in folds.items()}
    return {}


def _warn_empty_groups(plan: PerturbationPlan, totals: ShiftTotals) -> None:
    def count(column: str) -> dict[Any, list[int]]:
        return {
            scenario.name: [
                sums.total(column, find_groups(plan, scenario, sums, group))
                for group in (MARGINALISED, PRIVILEGED)
            ]
            for scenario, sums in zip(plan.scenarios, totals.group_sums, strict=True)
        }

    warn_empty_groups(count, "shift")
