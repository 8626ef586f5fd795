"""What a prediction is: a label, a distribution over classes, or a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from types import MethodType
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, is_regressor
from sklearn.pipeline import Pipeline

from dr_core._tables import Factorized, encode, encode_known, factorize
from dr_core._utils import Array, differs, quote, sort_values, unbox_floats
from dr_core.risk._randomized import RandomizedModel, total_variation

__all__ = [
    "MAX_NUMBERS",
    "OR_TOLERANCE",
    "Predictor",
    "check_labels",
    "check_predictions",
    "choose_favorable",
    "describe_scores",
    "encode_decisions",
    "find_classes",
    "find_distribution",
    "get_known_labels",
    "get_predict",
    "have_fractions",
]

MAX_NUMBERS = 100
"""Integers with more distinct values than this are taken for quantities, not for classes."""


@dataclass(frozen=True, eq=False)
class Predictor:
    """A model as a function of X that returns one checked prediction per row.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
    classes : list, optional
        Class labels; predictions are then positions in this list.
    tolerance : float, optional
        A numeric prediction counts as changed when it moves by more than this. Without it and
        without classes, numbers that are no class labels raise ValueError.
    name : str
        How error messages call the predictions.

    Examples
    --------
    >>> ages = Predictor(lambda X: X["age"] > 30, classes=[False, True])
    >>> ages(pd.DataFrame({"age": [20, 40]}))
    array([0, 1], dtype=int8)
    """

    estimator: Any
    classes: list[Any] | None = None
    tolerance: float | None = None
    name: str = "the model's predictions"

    def __call__(self, X: Any) -> Array:
        """Predict X: labels or positions of classes, (n,); or distributions, (n, C)."""
        if isinstance(self.estimator, RandomizedModel):
            return self._predict_distribution(X)
        predictions = check_predictions(get_predict(self.estimator)(X), len(X))
        if self.classes is not None:
            return encode_decisions(predictions, self.classes, self.name)
        if self.tolerance is None and self.predicts_numbers(predictions):
            raise ValueError(f"{describe_scores(self.name, predictions)}{OR_TOLERANCE}")
        return predictions

    def for_columns(self, columns: Mapping[Any, Sequence[Any]]) -> Predictor:
        """Return a predictor of distributions if the model is known to draw its predictions.

        Parameters
        ----------
        columns : values of the sensitive columns of X, by key
        """
        model = find_distribution(self.estimator, columns)
        if model is None:
            return self
        classes = model.classes_ if self.classes is None else self.classes
        return replace(self, estimator=model, classes=classes)

    def loss(self, before: Array, after: Array) -> Array:
        """Return ℓ of pairs of predictions, (k,): 1[f(x) ≠ f(x̃)], or the total variation."""
        if before.ndim == 2:
            return total_variation(before, after)
        if self.classes is not None:
            return np.asarray(before != after)
        return differs(before, after, self.tolerance or 0.0)

    def predicts_numbers(self, *predictions: Array) -> bool:
        """Return whether predictions are quantities, which move up or down, not classes."""
        if self.classes is not None:
            return False
        is_numeric = isinstance(self.estimator, BaseEstimator) and is_regressor(self.estimator)
        return bool(self.tolerance) or is_numeric or any(map(have_fractions, predictions))

    def _predict_distribution(self, X: Any) -> Array:
        found = self.estimator.predict_distribution(X, len(X))
        own = self.estimator.classes_
        classes = own if self.classes is None else self.classes
        # Columns of the classes (no, yes) in a list (maybe, no, yes) are columns 1 and 2.
        place = encode(Factorized(np.arange(len(own)), own), classes, self.name)
        aligned = np.zeros((len(found), len(classes)), found.dtype)
        aligned[:, place] = found
        return aligned


def find_distribution(
    model: Any, columns: Mapping[Any, Sequence[Any]] | Sequence[Any]
) -> RandomizedModel | None:
    """Return the distribution of a model that is known to draw its predictions, otherwise None.

    Parameters
    ----------
    model : any model
    columns : keys of the sensitive columns of X; as a mapping, with all values of each
    """
    model = _unwrap(model)
    if isinstance(model, RandomizedModel):
        return model
    if isinstance(model, Pipeline):
        last = find_distribution(model[-1], columns) if len(model) else None
        return last and RandomizedModel(_AfterSteps(model, last), last.classes)
    for one in type(model).__mro__:
        package = one.__module__.partition(".")[0]
        find = _load_hooks().get(package) if package not in ("builtins", "sklearn") else None
        if find is not None:
            found: RandomizedModel | None = find.load()(model, columns)
            return found
    return None


def _unwrap(model: Any) -> Any:
    """Return the model that predicts: of `model.predict`, a search or a frozen estimator."""
    if isinstance(model, MethodType) and model.__name__ == "predict":
        return _unwrap(model.__self__)
    if hasattr(model, "best_estimator_"):
        return _unwrap(model.best_estimator_)
    is_frozen = type(model).__name__ == "FrozenEstimator"  # from scikit-learn 1.6
    return _unwrap(model.estimator) if is_frozen else model


@cache
def _load_hooks() -> dict[str, Any]:
    return {one.name: one for one in entry_points(group="discriminative_risk.distributions")}


@dataclass(frozen=True)
class _AfterSteps:
    """The distribution of the last step of a pipeline, as a function of the pipeline's X."""

    pipeline: Pipeline
    last: RandomizedModel

    def __call__(self, X: Any) -> Any:
        steps = self.pipeline[:-1]
        return self.last.predict_proba(steps.transform(X) if len(steps) else X)


