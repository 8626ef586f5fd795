"""The distributions of models of `aif360.sklearn` that draw their predictions at random.

Classes are known by name, because their modules import optional libraries and log missing ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from dr_core import RandomizedModel
from dr_core.plugins import Array
from dr_core.plugins import find_distribution as find_known_distribution

__all__ = ["find_indexed_distribution"]


def find_indexed_distribution(model: Any, columns: Sequence[Any]) -> RandomizedModel | None:
    """Return the distribution of a postprocessor or meta-estimator; None if it does not draw.

    Args:
        model: Estimator of `aif360.sklearn`.
        columns: Keys of the sensitive columns of X.
    """
    classes = [one for one in type(model).__mro__ if one.__module__.startswith("aif360.sklearn")]
    names = {one.__name__ for one in classes}
    if "CalibratedEqualizedOdds" in names:
        check_is_fitted(model, "mix_rates_")
        return RandomizedModel(_MixedScores(model), model.classes_.tolist())
    if "ReweighingMeta" in names:
        check_is_fitted(model, "estimator_")
        return find_known_distribution(model.estimator_, columns)
    if "PostProcessingMeta" in names:
        check_is_fitted(model, "postprocessor_")
        last = find_known_distribution(model.postprocessor_, columns)
        return last and RandomizedModel(_AfterEstimator(model.estimator_, last), last.classes)
    return None


@dataclass(frozen=True)
class _AfterEstimator:
    """The distribution of a postprocessor, as a function of the X of its estimator."""

    estimator: Any
    postprocessor: RandomizedModel

    def __call__(self, X: pd.DataFrame) -> Any:
        scores = pd.DataFrame(self.estimator.predict_proba(X), index=X.index)
        return self.postprocessor.predict_proba(scores)


@dataclass(frozen=True)
class _MixedScores:
    """P(class) of `CalibratedEqualizedOdds`, a function of the scores of both classes, (n, 2).

    With the probability `mix_rates_` of its group, the score of a row becomes the base rate of the
    group. The class with the higher score is predicted.
    """

    postprocessor: Any

    def __call__(self, X: pd.DataFrame) -> Array:
        fitted = self.postprocessor
        place = fitted.classes_.tolist().index(fitted.pos_label_)
        groups = X.index.to_frame().set_index(list(fitted.prot_attr_)).index.to_flat_index()
        group = pd.Index(fitted.groups_).get_indexer(groups)
        if (group < 0).any():
            unknown = groups[group < 0][0]
            raise ValueError(f"the postprocessor was not fitted on the group {unknown!r}.")
        rates = np.clip(np.nan_to_num(fitted.mix_rates_), 0, 1)[group]
        own = _decide(X.iloc[:, place].to_numpy(), place)
        base = _decide(np.asarray(fitted.base_rates_), place)[group]
        positive = rates * base + (1 - rates) * own
        return np.column_stack([1 - positive, positive][:: 1 if place else -1])


def _decide(scores: Array, place: int) -> Array:
    """Return whether the positive class has the higher score; ties go to the first class."""
    return scores > 0.5 if place else scores >= 0.5
