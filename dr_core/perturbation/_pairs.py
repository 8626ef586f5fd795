"""How often each sensitive value occurs together with each value of the other columns.

Every column is read as a category: numbers of more than a few values by bins of about equal size,
anything else by its values. `PairCounts` of parts add up to those of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from dr_core._tables import Factorized, Table, encode_known
from dr_core._utils import Array, listed, sorted_values
from dr_core.perturbation._attributes import SensitiveAttributes

__all__ = [
    "MISSING",
    "Category",
    "Pair",
    "PairCounts",
    "category_codes",
    "count_pairs",
    "expected_counts",
    "rare_cells",
    "read_categories",
]

MISSING = "(missing)"
"""How a missing value is called."""

BINS = 10
"""Bins of a column of numbers."""

RARE = 0.01
"""Pairs that occur at most this share as often as chance would have it are implausible."""

Pair = tuple[int, int]
"""Position of a sensitive attribute, and of a category."""


@dataclass(frozen=True, eq=False)
class Category:
    """A column read as a category.

    Codes are positions in `labels`; the two after these stand for missing values, and for values
    that were not known when the category was learned.

    Attributes
    ----------
    name : hashable
    labels : tuple
        Values, or the bins in words.
    edges : array or None
        Where one bin ends and the next begins; None for a column that is not binned.
    """

    name: Any
    labels: tuple[Any, ...]
    edges: Array | None = None

    def __len__(self) -> int:
        return len(self.labels) + 2

    def label(self, code: int) -> Any:
        """What a code stands for."""
        return self.labels[code] if code < len(self.labels) else MISSING

    def encode(self, column: Factorized) -> Array:
        """Codes of a factorized column, shape (n,)."""
        return np.append(self.of_values(column.values), len(self.labels))[column.codes]

    def of_values(self, values: Sequence[Any]) -> Array:
        """Code of each of these values."""
        if self.edges is not None:
            return np.searchsorted(self.edges, self._numbers(values), side="right")
        known = encode_known(Factorized(np.arange(len(values)), list(values)), self.labels)
        return np.where(known < 0, len(self.labels) + 1, known)

    def _numbers(self, values: Sequence[Any]) -> Array:
        try:
            return _as_numbers(values)
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"column {self.name!r} holds numbers in the reference data, but {listed(values)} "
                "here. Give both the same type."
            ) from error


def read_categories(
    table: Table, attributes: SensitiveAttributes, bins: int = 10
) -> tuple[Category, ...]:
    """The sensitive attributes as categories, then all other columns.

    Parameters
    ----------
    table : Table
    attributes : SensitiveAttributes
    bins : int
        Numbers of more distinct values than this are put into so many bins.

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
    table.read(others)
    return (
        *(Category(attribute.name, attribute.values) for attribute in attributes),
        *(_read(key, table.factorize(key), bins) for key in others),
    )


def _read(key: Any, column: Factorized, bins: int) -> Category:
    numeric = all(isinstance(v, Real | Decimal) and not isinstance(v, bool) for v in column.values)
    if not numeric or len(column.values) <= bins:
        return Category(key, tuple(sorted_values(column.values)))
    numbers = np.sort(_as_numbers(column.values)[column.codes[column.codes >= 0]])
    values = np.unique(numbers)
    if len(values) == 1:  # whole numbers that no float can tell apart
        return Category(key, tuple(sorted_values(column.values)))
    inner = numbers[[-(-i * (len(numbers) - 1) // bins) for i in range(1, bins)]]
    # A value that most rows have, such as 0, is a bin of its own.
    edges = np.unique(np.maximum(inner, values[1]))
    return Category(key, tuple(_bins(edges, values)), edges)


def _as_numbers(values: Sequence[Any]) -> Array:
    """Numbers as an array; whole ones stay whole where 64 bits hold them."""
    numbers = np.asarray(values)
    return numbers if numbers.dtype.kind in "iu" else np.asarray(values, float)


def _bins(edges: Array, values: Array) -> Iterator[str]:
    """Bins in words, by the values that are in them."""
    yield f"below {edges[0]:g}"
    for low, high in pairwise(edges):
        last = values[values < high][-1]
        yield f"{low:g}" if low == last else f"{low:g} to {last:g}"
    yield f"{edges[-1]:g} and above"


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Rows counted by a sensitive value and the value of another column.

    Attributes
    ----------
    attributes : SensitiveAttributes
    categories : tuple of Category
        The sensitive attributes, then the other columns.
    counts : mapping
        For each attribute and each other category, by their positions: an array of shape (values
        of the attribute, codes of the category).

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
    counts: Mapping[Pair, Array]

    def __add__(self, other: PairCounts) -> PairCounts:
        if not isinstance(other, PairCounts):
            return NotImplemented
        if other.categories is not self.categories:
            raise ValueError("pairs can be added up where their categories are the same ones.")
        counts = {pair: counts + other.counts[pair] for pair, counts in self.counts.items()}
        return replace(self, counts=counts)


def expected_counts(counts: Array) -> Array:
    """What the counts of a table would be, were its rows and columns independent."""
    return np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)


def rare_cells(counts: Array, share: float, min_expected: float) -> Array:
    """Which cells of a table have at most this share of what chance would have them show.

    Those that chance would have shown less than `min_expected` times are not judged.

    >>> rare_cells(np.array([[9, 0], [0, 9]]), share=0.01, min_expected=1)
    array([[False,  True],
           [ True, False]])
    """
    expected = expected_counts(counts)
    return (counts <= share * expected) & (expected >= max(min_expected, 1e-9))


def count_pairs(
    table: Table, attributes: SensitiveAttributes, categories: tuple[Category, ...]
) -> PairCounts:
    """Count the rows of a table, or of a part of one, by pairs of values."""
    sensitive = attributes.encode(table)
    codes = category_codes(table, sensitive, categories)
    counts = {
        (j, i): _crossed(sensitive[j], codes[i], len(attribute.values), len(category))
        for j, attribute in enumerate(attributes)
        for i, category in enumerate(categories)
        if i != j
    }
    return PairCounts(attributes, categories, counts)


def category_codes(table: Table, sensitive: Array, categories: Sequence[Category]) -> list[Array]:
    """Codes of the rows in each category, the sensitive attributes first."""
    others = categories[len(sensitive) :]
    own = [
        np.where(codes < 0, len(category.labels), codes)
        for category, codes in zip(categories, sensitive, strict=False)
    ]
    return own + [category.encode(table.factorize(category.name)) for category in others]


def _crossed(rows: Array, columns: Array, n_rows: int, n_columns: int) -> Array:
    known = rows >= 0
    cell = rows[known].astype(np.intp) * n_columns + columns[known]
    return np.bincount(cell, minlength=n_rows * n_columns).reshape(n_rows, n_columns)
