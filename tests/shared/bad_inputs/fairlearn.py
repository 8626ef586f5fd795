"""Bad inputs by public name of `fairlearn_dr`: call, exception, fragments of the message."""

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError

from bad_inputs.allowed import ENSEMBLES, SELECTIONS
from dr_core import Votes, assess_risk, assess_shift, compare, compute_bounds
from fairlearn_dr import (
    AttributeMarginalizer,
    EPAFPruner,
    POAFPruner,
    discriminative_risk,
    discriminative_risk_difference,
    discriminative_risk_group_max,
    discriminative_risk_group_min,
    discriminative_risk_ratio,
    dr_metric_frame,
    favorable_to_unfavorable_rate,
    perturbed_predictions,
    plot_bounds,
    plot_comparison,
    plot_pareto_front,
    plot_risk_by_group,
    plot_shift_by_group,
    risk_scorer,
    score_shift,
    show_dashboard,
    unfavorable_to_favorable_rate,
)

X = pd.DataFrame({"sex": [0, 1, 0, 1] * 3, "age": range(12)})
Y = np.array([0, 0, 1, 1] * 3)
SEX = {"sex": 1}
LABELS, OTHER = [0, 1, 1], [1, 1, 1]
WORDS = ["no", "yes", "yes"]
BOUNDS = compute_bounds(Votes([[0, 1]], [[0, 1]], y=[0, 1]))


def model(X):
    return (X["age"] > 5).astype(int)


def frame(**options):
    return dr_metric_frame(model, X, Y, privileged=SEX, **options)


def comparison():
    return compare({"m": model}, X, Y, SEX)


def forest(**options):
    return RandomForestClassifier(n_estimators=4, random_state=0, **options)


def poaf_pruner(estimator=None, **options):
    estimator = forest() if estimator is None else estimator
    return POAFPruner(estimator, **{"privileged": SEX, "random_state": 0, **options})


def epaf_pruner(**options):
    return EPAFPruner(forest(), privileged=SEX, random_state=0, **options)


def dashboard(models=None, labels=Y, **options):
    return show_dashboard(
        {"m": model} if models is None else models, X, labels, **{"privileged": SEX, **options}
    )


GROUPED = {
    metric.__name__: {
        "nothing known of perturbed rows": (
            lambda metric=metric: metric(LABELS, LABELS, sensitive_features=LABELS),
            ValueError,
            ("y_pred_perturbed", "individual_risk", "sample_params=", "perturbed_predictions"),
        ),
        "a risk above 1": (
            lambda metric=metric: metric(
                LABELS, LABELS, sensitive_features=LABELS, individual_risk=[0, 1, 2]
            ),
            ValueError,
            ("individual_risk", "0", "1"),
        ),
    }
    for metric in (
        discriminative_risk_difference,
        discriminative_risk_ratio,
        discriminative_risk_group_max,
        discriminative_risk_group_min,
    )
}


def marginalizer(estimator=None, **options):
    estimator = forest() if estimator is None else estimator
    return AttributeMarginalizer(estimator, **{"privileged": SEX, **options})


