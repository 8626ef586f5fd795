"""Some of the rows whose prediction may change, most at risk first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core._utils import Array, round_probability
from dr_core.risk import Changes

__all__ = ["Individuals", "IndividualsFold"]


@dataclass(frozen=True, eq=False)
class Individuals:
    """Some of the people whose prediction may change: personal data.

    Those of two parts of the rows add up: most at risk first, then by position.

    Attributes
    ----------
    rows : (k,) their positions in X
    predictions : list of their predictions
    risks : (k,) probability that the prediction changes, all attributes perturbed
    features : DataFrame of k rows, the sensitive columns first
    n_sensitive : number of sensitive columns
    n_concerned : number of all rows whose prediction may change
    max_rows : maximum number of rows that are kept
    """

    rows: Array
    predictions: list[Any]
    risks: Array
    features: pd.DataFrame
    n_sensitive: int
    n_concerned: int
    max_rows: int

    def __add__(self, other: Individuals) -> Individuals:
        frames = [some.features for some in (self, other) if len(some.rows)]
        features = pd.concat(frames, ignore_index=True) if frames else self.features
        risks = np.concatenate([self.risks, other.risks])
        kept = np.argsort(-risks, kind="stable")[: self.max_rows]
        predictions = [*self.predictions, *other.predictions]
        return Individuals(
            np.concatenate([self.rows, other.rows])[kept],
            [predictions[i] for i in kept],
            risks[kept],
            features.iloc[kept].reset_index(drop=True),
            self.n_sensitive,
            self.n_concerned + other.n_concerned,
            self.max_rows,
        )


@dataclass(frozen=True)
class IndividualsFold:
    """The fold that keeps up to `max_rows` rows, all attributes perturbed together."""

    max_rows: int

    def __call__(self, changes: Changes) -> Individuals:
        """Find the rows of a chunk that are most at risk."""
        # Rounded, so that rows of equal risk stay in the order of their positions.
        risks = round_probability(changes.risk[changes.plan.find_scenario(-1, kind=0)])
        touched = np.flatnonzero(risks)
        rows = touched[np.argsort(-risks[touched], kind="stable")][: self.max_rows]
        table, sensitive = changes.chunk.x.table, changes.plan.attributes.columns
        keys = [*sensitive, *(key for key in table.keys() if key not in sensitive)]  # noqa: SIM118
        taken = table.take(rows)
        return Individuals(
            changes.start + rows,
            changes.get_likeliest(rows),
            risks[rows],
            pd.DataFrame({key: list(taken.column(key)) for key in keys}),
            len(sensitive),
            len(touched),
            self.max_rows,
        )
