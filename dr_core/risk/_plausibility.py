"""The risk of perturbed rows that occur in the data, apart from that of the others.

Discriminative risk is made of two parts, DR = (1 − s) DR(plausible) + s DR(implausible), where s
is the share of perturbed rows that are implausible: they have combinations of values rarely or
never seen in the data (see `PairCheck`). Of rows whose sensitive values are all missing nothing
can be perturbed, so they do not count. Where an attribute is perturbed with a probability below 1,
a row that stays as it is counts as plausible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import PERSON, WEIGHT, Partition, as_partitions
from dr_core._utils import (
    Array,
    Interval,
    MeanSample,
    exact_sums,
    format_enumeration,
    format_percent,
    format_percent_ends,
    format_rows,
    format_value,
    share,
    to_float,
)
from dr_core.perturbation import (
    PairCheck,
    PerturbationPlan,
    expected_counts,
    iter_perturbed,
    learn_pair_check,
)
from dr_core.risk._changes import Changes, fold
from dr_core.risk._predictor import Predictor
from dr_core.risk._spread import RiskSpread
from dr_core.risk._totals import PerScenario

__all__ = ["Plausibility", "PlausibilityFold", "PlausibilityTotals", "judge_perturbed"]

MAX_NAMED = 3
"""Maximum number of pairs that one line names."""

MIN_POWER = 0.8
"""With less power, the reference rows are too few to judge plausibility."""

MIN_NAMED_SHARE = 0.1
"""Pairs with a smaller share of the rows of the most frequent pair are not named."""

BINS_NOTE = (
    "Numbers are compared in bins: impossible values within a bin are not found, so the share of "
    "implausible rows can be too low."
)
FEWER_BINS_NOTE = "Fewer bins need fewer rows (argument bins of plausibility, in Python)."

PAIR_COLUMNS = ["attribute", "becomes", "column", "value", "rows", "share", "seen", "expected"]

Cells = Mapping[int, int]
"""Exact weight by the position of a cell in the flattened counts of a pair of columns."""


@dataclass(frozen=True, eq=False)
class PlausibilityTotals:
    """Exact weights of perturbed rows in each scenario.

    Attributes
    ----------
    total, implausible, changed, both : (S,) each
        Of rows with a value to perturb, of implausible ones, of those whose prediction changes
        (or, for a score, the size of the change), and of those with both.
    found : for each kind of scenario that the plan has (without and with coupled columns)
        Weights of the implausible pairs, all attributes perturbed, by the positions of attribute
        and category, then by cell.
    spreads : PerScenario of RiskSpread, of the plausible perturbations of each row
    """

    total: Array
    implausible: Array
    changed: Array
    both: Array
    found: tuple[dict[tuple[int, int], Cells], ...]
    spreads: PerScenario

    def __add__(self, other: PlausibilityTotals) -> PlausibilityTotals:
        if not isinstance(other, PlausibilityTotals):
            return NotImplemented
        return PlausibilityTotals(
            self.total + other.total,
            self.implausible + other.implausible,
            self.changed + other.changed,
            self.both + other.both,
            tuple(
                {pair: _add_cells(a.get(pair, {}), b.get(pair, {})) for pair in {**a, **b}}
                for a, b in zip(self.found, other.found, strict=True)
            ),
            self.spreads + other.spreads,
        )


def _add_cells(one: Cells, other: Cells) -> Cells:
    return {cell: one.get(cell, 0) + other.get(cell, 0) for cell in {**one, **other}}


@dataclass(frozen=True, eq=False)
class PlausibilityFold:
    """The fold that adds up which perturbed rows are implausible, and which change."""

    check: PairCheck

    def __call__(self, changes: Changes) -> PlausibilityTotals:
        """Check the variants of a chunk."""
        # Without weights rows are counted, which is exact and fast.
        weights = changes.weights
        w = np.ones(changes.n_rows, dtype=bool) if weights is None else weights
        variants, plan = changes.variants, changes.plan
        implausible, hits = self.check.find_implausible(changes.chunk)

        def add_up(expected: Array) -> Array:
            return np.array([exact_sums(row * w)[0] for row in expected], object)

        last = [plan.find_scenario(-1, kind) for kind in range(len(plan.kinds))]
        found: tuple[dict[Any, Cells], ...] = tuple({} for _ in last)
        for pair, (hit, cell) in hits.items():
            own, cells = w[variants.rows[hit]], cell[hit]
            for of_kind, s in zip(found, last, strict=True):
                of_kind[pair] = _sum_by_cell(cells, variants.probability[hit, s] * own)
        share = changes.expect(implausible)
        plausible = np.maximum(changes.is_perturbed - share, 0)
        changed = changes.expect(changes.loss * ~implausible)
        return PlausibilityTotals(
            np.array([exact_sums(w[rows])[0] for rows in changes.is_perturbed], object),
            add_up(share),
            add_up(changes.risk),
            add_up(changes.expect(changes.loss * implausible)),
            found,
            PerScenario(
                RiskSpread.of(changes, *of_scenario)
                for of_scenario in zip(changed, plausible, strict=True)
            ),
        )


def _sum_by_cell(cells: Array, mass: Array) -> Cells:
    """Return exact sums of the mass in each cell that has any."""
    some = mass > 0
    place, found = pd.factorize(cells[some])
    return dict(zip(found.tolist(), exact_sums(mass[some], place, len(found)), strict=True))


@dataclass(frozen=True, eq=False)
class Plausibility:
    """Share of perturbed rows that are plausible, and the risk of those alone.

    Attributes
    ----------
    plan : PerturbationPlan
    check : PairCheck
        What the reference data tell about pairs of values.
    totals : PlausibilityTotals
    kind : int
        Which scenarios it is about, where the plan has them without (0) and with (1) coupled
        columns.
    is_score : bool
        Whether `risk` is the mean size of the change of a score, and not a share of rows.

    Examples
    --------
    >>> from dr_core import assess_risk
    >>> X = pd.DataFrame({"sex": ["M", "M", "F", "F"], "title": ["Mr", "Dr", "Ms", "Dr"]})
    >>> X = pd.concat([X] * 10, ignore_index=True)
    >>> promotes = lambda X: (X["sex"] == "M") & (X["title"] == "Dr")
    >>> found = assess_risk(promotes, X, {"sex": "M"}).plausibility()
    >>> found.share, found.risk
    (0.5, 1.0)
    >>> found.pairs[["becomes", "column", "value", "rows", "seen", "expected"]]
      becomes column value  rows  seen  expected
    0       F  title    Mr  10.0     0       5.0
    1       M  title    Ms  10.0     0       5.0
    >>> found.n_reference_rows, round(found.min_expected, 1), found.power
    (40, 6.0, 1.0)
    """

    plan: PerturbationPlan
    check: PairCheck
    totals: PlausibilityTotals
    kind: int = 0
    is_score: bool = False

    @property
    def names(self) -> list[Any]:
        """Names of what is perturbed, each attribute alone (where asked for), then all."""
        return self.plan.names

    @property
    def when_coupled(self) -> Plausibility | None:
        """The same for DR with coupled columns, in results of `compare` with rules; else None.

        With rules, `compare` checks two sets of perturbed rows: those in which nothing else
        changes, and those in which coupled columns follow. `assess_risk` perturbs the latter
        only, and its own result is about them.
        """
        if self.kind + 1 >= len(self.plan.kinds):
            return None
        return replace(self, kind=self.kind + 1)

    @property
    def share(self) -> float:
        """Share of perturbed rows that are implausible, all attributes perturbed together.

        It depends on the number of reference rows: with few rows, only frequent pairs of values
        can be checked. Compare it only between audits with about as many reference rows.
        """
        return float(self.table()["implausible"].iloc[-1])

    @property
    def risk(self) -> float:
        """Discriminative risk, or shift, of plausible rows only; NaN where there is none."""
        return float(self.table()["risk_plausible"].iloc[-1])

    def interval(self, confidence: float = 0.95, *, method: str = "clopper-pearson") -> Interval:
        """Return the confidence interval of `risk` for the population of the people.

        It takes the implausible pairs as known. It is NaN for scores, and if values of a range are
        perturbed, whose frequencies it does not allow for.

        Parameters
        ----------
        confidence : float in (0, 1)
        method : {"clopper-pearson", "wilson", "chernoff"}
            See `RiskAssessment.interval`.

        Examples
        --------
        >>> from dr_core import assess_risk, datasets
        >>> income = datasets.load("income")
        >>> risk = assess_risk(lambda X: X["sex"] == "Male", income.data, {"sex": "Male"})
        >>> low, high, *_ = risk.plausibility().interval()
        >>> round(low, 4), high
        (0.9998, 1.0)
        """
        return self.make_sample(-1).interval(confidence, method)

    def make_sample(self, s: int) -> MeanSample:
        """Return the risk of plausible rows in a scenario, with its effective number of people."""
        own = self.plan.find_scenario(s, self.kind)
        active = self.plan.scenarios[own].active
        has_range = any(self.plan.attributes.attributes[j].condition for j in active)
        weight = self.totals.total[own] - self.totals.implausible[own]
        if self.is_score or has_range or not weight:
            return MeanSample.of_rows(math.nan, 0)
        mean = share(self.totals.changed[own] - self.totals.both[own], weight)
        sample: MeanSample = self.totals.spreads[own].make_sample(mean, weight)
        return sample

    @property
    def n_reference_rows(self) -> int:
        """Number of rows of the reference data."""
        return self.check.n_rows

    @property
    def min_expected(self) -> float:
        """Number of reference rows that chance alone must give an impossible pair to be found.

        A pair of values that is never seen is implausible only if about this many reference rows
        are expected to have it when both values are independent.
        """
        return self.check.min_expected

    @property
    def power_by_attribute(self) -> pd.Series:
        """Share of the pairs in perturbed rows that the check would find if they were impossible.

        A pair that never occurs is implausible only if enough reference rows would have it by
        chance: see `min_expected`. With few rows the power is low, and a share of 0 implausible
        rows says little. Each pair of a new value of the attribute and a value of another column
        counts once for each perturbed row of the reference data that has it. Numbers count by
        their bins: the power says nothing about impossible values within a bin.
        """
        return pd.Series(self.check.powers, name="power", dtype=float)

    @property
    def power(self) -> float:
        """The lowest power of an attribute; NaN if there are no pairs to judge."""
        return min(self.check.powers.values(), default=math.nan)

    def describe_power(self) -> str:
        """Return sentences on how many reference rows there are, and what they can show."""
        if not self.check.powers:
            return "There is no other column to judge them by."
        sentences = self._describe_shares(), self._describe_min_expected(), self._describe_bins()
        return " ".join(filter(None, sentences))

    def _describe_shares(self) -> str:
        rows = f"the {self.n_reference_rows:,} reference rows"
        if self.has_power:
            shares = _format_powers(self.check.powers)
            return (
                f"{rows.capitalize()} are enough to check most combinations of a new "
                f"sensitive value and a value of another column ({shares})."
            )
        low = {name: power for name, power in self.check.powers.items() if power < MIN_POWER}
        high = {name: power for name, power in self.check.powers.items() if name not in low}
        others = f" ({_format_powers(high)})" if high else ""
        more = "There may be more implausible combinations"
        start = "This says little" if self.pairs.empty else more
        return (
            f"{start}, because {rows} are too few for {format_enumeration(map(str, low))}: only "
            f"{format_enumeration(map(format_percent, low.values()))} of the combinations of a "
            "new sensitive value and a value of another column are frequent enough to check"
            f"{others}."
        )

    def _describe_min_expected(self) -> str:
        if math.isinf(self.min_expected):
            return "With an alpha of 0, no combination is ever implausible."
        needed = (
            "Combinations that chance alone would put into fewer than about "
            f"{math.ceil(self.min_expected)} reference rows are too rare to check."
        )
        if self.has_power and self.pairs.empty:
            return needed
        return f"{needed} The share of implausible rows depends on the number of reference rows."

    def _describe_bins(self) -> str:
        if not self.check.has_bins:
            return ""
        return BINS_NOTE if self.has_power else f"{BINS_NOTE} {FEWER_BINS_NOTE}"

    @property
    def has_power(self) -> bool:
        """Whether the power of every attribute is at least 80 %."""
        return self.power >= MIN_POWER

    def to_dict(self) -> dict[str, float | int | None]:
        """Return shares, risk and power in plain types; undefined and infinite values are None."""
        values = {
            "implausible": self.share,
            "risk_plausible": self.risk,
            "power": self.power,
            "min_expected": self.min_expected,
        }
        finite = {name: v if math.isfinite(v) else None for name, v in values.items()}
        return {"reference_rows": self.n_reference_rows, **finite}

    def table(self) -> pd.DataFrame:
        """Return the share of implausible rows, and the risk of either kind, by scenario."""
        totals = self.totals
        own = slice(
            self.plan.find_scenario(0, self.kind), self.plan.find_scenario(-1, self.kind) + 1
        )
        every = totals.total, totals.implausible, totals.changed, totals.both
        total, implausible, changed, both = (sums[own] for sums in every)
        shares = {
            "implausible": (implausible, total),
            "risk_plausible": (changed - both, total - implausible),
            "risk_implausible": (both, implausible),
        }
        return pd.DataFrame(
            {name: list(map(share, *of)) for name, of in shares.items()},
            index=pd.Index(self.names, name="perturbed"),
        )

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The implausible pairs that perturbed rows contain, the most frequent first.

        An `attribute` `becomes` a value rarely or never seen with this `value` of a `column`.
        `rows` is the expected weight of perturbed rows with the pair, `share` their share. The
        reference data has `seen` rows with the pair, and would have `expected` ones if both
        columns were independent.
        """
        frame = pd.DataFrame(self._iter_pairs(), columns=PAIR_COLUMNS)
        return frame.sort_values(
            ["rows", "expected"], ascending=False, kind="stable", ignore_index=True
        )

    def _iter_pairs(self) -> Iterator[tuple[Any, ...]]:
        pairs, total = self.check.pairs, self.totals.total[self.plan.find_scenario(-1, self.kind)]
        for (j, i), cells in sorted(self.totals.found[self.kind].items()):
            attribute, category = pairs.attributes.attributes[j], pairs.categories[i]
            seen, expected = pairs.counts[j, i], expected_counts(pairs.counts[j, i])
            for cell, mass in sorted(cells.items()):
                a, v = divmod(cell, len(category))
                becomes = pairs.categories[j].label(a)
                names = attribute.name, becomes, category.name, category.label(v)
                rows = to_float(mass), share(mass, total)
                yield *names, *rows, int(seen[a, v]), float(expected[a, v])

    def describe_pairs(
        self, max_pairs: int = MAX_NAMED, format_name: Callable[[Any], str] = str
    ) -> str:
        """Return the most frequent implausible pairs, with their numbers of perturbed rows.

        Pairs with less than one expected row, or with less than a tenth of the rows of the most
        frequent pair, are left out. A pair of two sensitive attributes, of which either may
        change, is named once.

        Parameters
        ----------
        max_pairs : int
        format_name : function that returns a name or value as it is shown
        """
        texts: dict[frozenset[Any], str] = {}
        pairs = self.pairs
        is_frequent = pairs["rows"] >= max(1, MIN_NAMED_SHARE * pairs["rows"].max())
        named = pairs[is_frequent] if is_frequent.any() else pairs.head(1)
        for row in named.itertuples():
            new = row.attribute, format_value(row.becomes)
            kept = row.column, format_value(row.value)
            values = (" = ".join(map(format_name, one)) for one in (new, kept))
            unit = f"{'row' if row.rows < 1.5 else 'rows'}{self._describe_average(row.attribute)}"
            # The first of two directions is the more frequent one.
            texts.setdefault(
                frozenset([new, kept]), f"{' with '.join(values)} ({format_rows(row.rows)} {unit})"
            )
        return "; ".join(list(texts.values())[:max_pairs])

    def _describe_average(self, name: Any) -> str:
        """Return " on average" if a row has several perturbations of an attribute."""
        attribute = next(one for one in self.plan.attributes if one.name == name)
        is_certain = attribute.n_targets == 1 and self.plan.p == 1
        return "" if is_certain else " on average"

    def __str__(self) -> str:
        if self.pairs.empty:
            return f"No implausible combination was found. {self.describe_power()}"
        known = f"{self.risk:.4g}" if self.is_score else format_percent(self.risk)
        low, high, *_ = self.interval()
        if not math.isnan(low):
            known += f" (95 % interval {' to '.join(format_percent_ends(low, high))})"
        limits = self._describe_bins() if self.has_power else self.describe_power()
        return (
            f"{format_percent(self.share)} of perturbed rows are implausible, with combinations "
            f"rarely or never seen in the data, such as {self.describe_pairs()}. Predictions "
            "for such rows may mean little. "
            f"{'Mean size of the shift' if self.is_score else 'Discriminative risk'} without the "
            f"implausible rows: {'undefined' if math.isnan(self.risk) else known}. {limits}"
        ).rstrip()

    def __repr__(self) -> str:
        return f"<Plausibility: {self}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>{self.pairs.to_html(float_format=_format_count)}"


