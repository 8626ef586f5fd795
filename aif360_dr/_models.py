"""Predict the labels of a dataset with an AIF360 algorithm or any estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from aif360_dr._checks import check_labels, get_label_values
from dr_core import RandomizedModel
from dr_core.plugins import Array, get_predict

__all__ = [
    "EstimatorTransformer",
    "call_algorithm",
    "classify",
    "copy_with_labels",
    "get_class_labels",
    "get_model_input",
    "hint_at_original_columns",
    "predict_labels",
    "predict_scores",
    "predict_with_scores",
]

ORIGINAL_COLUMNS = (
    "A model of the table from which to_aif360 made the dataset can be passed as "
    "dr_adapters.as_transformer(model, original_columns=True)."
)
"""What to do with a model that does not take the numbers of a dataset."""

EncodeLabels = Callable[[Any, StructuredDataset], Any]


def get_model_input(estimator: Any, dataset: StructuredDataset) -> Any:
    """Return the features: a DataFrame if the estimator was fitted on one, otherwise an array.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> get_model_input(None, hiring()).shape
        (8, 3)
    """
    first = estimator[0] if isinstance(estimator, list | tuple) else estimator
    names = getattr(first, "feature_names_in_", None)
    if names is None:
        return dataset.features.copy()  # because the model may modify it
    frame = pd.DataFrame(dataset.features, columns=dataset.feature_names)
    lacking = [name for name in names if name not in frame.columns]
    if lacking:
        raise ValueError(
            f"the model was fitted on features {lacking}, which are not in the dataset; it has "
            f"{dataset.feature_names}."
        )
    return frame[list(names)]


@contextmanager
def hint_at_original_columns(takes_features: bool = True) -> Iterator[None]:
    """Add a note to an error of a model that may have been fitted on the original table.

    Args:
        takes_features: Whether the model gets the features; others need no note.

    Examples:
        >>> with hint_at_original_columns():
        ...     raise ValueError("could not convert string to float: 'Male'")
        Traceback (most recent call last):
        ValueError: could not convert string to float: 'Male'
        A model of the table from which to_aif360 made the dataset can be passed as \
        dr_adapters.as_transformer(model, original_columns=True).
    """
    try:
        yield
    except NotFittedError:
        raise
    except (TypeError, ValueError) as error:
        if takes_features and ORIGINAL_COLUMNS not in getattr(error, "__notes__", ()):
            error.add_note(ORIGINAL_COLUMNS)
        raise


def call_algorithm(algorithm: Transformer, method: str, *datasets: Any) -> Any:
    """Call a method of an AIF360 algorithm, and undo what its seed does to NumPy's global state.

    Examples:
        >>> from aif360.algorithms.preprocessing import Reweighing
        >>> from aif360_dr.examples import hiring
        >>> reweighing = Reweighing([{"sex": 0}], [{"sex": 1}])
        >>> call_algorithm(reweighing, "fit_transform", hiring()).instance_weights.round(2)
        array([0.75, 0.75, 1.25, 1.25, 1.5 , 0.83, 0.83, 0.83])
    """
    state = np.random.get_state()  # noqa: NPY002
    result = getattr(algorithm, method)(*datasets)
    if getattr(algorithm, "seed", None) is not None:
        np.random.set_state(state)  # noqa: NPY002
    return result


def predict_labels(model: Any, dataset: StructuredDataset) -> Array:
    """Return the labels that a model predicts for a dataset, shape (n,).

    Args:
        model: An AIF360 algorithm, an estimator, or a function of the features.
        dataset: Rows to predict.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> predict_labels(lambda features: features[:, 2] > 4, hiring())
        array([0., 0., 1., 1., 0., 0., 1., 1.])
    """
    if isinstance(model, Transformer):
        predicted = call_algorithm(model, "predict", dataset)
        return _check_predicted_labels(predicted.labels, dataset)
    predict, X = get_predict(model), get_model_input(model, dataset)
    with hint_at_original_columns():
        labels = predict(X)
    return _check_predicted_labels(labels, dataset)


def classify(model: Any, dataset: StructuredDataset, seed: Any = None) -> StructuredDataset:
    """Return a copy of a dataset with predicted labels and scores.

    Scores are the model's probabilities of the favorable label. A model that predicts labels only
    gets the scores 1 (favorable) and 0. The labels of a `RandomizedModel` are drawn with `seed`.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> classify(lambda features: features[:, 2] > 4, hiring()).labels.shape
        (8, 1)
    """
    if isinstance(model, Transformer):
        return copy_with_labels(dataset, *predict_with_scores(model, dataset))
    if isinstance(model, RandomizedModel):
        drawn = model.draw(get_model_input(model, dataset), seed)
        labels = _check_predicted_labels(drawn, dataset)
    else:
        labels = predict_labels(model, dataset)
    return copy_with_labels(dataset, labels, _predict_scores(model, dataset))


def predict_with_scores(
    algorithm: Transformer, dataset: StructuredDataset
) -> tuple[Array, Array | None]:
    """Return the labels that an AIF360 algorithm predicts, and its scores or None, both (n,).

    Some algorithms predict labels only, and return the scores of the dataset that they received.

    Args:
        algorithm: An AIF360 algorithm with `predict`.
        dataset: Rows to predict.

    Examples:
        >>> from sklearn.svm import LinearSVC
        >>> from aif360_dr.examples import hiring
        >>> svm = EstimatorTransformer(LinearSVC(random_state=0)).fit(hiring())
        >>> predict_with_scores(svm, hiring())
        (array([0., 0., 1., 1., 0., 1., 1., 1.]), array([0., 0., 1., 1., 0., 1., 1., 1.]))
    """
    # A dataset has scores before any prediction: 1 and 0 for its labels, or those of an earlier
    # prediction. An algorithm that predicts these again must differ from one that keeps them.
    received = copy_with_labels(dataset, dataset.labels, np.full(len(dataset.labels), np.nan))
    predicted = call_algorithm(algorithm, "predict", received)
    labels = _check_predicted_labels(predicted.labels, dataset)
    scores = np.ravel(predicted.scores)
    return labels, None if np.isnan(scores).all() else scores


def copy_with_labels(
    dataset: StructuredDataset, labels: Array, scores: Array | None = None
) -> StructuredDataset:
    """Return a copy of a dataset with these labels and scores, both of shape (n, 1).

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> copy_with_labels(hiring(), np.ones(8)).scores.shape
        (8, 1)
    """
    if scores is None:
        scores = np.isin(labels, get_label_values(dataset)[0])
    copied = dataset.copy()
    copied.ignore_fields = set(dataset.ignore_fields)
    copied.labels = np.reshape(labels, (-1, 1)).astype(np.float64)
    copied.scores = np.reshape(scores, (-1, 1)).astype(np.float64)
    return copied


def keep_labels(labels: Any, dataset: StructuredDataset) -> Any:
    """Return predicted labels, which are numbers of the dataset already."""
    return labels


class EstimatorTransformer(Transformer):
    """Use a scikit-learn estimator as an AIF360 algorithm.

    Args:
        estimator: A fitted estimator, or one for `fit`, which fits a clone of it with the
            instance weights.
        read: Function of the estimator and a dataset that returns the estimator's input.
        encode: Function of predicted labels and a dataset that returns them as numbers of the
            dataset.

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
        read: Callable[[Any, StructuredDataset], Any] = get_model_input,
        encode: EncodeLabels = keep_labels,
    ) -> None:
        if not hasattr(estimator, "predict"):
            raise TypeError(
                f"estimator is a {type(estimator).__name__}; pass an estimator with fit and "
                "predict."
            )
        super().__init__(estimator=type(estimator).__name__)
        self.estimator = estimator
        self.read = read
        self.encode = encode

    @property
    def reads_only_features(self) -> bool:
        """Whether the estimator gets the features and no protected attributes."""
        return self.read is get_model_input

    @property
    def feature_names_in_(self) -> Any:
        """Names of the features that the estimator was fitted on, if it was on a DataFrame."""
        return self.estimator.feature_names_in_

    def fit(self, dataset: StructuredDataset) -> EstimatorTransformer:
        """Fit a clone of the estimator on a dataset, with its instance weights."""
        weights = _make_weight_argument(self.estimator, dataset.instance_weights)
        fresh = clone(self.estimator)
        X = self.read(fresh, dataset)
        self.estimator = fresh.fit(X, dataset.labels.ravel(), **weights)
        return self

    def predict(self, dataset: StructuredDataset) -> StructuredDataset:
        """Return a copy of the dataset with predicted labels and scores."""
        X = self.read(self.estimator, dataset)
        with hint_at_original_columns(self.reads_only_features):
            labels = self.estimator.predict(X)
        labels = _check_predicted_labels(self.encode(labels, dataset), dataset)
        scores = _predict_scores(self.estimator, dataset, X, self.encode)
        return copy_with_labels(dataset, labels, scores)


