"""What `fairlearn_dr` refuses, by public name: the call, the exception, and its message."""

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError

from dr_core import Votes, compare, compute_bounds
from fairlearn_dr import (
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
    risk_scorer,
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
            "discriminative risk needs y_pred_perturbed or individual_risk, one of them: "
            "pass sample_params={'y_pred_perturbed': perturbed_predictions(model, X, "
            "privileged=...)}.",
        ),
        "a risk above 1": (
            lambda metric=metric: metric(
                LABELS, LABELS, sensitive_features=LABELS, individual_risk=[0, 1, 2]
            ),
            ValueError,
            "individual_risk must lie between 0 and 1: it is a probability.",
        ),
    }
    for metric in (
        discriminative_risk_difference,
        discriminative_risk_ratio,
        discriminative_risk_group_max,
        discriminative_risk_group_min,
    )
}

CASES = GROUPED | {
    "discriminative_risk": {
        "nothing known of perturbed rows": (
            lambda: discriminative_risk(LABELS, LABELS),
            ValueError,
            "discriminative risk needs y_pred_perturbed or individual_risk, one of them: "
            "pass sample_params={'y_pred_perturbed': perturbed_predictions(model, X, "
            "privileged=...)}.",
        ),
        "two things known of perturbed rows": (
            lambda: discriminative_risk(
                LABELS, LABELS, y_pred_perturbed=OTHER, individual_risk=[0, 0, 0]
            ),
            ValueError,
            "discriminative risk needs y_pred_perturbed or individual_risk, one of them: "
            "pass sample_params={'y_pred_perturbed': perturbed_predictions(model, X, "
            "privileged=...)}.",
        ),
        "too few perturbed predictions": (
            lambda: discriminative_risk(LABELS, LABELS, y_pred_perturbed=[0, 1]),
            ValueError,
            "y_pred_perturbed has length 2, but X has 3 rows.",
        ),
        "one prediction": (
            lambda: discriminative_risk(1, 1, y_pred_perturbed=1),
            ValueError,
            "y_pred must have one dimension; it has shape ().",
        ),
        "missing predictions": (
            lambda: discriminative_risk(LABELS, [0, 1, None], y_pred_perturbed=OTHER),
            ValueError,
            "y_pred has 1 missing values in 3 rows.",
        ),
        "words before and numbers after": (
            lambda: discriminative_risk(LABELS, np.array(WORDS), y_pred_perturbed=OTHER),
            ValueError,
            "y_pred is of type <U3, but y_pred_perturbed of type int64; both must hold the "
            "same labels.",
        ),
        "a risk below 0": (
            lambda: discriminative_risk(LABELS, LABELS, individual_risk=[-0.1, 0, 0]),
            ValueError,
            "individual_risk must lie between 0 and 1: it is a probability.",
        ),
        "a risk in words": (
            lambda: discriminative_risk(LABELS, LABELS, individual_risk=WORDS),
            ValueError,
            "individual_risk must be numbers; the first is 'no'.",
        ),
        "negative weights": (
            lambda: discriminative_risk(
                LABELS, LABELS, y_pred_perturbed=OTHER, sample_weight=[1, 1, -1]
            ),
            ValueError,
            "sample_weight must be finite and not negative.",
        ),
        "weights in words": (
            lambda: discriminative_risk(
                LABELS, LABELS, y_pred_perturbed=OTHER, sample_weight=WORDS
            ),
            ValueError,
            "sample_weight must be numbers; the first is 'no'.",
        ),
    },
    "favorable_to_unfavorable_rate": {
        "words without the favourable one": (
            lambda: favorable_to_unfavorable_rate(
                WORDS, np.array(WORDS), y_pred_perturbed=np.array(WORDS)
            ),
            ValueError,
            "pos_label is 1, but predictions are 'no', 'yes'; pass the favourable one as "
            "pos_label.",
        ),
        "numbers with a favourable word": (
            lambda: favorable_to_unfavorable_rate(
                LABELS, LABELS, y_pred_perturbed=OTHER, pos_label="1"
            ),
            ValueError,
            "pos_label is '1', but predictions are 0, 1; pass the favourable one as pos_label.",
        ),
        "words with a favourable float": (
            lambda: favorable_to_unfavorable_rate(
                WORDS,
                np.array(WORDS),
                y_pred_perturbed=np.array(WORDS),
                pos_label=1.0,
            ),
            ValueError,
            "pos_label is 1.0, but predictions are 'no', 'yes'; pass the favourable one as "
            "pos_label.",
        ),
    },
    "unfavorable_to_favorable_rate": {
        "nothing known of perturbed rows": (
            lambda: unfavorable_to_favorable_rate(LABELS, LABELS),
            ValueError,
            "discriminative risk needs y_pred_perturbed or individual_risk, one of them: "
            "pass sample_params={'y_pred_perturbed': perturbed_predictions(model, X, "
            "privileged=...)}.",
        ),
        "three classes and a risk": (
            lambda: unfavorable_to_favorable_rate(LABELS, [0, 1, 2], individual_risk=[1, 1, 1]),
            ValueError,
            "predictions are 0, 2, 1: with more than two classes, individual_risk does not "
            "tell what a prediction becomes. Pass y_pred_perturbed.",
        ),
        "words without the favourable one": (
            lambda: unfavorable_to_favorable_rate(
                WORDS, np.array(WORDS), individual_risk=[0, 0, 1]
            ),
            ValueError,
            "pos_label is 1, but predictions are 'no', 'yes'; pass the favourable one as "
            "pos_label.",
        ),
    },
    "perturbed_predictions": {
        "a model that cannot predict": (
            lambda: perturbed_predictions("model", X, privileged=SEX),
            TypeError,
            "the model is a str; pass an object with predict(X), or a function of X that "
            "returns predictions.",
        ),
        "a sensitive column that is not in X": (
            lambda: perturbed_predictions(model, X, privileged={"race": 1}),
            ValueError,
            "sensitive column 'race' is not in X, which has 'sex', 'age'. A model that "
            "never sees an attribute has discriminative risk 0 by definition; pass X as the"
            " model sees it, with the column that carries the attribute.",
        ),
        "p of 0": (
            lambda: perturbed_predictions(model, X, privileged=SEX, p=0),
            ValueError,
            "p must be greater than 0 and at most 1; it is 0.",
        ),
    },
    "dr_metric_frame": {
        "too few labels": (
            lambda: dr_metric_frame(model, X, [0, 1], privileged=SEX),
            ValueError,
            "y has length 2, but X has 12 rows.",
        ),
        "a favourable label that nobody has": (
            lambda: frame(pos_label="yes"),
            ValueError,
            "pos_label is 'yes', but labels are 0, 1; pass the favourable one as pos_label.",
        ),
        "a number for a metric": (
            lambda: frame(metrics=5),
            TypeError,
            "metrics must be a metric, or map names to metrics; it is 5.",
        ),
        "a name for a metric": (
            lambda: frame(metrics={"a": "accuracy"}),
            TypeError,
            "metrics must be a metric, or map names to metrics; it is {'a': 'accuracy'}.",
        ),
        "an unknown method": (
            lambda: frame(method="all"),
            ValueError,
            'method must be "exact" or "sample"; it is \'all\'.',
        ),
    },
    "risk_scorer": {
        "privileged that is no mapping": (
            lambda: risk_scorer("sex"),
            TypeError,
            "privileged must map each sensitive column to its privileged value, such as "
            '{"sex": "Male"}; it is \'sex\'.',
        ),
        "p above 1": (
            lambda: risk_scorer(SEX, p=2),
            ValueError,
            "p must be greater than 0 and at most 1; it is 2.",
        ),
        "an unknown method": (
            lambda: risk_scorer(SEX, method="all"),
            ValueError,
            'method must be "exact" or "sample"; it is \'all\'.',
        ),
        "an unknown way to treat missing values": (
            lambda: risk_scorer(SEX, missing="drop"),
            ValueError,
            'missing must be "error" or "keep"; it is \'drop\'.',
        ),
        "a column that is not in X": (
            lambda: risk_scorer({"race": 1})(model, X),
            ValueError,
            "sensitive column 'race' is not in X, which has 'sex', 'age'. A model that "
            "never sees an attribute has discriminative risk 0 by definition; pass X as the"
            " model sees it, with the column that carries the attribute.",
        ),
    },
    "POAFPruner": {
        "rows to prune on that are unknown": (
            lambda: poaf_pruner(prune_on="test").fit(X, Y),
            ValueError,
            "prune_on must be 'holdout', 'all', 'train'; it is 'test'.",
        ),
        "no members": (
            lambda: poaf_pruner(max_members=0).fit(X, Y),
            ValueError,
            "max_members must be a whole number, 1 or more; it is 0.",
        ),
        "a sensitive column that is not in X": (
            lambda: poaf_pruner(privileged={"race": 1}).fit(X, Y),
            ValueError,
            "sensitive column 'race' is not in X, which has 'sex', 'age'. A model that "
            "never sees an attribute has discriminative risk 0 by definition; pass X as the"
            " model sees it, with the column that carries the attribute.",
        ),
        "a sensitive feature apart from X": (
            lambda: poaf_pruner(privileged={"race": 1}).fit(X, Y, sensitive_features=Y),
            ValueError,
            "'race' is not a column of X; sensitive_features cannot stand in for it. "
            "Discriminative risk perturbs an attribute in what the model sees: a model that"
            " does not see it has risk 0 by definition. Put the column into X, or name in "
            "privileged the columns of X that carry the attribute.",
        ),
        "an ensemble that is no vote": (
            lambda: poaf_pruner(GradientBoostingClassifier(n_estimators=1)).fit(X, Y),
            TypeError,
            "a GradientBoostingClassifier is not a weighted vote of classifiers. Supported "
            "are RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, "
            "AdaBoostClassifier, VotingClassifier, a Pipeline that ends in one of these, "
            "and a list of fitted classifiers; register others with "
            "dr_core.ensembles.as_ensemble.",
        ),
        "too few rows to keep some back": (
            lambda: poaf_pruner(privileged={"sex": 1}).fit(X[:2], [0, 1]),
            ValueError,
            "n_samples=2 is too few rows to keep some back for pruning.",
        ),
        "a pruner that is not fitted": (
            lambda: poaf_pruner().predict(X),
            NotFittedError,
            "This POAFPruner instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
        ),
        "the export of a pruner that is not fitted": (
            lambda: poaf_pruner().export(),
            NotFittedError,
            "This POAFPruner instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
        ),
        "an unknown selection": (
            lambda: poaf_pruner(selection="x").fit(X, Y),
            ValueError,
            'selection must be "objective", "largest", "min_risk" or a function of the '
            "front; found 'x'.",
        ),
        "negative weights": (
            lambda: poaf_pruner().fit(X, Y, sample_weight=[-1.0] * 12),
            ValueError,
            "sample_weight must be finite and not negative; it ranges from -1.0 to -1.0.",
        ),
    },
    "EPAFPruner": {
        "too many groups": (
            lambda: epaf_pruner(n_groups=9).fit(X, Y),
            ValueError,
            "n_groups must be a whole number from 1 to 4, the number of members with a say;"
            " found 9.",
        ),
        "half a member": (
            lambda: epaf_pruner(max_members=1.5).fit(X, Y),
            ValueError,
            "max_members must be a whole number, 1 or more; it is 1.5.",
        ),
        "a trade-off above 1": (
            lambda: epaf_pruner(trade_off=3).fit(X, Y),
            ValueError,
            "trade_off weighs accuracy and must be in [0, 1]; found 3.",
        ),
        "a pruner that is not fitted": (
            lambda: epaf_pruner().predict_proba(X),
            NotFittedError,
            "This EPAFPruner instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
        ),
    },
    "plot_risk_by_group": {
        "what is no frame": (
            lambda: plot_risk_by_group(X),
            TypeError,
            "frame is a DataFrame; pass a MetricFrame.",
        ),
        "an unknown metric": (
            lambda: plot_risk_by_group(frame(), metrics=["f1"]),
            ValueError,
            "there is no metric 'f1'; there are 'discriminative_risk', 'selection_rate', "
            "'accuracy'.",
        ),
        "no metric": (
            lambda: plot_risk_by_group(frame(), metrics=[]),
            ValueError,
            "there is no metric to draw; there are 'discriminative_risk', 'selection_rate',"
            " 'accuracy'.",
        ),
    },
    "plot_pareto_front": {
        "what is no result": (
            lambda: plot_pareto_front(X),
            TypeError,
            "result is a DataFrame; pass a PruningResult, or a fitted pruner.",
        ),
        "a pruner that is not fitted": (
            lambda: plot_pareto_front(poaf_pruner()),
            NotFittedError,
            "This POAFPruner instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
        ),
    },
    "plot_bounds": {
        "what are no bounds": (
            lambda: plot_bounds(X),
            TypeError,
            "bounds is a DataFrame; pass what dr_core.compute_bounds returns.",
        ),
        "nothing": (
            lambda: plot_bounds([]),
            TypeError,
            "bounds is a NoneType; pass what dr_core.compute_bounds returns.",
        ),
        "an unknown bound": (
            lambda: plot_bounds(BOUNDS, names=["tightest"]),
            ValueError,
            "there is no bound 'tightest'; there are 'margin', 'first order', 'second "
            "order', 'clipped first order', 'clipped second order', 'C-tandem', 'relaxed "
            "first order', 'relaxed second order', 'PAC, one hypothesis', 'PAC, all "
            "weightings' … (13 in all).",
        ),
    },
    "plot_comparison": {
        "what is no comparison": (
            lambda: plot_comparison("m"),
            TypeError,
            "comparison is a str; pass what dr_core.compare returns.",
        ),
        "an unknown attribute": (
            lambda: plot_comparison(comparison(), attribute="race"),
            ValueError,
            "there is no attribute 'race'; there are 'sex'.",
        ),
        "an unknown measure": (
            lambda: plot_comparison(comparison(), measures=["DP"]),
            ValueError,
            "there is no measure 'DP'; there are 'discriminative_risk', "
            "'discriminative_risk_difference', 'demographic_parity', 'equal_opportunity', "
            "'predictive_parity', 'equalized_odds', 'equalized_odds_mean', "
            "'disparate_impact', 'accuracy', 'precision' … (13 in all).",
        ),
        "no measure": (
            lambda: plot_comparison(comparison(), measures=[]),
            ValueError,
            "there is no measure to draw; there are 'discriminative_risk', "
            "'discriminative_risk_difference', 'demographic_parity', 'equal_opportunity', "
            "'predictive_parity', 'equalized_odds', 'equalized_odds_mean', "
            "'disparate_impact', 'accuracy', 'precision' … (13 in all).",
        ),
    },
    "show_dashboard": {
        "models without names": (
            lambda: dashboard([model]),
            TypeError,
            'models must map names to models, such as {"forest": forest}; it is a list.',
        ),
        "a sensitive column that is not in X": (
            lambda: dashboard(privileged={"race": 1}),
            ValueError,
            "sensitive column 'race' is not in X, which has 'sex', 'age'. A model that "
            "never sees an attribute has discriminative risk 0 by definition; pass X as the"
            " model sees it, with the column that carries the attribute.",
        ),
        "three classes": (
            lambda: dashboard(labels=[0, 1, 2] * 4),
            ValueError,
            "the dashboard shows two classes, one of them pos_label=1; labels and "
            "predictions have 0, 1, 2.",
        ),
        "a favourable label that nobody has": (
            lambda: dashboard(pos_label="yes"),
            ValueError,
            "the dashboard shows two classes, one of them pos_label='yes'; labels and "
            "predictions have 0, 1.",
        ),
        "too few labels": (
            lambda: dashboard(labels=[0, 1]),
            ValueError,
            "y has length 2, but X has 12 rows.",
        ),
    },
}

EXEMPT = {}
