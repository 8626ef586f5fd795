"""Pseudo-rows for bootstrap replicates.

The percentile bootstrap of a rate over few rows is too narrow. If a rate is 0 or 1, all replicates
are equal, and the interval has length 0. The remedy is that of Agresti and Caffo (2000) for
differences of proportions: each group gets one more favourable prediction and one more
unfavourable one. Here their number is not fixed but drawn anew for each replicate, from the gamma
distribution whose mean and variance are that number. The interval of a single rate is then close
to the Bayesian one with the prior of Jeffreys (true positive rate, precision) or a uniform prior
(selection rate, risk). In large samples the pseudo-rows make no difference.
"""

from __future__ import annotations

import numpy as np

from dr_core._utils import Array
from dr_core.metrics._tally import Tally

__all__ = ["draw_pseudo_rows"]

ROWS_PER_CELL = 0.25
"""Mean number of pseudo-rows for each (y = 1, f(x) = 1, f(x) ≠ f(x̃)), true or false: 2 a group."""


def draw_pseudo_rows(tally: Tally, favorable: int, n_boot: int, rng: np.random.Generator) -> Array:
    """Draw weighted pseudo-rows of replicates, shape (n_boot, 3, C, C, C).

    Examples
    --------
    >>> from dr_core.metrics import tally_predictions
    >>> tally = tally_predictions([1, 0], y=[1, 1], f=[1, 1], perturbed=[1, 0], classes=[0, 1])
    >>> drawn = draw_pseudo_rows(tally, 1, 10_000, np.random.default_rng(0))
    >>> drawn.mean(axis=0).sum(axis=(1, 2, 3)).round(1).tolist()
    [2.0, 2.0, 0.0]
    """
    spread = _spread_over_classes(len(tally.classes), favorable)
    drawn = rng.gamma(ROWS_PER_CELL, size=(n_boot, len(tally.counts), len(spread)))
    drawn *= _get_row_weights(tally)[:, None]
    return (drawn @ spread.reshape(len(spread), -1)).reshape(*drawn.shape[:2], *spread.shape[1:])


def _get_row_weights(tally: Tally) -> Array:
    """Return the weight of one effective row, or person, of each group; 0 if it has no weight."""
    weights, squares = tally.sum_squares_by_group()
    return np.divide(squares, weights, out=np.zeros_like(weights), where=weights > 0)


# With three classes and favorable = 1, the class of an unfavourable pseudo-row is 0 and 2, half
# each; if it changes from class 0, it becomes 1 and 2, half each.
def _spread_over_classes(n_classes: int, favorable: int) -> Array:
    """Return how the 8 kinds of pseudo-rows spread over (y, f(x), f(x̃)), shape (8, C, C, C)."""
    same, n_others = np.eye(n_classes), max(n_classes - 1, 1)
    is_favorable = same[favorable]
    sides = np.stack([(1 - is_favorable) / n_others, is_favorable])
    changes = np.stack([same, (1 - same) / n_others])
    spread = np.einsum("iy,jf,kfg->ijkyfg", sides, sides, changes)
    return spread.reshape(8, n_classes, n_classes, n_classes)