def get_predict(estimator: Any) -> Callable[[Any], Any]:
    """Return the `predict` method of a fitted model, or the callable itself."""
    if isinstance(estimator, type):
        raise TypeError(f"{estimator.__name__} is a class; pass a fitted instance of it.")
    if type(estimator).__name__ == "Booster":
        raise TypeError(
            f"the model is a Booster of {type(estimator).__module__.partition('.')[0]}, which "
            "takes and returns its own kinds of data. Pass the fitted XGBClassifier or "
            "LGBMClassifier (or regressor) that it is from; or a function that returns decisions, "
            "such as lambda X: booster.predict(xgboost.DMatrix(X)) > 0.5."
        )
    function = getattr(estimator, "predict", estimator)
    if not callable(function):
        raise TypeError(
            f"the model is a {type(estimator).__name__}; pass an object with predict(X), or a "
            "function of X that returns predictions."
        )
    return function


def check_predictions(predictions: Any, n_rows: int) -> Array:
    """Return predictions as a new array of shape (n_rows,) without missing values."""
    # A model may return the same array, with other content, when it is asked again.
    predictions = unbox_floats(np.array(predictions))
    if predictions.ndim == 2 and predictions.shape[1] == 1:
        predictions = predictions[:, 0]
    if predictions.shape != (n_rows,):
        raise ValueError(
            f"the model returned predictions of shape {predictions.shape} for {n_rows} rows; "
            "one prediction per row is required."
        )
    missing = int(pd.isna(predictions).sum())
    if missing:
        raise ValueError(f"the model returned {missing} missing predictions for {n_rows} rows.")
    return predictions


def have_fractions(predictions: Array) -> bool:
    """Return whether some predictions are no integers, so that they are no class labels.

    >>> have_fractions(np.array([0.0, 1.0])), have_fractions(np.array([0, 0.5], dtype=object))
    (False, True)
    """
    predictions = unbox_floats(predictions)
    return predictions.dtype.kind == "f" and bool((predictions != np.round(predictions)).any())


OR_TOLERANCE = "; or tolerance=, the size from which a change of the number counts."


def describe_scores(name: str, scores: Array) -> str:
    """Return the message for scores or quantities instead of decisions, without a full stop."""
    some = ", ".join(f"{one:g}" for one in scores[:3])
    return (
        f"{name} are numbers such as {some}, not decisions: almost every score moves a little "
        "when anything is perturbed. Pass a function that returns the "
        "decision, such as lambda X: model.predict(X) > 0.5; or use assess_shift, which measures "
        "how far scores move"
    )


def encode_decisions(predictions: Array, classes: list[Any], name: str) -> Array:
    """Return predictions as positions in `classes`; raise ValueError if they are others."""
    found = factorize(predictions)
    unknown = [label for label in found.values if label not in set(classes)]
    if unknown and have_fractions(predictions):
        raise ValueError(f"{describe_scores(name, predictions)}.")
    check_labels(found.values, classes, name, otherwise=OR_LABELS)
    return encode_known(found, classes)


OR_LABELS = "; or, if these are different classes, pass all of them as labels"


def check_labels(
    predicted: Iterable[Any], classes: list[Any], name: str, *, otherwise: str = ""
) -> None:
    """Raise ValueError if a prediction is not among the classes.

    `otherwise` is what else a caller can do than to give y the labels of the model.
    """
    unknown = [label for label in predicted if label not in set(classes)]
    if unknown:
        raise ValueError(
            f"{name} are {quote(sort_values(unknown))}, but the labels are {quote(classes)}. Give "
            f"y the labels that the model predicts, of one type and one spelling{otherwise}."
        )


def find_classes(
    y: list[Any], models: Mapping[str, Any], labels: Any = None, *, otherwise: str = OR_LABELS
) -> list[Any]:
    """Return all class labels, sorted: those of y, those that models know, and those given.

    Raise ValueError if a model knows other labels than y, and y others than the model; see
    `check_labels` for `otherwise`.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> find_classes([0, 1], {"m": DummyClassifier().fit([[0], [0], [0]], [0, 1, 2])})
    [0, 1, 2]
    """
    every = dict.fromkeys([*y, *([] if labels is None else labels)])
    for name, model in models.items():
        known = get_known_labels(model)
        if set(known) - set(every) and set(every) - set(known):
            raise ValueError(
                f"model {name!r} predicts {quote(known)}, but y has {quote(sort_values(y))}. Give "
                f"both the same labels, of one type and one spelling{otherwise}."
            )
    known = [label for model in models.values() for label in get_known_labels(model)]
    return sort_values(dict.fromkeys([*every, *known]))


def get_known_labels(model: Any) -> list[Any]:
    labels = getattr(model, "classes_", ())
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def choose_favorable(favorable: Any, classes: list[Any]) -> int:
    """Return the position of the favourable class; 1 of the classes 0 and 1 by default.

    >>> choose_favorable("yes", ["no", "yes"]), choose_favorable(None, [-1, 1])
    (1, 1)
    """
    if favorable is None:
        if classes in ([0, 1], [-1, 1]):
            return 1
        raise ValueError(f"pass the favourable label as favorable=, one of {quote(classes)}.")
    if favorable not in classes:
        raise ValueError(f"favorable is {favorable!r}, but the classes are {quote(classes)}.")
    return classes.index(favorable)
