"""Cells of contingency tables that are significantly and by far too rare.

A cell is *rare* if its count is at most a small share of the count expected under independence,
and if so low a count is significant. The p-value is the lower tail of Fisher's exact test: the
probability P(X ≤ seen) of the hypergeometric distribution with the margins of the table. Holm's
correction counts all cells of all tables, so that tables of independent columns have any rare
cell with a probability of at most `alpha` [1]_.

References
----------
.. [1] S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of
   Statistics 6, 65-70, 1979.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import numpy as np
from scipy.stats import hypergeom

from dr_core._utils import Array

__all__ = [
    "ALPHA",
    "MAX_RARE_SHARE",
    "can_have_rare_cells",
    "expected_counts",
    "find_detectable_cells",
    "find_level",
    "find_rare_cells",
]

MAX_RARE_SHARE = 0.01
"""Pairs at most this share as frequent as under independence can be implausible."""

ALPHA = 0.01
"""Largest probability that any pair of independent columns is called implausible."""

Key = TypeVar("Key")


def expected_counts(counts: Array) -> Array:
    """Return the counts of a table if its rows and columns were independent."""
    return np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)


def find_rare_cells(
    tables: Mapping[Key, Array], *, rare: float = MAX_RARE_SHARE, alpha: float = ALPHA
) -> dict[Key, Array]:
    """Return the rare cells of each table that has any, as boolean arrays.

    Parameters
    ----------
    tables : mapping to arrays of counts
        Cells of empty rows and columns are not judged.
    rare : float in [0, 1)
        A rare cell has at most this share of its expected count.
    alpha : float in [0, 1)
        Level of significance for all cells of all tables together.

    Examples
    --------
    >>> find_rare_cells({"large": np.array([[9, 0], [0, 9]]), "small": np.array([[2, 0], [0, 2]])})
    {'large': array([[False,  True],
           [ True, False]])}
    """
    expected = {key: expected_counts(counts) for key, counts in tables.items()}
    n_judged = _count_judged(expected.values())
    found = {key: _find_candidates(tables[key], expected[key], rare, alpha) for key in tables}
    p_values = [_compute_p_values(tables[key], cells) for key, cells in found.items()]
    significant = _find_significant(np.concatenate([*p_values, []]), n_judged, alpha)
    ends = np.cumsum([len(p) for p in p_values])
    for cells, kept in zip(found.values(), np.split(significant, ends), strict=False):
        cells[cells] = kept
    return {key: cells for key, cells in found.items() if cells.any()}


def can_have_rare_cells(counts: Array, alpha: float = ALPHA) -> bool:
    """Return whether a table with these margins can have a rare cell, whatever its counts are.

    Parameters
    ----------
    counts : array of counts
    alpha : level of significance for all cells of all tables together

    Examples
    --------
    >>> can_have_rare_cells(np.array([[9, 0], [0, 9]])), can_have_rare_cells(np.eye(18))
    (True, False)
    """
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    # The smallest p-value of all is that of a count of 0 where both margins are largest. Holm's
    # correction compares it with at most alpha / (number of cells of this table).
    smallest = hypergeom.pmf(0, rows.sum(), columns.max(), rows.max())
    return bool(smallest * np.count_nonzero(rows) * np.count_nonzero(columns) <= alpha)


def find_level(
    tables: Mapping[Key, Array], rare: Mapping[Key, Array], alpha: float = ALPHA
) -> float:
    """Return the p-value with which one more cell would be significant.

    Parameters
    ----------
    tables, rare : the tables, and the cells that `find_rare_cells` found in them
    alpha : level of significance for all cells of all tables together

    Examples
    --------
    >>> tables = {"large": np.array([[9, 0], [0, 9]]), "small": np.array([[2, 0], [0, 2]])}
    >>> round(find_level(tables, find_rare_cells(tables)), 5)  # 0.01 / (8 - 2)
    0.00167
    """
    # Holm's correction compares the next p-value after k significant ones with alpha / (n - k).
    n_judged = _count_judged(map(expected_counts, tables.values()))
    n_rare = sum(int(np.count_nonzero(cells)) for cells in rare.values())
    return alpha / max(n_judged - n_rare, 1)


def find_detectable_cells(counts: Array, level: float) -> Array:
    """Return which cells would be rare if nothing had been counted in them.

    Parameters
    ----------
    counts : array of counts
    level : largest p-value, see `find_level`

    Examples
    --------
    >>> find_detectable_cells(np.array([[90, 9], [9, 0]]), level=0.001)
    array([[ True,  True],
           [ True, False]])
    """
    rows, columns = counts.sum(axis=1)[:, None], counts.sum(axis=0)
    # The p-value of a count of 0 is P(X = 0); here 0.37 for the last cell, where 0.8 are expected.
    return np.asarray(hypergeom.pmf(0, counts.sum(), columns, rows) <= level)


def _count_judged(expected: Iterable[Array]) -> int:
    return sum(int(np.count_nonzero(of_table)) for of_table in expected)


def _find_candidates(counts: Array, expected: Array, rare: float, alpha: float) -> Array:
    """Return the cells with a low enough count whose p-value can be alpha or less."""
    rows, columns, n = counts.sum(axis=1)[:, None], counts.sum(axis=0), counts.sum()
    # A p-value is at least P(X = 0), the chance that none of the c rows of a column is one of the
    # r rows of a value: (1 - r / n) (1 - r / (n - 1)) … (1 - r / (n - c + 1)). The last factor is
    # the smallest. This bound spares the p-values of most cells of columns with many values.
    smallest = np.maximum(1 - rows / (n - columns + 1), 0)
    return (counts <= rare * expected) & (expected > 0) & (smallest**columns <= alpha)


def _compute_p_values(counts: Array, cells: Array) -> Array:
    """Return P(X ≤ seen) of some cells, given the margins of the table."""
    row, column = np.nonzero(cells)
    drawn, marked = counts.sum(axis=1)[row], counts.sum(axis=0)[column]
    return hypergeom.cdf(counts[cells], counts.sum(), marked, drawn)


def _find_significant(p_values: Array, n_tests: int, alpha: float) -> Array:
    """Return which p-values are significant by Holm's correction for this number of tests.

    >>> _find_significant(np.array([0.04, 0.001, 0.013]), n_tests=4, alpha=0.05)
    array([False,  True,  True])
    """
    # The smallest p-value is compared with alpha / n, the next one with alpha / (n - 1), and so
    # on, up to the first that is larger. Here: 0.001 ≤ 0.0125, 0.013 ≤ 0.0167, 0.04 > 0.025.
    order = np.argsort(p_values, kind="stable")
    passes = p_values[order] <= alpha / (n_tests - np.arange(len(p_values)))
    significant = np.zeros(len(p_values), dtype=bool)
    significant[order[np.logical_and.accumulate(passes)]] = True
    return significant
