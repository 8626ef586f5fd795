"""Which perturbed rows could exist: x̃ judged by the pairs of values it contains.

A perturbed row is *implausible* when a sensitive value it was given hardly ever occurs together
with one of its other values in the reference data: a pair never seen there, or seen at most a
hundredth as often as chance would have it. The latter is for data such as income, where one of
9,782 women is recorded as a husband. Pairs that chance itself would not have shown once are not
judged: of them the data can say nothing.

Discriminative risk is made of two parts, DR = (1 − s) DR(plausible) + s DR(implausible), where s
is the share of perturbed rows that are implausible; a row that stays as it is counts as plausible.

Tallies add up, as `PairCounts` do: chunks and partitions are judged apart, by the pairs of all
reference data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import Table, as_table
from dr_core._utils import (
    Array,
    check_not_negative,
    check_rare,
    check_whole,
    exact_sums,
    listed,
    share,
    to_float,
)
from dr_core.perturbation import (
    BINS,
    RARE,
    CodedRows,
    Pair,
    PairCounts,
    SensitiveAttributes,
    Variants,
    category_codes,
    count_pairs,
    expected_counts,
    rare_cells,
    read_categories,
)

__all__ = ["CheckedRows", "PairCheck", "Plausibility", "PlausibilityTally", "learn_pair_check"]


MIN_EXPECTED = 1.0
"""Pairs that chance would have shown less often than this are not judged."""


MOST_NAMED = 3
"""Pairs that are named in one line."""

PAIRS = ["attribute", "becomes", "column", "value", "rows", "share", "seen", "expected"]


@dataclass(frozen=True, eq=False)
class PairCheck:
    """What is implausible, by reference data.

    Attributes
    ----------
    n_rows : int
        Rows of the reference data.
    pairs : PairCounts
        Of these rows.
    rare : mapping
        For each attribute and other category that have any: which of their pairs are implausible.
    """

    n_rows: int
    pairs: PairCounts
    rare: Mapping[Pair, Array]

    def over(self, rows: CodedRows) -> CheckedRows:
        """Get ready to check variants of these rows."""
        others = category_codes(rows.table, rows.codes, self.pairs.categories)
        return CheckedRows(self, rows, {i: others[i] for i in {i for _, i in self.rare}})


def learn_pair_check(
    table: Table,
    attributes: SensitiveAttributes,
    reference: Any = None,
    *,
    bins: int = BINS,
    rare: float = RARE,
    min_expected: float = MIN_EXPECTED,
) -> PairCheck:
    """Learn from reference data which pairs of values are implausible.

    Parameters
    ----------
    table : Table
        Rows that will be perturbed.
    attributes : SensitiveAttributes
    reference : DataFrame or array, optional
        The table itself when left out; columns that the table has not do not count.
    bins, rare, min_expected
        See `RiskAssessment.plausibility`.
    """
    check_whole("bins", bins, at_least=2)
    check_rare(rare)
    check_not_negative("min_expected", min_expected)
    known = table if reference is None else as_table(reference)
    absent = [key for key in table.keys() if key not in known.keys()]  # noqa: SIM118
    if absent:
        raise ValueError(f"the reference data lacks columns that X has: {listed(absent)}.")
    categories = [
        category
        for category in read_categories(known, attributes, bins)
        if category.name in attributes.names or category.name in table.keys()  # noqa: SIM118
    ]
    pairs = count_pairs(known, attributes, tuple(categories))
    verdicts = {pair: rare_cells(n, rare, min_expected) for pair, n in pairs.counts.items()}
    rare_ones = {pair: verdict for pair, verdict in verdicts.items() if verdict.any()}
    return PairCheck(known.n_rows, pairs, rare_ones)


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """Rows whose variants are checked.

    Attributes
    ----------
    check : PairCheck
    rows : CodedRows
    others : mapping
        Codes of the rows in each category that matters, by its position.
    """

    check: PairCheck
    rows: CodedRows
    others: Mapping[int, Array]

    def tally(
        self, where: slice, variants: Variants, changed: Array, weights: Array | None
    ) -> PlausibilityTally:
        """PairCheck variants of some of the rows.

        Parameters
        ----------
        where : slice of the rows that the variants are of
        variants : Variants, k of them
        changed : (k,) whether the prediction of each differs from that of its row
        weights : weights of these rows, or None for ones
        """
        # Without weights rows are counted, which is exact and fast.
        n = where.stop - where.start
        weights = np.ones(n, dtype=bool) if weights is None else weights
        mass = variants.probability[:, -1] * weights[variants.rows]
        implausible, found = np.zeros(len(variants.rows), bool), {}
        for pair, hit, cell in self._hits(where, variants):
            implausible |= hit
            found[pair] = _mass_by_cell(cell[hit], mass[hit])

        def total(which: Array) -> Array:
            chances = variants.chance_of(which, n)
            return np.array([exact_sums(chance * weights)[0] for chance in chances], object)

        return PlausibilityTally(
            self.check.pairs,
            exact_sums(weights)[0],
            total(implausible),
            total(changed),
            total(changed & implausible),
            found,
        )

    def _hits(self, where: slice, variants: Variants) -> Iterator[tuple[Pair, Array, Array]]:
        """For each pair of columns: which variants have an implausible pair, and which one."""
        own = self.rows.codes[:, where][:, variants.rows]
        others = self._others(where, variants, own)
        for (j, i), rare in self.check.rare.items():
            now = variants.codes[j]
            cell = np.maximum(now, 0).astype(np.intp) * rare.shape[1] + others[i]
            hit = (now != own[j]) & rare.ravel()[cell]
            if hit.any():
                yield (j, i), hit, cell

    def _others(self, where: slice, variants: Variants, own: Array) -> dict[int, Array]:
        """Codes of the variants in each category, where some follow the attributes."""
        codes = {i: of_rows[where][variants.rows] for i, of_rows in self.others.items()}
        couplings = self.rows.attributes.couplings
        before = self.rows.coupled[:, where][:, variants.rows]
        content = couplings.decode(before, couplings.follow(before, own, variants.codes))
        for i in codes:
            category = self.check.pairs.categories[i]
            if i < len(own):
                codes[i] = np.where(variants.codes[i] < 0, codes[i], variants.codes[i])
            elif category.name in content:
                values, became = content[category.name]
                codes[i] = np.where(became < 0, codes[i], category.of_values(values)[became])
        return codes


def _mass_by_cell(cells: Array, mass: Array) -> dict[int, int]:
    """Exact sums of the mass in each cell that has any."""
    there = mass > 0
    known, place = np.unique(cells[there], return_inverse=True)
    return dict(zip(known.tolist(), exact_sums(mass[there], place, len(known)), strict=True))


@dataclass(frozen=True, eq=False)
class PlausibilityTally:
    """Weights of perturbed rows, exact sums, for each scenario of a plan.

    Attributes
    ----------
    pairs : PairCounts of the reference data
    total : of all rows
    implausible, changed, both : (scenarios,) each
        Of implausible rows, of those whose prediction changes, and of both at once.
    found : mapping
        Weights of the implausible pairs, in the last scenario, by attribute and category: of each
        cell of their `PairCounts` that has any.
    """

    pairs: PairCounts
    total: int
    implausible: Array
    changed: Array
    both: Array
    found: Mapping[Pair, Mapping[int, int]]

    def __add__(self, other: PlausibilityTally) -> PlausibilityTally:
        if not isinstance(other, PlausibilityTally):
            return NotImplemented
        found = {
            pair: _added(self.found.get(pair, {}), other.found.get(pair, {}))
            for pair in {**self.found, **other.found}
        }
        return PlausibilityTally(
            self.pairs,
            self.total + other.total,
            self.implausible + other.implausible,
            self.changed + other.changed,
            self.both + other.both,
            found,
        )


def _added(one: Mapping[int, int], other: Mapping[int, int]) -> dict[int, int]:
    return {cell: one.get(cell, 0) + other.get(cell, 0) for cell in {**one, **other}}


@dataclass(frozen=True, eq=False)
class Plausibility:
    """How many perturbed rows could exist, and the risk of those alone.

    Attributes
    ----------
    names : list
        What is perturbed: each attribute alone (where asked for), then all of them together.
    tally : PlausibilityTally

    Examples
    --------
    >>> from dr_core import assess_risk
    >>> X = pd.DataFrame({"sex": ["M", "M", "F", "F"], "title": ["Mr", "Dr", "Ms", "Dr"]})
    >>> X = pd.concat([X] * 2, ignore_index=True)
    >>> promotes = lambda X: (X["sex"] == "M") & (X["title"] == "Dr")
    >>> found = assess_risk(promotes, X, {"sex": "M"}).plausibility()
    >>> found.share, found.risk
    (0.5, 1.0)
    >>> found.pairs[["becomes", "column", "value", "rows", "seen", "expected"]]
      becomes column value  rows  seen  expected
    0       F  title    Mr   2.0     0       1.0
    1       M  title    Ms   2.0     0       1.0
    """

    names: list[Any]
    tally: PlausibilityTally

    @property
    def share(self) -> float:
        """Share of perturbed rows that are implausible, all attributes perturbed together."""
        return float(self.table()["implausible"].iloc[-1])

    @property
    def risk(self) -> float:
        """Discriminative risk among plausible rows only; NaN where there is none."""
        return float(self.table()["risk_plausible"].iloc[-1])

    def table(self) -> pd.DataFrame:
        """Share of implausible rows, and the risk of either kind, by what is perturbed."""
        tally = self.tally
        total = np.full(len(self.names), tally.total, dtype=object)
        shares = {
            "implausible": (tally.implausible, total),
            "risk_plausible": (tally.changed - tally.both, total - tally.implausible),
            "risk_implausible": (tally.both, tally.implausible),
        }
        return pd.DataFrame(
            {name: list(map(share, *of)) for name, of in shares.items()},
            index=pd.Index(self.names, name="perturbed"),
        )

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The implausible pairs that perturbed rows contain, the most frequent first.

        An `attribute` `becomes` a value that hardly goes with this `value` of a `column`. `rows`
        of them, in expectation and by sample weight, a `share` of all; the reference data has
        `seen` such rows, where chance would have had it `expected` to.
        """
        frame = pd.DataFrame(self._pair_rows(), columns=PAIRS)
        return frame.sort_values(
            ["rows", "expected"], ascending=False, kind="stable", ignore_index=True
        )

    def _pair_rows(self) -> Iterator[tuple[Any, ...]]:
        pairs = self.tally.pairs
        for (j, i), found in sorted(self.tally.found.items()):
            attribute, category = pairs.attributes.attributes[j], pairs.categories[i]
            seen, expected = pairs.counts[j, i], expected_counts(pairs.counts[j, i])
            for cell, mass in sorted(found.items()):
                a, v = divmod(cell, len(category))
                names = attribute.name, attribute.values[a], category.name, category.label(v)
                rows = to_float(mass), share(mass, self.tally.total)
                yield *names, *rows, int(seen[a, v]), float(expected[a, v])

    def __str__(self) -> str:
        named = [
            f"{row.attribute} = {row.becomes} with {row.column} = {row.value} ({row.rows:,.0f})"
            for row in self.pairs.head(MOST_NAMED).itertuples()
        ]
        first = f", first of all {'; '.join(named)}" if named else ""
        return (
            f"{self.share:.2%} of perturbed rows are implausible{first}. Discriminative risk "
            f"among the others: {self.risk:.2%}."
        )

    def __repr__(self) -> str:
        return f"<Plausibility: {self}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(str(self))}</p>{self.pairs.to_html(float_format='{:,.4g}'.format)}"
