"""Models of one library, usable from the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from dr_core.plugins import Array, as_table, check_column, check_weights

from ._datasets import build_dataset, to_fairlearn
from ._forms import FrameForm, as_column, as_frame
from ._optional import require_dataset
from ._schema import KEY, Schema
from ._sensitive import sensitive_frame

__all__ = ["AIF360Estimator", "as_estimator", "as_transformer"]


def as_estimator(algorithm: Any, dataset: Any) -> AIF360Estimator:
    """Use an AIF360 algorithm as a scikit-learn estimator, on the data of a fairlearn user.

    Parameters
    ----------
    algorithm : AIF360 algorithm with `predict(dataset)`
        Fitted already, or fitted by `fit(X, y)`.
    dataset : BinaryLabelDataset
        One that `to_aif360` made, which tells how columns become numbers.

    Returns
    -------
    AIF360Estimator

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from dr_adapters import to_aif360
    >>> X = pd.DataFrame({"sex": ["m", "f", "m", "f"], "age": [30, 40, 50, 60]})
    >>> y = ["no", "no", "yes", "yes"]
    >>> dataset = to_aif360(X, y, privileged={"sex": "m"}, favorable_label="yes")
    >>> algorithm = as_transformer(DecisionTreeClassifier(random_state=0)).fit(dataset)
    >>> as_estimator(algorithm, dataset).predict(X)
    array(['no', 'no', 'yes', 'yes'], dtype='<U3')
    """
    require_dataset(dataset)
    if not hasattr(algorithm, "predict"):
        raise TypeError(
            f"algorithm is a {type(algorithm).__name__}; pass an AIF360 algorithm with predict."
        )
    return AIF360Estimator(algorithm, dataset)


class AIF360Estimator(ClassifierMixin, BaseEstimator):
    """An AIF360 algorithm as a scikit-learn classifier; see `as_estimator`."""

    def __init__(self, algorithm: Any, dataset: Any) -> None:
        self.algorithm = algorithm
        self.dataset = dataset

    @property
    def classes_(self) -> Array:
        """Both labels, sorted."""
        return self._schema.labels.classes

    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> AIF360Estimator:
        """Fit the algorithm on rows that are coded like those of the dataset."""
        dataset = self._dataset(X, sensitive_features)
        check_column("y", y, len(dataset.features))
        dataset.labels = self._schema.labels.encode(as_column(y)[0])
        dataset.scores = (dataset.labels == dataset.favorable_label).astype(float)
        dataset.instance_weights = check_weights(sample_weight, len(dataset.features))
        self.algorithm.fit(dataset)
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Labels as the user knows them, shape (n,)."""
        is_favorable, _ = self._answer(X, sensitive_features)
        return self.classes_[self._positions()[is_favorable.astype(int)]]

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Scores of the algorithm as probabilities of both labels, shape (n, 2).

        They are 1 and 0 where the algorithm predicts labels only.
        """
        is_favorable, scores = self._answer(X, sensitive_features)
        scores = is_favorable.astype(float) if scores is None else np.ravel(scores)
        return np.column_stack([1 - scores, scores])[:, self._positions()]

    def _answer(self, X: Any, sensitive_features: Any) -> tuple[Array, Array | None]:
        """Who is predicted the favorable label, and scores, if the algorithm has any."""
        from aif360_dr import check_labels, get_predicted_scores

        dataset = self._dataset(X, sensitive_features)
        before = dataset.scores.copy()
        predicted = self.algorithm.predict(dataset)
        labels = predicted.labels.ravel()
        check_labels(labels, self.dataset, "the algorithm")
        return labels == self.dataset.favorable_label, get_predicted_scores(predicted, before)

    @property
    def _schema(self) -> Schema:
        schema: Schema | None = self.dataset.metadata.get(KEY)
        if schema is None:
            raise ValueError("the dataset must be one that to_aif360 made.")
        return schema

    def _positions(self) -> Array:
        """Where the unfavorable and the favorable label are in `classes_`."""
        labels = self._schema.labels
        numbers = [labels.unfavorable, labels.favorable]
        both = list(labels.coding.decode(np.array(numbers)))
        return np.array([self.classes_.tolist().index(label) for label in both])

    def _dataset(self, X: Any, sensitive_features: Any) -> Any:
        schema = self._schema
        frame, form = as_frame(as_table(X).native)
        names = {column.name: None for column in schema.sensitive}
        sensitive = sensitive_frame(sensitive_features, frame, names)
        features, protected = schema.encode(frame, sensitive)
        labels = np.full((len(frame), 1), schema.labels.unfavorable)
        schema = schema.for_rows(form, FrameForm(sensitive.index, sensitive.columns))
        return build_dataset(schema, features, protected, labels)


def as_transformer(estimator: Any, *, original_columns: bool = False) -> Any:
    """Use a scikit-learn estimator as an AIF360 algorithm.

    Parameters
    ----------
    estimator : classifier
        Fitted already, or fitted by `fit(dataset)`, with instance weights.
    original_columns : bool
        Whether the estimator takes X as it was given to `to_aif360`, with words and all, rather
        than the dataset's features.

    Returns
    -------
    aif360_dr.EstimatorTransformer
        With `fit(dataset)` and `predict(dataset)`.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from dr_adapters import to_aif360
    >>> X = pd.DataFrame({"sex": [0, 1, 0, 1], "age": [30, 40, 50, 60]})
    >>> dataset = to_aif360(X, [0, 0, 1, 1], privileged={"sex": 1})
    >>> algorithm = as_transformer(DecisionTreeClassifier(random_state=0)).fit(dataset)
    >>> algorithm.predict(dataset).labels.ravel()
    array([0., 0., 1., 1.])
    """
    from aif360_dr import EstimatorTransformer

    if original_columns:
        return EstimatorTransformer(estimator, read=_original_columns)
    return EstimatorTransformer(estimator)


def _original_columns(estimator: Any, dataset: Any) -> Any:
    return to_fairlearn(dataset).X
