"""Average a model over the protected attributes, as an AIF360 postprocessor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from aif360.algorithms import Transformer
from aif360.datasets import StructuredDataset
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from aif360_dr._carriers import Carriers, find_carriers
from aif360_dr._checks import get_label_values
from aif360_dr._groups import Groups
from aif360_dr._models import copy_with_labels, get_model_input, predict_labels
from aif360_dr._randomized import find_dataset_distribution
from dr_core import RandomizedModel, marginalize
from dr_core.plugins import RESPONSES, Array, Rules, check_choice, get_predict

__all__ = ["AttributeMarginalization"]


class AttributeMarginalization(Transformer):
    """Average a model over the protected attributes, so that its discriminative risk is 0.

    The prediction for a row is the average of the predictions for this row with every combination
    of protected values that occurs in the data, weighted by its frequency. It does not depend on
    the protected attributes of the row. The model is not fitted again. A prediction takes one
    prediction of the model for each combination.

    Args:
        estimator: Fitted estimator, AIF360 algorithm, or function of the features. Probabilities
            of labels are averaged if the estimator has any, otherwise the labels themselves.
        unprivileged_groups: Not used; recorded in the metadata, as in AIF360's postprocessors.
        privileged_groups: Groups whose attributes are averaged out.
        weights: "empirical" weighs combinations by their frequency, with instance weights;
            "uniform" weighs all that occur equally.
        response: "auto", "predict_proba" or "predict", see `dr_core.marginalize`.
        perturb: Names of the attributes to average out, if they are not those that the groups
            name.
        carried_by: Features that carry a protected attribute under another name.
        coupled: Features that follow an attribute when it changes, see `perturb_dataset`.

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
        """
        check_choice("response", self.response, RESPONSES)
        if not isinstance(self.estimator, Transformer):
            get_predict(self.estimator)
        if isinstance(self.estimator, BaseEstimator):
            check_is_fitted(self.estimator)
        self._carriers = find_carriers(
            dataset_true,
            self.privileged_groups,
            perturb=self.perturb,
            carried_by=self.carried_by,
            coupled=self.coupled,
        )
        self._carriers.check_visible_to(self.estimator)
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
            A copy of the dataset with predicted labels, and with the average probability of the
            favorable label as scores, both of shape (n, 1).
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

    def _get_distribution(self, dataset: Any) -> RandomizedModel:
        """Return the probabilities of labels as a function of a frame of protected patterns."""
        carriers = self._carriers
        predict, labels = _find_probabilities(self.estimator, dataset, carriers, self.response)
        return RandomizedModel(lambda frame: predict(carriers.variant(dataset, frame)), labels)


def _find_probabilities(
    model: Any, dataset: Any, carriers: Carriers, response: str
) -> tuple[Callable[[Any], Array], list[Any]]:
    """Return a function of datasets to probabilities of labels, and the labels."""
    columns = [i for attribute in carriers.protected for i in attribute.columns]
    known = find_dataset_distribution(model, dataset, columns)
    if known is not None:
        return known
    if response != "predict" and hasattr(model, "predict_proba"):
        labels = np.asarray(model.classes_, dtype=float)
        return lambda some: model.predict_proba(get_model_input(model, some)), labels.tolist()
    labels = np.unique(np.concatenate(get_label_values(dataset)))
    return lambda some: predict_labels(model, some)[:, None] == labels, labels.tolist()
