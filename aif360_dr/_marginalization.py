"""Average a model over the protected attributes, as an AIF360 postprocessor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from aif360_dr._carriers import find_carriers
from aif360_dr._chain import check_is_model
from aif360_dr._checks import (
    check_ignores_labels,
    check_instance_weights,
    get_label_values,
)
from aif360_dr._groups import Groups
from aif360_dr._models import copy_with_labels, predict_labels
from aif360_dr._probabilities import Probabilities, choose_response, find_probabilities
from aif360_dr._randomized import find_dataset_distribution
from dr_core import RandomizedModel, marginalize
from dr_core.plugins import RESPONSES, Rules, check_choice, get_predict

__all__ = ["AttributeMarginalization"]


class AttributeMarginalization(Transformer):
    """Average a model over the protected attributes, so that its discriminative risk is 0.

    The prediction for a row is the average of the predictions for this row with every combination
    of protected values that occurs in the data, weighted by its frequency. It does not depend on
    the protected attributes of the row. The model is not fitted again. A prediction takes one
    prediction of the model for each combination.

    Args:
        estimator: Fitted estimator, AIF360 algorithm, or function of the features. If it has
            `predict_proba`, the probabilities of labels are averaged, also of an estimator in a
            `Chain` or `EstimatorTransformer`. Scores of any other AIF360 algorithm are averaged
            if they are from 0 to 1, and if 1/2 as threshold gives the labels that it predicts for
            the dataset of `fit`. Otherwise labels are averaged, as for functions and for a
            `Chain` with postprocessing.
        unprivileged_groups: Not used; recorded in the metadata, as in AIF360's postprocessors.
        privileged_groups: Groups whose attributes are averaged out.
        weights: "empirical" weighs combinations by their frequency, with instance weights;
            "uniform" weighs all that occur equally.
        response: "auto" averages as described above. "predict" averages labels, for models
            with a threshold other than 1/2. "predict_proba" raises ValueError where "auto" would
            average labels.
        perturb: Names of the attributes to average out, if they are not those that the groups
            name.
        carried_by: Features that carry a protected attribute under another name.
        coupled: Features that follow an attribute when it changes, see `perturb_dataset`.

    Attributes:
        response_: What is averaged: "predict_proba" for probabilities or scores, "predict" for
            labels.

    Examples:
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from aif360_dr import DiscriminativeRiskMetric
        >>> from aif360_dr.examples import hiring
        >>> dataset, women, men = hiring(), [{"sex": 0}], [{"sex": 1}]
        >>> tree = DecisionTreeClassifier(random_state=0)
        >>> tree = tree.fit(dataset.features, dataset.labels.ravel())
        >>> averaged = AttributeMarginalization(tree, women, men).fit(dataset)
        >>> for model in (tree, averaged):
        ...     metric = DiscriminativeRiskMetric.from_estimator(model, dataset, women, men)
        ...     print(metric.discriminative_risk())
        0.25
        0.0
    """

    def __init__(
        self,
        estimator: Any,
        unprivileged_groups: Groups,
        privileged_groups: Groups,
        *,
        weights: str = "empirical",
        response: str = "auto",
        perturb: Sequence[str] | None = None,
        carried_by: Mapping[str, Sequence[str]] | None = None,
        coupled: Rules | None = None,
    ) -> None:
        super().__init__(
            estimator=type(estimator).__name__,
            unprivileged_groups=unprivileged_groups,
            privileged_groups=privileged_groups,
            weights=weights,
            response=response,
            perturb=perturb,
            carried_by=carried_by,
            coupled=coupled,
        )
        self.estimator = estimator
        self.unprivileged_groups = unprivileged_groups
        self.privileged_groups = privileged_groups
        self.weights = weights
        self.response = response
        self.perturb = perturb
        self.carried_by = carried_by
        self.coupled = coupled

    def fit(
        self, dataset_true: StructuredDataset, dataset_pred: StructuredDataset | None = None
    ) -> AttributeMarginalization:
        """Count the combinations of protected values.

        Args:
            dataset_true: Dataset with the features of the model. Its instance weights are used.
            dataset_pred: Ignored; present for consistency with AIF360's postprocessors.

        Returns:
            self

        Warns:
            UserWarning: The estimator does not predict its likeliest label, as with a threshold
                other than 1/2.
        """
        check_choice("response", self.response, RESPONSES)
        _check_model(self.estimator)
        self._carriers = find_carriers(
            dataset_true,
            self.privileged_groups,
            perturb=self.perturb,
            carried_by=self.carried_by,
            coupled=self.coupled,
        )
        self._carriers.check_visible_to(self.estimator)
        check_instance_weights(dataset_true)
        self.response_ = self._choose_response(dataset_true)
        average = marginalize(
            self._get_distribution(dataset_true),
            self._carriers.frame(dataset_true),
            self._carriers.attributes,
            weights=self.weights,
            sample_weight=dataset_true.instance_weights,
        )
        self._average = replace(average, estimator=None, probabilities=None)  # without the dataset
        return self

    def predict(self, dataset: StructuredDataset) -> StructuredDataset:
        """Predict by the average over the protected attributes.

        Args:
            dataset: Dataset with the features of the model.

        Returns:
            A copy of the dataset with predicted labels, both of shape (n, 1), and scores: the
            average probability of the favorable label, or its weighted share among the predicted
            labels if labels are averaged.
        """
        if not hasattr(self, "_average"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit first.")
        # The model reads all but the protected values from the dataset that it predicts.
        model = replace(self._average, probabilities=self._get_distribution(dataset))
        shares = model.predict_proba(self._carriers.frame(dataset))
        favorable = np.isin(model.classes_, get_label_values(dataset)[0])
        scores = np.minimum(shares[:, favorable].sum(axis=1), 1.0)
        return copy_with_labels(dataset, model.choose(shares), scores)

    def fit_predict(
        self, dataset_true: StructuredDataset, dataset_pred: StructuredDataset | None = None
    ) -> StructuredDataset:
        """Count the combinations of protected values, and predict the same dataset."""
        return self.fit(dataset_true, dataset_pred).predict(dataset_true)

    def _choose_response(self, dataset: Any) -> str:
        """Return "predict_proba" if probabilities are averaged, and "predict" if labels are."""
        model, drawn = self.estimator, self._find_drawn(dataset)
        if isinstance(model, Transformer):
            predict = partial(predict_labels, model) if drawn is None else drawn[0]
            check_ignores_labels(predict, dataset)
        if drawn is not None:
            return "predict_proba"
        return choose_response(model, dataset, self.response)

    def _get_distribution(self, dataset: Any) -> RandomizedModel:
        """Return the probabilities of labels as a function of a frame of protected patterns."""
        predict, labels = self._find_average(dataset)
        return RandomizedModel(
            lambda frame: predict(self._carriers.variant(dataset, frame)), labels
        )

    def _find_average(self, dataset: Any) -> Probabilities:
        """Return what is averaged, as probabilities of labels."""
        drawn = self._find_drawn(dataset)
        if drawn is not None:
            return drawn
        uses_labels = self.response_ == "predict"
        found = None if uses_labels else find_probabilities(self.estimator, dataset)
        return found or _find_predicted(self.estimator, dataset)

    def _find_drawn(self, dataset: Any) -> Probabilities | None:
        """Return the distribution of a model that is known to draw its labels, otherwise None."""
        columns = [i for attribute in self._carriers.protected for i in attribute.columns]
        return find_dataset_distribution(self.estimator, dataset, columns)


def _check_model(model: Any) -> None:
    """Raise an error unless a model predicts, is fitted, and is no postprocessor alone."""
    check_is_model(model)
    if not isinstance(model, Transformer):
        get_predict(model)
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)


def _find_predicted(model: Any, dataset: Any) -> Probabilities:
    """Return predicted labels as probabilities of 0 and 1."""
    labels = np.unique(np.concatenate(get_label_values(dataset)))
    return lambda some: predict_labels(model, some)[:, None] == labels, labels.tolist()
