"""Some of the people concerned, most at risk first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import Table
from dr_core._utils import Array

__all__ = ["Individuals", "concerned"]


@dataclass(frozen=True, eq=False)
class Individuals:
    """Some of the people whose decision may change: personal data.

    Those of two parts of the rows, added, are those of both parts: most at risk first, then by
    position.

    Attributes
    ----------
    rows : (k,) their positions in X
    predictions : list of what they are predicted to be
    risks : (k,) how likely the prediction is to change, all attributes perturbed
    features : DataFrame of k rows, the sensitive columns first
    n_sensitive : how many columns these are
    n_concerned : how many there are in all
    most : how many are kept at the most
    """

    rows: Array
    predictions: list[Any]
    risks: Array
    features: pd.DataFrame
    n_sensitive: int
    n_concerned: int
    most: int

    def __add__(self, other: Individuals) -> Individuals:
        frames = [some.features for some in (self, other) if len(some.rows)]
        features = pd.concat(frames, ignore_index=True) if frames else self.features
        risks = np.concatenate([self.risks, other.risks])
        kept = np.argsort(-risks, kind="stable")[: self.most]
        predictions = [*self.predictions, *other.predictions]
        return Individuals(
            np.concatenate([self.rows, other.rows])[kept],
            [predictions[i] for i in kept],
            risks[kept],
            features.iloc[kept].reset_index(drop=True),
            self.n_sensitive,
            self.n_concerned + other.n_concerned,
            self.most,
        )


def concerned(
    table: Table,
    risks: Array,
    predicted: Callable[[Array], list[Any]],
    sensitive: list[Any],
    most: int,
    start: int = 0,
) -> Individuals:
    """Up to `most` rows whose prediction may change, most at risk first.

    Parameters
    ----------
    table : Table of n rows
    risks : array of shape (n,)
    predicted : tells the predictions of rows
    sensitive : names of the sensitive columns
    most : int
    start : position of the first row in X
    """
    touched = np.flatnonzero(risks)
    rows = touched[np.argsort(-risks[touched], kind="stable")][:most]
    keys = [*sensitive, *(key for key in table.keys() if key not in sensitive)]  # noqa: SIM118
    taken = table.take(rows)
    features = pd.DataFrame({key: list(taken.column(key)) for key in keys})
    return Individuals(
        start + rows,
        predicted(rows),
        risks[rows],
        features,
        len(sensitive),
        len(touched),
        most,
    )
