"""Pairs of values that occur together, and perturbed rows with pairs rarely or never seen.

Every column is read as a category: numbers of more than a few values by bins of about equal size,
anything else by its values. A perturbed row is *implausible* when a sensitive value it was given
is rare beside one of its other values in the reference data: at most a hundredth as frequent as if
both were independent, and significantly so (see `_rarity`). In the income data, for example, one
of 9,782 women is recorded as a husband.

A bin of a sensitive range has values of one group only. In a bin with both groups, the pairs of
one would hide that the other never has them. Bins depend on the values of one column, and on the
limits of a range, so they do not affect the test of independence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from dr_core._tables import Factorized, Partitions, Table, as_table, encode_known
from dr_core._utils import (
    Array,
    check_fraction,
    check_integer,
    quote,
    shorten_float,
    sort_values,
)
from dr_core.perturbation._attributes import (
    MARGINALISED,
    MISSING_LABEL,
    PRIVILEGED,
    Attribute,
    SensitiveAttributes,
)
from dr_core.perturbation._plan import PerturbedChunk
from dr_core.perturbation._rarity import (
    ALPHA,
    MAX_RARE_SHARE,
    can_have_rare_cells,
    find_detectable_cells,
    find_level,
    find_rare_cells,
)

__all__ = [
    "MAX_BINS",
    "Category",
    "PairCheck",
    "PairCounts",
    "count_pairs",
    "is_identifier",
    "learn_pair_check",
    "read_categories",
]

MAX_BINS = 10
"""Number of bins of a numeric column, and of each side of a range."""

ROWS_PER_PAIR = 15
"""Rows that a bin of a range is expected to share with a bin of another column, roughly.

