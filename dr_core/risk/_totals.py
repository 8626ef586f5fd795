"""Exact sums over rows that results are computed from, however many rows there are.

Sums of parts add up to the sums of the whole to the last digit (see `dr_core._utils`), so that
chunks, partitions and machines do not change any result.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import encode, factorize, find_first, joint_positions
from dr_core._utils import (
    Array,
    MeanSample,
    differs,
    exact_counts,
    exact_sums,
    share,
    shorten_float,
    sort_values,
)
from dr_core.perturbation import (
    MARGINALISED,
    MISSING_LABEL,
    NEITHER,
    PRIVILEGED,
    PerturbationPlan,
    Scenario,
)
from dr_core.risk._changes import Changes
from dr_core.risk._frequencies import RangeSums
from dr_core.risk._randomized import draw_classes, find_flows
from dr_core.risk._spread import RiskSpread

__all__ = [
    "DirectionSums",
    "GroupSums",
    "PerScenario",
    "RangeSums",
    "RiskTotals",
    "RowRisks",
    "add_ranges",
    "count_missing",
    "describe_empty_groups",
    "describe_group",
    "find_groups",
    "make_group_sample",
    "make_sample",
    "sum_ranges",
    "sum_spreads",
    "warn_empty_groups",
]

UNPERTURBED = -1
"""Group of rows whose values are all missing, so that a scenario does not perturb them."""

HIGHER, LOWER = ("any", "higher"), ("any", "lower")
"""Directions in which a quantity changes."""

Codes = tuple[int, ...]


class PerScenario(tuple[Any, ...]):
    """One value for each scenario of a plan; two of them add up scenario by scenario."""

    def __add__(self, other: Any) -> PerScenario:
        return type(self)(one + another for one, another in zip(self, other, strict=True))


class PerRange(PerScenario):
    """One value for each range that a scenario perturbs."""


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Exact sums over the rows of each group, a combination of sensitive values.

    Attributes
    ----------
    columns : names of the sums: "rows", "weight", then those of weighted values
    sums : array of Python integers, one for each column, by the codes of the group
    """

    columns: tuple[str, ...]
    sums: dict[Codes, Array]

    @classmethod
    def of(cls, codes: Array, weights: Array | None, **values: Array) -> GroupSums:
        """Sum values of shape (n,) over rows with codes of shape (attributes, n).

        Examples
        --------
        >>> found = GroupSums.of(np.array([[0, 1, 0]]), None, risk=np.array([1.0, 0.0, 0.5]))
        >>> found.mean("risk"), found.mean("risk", [(0,)])
        (0.5, 0.75)
        """
        position = joint_positions(codes)
        first = find_first(position)
        counts = np.bincount(position)
        if weights is None:  # rows are counted, which is exact and fast
            weight, weighted = exact_counts(counts)[0], list(values.values())
        else:
            weight = exact_sums(weights, position, len(first))
            weighted = [weights * some for some in values.values()]
        columns = [exact_sums(column, position, len(first)) for column in weighted]
        keys = map(tuple, codes[:, first].T.tolist())
        rows = zip(counts.tolist(), weight, *columns, strict=True)
        sums = dict(zip(keys, (np.array(row, dtype=object) for row in rows), strict=True))
        return cls(("rows", "weight", *values), sums)

    def __add__(self, other: GroupSums) -> GroupSums:
        both = dict(self.sums)
        for key, sums in other.sums.items():
            both[key] = both[key] + sums if key in both else sums
        return GroupSums(self.columns, both)

    def total(self, column: str, groups: Iterable[Codes] | None = None) -> int:
        """Sum a column over these groups, by default over all."""
        place = self.columns.index(column)
        chosen = self.sums if groups is None else (group for group in groups if group in self.sums)
        return int(sum(self.sums[group][place] for group in chosen))

    def mean(self, column: str, groups: Iterable[Codes] | None = None) -> float:
        """Weighted mean of a column over these groups; NaN where there is no weight."""
        groups = None if groups is None else list(groups)
        return share(self.total(column, groups), self.total("weight", groups))

    @property
    def perturbed(self) -> GroupSums:
        """Sums of the groups that were perturbed, with a value in at least one attribute."""
        some = {codes: sums for codes, sums in self.sums.items() if max(codes) >= 0}
        return GroupSums(self.columns, some)


