"""The distributions of fairlearn's models that draw their predictions at random."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import ClassificationMoment, ExponentiatedGradient
from sklearn.utils.validation import check_is_fitted

from dr_core import RandomizedModel
from dr_core.plugins import Array, Table, as_table, quote

__all__ = ["find_distribution"]

CLASSES = (0, 1)
"""Classes that both models predict."""

COMMA = re.compile(r"(?<!\\),")
"""Separator of the values in the name of a group; commas in values are escaped."""


def find_distribution(model: Any, columns: Sequence[Any]) -> RandomizedModel | None:
    """Return the distribution of a model of fairlearn; None if it does not draw classes.

    Parameters
    ----------
    model : estimator of fairlearn
    columns : keys of the sensitive columns of X, or a mapping from them to their values

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = pd.DataFrame({"sex": ["M", "F"] * 50, "age": range(100)})
    >>> model = ThresholdOptimizer(estimator=LogisticRegression(), predict_method="predict_proba")
    >>> model = model.fit(X[["age"]], np.arange(100) % 3 == 0, sensitive_features=X["sex"])
    >>> find_distribution(model, ["sex"]).predict_proba(X).shape
    (100, 2)
    """
    if isinstance(model, ThresholdOptimizer):
        check_is_fitted(model)
        return RandomizedModel(_Thresholds(model, columns), CLASSES)
    if isinstance(model, ExponentiatedGradient):
        check_is_fitted(model)
        return RandomizedModel(_Mixture(model), CLASSES) if _predicts_classes(model) else None
    return None


def _predicts_classes(model: ExponentiatedGradient) -> bool:
    are_classifiers = all(hasattr(one, "classes_") for one in model.predictors_)
    return are_classifiers or isinstance(model.constraints, ClassificationMoment)


@dataclass(frozen=True)
class _Mixture:
    """The predictors of an `ExponentiatedGradient`, each drawn with its weight."""

    model: ExponentiatedGradient

    def __call__(self, X: Any) -> Array:
        weights = self.model.weights_
        drawn = [t for t in weights.index if weights[t] > 0]
        positive = sum(
            weights[t] * np.asarray(self.model.predictors_[t].predict(X)) for t in drawn
        )
        share = positive / sum(weights[t] for t in drawn)
        return np.column_stack([1 - share, share])


@dataclass(frozen=True)
class _Thresholds:
    """The randomised thresholds of a `ThresholdOptimizer`, by the sensitive columns of X."""

    model: ThresholdOptimizer
    columns: Sequence[Any] | Mapping[Any, Sequence[Any]]

    def __call__(self, X: Any) -> Array:
        table = as_table(X)
        groups = self._get_groups(table)
        # The distribution is not public in fairlearn; a test compares it with many draws.
        return np.asarray(
            self.model._pmf_predict(self._get_features(table), sensitive_features=groups)
        )

    def _get_features(self, table: Table) -> Any:
        """Return the columns that the inner estimator was fitted on."""
        estimator = self.model.interpolated_thresholder_.estimator_
        names = getattr(estimator, "feature_names_in_", None)
        if names is None or set(self.columns) <= set(names):
            return table.native
        return table.native[[name for name in table.keys() if name in set(names)]]  # noqa: SIM118

    def _get_groups(self, table: Table) -> Any:
        """Return the sensitive columns whose values are the groups that have thresholds."""
        known = set(self.model.interpolated_thresholder_.interpolation_dict)
        found = [
            some
            for size in range(1, len(self.columns) + 1)
            for some in permutations(self.columns, size)
            if self._have_thresholds(table, some, known)
        ]
        if len(found) == 1:
            return _select(table, found[0])
        raise ValueError(
            f"the ThresholdOptimizer has thresholds for the groups {quote(known)}, and "
            f"{'several choices' if found else 'no choice'} of the sensitive columns "
            f"{quote(list(self.columns))} of X have these values. Pass as `privileged` those "
            "that were its sensitive_features, with values that tell them apart; or pass "
            "RandomizedModel(predict_proba, classes=[0, 1])."
        )

    def _have_thresholds(self, table: Table, columns: Sequence[Any], known: set[Any]) -> bool:
        """Return whether all values of these columns, not only those in this table, are known."""
        if not _list_groups(table, columns) <= known:
            return False
        if not isinstance(self.columns, Mapping):
            return True
        # Groups "F,old" and "M,old" of two columns have F and M in the first, old in the second.
        is_single = len(columns) == 1
        groups = [(one,) if is_single else COMMA.split(one) for one in known]
        return all(
            {value if is_single else _escape(str(value)) for value in self.columns[key]}
            <= {group[i] for group in groups}
            for i, key in enumerate(columns)
        )


def _select(table: Table, columns: Sequence[Any]) -> Any:
    native = table.native
    return native[:, list(columns)] if isinstance(native, np.ndarray) else native[list(columns)]


def _list_groups(table: Table, columns: Sequence[Any]) -> set[Any]:
    """Return the groups as fairlearn names them: values, or texts joined by commas."""
    rows = pd.DataFrame({i: table.column(key) for i, key in enumerate(columns)}).drop_duplicates()
    if len(columns) == 1:
        return set(rows[0].tolist())
    texts = [[_escape(str(value)) for value in rows[i]] for i in rows]
    return {",".join(group) for group in zip(*texts, strict=True)}


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace(",", "\\,")