A pair that never occurs then has a p-value of about exp(-15), which is significant among 30,000
pairs. A side of a range with few rows has fewer bins.
"""

IDENTIFIER_SHARE = 0.95
"""A column with at least this share of distinct values identifies rows."""

PairKey = tuple[int, int]
"""Position of a sensitive attribute, and of a category."""


@dataclass(frozen=True, eq=False)
class Category:
    """A column read as a category.

    Codes are positions in `labels`. The next code stands for missing values, the one after it
    for values that were not known when the category was learned.

    Attributes
    ----------
    name : hashable
    labels : tuple
        Values, or descriptions of the bins.
    edges : array or None
        First value of each bin but the first; None for a column that is not binned.
    """

    name: Any
    labels: tuple[Any, ...]
    edges: Array | None = None

    def __len__(self) -> int:
        return len(self.labels) + 2

    def label(self, code: int) -> Any:
        """Return the label of a code, a number as short as it can be written."""
        return shorten_float(self.labels[code]) if code < len(self.labels) else MISSING_LABEL

    def encode(self, table: Table) -> Array:
        """Return the codes of the rows of a table, shape (n,)."""
        edges, numbers = self.edges, table.numbers(self.name)
        if edges is not None and numbers is not None:
            codes = np.searchsorted(edges, numbers, side="right")
            # NaN sorts after every number; integers are never NaN.
            return np.where(numbers == numbers, codes, len(self.labels))
        column = table.factorize(self.name)
        return np.append(self.encode_values(column.values), len(self.labels))[column.codes]

    def encode_values(self, values: Sequence[Any]) -> Array:
        """Return the code of each of these values."""
        if self.edges is not None:
            return np.searchsorted(self.edges, self._to_numbers(values), side="right")
        known = encode_known(Factorized(np.arange(len(values)), list(values)), self.labels)
        return np.where(known < 0, len(self.labels) + 1, known)

    def _to_numbers(self, values: Sequence[Any]) -> Array:
        try:
            return _to_numbers(values)
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"column {self.name!r} holds numbers in the reference data, but {quote(values)} "
                "here. Give both the same type."
            ) from error


def read_categories(
    table: Table, attributes: SensitiveAttributes, bins: int = MAX_BINS
) -> tuple[Category, ...]:
    """Return the sensitive attributes as categories, then all other columns.

    Parameters
    ----------
    table : Table
    attributes : SensitiveAttributes
    bins : int
        Columns with more distinct numbers than this are put into so many bins. Each side of a
        sensitive range is put into at most so many bins.

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core import learn_attributes
    >>> from dr_core._tables import as_table
    >>> table = as_table(pd.DataFrame({"sex": ["M", "F"] * 3, "age": range(20, 26)}))
    >>> [c.labels for c in read_categories(table, learn_attributes(table, {"sex": "M"}), bins=3)]
    [('F', 'M'), ('below 22', '22 to 23', '24 and above')]
    """
    others = [key for key in table.keys() if key not in attributes.columns]  # noqa: SIM118
    return (
        *(_read_sensitive(table, attribute, bins) for attribute in attributes),
        *table.map(lambda key: _read_category(table, key, bins), others),
    )


def _read_sensitive(table: Table, attribute: Attribute, bins: int) -> Category:
    """Return an attribute as a category of its values; the numbers of a range in bins.

    Each side of a limit of the range is binned by itself, so that a bin has values of one group.
    """
    values, is_privileged = attribute.values, attribute.is_privileged
    if attribute.condition is None or len(values) <= bins or not _are_numbers(values):
        return Category(attribute.name, values)
    codes, numbers = attribute.encode(table), _to_numbers(values)
    n_rows = np.bincount(codes[codes >= 0], minlength=len(values))
    # If ages 18 … 80 are privileged from 28 on, the second side starts at value 10, which is 28.
    starts = np.flatnonzero(is_privileged[1:] != is_privileged[:-1]) + 1
    sides = zip(np.split(numbers, starts), np.split(n_rows, starts), strict=True)
    within = (_bin_side(np.repeat(*side), bins) for side in sides)
    edges = np.sort(np.concatenate([numbers[starts], *within]))
    return Category(attribute.name, tuple(_describe_bins(edges, numbers)), edges)


def _bin_side(numbers: Array, bins: int) -> Array:
    """Return the edges of bins of sorted numbers, fewer bins if these would have few rows."""
    return _find_edges(numbers, min(bins, round(len(numbers) / (ROWS_PER_PAIR * bins))))


def categorize(
    attributes: SensitiveAttributes, categories: Sequence[Category], codes: Array
) -> list[Array]:
    """Return codes of attributes, (attributes, k), as those of their categories; -1 stays -1."""
    return [
        own
        if category.edges is None
        else np.append(category.encode_values(attribute.values), -1)[own]
        for attribute, category, own in zip(attributes, categories, codes, strict=False)
    ]


def _read_category(table: Table, key: Any, bins: int) -> Category:
    numbers = _sort_numbers(table, key)
    # The values of a column with few of them are its categories. So are integers beyond 64 bits
    # where floats cannot tell them apart.
    is_new = numbers[1:] != numbers[:-1]
    if np.count_nonzero(is_new) < bins:
        values = table.distinct(key)
        if len(values) <= bins or not is_new.any():
            return Category(key, tuple(sort_values(values)))
    edges = _find_edges(numbers, bins)
    return Category(key, tuple(_describe_bins(edges, numbers)), edges)


def _find_edges(numbers: Array, bins: int) -> Array:
    """Return the first number of each bin of sorted numbers except the first bin."""
    is_new = numbers[1:] != numbers[:-1]
    if bins < 2 or not is_new.any():
        return numbers[:0]
    # Edges are quantiles of the rows. For 6 rows 20 … 25 and 3 bins they are rows 2 and 4, that
    # is 22 and 24: below 22, 22 to 23, 24 and above. A value that most rows have, such as 0, is a
    # quantile several times; it becomes a bin of its own, because no edge is at the lowest value.
    inner = numbers[[-(-i * (len(numbers) - 1) // bins) for i in range(1, bins)]]
    return np.unique(np.maximum(inner, numbers[1:][is_new][0]))


def _sort_numbers(table: Table, key: Any) -> Array:
    """Return the numbers of a numeric column, sorted, without missing values; else nothing."""
    numbers = table.numbers(key)
    if numbers is None:
        column = table.factorize(key)
        if not _are_numbers(column.values):
            return np.empty(0)
        numbers = _to_numbers(column.values)[column.codes[column.codes >= 0]]
    numbers = np.sort(numbers)  # NaN is last
    return numbers[: len(numbers) - np.count_nonzero(numbers != numbers)]


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(v, Real | Decimal) and not isinstance(v, bool) for v in values)


def _to_numbers(values: Sequence[Any]) -> Array:
    """Return numbers as an array; integers stay integers where 64 bits hold them."""
    numbers = np.asarray(values)
    return numbers if numbers.dtype.kind in "iu" else np.asarray(values, float)


def _describe_bins(edges: Array, numbers: Array) -> Iterator[str]:
    """Yield a description of each bin, by the sorted numbers that are in it.

    >>> list(_describe_bins(np.array([1, 1_250_000]), np.array([0, 1, 1_249_999, 1_250_000])))
    ['below 1', '1 to 1249999', '1250000 and above']
    """
    last = numbers[np.searchsorted(numbers, edges) - 1]
    yield f"below {_format_edge(edges[0])}"
    for low, high in zip(edges[:-1], last[1:], strict=True):
        yield _format_edge(low) + ("" if low == high else f" to {_format_edge(high)}")
    yield f"{_format_edge(edges[-1])} and above"


def _format_edge(number: Any) -> str:
    """Format a number with six digits, or with all digits before the decimal point."""
    return f"{number:.0f}" if 1e6 <= abs(number) < 1e15 else f"{number:g}"


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Rows counted by a sensitive value and the value of another column.

    Attributes
    ----------
    attributes : SensitiveAttributes
    categories : tuple of Category
        The sensitive attributes, then the other columns.
    counts : mapping
        For each attribute and each other category, by their positions: an array of shape (labels
        of the attribute's own category, codes of the other category).

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core import learn_attributes
    >>> from dr_core._tables import as_table
    >>> table = as_table(pd.DataFrame({"sex": ["M", "F", "M"], "title": ["Mr", "Ms", "Mr"]}))
    >>> attributes = learn_attributes(table, {"sex": "M"})
    >>> pairs = count_pairs(table, attributes, read_categories(table, attributes))
    >>> (pairs + pairs).counts[0, 1].tolist()
    [[0, 2, 0, 0], [4, 0, 0, 0]]
    """

    attributes: SensitiveAttributes
    categories: tuple[Category, ...]
    counts: Mapping[PairKey, Array]

    def __add__(self, other: PairCounts) -> PairCounts:
        if not isinstance(other, PairCounts):
            return NotImplemented
        if other.categories is not self.categories:
            raise ValueError("pair counts can be added only if they have the same categories.")
        counts = {pair: counts + other.counts[pair] for pair, counts in self.counts.items()}
        return replace(self, counts=counts)