def count_missing(by_name: Iterable[tuple[Any, GroupSums]]) -> dict[str, dict[str, int]]:
    """Return how many rows are not perturbed, or only partly, by name; {} if there are none.

    A row without any of the sensitive values is not perturbed, one without some of them partly.
    """
    counts = {
        str(name): {
            "not_perturbed": sums.total("rows", [codes for codes in sums.sums if max(codes) < 0]),
            "partly_perturbed": sums.total(
                "rows", [codes for codes in sums.sums if min(codes) < 0 <= max(codes)]
            ),
        }
        for name, sums in by_name
    }
    if not any(any(of_name.values()) for of_name in counts.values()):
        return {}
    keys = "not_perturbed", "partly_perturbed"
    return {key: {name: of_name[key] for name, of_name in counts.items()} for key in keys}


def find_groups(plan: PerturbationPlan, scenario: Scenario, sums: GroupSums, group: int) -> Any:
    """Return the combinations of values that are privileged, marginalised or neither."""
    group_of = plan.attributes.group_of
    return [codes for codes in sums.sums if group_of(codes, scenario.active) == group]


def describe_group(
    plan: PerturbationPlan, scenario: Scenario, codes: Codes
) -> tuple[str, bool | None]:
    """Return the name of a group, and whether it is privileged (None if unknown)."""
    attributes = plan.attributes
    values = (
        str(shorten_float(attributes.attributes[j].grouped.values[code]))
        if code >= 0
        else MISSING_LABEL
        for j, code in zip(scenario.active, codes, strict=True)
    )
    group = attributes.group_of(codes, scenario.active)
    return ", ".join(values), None if group == NEITHER else group == PRIVILEGED


def warn_empty_groups(count: Callable[[str], Mapping[Any, Sequence[int]]], what: str) -> None:
    """Warn about groups without rows or without weight.

    Parameters
    ----------
    count : function of "rows" or "weight" that returns these of the marginalised and of the
        privileged group, by attribute
    what : what is undefined for such a group
    """
    absent = describe_empty_groups(count("rows"))
    empty = [
        group if group in absent else f"{group} with a weight above 0"
        for group in describe_empty_groups(count("weight"))
    ]
    if empty:
        warnings.warn(
            f"{'; '.join(empty)}: its mean {what} is undefined (NaN).",
            stacklevel=4,
        )


def describe_empty_groups(n_rows: Mapping[Any, Sequence[int] | Array]) -> list[str]:
    """Return a message for each group without rows, given the rows of each group by attribute."""
    names = {PRIVILEGED: "privileged", MARGINALISED: "marginalised"}
    return [
        f"no {names[group]} row for {attribute!r}"
        for attribute, counts in n_rows.items()
        for group in names
        if not counts[group]
    ]


