"""Discriminative risk: how often a prediction changes when only sensitive attributes do."""

from dr_core import datasets
from dr_core._tables import iter_chunks
from dr_core._utils import chernoff, clopper_pearson, rows_needed, wilson
from dr_core.bounds import compute_bounds
from dr_core.comparison import Comparison, compare
from dr_core.ensembles import (
    LABELS,
    POSITIONS,
    Ensemble,
    Votes,
    as_ensemble,
    collect_votes,
    export,
)
from dr_core.marginalization import MarginalizedModel, marginalize
from dr_core.perturbation import (
    OneHot,
    Perturbations,
    SensitiveAttributes,
    Suggestions,
    at_least,
    at_most,
    between,
    enumerate_perturbations,
    learn_attributes,
    perturb,
    suggest_couplings,
)
from dr_core.pruning import ParetoFrontDisplay, PruningResult, epaf, exhaustive_front, poaf
from dr_core.risk import (
    Plausibility,
    Predictions,
    RandomizedModel,
    RiskAssessment,
    RiskDisplay,
    ShiftAssessment,
    assess_risk,
    assess_shift,
)

__all__ = [
    "LABELS",
    "POSITIONS",
    "Comparison",
    "Ensemble",
    "MarginalizedModel",
    "OneHot",
    "ParetoFrontDisplay",
    "Perturbations",
    "Plausibility",
    "Predictions",
    "PruningResult",
    "RandomizedModel",
    "RiskAssessment",
    "RiskDisplay",
    "SensitiveAttributes",
    "ShiftAssessment",
    "Suggestions",
    "Votes",
    "as_ensemble",
    "assess_risk",
    "assess_shift",
    "at_least",
    "at_most",
    "between",
    "chernoff",
    "clopper_pearson",
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
    "marginalize",
    "perturb",
    "poaf",
    "rows_needed",
    "suggest_couplings",
    "wilson",
]
