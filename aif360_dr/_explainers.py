"""Explain discriminative risk as text and as JSON, in addition to AIF360's explanations."""

from __future__ import annotations

import json
from typing import Any

from aif360.explainers import MetricJSONExplainer, MetricTextExplainer

from dr_core.plugins import describe_hidden_risk

__all__ = ["DRJSONExplainer", "DRTextExplainer"]

DEFINITION = "share of instances whose prediction changes when only protected attributes change"

IDEAL_ZERO = "The ideal value of this metric is 0."

MAX_NAMED_INSTANCES = 10
"""Maximum number of instances that a text names."""


class DRTextExplainer(MetricTextExplainer):
    """Explain a `DiscriminativeRiskMetric` as text.

    Args:
        metric: The metric to explain.

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
            f"Number of {_format_group(privileged)}instances whose prediction changes: "
            f"{self.metric.num_label_changes(privileged)}"
        )

    def num_favorable_losses(self, privileged: bool | None = None) -> str:
        return (
            f"Number of {_format_group(privileged)}instances whose prediction changes from "
            f"favorable to unfavorable: {self.metric.num_favorable_losses(privileged)}"
        )

    def num_favorable_gains(self, privileged: bool | None = None) -> str:
        return (
            f"Number of {_format_group(privileged)}instances whose prediction changes from "
            f"unfavorable to favorable: {self.metric.num_favorable_gains(privileged)}"
        )

    def discriminative_risk(self, privileged: bool | None = None) -> str:
        value = self.metric.discriminative_risk(privileged)
        note = _describe_hidden_risk(self.metric, privileged)
        if privileged is None:
            return f"Discriminative risk ({_define_risk(self.metric)}): {value}{note}"
        return f"Discriminative risk on {_format_group(privileged)}instances: {value}{note}"

    def favorable_to_unfavorable_rate(self, privileged: bool | None = None) -> str:
        return (
            f"Share of {_format_group(privileged)}instances whose prediction changes from "
            f"favorable to unfavorable: {self.metric.favorable_to_unfavorable_rate(privileged)}"
        )

    def unfavorable_to_favorable_rate(self, privileged: bool | None = None) -> str:
        return (
            f"Share of {_format_group(privileged)}instances whose prediction changes from "
            f"unfavorable to favorable: {self.metric.unfavorable_to_favorable_rate(privileged)}"
        )

    def discriminative_risk_interval(self, privileged: bool | None = None) -> str:
        low, high, confidence, _ = self.metric.discriminative_risk_interval(privileged)
        return (
            f"Confidence interval of discriminative risk on {_format_group(privileged)}instances "
            f"({100 * confidence:g} %): {low} to {high}"
        )

    def discriminative_risk_by_attribute(self, privileged: bool | None = None) -> str:
        risks = self.metric.discriminative_risk_by_attribute(privileged)
        named = ", ".join(f"{name} {risk}" for name, risk in risks.items())
        return (
            f"Discriminative risk of each protected attribute on {_format_group(privileged)}"
            f"instances: {named}"
        )

    def plausibility(self) -> str:
        return f"Plausibility of perturbed instances: {self.metric.plausibility()}"

    def affected_instances(self, privileged: bool | None = None) -> str:
        risks = self.metric.affected_instances(privileged)
        named = ", ".join(
            f"{name} ({risk:g})" for name, risk in risks.head(MAX_NAMED_INSTANCES).items()
        )
        more = (
            f" and {len(risks) - MAX_NAMED_INSTANCES} more"
            if len(risks) > MAX_NAMED_INSTANCES
            else ""
        )
        return (
            f"Discriminative risk of {_format_group(privileged)}instances whose prediction can "
            f"change: {named or 'none'}{more}"
        )

    def num_instances_at_risk(self, privileged: bool | None = None) -> str:
        value = self.metric.num_instances_at_risk(privileged)
        return (
            f"Number of {_format_group(privileged)}instances whose prediction changes under at "
            f"least one perturbation of protected attributes: {value}"
        )

    def worst_case_discriminative_risk(self, privileged: bool | None = None) -> str:
        value = self.metric.worst_case_discriminative_risk(privileged)
        return (
            f"Share of {_format_group(privileged)}instances whose prediction changes under at "
            f"least one perturbation of protected attributes: {value}"
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
    """Explain a `DiscriminativeRiskMetric` as JSON.

    Args:
        metric: The metric to explain.

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
        message = super().num_label_changes(privileged)
        return self._explain_count("Number Of Label Changes", message)

    def num_favorable_losses(self, privileged: bool | None = None) -> str:
        message = super().num_favorable_losses(privileged)
        return self._explain_count("Number Of Favorable Losses", message)

    def num_favorable_gains(self, privileged: bool | None = None) -> str:
        message = super().num_favorable_gains(privileged)
        return self._explain_count("Number Of Favorable Gains", message)

    def discriminative_risk(self, privileged: bool | None = None) -> str:
        message = super().discriminative_risk(privileged)
        return self._explain_share("Discriminative Risk", message, privileged)

    def favorable_to_unfavorable_rate(self, privileged: bool | None = None) -> str:
        message = super().favorable_to_unfavorable_rate(privileged)
        return self._explain_share("Favorable To Unfavorable Rate", message, privileged)

    def unfavorable_to_favorable_rate(self, privileged: bool | None = None) -> str:
        message = super().unfavorable_to_favorable_rate(privileged)
        return self._explain_share("Unfavorable To Favorable Rate", message, privileged)

    def discriminative_risk_interval(self, privileged: bool | None = None) -> str:
        message = super().discriminative_risk_interval(privileged)
        found = self.metric.discriminative_risk_interval(privileged)._asdict()
        description = "The interval contains the risk in the population with this confidence."
        title = "Discriminative Risk Interval"
        return _format_json(title, message, found, description, IDEAL_ZERO)

    def discriminative_risk_by_attribute(self, privileged: bool | None = None) -> str:
        message = super().discriminative_risk_by_attribute(privileged)
        found = {"risks": self.metric.discriminative_risk_by_attribute(privileged)}
        description = 'Each attribute is perturbed alone, and "all" together.'
        title = "Discriminative Risk By Attribute"
        return _format_json(title, message, found, description, IDEAL_ZERO)

    def plausibility(self) -> str:
        found = self.metric.plausibility()
        shares = {"implausibleShare": found.share, "riskAmongPlausible": found.risk}
        description = "Implausible rows have combinations rarely or never seen in the dataset."
        message = super().plausibility()
        return _format_json("Plausibility", message, shares, description, IDEAL_ZERO)

    def affected_instances(self, privileged: bool | None = None) -> str:
        message = super().affected_instances(privileged)
        found = {"risks": self.metric.affected_instances(privileged).to_dict()}
        description = "Probability that the prediction of each instance changes; others have 0."
        return _format_json("Affected Instances", message, found, description, IDEAL_ZERO)

    def num_instances_at_risk(self, privileged: bool | None = None) -> str:
        message = super().num_instances_at_risk(privileged)
        return self._explain_count("Number Of Instances At Risk", message)

    def worst_case_discriminative_risk(self, privileged: bool | None = None) -> str:
        message = super().worst_case_discriminative_risk(privileged)
        counts = {
            "numInstancesAtRisk": self.metric.num_instances_at_risk(privileged),
            "numInstances": self.metric.num_instances(privileged=privileged),
        }
        description = "Computed as instances at risk / instances."
        title = "Worst Case Discriminative Risk"
        return _format_json(title, message, counts, description, IDEAL_ZERO)

    def discriminative_risk_difference(self) -> str:
        message = super().discriminative_risk_difference()
        ideal = _format_signed_ideal(0)
        return self._explain_comparison("Discriminative Risk Difference", message, ideal)

    def discriminative_risk_ratio(self) -> str:
        message = super().discriminative_risk_ratio()
        ideal = _format_signed_ideal(1)
        return self._explain_comparison("Discriminative Risk Ratio", message, ideal)

    def discriminative_risk_abs_difference(self) -> str:
        message = super().discriminative_risk_abs_difference()
        title = "Absolute Discriminative Risk Difference"
        return self._explain_comparison(title, message, IDEAL_ZERO)

    def _explain_count(self, title: str, message: str) -> str:
        description = "Computed as the sum of the instance weights of these instances."
        return _format_json(title, message, {}, description, IDEAL_ZERO)

    def _explain_share(self, title: str, message: str, privileged: bool | None) -> str:
        counts = {
            "numLabelChanges": self.metric.num_label_changes(privileged),
            "numFavorableLosses": self.metric.num_favorable_losses(privileged),
            "numFavorableGains": self.metric.num_favorable_gains(privileged),
            "numInstances": self.metric.num_instances(privileged=privileged),
        }
        description = "Computed as label changes, losses or gains / instances."
        return _format_json(title, message, counts, description, IDEAL_ZERO)

    def _explain_comparison(self, title: str, message: str, ideal: str) -> str:
        counts = {
            "numLabelChangesUnprivileged": self.metric.num_label_changes(False),
            "numInstancesUnprivileged": self.metric.num_instances(privileged=False),
            "numLabelChangesPrivileged": self.metric.num_label_changes(True),
            "numInstancesPrivileged": self.metric.num_instances(privileged=True),
        }
        definition = _define_risk(self.metric)
        description = f"Compares the discriminative risk of the groups: {definition}."
        return _format_json(title, message, counts, description, ideal)


def _describe_hidden_risk(metric: Any, privileged: bool | None) -> str:
    """Return a sentence if one attribute alone has more risk; "" if not, or if that is unknown."""
    try:
        risks = metric.discriminative_risk_by_attribute(privileged)
    except AttributeError:
        return ""
    note = describe_hidden_risk(risks)
    return f". {note}" if note else ""


def _define_risk(metric: Any) -> str:
    """Return the definition of discriminative risk, with the features that follow, if any."""
    names = ", ".join(map(str, metric.coupled_features))
    return f"{DEFINITION}, and {names} with them" if names else DEFINITION


def _format_group(privileged: bool | None) -> str:
    return {None: "", True: "privileged ", False: "unprivileged "}[privileged]


def _format_signed_ideal(value: int) -> str:
    return (
        f"The ideal value of this metric is {value}. A value > {value} implies that predictions "
        "for the unprivileged group depend more on protected attributes."
    )


def _format_json(
    title: str, message: str, counts: dict[str, Any], description: str, ideal: str
) -> str:
    explanation = {"metric": title, "message": message, **counts}
    return json.dumps({**explanation, "description": description, "ideal": ideal})
