"""What an assessment of risk adds up: a few exact sums, however many rows there are.

Totals of parts add up to the totals of the whole to the last digit (see `exact_sums`), so that
chunks, partitions and machines do not show in any result.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import factorize
from dr_core._utils import Array, exact_squares, exact_sums, share, sorted_values

__all__ = ["Moves", "RiskTotals"]

HIGHER, LOWER = ("any", "higher"), ("any", "lower")
"""How a quantity changes."""

N_GROUPS = 3

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Moves:
    """Weight of the rows whose prediction changes, by what it was and what it becomes.

    Attributes
    ----------
    are_numbers : whether predictions are quantities, which move up or down
    mass : exact sums, by the prediction before and after; for quantities HIGHER and LOWER
    """

    are_numbers: bool
    mass: dict[Pair, int]

    @classmethod
    def of(cls, before: Array, after: Array, mass: Array, are_numbers: bool) -> Moves:
        """Sum up changed predictions."""
        if are_numbers:
            pairs, cell = [LOWER, HIGHER], (after > before).astype(np.intp)
        else:
            (old, olds), (new, news) = factorize(before), factorize(after)
            found, cell = np.unique(old * len(news) + new, return_inverse=True)
            pairs = [(olds[i // len(news)], news[i % len(news)]) for i in found]
        sums = exact_sums(mass, cell, len(pairs))
        return cls(are_numbers, dict(zip(pairs, sums, strict=True)))

    def __add__(self, other: Moves) -> Moves:
        are_numbers = self.are_numbers or other.are_numbers
        mine, its = (part._as_numbers() if are_numbers else part.mass for part in (self, other))
        both = {pair: mine.get(pair, 0) + its.get(pair, 0) for pair in {**mine, **its}}
        return Moves(are_numbers, both)

    def _as_numbers(self) -> dict[Pair, int]:
        if self.are_numbers:
            return self.mass
        higher = sum(mass for (old, new), mass in self.mass.items() if new > old)
        return {HIGHER: higher, LOWER: sum(self.mass.values()) - higher}

    def table(self, total: int) -> pd.DataFrame:
        """Share of all rows, by what a prediction was and what it becomes."""
        pairs = [pair for pair in sorted_values(self.mass) if self.mass[pair]]
        shares = [share(self.mass[pair], total) for pair in pairs]
        old, new = zip(*pairs, strict=True) if pairs else ((), ())
        return pd.DataFrame({"from": old, "to": new, "share": np.array(shares, dtype=float)})


@dataclass(frozen=True, eq=False)
class RiskTotals:
    """Sums over rows, exact; S scenarios of what is perturbed, 3 groups of rows.

    Attributes
    ----------
    rows : (S, 3) number of rows of each group
    weight : (S, 3) their weight
    squares : () sum of squared weights, in squares of units
    risk : (S, 3) weighted individual risks
    touched : (S, 3) weight of rows whose prediction can change
    correct : (1 + S,) weight of right predictions, on x and then on x̃; empty without y
    moves : Moves, all attributes perturbed
    predicted, labels : dictionaries whose keys are the classes predicted, and those of y
    """

    rows: Array
    weight: Array
    squares: Any
    risk: Array
    touched: Array
    correct: Array
    moves: Moves
    predicted: dict[Any, None]
    labels: dict[Any, None]

    @classmethod
    def of(
        cls,
        risks: Array,
        groups: Array,
        weights: Array | None,
        correct: Array,
        moves: Moves,
        predicted: dict[Any, None],
        labels: dict[Any, None],
    ) -> RiskTotals:
        """Sum up rows; the last axis of `risks`, `groups` and `correct` is that of the rows."""
        # Without weights rows are counted, which is exact and fast.
        w = np.ones(risks.shape[-1], dtype=bool) if weights is None else weights

        def by_group(values: Array) -> Array:
            pairs = zip(values, groups, strict=True)
            return np.stack([exact_sums(of_rows, cells, N_GROUPS) for of_rows, cells in pairs])

        everyone = np.broadcast_to(w, risks.shape)
        return cls(
            np.stack([np.bincount(cells, minlength=N_GROUPS) for cells in groups]),
            by_group(everyone),
            exact_squares(w)[0],
            by_group(risks * w),
            by_group((risks > 0) * w),
            np.array([exact_sums(right * w)[0] for right in correct], dtype=object),
            moves,
            predicted,
            labels,
        )

    @property
    def total(self) -> int:
        """Weight of all rows."""
        return int(self.weight[0].sum())

    def __add__(self, other: RiskTotals) -> RiskTotals:
        parts = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return RiskTotals(*(a | b if isinstance(a, dict) else a + b for a, b in parts))