def _format_powers(powers: Mapping[Any, float]) -> str:
    return ", ".join(f"{name}: {format_percent(power)}" for name, power in powers.items())


def _format_count(value: float) -> str:
    """Format a number of rows or a share with at least four digits.

    >>> _format_count(12462.0), _format_count(0.41317)
    ('12,462', '0.4132')
    """
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def judge_perturbed(
    plan: PerturbationPlan,
    part: Partition,
    predictions: Array,
    loss: Array,
    reference: Any,
    *,
    is_score: bool = False,
    **options: Any,
) -> Plausibility:
    """Judge the perturbed rows of a table in memory, from stored losses, without the model.

    Parameters
    ----------
    plan : PerturbationPlan
    part : Partition with all rows
    predictions : f(x) of each row
    loss : (k,) ℓ(f, x) of each variant, in the order in which the plan makes them
    reference : see `learn_pair_check`; by default these rows, one of each person
    is_score : whether losses are sizes of the change of a score
    **options : see `learn_pair_check`
    """
    if reference is None and part.person is not None:
        reference = part.one_row_each.native
    check = learn_pair_check(part.table, plan.attributes, reference, **options)
    source = partial(_iter_known_changes, plan=plan, predictions=predictions, loss=loss)
    columns = {WEIGHT: part.columns.get(WEIGHT), PERSON: part.columns.get(PERSON)}
    data = as_partitions(part.table, columns)
    found = fold(data, source, {"plausibility": PlausibilityFold(check)})
    totals = found["model"]["plausibility"]
    return Plausibility(plan, check, totals, is_score=is_score)


def _iter_known_changes(
    part: Partition, plan: PerturbationPlan, predictions: Array, loss: Array
) -> Iterator[tuple[str, Changes]]:
    """Yield the changes again from the stored losses."""
    start, columns = 0, part.row_columns
    for chunk in iter_perturbed(part.table, plan.at_row(0)):
        stop = start + len(chunk.variants)
        before = predictions[chunk.rows]
        changes = Changes(
            plan=plan,
            chunk=chunk,
            **columns.take(chunk.rows)._asdict(),
            predictor=Predictor(None),
            before=before,
            after=before[:0],
            loss=loss[start:stop],
        )
        start = stop
        yield "model", changes