def count_pairs(
    table: Table, attributes: SensitiveAttributes, categories: tuple[Category, ...]
) -> PairCounts:
    """Count the rows of a table, or of a part of one, by pairs of values."""
    sensitive = categorize(attributes, categories, attributes.encode(table))

    def count(i: int) -> dict[PairKey, Array]:
        codes, n = _encode_category(table, sensitive, categories, i), len(categories[i])
        return {
            (j, i): _cross_tabulate(sensitive[j], codes, len(categories[j].labels), n)
            for j in range(len(sensitive))
            if i != j
        }

    counts = table.map(count, range(len(categories)))
    return PairCounts(attributes, categories, {k: v for some in counts for k, v in some.items()})


def _encode_category(
    table: Table, sensitive: Sequence[Array], categories: Sequence[Category], i: int
) -> Array:
    """Return the codes of the rows in a category, given those in the sensitive ones."""
    category = categories[i]
    if i >= len(sensitive):
        return category.encode(table)
    return np.where(sensitive[i] < 0, len(category.labels), sensitive[i])


def _cross_tabulate(rows: Array, columns: Array, n_rows: int, n_columns: int) -> Array:
    # Missing values, code -1, are row 0 of the table of counts, which is dropped.
    cell = (rows.astype(np.intp) + 1) * n_columns + columns
    counts = np.bincount(cell, minlength=(n_rows + 1) * n_columns)
    return counts.reshape(n_rows + 1, n_columns)[1:]


