"""Predictions for a dataset, by an AIF360 algorithm or by any estimator with `predict`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from aif360_dr._checks import check_labels, label_values
from dr_core.plugins import Array, get_predict

__all__ = [
    "EstimatorTransformer",
    "classify",
    "model_input",
    "predict_labels",
    "scores_told",
    "with_labels",
]


def model_input(estimator: Any, dataset: StructuredDataset) -> Any:
    """Features as an estimator wants them: by name if it was fitted on a frame, else an array.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> model_input(None, hiring()).shape
        (8, 3)
    """
    first = estimator[0] if isinstance(estimator, list | tuple) else estimator
    names = getattr(first, "feature_names_in_", None)
    if names is None:
        return dataset.features.copy()  # which the model may write into
    frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)
    lacking = [name for name in names if name not in frame.columns]
    if lacking:
        raise ValueError(
            f"the model was fitted on features {lacking}, which the dataset has not; it has "
            f"{dataset.feature_names}."
        )
    return frame[list(names)]


def predict_labels(model: Any, dataset: StructuredDataset) -> Array:
    """Labels that a model gives to the rows of a dataset, shape (n,).

    Args:
        model: An AIF360 algorithm, an estimator, or a function of the features.
        dataset: Rows to predict.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> predict_labels(lambda features: features[:, 2] > 4, hiring())
        array([0., 0., 1., 1., 0., 0., 1., 1.])
    """
    if isinstance(model, Transformer):
        return _checked_labels(model.predict(dataset).labels, dataset)
    predict = get_predict(model)
    return _checked_labels(predict(model_input(model, dataset)), dataset)


def classify(model: Any, dataset: StructuredDataset) -> StructuredDataset:
    """A copy of a dataset with the labels and scores that a model predicts.

    Scores are probabilities of the favorable label where the model gives any, else 1 and 0.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> classify(lambda features: features[:, 2] > 4, hiring()).labels.shape
        (8, 1)
    """
    if isinstance(model, Transformer):
        before = dataset.scores.copy()
        predicted = model.predict(dataset)
        labels = _checked_labels(predicted.labels, dataset)
        return with_labels(dataset, labels, scores_told(predicted, before))
    return with_labels(dataset, predict_labels(model, dataset), _scores(model, dataset))


def scores_told(predicted: StructuredDataset, before: Array) -> Array | None:
    """Scores that an algorithm predicted; None where it left those of the rows, before.

    AIF360's datasets have scores from the start, 1 and 0 for the true labels, and some algorithms
    set labels only.
    """
    return None if np.array_equal(predicted.scores, before) else predicted.scores


def with_labels(
    dataset: StructuredDataset, labels: Array, scores: Array | None = None
) -> StructuredDataset:
    """A copy of a dataset with other labels and scores, both of shape (n, 1).

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> with_labels(hiring(), np.ones(8)).scores.shape
        (8, 1)
    """
    if scores is None:
        scores = np.isin(labels, label_values(dataset)[0])
    copied = dataset.copy()
    copied.ignore_fields = set(dataset.ignore_fields)
    copied.labels = np.reshape(labels, (-1, 1)).astype(np.float64)
    copied.scores = np.reshape(scores, (-1, 1)).astype(np.float64)
    return copied


class EstimatorTransformer(Transformer):
    """A scikit-learn estimator as an AIF360 algorithm, to chain with others.

    Args:
        estimator: Fitted already, or fitted by `fit` (a clone of it, with instance weights).
        read: Function of the estimator and a dataset that returns what the estimator takes.

    Examples:
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from aif360_dr.examples import hiring
        >>> algorithm = EstimatorTransformer(DecisionTreeClassifier(random_state=0))
        >>> algorithm.fit(hiring()).predict(hiring()).labels.ravel()
        array([0., 0., 1., 1., 0., 1., 1., 1.])
    """

    def __init__(
        self,
        estimator: Any,
        read: Callable[[Any, StructuredDataset], Any] = model_input,
    ) -> None:
        if not hasattr(estimator, "predict"):
            raise TypeError(
                f"estimator is a {type(estimator).__name__}; pass one with fit and predict."
            )
        super().__init__(estimator=type(estimator).__name__)
        self.estimator = estimator
        self.read = read

    def fit(self, dataset: StructuredDataset) -> EstimatorTransformer:
        """Fit a clone of the estimator on a dataset, honouring its instance weights."""
        weights = _weight_argument(self.estimator, dataset.instance_weights)
        fresh = clone(self.estimator)
        X = self.read(fresh, dataset)
        self.estimator = fresh.fit(X, dataset.labels.ravel(), **weights)
        return self

    def predict(self, dataset: StructuredDataset) -> StructuredDataset:
        """A copy of the dataset with predicted labels and scores."""
        X = self.read(self.estimator, dataset)
        labels = _checked_labels(self.estimator.predict(X), dataset)
        return with_labels(dataset, labels, _scores(self.estimator, dataset, X))


def _checked_labels(labels: Any, dataset: Any) -> Array:
    labels, n = np.asarray(labels), len(dataset.features)
    if labels.size != n:
        raise ValueError(f"the model returned {labels.size} labels for {n} rows.")
    try:
        numbers = labels.ravel().astype(np.float64)
    except ValueError:
        raise ValueError(
            f"the model returned labels such as {labels.ravel().tolist()[0]!r}; fit it on the "
            "labels of the dataset, which are numbers."
        ) from None
    check_labels(numbers, dataset, "the model")
    return numbers


def _scores(model: Any, dataset: Any, X: Any = None) -> Array | None:
    if not hasattr(model, "predict_proba"):
        return None
    favorable = np.isin(np.asarray(model.classes_, dtype=float), label_values(dataset)[0])
    probabilities = model.predict_proba(model_input(model, dataset) if X is None else X)
    return np.asarray(probabilities)[:, favorable].sum(axis=1)


def _weight_argument(estimator: Any, weights: Array) -> dict[str, Array]:
    """Argument that hands instance weights to `fit`; none when all weigh the same."""
    if (weights == weights[0]).all():
        return {}
    step, prefix = estimator, ""
    while isinstance(step, Pipeline):
        prefix, step = f"{prefix}{step.steps[-1][0]}__", step.steps[-1][1]
    if not has_fit_parameter(step, "sample_weight"):
        raise ValueError(
            f"the dataset has instance weights, but {type(step).__name__}.fit takes no "
            "sample_weight. Use another estimator, or set the weights to 1."
        )
    return {f"{prefix}sample_weight": weights}
