"""Values of all measures of a judged model, with their intervals and what belongs beside DR."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core._utils import (
    Array,
    as_generator,
    check_confidence,
    check_weighty,
    check_whole,
    wilson,
)
from dr_core.comparison._audit import Judged
from dr_core.metrics import ESTABLISHED, Provider, Tally, measure, quietly, weighted_rows
from dr_core.perturbation import MARGINALISED, NEITHER, PRIVILEGED
from dr_core.risk import PairCheck, Plan, Plausibility

__all__ = ["COUPLED", "DR", "IMPLAUSIBLE", "PLAUSIBLE", "Bootstrap", "Judge"]

DR = "discriminative_risk"
COUPLED = "discriminative_risk_coupled"
PLAUSIBLE = "discriminative_risk_plausible"
IMPLAUSIBLE = "implausible_share"


@dataclass(frozen=True)
class Bootstrap:
    """Intervals of measures, by resampling the cells of a tally."""

    n_boot: int
    confidence: float
    random_state: Any

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_whole("n_boot", self.n_boot, at_least=0)

    def intervals(self, tally: Tally, favorable: int, names: list[str]) -> dict[str, Array]:
        """Low and high end of each measure: percentiles of the bootstrap, Wilson's for DR."""
        if not self.n_boot:
            return {}
        rng = as_generator(self.random_state)
        blocks = [measure(t, favorable, names) for t in tally.bootstrap(self.n_boot, rng)]
        tails = [(1 - self.confidence) / 2, (1 + self.confidence) / 2]
        intervals = {name: _quantiles(blocks, name, tails) for name in names}
        return intervals | {DR: self.wilson(tally, favorable)}

    def wilson(self, tally: Tally, favorable: int) -> Array:
        """Low and high end of DR."""
        # A bootstrap of rows none of which changed says 0 to 0, however few they are.
        risk = float(measure(tally.table, favorable, [DR])[DR])
        return np.array(wilson(risk, tally.n_effective, self.confidence)[:2])


def _quantiles(blocks: list[dict[str, Array]], name: str, tails: list[float]) -> Array:
    replicates = np.concatenate([block[name] for block in blocks])
    defined = replicates[~np.isnan(replicates)]
    return np.quantile(defined, tails) if len(defined) else np.array([np.nan, np.nan])


@dataclass(frozen=True, eq=False)
class Judge:
    """Values of all measures, out of what each model was judged by."""

    n_rows: int
    weighted: bool
    plan: Plan
    classes: list[Any]
    favorable: int
    names: list[str]
    provider: Provider | None
    bootstrap: Bootstrap
    pair_check: PairCheck | None

    @property
    def settings(self) -> dict[str, Any]:
        """What the values depend on."""
        plan, bootstrap = self.plan, self.bootstrap
        settings = {
            "rows": self.n_rows,
            "weighted": self.weighted,
            "privileged": {str(a.name): a.privileged for a in plan.attributes},
            "favorable": self.classes[self.favorable],
            "method": plan.method,
            "p": plan.p,
            "n_samples": plan.n_samples if plan.method == "sample" else None,
            "random_state": plan.random_state,
            "n_boot": bootstrap.n_boot,
            "confidence": bootstrap.confidence if bootstrap.n_boot else None,
        }
        if plan.attributes.couplings:
            settings["coupled"] = plan.attributes.couplings.to_dict()
        if self.pair_check is not None:
            settings["reference_rows"] = self.pair_check.n_rows
        return settings

    def rows(self, name: str, judged: Judged) -> Iterator[dict[str, Any]]:
        """Values of all measures of one model, for each attribute."""
        for attribute, tally in judged.tallies.items():
            check_weighty(tally.weights.any())
            values = measure(tally.table, self.favorable, self.names)
            values |= self._provided(tally, attribute, values)
            intervals = self.bootstrap.intervals(tally, self.favorable, self.names)
            for one in self.names:
                row = {"model": name, "attribute": attribute, "measure": one}
                if one not in ESTABLISHED and attribute not in judged.carried:
                    yield row | {"value": np.nan}
                else:
                    yield row | {"value": float(values[one])} | _ends(intervals.get(one, ()))
                if one == DR:
                    for beside, value, ends in self._beside(judged, attribute):
                        yield row | {"measure": beside, "value": value} | _ends(ends)

    def _beside(self, judged: Judged, attribute: Any) -> Iterator[tuple[str, float, Any]]:
        """What belongs beside DR: with coupled columns, among plausible rows, and their share."""
        coupled = judged.coupled
        if self.plan.attributes.couplings:
            yield COUPLED, *self._coupled(coupled, attribute)
        if self.pair_check is not None:
            place = list(self.plan.scenarios).index(attribute)
            yield PLAUSIBLE, _plausible(judged, place, "risk_plausible"), ()
            yield IMPLAUSIBLE, _plausible(judged, place, "implausible"), ()
            if self.plan.attributes.couplings:
                yield f"{IMPLAUSIBLE}_coupled", _plausible(coupled, place, "implausible"), ()

    def _coupled(self, coupled: Judged | None, attribute: Any) -> tuple[float, Any]:
        if coupled is None:
            return np.nan, ()
        tally = coupled.tallies[attribute]
        value = measure(tally.table, self.favorable, [DR])[DR]
        ends = self.bootstrap.wilson(tally, self.favorable) if self.bootstrap.n_boot else ()
        return float(value), ends

    def _provided(self, tally: Tally, attribute: Any, values: dict[str, Any]) -> dict[str, float]:
        """What the provider says, where it is defined: other libraries fill in 0, ∞ and so on."""
        weight = tally.weights.sum(axis=(1, 2, 3))
        if self.provider is None or not (weight[MARGINALISED] and weight[PRIVILEGED]):
            return {}
        if tally.group_rows[NEITHER]:
            raise ValueError(
                f"{attribute!r} has missing values; other providers cannot keep such rows apart. "
                'Drop them, or use provider="core".'
            )
        with quietly():
            provided = self.provider(*weighted_rows(tally, self.favorable))
        if len(self.classes) > 2:
            del provided["accuracy"]  # providers see the favourable class against the rest
        return {
            name: value
            for name, value in provided.items()
            if name in values and not np.isnan(values[name])
        }


def _ends(ends: Any) -> dict[str, float]:
    return dict(zip(("low", "high"), ends, strict=False))


def _plausible(judged: Judged | None, place: int, column: str) -> float:
    if judged is None or judged.plausibility is None:
        return np.nan
    table = Plausibility(list(judged.tallies), judged.plausibility).table()
    return float(table[column].iloc[place])
