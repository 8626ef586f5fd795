"""Do intervals of the rates of groups and of impact ratios cover the true ones?

Three groups have their own rates of favourable labels and decisions. The decision about some rows
depends on the sensitive attribute. Impact ratios are relative to the group that is most selected
in the sample, which need not be the most selected one of the population. Of many groups with the
same rate, the most selected one is so by chance, and the ratios of the others are too low; their
coverage is shown without a mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.soundness.marks import Mark, simulate
from dr_core import compare

Generator = np.random.Generator

COVERAGE = 0.93
FIGURE = "coverage of 95 % intervals"
GROUPS = list("ABCDEFGHIJ")
BASE_RATE, RISK = 0.4, 0.1
MEASURES = ["base_rate", "selection_rate", "true_positive_rate", "false_positive_rate"]
MEASURES += ["discriminative_risk", "impact_ratio"]


def decide(X: pd.DataFrame) -> np.ndarray:
    """Decide as it was drawn; about sensitive rows, the reverse if the group is another."""
    is_moved = (X["group"] != X["own"]) & X["sensitive"]
    return np.asarray(X["f"] ^ is_moved)


@dataclass(frozen=True)
class RateDesign:
    """Sizes of groups, and their rates of favourable decisions for each label."""

    sizes: Sequence[int]
    rates: Sequence[float]
    slope: float = 0.2

    @property
    def about(self) -> str:
        sizes, rates = (" / ".join(map(str, each)) for each in (self.sizes, self.rates))
        return f"groups of {sizes} rows, selection rates {rates}"

    def get_truth(self, measure: str, group: int, reference: int) -> float:
        """Return the true rate of a group."""
        rate = self.rates[group]
        truth = {
            "base_rate": BASE_RATE,
            "selection_rate": rate,
            "true_positive_rate": rate * (1 + self.slope),
            "false_positive_rate": rate * (1 - self.slope * BASE_RATE / (1 - BASE_RATE)),
            "discriminative_risk": RISK,
            "impact_ratio": rate / self.rates[reference],
        }
        return truth[measure]

    def draw(self, rng: Generator) -> tuple[pd.DataFrame, np.ndarray]:
        n_groups = len(self.sizes)
        group = np.repeat(np.arange(n_groups), self.sizes)
        y = rng.random(len(group)) < BASE_RATE
        names = ["true_positive_rate", "false_positive_rate"]
        chances = [[self.get_truth(name, g, 0) for g in range(n_groups)] for name in names]
        chance = np.where(y, np.take(chances[0], group), np.take(chances[1], group))
        letters = np.take(GROUPS, group)
        columns = {"f": rng.random(len(group)) < chance, "sensitive": rng.random(len(y)) < RISK}
        return pd.DataFrame({"group": letters, "own": letters, **columns}), y

    def cover(self, rng: Generator) -> list[float]:
        """Return the share of the groups whose interval covers the truth, for each measure."""
        X, y = self.draw(rng)
        options = {"n_boot": 1, "random_state": 0, "measures": ["accuracy"]}
        found = compare({"m": decide}, X, y, {"group": "A"}, **options).group_rates
        ratios = found[found["measure"] == "impact_ratio"]
        reference = GROUPS.index(ratios.loc[ratios["value"].idxmax(), "group"])
        return [
            np.mean(list(self._iter_covered(found[found["measure"] == name], reference)))
            for name in MEASURES
        ]

    def _iter_covered(self, rows: pd.DataFrame, reference: int) -> Iterator[bool]:
        for row in rows.dropna(subset=["low"]).itertuples():
            truth = self.get_truth(row.measure, GROUPS.index(row.group), reference)
            yield row.low <= truth <= row.high


DESIGNS = [
    RateDesign((30, 200, 1000), (0.3, 0.3, 0.3)),
    RateDesign((30, 200, 1000), (0.1, 0.2, 0.5)),
    RateDesign((30, 200, 1000), (0.5, 0.2, 0.1)),
    RateDesign((100, 100, 100), (0.3, 0.3, 0.3)),
    RateDesign((100, 100, 100), (0.05, 0.7, 0.7)),
    RateDesign((500, 500, 500), (0.5, 0.45, 0.4)),
]

MANY_GROUPS = [RateDesign((100,) * 6, (0.3,) * 6), RateDesign((200,) * 10, (0.3,) * 10)]
"""Groups with the same rate, so that each true impact ratio is 1."""


def group_rate_intervals(n_runs: int, progress: bool) -> Iterator[Mark]:
    """Yield the coverage of the intervals of rates and impact ratios, over three groups."""
    for design in DESIGNS:
        covered = simulate(design.cover, n_runs, design.about, progress).mean(axis=0)
        for name, value in zip(MEASURES, covered, strict=True):
            about = f"{name.replace('_', ' ')}, {design.about}"
            yield Mark(about, FIGURE, value, at_least=COVERAGE)
    for design in MANY_GROUPS:
        covered = simulate(design.cover, n_runs, design.about, progress).mean(axis=0)
        about = f"impact ratio, {len(design.sizes)} groups of {design.sizes[0]} rows, equal rates"
        yield Mark(about, FIGURE, covered[MEASURES.index("impact_ratio")])
