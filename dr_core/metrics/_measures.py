"""DR and the established measures as functions of a tally.

Every measure reads a `View`: the weighted counts of a tally, alone or in a stack of bootstrap
replicates. Fairness measures compare privileged with marginalised rows and are 0 when both are
treated alike, except `disparate_impact`, a ratio that is then 1. Performance measures are taken
over all rows. What is undefined, such as the precision of a group that was never predicted
positive, is NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core._utils import Array
from dr_core.perturbation import MARGINALISED, PRIVILEGED

__all__ = [
    "ESTABLISHED",
    "FAIRNESS_MEASURES",
    "MEASURES",
    "PERFORMANCE_MEASURES",
    "View",
    "measure",
]


def ratio(part: Array, whole: Array) -> Array:
    """Divide, NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)


@dataclass(frozen=True)
class Confusion:
    """Weighted confusion counts of one group, the favourable class against the rest."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @property
    def selection_rate(self) -> Array:
        """P(f = 1)."""
        return ratio(self.tp + self.fp, self.tp + self.fp + self.fn + self.tn)

    @property
    def true_positive_rate(self) -> Array:
        """P(f = 1 | y = 1)."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def false_positive_rate(self) -> Array:
        """P(f = 1 | y = 0)."""
        return ratio(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> Array:
        """P(y = 1 | f = 1)."""
        return ratio(self.tp, self.tp + self.fp)


@dataclass(frozen=True)
class View:
    """What measures see of a tally.

    Parameters
    ----------
    table : array of shape (..., 3, C, C, C)
        Weighted counts over (group, y, f(x), f(x̃)); leading axes are replicates.
    favorable : int
        Position of the favourable class.
    """

    table: Array
    favorable: int

    def confusion(self, group: int | None = None) -> Confusion:
        """Confusion counts of a group, or of all rows."""
        pairs = self.table.sum(axis=-1)
        pairs = pairs.sum(axis=-3) if group is None else pairs[..., group, :, :]
        positive = np.arange(pairs.shape[-1]) == self.favorable
        tp = pairs[..., self.favorable, self.favorable]
        fp = pairs[..., ~positive, self.favorable].sum(axis=-1)
        fn = pairs[..., self.favorable, ~positive].sum(axis=-1)
        tn = pairs[..., ~positive, :][..., ~positive].sum(axis=(-2, -1))
        return Confusion(tp, fp, fn, tn)

    def gap(self, rate: Callable[[Confusion], Array]) -> Array:
        """|rate of privileged rows - rate of marginalised rows|."""
        return np.abs(rate(self.confusion(PRIVILEGED)) - rate(self.confusion(MARGINALISED)))

    def risk(self, group: int | None = None) -> Array:
        """P(f(x) ≠ f(x̃)) in a group, or in all rows."""
        changes = self.table.sum(axis=-3)
        changes = changes.sum(axis=-3) if group is None else changes[..., group, :, :]
        # Cell by cell, not as a difference: nothing changed is 0, however the others were rounded.
        changed = (changes * ~np.eye(changes.shape[-1], dtype=bool)).sum(axis=(-2, -1))
        return ratio(changed, changed + np.trace(changes, axis1=-2, axis2=-1))


def discriminative_risk(view: View) -> Array:
    """Share of rows whose prediction changes when only sensitive attributes do."""
    return view.risk()


def discriminative_risk_difference(view: View) -> Array:
    """``|DR of privileged rows - DR of marginalised rows|``."""
    return np.abs(view.risk(PRIVILEGED) - view.risk(MARGINALISED))


def demographic_parity(view: View) -> Array:
    """``|P(f=1 | privileged) - P(f=1 | marginalised)|``."""
    return view.gap(lambda group: group.selection_rate)


def equal_opportunity(view: View) -> Array:
    """``|P(f=1 | y=1, privileged) - P(f=1 | y=1, marginalised)|``."""
    return view.gap(lambda group: group.true_positive_rate)


def predictive_parity(view: View) -> Array:
    """``|P(y=1 | f=1, privileged) - P(y=1 | f=1, marginalised)|``."""
    return view.gap(lambda group: group.precision)


def equalized_odds(view: View) -> Array:
    """Larger of the gaps in true and in false positive rate."""
    return np.maximum(equal_opportunity(view), view.gap(lambda group: group.false_positive_rate))


def equalized_odds_mean(view: View) -> Array:
    """Mean of the gaps in true and in false positive rate."""
    return (equal_opportunity(view) + view.gap(lambda group: group.false_positive_rate)) / 2


def disparate_impact(view: View) -> Array:
    """``P(f=1 | marginalised) / P(f=1 | privileged)``."""
    marginalised, privileged = view.confusion(MARGINALISED), view.confusion(PRIVILEGED)
    return ratio(marginalised.selection_rate, privileged.selection_rate)


def accuracy(view: View) -> Array:
    """``P(f = y)``."""
    pairs = view.table.sum(axis=(-4, -1))
    return ratio(np.trace(pairs, axis1=-2, axis2=-1), pairs.sum(axis=(-2, -1)))


def precision(view: View) -> Array:
    """``P(y=1 | f=1)``."""
    return view.confusion().precision


def recall(view: View) -> Array:
    """``P(f=1 | y=1)``."""
    return view.confusion().true_positive_rate


def f1(view: View) -> Array:
    """Harmonic mean of precision and recall."""
    total = view.confusion()
    return ratio(2 * total.tp, 2 * total.tp + total.fp + total.fn)


def specificity(view: View) -> Array:
    """``P(f=0 | y=0)``."""
    total = view.confusion()
    return ratio(total.tn, total.tn + total.fp)


_FAIRNESS = (
    discriminative_risk,
    discriminative_risk_difference,
    demographic_parity,
    equal_opportunity,
    predictive_parity,
    equalized_odds,
    equalized_odds_mean,
    disparate_impact,
)
_PERFORMANCE = (accuracy, precision, recall, f1, specificity)

FAIRNESS_MEASURES = [function.__name__ for function in _FAIRNESS]
"""Names of the fairness measures, in the order in which tables show them."""

PERFORMANCE_MEASURES = [function.__name__ for function in _PERFORMANCE]
"""Names of the performance measures, in the order in which tables show them."""

MEASURES: dict[str, Callable[[View], Array]] = {
    function.__name__: function for function in (*_FAIRNESS, *_PERFORMANCE)
}
"""All measures by name: fairness measures, then performance measures."""

ESTABLISHED = [name for name in MEASURES if not name.startswith("discriminative")]
"""Measures that fairlearn and AIF360 have too."""


def measure(table: Array, favorable: int, names: list[str]) -> dict[str, Any]:
    """Compute the named measures of a table, or of a stack of them.

    Examples
    --------
    >>> from dr_core.metrics import tally_predictions
    >>> tally = tally_predictions([1, 0], y=[1, 1], f=[1, 1], perturbed=[1, 0], classes=[0, 1])
    >>> found = measure(tally.table, 1, ["discriminative_risk", "demographic_parity"])
    >>> {name: float(value) for name, value in found.items()}
    {'discriminative_risk': 0.5, 'demographic_parity': 0.0}
    """
    view = View(table, favorable)
    return {name: MEASURES[name](view) for name in names}
