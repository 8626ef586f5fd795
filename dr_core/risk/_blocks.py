"""A bootstrap over people of the mean of a score's shift, for rows in any number of parts.

Rows are divided at random into blocks of people, whose sums add up without rounding, so that the
result does not depend on how the rows come in parts, and memory does not grow with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from dr_core._utils import Array, as_generator, check_confidence, check_integer, exact_sums

__all__ = ["BlockSums", "bootstrap_mean", "find_blocks"]

N_BLOCKS = 1000
"""Blocks of people that a bootstrap resamples; up to this number of rows, each is a block."""

ENDS = np.array([1, -1])
"""The low end of an interval comes from the upper tail of the bootstrap, and the reverse."""

MIN_ERROR = 1e-6
"""Replicates with a smaller standard error, relative to that of all rows, have no variation."""


def find_blocks(start: int, n: int, person: Array | None, n_rows: int) -> Array:
    """Return the block of each row, (n,): by person, or by the position of the row.

    Blocks are drawn by a hash, because rows may be sorted. The rows of a person are in one block.

    Parameters
    ----------
    start, n : position of the first row among all rows, and number of rows
    person : (n,) identities, or None
    n_rows : number of all rows
    """
    if person is not None:
        return (pd.util.hash_array(person) % N_BLOCKS).astype(np.intp)
    position = np.arange(start, start + n)
    if n_rows <= N_BLOCKS:
        return position
    return (pd.util.hash_array(position) % N_BLOCKS).astype(np.intp)


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Exact sums over blocks of people, which a bootstrap resamples.

    Attributes
    ----------
    sums : (3, blocks) weighted sizes, weighted shifts and weights of the rows of each block that
        were perturbed
    """

    sums: Array

    @classmethod
    def of(
        cls, block: Array, weights: Array | None, size: Array, shift: Array, is_perturbed: Array
    ) -> BlockSums:
        """Sum values of shape (n,) over the blocks of the rows."""
        w = is_perturbed if weights is None else weights * is_perturbed
        columns = (w * size, w * shift, w)
        return cls(np.stack([exact_sums(values, block, N_BLOCKS) for values in columns]))

    def __add__(self, other: BlockSums) -> BlockSums:
        return BlockSums(self.sums + other.sums)

    def get_shares(self) -> Array:
        """Return sizes, shifts and weights as shares of the weight, (3, blocks with weight)."""
        weight, filled = sum(self.sums[2]), self.sums[:, self.sums[2] > 0]
        return np.array([[part / weight for part in of_blocks] for of_blocks in filled], float)


# Blocks with the weighted sums a and weights b have the mean Σa / Σb, with the linearised variance
# Σ(a - mean · b)² / (Σb)². A replicate draws as many blocks, some twice or more: `times` counts
# how often each is drawn. All its sums are then products with `times`.
def bootstrap_mean(
    values: Array, weights: Array, confidence: float, n_boot: int, random_state: Any
) -> tuple[float, float]:
    """Return the studentised bootstrap interval of Σ values / Σ weights over blocks of people.

    One block has no variation to learn from: its interval is -inf to inf.

    Parameters
    ----------
    values, weights : (blocks,) weighted sum of the values of each block, and its weight
    confidence : float in (0, 1)
    n_boot : int, at least 1
    random_state : int, Generator or None

    Examples
    --------
    >>> low, high = bootstrap_mean(np.arange(100.0), np.ones(100), 0.95, 999, 0)
    >>> round(low), round(high)
    (43, 55)
    """
    check_confidence(confidence)
    check_integer("n_boot", n_boot, at_least=1)
    n = len(values)
    if n == 1:
        return -np.inf, np.inf
    moments = np.stack([values, weights, values**2, values * weights, weights**2])
    times = as_generator(random_state).multinomial(n, np.full(n, 1 / n), size=n_boot)
    (mean,), (error,) = _compute_mean(moments.sum(axis=1)[:, None])
    means, errors = _compute_mean(moments @ times.T)
    some = errors > error * MIN_ERROR
    if not some.any():
        return mean, mean
    tails = np.quantile((means[some] - mean) / errors[some], 0.5 + confidence / 2 * ENDS)
    least = t.ppf(0.5 + confidence / 2, n - 1)
    low, high = mean - np.maximum(ENDS * tails, least) * ENDS * error
    return float(low), float(high)


def _compute_mean(moments: Array) -> tuple[Array, Array]:
    """Return means and standard errors of samples with sums of a, b, a², ab and b², (5, k)."""
    a, b, aa, ab, bb = moments
    mean = a / b
    return mean, np.sqrt(np.maximum(aa - 2 * mean * ab + mean**2 * bb, 0)) / b
