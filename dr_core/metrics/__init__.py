"""The tally, and every measure as a function of it."""

from dr_core.metrics._bootstrap import DR, Bootstrap
from dr_core.metrics._measures import (
    ESTABLISHED,
    MEASURES,
    View,
    accuracy,
    demographic_parity,
    discriminative_risk,
    discriminative_risk_difference,
    disparate_impact,
    equal_opportunity,
    equalized_odds,
    equalized_odds_mean,
    f1,
    measure,
    precision,
    predictive_parity,
    recall,
    specificity,
)
from dr_core.metrics._providers import Provider, load_provider, provide_measures
from dr_core.metrics._tally import DIGITS, Tally, tally_predictions, tally_profiles

__all__ = [
    "DIGITS",
    "DR",
    "ESTABLISHED",
    "MEASURES",
    "Bootstrap",
    "Provider",
    "Tally",
    "View",
    "accuracy",
    "demographic_parity",
    "discriminative_risk",
    "discriminative_risk_difference",
    "disparate_impact",
    "equal_opportunity",
    "equalized_odds",
    "equalized_odds_mean",
    "f1",
    "load_provider",
    "measure",
    "precision",
    "predictive_parity",
    "provide_measures",
    "recall",
    "specificity",
    "tally_predictions",
    "tally_profiles",
]