def _check_predicted_labels(labels: Any, dataset: Any) -> Array:
    """Return the labels as floats, shape (n,). Raise ValueError if they do not fit the dataset."""
    labels, n = np.asarray(labels), len(dataset.features)
    if labels.size != n:
        raise ValueError(
            f"the model returned {labels.size} labels for {n} rows; it must return one per row."
        )
    try:
        numbers = labels.ravel().astype(np.float64)
    except ValueError:
        raise ValueError(_describe_words(labels)) from None
    check_labels(numbers, dataset, "the model")
    return numbers


def _describe_words(labels: Array) -> str:
    return (
        f"the model has labels such as {labels.ravel().tolist()[0]!r}; fit it on the labels of "
        f"the dataset, which are numbers. {ORIGINAL_COLUMNS}"
    )


def predict_scores(model: Any, dataset: StructuredDataset) -> Array | None:
    """Return the scores that a model predicts, apart from any label it draws; None without any.

    Args:
        model: An AIF360 algorithm or an estimator.
        dataset: Rows to predict.

    Examples:
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from aif360_dr.examples import hiring
        >>> model = GaussianNB().fit(hiring().features, hiring().labels.ravel())
        >>> predict_scores(model, hiring()).shape
        (8,)
    """
    if isinstance(model, EstimatorTransformer):
        X = model.read(model.estimator, dataset)
        return _predict_scores(model.estimator, dataset, X, model.encode)
    if isinstance(model, Transformer):
        return predict_with_scores(model, dataset)[1]
    return _predict_scores(model, dataset)


