"""The score of a model: a probability, a decision function, or the prediction of a regressor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from dr_core._utils import NUMERIC_KINDS, Array, check_choice, quote
from dr_core.risk._predictor import (
    check_predictions,
    choose_favorable,
    find_distribution,
    get_known_labels,
    get_predict,
)
from dr_core.risk._randomized import RandomizedModel

__all__ = ["SCORE_RESPONSES", "ScoreFunction", "choose_score"]

SCORE_RESPONSES = ("auto", "predict_proba", "decision_function", "predict")
"""Ways to ask a model for scores."""


@dataclass(frozen=True, eq=False)
class ScoreFunction:
    """A model as a function of X that returns one checked score per row.

    Parameters
    ----------
    ask : function of X that returns scores of shape (n,) or (n, C)
    meaning : what the score is, in words
    column : column of scores of shape (n, C)
    sign : -1 if scores of shape (n,) are those of the other class, otherwise 1

    Examples
    --------
    >>> half = ScoreFunction(lambda X: X @ [[0.5, 1.0]], "half of x", column=0)
    >>> half(np.array([[1.0], [4.0]]))
    array([0.5, 2. ])
    """

    ask: Callable[[Any], Any]
    meaning: str
    column: int | None = None
    sign: int = 1

    def __call__(self, X: Any) -> Array:
        """Return the score of each row, (n,)."""
        scores = np.asarray(self.ask(X))
        if self.column is not None and scores.ndim == 2 and scores.shape[1] > self.column:
            scores = scores[:, self.column]
        scores = check_predictions(scores, len(X))
        if scores.dtype.kind not in NUMERIC_KINDS.replace("b", ""):
            raise ValueError(
                f"the model returned {quote(scores[:3])}, which are classes, not scores. Use "
                "assess_risk for the share of predictions that change; or pass a function that "
                "returns the score of each row."
            )
        if not np.isfinite(scores).all():
            raise ValueError(
                f"the model returned a score of {scores[~np.isfinite(scores)][0]}; the size of a "
                "change needs finite scores. Clip them in a function that you pass as the model."
            )
        return scores if self.sign == 1 else -scores


def choose_score(
    estimator: Any, response: str, favorable: Any, columns: Sequence[Any]
) -> ScoreFunction:
    """Return the score of a model as a function of X.

    Parameters
    ----------
    estimator : a fitted model, or a callable
    response : one of `SCORE_RESPONSES`
    favorable : label of the favourable class, or None
    columns : keys of the sensitive columns of X

    Examples
    --------
    >>> choose_score(lambda X: X["age"] / 100, "auto", None, ["sex"]).meaning
    'prediction'
    """
    check_choice("response", response, SCORE_RESPONSES)
    random = find_distribution(estimator, columns)
    if random is None:
        get_predict(estimator)  # raises TypeError for what is no model
    elif response in ("auto", "predict_proba"):
        column = choose_favorable(favorable, random.classes_)
        label = random.classes_[column]
        return ScoreFunction(_Distribution(random), f"probability of {label}", column)
    method = _find_method(estimator) if response == "auto" else response
    if method == "predict":
        return _take_prediction(estimator, favorable)
    if not hasattr(estimator, method):
        raise ValueError(
            f"response is {response!r}, but {type(estimator).__name__} has no {method}; choose "
            "another response, or pass a function that returns the score of each row."
        )
    classes = _get_classes(estimator, method)
    column = choose_favorable(favorable, classes)
    ask, label = getattr(estimator, method), classes[column]
    if method == "predict_proba":
        return ScoreFunction(ask, f"probability of {label}", column)
    if len(classes) > 2:
        return ScoreFunction(ask, f"decision function of {label}", column)
    return ScoreFunction(ask, f"decision function of {label}", sign=1 if column else -1)


@dataclass(frozen=True)
class _Distribution:
    """The checked distribution of a randomised model, as a function of X."""

    model: RandomizedModel

    def __call__(self, X: Any) -> Array:
        return self.model.predict_distribution(X, len(X))


def _find_method(estimator: Any) -> str:
    """Return the method that scores come from: that of a classifier, or `predict`."""
    if isinstance(estimator, BaseEstimator):
        if is_regressor(estimator):
            return "predict"
        check_is_fitted(estimator)
    for method in ("predict_proba", "decision_function"):
        if hasattr(estimator, method):
            return method
    if isinstance(estimator, BaseEstimator) and is_classifier(estimator):
        raise ValueError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function, so that "
            "it has no score. Use assess_risk for the share of predictions that change."
        )
    return "predict"


def _take_prediction(estimator: Any, favorable: Any) -> ScoreFunction:
    if favorable is not None:
        raise ValueError(
            f"favorable is {favorable!r}, but the score is the prediction itself, which has no "
            "classes. Leave favorable out."
        )
    return ScoreFunction(get_predict(estimator), "prediction")


def _get_classes(estimator: Any, method: str) -> list[Any]:
    classes = get_known_labels(estimator)
    if not classes:
        raise ValueError(
            f"{type(estimator).__name__} has no classes_, so that the score of the favourable "
            f"class is unknown. Pass a function of X that takes it from model.{method}(X)."
        )
    return classes
