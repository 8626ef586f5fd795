"""Use models of AIF360 in scikit-learn, and estimators of scikit-learn in AIF360."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from dr_core import RandomizedModel
from dr_core.plugins import Array, as_table, check_column, check_weights

from ._codings import is_numeric_column
from ._datasets import build_dataset, check_dataset, to_fairlearn
from ._forms import FrameForm, as_column, as_frame
from ._schema import METADATA_KEY, Schema, make_sensitive_frame

__all__ = ["AIF360Estimator", "as_estimator", "as_transformer", "find_distribution"]


def as_estimator(algorithm: Any, dataset: Any) -> AIF360Estimator:
    """Use an AIF360 algorithm as a scikit-learn classifier.

    Parameters
    ----------
    algorithm : AIF360 algorithm with `predict(dataset)`
        Fitted before, or by `fit(X, y)`. Postprocessors of AIF360 need the model whose
        predictions they change: `aif360_dr.Chain(model, postprocessor)`.
    dataset : BinaryLabelDataset
        Dataset created by `to_aif360`. Its schema defines how columns are encoded.

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
    from aif360_dr import check_is_model

    check_dataset(dataset)
    check_is_model(algorithm)
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
        """Fit the algorithm on data that is encoded like the dataset."""
        dataset = self._make_dataset(X, sensitive_features)
        check_column("y", y, len(dataset.features))
        dataset.labels = self._schema.labels.encode(as_column(y)[0])
        dataset.scores = (dataset.labels == dataset.favorable_label).astype(float)
        dataset.instance_weights = check_weights(sample_weight, len(dataset.features))
        self.algorithm.fit(dataset)
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Predict the original labels, shape (n,)."""
        is_favorable, _ = self._predict_favorable(X, sensitive_features)
        # Positions translate False and True to classes_: with unfavorable "yes" and favorable
        # "no", classes_ is ["no", "yes"], positions are 1, 0, and True becomes "no".
        return self.classes_[self._find_class_positions()[is_favorable.astype(int)]]

    def predict_proba(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Return the probabilities of both labels, shape (n, 2).

        They are the scores of the algorithm, or 1 and 0 if it predicts labels only.
        """
        is_favorable, scores = self._predict_favorable(X, sensitive_features)
        scores = is_favorable.astype(float) if scores is None else scores
        return np.column_stack([1 - scores, scores])[:, self._find_class_positions()]

    def _predict_favorable(self, X: Any, sensitive_features: Any) -> tuple[Array, Array | None]:
        """Return whether each row is predicted favorable, and the scores or None."""
        from aif360_dr import predict_with_scores

        dataset = self._make_dataset(X, sensitive_features)
        labels, scores = predict_with_scores(self.algorithm, dataset)
        return labels == self.dataset.favorable_label, scores

    @property
    def _schema(self) -> Schema:
        schema: Schema | None = self.dataset.metadata.get(METADATA_KEY)
        if schema is None:
            raise ValueError(
                f"dataset must be one that to_aif360 made; it has no metadata[{METADATA_KEY!r}]."
            )
        return schema

    def _find_class_positions(self) -> Array:
        """Return the positions of the unfavorable and the favorable label in `classes_`."""
        labels = self._schema.labels
        both = labels.coding.decode(np.array([labels.unfavorable, labels.favorable]))
        return np.array([self.classes_.tolist().index(label) for label in both])

    def _make_dataset(self, X: Any, sensitive_features: Any) -> Any:
        schema = self._schema
        frame, form = as_frame(as_table(X).native)
        names = {column.name: None for column in schema.sensitive}
        sensitive = make_sensitive_frame(sensitive_features, frame, names)
        features, protected = schema.encode(frame, sensitive)
        labels = np.full((len(frame), 1), schema.labels.unfavorable)
        schema = schema.replace_rows(form, FrameForm(sensitive.index, sensitive.columns))
        return build_dataset(schema, features, protected, labels)


def find_distribution(model: Any, columns: Sequence[Any]) -> RandomizedModel | None:
    """Return the distribution of an algorithm that is used as a classifier; None if not known.

    Parameters
    ----------
    model : AIF360Estimator
    columns : keys of the sensitive columns of X, which are not needed here
    """
    from aif360_dr import find_dataset_distribution

    if not isinstance(model, AIF360Estimator):
        return None
    found = find_dataset_distribution(model.algorithm, model.dataset)
    if found is None:
        return None
    predict, labels = found
    classes = model._schema.labels.coding.decode(np.asarray(labels)).tolist()
    return RandomizedModel(lambda X: predict(model._make_dataset(X, None)), classes)


def as_transformer(estimator: Any, *, original_columns: bool = False) -> Any:
    """Use a scikit-learn estimator as an AIF360 algorithm.

    Parameters
    ----------
    estimator : classifier
        Fitted before, or by `fit(dataset)`, which uses the instance weights.
    original_columns : bool
        Whether the estimator takes X, and predicts labels, as passed to `to_aif360`, instead of
        the codes of the dataset.

    Returns
    -------
    aif360_dr.EstimatorTransformer

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from dr_adapters import to_aif360
    >>> X = pd.DataFrame({"sex": [0, 1, 0, 1], "age": [30, 40, 50, 60]})
    >>> dataset = to_aif360(X, [0, 0, 1, 1], privileged={"sex": 1})
    >>> algorithm = as_transformer(DecisionTreeClassifier(random_state=0)).fit(dataset)
    >>> algorithm.predict(dataset).labels.ravel()
    array([0., 0., 1., 1.])

    A model that takes the original table and predicts words:

    >>> X = X.assign(sex=["f", "m", "f", "m"])
    >>> y = ["no", "no", "yes", "yes"]
    >>> dataset = to_aif360(X, y, privileged={"sex": "m"}, favorable_label="yes")
    >>> encode = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    >>> model = make_pipeline(encode, DecisionTreeClassifier(random_state=0)).fit(X, y)
    >>> as_transformer(model, original_columns=True).predict(dataset).labels.ravel()
    array([0., 0., 1., 1.])
    """
    from aif360_dr import EstimatorTransformer

    if original_columns:
        return EstimatorTransformer(estimator, _read_original_columns, _encode_labels)
    return EstimatorTransformer(estimator)


def _read_original_columns(estimator: Any, dataset: Any) -> Any:
    return to_fairlearn(dataset).X


def _encode_labels(labels: Any, dataset: Any) -> Any:
    """Return original labels in words as the labels of a dataset; numbers stay as they are."""
    column, schema = as_column(labels)[0], dataset.metadata.get(METADATA_KEY)
    if schema is None or is_numeric_column(column):
        return labels
    return schema.labels.encode(column.rename("of predicted labels"))
