"""Discriminative risk of one model: ℓ(f, x) = 1[f(x) ≠ f(x̃)], averaged.

*Exact* risk is the expectation over every possible x̃ of each row. It is not random. *Sampled* risk
is the mean over random draws of x̃.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import PERSON, WEIGHT, Partition, Y, as_partitions
from dr_core._utils import (
    Array,
    Interval,
    as_generator,
    check_any_weight,
    check_nonnegative,
    format_count,
    format_enumeration,
    format_percent,
    format_percent_ends,
    share,
)
from dr_core.perturbation import (
    ALL,
    ALPHA,
    MARGINALISED,
    MAX_BINS,
    MAX_RARE_SHARE,
    PRIVILEGED,
    PerturbationPlan,
    SensitiveAttributes,
    learn_attributes,
)
from dr_core.risk._changes import fold, iter_changes
from dr_core.risk._hidden import describe_hidden_risk, describe_zero_risk
from dr_core.risk._paired import compute_risk_change
from dr_core.risk._plausibility import Plausibility, judge_perturbed
from dr_core.risk._predictor import (
    MAX_NUMBERS,
    OR_TOLERANCE,
    Predictor,
    check_labels,
    describe_scores,
    find_classes,
    get_predict,
)
from dr_core.risk._randomized import RandomizedModel
from dr_core.risk._totals import RiskTotals, RowRisks, warn_empty_groups

__all__ = ["NO_ROWS", "RiskAssessment", "assess_risk", "describe_missing"]

NO_ROWS = (
    "results for single rows are not available for X in partitions, because rows are not "
    "collected. Assess the partition that the rows are in."
)


@dataclass(frozen=True, eq=False)
class RiskAssessment:
    """Discriminative risk of a model, in total and by attribute, group and row.

    It is the risk of the rows that were perturbed. With `missing="keep"`, a result for one
    attribute leaves out the rows in which this attribute is missing, and a result for all
    attributes together leaves out the rows in which all of them are missing.

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
        """Predictions f(x), shape (n,); of a randomised model their distribution, (n, C)."""
        return self._rows.predictions

    def draw_predictions(self, random_state: Any = None) -> Array:
        """Return one prediction for each row, shape (n,): for a randomised model, a draw.

        Parameters
        ----------
        random_state : int, Generator or None
        """
        return self._rows.draw(as_generator(random_state))

    @property
    def risks(self) -> Array:
        """Individual risks, shape (len(names), n); NaN for rows that were not perturbed."""
        return self._rows.risks

    @property
    def groups(self) -> Array:
        """0 for marginalised rows, 1 for privileged ones, 2 for neither; (len(names), n)."""
        return self._rows.groups

    @property
    def individual(self) -> Array:
        """Risk of each row, all attributes perturbed together, shape (n,).

        It is NaN for rows that were not perturbed: `value` is the (weighted) mean of the others,
        without weights `np.nanmean(individual)`.
        """
        return self._rows.risks[-1]

    @property
    def _rows(self) -> RowRisks:
        if self.rows is None:
            raise ValueError(NO_ROWS)
        return self.rows

    @cached_property
    def value(self) -> float:
        """Discriminative risk, all attributes perturbed together."""
        return self.totals.perturbed[-1].mean("risk")

    @cached_property
    def worst_case(self) -> float:
        """Share of rows whose prediction at least one perturbation changes."""
        return self.totals.perturbed[-1].mean("can_change")

    @cached_property
    def directions(self) -> pd.DataFrame:
        """Changes of predictions, with columns from, to and share of the perturbed rows."""
        return self.totals.directions.table(self.totals.perturbed[-1].total("weight"))

    @cached_property
    def by_attribute(self) -> pd.Series:
        """Discriminative risk of each attribute alone."""
        alone = {
            name: sums.mean("risk")
            for name, sums in zip(self.names, self.totals.perturbed, strict=True)
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
        return order[: np.count_nonzero(self.individual > 0)]

    @property
    def n_effective(self) -> float:
        """Number of independent rows of equal weight that have the same information.

        It is the number of perturbed rows where weights are equal and each row is about another
        person. If not, it is μ(1-μ)/V for a risk μ with the linearised variance V, over people,
        of the weighted mean; and at most Kish's effective number of people. It takes frequencies
        of values in a range as known.
        """
        return self.totals.make_sample(-1).n_effective

    @property
    def n_people(self) -> int | None:
        """Number of people whom the rows are about; None without `person`."""
        return self.totals.n_people

    @property
    def n_not_perturbed(self) -> int:
        """Number of rows that were not perturbed, because all sensitive values are missing."""
        return self.totals.count_unperturbed(-1)

    def interval(self, confidence: float = 0.95, *, method: str = "clopper-pearson") -> Interval:
        """Return the confidence interval of `value` for the population of the people.

        Parameters
        ----------
        confidence : float in (0, 1)
        method : {"clopper-pearson", "wilson", "chernoff"}
            Clopper and Pearson's interval has at least the stated coverage for equally weighted
            0/1 risks, and is conservative for the fractional risks of the exact method. With
            unequal weights or several rows of one person, the number of rows is `n_effective`,
            as Korn and Graubard (1998) propose, with their adjustment for few people. Wilson's
            score interval uses the same number; it is shorter, and covers too seldom where the
            risk is close to 0 or 1 and rows are few. The Chernoff-Hoeffding interval has the
            stated coverage for every number of people and all risks, for given weights: its
            number of rows is the total weight in units of the heaviest person's.

        Notes
        -----
        With a range such as age >= 25, there are two sources of error: the rows, and the
        frequencies of values on each side of the limit. Each end of the interval is as far from
        the estimate as the root of the sum of both squared distances (Zou and Donner, 2008), with
        a term for their covariance if both come from the same rows. The Chernoff-Hoeffding
        interval does not add distances. It uses a smaller number of rows: that of pairs of one
        row from each side. It then has the stated coverage if neither weights nor the numbers of
        rows per person depend on the risk. With several rows of one person, people are counted on
        each side of the limit.
        """
        return self.totals.make_sample(-1).interval(confidence, method)

    def change_from(self, other: RiskAssessment, confidence: float = 0.95) -> Interval:
        """Return the confidence interval of `value` minus the value of `other`, on the same rows.

        If the interval is below 0, this model has less risk than the other one in the population.
        The interval is shorter than the intervals of the two values suggest, because most rows
        have the same risk for both models. Frequencies of values in a range count as known.

        Parameters
        ----------
        other : RiskAssessment
            Another model, assessed on the same rows with the same sensitive attributes, weights
            and people.
        confidence : float in (0, 1)

        Examples
        --------
        >>> from dr_core import datasets
        >>> ricci = datasets.load("ricci")
        >>> strict = lambda X: X["Combine"] > 70 + 8 * (X["Race"] != "W")
        >>> mild = lambda X: X["Combine"] > 70 + 5 * (X["Race"] != "W")
        >>> before, after = (assess_risk(f, ricci.data, ricci.privileged) for f in (strict, mild))
        >>> print(f"{before.value:.3f} {after.value:.3f} {after.value - before.value:.3f}")
        0.297 0.195 -0.102
        >>> after.change_from(before)
        Interval(low=-0.1..., high=-0.0..., confidence=0.95, method='paired')
        """
        return compute_risk_change(self, other, confidence)

    def table(self, confidence: float = 0.95) -> pd.DataFrame:
        """Return the risks of `names`, with confidence interval, worst case and groups.

        Where some rows have no value to perturb, the table also has the number of rows that were
        perturbed, `rows_perturbed`, and of those that were not, `not_perturbed`. The accuracies
        are those of all rows.
        """
        samples = [self.totals.make_sample(s) for s in range(len(self.names))]
        ends = [sample.interval(confidence)[:2] for sample in samples]
        frame = pd.DataFrame(ends, columns=["low", "high"])
        frame.insert(0, "risk", [sample.mean for sample in samples])
        frame["worst_case"] = [sums.mean("can_change") for sums in self.totals.perturbed]
        if len(self.totals.correct):
            right = [share(correct, self.totals.weight) for correct in self.totals.correct]
            frame["accuracy"], frame["accuracy_perturbed"] = right[0], right[1:]
        frame = frame.set_index(pd.Index(self.names, name="perturbed")).join(self.by_group)
        missing = np.array([self.totals.count_unperturbed(s) for s in range(len(self.names))])
        if not missing.any():
            return frame
        return frame.assign(rows_perturbed=self.n_rows - missing, not_perturbed=missing)

    def plausibility(
        self,
        reference: Any = None,
        *,
        bins: int = MAX_BINS,
        rare: float = MAX_RARE_SHARE,
        alpha: float = ALPHA,
    ) -> Plausibility:
        """Compute the share of plausible perturbed rows, and the risk among these only.

        A perturbed row is implausible if its new sensitive value is seen with one of its other
        values rarely or never in the reference data, by far and significantly less often than
        if both were independent.

        Parameters
        ----------
        reference : DataFrame or array, optional
            Real rows, such as the training data, one for each person. X by default; with
            `person`, the first row of each person.
        bins : int
            Columns with more distinct numbers than this are divided into this number of bins. A
            sensitive range is divided on each side of its limits, into at most this number of
            bins, and into fewer where there are few rows.
        rare : float in [0, 1)
            A pair of values can be implausible if its count is at most this share of the count
            expected if both were independent. With 0, only pairs that never occur can be.
        alpha : float in [0, 1)
            If all columns are independent of the sensitive attributes, any pair is called
            implausible with at most this probability: a pair needs a p-value of Fisher's exact
            test, one-sided, that is at most `alpha` after Holm's correction for all pairs.

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
        if self.part is None:
            raise ValueError(
                "plausibility is available only where assess_risk was given one table in memory; "
                "X came in partitions."
            )
        options: dict[str, Any] = {"bins": bins, "rare": rare, "alpha": alpha}
        known = self._rows.predictions, self._rows.loss
        return judge_perturbed(self.plan, self.part, *known, reference, **options)

    @property
    def _headline(self) -> str:
        low, high, confidence, _ = self.interval()
        perturbed = describe_perturbed(self.plan.attributes)
        return (
            f"{format_percent(self.value)} of predictions change when only {perturbed} "
            f"({100 * confidence:g} % interval {' to '.join(format_percent_ends(low, high))}; "
            f"{self._describe_method()}, {self._describe_rows()}){self._note}"
        )

    def _describe_method(self) -> str:
        return ", ".join(filter(None, [self.plan.method, self.plan.averaging]))

    def _describe_rows(self) -> str:
        people = (
            ""
            if self.n_people is None
            else f" about {format_count(self.n_people, 'person', 'people')}"
        )
        missing = self.n_not_perturbed
        perturbed = f"{self.n_rows - missing:,} of " if missing else ""
        notes = describe_missing(missing, self.totals.n_partly_perturbed)
        rows = f"{perturbed}{format_count(self.n_rows, 'row')}{people}"
        return "; ".join([rows, *notes, *self.plan.notes])

    @property
    def _note(self) -> str:
        """The end of the headline, where a low risk can hide something."""
        sums = dict(zip(self.names, self.totals.perturbed, strict=True))
        weights = {name: one.total("weight") for name, one in sums.items()}
        risks = {name: one.mean("risk") for name, one in sums.items()}
        note = describe_hidden_risk(risks, weights=weights) or describe_zero_risk(risks)
        return f". {note.removesuffix('.')}" if note else ""

    def __repr__(self) -> str:
        return f"<RiskAssessment: {self._headline}>"

    def _repr_html_(self) -> str:
        table = self.table().to_html(float_format="{:.4f}".format)
        return f"<p>{escape(self._headline)}</p>{table}"


def describe_perturbed(attributes: SensitiveAttributes) -> str:
    """Return which attributes are perturbed, and which columns follow them."""
    names = list(map(str, attributes.names))
    perturbed = f"{format_enumeration(names)} {'is' if len(names) == 1 else 'are'} perturbed"
    note = attributes.couplings.note
    return f"{perturbed} and {note}" if note else perturbed


def describe_missing(n_not_perturbed: int, n_partly_perturbed: int) -> list[str]:
    """Say how many rows missing values kept from being perturbed, fully or in part.

    >>> describe_missing(450, 0), describe_missing(0, 0)
    (['450 rows with a missing value were not perturbed'], [])
    >>> describe_missing(0, 20)
    ['20 rows with a missing value were perturbed in the other attributes only']
    """
    endings = {
        "not perturbed": n_not_perturbed,
        "perturbed in the other attributes only": n_partly_perturbed,
    }
    return [
        f"{format_count(n, 'row')} with a missing value {'was' if n == 1 else 'were'} {how}"
        for how, n in endings.items()
        if n
    ]


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
    person: Any = None,
    chunk_size: int | None = None,
    tolerance: float | None = None,
    each_attribute: bool = True,
    progress: bool = False,
) -> RiskAssessment:
    """Measure the discriminative risk of a model on X.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
        A fitted model, or a function from X to predictions: classes of any type, or numbers.
        A model that draws its predictions at random: `RandomizedModel`, or a model of fairlearn
        or AIF360 whose distribution is known. Its risk is the total variation.
    X : DataFrame (pandas, polars), array of shape (n, d), or rows in partitions
        Features of the model, with the sensitive columns. X is not modified. Data larger than
        memory can be a Dask DataFrame, `iter_chunks(path)`, or any iterable of frames that can be
        iterated twice. The results are identical to those for one frame.
    privileged : mapping, or SensitiveAttributes
        The privileged value of each sensitive column, such as {"sex": "Male"}, or its range, such
        as {"age": at_least(25)}; or the result of `learn_attributes`, which has options for
        domains, missing values and coupled columns.
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
    person : array of shape (n,), or name of a column of X, optional
        Identity of the person whom each row is about, where one person has several rows; in the
        forms allowed for y. Intervals then count people, not rows. A column named here is not
        passed to the model. Memory grows with the number of people.
    chunk_size : int, optional
        Number of rows perturbed and predicted at once. It limits memory and does not change the
        result.
    tolerance : float, optional
        A numeric prediction counts as changed if it changes by more than this. Numbers that are
        no class labels, such as scores, raise ValueError without it.
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
    check_nonnegative("tolerance", tolerance or 0.0)
    if not isinstance(estimator, RandomizedModel):
        get_predict(estimator)
    data = as_partitions(X, {Y: y, WEIGHT: sample_weight, PERSON: person})
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
    if tolerance is None:
        _check_few_numbers(totals)
    rows = RowRisks.concatenate(found["rows"]) if in_memory else None
    return RiskAssessment(plan, totals, rows, data.whole)


def _check_classes(estimator: Any, totals: RiskTotals) -> None:
    """Raise ValueError if a prediction is neither a label of y nor a class of the model."""
    if totals.directions.are_numbers or not totals.labels:
        return
    labels = find_classes(list(totals.labels), {"model": estimator}, otherwise="")
    check_labels(totals.predicted, labels, Predictor.name)


def _check_few_numbers(totals: RiskTotals) -> None:
    """Raise ValueError if predictions change between too many numbers to be classes."""
    labels = np.array(totals.directions.labels)
    if labels.dtype.kind in "iuf" and len(labels) > MAX_NUMBERS:
        raise ValueError(f"{describe_scores(Predictor.name, labels)}{OR_TOLERANCE}")


def _warn_empty_groups(plan: PerturbationPlan, totals: RiskTotals) -> None:
    def count(column: str) -> dict[Any, list[int]]:
        return {
            name: [sums.total(column, [(group,)]) for group in (MARGINALISED, PRIVILEGED)]
            for name, sums in zip(plan.names, totals.group_sums, strict=True)
        }

    warn_empty_groups(count, "risk")