def _predict_scores(
    model: Any, dataset: Any, X: Any = None, encode: EncodeLabels = keep_labels
) -> Array | None:
    if not hasattr(model, "predict_proba"):
        return None
    classes = get_class_labels(model.classes_, dataset, encode)
    favorable = np.isin(classes, get_label_values(dataset)[0])
    probabilities = model.predict_proba(get_model_input(model, dataset) if X is None else X)
    return np.asarray(probabilities)[:, favorable].sum(axis=1)


def get_class_labels(
    classes: Any, dataset: StructuredDataset, encode: EncodeLabels = keep_labels
) -> Array:
    """Return the classes of a model as labels of the dataset, shape (C,).

    Raise ValueError if they are no numbers.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> get_class_labels([False, True], hiring())
        array([0., 1.])
    """
    labels = np.ravel(encode(classes, dataset))
    try:
        return labels.astype(np.float64)
    except ValueError:
        raise ValueError(_describe_words(labels)) from None


def _make_weight_argument(estimator: Any, weights: Array) -> dict[str, Array]:
    """Return the argument of `fit` for instance weights; empty if all weights are equal."""
    if (weights == weights[0]).all():
        return {}
    # The last step of a pipeline takes the weights: "tree__sample_weight" for a step "tree".
    step, prefix = estimator, ""
    while isinstance(step, Pipeline):
        prefix, step = f"{prefix}{step.steps[-1][0]}__", step.steps[-1][1]
    if not has_fit_parameter(step, "sample_weight"):
        raise ValueError(
            f"the dataset has instance weights, but {type(step).__name__}.fit takes no "
            "sample_weight. Use another estimator, or set the weights to 1."
        )
    return {f"{prefix}sample_weight": weights}
