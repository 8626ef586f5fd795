"""Discriminative risk and the established measures as functions of a tally.

Every measure reads a `View`: the weighted counts of a tally, alone or in a stack of bootstrap
replicates. Fairness measures compare privileged with marginalised rows. They are 0 if both
groups are treated alike, except `disparate_impact`, which is then 1. Gaps are absolute; a signed
difference is marginalised minus privileged. Performance measures use all rows. Undefined values
are NaN, such as the precision of a group without positive predictions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from dr_core._utils import (
    Array,
    MeanSample,
    as_generator,
    check_confidence,
    check_integer,
    fold_interval,
    widen_interval,
)
from dr_core.metrics._pseudo_rows import draw_pseudo_rows
from dr_core.metrics._tally import Tally
from dr_core.perturbation import MARGINALISED, PRIVILEGED

__all__ = [
    "CONTRASTS",
    "DR",
    "ESTABLISHED",
    "FAIRNESS_MEASURES",
    "MEASURES",
    "PERFORMANCE_MEASURES",
    "RATIO_MEASURES",
    "SIGNED_MEASURES",
    "Bootstrap",
    "View",
    "measure",
    "measure_signed",
]

DR = "discriminative_risk"


def divide(part: Array, whole: Array) -> Array:
    """Return part / whole, NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)


