"""Discriminative risk of one model: ℓ(f, x) = 1[f(x) ≠ f(x̃)], averaged.

*Exact* risk is the expectation over the perturbation itself: every x̃ a row can become, with its
probability. It has no randomness at all. *Sampled* risk averages over random draws of x̃.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from html import escape
from operator import add
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import WEIGHT, Factorized, Partition, Table, Y, as_partitions, encode
from dr_core._utils import (
    Array,
    Interval,
    as_generator,
    check_confidence,
    check_not_negative,
    check_weighty,
    chernoff,
    share,
    wilson,
)
from dr_core.perturbation import (
    ALL,
    BINS,
    MARGINALISED,
    PRIVILEGED,
    RARE,
    CodedRows,
    Rules,
    SensitiveAttributes,
    empty_groups,
    learn_attributes,
)
from dr_core.risk._plausibility import (
    MIN_EXPECTED,
    PairCheck,
    Plausibility,
    PlausibilityTally,
    learn_pair_check,
)
from dr_core.risk._predictions import class_labels
from dr_core.risk._responses import Plan, cut_rows, predictor
from dr_core.risk._row_risks import PartAssessment, RowRisks, joined
from dr_core.risk._totals import RiskTotals

__all__ = ["RiskAssessment", "assess_risk"]


@dataclass(frozen=True, eq=False)
class Trials:
    """What came of each perturbed row, in the order in which the plan makes them.

    Perturbed rows are not kept: the plan makes the same ones again.

    Attributes
    ----------
    table : Table
    plan : Plan
        With the random numbers from before the first draw.
    changed : (k,) whether the prediction of each perturbed row differs from that of its row
    weights : (n,) weights of the rows, or None
    """

    table: Table
    plan: Plan
    changed: Array
    weights: Array | None

    def tally(self, check: PairCheck) -> PlausibilityTally:
        """Check all perturbed rows, chunk by chunk."""
        rows = CodedRows.of(self.table, self.plan.attributes)
        checked, parts, start = check.over(rows), [], 0
        rng = as_generator(self.plan.at_row(0).random_state)
        for where in cut_rows(self.table.n_rows, self.plan):
            variants = self.plan.variants(rows.codes[:, where], rng)
            changed = self.changed[start : start + len(variants.rows)]
            weights = None if self.weights is None else self.weights[where]
            parts.append(checked.tally(where, variants, changed, weights))
            start += len(variants.rows)
        return reduce(add, parts)


@dataclass(frozen=True, eq=False)
class RiskAssessment:
    """How a model's predictions depend on sensitive attributes alone.

    Rows in memory also have `individual`, `concerned` and, one column a row, `predictions`,
    `risks` and `groups`; rows in partitions stay where they are, and leave these undefined.

    Attributes
    ----------
    names : list
        What was perturbed: each attribute alone (where asked for), then, when there are several,
        "all" of them together.
    totals : RiskTotals
        The sums that every result is computed from.
    plan : Plan
        How the rows were perturbed.
    rows : RowRisks, or None
        What is known of each row.
    trials : Trials, or None
        X itself, not a copy of it, and what came of each perturbed row; for `plausibility`.
    """

    names: list[Any]
    totals: RiskTotals
    plan: Plan
    rows: RowRisks | None = field(default=None, repr=False)
    trials: Trials | None = field(default=None, repr=False)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.totals.rows[0].sum())

    @property
    def predictions(self) -> Array:
        """f(x), what the model says of the rows as they are, shape (n,)."""
        return self._rows.predictions

    @property
    def risks(self) -> Array:
        """Individual risks, shape (len(names), n)."""
        return self._rows.risks

    @property
    def groups(self) -> Array:
        """0 for marginalised rows, 1 for privileged ones, 2 for neither; (len(names), n)."""
        return self._rows.groups

    @property
    def individual(self) -> Array:
        """Risk of each row, all attributes perturbed together, shape (n,)."""
        return self._rows.risks[-1]

    @property
    def _rows(self) -> RowRisks:
        if self.rows is None:
            raise ValueError(
                "rows in partitions stay where they are, only their sums are known here. For "
                "single rows, assess the partition they are in."
            )
        return self.rows

    @cached_property
    def value(self) -> float:
        """Discriminative risk, all attributes perturbed together."""
        return self._mean(self.totals.risk[-1])

    @cached_property
    def worst_case(self) -> float:
        """Share of rows whose prediction at least one of the perturbations tried changes."""
        return self._mean(self.totals.touched[-1])

    @cached_property
    def directions(self) -> pd.DataFrame:
        """Which predictions change into which: columns from, to and share of all rows."""
        return self.totals.moves.table(self.totals.total)

    @cached_property
    def by_attribute(self) -> pd.Series:
        """Discriminative risk of each attribute alone."""
        alone = {
            name: self._mean(risk)
            for name, risk in zip(self.names, self.totals.risk, strict=True)
            if name != ALL
        }
        if not alone:
            raise ValueError("attributes were not perturbed one by one: pass each_attribute=True.")
        return pd.Series(alone, name="risk")

    @cached_property
    def by_group(self) -> pd.DataFrame:
        """Mean risk of privileged rows, of marginalised rows, and their absolute difference."""
        rows = [
            [share(risk[group], weight[group]) for group in (PRIVILEGED, MARGINALISED)]
            for risk, weight in zip(self.totals.risk, self.totals.weight, strict=True)
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
        return share(self.totals.total**2, self.totals.squares)

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
        values = [self._mean(risk) for risk in self.totals.risk]
        intervals = [self._interval(value, confidence, "wilson") for value in values]
        frame = pd.DataFrame(
            {
                "risk": values,
                "low": [interval.low for interval in intervals],
                "high": [interval.high for interval in intervals],
                "worst_case": [self._mean(touched) for touched in self.totals.touched],
            },
            index=pd.Index(self.names, name="perturbed"),
        )
        if len(self.totals.correct):
            frame["accuracy"], *after = [self._mean(correct) for correct in self.totals.correct]
            frame["accuracy_perturbed"] = after
        return frame.join(self.by_group)

    def plausibility(
        self,
        reference: Any = None,
        *,
        bins: int = BINS,
        rare: float = RARE,
        min_expected: float = MIN_EXPECTED,
    ) -> Plausibility:
        """Tell how many of the perturbed rows could exist, and the risk among those alone.

        A perturbed row is implausible when a sensitive value it was given hardly ever goes with
        one of its other values in the reference data.

        Parameters
        ----------
        reference : DataFrame or array, optional
            Rows of people who exist, such as the training data; the X assessed when left out.
        bins : int
            Numbers of more distinct values than this are put into so many bins.
        rare : float in [0, 1)
            A pair is implausible when it occurs at most this share as often as chance would have
            it; 0 for pairs never seen.
        min_expected : float
            Pairs that chance would have shown less often than this are not judged.

        Returns
        -------
        Plausibility

        Examples
        --------
        >>> from dr_core import datasets
        >>> income = datasets.load("income")
        >>> risk = assess_risk(lambda X: X["age"] > 40, income.data, {"sex": "Male"})
        >>> risk.plausibility().pairs[["becomes", "value", "rows", "seen"]].head(2)
          becomes    value     rows  seen
        0  Female  Husband  12462.0     1
        1    Male     Wife   1405.0     1
        """
        if self.trials is None:
            raise ValueError(
                "this assessment does not hold the rows it was made of, so they cannot be judged; "
                "assess_risk on one table in memory does."
            )
        trials = self.trials
        check = learn_pair_check(
            trials.table,
            self.plan.attributes,
            reference,
            bins=bins,
            rare=rare,
            min_expected=min_expected,
        )
        return Plausibility(self.names, trials.tally(check))

    def _mean(self, total: Any) -> float:
        return share(int(np.sum(total)), self.totals.total)

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
        couplings = self.plan.attributes.couplings
        names += f" (and {', '.join(map(str, couplings.names))} with it)" if couplings else ""
        return (
            f"{self.value:.2%} of predictions change when only {names} is perturbed "
            f"({confidence:.0%} interval {low:.2%} to {high:.2%}; {self.plan.method}, "
            f"{self.n_rows:,} rows)"
        )

    def __repr__(self) -> str:
        return f"<RiskAssessment: {self._headline}>"

    def _repr_html_(self) -> str:
        table = self.table().to_html(float_format="{:.4f}".format)
        return f"<p>{escape(self._headline)}</p>{table}"


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
    coupled: Rules | None = None,
    progress: bool = False,
) -> RiskAssessment:
    """Measure the discriminative risk of a model on X.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
        A fitted model, or a function from X to predictions: classes of any type, or numbers.
    X : DataFrame (pandas, polars), array of shape (n, d), or rows in partitions
        Rows as the model takes them, sensitive columns included. Never modified. More rows than
        memory come as a Dask DataFrame, as `iter_chunks(path)`, or as any iterable of frames that
        can be gone through twice; every result is the same to the last digit.
    privileged : mapping
        The privileged value of each sensitive column, such as {"sex": "Male"}.
    y : array of shape (n,), or name of a column of X, optional
        True labels. With them, `table` also tells the accuracy before and after perturbation. A
        column named here is not shown to the model. For rows in partitions y may also be a Dask
        Series, or a list with the labels of each partition.
    method : {"exact", "sample"}
        Expectation over every possible perturbation, or the mean of random draws.
    p : float in (0, 1]
        Probability with which each attribute of each row is perturbed.
    n_samples : int
        Draws for each row, with method "sample".
    random_state : int, Generator or None
        Where draws come from, with method "sample".
    sample_weight : array of shape (n,), or name of a column of X, optional
        As for y.
    chunk_size : int, optional
        Rows perturbed and predicted at once; it bounds memory, and never changes the result.
    tolerance : float
        A numeric prediction counts as changed when it moves by more than this.
    each_attribute : bool
        Whether to perturb each attribute alone too; without it only "all" is predicted.
    domain, missing
        See `learn_attributes`.
    coupled : mapping, optional
        Columns that follow an attribute when it changes; see `learn_attributes`. The risk is then
        no longer that of the paper, which changes nothing else.
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
    check_not_negative("tolerance", tolerance)
    predictor(estimator)
    data = as_partitions(X, {Y: y, WEIGHT: sample_weight})
    attributes = learn_attributes(
        data.table, privileged, domain=domain, missing=missing, coupled=coupled
    )
    plan = Plan(attributes, method, p, n_samples, random_state, each_attribute)
    in_memory = data.whole is not None
    work = PartAssessment(
        estimator,
        plan.begun(data.n_rows),
        tolerance,
        {"chunk_size": chunk_size, "progress": progress and in_memory},
        keep_rows=in_memory,
    )
    assessed = reduce(joined, data.map(work, progress=progress))
    check_weighty(assessed.totals.total)
    _warn_empty_groups(plan, assessed.totals)
    _check_classes(estimator, assessed.totals)
    trials = _trials(data.whole, work.plan, assessed.rows)
    return RiskAssessment(list(plan.scenarios), assessed.totals, plan, assessed.rows, trials)


def _trials(whole: Partition | None, plan: Plan, rows: RowRisks | None) -> Trials | None:
    if whole is None or rows is None:
        return None
    return Trials(whole.table, plan, rows.changed, whole.weights)


def _check_classes(estimator: Any, totals: RiskTotals) -> None:
    """Refuse classes that y does not have; quantities are none."""
    if totals.moves.are_numbers or not totals.labels:
        return
    labels = class_labels(list(totals.labels), {"model": estimator})
    predicted = list(totals.predicted)
    encode(Factorized(np.arange(len(predicted)), predicted), labels, "the model's prediction")


def _warn_empty_groups(plan: Plan, totals: RiskTotals) -> None:
    empty = empty_groups(dict(zip(plan.scenarios, totals.rows, strict=True)))
    if empty:
        warnings.warn(f"{'; '.join(empty)}: its mean risk is undefined (NaN).", stacklevel=3)
