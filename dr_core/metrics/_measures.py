"""Discriminative risk and the established measures as functions of a tally.

Every measure reads a `View`: the weighted counts of a tally, alone or in a stack of bootstrap
replicates. Fairness measures compare privileged with marginalised rows. They are 0 if both
groups are treated alike, except `disparate_impact`, which is then 1. Performance measures use all
rows. Undefined values are NaN, such as the precision of a group without positive predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core._utils import Array, MeanSample, as_generator, check_confidence, check_integer
from dr_core.metrics._tally import Tally
from dr_core.perturbation import MARGINALISED, PRIVILEGED

__all__ = [
    "DR",
    "ESTABLISHED",
    "FAIRNESS_MEASURES",
    "MEASURES",
    "PERFORMANCE_MEASURES",
    "Bootstrap",
    "View",
    "measure",
]

DR = "discriminative_risk"


def divide(part: Array, whole: Array) -> Array:
    """Return part / whole, NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)


@dataclass(frozen=True)
class Confusion:
    """Weighted confusion counts of one group, favourable class against the rest."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @property
    def selection_rate(self) -> Array:
        """P(f = 1)."""
        return divide(self.tp + self.fp, self.tp + self.fp + self.fn + self.tn)

    @property
    def true_positive_rate(self) -> Array:
        """P(f = 1 | y = 1)."""
        return divide(self.tp, self.tp + self.fn)

    @property
    def false_positive_rate(self) -> Array:
        """P(f = 1 | y = 0)."""
        return divide(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> Array:
        """P(y = 1 | f = 1)."""
        return divide(self.tp, self.tp + self.fp)


@dataclass(frozen=True)
class View:
    """Weighted counts of a tally, as the measures read them.

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
        """Return the confusion counts of a group, or of all rows."""
        pairs = self.table.sum(axis=-1)
        pairs = pairs.sum(axis=-3) if group is None else pairs[..., group, :, :]
        # pairs[..., y, f] counts rows. With classes (0, 1, 2) and favorable = 1, `positive` is
        # (False, True, False): tp is pairs[1, 1], fp sums pairs[0, 1] and pairs[2, 1].
        positive = np.arange(pairs.shape[-1]) == self.favorable
        tp = pairs[..., self.favorable, self.favorable]
        fp = pairs[..., ~positive, self.favorable].sum(axis=-1)
        fn = pairs[..., self.favorable, ~positive].sum(axis=-1)
        tn = pairs[..., ~positive, :][..., ~positive].sum(axis=(-2, -1))
        return Confusion(tp, fp, fn, tn)

    def gap(self, rate: Callable[[Confusion], Array]) -> Array:
        """Return |rate of privileged rows - rate of marginalised rows|."""
        return np.abs(rate(self.confusion(PRIVILEGED)) - rate(self.confusion(MARGINALISED)))

    def risk(self, group: int | None = None) -> Array:
        """Return P(f(x) ≠ f(x̃)) in a group, or in all rows."""
        changes = self.table.sum(axis=-3)
        changes = changes.sum(axis=-3) if group is None else changes[..., group, :, :]
        # changes[..., a, b] weighs the rows with f(x) = a and f(x̃) = b. The changed rows are the
        # sum of all cells off the diagonal. The total minus the diagonal would leave a rounding
        # error where no row changed; this sum is exactly 0 there.
        changed = (changes * ~np.eye(changes.shape[-1], dtype=bool)).sum(axis=(-2, -1))
        return divide(changed, changed + np.trace(changes, axis1=-2, axis2=-1))


def discriminative_risk(view: View) -> Array:
    """Share of rows whose prediction changes if only sensitive attributes change.

    `compare` shows the same share, computed from exact sums as in `assess_risk`.
    """
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
    """Maximum of the gaps in true positive rate and in false positive rate."""
    return np.maximum(equal_opportunity(view), view.gap(lambda group: group.false_positive_rate))


def equalized_odds_mean(view: View) -> Array:
    """Mean of the gaps in true positive rate and in false positive rate."""
    return (equal_opportunity(view) + view.gap(lambda group: group.false_positive_rate)) / 2


