"""Discriminative risk of one model: ℓ(f, x) = 1[f(x) ≠ f(x̃)], averaged.

*Exact* risk is the expectation over the perturbation itself: every x̃ a row can become, with its
probability. It has no randomness at all. *Sampled* risk averages over random draws of x̃.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dr_core.attributes import (
    ALL,
    MARGINALISED,
    PRIVILEGED,
    SensitiveAttributes,
    empty_groups,
    learn_attributes,
)
from dr_core.audit import class_labels
from dr_core.checks import check_column, check_confidence, check_tolerance, check_weights
from dr_core.encoding import Array, encode, factorize
from dr_core.intervals import Interval, chernoff, wilson
from dr_core.responses import Plan, Response, predictor, predicts_numbers, responses
from dr_core.tables import as_table

NOISE = 1e-9
"""Relative difference that floating-point predictions may show for no reason."""

__all__ = ["RiskAssessment", "assess_risk", "differs", "individual_risk"]


@dataclass(frozen=True, eq=False)
class RiskAssessment:
    """How a model's predictions depend on sensitive attributes alone.

    Attributes
    ----------
    names : list
        What was perturbed: each attribute alone (where asked for), then, when there are several,
        "all" of them together.
    predictions : array of shape (n,)
        f(x), what the model says of the rows as they are.
    risks : array of shape (len(names), n)
        Individual risk: the probability that the prediction of a row changes.
    groups : array of shape (len(names), n)
        0 for marginalised rows, 1 for privileged ones, 2 where a sensitive value is missing.
    sample_weight : array of shape (n,)
    directions : DataFrame
        Columns from, to and share: which predictions change into which, all attributes perturbed.
    plan : Plan
        How the rows were perturbed.
    correct : array of shape (1 + len(names), n), or None
        Probability that a prediction equals y, on x and then on x̃; None without y.
    """

    names: list[Any]
    predictions: Array
    risks: Array
    groups: Array
    sample_weight: Array
    directions: pd.DataFrame
    plan: Plan
    correct: Array | None = None

    @property
    def individual(self) -> Array:
        """Risk of each row, all attributes perturbed together, shape (n,)."""
        return self.risks[-1]

    @cached_property
    def value(self) -> float:
        """Discriminative risk, all attributes perturbed together."""
        return self._mean(self.individual)

    @cached_property
    def worst_case(self) -> float:
        """Share of rows whose prediction at least one of the perturbations tried changes."""
        return self._mean(self.individual > 0)

    @cached_property
    def by_attribute(self) -> pd.Series:
        """Discriminative risk of each attribute alone."""
        alone = {
            name: self._mean(risk)
            for name, risk in zip(self.names, self.risks, strict=True)
            if name != ALL
        }
        if not alone:
            raise ValueError("attributes were not perturbed one by one: pass each_attribute=True.")
        return pd.Series(alone, name="risk")

    @cached_property
    def by_group(self) -> pd.DataFrame:
        """Mean risk of privileged rows, of marginalised rows, and their absolute difference."""
        rows = [
            [self._mean(risk, group == PRIVILEGED), self._mean(risk, group == MARGINALISED)]
            for risk, group in zip(self.risks, self.groups, strict=True)
        ]
        frame = pd.DataFrame(rows, index=self.names, columns=["privileged", "marginalised"])
        return frame.assign(difference=(frame["privileged"] - frame["marginalised"]).abs())

    @property
    def concerned(self) -> Array:
        """Positions of the rows whose prediction can change, most at risk first."""
        order = np.argsort(-self.individual, kind="stable")
        return order[: np.count_nonzero(self.individual)]

    @property
    def n_effective(self) -> float:
        """Number of rows; with unequal weights, the number of equal ones worth as much (Kish)."""
        return float(self.sample_weight.sum() ** 2 / (self.sample_weight**2).sum())

    def interval(self, confidence: float = 0.95, *, method: str = "wilson") -> Interval:
        """Confidence interval of `value`, for the population the rows were drawn from.

        Parameters
        ----------
        confidence : float in (0, 1)
        method : {"wilson", "chernoff"}
            Wilson's score interval, which is conservative for the fractional risks of the exact
            method; or the Chernoff-Hoeffding interval, whose coverage holds for every number of
            equally weighted rows. Unequal weights enter through `n_effective`.
        """
        return self._interval(self.value, confidence, method)

    def table(self, confidence: float = 0.95) -> pd.DataFrame:
        """Risk of each attribute alone and of all together, with interval, extremes and groups."""
        values = [self._mean(risk) for risk in self.risks]
        intervals = [self._interval(value, confidence, "wilson") for value in values]
        frame = pd.DataFrame(
            {
                "risk": values,
                "low": [interval.low for interval in intervals],
                "high": [interval.high for interval in intervals],
                "worst_case": [self._mean(risk > 0) for risk in self.risks],
            },
            index=pd.Index(self.names, name="perturbed"),
        )
        if self.correct is not None:
            frame["accuracy"], *after = [self._mean(correct) for correct in self.correct]
            frame["accuracy_perturbed"] = after
        return frame.join(self.by_group)

    def _mean(self, values: Array, rows: Array | None = None) -> float:
        # fsum rounds once, so the mean does not depend on the order of the rows.
        rows = np.ones(len(values), dtype=bool) if rows is None else rows
        weights = self.sample_weight[rows]
        total = math.fsum(weights)
        return math.fsum(values[rows] * weights) / total if total else math.nan

    def _interval(self, value: float, confidence: float, method: str) -> Interval:
        check_confidence(confidence)
        makers = {"wilson": wilson, "chernoff": chernoff}
        if method not in makers:
            raise ValueError(f"method must be one of {list(makers)}; it is {method!r}.")
        return makers[method](value, self.n_effective, confidence)

    @property
    def _headline(self) -> str:
        low, high, confidence, _ = self.interval()
        names = ", ".join(map(str, self.plan.attributes.names))
        return (
            f"{self.value:.2%} of predictions change when only {names} is perturbed "
            f"({confidence:.0%} interval {low:.2%} to {high:.2%}; {self.plan.method}, "
            f"{len(self.individual):,} rows)"
        )

    def __repr__(self) -> str:
        return f"<RiskAssessment: {self._headline}>"

    def _repr_html_(self) -> str:
        return f"<p>{self._headline}</p>{self.table().to_html(float_format='{:.4f}'.format)}"


def assess_risk(
    estimator: Any,
    X: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    y: Any = None,
    method: str = "exact",
    p: float = 1.0,
    n_samples: int = 1,
    random_state: Any = None,
    sample_weight: Any = None,
    chunk_size: int | None = None,
    tolerance: float = 0.0,
    each_attribute: bool = True,
    domain: Mapping[Any, Any] | None = None,
    missing: str = "error",
    progress: bool = False,
) -> RiskAssessment:
    """Measure the discriminative risk of a model on X.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
        A fitted model, or a function from X to predictions: classes of any type, or numbers.
    X : DataFrame (pandas, polars) or array of shape (n, d)
        Rows as the model takes them, sensitive columns included. Never modified.
    privileged : mapping
        The privileged value of each sensitive column, such as {"sex": "Male"}.
    y : array of shape (n,), optional
        True labels. With them, `table` also tells the accuracy before and after perturbation.
    method : {"exact", "sample"}
        Expectation over every possible perturbation, or the mean of random draws.
    p : float in (0, 1]
        Probability with which each attribute of each row is perturbed.
    n_samples : int
        Draws for each row, with method "sample".
    random_state : int, Generator or None
        Where draws come from, with method "sample".
    sample_weight : array of shape (n,), optional
    chunk_size : int, optional
        Rows perturbed and predicted at once; it bounds memory, and never changes the result.
    tolerance : float
        A numeric prediction counts as changed when it moves by more than this.
    each_attribute : bool
        Whether to perturb each attribute alone too; without it only "all" is predicted.
    domain, missing
        See `learn_attributes`.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    RiskAssessment

    Examples
    --------
    A model that hires men over 30 and women over 40:

    >>> X = pd.DataFrame({"sex": ["Male", "Male", "Female", "Female"], "age": [25, 35, 35, 45]})
    >>> hires = lambda X: X["age"] > X["sex"].map({"Male": 30, "Female": 40})
    >>> risk = assess_risk(hires, X, {"sex": "Male"})
    >>> risk.value, risk.individual
    (0.5, array([0., 1., 1., 0.]))
    >>> risk.directions
        from     to  share
    0  False   True   0.25
    1   True  False   0.25
    """
    check_tolerance(tolerance)
    table = as_table(X)
    attributes = learn_attributes(table, privileged, domain=domain, missing=missing)
    plan = Plan(attributes, method, p, n_samples, random_state, each_attribute)
    weights = check_weights(sample_weight, table.n_rows)
    truth = None if y is None else check_column("y", y, table.n_rows)
    answers = responses(
        predictor(estimator), table, plan, chunk_size=chunk_size, progress=progress
    )
    parts = [_assess(answer, plan, weights, truth, tolerance) for answer in answers]
    joined = _Part(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)))
    _warn_empty_groups(dict(zip(plan.scenarios, joined.groups, strict=True)))
    numbers = tolerance > 0 or any(
        predicts_numbers(estimator, part) for part in (joined.predictions, joined.after)
    )
    if truth is not None and not numbers:
        labels = class_labels(truth, {"model": estimator})
        encode(factorize(joined.predictions), labels, "the model's prediction")
    return RiskAssessment(
        names=list(plan.scenarios),
        predictions=joined.predictions,
        risks=joined.risks,
        groups=joined.groups,
        sample_weight=weights,
        directions=_directions(joined, math.fsum(weights), numbers),
        plan=plan,
        correct=None if truth is None else joined.correct,
    )


class _Part(NamedTuple):
    """What is known of a chunk, or of all: rows, then changed variants, in the last axis."""

    predictions: Array
    risks: Array
    groups: Array
    correct: Array
    before: Array
    after: Array
    mass: Array


def _assess(
    answer: Response, plan: Plan, weights: Array, y: Array | None, tolerance: float
) -> _Part:
    variants = answer.variants
    own = answer.predictions[variants.rows]
    changed = differs(own, answer.perturbed, tolerance)
    mass = variants.probability[:, -1] * weights[answer.rows][variants.rows]
    # Variants of single attributes have no mass when all are perturbed.
    told = changed & (mass > 0)
    return _Part(
        answer.predictions,
        individual_risk(answer, changed),
        np.stack([plan.attributes.groups(answer.codes, a) for a in plan.scenarios.values()]),
        np.empty((0, 0)) if y is None else _correct(answer, y[answer.rows], tolerance),
        own[told],
        answer.perturbed[told],
        mass[told],
    )


def _warn_empty_groups(groups: Mapping[Any, Array]) -> None:
    empty = empty_groups(groups)
    if empty:
        warnings.warn(f"{'; '.join(empty)}: its mean risk is undefined (NaN).", stacklevel=3)


def individual_risk(answer: Response, changed: Array) -> Array:
    """Probability that the prediction of each row changes, shape (scenarios, n).

    It is normalised by all that can happen to the row, so that a row that changes in every case
    has risk 1, not 0.9999999999999999.
    """
    variants, n = answer.variants, len(answer.predictions)

    def mass(chance: Array) -> Array:
        return np.bincount(variants.rows, chance, n)

    moved = np.stack([mass(chance) for chance in variants.probability.T])
    changed_mass = np.stack([mass(chance * changed) for chance in variants.probability.T])
    return changed_mass / (moved + variants.stay_probability(n))


def differs(before: Array, after: Array, tolerance: float) -> Array:
    """Whether two predictions count as different.

    Floating-point numbers that agree to nine digits never do: their last digits are noise.
    """
    if "f" not in before.dtype.kind + after.dtype.kind and not tolerance:
        return np.asarray(before != after)
    if not {before.dtype.kind, after.dtype.kind} <= set("biuf"):
        raise ValueError(
            f"tolerance is {tolerance!r}, but predictions are not numbers: {before.dtype}."
        )
    before, after = before.astype(float), after.astype(float)
    noise = NOISE * np.maximum(np.abs(before), np.abs(after))
    return np.asarray(np.abs(after - before) > tolerance + noise)


def _correct(answer: Response, y: Array, tolerance: float) -> Array:
    right = ~differs(y, answer.predictions, tolerance)
    gains = ~differs(y[answer.variants.rows], answer.perturbed, tolerance)
    gains = gains.astype(int) - right[answer.variants.rows]
    after = [
        right + np.bincount(answer.variants.rows, probability * gains, len(right))
        for probability in answer.variants.probability.T
    ]
    return np.stack([right.astype(float), *after])


def _directions(part: _Part, total: float, numbers: bool) -> pd.DataFrame:
    """Share of all rows, by what a prediction was and what it becomes."""
    before, after = part.before, part.after
    if numbers:
        after = np.where(after > before, "higher", "lower").astype(object)
        before = np.full(len(after), "any", dtype=object)
    frame = pd.DataFrame({"from": before, "to": after, "share": part.mass / total})
    return frame.groupby(["from", "to"], as_index=False, sort=True)["share"].sum()
