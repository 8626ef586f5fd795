"""Discriminative risk as an AIF360 metric."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from aif360.datasets import StructuredDataset
from aif360.metrics import ClassificationMetric, utils

from aif360_dr._carriers import QUANTITIES, Carriers, find_carriers
from aif360_dr._chain import check_is_model
from aif360_dr._checks import (
    check_instance_weights,
    check_labels,
    check_lengths,
    check_perturbed,
    get_label_values,
)
from aif360_dr._groups import Groups
from aif360_dr._inaccuracy import warn_if_inaccurate
from aif360_dr._label_changes import LabelChanges, changes_between, changes_of_model
from aif360_dr._models import classify
from aif360_dr._uncached import UncachedMixin
from dr_core import Plausibility, RiskAssessment
from dr_core.plugins import (
    ALL,
    Array,
    Attribute,
    Interval,
    MeanSample,
    Partition,
    Rules,
    as_table,
    warn_few_learned,
)

__all__ = ["DiscriminativeRiskMetric"]


class DiscriminativeRiskMetric(UncachedMixin, ClassificationMetric):
    """A `ClassificationMetric` with discriminative risk.

    Discriminative risk (DR) is the share of instances whose predicted label changes when only
    their protected attributes are perturbed. 0 means that no prediction depends on them.

    The class can replace `ClassificationMetric` everywhere, with two differences. It raises
    ValueError for predicted labels that are neither favorable nor unfavorable. It does not cache
    results, so unused metrics are freed.

    Args:
        dataset: Dataset with the true labels.
        classified_dataset: The same dataset with predicted labels.
        unprivileged_groups: See `ClassificationMetric`.
        privileged_groups: See `ClassificationMetric`.
        perturbed_classified_dataset: Predictions for `perturb_dataset(dataset, ...)`. The DR
            methods require it.
        perturb: Names of the protected attributes that differ in the perturbed dataset, apart
            from which groups are compared. By default, any may differ.
        carried_by: Features that carry a protected attribute under another name. They may differ
            in the perturbed dataset.
        coupled: Rules for features that follow an attribute, as passed to `perturb_dataset`.
            These features may differ too.

    Examples:
        A model that hires men after two years, and women after four years:

        >>> from aif360_dr import perturb_dataset
        >>> from aif360_dr.examples import hiring
        >>> from aif360_dr._models import classify
        >>> hires = lambda features: features[:, 2] > np.where(features[:, 0] == 1, 2, 4)
        >>> dataset, men, women = hiring(), [{"sex": 1}], [{"sex": 0}]
        >>> metric = DiscriminativeRiskMetric(
        ...     dataset, classify(hires, dataset), women, men,
        ...     perturbed_classified_dataset=classify(hires, perturb_dataset(dataset, men)))
        >>> float(metric.discriminative_risk()), float(metric.accuracy())
        (0.25, 1.0)

        `from_estimator` perturbs and predicts in one step:

        >>> metric = DiscriminativeRiskMetric.from_estimator(hires, dataset, women, men)
        >>> float(metric.num_favorable_losses()), float(metric.num_favorable_gains())
        (1.0, 1.0)
    """

    _carriers: Carriers
    _labels: Array

    def __init__(
        self,
        dataset: StructuredDataset,
        classified_dataset: StructuredDataset,
        unprivileged_groups: Groups | None = None,
        privileged_groups: Groups | None = None,
        *,
        perturbed_classified_dataset: StructuredDataset | None = None,
        perturb: Sequence[str] | None = None,
        carried_by: Mapping[str, Sequence[str]] | None = None,
        coupled: Rules | None = None,
    ) -> None:
        if all(isinstance(each, StructuredDataset) for each in (dataset, classified_dataset)):
            check_lengths(dataset, classified_dataset, "classified_dataset")
            check_instance_weights(dataset)
        with _restore_ignore_fields(dataset, classified_dataset):
            _ignore_equal_features(dataset, classified_dataset)
            super().__init__(dataset, classified_dataset, unprivileged_groups, privileged_groups)
        check_labels(classified_dataset.labels, classified_dataset, "classified_dataset")
        self.perturbed_classified_dataset = perturbed_classified_dataset
        # AIF360 replaces a multiclass dataset with a binary copy; changes need all its labels.
        self._predicted = classified_dataset
        self.coupled_features = list(coupled or ())
        self._model_changes: LabelChanges | None = None
        self._perturbed: dict[str, Any] = {"perturb": perturb, "carried_by": carried_by}
        if perturbed_classified_dataset is not None:
            rows = dataset, classified_dataset, perturbed_classified_dataset
            followers = _find_followers(dataset, privileged_groups, perturb, carried_by, coupled)
            check_perturbed(*rows, carried_by, followers, perturb)
            _compare_labels(classified_dataset, perturbed_classified_dataset)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        dataset: StructuredDataset,
        unprivileged_groups: Groups | None = None,
        privileged_groups: Groups | None = None,
        *,
        method: str = "exact",
        p: float = 1.0,
        n_samples: int = 1,
        seed: Any = None,
        perturb: Sequence[str] | None = None,
        carried_by: Mapping[str, Sequence[str]] | None = None,
        domain: StructuredDataset | None = None,
        coupled: Rules | None = None,
        each_attribute: bool = False,
    ) -> DiscriminativeRiskMetric:
        """Create a metric from a model, which predicts the dataset and its perturbations.

        Args:
            estimator: A fitted estimator, a function of the features, or any AIF360 algorithm
                with `predict(dataset)`. Postprocessors of AIF360 need the model whose predictions
                they change: `Chain(model, postprocessor)`. DR of AIF360's
                `ExponentiatedGradientReduction`, of chains with `EqOddsPostprocessing` or
                `CalibratedEqOddsPostprocessing`, of fairlearn's randomised models and of
                `dr_core.RandomizedModel` is computed from the distribution of their labels; the
                other measures from one draw, as AIF360 does. Any other model that predicts at
                random is refused.
            dataset: Dataset with the true labels.
            unprivileged_groups: See `ClassificationMetric`.
            privileged_groups: See `ClassificationMetric`. The attributes that they name are
                perturbed. Without groups, all protected attributes of the dataset are, with its
                own privileged values.
            method: "exact" uses every possible perturbation of each row, weighted by its
                probability. DR is then not random, and counts of label changes are expected
                counts, which need not be integers. "sample" draws `n_samples` perturbations of
                each row.
            p: Probability of perturbing each attribute of each row.
            n_samples: Number of draws for each row with method "sample".
            seed: Seed of the draws with method "sample".
            perturb: Names of the protected attributes to perturb, if they are not those that
                the groups name: `perturb=["sex"]` changes sex, whichever groups are compared.
            carried_by: Features that carry a protected attribute under another name, such as
                `{"sex": ["is_male"]}`.
            domain: Dataset to learn the values of the protected attributes from. Pass it if
                `dataset` may lack some values.
            coupled: Features that follow an attribute when it changes, see `perturb_dataset`.
            each_attribute: Whether to perturb each attribute alone, too, for
                `discriminative_risk_by_attribute`. Changes of several attributes can cancel out,
                so that one alone has more risk than all together; explainers then say so.

        Returns:
            A metric whose DR methods can be called.

        Warns:
            UserWarning: The predictions are significantly less accurate than the most frequent
                label for everybody would be, or they are one label for nearly everybody, though
                the other occurs. Often the features are not on the scale that the model was
                fitted on; put the scaler into a `Chain` or a pipeline. The warning says if the
                postprocessing of a `Chain` is the cause.
        """
        check_is_model(estimator)
        carriers = find_carriers(
            dataset if domain is None else domain,
            privileged_groups,
            perturb=perturb,
            carried_by=carried_by,
            coupled=coupled,
        )
        classified = classify(estimator, dataset, seed)
        carriers.check_visible_to(estimator)
        metric = cls(dataset, classified, unprivileged_groups, privileged_groups)
        warn_if_inaccurate(estimator, dataset, classified)
        options = {"method": method, "p": p, "n_samples": n_samples, "seed": seed}
        options |= {"each_attribute": each_attribute}
        favorable, labels = get_label_values(dataset)[0], classified.labels.ravel()
        metric._model_changes = changes_of_model(
            estimator, dataset, labels, carriers, favorable, **options
        )
        metric._carriers, metric._labels = carriers, metric.classified_dataset.labels.copy()
        metric.coupled_features = list(coupled or ())
        return metric

    def individual_risk(self) -> Array:
        """Return the probability that each instance's predicted label changes, shape (n,)."""
        return self._label_changes.any.copy()

    def affected_instances(self, privileged: bool | None = None) -> pd.Series:
        """Return the risk of each instance whose label can change, by name, highest first.

        Args:
            privileged: See `num_label_changes`.
        """
        names = pd.Index(self.dataset.instance_names, name="instance")
        risks = pd.Series(self._label_changes.any, names, name="risk")[self._find_rows(privileged)]
        return risks[risks > 0].sort_values(ascending=False, kind="stable")

    def num_label_changes(self, privileged: bool | None = None) -> float:
        """Number of instances whose predicted label changes.

        It is Σ w_i 1[f(x_i) ≠ f(x̃_i)], or its expectation with the exact method.

        Args:
            privileged: Whether to condition on the privileged groups (`True`), the unprivileged
                groups (`False`), or neither (`None`).
        """
        return self._sum_weighted(self._label_changes.any, privileged)

    def num_favorable_losses(self, privileged: bool | None = None) -> float:
        """Number of instances whose prediction changes from favorable to unfavorable."""
        return self._sum_weighted(self._label_changes.losses, privileged)

    def num_favorable_gains(self, privileged: bool | None = None) -> float:
        """Number of instances whose prediction changes from unfavorable to favorable."""
        return self._sum_weighted(self._label_changes.gains, privileged)

    def discriminative_risk(self, privileged: bool | None = None) -> float:
        """Discriminative risk, Pr(f(x) ≠ f(x̃)); 0 is best."""
        return self._divide_by_instances(self.num_label_changes(privileged), privileged)

    def favorable_to_unfavorable_rate(self, privileged: bool | None = None) -> float:
        """Share of instances whose prediction changes from favorable to unfavorable."""
        return self._divide_by_instances(self.num_favorable_losses(privileged), privileged)

    def unfavorable_to_favorable_rate(self, privileged: bool | None = None) -> float:
        """Share of instances whose prediction changes from unfavorable to favorable."""
        return self._divide_by_instances(self.num_favorable_gains(privileged), privileged)

    def discriminative_risk_interval(
        self,
        privileged: bool | None = None,
        *,
        confidence: float = 0.95,
        method: str = "clopper-pearson",
    ) -> Interval:
        """Confidence interval of `discriminative_risk` for the population of the instances.

        For the instances of one group, and for a metric created from predictions, it takes the
        frequencies of values in a range as known.

        Args:
            privileged: See `num_label_changes`.
            confidence: Probability of the interval, between 0 and 1.
            method: "clopper-pearson", "wilson" or "chernoff"; see
                `dr_core.RiskAssessment.interval`.

        Warns:
            UserWarning: The interval takes frequencies as known that were learned from few rows.
        """
        assessment = self._label_changes.assessment
        if privileged is None and assessment is not None:
            return assessment.interval(confidence, method=method)
        warn_few_learned(self._find_attributes(), "the interval can be too short", stacklevel=2)
        rows = self._find_rows(privileged)
        risks, weights = self._label_changes.any[rows], self.dataset.instance_weights[rows]
        return MeanSample.of_values(risks, weights).interval(confidence, method)

    def discriminative_risk_by_attribute(self, privileged: bool | None = None) -> dict[Any, float]:
        """Discriminative risk of each attribute alone, and of "all" if there are several."""
        found = self._label_changes.by_attribute
        if list(found) in ([], [ALL]):
            raise AttributeError(
                "attributes were not perturbed one by one: use "
                "DiscriminativeRiskMetric.from_estimator(..., each_attribute=True)."
            )
        return {
            name: self._divide_by_instances(self._sum_weighted(changes, privileged), privileged)
            for name, changes in found.items()
        }

    def num_instances_at_risk(self, privileged: bool | None = None) -> float:
        """Number of instances whose label changes under at least one evaluated perturbation."""
        return self._sum_weighted(self._label_changes.any > 0, privileged)

    def worst_case_discriminative_risk(self, privileged: bool | None = None) -> float:
        """Share of instances whose label changes under at least one evaluated perturbation."""
        return self._divide_by_instances(self.num_instances_at_risk(privileged), privileged)

    def risk_assessment(self) -> RiskAssessment:
        """All results of the model, as `dr_core.assess_risk` returns them.

        Its groups are those of the perturbed attributes: privileged rows have a privileged value
        in each. Values of attributes are protected values; a value that several feature values
        share is listed once for each, such as "0 (race=Black)".
        """
        found = self._label_changes.assessment
        if found is None or found.part is None:
            raise AttributeError(
                "a RiskAssessment requires the model, and the metric was created from "
                "predictions: use DiscriminativeRiskMetric.from_estimator(...)."
            )
        # The model was asked about the attributes alone; plausibility is about all features.
        table = as_table(self._carriers.frame(self.dataset, all_features=True))
        return replace(found, part=Partition(0, table, found.part.columns))

    def plausibility(
        self, reference: StructuredDataset | None = None, **options: Any
    ) -> Plausibility:
        """Share of perturbed rows that are plausible, and discriminative risk among these only.

        A perturbed row is implausible if its new protected value is seen with one of its other
        features by far and significantly less often than if both were independent.

        Args:
            reference: Dataset of real rows, such as the training data. The default is the
                metric's own dataset.
            **options: `bins`, `rare` and `alpha` of `dr_core.RiskAssessment.plausibility`.
        """
        found = self.risk_assessment()
        if reference is None:
            return found.plausibility(**options)
        real = self._carriers.frame(reference, all_features=True)
        return found.plausibility(real, **options)

    def discriminative_risk_difference(self) -> float:
        """Discriminative risk of unprivileged instances minus that of privileged instances."""
        return self.difference(self.discriminative_risk)

    def discriminative_risk_ratio(self) -> float:
        """Discriminative risk of unprivileged instances over that of privileged instances."""
        return self.ratio(self.discriminative_risk)

    def discriminative_risk_abs_difference(self) -> float:
        """Absolute difference of both groups' discriminative risk, as in the paper; 0 is best."""
        return abs(self.discriminative_risk_difference())

    @property
    def _label_changes(self) -> LabelChanges:
        if self._model_changes is not None:
            self._check_labels_of_model()
            return self._model_changes
        if self.perturbed_classified_dataset is None:
            raise AttributeError(
                "discriminative risk requires predictions for perturbed rows: pass "
                "perturbed_classified_dataset=model.predict(perturb_dataset(dataset, "
                "privileged_groups)), or use DiscriminativeRiskMetric.from_estimator(...)."
            )
        return _compare_labels(self._predicted, self.perturbed_classified_dataset)

    def _find_attributes(self) -> Iterable[Attribute]:
        """Return the attributes that were perturbed; none if they have no range."""
        if self._model_changes is not None:
            return self._carriers.attributes
        if not self.dataset.metadata.get(QUANTITIES):
            return ()
        return find_carriers(self.dataset, self.privileged_groups, **self._perturbed).attributes

    def _check_labels_of_model(self) -> None:
        if not np.array_equal(self.classified_dataset.labels, self._labels):
            raise ValueError(
                "classified_dataset.labels are not those that the model predicted, so that its "
                "discriminative risk is not theirs. Create another metric with from_estimator, "
                "or pass perturbed_classified_dataset."
            )

    def _find_rows(self, privileged: bool | None) -> Array:
        """Return which rows are in a group, as a boolean array of shape (n,)."""
        return utils.compute_boolean_conditioning_vector(
            self.dataset.protected_attributes,
            self.dataset.protected_attribute_names,
            condition=self._to_condition(privileged),
        )

    def _sum_weighted(self, values: Array, privileged: bool | None) -> float:
        """Return the sum of values in a group, weighted by instance weights."""
        weighted = self.dataset.instance_weights * values
        return np.sum(weighted[self._find_rows(privileged)], dtype=np.float64)

    def _divide_by_instances(self, count: float, privileged: bool | None) -> float:
        n = self.num_instances(privileged=privileged)
        if n:
            return count / n
        group = {None: "", True: "privileged ", False: "unprivileged "}[privileged]
        lacking = " with a weight above 0" if self._find_rows(privileged).any() else ""
        warnings.warn(
            f"the dataset has no {group}instance{lacking}: this group's discriminative risk is "
            "undefined (NaN).",
            stacklevel=3,
        )
        return float("nan")


