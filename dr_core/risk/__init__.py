"""f(x) against f(x̃): the discriminative risk of a model.

- `_predictor`: what a prediction is, and which models draw theirs at random
- `_changes`: the one loop that asks models, and folds over it
- `_given`: predictions that were made elsewhere
- `_randomized`: models that draw their predictions, and the total variation
- `_totals`: what folds add up, in total and by group
- `_spread`: what intervals need where rows differ in weight, or people have several
- `_frequencies`: what intervals need where values of a range were learned from few rows
- `_assessment`: `assess_risk` and its result
- `_hidden`: notes where one attribute alone has more risk than all, and where no risk is above 0
- `_plausibility`: the risk of perturbed rows that occur in the data
- `_scores`: probability, decision function or prediction as the score of a model
- `_shift_sums`: what the shifts of a score add up to
- `_blocks`: a bootstrap over blocks of people
- `_shift_result`, `_shift`: the result of `assess_shift`, and the function itself
- `_display`: bars of risks, as a display
"""

from dr_core.risk._assessment import RiskAssessment, assess_risk, describe_missing
from dr_core.risk._changes import Changes, Fold, RepeatCheck, choose_repeated, fold, iter_changes
from dr_core.risk._display import RiskDisplay
from dr_core.risk._frequencies import describe_few_learned, warn_few_learned
from dr_core.risk._given import Predictions, iter_given_changes
from dr_core.risk._hidden import describe_hidden_risk, describe_zero_risk
from dr_core.risk._plausibility import Plausibility, PlausibilityFold
from dr_core.risk._predictor import (
    Predictor,
    check_predictions,
    choose_favorable,
    find_classes,
    find_distribution,
    get_predict,
    have_fractions,
)
from dr_core.risk._randomized import RandomizedModel
from dr_core.risk._scores import ScoreFunction, choose_score
from dr_core.risk._shift import assess_shift
from dr_core.risk._shift_result import ShiftAssessment
from dr_core.risk._shift_sums import ShiftFold, ShiftTotals
from dr_core.risk._totals import (
    GroupSums,
    PerScenario,
    RiskTotals,
    RowRisks,
    count_missing,
    describe_empty_groups,
    describe_group,
    find_groups,
    make_group_sample,
    make_sample,
    sum_ranges,
    sum_spreads,
)

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
    "RepeatCheck",
    "RiskAssessment",
    "RiskDisplay",
    "RiskTotals",
    "RowRisks",
    "ScoreFunction",
    "ShiftAssessment",
    "ShiftFold",
    "ShiftTotals",
    "assess_risk",
    "assess_shift",
    "check_predictions",
    "choose_favorable",
    "choose_repeated",
    "choose_score",
    "count_missing",
    "describe_empty_groups",
    "describe_few_learned",
    "describe_group",
    "describe_hidden_risk",
    "describe_missing",
    "describe_zero_risk",
    "find_classes",
    "find_distribution",
    "find_groups",
    "fold",
    "get_predict",
    "have_fractions",
    "iter_changes",
    "iter_given_changes",
    "make_group_sample",
    "make_sample",
    "sum_ranges",
    "sum_spreads",
    "warn_few_learned",
]
