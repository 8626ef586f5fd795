"""Labels as AIF360 wants them: two numbers, one of them favorable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import Array, factorize, listed, sorted_values

from ._codings import Coding, codes_for, is_number, learn_coding

__all__ = ["Labels", "learn_labels"]


@dataclass(frozen=True, eq=False)
class Labels:
    """The two labels, in words and in numbers.

    Attributes
    ----------
    coding : Coding
    favorable, unfavorable : float
    """

    coding: Coding
    favorable: float
    unfavorable: float

    def encode(self, column: pd.Series) -> Array:
        """Numbers for labels, shape (n, 1)."""
        return self.coding.encode(column).reshape(-1, 1)

    @property
    def classes(self) -> Array:
        """Both labels as the user knows them, sorted."""
        both = self.coding.decode(np.array([self.unfavorable, self.favorable]))
        return np.array(sorted_values(list(both)))


def learn_labels(y: pd.Series, y_pred: pd.Series | None, favorable: Any) -> Labels:
    """Learn both labels: numbers stay as they are, anything else becomes 1 (favorable) and 0.

    Examples
    --------
    >>> labels = learn_labels(pd.Series(["no", "yes"]), None, "yes")
    >>> labels.favorable, labels.unfavorable, labels.classes
    (1.0, 0.0, array(['no', 'yes'], dtype='<U3'))
    """
    others = _other_labels(y, y_pred, favorable)
    if is_number(y) == isinstance(favorable, str) and favorable not in _values(y):
        raise ValueError(
            f"favorable_label is {favorable!r}, but y has the labels {listed(_values(y))}."
        )
    if is_number(y):
        other = float(others[0]) if others else float(not favorable)
        return Labels(learn_coding(y), float(favorable), other)
    return Labels(codes_for([*(others or [None]), favorable], y), 1.0, 0.0)


def _other_labels(y: pd.Series, y_pred: pd.Series | None, favorable: Any) -> list[Any]:
    found = [value for column in (y, y_pred) if column is not None for value in _values(column)]
    others = [value for value in dict.fromkeys(found) if value != favorable]
    if len(others) > 1:
        raise ValueError(
            f"y has the labels {listed(dict.fromkeys(found))}: one must be favorable_label, "
            f"{favorable!r}, and one other is allowed."
        )
    return others


def _values(column: pd.Series) -> list[Any]:
    return factorize(column).values
