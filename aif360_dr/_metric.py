"""Discriminative risk as an AIF360 metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from aif360.datasets import StructuredDataset
from aif360.metrics import ClassificationMetric, utils

from aif360_dr._carriers import find_carriers
from aif360_dr._checks import check_labels, check_lengths, check_perturbed, label_values
from aif360_dr._groups import Groups
from aif360_dr._label_changes import LabelChanges, changes_between, changes_of_model
from aif360_dr._models import classify
from aif360_dr._uncached import Uncached
from dr_core.plugins import Array, Rules

__all__ = ["DiscriminativeRiskMetric"]


class DiscriminativeRiskMetric(Uncached, ClassificationMetric):
    """A `ClassificationMetric` that also measures discriminative risk.

    Discriminative risk (DR) is the share of instances whose predicted label changes when nothing
    but their protected attributes is perturbed. 0 means that no prediction depends on them.

    It can replace `ClassificationMetric` anywhere. Unlike it, it refuses predicted labels that
    are neither favorable nor unfavorable, and its objects are freed when no longer used.

    Args:
        dataset: Dataset with the true labels.
        classified_dataset: The same with predicted labels.
        unprivileged_groups: See `ClassificationMetric`.
        privileged_groups: See `ClassificationMetric`.
        perturbed_classified_dataset: Predictions for the rows of `perturb_dataset(dataset, ...)`;
            the DR methods need it.
        carried_by: Features that carry a protected attribute under another name; they may differ
            in the perturbed dataset.
        coupled: Rules for features that follow an attribute, where `perturb_dataset` had them;
            these features may differ too.

    Examples:
        A model that hires men after two years, and women after four:

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

        With the model at hand, `from_estimator` does all of it:

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
        with _fields_kept(dataset, classified_dataset):
            super().__init__(dataset, classified_dataset, unprivileged_groups, privileged_groups)
        check_labels(classified_dataset.labels, classified_dataset, "classified_dataset")
        self.perturbed_classified_dataset = perturbed_classified_dataset
        self._changes: LabelChanges | None = None
        if perturbed_classified_dataset is not None:
            followers = (
                find_carriers(
                    dataset, privileged_groups, carried_by=carried_by, coupled=coupled
                ).followers
                if coupled
                else []
            )
            check_perturbed(
                classified_dataset, perturbed_classified_dataset, carried_by, followers
            )
            self._changes = _changes(classified_dataset, perturbed_classified_dataset)

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
    ) -> DiscriminativeRiskMetric:
        """Predict and perturb with a model at hand.

        Args:
            estimator: A fitted estimator, a function of the features, or any AIF360 algorithm
                with `predict(dataset)`. An algorithm that decides at random changes labels at
                random too, and that counts.
            dataset: Dataset with the true labels.
            unprivileged_groups: See `ClassificationMetric`.
            privileged_groups: The attributes they name are perturbed; without them, all
                protected attributes of the dataset, with its own privileged values.
            method: "exact" takes every perturbation a row can undergo, weighted by its
                probability: DR has no randomness, and counts of changes are expected counts, which
                need not be whole. "sample" draws `n_samples` perturbations of each row.
            p: Probability with which each attribute of each row is perturbed.
            n_samples: Draws for each row, with method "sample".
            seed: Where draws come from, with method "sample".
            carried_by: Features that carry a protected attribute under another name.
            domain: Dataset to learn the values of the protected attributes from, when this one
                may lack some.
            coupled: Features that follow an attribute when it changes, see `perturb_dataset`.

        Returns:
            A metric with all DR methods ready.
        """
        learned_from = dataset if domain is None else domain
        carriers = find_carriers(
            learned_from, privileged_groups, carried_by=carried_by, coupled=coupled
        )
        carriers.require_features(estimator)
        classified = classify(estimator, dataset)
        metric = cls(dataset, classified, unprivileged_groups, privileged_groups)
        options = {"method": method, "p": p, "n_samples": n_samples, "seed": seed}
        favorable, labels = label_values(dataset)[0], classified.labels.ravel()
        metric._changes = changes_of_model(
            estimator, dataset, labels, carriers, favorable, **options
        )
        return metric

    def individual_risk(self) -> Array:
        """Probability that the predicted label of each instance changes, shape (n,)."""
        return self._label_changes.any.copy()

    def num_label_changes(self, privileged: bool | None = None) -> float:
        """Number of instances whose predicted label changes.

        Σ w_i 1[f(x_i) ≠ f(x̃_i)]; with the exact method, what is expected of it.

        Args:
            privileged: Whether to condition on the privileged groups (`True`), the unprivileged
                groups (`False`), or neither.
        """
        return self._weighed(self._label_changes.any, privileged)

    def num_favorable_losses(self, privileged: bool | None = None) -> float:
        """Number of instances that turn from a favorable to an unfavorable prediction."""
        return self._weighed(self._label_changes.losses, privileged)

    def num_favorable_gains(self, privileged: bool | None = None) -> float:
        """Number of instances that turn from an unfavorable to a favorable prediction."""
        return self._weighed(self._label_changes.gains, privileged)

    def discriminative_risk(self, privileged: bool | None = None) -> float:
        """Discriminative risk, Pr(f(x) ≠ f(x̃)); 0 is best."""
        return self.num_label_changes(privileged) / self.num_instances(privileged=privileged)

    def worst_case_discriminative_risk(self, privileged: bool | None = None) -> float:
        """Share of instances whose label at least one of the perturbations tried changes."""
        concerned = self._weighed(self._label_changes.any > 0, privileged)
        return concerned / self.num_instances(privileged=privileged)

    def discriminative_risk_difference(self) -> float:
        """Discriminative risk of unprivileged minus that of privileged instances."""
        return self.difference(self.discriminative_risk)

    def discriminative_risk_ratio(self) -> float:
        """Discriminative risk of unprivileged over that of privileged instances."""
        return self.ratio(self.discriminative_risk)

    def discriminative_risk_abs_difference(self) -> float:
        """The paper's subgroup difference, 0 when both groups are equally at risk."""
        return abs(self.discriminative_risk_difference())

    @property
    def _label_changes(self) -> LabelChanges:
        if self._changes is None:
            raise AttributeError(
                "discriminative risk needs predictions for perturbed rows: pass "
                "perturbed_classified_dataset=model.predict(perturb_dataset(dataset, "
                "privileged_groups)), or use DiscriminativeRiskMetric.from_estimator(...)."
            )
        return self._changes

    def _weighed(self, values: Array, privileged: bool | None) -> float:
        """Sum values by instance weight over a group."""
        rows = utils.compute_boolean_conditioning_vector(
            self.dataset.protected_attributes,
            self.dataset.protected_attribute_names,
            condition=self._to_condition(privileged),
        )
        return np.sum((self.dataset.instance_weights * values)[rows], dtype=np.float64)


@contextmanager
def _fields_kept(*datasets: Any) -> Iterator[None]:
    """Undo what AIF360's comparison leaves behind in `ignore_fields`, which copies share."""
    kept = [
        (dataset, set(dataset.ignore_fields))
        for dataset in datasets
        if isinstance(dataset, StructuredDataset)
    ]
    try:
        yield
    finally:
        for dataset, fields in kept:
            dataset.ignore_fields = fields


def _changes(classified: Any, perturbed: Any) -> LabelChanges:
    check_labels(perturbed.labels, classified, "perturbed_classified_dataset")
    labels = classified.labels.ravel(), perturbed.labels.ravel()
    return changes_between(*labels, label_values(classified)[0])
