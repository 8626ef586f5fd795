"""Preprocessing, a model and postprocessing as one algorithm.

The postprocessors of AIF360 read `dataset.labels` and `dataset.scores` as the predictions of a
model. Given a dataset with true labels they postprocess the truth, so that accuracy is 1 and no
number is that of the model. A `Chain` gives them the predictions of the model before them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import Parameter, signature
from typing import Any

import numpy as np
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset
from aif360.decorating_metaclass import dont_decorate
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from aif360_dr._models import (
    EncodeLabels,
    EstimatorTransformer,
    call_algorithm,
    classify,
    copy_with_labels,
    get_model_input,
    keep_labels,
)
from dr_core import RandomizedModel
from dr_core.plugins import Array, quote

__all__ = ["Chain", "check_is_model", "split_ensemble"]

POSTPROCESSING = "aif360.algorithms.postprocessing"

FITTED_ATTRIBUTE = {
    "EqOddsPostprocessing": "model_params",
    "CalibratedEqOddsPostprocessing": "priv_mix_rate",
    "RejectOptionClassification": "ROC_margin",
}
"""Attribute that is None or missing before `fit`, by the name of the class."""


class Chain(Transformer):
    """Preprocessing, a model and postprocessing as one AIF360 algorithm.

    The first step that predicts is the model. The steps before it transform the dataset, the
    steps after it change its predictions. Predictions are about the dataset as it was passed:
    only its labels and scores change.

    Args:
        *steps: In the order in which they are applied, fitted or not. Preprocessing: algorithms
            of AIF360 or scikit-learn with `transform`, such as `Reweighing` or `StandardScaler`.
            The model: an algorithm of AIF360 or an estimator with `predict`, also a pipeline, or
            a function of the features. Postprocessing: algorithms of AIF360 with `predict`.

    Attributes:
        steps: The steps; after `fit`, the fitted ones.

    Examples:
        >>> from aif360.algorithms.postprocessing import RejectOptionClassification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.preprocessing import StandardScaler
        >>> from aif360_dr import DiscriminativeRiskMetric
        >>> from aif360_dr.examples import hiring
        >>> women, men = [{"sex": 0}], [{"sex": 1}]
        >>> reject = RejectOptionClassification(women, men, num_class_thresh=9, num_ROC_margin=9)
        >>> chain = Chain(StandardScaler(), LogisticRegression(), reject).fit(hiring())
        >>> for model in (Chain(*chain.steps[:2]), chain):
        ...     metric = DiscriminativeRiskMetric.from_estimator(model, hiring(), women, men)
        ...     print(float(metric.discriminative_risk()), float(metric.accuracy()))
        0.25 1.0
        0.0 0.875
    """

    def __init__(self, *steps: Any) -> None:
        super().__init__(steps=[type(step).__name__ for step in steps])
        self.steps = list(steps)
        self._n_before = _find_model(steps)
        for i, step in enumerate(self.postprocessing, self._n_before + 1):
            _check_postprocesses(i, step)

    @property
    def preprocessing(self) -> list[Any]:
        """Steps before the model."""
        return self.steps[: self._n_before]

    @property
    def model(self) -> Any:
        """The first step that predicts."""
        return self.steps[self._n_before]

    @property
    def postprocessing(self) -> list[Any]:
        """Steps after the model."""
        return self.steps[self._n_before + 1 :]

    @property
    def reads_only_features(self) -> bool:
        """Whether no step reads the protected attributes of a dataset."""
        return not any(
            isinstance(step, Transformer) and not getattr(step, "reads_only_features", False)
            for step in self.steps
        )

    @property
    def feature_names_in_(self) -> Any:
        """Names of the features that the first step was fitted on, if it was on a DataFrame."""
        return self.steps[0].feature_names_in_

    def fit(self, dataset: StructuredDataset, held_out: StructuredDataset | None = None) -> Chain:
        """Fit all steps, one after the other.

        Algorithms of AIF360 are fitted themselves, estimators of scikit-learn as clones. To fit
        the postprocessing of a fitted model only, call `step.fit(dataset,
        Chain(model).predict(dataset))`.

        Args:
            dataset: Dataset with true labels. Its instance weights, after preprocessing, are
                those of the model.
            held_out: Dataset to fit the postprocessing on, preferably rows that the model was
                not fitted on. The default is `dataset`.

        Returns:
            self
        """
        transformed = dataset
        for i, step in enumerate(self.preprocessing):
            self.steps[i] = _fit_step(step, transformed)
            transformed = _transform(self.steps[i], transformed)
        self.steps[self._n_before] = _fit_model(self.model, transformed)
        true = dataset if held_out is None else held_out
        predicted = self.predict_model(true) if self.postprocessing else None
        for step in self.postprocessing:
            call_algorithm(step, "fit", true, predicted)
            predicted = call_algorithm(step, "predict", predicted)
        return self

    def predict(self, dataset: StructuredDataset) -> StructuredDataset:
        """Return a copy of the dataset with predicted labels and scores."""
        self.check_fitted()
        predicted = self.predict_model(dataset)
        for step in self.postprocessing:
            predicted = call_algorithm(step, "predict", predicted)
        return copy_with_labels(dataset, predicted.labels, predicted.scores)

    # AIF360 writes metadata to every dataset that a public method returns, which may be the one
    # that was passed here.
    @dont_decorate
    def preprocess(self, dataset: StructuredDataset) -> StructuredDataset:
        """Return the dataset that the model receives."""
        for step in self.preprocessing:
            dataset = _transform(step, dataset)
        return dataset

    @dont_decorate
    def predict_model(self, dataset: StructuredDataset) -> StructuredDataset:
        """Return a copy of the dataset with the labels and scores before postprocessing."""
        predicted = classify(self.model, self.preprocess(dataset))
        return copy_with_labels(dataset, predicted.labels, predicted.scores)

    def check_fitted(self) -> None:
        """Raise NotFittedError if a postprocessor of AIF360 was not fitted."""
        for step in self.postprocessing:
            check_postprocessor_fitted(step)


def check_is_model(algorithm: Any) -> None:
    """Raise TypeError if an algorithm postprocesses the predictions of a model.

    Examples:
        >>> from aif360.algorithms.postprocessing import EqOddsPostprocessing
        >>> check_is_model(EqOddsPostprocessing([{"sex": 0}], [{"sex": 1}]))
        Traceback (most recent call last):
        TypeError: EqOddsPostprocessing reads the labels or scores of a dataset as predictions, \
        and would postprocess the true ones. Pass the model with it, \
        aif360_dr.Chain(model, postprocessor).
    """
    if any(one.__module__.startswith(POSTPROCESSING) for one in type(algorithm).__mro__):
        raise TypeError(
            f"{type(algorithm).__name__} reads the labels or scores of a dataset as predictions, "
            "and would postprocess the true ones. Pass the model with it, "
            "aif360_dr.Chain(model, postprocessor)."
        )


def check_postprocessor_fitted(step: Any) -> None:
    """Raise NotFittedError if a postprocessor of AIF360 was not fitted.

    Examples:
        >>> from aif360.algorithms.postprocessing import EqOddsPostprocessing
        >>> check_postprocessor_fitted(EqOddsPostprocessing([{"sex": 0}], [{"sex": 1}]))
        Traceback (most recent call last):
        sklearn.exceptions.NotFittedError: this EqOddsPostprocessing is not fitted yet; call \
        fit of the chain, or its own fit(dataset_true, dataset_pred).
    """
    names = (FITTED_ATTRIBUTE.get(one.__name__) for one in type(step).__mro__)
    name = next((one for one in names if one), None)
    if name is not None and getattr(step, name, None) is None:
        raise NotFittedError(
            f"this {type(step).__name__} is not fitted yet; call fit of the chain, or its own "
            "fit(dataset_true, dataset_pred)."
        )


def split_ensemble(model: Any) -> tuple[Any, Callable[[StructuredDataset], Any], EncodeLabels]:
    """Return the ensemble in a model, and two functions between a dataset and the ensemble.

    The first returns the ensemble's input, the second its labels as labels of the dataset.

    Args:
        model: An ensemble, or a `Chain` or `EstimatorTransformer` that ends in one.

    Examples:
        >>> from sklearn.ensemble import RandomForestClassifier
        >>> from sklearn.preprocessing import MinMaxScaler
        >>> from aif360_dr.examples import hiring
        >>> chain = Chain(MinMaxScaler(), RandomForestClassifier()).fit(hiring())
        >>> ensemble, read, _ = split_ensemble(chain)
        >>> type(ensemble).__name__, float(read(hiring()).max())
        ('RandomForestClassifier', 1.0)
    """
    if isinstance(model, EstimatorTransformer):
        return model.estimator, partial(model.read, model.estimator), model.encode
    if not isinstance(model, Chain):
        return model, partial(get_model_input, model), keep_labels
    if model.postprocessing:
        raise TypeError(
            f"{type(model.postprocessing[0]).__name__} follows the ensemble in the chain. Prune "
            "the ensemble first, and postprocess the pruned vote: Chain(pruning, postprocessor)."
        )
    ensemble, read, encode = split_ensemble(model.model)
    return ensemble, lambda dataset: read(model.preprocess(dataset)), encode


def _find_model(steps: tuple[Any, ...]) -> int:
    """Return the position of the first step that predicts."""
    for i, step in enumerate(steps):
        if isinstance(step, type):
            raise TypeError(f"step {i} of the chain is the class {step.__name__}; pass an object.")
        if _can_predict(step):
            check_is_model(step)
            return i
        if not _can_transform(step):
            raise TypeError(_describe_no_transform(i, step))
    names = [type(step).__name__ for step in steps]
    raise TypeError(
        f"no step of the chain predicts: {quote(names)}. Pass preprocessing, a model with "
        "predict, and postprocessing."
    )


def _can_predict(step: Any) -> bool:
    if isinstance(step, Transformer):
        return type(step).predict is not Transformer.predict
    is_function = callable(step) and not hasattr(step, "transform")
    return hasattr(step, "predict") or is_function or isinstance(step, RandomizedModel)


def _can_transform(step: Any) -> bool:
    if isinstance(step, Transformer):
        return type(step).transform is not Transformer.transform
    return hasattr(step, "transform")


def _describe_no_transform(i: int, step: Any) -> str:
    name = type(step).__name__
    if hasattr(step, "fit_transform"):
        return (
            f"step {i} of the chain, {name}, has fit_transform but no transform: it changes all "
            "rows together, so that the prediction of a row would depend on the others. Apply it "
            "to the datasets first, and leave it out of the chain."
        )
    return f"step {i} of the chain is a {name}; pass an algorithm with transform or predict."


def _check_rows_alone(i: int, step: Any) -> None:
    """Raise TypeError if predict needs more than a dataset, as rankings do."""
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    needed = [
        one.name
        for one in list(signature(step.predict).parameters.values())[1:]
        if one.default is Parameter.empty and one.kind in named
    ]
    if needed:
        raise TypeError(
            f"step {i} of the chain, {type(step).__name__}, needs {quote(needed)} to predict; a "
            "chain needs algorithms that predict each row of a dataset by itself."
        )


def _check_postprocesses(i: int, step: Any) -> None:
    is_algorithm = isinstance(step, Transformer) and not isinstance(step, EstimatorTransformer)
    if not is_algorithm or not _can_predict(step):
        raise TypeError(
            f"step {i} of the chain, {type(step).__name__}, follows the model. Only algorithms of "
            "AIF360 that change predictions can follow it; put preprocessing before the model."
        )
    _check_rows_alone(i, step)


def _fit_step(step: Any, dataset: StructuredDataset) -> Any:
    if isinstance(step, Transformer):
        return call_algorithm(step, "fit", dataset)
    fresh = clone(step)
    return fresh.fit(get_model_input(fresh, dataset), dataset.labels.ravel())


def _fit_model(model: Any, dataset: StructuredDataset) -> Any:
    if isinstance(model, Transformer):
        return call_algorithm(model, "fit", dataset)
    if hasattr(model, "fit"):
        return EstimatorTransformer(model).fit(dataset).estimator
    return model


def _transform(step: Any, dataset: StructuredDataset) -> StructuredDataset:
    """Return the dataset after one step of preprocessing."""
    if isinstance(step, Transformer):
        return call_algorithm(step, "transform", dataset)
    X = get_model_input(step, dataset)
    names = list(getattr(X, "columns", dataset.feature_names))
    transformed = step.transform(X)
    features = transformed.toarray() if hasattr(transformed, "toarray") else transformed
    changed = dataset.copy()
    changed.features = np.asarray(features, dtype=np.float64)
    changed.feature_names = _name_features(step, transformed, names, changed.features)
    return changed


def _name_features(step: Any, transformed: Any, names: list[str], features: Array) -> list[str]:
    """Return the names of transformed features, as scikit-learn names them if it does."""
    if hasattr(transformed, "columns"):
        return list(transformed.columns)
    try:
        return list(step.get_feature_names_out(names))
    except AttributeError:  # it has no names for its output
        n = features.shape[1]
        return names if n == len(names) else [f"x{i}" for i in range(n)]
