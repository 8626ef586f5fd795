"""Discriminative risk of one model: ℓ(f, x) = 1[f(x) ≠ f(x̃)], averaged.

*Exact* risk is the expectation over every possible x̃ of each row. It is not random. *Sampled* risk
is the mean over random draws of x̃.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import WEIGHT, Factorized, Partition, Y, as_partitions, encode
from dr_core._utils import (
    Array,
    Interval,
    check_any_weight,
    check_choice,
    check_nonnegative,
    chernoff,
    share,
    wilson,
)
from dr_core.perturbation import (
    ALL,
    MARGINALISED,
    MAX_BINS,
    MAX_RARE_SHARE,
    MIN_EXPECTED,
    PRIVILEGED,
    PerturbationPlan,
    SensitiveAttributes,
    describe_empty_groups,
    iter_perturbed,
    learn_attributes,
    learn_pair_check,
)
from dr_core.risk._changes import Changes, Predictor, find_classes, fold, get_predict, iter_changes
from dr_core.risk._hidden import describe_hidden_risk
from dr_core.risk._plausibility import Plausibility, PlausibilityFold
from dr_core.risk._totals import RiskTotals, RowRisks

__all__ = ["RiskAssessment", "assess_risk"]

INTERVALS = {"wilson": wilson, "chernoff": chernoff}


@dataclass(frozen=True, eq=False)
class RiskAssessment:
    """Discriminative risk of a model, in total and by attribute, group and row.

    For rows in memory there are also `individual`, `concerned`, `predictions`, `risks` and
    `groups`. For rows in partitions these raise ValueError, because rows are not collected.

    Attributes
    ----------
    plan : PerturbationPlan
        How the rows were perturbed.
    totals : RiskTotals
        The sums that every result is computed from.
    rows : RowRisks, or None
        Predictions, risks and groups of each row.
    part : Partition, or None
        X (not a copy) and its weights, for `plausibility`.
    """

    plan: PerturbationPlan
    totals: RiskTotals
    rows: RowRisks | None = field(default=None, repr=False)
    part: Partition | None = field(default=None, repr=False)

    @property
    def names(self) -> list[Any]:
        """Names of the attributes if perturbed alone (`each_attribute`), then "all"."""
        return self.plan.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.totals.all_together.total("rows")

    @property
    def predictions(self) -> Array:
        """Predictions f(x) for the unperturbed rows, shape (n,)."""
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
                "results for single rows are not available for X in partitions, because rows are "
                "not collected. Assess the partition that the rows are in."
            )
        return self.rows

    @cached_property
    def value(self) -> float:
        """Discriminative risk, all attributes perturbed together."""
        return self.totals.all_together.mean("risk")

    @cached_property
    def worst_case(self) -> float:
        """Share of rows whose prediction at least one perturbation changes."""
        return self.totals.all_together.mean("touched")

    @cached_property
    def directions(self) -> pd.DataFrame:
        """Changes of predictions: columns from, to and share of all rows."""
        return self.totals.directions.table(self.totals.weight)

    @cached_property
    def by_attribute(self) -> pd.Series:
        """Discriminative risk of each attribute alone."""
        alone = {
            name: groups.mean("risk")
            for name, groups in zip(self.names, self.totals.group_sums, strict=True)
            if name != ALL
        }
        if not alone:
            raise ValueError("attributes were not perturbed one by one: pass each_attribute=True.")
        return pd.Series(alone, name="risk")

    @cached_property
    def by_group(self) -> pd.DataFrame:
        """Mean risk of privileged rows, of marginalised rows, and their absolute difference."""
        rows = [
            [sums.mean("risk", [(group,)]) for group in (PRIVILEGED, MARGINALISED)]
            for sums in self.totals.group_sums
        ]
        frame = pd.DataFrame(rows, index=self.names, columns=["privileged", "marginalised"])
        return frame.assign(difference=(frame["privileged"] - frame["marginalised"]).abs())

    @property
    def concerned(self) -> Array:
        """Positions of the rows whose prediction can change, highest risk first."""
        order = np.argsort(-self.individual, kind="stable")
        return order[: np.count_nonzero(self.individual)]

    @property
    def n_effective(self) -> float:
        """Number of rows; with unequal weights, Kish's effective sample size."""
        return share(self.totals.weight**2, self.totals.squares)

    def interval(self, confidence: float = 0.95, *, method: str = "wilson") -> Interval:
        """Return the confidence interval of `value` for the population of the rows.

        Parameters
        ----------
        confidence : float in (0, 1)
        method : {"wilson", "chernoff"}
            Wilson's score interval is conservative for the fractional risks of the exact method.
            The Chernoff-Hoeffding interval has the stated coverage for every number of equally
            weighted rows. With unequal weights, both use `n_effective` as the number of rows.
        """
        return self._interval(self.value, confidence, method)

    def table(self, confidence: float = 0.95) -> pd.DataFrame:
        """Return the risks of `names`, with confidence interval, worst case and groups."""
        values = [groups.mean("risk") for groups in self.totals.group_sums]
        intervals = [self._interval(value, confidence, "wilson") for value in values]
        frame = pd.DataFrame(
            {
                "risk": values,
                "low": [interval.low for interval in intervals],
                "high": [interval.high for interval in intervals],
                "worst_case": [groups.mean("touched") for groups in self.totals.group_sums],
            },
            index=pd.Index(self.names, name="perturbed"),
        )
        if len(self.totals.correct):
            right = [share(correct, self.totals.weight) for correct in self.totals.correct]
            frame["accuracy"], *frame["accuracy_perturbed"] = right
        return frame.join(self.by_group)

    def plausibility(
        self,
        reference: Any = None,
        *,
        bins: int = MAX_BINS,
        rare: float = MAX_RARE_SHARE,
        min_expected: float = MIN_EXPECTED,
    ) -> Plausibility:
        """Compute the share of plausible perturbed rows, and the risk among these only.

        A perturbed row is implausible if its new sensitive value is rare beside one of its other
        values in the reference data.

        Parameters
        ----------
        reference : DataFrame or array, optional
            Real rows, such as the training data. X by default.
        bins : int
            Columns with more distinct numbers than this are divided into this number of bins.
        rare : float in [0, 1)
            A pair of values is implausible if its count is at most this share of the count
            expected if both were independent. With 0, only pairs that never occur are implausible.
        min_expected : float
            Pairs with a lower expected count are never implausible.

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
        if self.part is None or self.rows is None:
            raise ValueError(
                "plausibility is available only where assess_risk was given one table in memory; "
                "X came in partitions."
            )
        options: dict[str, Any] = {"bins": bins, "rare": rare, "min_expected": min_expected}
        attributes = self.plan.attributes
        check = learn_pair_check(self.part.table, attributes, reference, **options)
        found = fold(
            as_partitions(self.part.table, {WEIGHT: self.part.columns.get(WEIGHT)}),
            self._iter_known_changes,
            {"plausibility": PlausibilityFold(check)},
        )
        return Plausibility(self.plan, check.pairs, found["model"]["plausibility"])

    def _iter_known_changes(self, part: Partition) -> Any:
        """Yield the changes again from the stored losses, without the model."""
        rows, start, weights = self._rows, 0, part.weights
        for chunk in iter_perturbed(part.table, self.plan.at_row(0)):
            loss = rows.loss[start : start + len(chunk.variants)]
            start += len(chunk.variants)
            some = None if weights is None else weights[chunk.rows]
            f = rows.predictions[chunk.rows]
            yield (
                "model",
                Changes(self.plan, chunk, 0, None, some, Predictor(None), f, loss, loss),
            )

    def _interval(self, value: float, confidence: float, method: str) -> Interval:
        check_choice("method", method, tuple(INTERVALS))
        return INTERVALS[method](value, self.n_effective, confidence)

    @property
    def _headline(self) -> str:
        low, high, confidence, _ = self.interval()
        names = ", ".join(map(str, self.plan.attributes.names))
        if self.plan.attributes.has_couplings:
            followers = ", ".join(map(str, self.plan.attributes.couplings.names))
            names += f" (and {followers} with it)"
        return (
            f"{self.value:.2%} of predictions change when only {names} is perturbed "
            f"({confidence:.0%} interval {low:.2%} to {high:.2%}; {self.plan.method}, "
            f"{self.n_rows:,} rows){self._note}"
        )

    @property
    def _note(self) -> str:
        """The end of the headline, where the risk of all attributes hides that of one."""
        risks = (groups.mean("risk") for groups in self.totals.group_sums)
        note = describe_hidden_risk(dict(zip(self.names, risks, strict=True)))
        return f". {note.removesuffix('.')}" if note else ""

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
    progress: bool = False,
) -> RiskAssessment:
    """Measure the discriminative risk of a model on X.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
        A fitted model, or a function from X to predictions: classes of any type, or numbers.
    X : DataFrame (pandas, polars), array of shape (n, d), or rows in partitions
        Features of the model, with the sensitive columns. X is not modified. Data larger than
        memory can be a Dask DataFrame, `iter_chunks(path)`, or any iterable of frames that can be
        iterated twice. The results are identical to those for one frame.
    privileged : mapping, or SensitiveAttributes
        The privileged value of each sensitive column, such as {"sex": "Male"}; or the result of
        `learn_attributes`, which has options for domains, missing values and coupled columns.
    y : array of shape (n,), or name of a column of X, optional
        True labels. If given, `table` has the accuracy before and after perturbation. A column
        named here is not passed to the model. For X in partitions, y may also be a Dask Series, or
        a list with the labels of each partition.
    method : {"exact", "sample"}
        Expectation over every possible perturbation, or mean over random draws.
    p : float in (0, 1]
        Probability that an attribute of a row is perturbed.
    n_samples : int
        Number of draws for each row, with method "sample".
    random_state : int, Generator or None
        Seed or generator of the draws, with method "sample".
    sample_weight : array of shape (n,), or name of a column of X, optional
        Weights of the rows, in the forms allowed for y.
    chunk_size : int, optional
        Number of rows perturbed and predicted at once. It limits memory and does not change the
        result.
    tolerance : float
        A numeric prediction counts as changed if it changes by more than this.
    each_attribute : bool
        Whether to perturb each attribute alone, too. If False, only "all" is computed.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    RiskAssessment

    Examples
    --------
    This model hires men over 30 and women over 40:

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
    check_nonnegative("tolerance", tolerance)
    get_predict(estimator)
    data = as_partitions(X, {Y: y, WEIGHT: sample_weight})
    attributes = learn_attributes(data, privileged)
    plan = PerturbationPlan(attributes, method, p, n_samples, random_state, each_attribute)
    plan = plan.reserve_draws(data.n_rows)
    in_memory = data.whole is not None
    source = partial(
        iter_changes,
        predictors={"model": Predictor(estimator, tolerance=tolerance)},
        plan=plan,
        chunk_size=chunk_size,
        progress=progress and in_memory,
    )
    folds = {"totals": RiskTotals.of} | ({"rows": RowRisks.of} if in_memory else {})
    found = fold(data, source, folds, progress=progress)["model"]
    totals = found["totals"]
    check_any_weight(totals.weight)
    _warn_empty_groups(plan, totals)
    _check_classes(estimator, totals)
    rows = RowRisks.concatenate(found["rows"]) if in_memory else None
    return RiskAssessment(plan, totals, rows, data.whole)


def _check_classes(estimator: Any, totals: RiskTotals) -> None:
    """Raise ValueError if a prediction is neither a label of y nor a class of the model."""
    if totals.directions.are_numbers or not totals.labels:
        return
    labels = find_classes(list(totals.labels), {"model": estimator})
    predicted = list(totals.predicted)
    encode(Factorized(np.arange(len(predicted)), predicted), labels, "the model's prediction")


def _warn_empty_groups(plan: PerturbationPlan, totals: RiskTotals) -> None:
    n_rows = {
        name: [sums.total("rows", [(group,)]) for group in (MARGINALISED, PRIVILEGED)]
        for name, sums in zip(plan.names, totals.group_sums, strict=True)
    }
    empty = describe_empty_groups(n_rows)
    if empty:
        warnings.warn(f"{'; '.join(empty)}: its mean risk is undefined (NaN).", stacklevel=3)