@dataclass(frozen=True)
class DirectionSums:
    """Weight of the rows whose prediction changes, by prediction before and after.

    Attributes
    ----------
    are_numbers : whether predictions are quantities, which move up or down
    mass : exact sums, by the prediction before and after; for quantities HIGHER and LOWER
    """

    are_numbers: bool
    mass: dict[tuple[Any, Any], int]

    @classmethod
    def of(cls, before: Array, after: Array, mass: Array, are_numbers: bool) -> DirectionSums:
        """Sum the mass of changed predictions."""
        if are_numbers:
            pairs, cell = [LOWER, HIGHER], (after > before).astype(np.intp)
        elif not len(mass):
            return cls(False, {})
        else:
            # Pairs as cells of a table: old label i and new label j of 3 are cell i * 3 + j.
            (old, olds), (new, news) = factorize(before), factorize(after)
            found, cell = np.unique(old * len(news) + new, return_inverse=True)
            pairs = [(olds[i // len(news)], news[i % len(news)]) for i in found]
        sums = exact_sums(mass, cell, len(pairs))
        return cls(are_numbers, dict(zip(pairs, sums, strict=True)))

    @classmethod
    def of_changes(cls, changes: Changes) -> DirectionSums:
        """Sum the changes of the last scenario, all attributes perturbed together."""
        rows, mass = changes.variants.rows, changes.variants.probability[:, -1]
        if changes.weights is not None:
            mass = mass * changes.weights[rows]
        if changes.is_randomized:
            return cls._of_distributions(changes, mass)
        # Variants of single attributes have no mass when all are perturbed.
        counts = changes.loss & (mass > 0)
        after = changes.after[counts]
        are_numbers = changes.predictor.predicts_numbers(changes.before, after)
        return cls.of(changes.before_of_variants[counts], after, mass[counts], are_numbers)

    @classmethod
    def _of_distributions(cls, changes: Changes, mass: Array) -> DirectionSums:
        classes = changes.predictor.classes or []
        flows = find_flows(changes.before_of_variants, changes.after)
        return cls(
            False, {(classes[a], classes[b]): exact_sums(flow * mass)[0] for a, b, flow in flows}
        )

    def __add__(self, other: DirectionSums) -> DirectionSums:
        are_numbers = self.are_numbers or other.are_numbers
        mine, its = (one._as_numbers() if are_numbers else one.mass for one in (self, other))
        both = {pair: mine.get(pair, 0) + its.get(pair, 0) for pair in {**mine, **its}}
        return DirectionSums(are_numbers, both)

    def _as_numbers(self) -> dict[tuple[Any, Any], int]:
        if self.are_numbers:
            return self.mass
        higher = sum(mass for (old, new), mass in self.mass.items() if new > old)
        return {HIGHER: higher, LOWER: sum(self.mass.values()) - higher}

    @property
    def labels(self) -> list[Any]:
        """Classes that predictions change from or to; none for quantities."""
        pairs = () if self.are_numbers else self.mass
        return list(dict.fromkeys(label for pair in pairs for label in pair))

    def table(self, total: int) -> pd.DataFrame:
        """Return the share of the rows of this total weight, by prediction before and after."""
        pairs = [pair for pair in sort_values(self.mass) if self.mass[pair]]
        shares = [share(self.mass[pair], total) for pair in pairs]
        old, new = zip(*pairs, strict=True) if pairs else ((), ())
        return pd.DataFrame({"from": old, "to": new, "share": np.array(shares, dtype=float)})


@dataclass(frozen=True, eq=False)
class RiskTotals:
    """All sums of an assessment.

    Attributes
    ----------
    group_sums : PerScenario of GroupSums
        Sums of "risk", and of "can_change": rows whose prediction can change. Their groups are
        (PRIVILEGED,), (MARGINALISED,), (NEITHER,) and (UNPERTURBED,).
    spreads : PerScenario of RiskSpread; empty where rows are people of equal weight
    ranges : PerScenario of PerRange; empty without ranges
    correct : (1 + S,) weight of correct predictions, on x and then on x̃; empty without y
    directions : DirectionSums
    predicted, labels : dictionaries whose keys are the classes predicted, and those of y
    """

    group_sums: PerScenario
    spreads: PerScenario
    ranges: PerScenario
    correct: Array
    directions: DirectionSums
    predicted: dict[Any, None]
    labels: dict[Any, None]

    @classmethod
    def of(cls, changes: Changes) -> RiskTotals:
        """Add up the rows of a chunk; a fold."""
        weights = changes.weights
        w = np.ones(changes.n_rows, dtype=bool) if weights is None else weights
        directions = DirectionSums.of_changes(changes)
        are_labels = not (directions.are_numbers or changes.is_randomized)
        are_classes = changes.y is not None and are_labels
        return cls(
            PerScenario(
                GroupSums.of(
                    _label_groups(changes, s), weights, risk=risk, can_change=risk.astype(bool)
                )
                for s, risk in enumerate(changes.risk)
            ),
            sum_spreads(changes),
            sum_ranges(changes),
            np.array([exact_sums(right * w)[0] for right in get_correct(changes)], dtype=object),
            directions,
            _find_distinct(changes.before) if are_classes else {},
            _find_distinct(changes.y) if are_classes else {},
        )

    def __add__(self, other: RiskTotals) -> RiskTotals:
        return RiskTotals(
            self.group_sums + other.group_sums,
            self.spreads + other.spreads,
            self.ranges + other.ranges,
            self.correct + other.correct,
            self.directions + other.directions,
            self.predicted | other.predicted,
            self.labels | other.labels,
        )

    @property
    def all_together(self) -> GroupSums:
        """Sums of the last scenario, all attributes perturbed together."""
        found: GroupSums = self.group_sums[-1]
        return found

    @cached_property
    def perturbed(self) -> list[GroupSums]:
        """Sums of the rows that each scenario perturbs, which every risk is computed from."""
        return [sums.perturbed for sums in self.group_sums]

    @property
    def weight(self) -> int:
        """Exact weight of all rows."""
        return self.all_together.total("weight")

    @property
    def n_people(self) -> int | None:
        """Number of people whom the rows are about; None if it is not known."""
        return self.spreads[-1].n_people if self.spreads else None

    def make_sample(self, s: int) -> MeanSample:
        """Return the risk of a scenario, with its effective number of people."""
        spread = self.spreads[s] if self.spreads else None
        return make_sample(self.group_sums[s], spread, self.ranges[s] if self.ranges else ())

    def count_unperturbed(self, s: int) -> int:
        """Return the number of rows that a scenario does not perturb."""
        found: GroupSums = self.group_sums[s]
        return found.total("rows", [(UNPERTURBED,)])

    @property
    def n_partly_perturbed(self) -> int:
        """Number of rows with some, but not all, sensitive values missing."""
        return self.all_together.total("rows", [(NEITHER,)])


def _label_groups(changes: Changes, s: int) -> Array:
    """Return the group of each row, (1, n)."""
    return np.where(changes.is_perturbed[s], changes.groups[s], UNPERTURBED)[None]


def sum_spreads(changes: Changes) -> PerScenario:
    """Add up what intervals need; a fold. It is empty where rows are people of equal weight."""
    if changes.weights is None and changes.person is None:
        return PerScenario()
    rows = zip(changes.risk, changes.is_perturbed, strict=True)
    return PerScenario(RiskSpread.of(changes, *of_scenario) for of_scenario in rows)


def sum_ranges(changes: Changes) -> PerScenario:
    """Add up what intervals need where values of ranges were learned; a fold.

    It is empty without ranges, and for predictions made elsewhere, whose values are not known.
    """
    attributes = changes.plan.attributes.attributes
    if changes.known is not None or all(one.condition is None for one in attributes):
        return PerScenario()
    return PerScenario(
        PerRange(RangeSums.of(changes, s, j) for j in scenario.active if attributes[j].condition)
        for s, scenario in enumerate(changes.plan.scenarios)
    )


def make_sample(
    sums: GroupSums, spread: RiskSpread | None, ranges: Iterable[RangeSums]
) -> MeanSample:
    """Return the risk of the rows that were perturbed, with its effective number of people.

    Parameters
    ----------
    sums : GroupSums of "risk"
    spread : RiskSpread; None where rows are people of equal weight
    ranges : RangeSums of the ranges that rows were perturbed by
    """
    sums = sums.perturbed
    mean, weight = sums.mean("risk"), sums.total("weight")
    if spread is None:
        return add_ranges(MeanSample.of_rows(mean, sums.total("rows")), weight, ranges)
    sample, errors = spread.make_sample(mean, weight), spread.sum_errors(mean)
    return add_ranges(sample, weight, ranges, errors=errors)


def make_group_sample(
    sums: GroupSums,
    codes: Collection[Codes],
    ranges: Iterable[RangeSums],
    has: Callable[[Codes], bool] | None = None,
) -> MeanSample:
    """Return the risk of groups whose rows are people of equal weight, given by their codes.

    `has` tells whether codes of `ranges` are those of one of the groups; by default the codes are
    the same ones.
    """
    sums = sums.perturbed
    sample = MeanSample.of_rows(sums.mean("risk", codes), sums.total("rows", codes))
    return add_ranges(sample, sums.total("weight", codes), ranges, has or set(codes).__contains__)


def add_ranges(
    sample: MeanSample,
    weight: int,
    ranges: Iterable[RangeSums],
    has: Callable[[Codes], bool] = lambda codes: True,
    errors: Array | None = None,
) -> MeanSample:
    """Return the sample of rows of this total weight with the ranges that they were perturbed by.

    `has` tells whether a group, given by its codes, is one of the rows; by default all are.
    `errors` are those of each person; see `RangeSums.describe`.
    """
    found = (one.describe(sample.mean, weight, has, errors) for one in ranges)
    return replace(sample, ranges=tuple(found))


def _find_distinct(column: Any) -> dict[Any, None]:
    return dict.fromkeys(factorize(column).values)


def get_correct(changes: Changes) -> Array:
    """Return the probability of a correct prediction on x, then on x̃: (1 + S, n).

    Without labels it is empty.
    """
    if changes.y is None:
        return np.empty((0, 0))
    rows, probability_correct = changes.variants.rows, _choose_correct(changes)
    right = probability_correct(changes.y, changes.before)
    after = probability_correct(changes.y[rows], changes.after)
    # +1 where only the perturbed prediction is correct, -1 where only f(x) is. The probability of
    # a correct prediction on x̃ is 1[f(x) correct] plus the expectation of these.
    gains = after - right[rows]
    return np.stack(
        [
            right,
            *(
                right + np.bincount(rows, probability * gains, len(right))
                for probability in changes.variants.probability.T
            ),
        ]
    )


def _choose_correct(changes: Changes) -> Callable[[Array, Array], Array]:
    """Return the function from labels and predictions to the probability of being correct."""
    predictor = changes.predictor
    if not changes.is_randomized:
        tolerance = predictor.tolerance or 0.0
        return lambda y, f: (~differs(y, f, tolerance)).astype(float)

    def get_probability(y: Array, f: Array) -> Array:
        codes = encode(factorize(y), predictor.classes or [], "y")
        return np.asarray(f[np.arange(len(y)), codes], dtype=float)

    return get_probability


@dataclass(frozen=True, eq=False)
class RowRisks:
    """Predictions and risks of single rows; kept only for rows in memory.

    Attributes
    ----------
    predictions : (n,) f(x); for a randomised model (n, C), its distribution
    risks : (S, n) individual risk in each scenario, NaN for rows that it does not perturb
    groups : (S, n) 0 for marginalised rows, 1 for privileged ones, 2 where a value is missing
    loss : (k,) ℓ(f, x) of each variant, in the order in which the plan makes them
    classes : labels of the C classes of a randomised model, otherwise None
    """

    predictions: Array
    risks: Array
    groups: Array
    loss: Array
    classes: list[Any] | None = None

    @classmethod
    def of(cls, changes: Changes) -> list[RowRisks]:
        """Return the rows of a chunk as a list; a fold, whose values are joined at the end."""
        classes = changes.predictor.classes if changes.is_randomized else None
        risks = np.where(changes.is_perturbed, changes.risk, np.nan)
        return [cls(changes.before, risks, changes.groups, changes.loss, classes)]

    @classmethod
    def concatenate(cls, parts: list[RowRisks]) -> RowRisks:
        """Join the rows of chunks."""
        first, *others = parts
        if not others:
            return first
        axes = {"predictions": 0, "risks": 1, "groups": 1, "loss": 0}
        joined = {n: np.concatenate([getattr(p, n) for p in parts], a) for n, a in axes.items()}
        return cls(**joined, classes=first.classes)

    def draw(self, rng: np.random.Generator) -> Array:
        """Return one prediction for each row, drawn from its distribution if it has one."""
        if self.classes is None:
            return self.predictions
        return draw_classes(self.predictions, self.classes, rng)