@dataclass(frozen=True, eq=False)
class PairCheck:
    """Which pairs of values are implausible, by reference data.

    Attributes
    ----------
    n_rows : int
        Number of rows of the reference data.
    pairs : PairCounts
        Of these rows.
    rare : mapping
        For each attribute and other category that have any: which of their pairs are implausible.
    level : float
        Largest p-value with which one more pair would be implausible.
    """

    n_rows: int
    pairs: PairCounts
    rare: Mapping[PairKey, Array]
    level: float

    @property
    def min_expected(self) -> float:
        """Expected count from which on a pair that is never seen is implausible."""
        # P(X = 0) of the hypergeometric distribution is at most exp(-expected).
        return -math.log(self.level) if self.level else math.inf

    @cached_property
    def has_bins(self) -> bool:
        """Whether numbers were put into bins, and values within a bin are not distinguished."""
        judged = {category for pair in self.pairs.counts for category in pair}
        return any(self.pairs.categories[i].edges is not None for i in judged)

    @cached_property
    def powers(self) -> dict[Any, float]:
        """Power by attribute that has pairs to judge.

        This is the share of the pairs of perturbed reference rows that are implausible if never
        seen. Numbers in bins form one pair for each two bins.
        """
        totals = np.zeros((2, len(self.pairs.attributes)))  # detectable pairs, all pairs
        for (j, i), counts in self.pairs.counts.items():
            attribute, own = self.pairs.attributes.attributes[j], self.pairs.categories[j]
            # Codes of a category with one label say nothing about the attribute.
            if len(self.pairs.categories[i].labels) > 1:
                perturbed = _count_perturbed(attribute, own, counts)
                is_detectable = find_detectable_cells(counts, self.level)
                totals[:, j] += perturbed[is_detectable].sum(), perturbed.sum()
        names = self.pairs.attributes.names
        found = zip(names, *totals.tolist(), strict=True)
        return {name: part / whole for name, part, whole in found if whole}

    def find_implausible(
        self, chunk: PerturbedChunk
    ) -> tuple[Array, dict[PairKey, tuple[Array, Array]]]:
        """Find the variants that have an implausible pair.

        Returns
        -------
        implausible : (k,) whether each variant has one
        hits : for each pair of columns that has any, whether each variant has an implausible pair
            of these, and the cell of its pair in the flattened counts, (k,) each
        """
        variants = chunk.variants
        before = chunk.x.codes[:, variants.rows]
        sensitive = categorize(chunk.x.attributes, self.pairs.categories, variants.codes)
        codes = self._encode_variants(chunk, before, sensitive)
        implausible, hits = np.zeros(len(variants), dtype=bool), {}
        for (j, i), rare in self.rare.items():
            after = sensitive[j]
            # Value a of the attribute beside code c of a category of 5 codes is cell 5 * a + c.
            cell = np.maximum(after, 0).astype(np.intp) * rare.shape[1] + codes[i]
            hit = (variants.codes[j] != before[j]) & rare.ravel()[cell]
            if hit.any():
                implausible |= hit
                hits[j, i] = hit, cell
        return implausible, hits

    def _encode_variants(
        self, chunk: PerturbedChunk, before: Array, after_sensitive: Sequence[Array]
    ) -> dict[int, Array]:
        """Return the codes of the variants in each category that has implausible pairs."""
        attributes, variants, categories = (
            chunk.x.attributes,
            chunk.variants,
            self.pairs.categories,
        )
        n_sensitive = len(attributes)
        sensitive = categorize(attributes, categories, chunk.x.codes)
        content: dict[Any, Any] = {}
        if attributes.has_couplings:
            after = variants.codes[n_sensitive:]
            content = attributes.couplings.decode(before[n_sensitive:], after)
        codes = {}
        for i in {i for _, i in self.rare}:
            of_rows = _encode_category(chunk.x.table, sensitive, categories, i)[variants.rows]
            if i < n_sensitive:
                codes[i] = np.where(after_sensitive[i] < 0, of_rows, after_sensitive[i])
            elif categories[i].name in content:
                values, became = content[categories[i].name]
                new = categories[i].encode_values(values)[became]
                codes[i] = np.where(became < 0, of_rows, new)
            else:
                codes[i] = of_rows
        return codes