@dataclass(frozen=True, eq=False)
class Confusion:
    """Weighted confusion counts of one group, favourable class against the rest."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array

    @cached_property
    def selection_rate(self) -> Array:
        """P(f = 1)."""
        return divide(self.tp + self.fp, self.tp + self.fp + self.fn + self.tn)

    @cached_property
    def true_positive_rate(self) -> Array:
        """P(f = 1 | y = 1)."""
        return divide(self.tp, self.tp + self.fn)

    @cached_property
    def false_positive_rate(self) -> Array:
        """P(f = 1 | y = 0)."""
        return divide(self.fp, self.fp + self.tn)

    @cached_property
    def precision(self) -> Array:
        """P(y = 1 | f = 1)."""
        return divide(self.tp, self.tp + self.fp)


@dataclass(frozen=True, eq=False)
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
        """Return the confusion counts of a group, or of all rows; they are counted once."""
        if group not in self._confusions:
            self._confusions[group] = self._count(group)
        return self._confusions[group]

    @cached_property
    def _confusions(self) -> dict[int | None, Confusion]:
        return {}

    @cached_property
    def _pairs(self) -> Array:
        return self.table.sum(axis=-1)

    def _count(self, group: int | None) -> Confusion:
        pairs = self._pairs.sum(axis=-3) if group is None else self._pairs[..., group, :, :]
        # pairs[..., y, f] counts rows. With classes (0, 1, 2) and favorable = 1, `positive` is
        # (False, True, False): tp is pairs[1, 1], fp sums pairs[0, 1] and pairs[2, 1].
        positive = np.arange(pairs.shape[-1]) == self.favorable
        tp = pairs[..., self.favorable, self.favorable]
        fp = pairs[..., ~positive, self.favorable].sum(axis=-1)
        fn = pairs[..., self.favorable, ~positive].sum(axis=-1)
        tn = pairs[..., ~positive, :][..., ~positive].sum(axis=(-2, -1))
        return Confusion(tp, fp, fn, tn)

    def difference(self, rate: Callable[[Confusion], Array]) -> Array:
        """Return the rate of marginalised rows minus the rate of privileged rows."""
        return rate(self.confusion(MARGINALISED)) - rate(self.confusion(PRIVILEGED))

    def risk(self, group: int | None = None) -> Array:
        """Return P(f(x) ≠ f(x̃)) in a group, or in all rows."""
        changes = self.table.sum(axis=-3)
        changes = changes.sum(axis=-3) if group is None else changes[..., group, :, :]
        # changes[..., a, b] weighs the rows with f(x) = a and f(x̃) = b. The changed rows are the
        # sum of all cells off the diagonal. The total minus the diagonal would leave a rounding
        # error where no row changed; this sum is exactly 0 there.
        changed = (changes * ~np.eye(changes.shape[-1], dtype=bool)).sum(axis=(-2, -1))
        return divide(changed, changed + np.trace(changes, axis1=-2, axis2=-1))


Measure = Callable[[View], Array]


def discriminative_risk(view: View) -> Array:
    """Share of rows whose prediction changes if only sensitive attributes change.

    Rows that were not perturbed count as unchanged. `compare` leaves them out; it computes the
    share from exact sums, as `assess_risk` does.
    """
    return view.risk()


def signed_risk(view: View) -> Array:
    """DR of marginalised rows minus DR of privileged rows."""
    return view.risk(MARGINALISED) - view.risk(PRIVILEGED)


def signed_selection_rate(view: View) -> Array:
    """Signed difference of P(f=1)."""
    return view.difference(lambda group: group.selection_rate)


def signed_true_positive_rate(view: View) -> Array:
    """Signed difference of P(f=1 | y=1)."""
    return view.difference(lambda group: group.true_positive_rate)


def signed_false_positive_rate(view: View) -> Array:
    """Signed difference of P(f=1 | y=0)."""
    return view.difference(lambda group: group.false_positive_rate)


def signed_precision(view: View) -> Array:
    """Signed difference of P(y=1 | f=1)."""
    return view.difference(lambda group: group.precision)


def discriminative_risk_difference(view: View) -> Array:
    """``|DR of privileged rows - DR of marginalised rows|``."""
    return np.abs(signed_risk(view))


def demographic_parity(view: View) -> Array:
    """``|P(f=1 | privileged) - P(f=1 | marginalised)|``."""
    return np.abs(signed_selection_rate(view))


def equal_opportunity(view: View) -> Array:
    """``|P(f=1 | y=1, privileged) - P(f=1 | y=1, marginalised)|``."""
    return np.abs(signed_true_positive_rate(view))


def predictive_parity(view: View) -> Array:
    """``|P(y=1 | f=1, privileged) - P(y=1 | f=1, marginalised)|``."""
    return np.abs(signed_precision(view))


def equalized_odds(view: View) -> Array:
    """Maximum of the gaps in true positive rate and in false positive rate."""
    return np.maximum(equal_opportunity(view), np.abs(signed_false_positive_rate(view)))


def equalized_odds_mean(view: View) -> Array:
    """Mean of the gaps in true positive rate and in false positive rate."""
    return (equal_opportunity(view) + np.abs(signed_false_positive_rate(view))) / 2


def half_sum_of_odds(view: View) -> Array:
    """Half the sum of the signed differences of true and of false positive rate."""
    return (signed_true_positive_rate(view) + signed_false_positive_rate(view)) / 2


def half_difference_of_odds(view: View) -> Array:
    """Half the difference of the signed differences of true and of false positive rate."""
    return (signed_true_positive_rate(view) - signed_false_positive_rate(view)) / 2


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


# The mean of |a| and |b| is the larger of |a + b| / 2 and |a - b| / 2: of a = 0.1 and b = -0.3 it
# is 0.2, and these are 0.1 and 0.2.
_GAPS: dict[Measure, tuple[Measure, ...]] = {
    discriminative_risk_difference: (signed_risk,),
    demographic_parity: (signed_selection_rate,),
    equal_opportunity: (signed_true_positive_rate,),
    predictive_parity: (signed_precision,),
    equalized_odds: (signed_true_positive_rate, signed_false_positive_rate),
    equalized_odds_mean: (half_sum_of_odds, half_difference_of_odds),
}
_RATIOS = (disparate_impact,)
_FAIRNESS = (discriminative_risk, *_GAPS, *_RATIOS)
_PERFORMANCE = (accuracy, precision, recall, f1, specificity)

FAIRNESS_MEASURES = [function.__name__ for function in _FAIRNESS]
"""Names of the fairness measures, in the order of the columns of tables."""

PERFORMANCE_MEASURES = [function.__name__ for function in _PERFORMANCE]
"""Names of the performance measures, in the order of the columns of tables."""

MEASURES: dict[str, Measure] = {
    function.__name__: function for function in (*_FAIRNESS, *_PERFORMANCE)
}
"""All measures by name: fairness measures, then performance measures."""

ESTABLISHED = [name for name in MEASURES if not name.startswith("discriminative")]
"""Measures that do not use perturbed predictions; other libraries can provide them."""

CONTRASTS = {gap.__name__: contrasts for gap, contrasts in _GAPS.items()}
"""The gaps; each is the largest absolute value of its signed differences."""

RATIO_MEASURES = [ratio.__name__ for ratio in _RATIOS]
"""Fairness measures whose best value is 1."""

SIGNED_MEASURES = [name for name, contrasts in CONTRASTS.items() if len(contrasts) == 1]
"""Gaps that are the absolute value of one signed difference, marginalised minus privileged."""


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


def measure_signed(table: Array, favorable: int, names: list[str]) -> dict[str, Any]:
    """Compute the signed differences of some of `SIGNED_MEASURES`.

    Examples
    --------
    >>> from dr_core.metrics import tally_predictions
    >>> tally = tally_predictions([1, 0], y=[1, 1], f=[1, 0], perturbed=[1, 0], classes=[0, 1])
    >>> float(measure_signed(tally.table, 1, ["demographic_parity"])["demographic_parity"])
    -1.0
    """
    view = View(table, favorable)
    return {name: CONTRASTS[name][0](view) for name in names}


@dataclass(frozen=True, eq=False)
class Replicates:
    """The weighted counts of rows, and of bootstrap replicates of these rows.

    Parameters
    ----------
    observed : View
    drawn : list of View
    confidence : float in (0, 1)
    """

    observed: View
    drawn: list[View]
    confidence: float

    def compute_ends(self, name: str, function: Measure) -> dict[str, float]:
        """Return the ends of the interval of a measure, of a signed one with those of its sign."""
        contrasts = CONTRASTS.get(name)
        if contrasts is None:
            return _name_ends(self._find_percentiles(function))
        signed = [self._find_percentiles(one, len(contrasts)) for one in contrasts]
        # NumPy's maximum is NaN if one of them is.
        low, high = np.max([fold_interval(*ends) for ends in signed], axis=0).tolist()
        return _name_ends((low, high), *(signed if len(signed) == 1 else []))

    def _find_percentiles(self, function: Measure, n_intervals: int = 1) -> tuple[float, float]:
        """Return percentiles; `n_intervals` of them hold together (Bonferroni)."""
        value = float(function(self.observed))
        if np.isnan(value):
            return np.nan, np.nan
        tail = (1 - self.confidence) / (2 * n_intervals)
        replicates = np.concatenate([function(view) for view in self.drawn])
        low, high = np.quantile(replicates, [tail, 1 - tail]).tolist()
        return widen_interval(low, high, value)


def _name_ends(ends: tuple[float, float], *signed: tuple[float, float]) -> dict[str, float]:
    """Name the ends of an interval, and those of a signed one if there is any."""
    names = ("low", "high", "signed_low", "signed_high")
    return dict(zip(names, (*ends, *chain(*signed)), strict=False))


@dataclass(frozen=True)
class Bootstrap:
    """Percentile intervals of the bootstrap; Clopper and Pearson's for discriminative risk.

    Replicates are drawn with pseudo-rows, so that rates over few rows, and rates of 0 or 1, have
    intervals that are wide enough; see `draw_pseudo_rows`. An interval contains its value. It is
    NaN if the value is.

    The interval of a gap ``|a - b|`` is that of the signed difference, folded at 0: -0.03 to 0.07
    becomes 0 to 0.07. So it contains 0 whenever that of the signed difference does. Equalized odds
    are the larger of two absolute differences. Each of these has an interval with half the
    probability of error (Bonferroni); the larger of their ends are those of the measure.

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
    {'accuracy': {'low': 0.4..., 'high': 1.0}}
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
        measures: Mapping[str, Measure] = MEASURES,
    ) -> dict[str, dict[str, float]]:
        """Return the ends of the interval of each measure; nothing without replicates.

        They are named low and high. Measures in `SIGNED_MEASURES` also have signed_low and
        signed_high, those of the signed difference.
        """
        if not self.n_boot:
            return {}
        replicates = self._draw(tally, favorable)
        # A bootstrap of rows none of which changed gives 0 to 0, however few they are.
        return {
            name: _name_ends(self.risk_interval(tally.risk_sample))
            if name == DR
            else replicates.compute_ends(name, measures[name])
            for name in names
        }

    def _draw(self, tally: Tally, favorable: int) -> Replicates:
        rng = as_generator(self.random_state)
        blocks = (
            tables + draw_pseudo_rows(tally, favorable, len(tables), rng)
            for tables in tally.bootstrap(self.n_boot, rng)
        )
        drawn = [View(tables, favorable) for tables in blocks]
        return Replicates(View(tally.table, favorable), drawn, self.confidence)

    def risk_interval(self, sample: MeanSample) -> tuple[float, float]:
        """Return the low and high end of a discriminative risk."""
        low, high, *_ = sample.interval(self.confidence)
        return low, high
