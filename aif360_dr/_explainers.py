"""Discriminative risk in words, and in JSON, beside AIF360's own explanations."""

from __future__ import annotations

import json
from typing import Any

from aif360.explainers import MetricJSONExplainer, MetricTextExplainer

__all__ = ["DRJSONExplainer", "DRTextExplainer"]

MEANING = "share of instances whose prediction changes when only protected attributes do"


class DRTextExplainer(MetricTextExplainer):
    """Explain a `DiscriminativeRiskMetric` with text.

    Args:
        metric: The metric to be explained.

    Examples:
        >>> from aif360_dr import DiscriminativeRiskMetric
        >>> from aif360_dr.examples import hiring
        >>> metric = DiscriminativeRiskMetric.from_estimator(
        ...     lambda features: features[:, 0] * features[:, 2] > 4, hiring(),
        ...     [{"sex": 0}], [{"sex": 1}])
        >>> print(DRTextExplainer(metric).discriminative_risk(privileged=False))
        Discriminative risk on unprivileged instances: 0.5
        >>> print(DRTextExplainer(metric).num_label_changes())
        Number of instances whose prediction changes: 4.0
    """

    def num_label_changes(self, privileged: bool | None = None) -> str:
        return (
            f"Number of {_group(privileged)}instances whose prediction changes: "
            f"{self.metric.num_label_changes(privileged)}"
        )

    def num_favorable_losses(self, privileged: bool | None = None) -> str:
        return (
            f"Number of {_group(privileged)}instances whose prediction turns from favorable to "
            f"unfavorable: {self.metric.num_favorable_losses(privileged)}"
        )

    def num_favorable_gains(self, privileged: bool | None = None) -> str:
        return (
            f"Number of {_group(privileged)}instances whose prediction turns from unfavorable to "
            f"favorable: {self.metric.num_favorable_gains(privileged)}"
        )

    def discriminative_risk(self, privileged: bool | None = None) -> str:
        value = self.metric.discriminative_risk(privileged)
        if privileged is None:
            return f"Discriminative risk ({MEANING}): {value}"
        return f"Discriminative risk on {_group(privileged)}instances: {value}"

    def worst_case_discriminative_risk(self, privileged: bool | None = None) -> str:
        value = self.metric.worst_case_discriminative_risk(privileged)
        return (
            f"Share of {_group(privileged)}instances whose prediction some perturbation of "
            f"protected attributes changes: {value}"
        )

    def discriminative_risk_difference(self) -> str:
        return (
            "Discriminative risk difference (discriminative risk on unprivileged instances - "
            "discriminative risk on privileged instances): "
            f"{self.metric.discriminative_risk_difference()}"
        )

    def discriminative_risk_ratio(self) -> str:
        return (
            "Discriminative risk ratio (discriminative risk on unprivileged instances / "
            "discriminative risk on privileged instances): "
            f"{self.metric.discriminative_risk_ratio()}"
        )

    def discriminative_risk_abs_difference(self) -> str:
        return (
            "Absolute discriminative risk difference between unprivileged and privileged "
            f"instances: {self.metric.discriminative_risk_abs_difference()}"
        )


class DRJSONExplainer(DRTextExplainer, MetricJSONExplainer):
    """Explain a `DiscriminativeRiskMetric` in JSON.

    Args:
        metric: The metric to be explained.

    Examples:
        >>> from aif360_dr import DiscriminativeRiskMetric
        >>> from aif360_dr.examples import hiring
        >>> metric = DiscriminativeRiskMetric.from_estimator(
        ...     lambda features: features[:, 0] * features[:, 2] > 4, hiring(),
        ...     [{"sex": 0}], [{"sex": 1}])
        >>> explained = json.loads(DRJSONExplainer(metric).discriminative_risk())
        >>> explained["metric"], explained["numLabelChanges"], explained["numInstances"]
        ('Discriminative Risk', 4.0, 8.0)
    """

    def num_label_changes(self, privileged: bool | None = None) -> str:
        return self._count("Number Of Label Changes", super().num_label_changes(privileged))

    def num_favorable_losses(self, privileged: bool | None = None) -> str:
        message = super().num_favorable_losses(privileged)
        return self._count("Number Of Favorable Losses", message)

    def num_favorable_gains(self, privileged: bool | None = None) -> str:
        return self._count("Number Of Favorable Gains", super().num_favorable_gains(privileged))

    def discriminative_risk(self, privileged: bool | None = None) -> str:
        message = super().discriminative_risk(privileged)
        return self._share("Discriminative Risk", message, privileged)

    def worst_case_discriminative_risk(self, privileged: bool | None = None) -> str:
        message = super().worst_case_discriminative_risk(privileged)
        return self._share("Worst Case Discriminative Risk", message, privileged)

    def discriminative_risk_difference(self) -> str:
        message = super().discriminative_risk_difference()
        ideal = (
            "The ideal value of this metric is 0. A value > 0 implies that predictions for the "
            "unprivileged group depend more on protected attributes."
        )
        return self._comparison("Discriminative Risk Difference", message, ideal)

    def discriminative_risk_ratio(self) -> str:
        message = super().discriminative_risk_ratio()
        ideal = (
            "The ideal value of this metric is 1. A value > 1 implies that predictions for the "
            "unprivileged group depend more on protected attributes."
        )
        return self._comparison("Discriminative Risk Ratio", message, ideal)

    def discriminative_risk_abs_difference(self) -> str:
        message = super().discriminative_risk_abs_difference()
        ideal = "The ideal value of this metric is 0."
        return self._comparison("Absolute Discriminative Risk Difference", message, ideal)

    def _count(self, title: str, message: str) -> str:
        description = "Counted by instance weight, over rows that differ in nothing else."
        return _json(title, message, {}, description, "The ideal value of this metric is 0.")

    def _share(self, title: str, message: str, privileged: bool | None) -> str:
        counts = {
            "numLabelChanges": self.metric.num_label_changes(privileged),
            "numFavorableLosses": self.metric.num_favorable_losses(privileged),
            "numFavorableGains": self.metric.num_favorable_gains(privileged),
            "numInstances": self.metric.num_instances(privileged=privileged),
        }
        description = "Computed as label changes / instances."
        return _json(title, message, counts, description, "The ideal value of this metric is 0.")

    def _comparison(self, title: str, message: str, ideal: str) -> str:
        counts = {
            "numLabelChangesUnprivileged": self.metric.num_label_changes(False),
            "numInstancesUnprivileged": self.metric.num_instances(privileged=False),
            "numLabelChangesPrivileged": self.metric.num_label_changes(True),
            "numInstancesPrivileged": self.metric.num_instances(privileged=True),
        }
        description = f"Compares the groups by their discriminative risk: {MEANING}."
        return _json(title, message, counts, description, ideal)


def _group(privileged: bool | None) -> str:
    return {None: "", True: "privileged ", False: "unprivileged "}[privileged]


def _json(title: str, message: str, counts: dict[str, Any], description: str, ideal: str) -> str:
    described = {"description": description, "ideal": ideal}
    return json.dumps({"metric": title, "message": message, **counts, **described})