def _count_perturbed(attribute: Attribute, own: Category, counts: Array) -> Array:
    """Return the expected counts of pairs after an attribute is perturbed in all rows.

    Parameters
    ----------
    attribute : Attribute
    own : its category
    counts : array of shape (labels of the category, codes of another one)
    """
    labels = np.asarray(own.encode_values(attribute.values))
    perturbed = np.zeros(counts.shape)
    for group in (MARGINALISED, PRIVILEGED):
        leave = np.unique(labels[attribute.is_privileged == (group == PRIVILEGED)])
        codes, weights = attribute.targets[group]
        arrive = np.bincount(labels[codes], weights, minlength=len(counts)) / weights.sum()
        perturbed += np.outer(arrive, counts[leave].sum(axis=0))
    return perturbed


def _check_types(table: Table, categories: Sequence[Category]) -> None:
    """Raise ValueError if a column is numeric in the reference data, but not in the table."""
    for category in categories:
        if category.edges is not None and table.numbers(category.name) is None:
            category.encode_values(table.distinct(category.name))


def _leave_out_identifiers(pairs: PairCounts, alpha: float) -> PairCounts:
    """Return the pairs of columns that can be judged.

    Each value of an identifier is in one row, so that none of its pairs is ever implausible. If
    they were counted, Holm's correction would make other pairs harder to find.
    """
    counts = {
        key: counts for key, counts in pairs.counts.items() if not is_identifier(counts, alpha)
    }
    return replace(pairs, counts=counts)


def is_identifier(counts: Array, alpha: float) -> bool:
    """Return whether a column identifies rows, given its counts by the values of an attribute."""
    n_values = np.count_nonzero(counts.sum(axis=0))
    has_values_once = n_values >= IDENTIFIER_SHARE * counts.sum()
    return has_values_once and not can_have_rare_cells(counts, alpha)


def learn_pair_check(
    table: Table | Partitions,
    attributes: SensitiveAttributes,
    reference: Any = None,
    *,
    bins: int = MAX_BINS,
    rare: float = MAX_RARE_SHARE,
    alpha: float = ALPHA,
) -> PairCheck:
    """Learn from reference data which pairs of values are implausible.

    Parameters
    ----------
    table : Table or Partitions
        Rows that will be perturbed.
    attributes : SensitiveAttributes
    reference : DataFrame or array, optional
        The table itself by default. Columns that the table does not have are ignored.
    bins, rare, alpha
        See `RiskAssessment.plausibility`.
    """
    check_integer("bins", bins, at_least=2)
    check_fraction("rare", rare)
    check_fraction("alpha", alpha)
    known = as_table(table if reference is None else reference)
    absent = [key for key in table.keys() if key not in known.keys()]  # noqa: SIM118
    if absent:
        raise ValueError(f"the reference data lacks columns that X has: {quote(absent)}.")
    own = {*attributes.names, *table.keys()}
    categories = [one for one in read_categories(known, attributes, bins) if one.name in own]
    if known is not table and isinstance(table, Table):
        _check_types(table, categories[len(attributes) :])
    pairs = _leave_out_identifiers(count_pairs(known, attributes, tuple(categories)), alpha)
    found = find_rare_cells(pairs.counts, rare=rare, alpha=alpha)
    return PairCheck(known.n_rows, pairs, found, find_level(pairs.counts, found, alpha))