CASES = GROUPED | {
    "AttributeMarginalizer": {
        "unknown weights": (
            lambda: marginalizer(weights="equal").fit(X, Y),
            ValueError,
            ("weights", "empirical", "uniform", "'equal'"),
        ),
        "a sensitive column that is not in X": (
            lambda: marginalizer(privileged={"race": 1}).fit(X, Y),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "model"),
        ),
        "a sensitive feature apart from X": (
            lambda: marginalizer(privileged={"race": 1}).fit(X, Y, sensitive_features=Y),
            ValueError,
            ("'race'", "X", "sensitive_features", "model", "privileged"),
        ),
        "an estimator that should be fitted": (
            lambda: marginalizer(prefit=True).fit(X, Y),
            NotFittedError,
            ("RandomForestClassifier", "not fitted"),
        ),
        "predictions before fit": (
            lambda: marginalizer().predict(X),
            NotFittedError,
            ("AttributeMarginalizer", "not fitted"),
        ),
    },
    "discriminative_risk": {
        "nothing known of perturbed rows": (
            lambda: discriminative_risk(LABELS, LABELS),
            ValueError,
            ("y_pred_perturbed", "individual_risk", "sample_params=", "perturbed_predictions"),
        ),
        "two things known of perturbed rows": (
            lambda: discriminative_risk(
                LABELS, LABELS, y_pred_perturbed=OTHER, individual_risk=[0, 0, 0]
            ),
            ValueError,
            ("y_pred_perturbed", "individual_risk", "sample_params=", "perturbed_predictions"),
        ),
        "too few perturbed predictions": (
            lambda: discriminative_risk(LABELS, LABELS, y_pred_perturbed=[0, 1]),
            ValueError,
            ("y_pred_perturbed", "2", "y_pred has 3"),
        ),
        "an assessment in place of its risks": (
            lambda: discriminative_risk(
                LABELS, LABELS, individual_risk=assess_risk(model, X.iloc[:3], SEX)
            ),
            TypeError,
            ("individual_risk", "RiskAssessment", "individual"),
        ),
        "too few risks": (
            lambda: discriminative_risk(LABELS, LABELS, individual_risk=[0, 1]),
            ValueError,
            ("individual_risk", "2", "y_pred has 3"),
        ),
        "too few weights": (
            lambda: discriminative_risk(
                LABELS, LABELS, y_pred_perturbed=OTHER, sample_weight=[1, 2]
            ),
            ValueError,
            ("sample_weight", "2", "y_pred has 3"),
        ),
        "one prediction": (
            lambda: discriminative_risk(1, 1, y_pred_perturbed=1),
            ValueError,
            ("y_pred", "shape", "()"),
        ),
        "missing predictions": (
            lambda: discriminative_risk(LABELS, [0, 1, None], y_pred_perturbed=OTHER),
            ValueError,
            ("y_pred", "1", "missing", "3"),
        ),
        "words before and numbers after": (
            lambda: discriminative_risk(LABELS, np.array(WORDS), y_pred_perturbed=OTHER),
            ValueError,
            ("y_pred", "<U3", "y_pred_perturbed", "int64", "label"),
        ),
        "a risk below 0": (
            lambda: discriminative_risk(LABELS, LABELS, individual_risk=[-0.1, 0, 0]),
            ValueError,
            ("individual_risk", "0", "1"),
        ),
        "a risk in words": (
            lambda: discriminative_risk(LABELS, LABELS, individual_risk=WORDS),
            ValueError,
            ("individual_risk", "number", "'no'"),
        ),
        "negative weights": (
            lambda: discriminative_risk(
                LABELS, LABELS, y_pred_perturbed=OTHER, sample_weight=[1, 1, -1]
            ),
            ValueError,
            ("sample_weight", "finite"),
        ),
        "weights in words": (
            lambda: discriminative_risk(
                LABELS, LABELS, y_pred_perturbed=OTHER, sample_weight=WORDS
            ),
            ValueError,
            ("sample_weight", "number", "'no'"),
        ),
    },
    "score_shift": {
        "no shifts": (
            lambda: score_shift(LABELS, LABELS),
            ValueError,
            ("individual_shift=", "assess_shift", "sample_params"),
        ),
        "too few shifts": (
            lambda: score_shift(LABELS, LABELS, individual_shift=[0.1]),
            ValueError,
            ("individual_shift", "1", "y_pred has 3"),
        ),
        "an assessment in place of its shifts": (
            lambda: score_shift(
                LABELS, LABELS, individual_shift=assess_shift(lambda X: X["age"] / 2, X, SEX)
            ),
            TypeError,
            ("individual_shift", "ShiftAssessment", "individual"),
        ),
        "words": (
            lambda: score_shift(LABELS, LABELS, individual_shift=WORDS),
            ValueError,
            ("individual_shift", "number", "'no'"),
        ),
    },
    "favorable_to_unfavorable_rate": {
        "words without the favourable one": (
            lambda: favorable_to_unfavorable_rate(
                WORDS, np.array(WORDS), y_pred_perturbed=np.array(WORDS)
            ),
            ValueError,
            ("pos_label", "1", "prediction", "'no'", "'yes'"),
        ),
        "numbers with a favourable word": (
            lambda: favorable_to_unfavorable_rate(
                LABELS, LABELS, y_pred_perturbed=OTHER, pos_label="1"
            ),
            ValueError,
            ("pos_label", "'1'", "prediction", "0, 1"),
        ),
        "words with a favourable float": (
            lambda: favorable_to_unfavorable_rate(
                WORDS,
                np.array(WORDS),
                y_pred_perturbed=np.array(WORDS),
                pos_label=1.0,
            ),
            ValueError,
            ("pos_label", "1.0", "prediction", "'no'", "'yes'"),
        ),
    },
    "unfavorable_to_favorable_rate": {
        "nothing known of perturbed rows": (
            lambda: unfavorable_to_favorable_rate(LABELS, LABELS),
            ValueError,
            ("y_pred_perturbed", "individual_risk", "sample_params=", "perturbed_predictions"),
        ),
        "three classes and a risk": (
            lambda: unfavorable_to_favorable_rate(LABELS, [0, 1, 2], individual_risk=[1, 1, 1]),
            ValueError,
            ("prediction", "0", "1", "2", "individual_risk", "y_pred_perturbed"),
        ),
        "words without the favourable one": (
            lambda: unfavorable_to_favorable_rate(
                WORDS, np.array(WORDS), individual_risk=[0, 0, 1]
            ),
            ValueError,
            ("pos_label", "1", "prediction", "'no'", "'yes'"),
        ),
    },
    "perturbed_predictions": {
        "a model that cannot predict": (
            lambda: perturbed_predictions("model", X, privileged=SEX),
            TypeError,
            ("model", "str", "predict(X)", "function"),
        ),
        "a sensitive column that is not in X": (
            lambda: perturbed_predictions(model, X, privileged={"race": 1}),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "model"),
        ),
        "p of 0": (
            lambda: perturbed_predictions(model, X, privileged=SEX, p=0),
            ValueError,
            ("p", "0", "1"),
        ),
    },
    "dr_metric_frame": {
        "too few labels": (
            lambda: dr_metric_frame(model, X, [0, 1], privileged=SEX),
            ValueError,
            ("y", "2", "X", "12"),
        ),
        "a favourable label that nobody has": (
            lambda: frame(pos_label="yes"),
            ValueError,
            ("pos_label", "'yes'", "label", "0", "1"),
        ),
        "a favourable label of a metric that nobody has": (
            lambda: frame(pos_label=2, metrics={"loses": favorable_to_unfavorable_rate}),
            ValueError,
            ("pos_label", "2", "label", "0", "1"),
        ),
        "a number for a metric": (
            lambda: frame(metrics=5),
            TypeError,
            ("metrics", "name", "5"),
        ),
        "a name for a metric": (
            lambda: frame(metrics={"a": "accuracy"}),
            TypeError,
            ("metrics", "name", "{'a': 'accuracy'}"),
        ),
        "another metric under the name of the risk": (
            lambda: frame(metrics={"discriminative_risk": lambda y_true, y_pred: 0.0}),
            ValueError,
            ("metrics", "'discriminative_risk'", "another name"),
        ),
        "a column that only the sensitive features have": (
            lambda: dr_metric_frame(
                model, X[["age"]], Y, privileged=SEX, sensitive_features=X["sex"]
            ),
            ValueError,
            ("privileged", "'sex'", "'age'", "sensitive_features", "risk 0"),
        ),
        "a negative tolerance": (
            lambda: frame(tolerance=-1),
            ValueError,
            ("tolerance", "0", "-1"),
        ),
        "an unknown method": (
            lambda: frame(method="all"),
            ValueError,
            ("method", "exact", "sample", "'all'"),
        ),
    },
    "risk_scorer": {
        "privileged that is no mapping": (
            lambda: risk_scorer("sex"),
            TypeError,
            ("privileged", "Male", "'sex'"),
        ),
        "p above 1": (
            lambda: risk_scorer(SEX, p=2),
            ValueError,
            ("p", "0", "1", "2"),
        ),
        "an unknown method": (
            lambda: risk_scorer(SEX, method="all"),
            ValueError,
            ("method", "exact", "sample", "'all'"),
        ),
        "a negative tolerance": (
            lambda: risk_scorer(SEX, tolerance=-1),
            ValueError,
            ("tolerance", "0", "-1"),
        ),
        "an unknown way to treat missing values": (
            lambda: risk_scorer(SEX, missing="drop"),
            ValueError,
            ("missing", "error", "keep", "'drop'"),
        ),
        "a column that is not in X": (
            lambda: risk_scorer({"race": 1})(model, X),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "model"),
        ),
    },
    "POAFPruner": {
        "a favourable label that is no class": (
            lambda: poaf_pruner(pos_label="zzz").fit(X, Y),
            ValueError,
            ("pos_label", "0", "1", "'zzz'"),
        ),
        "rows to prune on that are unknown": (
            lambda: poaf_pruner(prune_on="test").fit(X, Y),
            ValueError,
            ("prune_on", "holdout", "all", "train", "'test'"),
        ),
        "no members": (
            lambda: poaf_pruner(max_members=0).fit(X, Y),
            ValueError,
            ("max_members", "1", "0"),
        ),
        "a sensitive column that is not in X": (
            lambda: poaf_pruner(privileged={"race": 1}).fit(X, Y),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "model"),
        ),
        "a sensitive feature apart from X": (
            lambda: poaf_pruner(privileged={"race": 1}).fit(X, Y, sensitive_features=Y),
            ValueError,
            ("'race'", "X", "sensitive_features", "model", "privileged"),
        ),
        "an ensemble that is no vote": (
            lambda: poaf_pruner(GradientBoostingClassifier(n_estimators=1)).fit(X, Y),
            TypeError,
            ("GradientBoostingClassifier", *ENSEMBLES),
        ),
        "too few rows to keep some back": (
            lambda: poaf_pruner(privileged={"sex": 1}).fit(X[:2], [0, 1]),
            ValueError,
            ("n_samples=2", "pruning"),
        ),
        "a promise tested on rows that were fitted on": (
            lambda: poaf_pruner(max_risk=0.5, prune_on="train").fit(X, Y),
            ValueError,
            ("max_risk", "not fitted on", "prune_on='train'", 'prune_on="holdout"'),
        ),
        "a promise above 1": (
            lambda: poaf_pruner(max_risk=1.5).fit(X, Y),
            ValueError,
            ("max_risk", "above 0", "below 1", "1.5"),
        ),
        "a pruner that is not fitted": (
            lambda: poaf_pruner().predict(X),
            NotFittedError,
            ("POAFPruner", "not fitted", "fit"),
        ),
        "the export of a pruner that is not fitted": (
            lambda: poaf_pruner().export(),
            NotFittedError,
            ("POAFPruner", "not fitted", "fit"),
        ),
        "an unknown selection": (
            lambda: poaf_pruner(selection="x").fit(X, Y),
            ValueError,
            ("selection", *SELECTIONS, "'x'"),
        ),
        "negative weights": (
            lambda: poaf_pruner().fit(X, Y, sample_weight=[-1.0] * 12),
            ValueError,
            ("sample_weight", "finite", "-1.0"),
        ),
    },
    "EPAFPruner": {
        "a favourable label that is no class": (
            lambda: EPAFPruner(forest(), privileged=SEX, pos_label="zzz").fit(X, Y),
            ValueError,
            ("pos_label", "0", "1", "'zzz'"),
        ),
        "too many groups": (
            lambda: epaf_pruner(n_groups=9).fit(X, Y),
            ValueError,
            ("n_groups", "1", "4", "9"),
        ),
        "half a member": (
            lambda: epaf_pruner(max_members=1.5).fit(X, Y),
            ValueError,
            ("max_members", "1", "1.5"),
        ),
        "a trade-off above 1": (
            lambda: epaf_pruner(trade_off=3).fit(X, Y),
            ValueError,
            ("trade_off", "0", "1", "3"),
        ),
        "a pruner that is not fitted": (
            lambda: epaf_pruner().predict_proba(X),
            NotFittedError,
            ("EPAFPruner", "not fitted", "fit"),
        ),
    },
    "plot_risk_by_group": {
        "what is no frame": (
            lambda: plot_risk_by_group(X),
            TypeError,
            ("frame", "DataFrame", "MetricFrame"),
        ),
        "an unknown metric": (
            lambda: plot_risk_by_group(frame(), metrics=["f1"]),
            ValueError,
            ("metric", "'f1'", "'discriminative_risk'", "'selection_rate'", "'accuracy'"),
        ),
        "no metric": (
            lambda: plot_risk_by_group(frame(), metrics=[]),
            ValueError,
            ("metric", "'discriminative_risk'", "'selection_rate'", "'accuracy'"),
        ),
    },
    "plot_shift_by_group": {
        "a frame": (
            lambda: plot_shift_by_group(frame()),
            TypeError,
            ("shift", "MetricFrame", "assess_shift"),
        ),
        "an unknown attribute": (
            lambda: plot_shift_by_group(
                assess_shift(lambda X: X["age"] / 2, X, SEX), attribute="race"
            ),
            ValueError,
            ("attribute", "'race'", "'sex'"),
        ),
    },
    "plot_pareto_front": {
        "what is no result": (
            lambda: plot_pareto_front(X),
            TypeError,
            ("result", "DataFrame", "PruningResult", "pruner"),
        ),
        "a pruner that is not fitted": (
            lambda: plot_pareto_front(poaf_pruner()),
            NotFittedError,
            ("POAFPruner", "not fitted", "fit"),
        ),
    },
    "plot_bounds": {
        "what are no bounds": (
            lambda: plot_bounds(X),
            TypeError,
            ("bounds", "DataFrame", "compute_bounds"),
        ),
        "nothing": (
            lambda: plot_bounds([]),
            TypeError,
            ("bounds", "NoneType", "compute_bounds"),
        ),
        "an unknown bound": (
            lambda: plot_bounds(BOUNDS, names=["tightest"]),
            ValueError,
            ("names", "'tightest'", "'margin'", "'first order'", "'C-tandem'"),
        ),
    },
    "plot_comparison": {
        "what is no comparison": (
            lambda: plot_comparison("m"),
            TypeError,
            ("comparison", "str", "compare"),
        ),
        "an unknown attribute": (
            lambda: plot_comparison(comparison(), attribute="race"),
            ValueError,
            ("attribute", "'race'", "'sex'"),
        ),
        "an unknown measure": (
            lambda: plot_comparison(comparison(), measures=["DP"]),
            ValueError,
            ("measure", "'DP'", "'discriminative_risk'", "'disparate_impact'"),
        ),
        "no measure": (
            lambda: plot_comparison(comparison(), measures=[]),
            ValueError,
            ("measure", "'discriminative_risk'", "'disparate_impact'"),
        ),
    },
    "show_dashboard": {
        "models without names": (
            lambda: dashboard([model]),
            TypeError,
            ("models", "forest", "list"),
        ),
        "a sensitive column that is not in X": (
            lambda: dashboard(privileged={"race": 1}),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "model"),
        ),
        "three classes": (
            lambda: dashboard(labels=[0, 1, 2] * 4),
            ValueError,
            ("y_true", "y_pred", "pos_label", "1", "0", "2"),
        ),
        "a favourable label that nobody has": (
            lambda: dashboard(pos_label="yes"),
            ValueError,
            ("y_true", "y_pred", "pos_label", "'yes'", "0", "1"),
        ),
        "too few labels": (
            lambda: dashboard(labels=[0, 1]),
            ValueError,
            ("y", "2", "X", "12"),
        ),
    },
}

EXEMPT = {}
