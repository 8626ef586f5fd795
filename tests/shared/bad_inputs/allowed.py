"""Lists of allowed values that several messages must name in full."""

DATASETS = ("ricci", "credit", "income", "ppr", "ppvr", "lawschool")
ENSEMBLES = (
    "RandomForestClassifier",
    "ExtraTreesClassifier",
    "BaggingClassifier",
    "AdaBoostClassifier",
    "VotingClassifier",
    "Pipeline",
    "as_ensemble",
)
MEASURES = (
    "discriminative_risk",
    "discriminative_risk_difference",
    "demographic_parity",
    "equal_opportunity",
    "predictive_parity",
    "equalized_odds",
    "equalized_odds_mean",
    "disparate_impact",
    "accuracy",
    "precision",
    "recall",
    "f1",
    "specificity",
    "score_shift",
)
SELECTIONS = ("objective", "largest", "min_risk")
