"""f(x) against f(x̃): the discriminative risk of a model.

- `_changes`: what a prediction is, the one loop that asks models, and folds over it
- `_randomized`: models that draw their predictions, and the total variation
- `_totals`: what folds add up
- `_spread`: what intervals need where rows differ in weight, or people have several
- `_assessment`: `assess_risk` and its result
- `_hidden`: the note where one attribute alone has more risk than all together
- `_plausibility`: the risk of perturbed rows that occur in the data
"""

from dr_core.risk._assessment import RiskAssessment, assess_risk, describe_missing
from dr_core.risk._changes import (
    Changes,
    Fold,
    Predictions,
    Predictor,
    check_predictions,
    check_repeatable,
    choose_repeated,
    find_classes,
    fold,
    get_predict,
    have_fractions,
    iter_changes,
    iter_given_changes,
)
from dr_core.risk._hidden import describe_hidden_risk
from dr_core.risk._plausibility import Plausibility, PlausibilityFold
from dr_core.risk._randomized import RandomizedModel, find_distribution
from dr_core.risk._totals import GroupSums, PerScenario, make_sample, sum_spreads

__all__ = [
    "Changes",
    "Fold",
    "GroupSums",
    "PerScenario",
    "Plausibility",
    "PlausibilityFold",
    "Predictions",
    "Predictor",
    "RandomizedModel",
    "RiskAssessment",
    "assess_risk",
    "check_predictions",
    "check_repeatable",
    "choose_repeated",
    "describe_hidden_risk",
    "describe_missing",
    "find_classes",
    "find_distribution",
    "fold",
    "get_predict",
    "have_fractions",
    "iter_changes",
    "iter_given_changes",
    "make_sample",
    "sum_spreads",
]
