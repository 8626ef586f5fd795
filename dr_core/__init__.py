"""Discriminative risk: how often a prediction changes when only sensitive attributes do."""

from dr_core import datasets
from dr_core.attributes import OneHot, SensitiveAttributes, learn_attributes
from dr_core.audit import Predictions
from dr_core.bounds import compute_bounds
from dr_core.comparison import Comparison, compare
from dr_core.ensembles import collect_votes
from dr_core.export import export
from dr_core.partitions import iter_chunks
from dr_core.perturbation import Perturbations, enumerate_perturbations, perturb
from dr_core.plausibility import Plausibility
from dr_core.pruning import PruningResult, epaf, exhaustive_front, poaf
from dr_core.risk import RiskAssessment, assess_risk
from dr_core.suggestions import Suggestions, suggest_couplings
from dr_core.voting import Votes

__all__ = [
    "Comparison",
    "OneHot",
    "Perturbations",
    "Plausibility",
    "Predictions",
    "PruningResult",
    "RiskAssessment",
    "SensitiveAttributes",
    "Suggestions",
    "Votes",
    "assess_risk",
    "collect_votes",
    "compare",
    "compute_bounds",
    "datasets",
    "enumerate_perturbations",
    "epaf",
    "exhaustive_front",
    "export",
    "iter_chunks",
    "learn_attributes",
    "perturb",
    "poaf",
    "suggest_couplings",
]