def disparate_impact(view: View) -> Array:
    """``P(f=1 | marginalised) / P(f=1 | privileged)``."""
    marginalised, privileged = view.confusion(MARGINALISED), view.confusion(PRIVILEGED)
    return divide(marginalised.selection_rate, privileged.selection_rate)


def accuracy(view: View) -> Array:
    """``P(f = y)``."""
    pairs = view.table.sum(axis=(-4, -1))
    return divide(np.trace(pairs, axis1=-2, axis2=-1), pairs.sum(axis=(-2, -1)))


def precision(view: View) -> Array:
    """``P(y=1 | f=1)``."""
    return view.confusion().precision


def recall(view: View) -> Array:
    """``P(f=1 | y=1)``."""
    return view.confusion().true_positive_rate


def f1(view: View) -> Array:
    """Harmonic mean of precision and recall."""
    total = view.confusion()
    return divide(2 * total.tp, 2 * total.tp + total.fp + total.fn)


def specificity(view: View) -> Array:
    """``P(f=0 | y=0)``."""
    total = view.confusion()
    return divide(total.tn, total.tn + total.fp)


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
"""Names of the fairness measures, in the order of the columns of tables."""

PERFORMANCE_MEASURES = [function.__name__ for function in _PERFORMANCE]
"""Names of the performance measures, in the order of the columns of tables."""

MEASURES: dict[str, Callable[[View], Array]] = {
    function.__name__: function for function in (*_FAIRNESS, *_PERFORMANCE)
}
"""All measures by name: fairness measures, then performance measures."""

ESTABLISHED = [name for name in MEASURES if not name.startswith("discriminative")]
"""Measures that do not use perturbed predictions; other libraries can provide them."""


def measure(table: Array, favorable: int, names: list[str]) -> dict[str, Any]:
    """Compute the named measures of a table of counts, or of a stack of tables.

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


@dataclass(frozen=True)
class Bootstrap:
    """Percentile intervals of the bootstrap; Clopper and Pearson's for discriminative risk.

    Parameters
    ----------
    n_boot : int
        Number of replicates; 0 for no intervals.
    confidence : float in (0, 1)
    random_state : int, Generator or None

    Examples
    --------
    >>> from dr_core.metrics import tally_predictions
    >>> tally = tally_predictions([1, 0], y=[1, 1], f=[1, 1], perturbed=[1, 0], classes=[0, 1])
    >>> Bootstrap(100, 0.95, 0).intervals(tally, 1, ["accuracy"])
    {'accuracy': (1.0, 1.0)}
    """

    n_boot: int
    confidence: float
    random_state: Any

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_integer("n_boot", self.n_boot, at_least=0)

    def intervals(
        self,
        tally: Tally,
        favorable: int,
        names: list[str],
        measures: Mapping[str, Callable[[View], Array]] = MEASURES,
    ) -> dict[str, tuple[float, float]]:
        """Return the low and high end of each measure; nothing without replicates."""
        if not self.n_boot:
            return {}
        rng = as_generator(self.random_state)
        blocks = [View(tables, favorable) for tables in tally.bootstrap(self.n_boot, rng)]
        # A bootstrap of rows none of which changed gives 0 to 0, however few they are.
        return {
            name: self.risk_interval(tally.risk_sample)
            if name == DR
            else self._percentiles([measures[name](block) for block in blocks])
            for name in names
        }

    def risk_interval(self, sample: MeanSample) -> tuple[float, float]:
        """Return the low and high end of a discriminative risk."""
        low, high, *_ = sample.interval(self.confidence)
        return low, high

    def _percentiles(self, blocks: list[Array]) -> tuple[float, float]:
        replicates = np.concatenate(blocks)
        defined = replicates[~np.isnan(replicates)]
        if not len(defined):
            return np.nan, np.nan
        low, high = np.quantile(defined, [(1 - self.confidence) / 2, (1 + self.confidence) / 2])
        return float(low), float(high)