@contextmanager
def _restore_ignore_fields(*datasets: Any) -> Iterator[None]:
    """Undo the changes that AIF360's comparison makes to `ignore_fields`, which copies share."""
    before = [
        (dataset, set(dataset.ignore_fields))
        for dataset in datasets
        if isinstance(dataset, StructuredDataset)
    ]
    try:
        yield
    finally:
        for dataset, fields in before:
            dataset.ignore_fields = fields


def _compare_labels(classified: Any, perturbed: Any) -> LabelChanges:
    check_labels(perturbed.labels, classified, "perturbed_classified_dataset")
    labels = classified.labels.ravel(), perturbed.labels.ravel()
    return changes_between(*labels, get_label_values(classified)[0])


def _ignore_equal_features(dataset: Any, classified: Any) -> None:
    """Let AIF360 ignore features if they are equal, missing values included.

    Its own comparison finds a NaN different from itself.
    """
    if not all(isinstance(each, StructuredDataset) for each in (dataset, classified)):
        return
    if np.array_equal(dataset.features, classified.features, equal_nan=True):
        dataset.ignore_fields = dataset.ignore_fields | {"features"}


def _find_followers(
    dataset: Any,
    privileged_groups: Groups | None,
    perturb: Sequence[str] | None,
    carried_by: Mapping[str, Sequence[str]] | None,
    coupled: Rules | None,
) -> list[str]:
    if not coupled:
        return []
    options: dict[str, Any] = {"perturb": perturb, "carried_by": carried_by, "coupled": coupled}
    return find_carriers(dataset, privileged_groups, **options).followers
