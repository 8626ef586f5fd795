"""Marginalising as a meta-estimator with the API of fairlearn's postprocessing."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dr_core import SensitiveAttributes, learn_attributes, marginalize
from dr_core.plugins import Array, Rules, check_row_order
from fairlearn_dr._fitting import (
    as_indexable,
    check_sensitive_columns,
    copy_feature_attributes,
    make_weight_params,
)

__all__ = ["AttributeMarginalizer"]


def _has_probabilities(marginalizer: AttributeMarginalizer) -> bool:
    model = getattr(marginalizer, "model_", marginalizer.estimator)
    return model is None or hasattr(model, "predict_proba")


class AttributeMarginalizer(MetaEstimatorMixin, BaseEstimator):
    """Average a classifier or regressor over the sensitive attributes, so that its DR is 0.

    The prediction for a row is the average of the predictions for this row with every combination
    of values of the sensitive attributes, weighted by their frequency. It does not depend on the
    attributes of the row. A fitted estimator need not be fitted again. Other columns keep the
    influence that they have in the estimator, so group measures, such as demographic parity, do
    not become 0.

    Parameters
    ----------
    estimator : classifier or regressor, default=None
        None stands for `HistGradientBoostingClassifier(random_state=0)`.
    privileged : mapping
        The privileged value of each sensitive column of X, such as {"sex": "Male"}.
    weights : {"empirical", "uniform"}, default="empirical"
        Weight of each combination of values: its frequency in the rows given to `fit`, or equal.
    prefit : bool, default=False
        Whether `estimator` is already fitted. If True, `fit` only counts the combinations.
    response : {"auto", "predict_proba", "predict"}, default="auto"
        The output of a classifier that is averaged; see `dr_core.marginalize`.
    missing : {"error", "keep"}, default="error"
        Whether to raise an error in `fit` for a missing sensitive value or to leave its row out of
        the frequencies.
    coupled : mapping, default=None
        Columns that change together with an attribute; see `dr_core.learn_attributes`.

    Attributes
    ----------
    estimator_ : fitted estimator
        The estimator before averaging.
    model_ : MarginalizedModel
        The average, with the combinations and their weights.
    classes_ : array
        Class labels, of a classifier.

    Notes
    -----
    A prediction takes one prediction of the estimator for each combination of values that occurs
    in the rows given to `fit`. Of two classes that are equally likely, the first is predicted.

    Examples
    --------
    >>> from dr_core import assess_risk, datasets
    >>> credit = datasets.load("credit")
    >>> X = datasets.binarize(credit).drop(columns="sex-age")
    >>> model = AttributeMarginalizer(privileged={"sex": 1, "age": 1}).fit(X, credit.target)
    >>> assess_risk(model, X, {"sex": 1, "age": 1}).value
    0.0
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        privileged: Mapping[Any, Any] | None = None,
        weights: str = "empirical",
        prefit: bool = False,
        response: str = "auto",
        missing: str = "error",
        coupled: Rules | None = None,
    ) -> None:
        self.estimator = estimator
        self.privileged = privileged
        self.weights = weights
        self.prefit = prefit
        self.response = response
        self.missing = missing
        self.coupled = coupled

    def fit(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> AttributeMarginalizer:
        """Fit the estimator, unless `prefit` is True, and count the combinations of values.

        Parameters
        ----------
        X : table of shape (n, d)
            Input of the estimator, including the sensitive columns.
        y : targets of shape (n,)
            Not needed if `prefit` is True.
        sensitive_features : ignored
            Present for API consistency with fairlearn. The sensitive features must be columns of
            X, because the columns that the estimator sees are replaced.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        check_row_order(X, {"y": y, "sample_weight": sample_weight})
        X = as_indexable(X)
        attributes = self._learn_attributes(X, sensitive_features)
        self.estimator_ = self.estimator if self.prefit else self._fit(X, y, sample_weight)
        self.model_ = self.estimator_
        if attributes is not None:
            self.model_ = marginalize(
                self.estimator_,
                X,
                attributes,
                weights=self.weights,
                response=self.response,
                sample_weight=sample_weight,
            )
        copy_feature_attributes(self, self.estimator_)
        return self

    def predict(self, X: Any) -> Array:
        """Return the likeliest class, or the average of a regressor's predictions."""
        check_is_fitted(self)
        return self.model_.predict(as_indexable(X))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """Return the average of the probabilities of the classes, shape (n, C)."""
        check_is_fitted(self)
        return self.model_.predict_proba(as_indexable(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of a classifier, or R² of a regressor."""
        metric = accuracy_score if is_classifier(self) else r2_score
        return float(metric(y, self.predict(X), sample_weight=sample_weight))

    @property
    def classes_(self) -> Array:
        """Class labels, of a classifier."""
        return self.model_.classes_

    @property
    def _estimator_type(self) -> Any:
        # Read by scikit-learn before 1.6.
        return getattr(self._get_estimator(), "_estimator_type", None)

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn 1.6 and later call this method and have get_tags.
        from sklearn.utils import get_tags

        tags, inner = super().__sklearn_tags__(), get_tags(self._get_estimator())
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags, tags.regressor_tags = inner.classifier_tags, inner.regressor_tags
        tags.target_tags = inner.target_tags
        # X with sensitive columns must be dense; any other X passes to the estimator as it is.
        tags.input_tags.sparse = inner.input_tags.sparse and self.privileged is None
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags

    def _get_estimator(self) -> Any:
        default = HistGradientBoostingClassifier(random_state=0)
        return default if self.estimator is None else self.estimator

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Any:
        estimator = clone(self._get_estimator())
        params = {} if sample_weight is None else make_weight_params(estimator, sample_weight)
        return estimator.fit(X, y, **params)

    def _learn_attributes(self, X: Any, sensitive_features: Any) -> SensitiveAttributes | None:
        if self.privileged is None:
            warnings.warn(
                "privileged is None: no attribute is averaged out, and the estimator predicts as "
                'it is. Pass privileged, such as {"sex": "Male"}.',
                stacklevel=3,
            )
            return None
        if sensitive_features is not None and isinstance(self.privileged, Mapping):
            check_sensitive_columns(X, self.privileged)
        return learn_attributes(X, self.privileged, missing=self.missing, coupled=self.coupled)
