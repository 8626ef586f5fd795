"""Confidence intervals of measures, by resampling the cells of a tally."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core._utils import Array, as_generator, check_confidence, check_whole, wilson
from dr_core.metrics._measures import MEASURES, View
from dr_core.metrics._tally import Tally

__all__ = ["DR", "Bootstrap"]

DR = "discriminative_risk"


@dataclass(frozen=True)
class Bootstrap:
    """Percentile intervals of the bootstrap; Wilson's for discriminative risk.

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
        check_whole("n_boot", self.n_boot, at_least=0)

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
            name: self.risk_interval(tally, favorable)
            if name == DR
            else self._percentiles([measures[name](block) for block in blocks])
            for name in names
        }

    def risk_interval(self, tally: Tally, favorable: int) -> tuple[float, float]:
        """Return the low and high end of discriminative risk."""
        risk = float(MEASURES[DR](View(tally.table, favorable)))
        low, high, *_ = wilson(risk, tally.n_effective, self.confidence)
        return low, high

    def _percentiles(self, blocks: list[Array]) -> tuple[float, float]:
        replicates = np.concatenate(blocks)
        defined = replicates[~np.isnan(replicates)]
        if not len(defined):
            return np.nan, np.nan
        low, high = np.quantile(defined, [(1 - self.confidence) / 2, (1 + self.confidence) / 2])
        return float(low), float(high)
