"""Are dummies and copies of a sensitive column named where there are any, and nowhere else?"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.soundness.marks import Mark, simulate
from dr_core import learn_attributes

N_COLUMNS = 20
"""Independent 0/1 columns beside the sensitive one."""


def dummies_are_found(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Yield the shares of data sets with a warning: independent columns, dummies and copies."""
    for n, rate in ((200, 0.05), (200, 0.5), (5000, 0.01)):
        about = f"independent flags, n = {n:,}, {rate:.0%} ones"
        found = simulate(partial(warns_of_flags, n, rate), n_runs, about, progress)
        yield Mark(about, "data sets with a warning", found.mean(), at_most=0.01)
    for n, n_values in ((200, 3), (200, 6), (5000, 6)):
        about = f"dummies of {n_values} values, n = {n:,}"
        found = simulate(partial(warns_of_dummies, n, n_values), n_runs, about, progress)
        yield Mark(about, "data sets with a warning", found.mean(), at_least=0.99)
    for n in (10, 30, 300):
        about = f"independent columns of 2 values, n = {n:,}, an attribute of 3 values"
        found = simulate(partial(warns_of_copies, n), n_runs, about, progress)
        yield Mark(about, "data sets with a warning", found.mean(), at_most=0.001)


def warns_of_flags(n: int, rate: float, random: np.random.Generator) -> bool:
    """Return whether there is a warning for columns that are independent."""
    return warns(random.random((n, N_COLUMNS + 1)) < np.append(0.5, np.full(N_COLUMNS, rate)))


def warns_of_dummies(n: int, n_values: int, random: np.random.Generator) -> bool:
    """Return whether there is a warning for the first of several dummies of equal frequency."""
    values = random.integers(n_values, size=n)
    flags = random.random((n, N_COLUMNS)) < 0.1
    return warns(np.column_stack([values[:, None] == np.arange(n_values), flags]))


def warns_of_copies(n: int, random: np.random.Generator) -> bool:
    """Return whether there is a warning for columns that are independent of 3 values."""
    others = random.choice([2, 3], (n, N_COLUMNS))
    return warns(np.column_stack([np.append([0, 1, 2], random.integers(3, size=n - 3)), others]))


def warns(X: np.ndarray) -> bool:
    """Return whether there is a warning for the first column."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        learn_attributes(X.astype(int), {0: 1})
    return bool(found)
