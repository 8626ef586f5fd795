"""Discriminative risk as an AIF360 metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from aif360.datasets import StructuredDataset
from aif360.metrics import ClassificationMetric, utils

from aif360_dr._carriers import find_carriers
from aif360_dr._checks import check_labels, check_lengths, check_perturbed, get_label_values
from aif360_dr._groups import Groups
from aif360_dr._label_changes import LabelChanges, changes_between, changes_of_model
from aif360_dr._models import classify
from aif360_dr._uncached import UncachedMixin
from dr_core.plugins import ALL, Array, Rules

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

    def __init__(
        self,
        dataset: StructuredDataset,
        classified_dataset: StructuredDataset,
        unprivileged_groups: Groups | None = None,
        privileged_groups: Groups | None = None,
        *,
        perturbed_classified_dataset: StructuredDataset | None = None,
        carried_by: Mapping[str, Sequence[str]] | None = None,
        coupled: Rules | None = None,
    ) -> None:
        if all(isinstance(each, StructuredDataset) for each in (dataset, classified_dataset)):
            check_lengths(dataset, classified_dataset, "classified_dataset")
        with _restore_ignore_fields(dataset, classified_dataset):
            super().__init__(dataset, classified_dataset, unprivileged_groups, privileged_groups)
        check_labels(classified_dataset.labels, classified_dataset, "classified_dataset")
        self.perturbed_classified_dataset = perturbed_classified_dataset
        self._changes: LabelChanges | None = None
        if perturbed_classified_dataset is not None:
            followers: list[str] = []
            if coupled:
                followers = find_carriers(
                    dataset, privileged_groups, carried_by=carried_by, coupled=coupled
                ).followers
            check_perturbed(
                classified_dataset, perturbed_classified_dataset, carried_by, followers
            )
            self._changes = _compare_labels(classified_dataset, perturbed_classified_dataset)

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
        carried_by: Mapping[str, Sequence[str]] | None = None,
        domain: StructuredDataset | None = None,
        coupled: Rules | None = None,
        each_attribute: bool = False,
    ) -> DiscriminativeRiskMetric:
        """Create a metric from a model, which predicts the dataset and its perturbations.

        Args:
            estimator: A fitted estimator, a function of the features, or any AIF360 algorithm
                with `predict(dataset)`. DR of AIF360's `ExponentiatedGradientReduction`, of
                fairlearn's randomised models and of `dr_core.RandomizedModel` is computed from
                the distribution of their labels; the other measures from one draw, as AIF360
                does. Any other model that predicts at random is refused.
            dataset: Dataset with the true labels.
            unprivileged_groups: See `ClassificationMetric`.
            privileged_groups: Groups whose attributes are perturbed. By default, all protected
                attributes of the dataset are perturbed, with its own privileged values.
            method: "exact" uses every possible perturbation of each row, weighted by its
                probability. DR is then not random, and counts of label changes are expected
                counts, which need not be integers. "sample" draws `n_samples` perturbations of
                each row.
            p: Probability of perturbing each attribute of each row.
            n_samples: Number of draws for each row with method "sample".
            seed: Seed of the draws with method "sample".
            carried_by: Features that carry a protected attribute under another name.
            domain: Dataset to learn the values of the protected attributes from. Pass it if
                `dataset` may lack some values.
            coupled: Features that follow an attribute when it changes, see `perturb_dataset`.
            each_attribute: Whether to perturb each attribute alone, too, for
                `discriminative_risk_by_attribute`. Changes of several attributes can cancel out,
                so that one alone has more risk than all together; explainers then say so.

        Returns:
            A metric whose DR methods can be called.
        """
        carriers = find_carriers(
            dataset if domain is None else domain,
            privileged_groups,
            carried_by=carried_by,
            coupled=coupled,
        )
        carriers.check_visible_to(estimator)
        classified = classify(estimator, dataset, seed)
        metric = cls(dataset, classified, unprivileged_groups, privileged_groups)
        options = {"method": method, "p": p, "n_samples": n_samples, "seed": seed}
        options |= {"each_attribute": each_attribute}
        favorable, labels = get_label_values(dataset)[0], classified.labels.ravel()
        metric._changes = changes_of_model(
            estimator, dataset, labels, carriers, favorable, **options
        )
        return metric

    def individual_risk(self) -> Array:
        """Return the probability that each instance's predicted label changes, shape (n,)."""
        return self._label_changes.any.copy()

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
        return self.num_label_changes(privileged) / self.num_instances(privileged=privileged)

    def discriminative_risk_by_attribute(self, privileged: bool | None = None) -> dict[Any, float]:
        """Discriminative risk of each attribute alone, and of "all" if there are several."""
        found = self._label_changes.by_attribute
        if list(found) in ([], [ALL]):
            raise AttributeError(
                "attributes were not perturbed one by one: use "
                "DiscriminativeRiskMetric.from_estimator(..., each_attribute=True)."
            )
        n_instances = self.num_instances(privileged=privileged)
        return {
            name: self._sum_weighted(changes, privileged) / n_instances
            for name, changes in found.items()
        }

    def worst_case_discriminative_risk(self, privileged: bool | None = None) -> float:
        """Share of instances whose label changes under at least one evaluated perturbation."""
        changed = self._sum_weighted(self._label_changes.any > 0, privileged)
        return changed / self.num_instances(privileged=privileged)

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
        if self._changes is None:
            raise AttributeError(
                "discriminative risk requires predictions for perturbed rows: pass "
                "perturbed_classified_dataset=model.predict(perturb_dataset(dataset, "
                "privileged_groups)), or use DiscriminativeRiskMetric.from_estimator(...)."
            )
        return self._changes

    def _sum_weighted(self, values: Array, privileged: bool | None) -> float:
        """Return the sum of values in a group, weighted by instance weights."""
        rows = utils.compute_boolean_conditioning_vector(
            self.dataset.protected_attributes,
            self.dataset.protected_attribute_names,
            condition=self._to_condition(privileged),
        )
        return np.sum((self.dataset.instance_weights * values)[rows], dtype=np.float64)


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
