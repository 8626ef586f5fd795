"""The result of `assess_shift`: the shift f(x̃) − f(x), over people and perturbations.

*Exact* shifts come from every possible x̃ of each row with its probability, as in `assess_risk`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from dr_core._tables import Partition
from dr_core._utils import (
    Array,
    Interval,
    check_choice,
    check_confidence,
    check_integer,
    check_nonnegative,
    check_weights,
    format_count,
    is_number,
    quote,
    rescale,
    share,
    widen_interval,
)
from dr_core.perturbation import (
    ALL,
    MARGINALISED,
    MISSING_LABEL,
    PRIVILEGED,
    PerturbationPlan,
    iter_perturbed,
)
from dr_core.risk._assessment import (
    NO_ROWS,
    RiskAssessment,
    describe_missing,
    describe_perturbed,
)
from dr_core.risk._blocks import BlockSums, bootstrap_mean, find_blocks
from dr_core.risk._frequencies import describe_few_learned
from dr_core.risk._plausibility import Plausibility, judge_perturbed
from dr_core.risk._shift_sums import (
    ERRORS,
    RowShifts,
    ShiftTotals,
)
from dr_core.risk._totals import (
    Codes,
    GroupSums,
    PerScenario,
    count_missing,
    describe_group,
    find_groups,
)

__all__ = ["ShiftAssessment"]

QUANTILES = (0.5, 0.9, 0.99)
"""Shares whose quantiles are shown by default."""

N_BOOT = 1000
"""Default number of bootstrap replicates."""

SUMS = {"mean": "size", "signed_mean": "shift"}
"""Name of the sum that each mean is computed from."""


@dataclass(frozen=True, eq=False)
class ShiftAssessment:
    """How far the score of a model moves, in total and by attribute, group and row.

    A shift is f(x̃) − f(x), positive if the score rises when sensitive attributes are perturbed.
    Its size is the absolute value. Averages and quantiles are over the rows that were perturbed,
    those with a sensitive value, and their perturbations, with all attributes perturbed together
    unless an attribute is named.

    For rows in memory there are also `individual`, `scores` and `find_most_affected`. For rows in
    partitions these raise ValueError, because rows are not collected.

    Attributes
    ----------
    plan : PerturbationPlan
        How the rows were perturbed.
    meaning : str
        Meaning of the score, such as "probability of 1".
    totals : ShiftTotals
        The sums that every result is computed from.
    risk : RiskAssessment, or None
        Discriminative risk of the decision "score > threshold", or of changes by more than a
        tolerance, where `threshold` or `tolerance` was given.
    part : Partition, or None
        X (not a copy), its weights and its people.
    """

    plan: PerturbationPlan
    meaning: str
    totals: ShiftTotals = field(repr=False)
    risk: RiskAssessment | None = field(default=None, repr=False)
    part: Partition | None = field(default=None, repr=False)

    @property
    def names(self) -> list[Any]:
        """Names of the attributes if perturbed alone (`each_attribute`), then "all"."""
        return self.plan.names

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.totals.group_sums[-1].total("rows")

    @cached_property
    def n_missing(self) -> dict[str, dict[str, int]]:
        """Numbers of rows that were "not_perturbed" or "partly_perturbed", by `names`.

        It is empty if no sensitive value is missing.
        """
        return count_missing(zip(self.names, self.totals.group_sums, strict=False))

    @cached_property
    def mean(self) -> float:
        """Mean size of the shift."""
        return self.totals.perturbed[-1].mean("size")

    @cached_property
    def signed_mean(self) -> float:
        """Mean shift, positive if scores rise on average."""
        return self.totals.perturbed[-1].mean("shift")

    @cached_property
    def largest(self) -> float:
        """Size of the largest shift."""
        return self._get_largest(-1)

    @cached_property
    def by_attribute(self) -> pd.Series:
        """Mean size of the shift of each attribute alone."""
        sums = zip(self.names, self.totals.perturbed, strict=True)
        alone = {name: one.mean("size") for name, one in sums if name != ALL}
        if not alone:
            raise ValueError("attributes were not perturbed one by one: pass each_attribute=True.")
        return pd.Series(alone, name="mean")

    @cached_property
    def by_group(self) -> pd.DataFrame:
        """Shifts by group, one row for each attribute and each of its values.

        For all attributes together, the groups are the combinations of values that occur.
        Columns: whether the group is `privileged` (None where a value is missing), its `rows`,
        its `share` of all rows, the `mean` size and the `signed_mean` of its shifts, their
        quantiles `q50`, `q90` and `q99`, and the `largest` size. A positive `signed_mean` is what
        members of the group would gain on average if they had other sensitive values. Means and
        quantiles are NaN for a group without a value to perturb. With `y` also `mean_score`,
        `mean_label`, `mean_error` (score minus label) and `mean_absolute_error`.
        """
        return pd.DataFrame(self._iter_groups())

    def quantiles(
        self,
        q: Sequence[float] = QUANTILES,
        *,
        signed: bool = False,
        attribute: Any = None,
        group: str | None = None,
    ) -> pd.Series:
        """Return quantiles of the size of the shift: the share q is at most this size.

        They come from a histogram that is the same for rows in memory and in partitions: a
        quantile is within 0.1 % of an exact one, relative to its own size.

        Parameters
        ----------
        q : sequence of float in [0, 1]
        signed : bool
            Whether to return quantiles of the shift instead of its size.
        attribute : hashable, optional
            The attribute that is perturbed; by default, all together.
        group : str, optional
            A group of this attribute as `by_group` names it; by default, all rows.
        """
        shares = _check_shares(q)
        s = self._find(attribute)
        groups = None if group is None else [self._find_group(s, group)]
        found = self.totals.histograms[s].total(groups)
        found = found if signed else found.sizes
        values = found.quantiles(shares, self.totals.perturbed[s].total("weight", groups))
        return pd.Series(values, index=pd.Index(shares, name="q"), name="shift")

    def quantile_intervals(
        self,
        q: Sequence[float] = QUANTILES,
        confidence: float = 0.95,
        *,
        signed: bool = False,
        attribute: Any = None,
        group: str | None = None,
    ) -> pd.DataFrame:
        """Return quantiles with their confidence intervals for the population of the people.

        The ends are order statistics, which need no distribution: j of n people are below the
        true quantile with binomial probabilities, where n is Kish's effective number of people.
        An end that n people cannot bound is infinite, or 0 for a low end of sizes. For rows in
        memory.

        Parameters
        ----------
        q, signed, attribute, group
            As for `quantiles`.
        confidence : float in (0, 1)

        Returns
        -------
        DataFrame
            Indexed by q. Columns: the quantile of the `shift`, and the `low` and `high` end.
        """
        check_confidence(confidence)
        shares, n = _check_shares(q), self._count_effective(self._find(attribute), group)
        low, high = _find_order(shares, n, confidence)
        columns = {"shift": np.array(shares), "low": low.clip(0), "high": high.clip(max=1)}
        found = {
            name: self.quantiles(some.tolist(), signed=signed, attribute=attribute, group=group)
            for name, some in columns.items()
        }
        frame = pd.DataFrame({name: values.to_numpy() for name, values in found.items()})
        if n:  # without any row, the ends are unknown
            frame["low"] = frame["low"].where(low > 0, -np.inf if signed else 0.0)
            frame["high"] = frame["high"].where(high <= 1, np.inf)
        return frame.set_index(pd.Index(shares, name="q"))

    def share_above(self, threshold: float, *, attribute: Any = None) -> float:
        """Return the share of shifts that are larger than a threshold.

        It is the discriminative risk with this `tolerance`. The histogram it comes from may count
        sizes within 0.1 % of the threshold on the other side of it; 0 is exact.

        Parameters
        ----------
        threshold : float
            In the unit of the score, at least 0.
        attribute : hashable, optional
            The attribute that is perturbed; by default, all together.
        """
        check_nonnegative("threshold", threshold)
        s = self._find(attribute)
        above = self.totals.histograms[s].total().sizes.sum_above(threshold)
        return min(share(above, self.totals.perturbed[s].total("weight")), 1.0)

    def interval(
        self,
        of: str = "mean",
        confidence: float = 0.95,
        *,
        attribute: Any = None,
        group: str | None = None,
        n_boot: int = N_BOOT,
        random_state: Any = 0,
    ) -> Interval:
        """Return a confidence interval of a mean for the population of the people.

        It is a studentised bootstrap over people, and not shorter than Student's t interval at
        either end. Up to 1,000 rows, each row is resampled; more
        rows, and people with several rows (`person`), are divided at random into 1,000 blocks
        that are resampled. It contains the mean. Where no score moved, it is 0 to 0, whatever the
        number of rows: no bootstrap knows how far unseen scores might move. The rows of one person
        alone say nothing about others: the interval then ends at infinity. It is NaN if no row was
        perturbed.

        Parameters
        ----------
        of : {"mean", "signed_mean"}
        confidence : float in (0, 1)
        attribute : hashable, optional
            The attribute that is perturbed; by default, all together.
        group : str, optional
            A group of this attribute as `by_group` names it; by default, all rows. For rows in
            memory.
        n_boot : int
            Number of replicates.
        random_state : int, Generator or None
        """
        check_choice("of", of, tuple(SUMS))
        s = self._find(attribute)
        codes = None if group is None else self._find_group(s, group)
        blocks = self._blocks[s] if codes is None else self._sum_blocks(s, codes)
        sizes, shifts, weights = blocks.get_shares()
        if not len(weights):  # no row has a value to perturb
            return Interval(np.nan, np.nan, confidence, "bootstrap")
        values = sizes if of == "mean" else shifts
        ends = bootstrap_mean(values, weights, confidence, n_boot, random_state)
        low, high = widen_interval(*ends, float(values.sum() / weights.sum()))
        return Interval(max(low, 0.0) if of == "mean" else low, high, confidence, "bootstrap")

    def table(self, confidence: float = 0.95) -> pd.DataFrame:
        """Return the shifts of `names`, with confidence interval, quantiles and groups.

        `privileged` and `marginalised` are the signed means of these groups: what their members
        would gain on average if they had other sensitive values. If some rows have no value to
        perturb, `not_perturbed` is their number.
        """
        frame = pd.DataFrame(
            {name: self._describe_scenario(s, name, confidence) for s, name in self._scenarios}
        ).T.rename_axis("perturbed")
        counts = self.n_missing.get("not_perturbed", {})
        return frame.assign(not_perturbed=list(counts.values())) if counts else frame

    @property
    def errors(self) -> pd.Series:
        """Means of scores, labels and errors over all rows, as in `by_group`; empty without y."""
        return pd.Series(self._get_errors(-1), dtype=float)

    @property
    def scores(self) -> Array:
        """Scores f(x), shape (n,)."""
        return self._rows.scores

    @property
    def individual(self) -> Array:
        """Mean size of the shift of each row, all attributes perturbed together, shape (n,).

        It is NaN for rows that were not perturbed, like `signed_individual`.
        """
        return np.where(self._rows.is_perturbed(-1, self.plan), self._rows.sizes[-1], np.nan)

    @property
    def signed_individual(self) -> Array:
        """Mean shift of each row, all attributes perturbed together, shape (n,)."""
        return np.where(self._rows.is_perturbed(-1, self.plan), self._rows.shifts[-1], np.nan)

    def find_most_affected(self, n: int = 10) -> pd.DataFrame:
        """Return the rows with the largest shifts, and the perturbation that moves each most.

        These are personal data. All attributes are perturbed together.

        Parameters
        ----------
        n : int
            Maximum number of rows.

        Returns
        -------
        DataFrame
            Its index is the position of the row in X. Columns: the `score` now and `becomes`, the
            score after the perturbation that moves it most; their difference, `shift`; the
            `mean` size over all perturbations of the row; and for each sensitive attribute, its
            value now, and after that perturbation (such as `sex` and `sex becomes`).
        """
        check_integer("n", n, at_least=1)
        frame = pd.concat(list(self._iter_largest()))
        order = np.argsort(-frame["shift"].abs().to_numpy(), kind="stable")[:n]
        return frame.iloc[order]

    def plausibility(self, reference: Any = None, **options: Any) -> Plausibility:
        """Compute the share of plausible perturbed rows, and the mean size of the shift of these.

        Parameters
        ----------
        reference, **options
            As for `RiskAssessment.plausibility`.
        """
        if self.part is None:
            raise ValueError(
                "plausibility is available only where assess_shift was given one table in memory; "
                "X came in partitions."
            )
        known = self.scores, np.abs(self._rows.of_variants)
        return judge_perturbed(self.plan, self.part, *known, reference, is_score=True, **options)

    @cached_property
    def _rows(self) -> RowShifts:
        if not self.totals.rows:
            raise ValueError(NO_ROWS)
        return RowShifts.concatenate(self.totals.rows)

    @cached_property
    def _blocks(self) -> PerScenario:
        if self.totals.blocks or self.part is None:
            return self.totals.blocks
        return PerScenario(self._sum_blocks(s) for s, _ in self._scenarios)

    def _sum_blocks(self, s: int, group: Codes | None = None) -> BlockSums:
        if self.part is None:
            raise ValueError(f"intervals of a group: {NO_ROWS}")
        n, part = len(self.scores), self.part
        block = find_blocks(0, n, part.person, n)
        return self._rows.sum_blocks(s, self.plan, block, part.weights, group)

    @property
    def _scenarios(self) -> list[tuple[int, Any]]:
        return list(enumerate(self.names))

    def _find(self, attribute: Any) -> int:
        """Return the scenario that perturbs an attribute alone; by default, all together."""
        if attribute is None:
            return len(self.names) - 1
        if attribute not in self.names:
            raise ValueError(f"attribute is {attribute!r}; it must be one of {quote(self.names)}.")
        return self.names.index(attribute)

    def _find_group(self, s: int, group: str) -> Codes:
        names = {
            describe_group(self.plan, self.plan.scenarios[s], codes)[0]: codes
            for codes in sorted(self.totals.group_sums[s].sums)
        }
        if group not in names:
            raise ValueError(f"group is {group!r}; it must be one of {quote(names)}.")
        return names[group]

    def _count_effective(self, s: int, group: str | None) -> float:
        """Return Kish's effective number of the perturbed people in a group, by default of all."""
        rows = self._rows
        some = rows.is_perturbed(s, self.plan)
        if group is not None:
            some &= rows.find_rows(s, self.plan, self._find_group(s, group))
        if self.part is None or not some.any():
            return 0.0
        weights = check_weights(self.part.weights, len(rows.scores))
        people = np.arange(len(weights)) if self.part.person is None else self.part.person
        of_people = np.bincount(pd.factorize(people[some])[0], rescale(weights)[some])
        return float(of_people.sum() ** 2 / (of_people**2).sum())

    def _get_largest(self, s: int, groups: Sequence[Codes] | None = None) -> float:
        """Return the largest size of a shift in these groups; NaN if they are not perturbed."""
        if not self.totals.perturbed[s].total("weight", groups):
            return np.nan
        return float(self.totals.histograms[s].total(groups).sizes.high.max(initial=0.0))

    def _describe_scenario(self, s: int, name: Any, confidence: float) -> dict[str, float]:
        sums = self.totals.perturbed[s]
        low, high, *_ = self.interval(confidence=confidence, attribute=name)
        found = {"mean": sums.mean("size"), "low": low, "high": high}
        found |= {"signed_mean": sums.mean("shift")} | self._describe_sizes(s)
        means = (self._get_group_mean(s, group) for group in (PRIVILEGED, MARGINALISED))
        return found | dict(zip(("privileged", "marginalised"), means, strict=True))

    def _describe_sizes(self, s: int, groups: list[Codes] | None = None) -> dict[str, float]:
        sizes = self.totals.histograms[s].total(groups).sizes
        weight = self.totals.perturbed[s].total("weight", groups)
        values = sizes.quantiles(QUANTILES, weight)
        names = (f"q{100 * q:g}" for q in QUANTILES)
        return dict(zip(names, values, strict=True)) | {"largest": self._get_largest(s, groups)}

    def _get_group_mean(self, s: int, group: int) -> float:
        sums: GroupSums = self.totals.group_sums[s]
        return sums.mean("shift", find_groups(self.plan, self.plan.scenarios[s], sums, group))

    def _iter_groups(self) -> Iterator[dict[str, Any]]:
        for s, name in self._scenarios:
            sums: GroupSums = self.totals.group_sums[s]
            for codes in sorted(sums.sums):
                group, privileged = describe_group(self.plan, self.plan.scenarios[s], codes)
                weight = share(sums.total("weight", [codes]), sums.total("weight"))
                rows = {"rows": sums.total("rows", [codes]), "share": weight}
                means = {key: sums.perturbed.mean(of, [codes]) for key, of in SUMS.items()}
                identity = {"attribute": name, "group": group, "privileged": privileged}
                errors = self._get_errors(s, [codes])
                yield identity | rows | means | self._describe_sizes(s, [codes]) | errors

    def _get_errors(self, s: int, groups: list[Codes] | None = None) -> dict[str, float]:
        sums: GroupSums = self.totals.group_sums[s]
        return {name: sums.mean(name, groups) for name in ERRORS if name in sums.columns}

    def _iter_largest(self) -> Iterator[pd.DataFrame]:
        """Yield for the rows of each chunk the variant of the last scenario that moves it most."""
        rows, start = self._rows, 0
        if self.part is None:
            return
        for chunk in iter_perturbed(self.part.table, self.plan.at_row(0)):
            variants = chunk.variants
            shift = rows.of_variants[start : start + len(variants)]
            start += len(variants)
            some = np.flatnonzero((shift != 0) & (variants.probability[:, -1] > 0))
            # Largest first; np.unique then finds the first variant of each row.
            some = some[np.argsort(-np.abs(shift[some]), kind="stable")]
            found, first = np.unique(variants.rows[some], return_index=True)
            most, position = some[first], chunk.rows.start + found
            score = rows.scores[position].astype(float)
            moved = {"score": score, "becomes": score + shift[most], "shift": shift[most]}
            moved["mean"] = rows.sizes[-1][position]
            values = self._decode(chunk.x.codes[:, found], variants.codes[:, most])
            yield pd.DataFrame(moved | values, index=pd.Index(position, name="row"))

    def _decode(self, before: Array, after: Array) -> dict[str, list[Any]]:
        """Return the values of each attribute before and after a perturbation."""
        found = {}
        for attribute, old, new in zip(self.plan.attributes, before, after, strict=False):
            for name, codes in ((f"{attribute.name}", old), (f"{attribute.name} becomes", new)):
                found[name] = [attribute.values[c] if c >= 0 else MISSING_LABEL for c in codes]
        return found

    def describe_missing(self) -> list[str]:
        """Say how many rows missing values kept from being perturbed, fully or in part."""
        name, keys = str(self.names[-1]), ("not_perturbed", "partly_perturbed")
        return describe_missing(*(self.n_missing.get(key, {}).get(name, 0) for key in keys))

    @property
    def notes(self) -> list[str]:
        """What to know about the values that rows become, and about the intervals."""
        return [*self.plan.notes, *describe_few_learned(self.plan.learned)]

    @property
    def _headline(self) -> str:
        low, high, confidence, _ = self.interval()
        perturbed = describe_perturbed(self.plan.attributes)
        rows = "; ".join([format_count(self.n_rows, "row"), *self.describe_missing(), *self.notes])
        return (
            f"the {self.meaning} moves by {self.mean:.4g} on average when only {perturbed} "
            f"({100 * confidence:g} % interval {low:.4g} to {high:.4g}; at most "
            f"{self.largest:.4g}; {self.plan.method}, {rows})"
        )

    def __repr__(self) -> str:
        return f"<ShiftAssessment: {self._headline}>"

    def _repr_html_(self) -> str:
        table = self.table().to_html(float_format="{:.4g}".format)
        return f"<p>{escape(self._headline)}</p>{table}"


def _check_shares(q: Any) -> list[float]:
    shares = [q] if is_number(q) else list(q)
    for one in shares:
        if not (is_number(one) and 0 <= one <= 1):
            raise ValueError(f"q must be shares in [0, 1]; got {one!r}.")
    return shares


# Of 20 people, Binomial(20, ½) are below the median: 6 to 14 with probability 0.96. So the median
# is between the values of the 6th and the 15th person: the shares 6/20 and 15/20.
def _find_order(q: Sequence[float], n: float, confidence: float) -> tuple[Array, Array]:
    """Return the shares of n people at the ends of the intervals of quantiles.

    A share of 0 or of more than 1 means that no person bounds the quantile on that side.
    """
    people, tail = max(np.floor(n), 1.0), (1 - confidence) / 2
    low, high = (binom.ppf(share, people, q) for share in (tail, 1 - tail))
    return low.clip(0) / people, (high + 1) / people
