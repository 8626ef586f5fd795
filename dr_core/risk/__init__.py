"""f(x) against f(x̃): the discriminative risk of a model.

- `_changes`: what a prediction is, the one loop that asks models, and folds over it
- `_totals`: what folds add up
- `_assessment`: `assess_risk` and its result
- `_hidden`: the note where one attribute alone has more risk than all together
- `_plausibility`: the risk of perturbed rows that occur in the data
"""

from dr_core.risk._assessment import RiskAssessment, assess_risk
from dr_core.risk._changes import (
    Changes,
    Fold,
    Predictions,
    Predictor,
    find_classes,
    fold,
    get_predict,
    iter_changes,
    iter_given_changes,
)
from dr_core.risk._hidden import describe_hidden_risk
from dr_core.risk._plausibility import Plausibility, PlausibilityFold
from dr_core.risk._totals import GroupSums, PerScenario

__all__ = [
    "Changes",
    "Fold",
    "GroupSums",
    "PerScenario",
    "Plausibility",
    "PlausibilityFold",
    "Predictions",
    "Predictor",
    "RiskAssessment",
    "assess_risk",
    "describe_hidden_risk",
    "find_classes",
    "fold",
    "get_predict",
    "iter_changes",
    "iter_given_changes",
]
