"""Discriminative risk: how often a prediction changes when only sensitive attributes do."""

from dr_core import datasets
from dr_core.attributes import OneHot, SensitiveAttributes, learn_attributes
from dr_core.audit import Predictions
from dr_core.comparison import Comparison, compare
from dr_core.perturbation import Perturbations, enumerate_perturbations, perturb
from dr_core.risk import RiskAssessment, assess_risk

__all__ = [
    "Comparison",
    "OneHot",
    "Perturbations",
    "Predictions",
    "RiskAssessment",
    "SensitiveAttributes",
    "assess_risk",
    "compare",
    "datasets",
    "enumerate_perturbations",
    "learn_attributes",
    "perturb",
]
