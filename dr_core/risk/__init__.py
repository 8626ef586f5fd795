"""f(x) against f(x̃): the discriminative risk of a model."""

from dr_core.risk._assessment import RiskAssessment, assess_risk
from dr_core.risk._group_sums import Changes, GroupSums
from dr_core.risk._plausibility import (
    CheckedRows,
    PairCheck,
    Plausibility,
    PlausibilityTally,
    learn_pair_check,
)
from dr_core.risk._predictions import Predictions, check_few, class_labels
from dr_core.risk._responses import (
    Plan,
    Response,
    cut_rows,
    prediction_function,
    predictor,
    responses,
)
from dr_core.risk._row_risks import differs, individual_risk

__all__ = [
    "Changes",
    "CheckedRows",
    "GroupSums",
    "PairCheck",
    "Plan",
    "Plausibility",
    "PlausibilityTally",
    "Predictions",
    "Response",
    "RiskAssessment",
    "assess_risk",
    "check_few",
    "class_labels",
    "cut_rows",
    "differs",
    "individual_risk",
    "learn_pair_check",
    "prediction_function",
    "predictor",
    "responses",
]
