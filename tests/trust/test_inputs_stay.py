"""Nothing that is passed to a public function is any different afterwards."""

from importlib import import_module

import dr_adapters
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from snapshots import snapshot

import aif360_dr
import dr_core
import dr_integrations
import fairlearn_dr
from aif360_dr.examples import hiring
from aif360_dr.sklearn import discriminative_risk, discriminative_risk_scorer

X = pd.DataFrame(
    {"sex": [0.0, 1.0] * 8, "race": ["w", "b", "a", "w"] * 4, "age": range(16)},
    index=[f"row {i}" for i in range(16)],
)
NUMBERS = X.drop(columns="race")
Y = pd.Series([0, 1, 1, 0] * 4, index=X.index, name="hired")
WEIGHTS = np.arange(1.0, 17.0)
PEOPLE = np.arange(16) // 2
BOTH, SEX = {"sex": 1.0, "race": ["w", "a"]}, {"sex": 1.0}
DOMAIN = {"race": ["w", "b", "a", "o"]}
VOTES = dr_core.Votes(
    [[0, 1, 1], [0, 1, 1], [0, 0, 1]], [[0, 1, 1], [1, 1, 1], [0, 0, 0]], [0, 1, 1], [1, 2, 4]
)
PREDICTED, CHANGED = np.array([0, 1, 1, 0]), np.array([0, 1, 0, 0])
GROUPS, RISKS = np.array(["a", "a", "b", "b"]), np.array([0.0, 0.5, 1.0, 0.0])
MEN, WOMEN = [{"sex": 1.0}], [{"sex": 0.0}]


def rule(X):
    return (X["age"] > 5 + 5 * (X["sex"] == 1)).astype(int)


def forest():
    return RandomForestClassifier(n_estimators=5, random_state=0).fit(NUMBERS, Y)


def forest_of_dataset():
    dataset = hiring()
    return RandomForestClassifier(n_estimators=5, random_state=0).fit(
        dataset.features, dataset.labels.ravel()
    )


def metric():
    return aif360_dr.DiscriminativeRiskMetric.from_estimator(
        forest_of_dataset(), hiring(), WOMEN, MEN
    )


def frame():
    return fairlearn_dr.dr_metric_frame(rule, NUMBERS, Y, privileged=SEX)


def indexed():
    return dr_adapters.to_aif360_sklearn(X, Y, privileged=BOTH, sample_weight=WEIGHTS)


def explained(explainer):
    return lambda metric: explainer(metric).discriminative_risk()


def fitted(pruner):
    def use(estimator, privileged, X, Y, weights):
        pruner(estimator, privileged=privileged, prefit=True).fit(X, Y, sample_weight=weights)

    return use


def pruned(pruning):
    return lambda estimator, dataset: pruning(estimator, WOMEN, MEN, seed=0).fit_predict(dataset)


def fit_and_predict(transformer):
    def use(estimator, dataset):
        transformer(estimator).fit(dataset).predict(dataset)

    return use


def grouped(metric):
    return lambda *arrays: metric(
        *arrays[:2], sensitive_features=arrays[2], individual_risk=arrays[3]
    )


def changing(metric):
    return lambda *arrays: metric(*arrays[:2], y_pred_perturbed=arrays[2], sample_weight=RISKS + 1)


CALLS = {
    "dr_core": {
        "OneHot": (
            lambda one_hot, X: dr_core.perturb(X, {"s": one_hot}),
            dr_core.OneHot(["a", "b"], ["a"]),
            pd.DataFrame({"a": [1, 0], "b": [0, 1]}),
        ),
        "Predictions": (
            lambda predictions, *rest: dr_core.compare({"m": predictions}, *rest),
            dr_core.Predictions(Y, {"sex": 1 - Y}),
            NUMBERS,
            Y,
            SEX,
        ),
        "RandomizedModel": (
            lambda model, *rest: dr_core.assess_risk(model, *rest),
            dr_core.RandomizedModel(lambda X: np.full((len(X), 2), 0.5), [0, 1]),
            NUMBERS,
            SEX,
        ),
        "SensitiveAttributes": (dr_core.perturb, X, dr_core.learn_attributes(X, BOTH)),
        "Votes": (dr_core.Votes, PREDICTED[None], CHANGED[None], PREDICTED, [2.0], RISKS + 1),
        "assess_risk": (
            lambda *given: dr_core.assess_risk(
                rule,
                given[0],
                dr_core.learn_attributes(*given[:2], domain=given[2]),
                y=given[3],
                sample_weight=given[4],
                person=given[5],
            ),
            X,
            BOTH,
            DOMAIN,
            Y,
            WEIGHTS,
            PEOPLE,
        ),
        "assess_shift": (
            lambda *given: dr_core.assess_shift(
                lambda X: X["age"] + 0.5 * X["sex"],
                given[0],
                given[1],
                sample_weight=given[2],
                person=given[3],
                threshold=8,
            ).find_most_affected(),
            X,
            BOTH,
            WEIGHTS,
            PEOPLE,
        ),
        "collect_votes": (
            lambda *given: dr_core.collect_votes(*given[:4], sample_weight=given[4]),
            forest(),
            NUMBERS,
            Y,
            SEX,
            WEIGHTS,
        ),
        "compare": (
            lambda *given: dr_core.compare(
                {"m": given[0], "r": rule},
                *given[1:4],
                sample_weight=given[4],
                person=given[5],
                n_boot=5,
                individuals=2,
                ensembles=True,
            ).to_html(),
            forest(),
            NUMBERS,
            Y,
            SEX,
            WEIGHTS,
            PEOPLE,
        ),
        "compute_bounds": (dr_core.compute_bounds, VOTES),
        "datasets": (dr_core.datasets.binarize, dr_core.datasets.load("ricci")),
        "enumerate_perturbations": (dr_core.enumerate_perturbations, X, BOTH),
        "epaf": (lambda votes: dr_core.epaf(votes, 2, n_groups=2, random_state=0), VOTES),
        "exhaustive_front": (dr_core.exhaustive_front, VOTES),
        "Ensemble": (lambda members: dr_core.Ensemble(members, np.array([0, 1])), [forest()]),
        "as_ensemble": (dr_core.as_ensemble, forest()),
        "export": (
            dr_core.export,
            forest(),
            np.array([0, 2]),
        ),
        "at_least": (lambda X, low: dr_core.perturb(X, {"age": dr_core.at_least(low)}), X, 5),
        "at_most": (lambda X, high: dr_core.perturb(X, {"age": dr_core.at_most(high)}), X, 5),
        "between": (
            lambda X, ends: dr_core.perturb(X, {"age": dr_core.between(*ends)}),
            X,
            [3, 8],
        ),
        "learn_attributes": (
            lambda *given: dr_core.learn_attributes(*given[:2], domain=given[2]),
            X,
            BOTH,
            DOMAIN,
        ),
        "marginalize": (
            lambda *given: dr_core.marginalize(*given[:3], sample_weight=given[3]).predict(
                given[1]
            ),
            forest(),
            NUMBERS,
            SEX,
            WEIGHTS,
        ),
        "perturb": (lambda *given: dr_core.perturb(*given, random_state=0), X, BOTH),
        "suggest_couplings": (dr_core.suggest_couplings, X, BOTH),
        "poaf": (lambda votes: dr_core.poaf(votes, 2, n_iter=0, random_state=0), VOTES),
        "ParetoFrontDisplay": (
            lambda result, votes: dr_core.ParetoFrontDisplay.from_result(result, votes=votes),
            dr_core.epaf(VOTES, 2),
            VOTES,
        ),
        "RiskDisplay": (
            lambda *given: dr_core.RiskDisplay.from_estimator(*given[:3], sample_weight=given[3]),
            rule,
            X,
            BOTH,
            WEIGHTS,
        ),
    },
    "dr_integrations": {
        "RiskEvaluator": (
            lambda config, dataset: dr_integrations.RiskEvaluator.can_evaluate(
                model_type="classifier", evaluator_config=config
            ),
            {"privileged": SEX, "n_boot": 5},
            NUMBERS,
        ),
        "add_to_card": (
            lambda card, comparison: dr_integrations.add_to_card(card, comparison),
            "# Card",
            dr_core.compare({"m": rule}, NUMBERS, Y, SEX),
        ),
    },
    "fairlearn_dr": {
        "AttributeMarginalizer": (
            fitted(fairlearn_dr.AttributeMarginalizer),
            forest(),
            SEX,
            NUMBERS,
            Y,
            WEIGHTS,
        ),
        "EPAFPruner": (fitted(fairlearn_dr.EPAFPruner), forest(), SEX, NUMBERS, Y, WEIGHTS),
        "POAFPruner": (fitted(fairlearn_dr.POAFPruner), forest(), SEX, NUMBERS, Y, WEIGHTS),
        **{
            f"discriminative_risk_{name}": (
                grouped(getattr(fairlearn_dr, f"discriminative_risk_{name}")),
                PREDICTED,
                PREDICTED,
                GROUPS,
                RISKS,
            )
            for name in ("difference", "ratio", "group_max", "group_min")
        },
        **{
            name: (changing(getattr(fairlearn_dr, name)), PREDICTED, PREDICTED, CHANGED)
            for name in (
                "discriminative_risk",
                "favorable_to_unfavorable_rate",
                "unfavorable_to_favorable_rate",
            )
        },
        "dr_metric_frame": (
            lambda *given: fairlearn_dr.dr_metric_frame(
                rule, *given[:2], privileged=given[2], sample_weight=given[3]
            ),
            NUMBERS,
            Y,
            SEX,
            WEIGHTS,
        ),
        "perturbed_predictions": (
            lambda X, privileged: fairlearn_dr.perturbed_predictions(
                rule, X, privileged=privileged, random_state=0
            ),
            X,
            BOTH,
        ),
        "score_shift": (
            lambda *given: fairlearn_dr.score_shift(*given[:2], individual_shift=given[2]),
            PREDICTED,
            PREDICTED,
            RISKS,
        ),
        "plot_shift_by_group": (
            fairlearn_dr.plot_shift_by_group,
            dr_core.assess_shift(lambda X: X["age"] / 2 + X["sex"], NUMBERS, SEX),
        ),
        "plot_bounds": (fairlearn_dr.plot_bounds, dr_core.compute_bounds(VOTES)),
        "plot_comparison": (
            fairlearn_dr.plot_comparison,
            dr_core.compare({"m": rule}, NUMBERS, Y, SEX),
        ),
        "plot_pareto_front": (fairlearn_dr.plot_pareto_front, dr_core.epaf(VOTES, 2), VOTES),
        "plot_risk_by_group": (
            lambda frame: fairlearn_dr.plot_risk_by_group(frame) and frame.by_group,
            frame(),
        ),
        "risk_scorer": (
            lambda privileged, *rest: fairlearn_dr.risk_scorer(privileged)(*rest),
            SEX,
            forest(),
            NUMBERS,
        ),
    },
    "aif360_dr.sklearn": {
        "discriminative_risk": (
            lambda X, weights, carried: discriminative_risk(
                rule,
                X,
                prot_attr=["sex", "race"],
                priv_group=(1.0, ["w", "a"]),
                carried_by=carried,
                sample_weight=weights,
            ),
            indexed().X,
            WEIGHTS,
            {"sex": ["sex"]},
        ),
        "discriminative_risk_scorer": (
            lambda X, Y: discriminative_risk_scorer(prot_attr="sex", priv_group=1.0)(rule, X, Y),
            indexed().X,
            indexed().y,
        ),
    },
    "aif360_dr": {
        "Chain": (
            lambda scaler, forest, dataset: (
                aif360_dr.Chain(scaler, forest).fit(dataset).predict(dataset)
            ),
            StandardScaler(),
            forest_of_dataset(),
            hiring(),
        ),
        "DRJSONExplainer": (explained(aif360_dr.DRJSONExplainer), metric()),
        "DRTextExplainer": (explained(aif360_dr.DRTextExplainer), metric()),
        "DiscriminativeRiskMetric": (
            lambda *given: aif360_dr.DiscriminativeRiskMetric.from_estimator(
                *given
            ).discriminative_risk_difference(),
            forest_of_dataset(),
            hiring(),
            WOMEN,
            MEN,
        ),
        "EPAFPruning": (pruned(aif360_dr.EPAFPruning), forest_of_dataset(), hiring()),
        "EstimatorTransformer": (
            fit_and_predict(aif360_dr.EstimatorTransformer),
            DecisionTreeClassifier(random_state=0),
            hiring(),
        ),
        "AttributeMarginalization": (
            lambda estimator, dataset: aif360_dr.AttributeMarginalization(
                estimator, WOMEN, MEN
            ).fit_predict(dataset),
            forest_of_dataset(),
            hiring(),
        ),
        "POAFPruning": (pruned(aif360_dr.POAFPruning), forest_of_dataset(), hiring()),
        "perturb_dataset": (
            lambda dataset, groups: aif360_dr.perturb_dataset(dataset, groups, seed=0),
            hiring(),
            [{"sex": 1.0, "race": 1.0}],
        ),
    },
    "dr_adapters": {
        "as_estimator": (
            lambda dataset, X, Y: (
                dr_adapters.as_estimator(
                    dr_adapters.as_transformer(DecisionTreeClassifier(random_state=0)), dataset
                )
                .fit(X, Y)
                .predict(X)
            ),
            dr_adapters.to_aif360(X, Y, privileged=BOTH),
            X,
            Y,
        ),
        "as_transformer": (
            fit_and_predict(dr_adapters.as_transformer),
            DecisionTreeClassifier(random_state=0),
            hiring(),
        ),
        "from_aif360_sklearn": (
            lambda *given: dr_adapters.from_aif360_sklearn(*given[:3], privileged=given[3]),
            *indexed(),
            BOTH,
        ),
        "groups": (dr_adapters.groups, dr_adapters.to_aif360(X, Y, privileged=BOTH)),
        "to_aif360": (
            lambda *given: dr_adapters.to_aif360(
                *given[:2], privileged=given[2], sample_weight=given[3]
            ),
            X,
            Y,
            BOTH,
            WEIGHTS,
        ),
        "to_aif360_sklearn": (
            lambda *given: dr_adapters.to_aif360_sklearn(*given[:2], privileged=given[2]),
            X,
            Y,
            BOTH,
        ),
        "to_fairlearn": (dr_adapters.to_fairlearn, dr_adapters.to_aif360(X, Y, privileged=BOTH)),
    },
}

EXEMPT = {
    "dr_core": {
        "MarginalizedModel",
        "Plausibility",
        "Suggestions",
        "iter_chunks",
        "Comparison",
        "Perturbations",
        "PruningResult",
        "RiskAssessment",
        "ShiftAssessment",
        "LABELS",
        "POSITIONS",
        "chernoff",
        "clopper_pearson",
        "rows_needed",
        "wilson",
    },  # results, constants and functions of numbers
    "dr_adapters": {"FairlearnData"},  # a result
    "fairlearn_dr": {"show_dashboard"},  # with the dashboard's own tests, where raiwidgets is
    "aif360_dr": set(),
    "aif360_dr.sklearn": set(),
    "dr_integrations": set(),
}


@pytest.mark.parametrize("package", CALLS)
def test_every_public_name_is_called(package):
    assert set(CALLS[package]) | EXEMPT[package] == set(import_module(package).__all__)


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, calls in CALLS.items() for name in calls]
)
@pytest.mark.filterwarnings("ignore:undefined", "ignore:the exported ensemble averages")
def test_arguments_hold_afterwards_what_they_held_before(package, name):
    call, *given = CALLS[package][name]
    before = snapshot(given)
    call(*given)
    plt.close("all")
    assert snapshot(given) == before


def test_a_snapshot_sees_one_changed_cell():
    frame = X.copy()
    before = snapshot([frame])
    frame.iloc[3, 2] = 99
    assert snapshot([frame]) != before


def tidy(X):
    """Predict."""
    ages, sexes = (X[:, 0], X[:, 1]) if isinstance(X, np.ndarray) else (X["age"], X["sex"])
    return (np.asarray(ages, dtype=float) > 5 + 5 * np.asarray(sexes, dtype=float)).astype(int)


def vandal(X):
    """Predict, and leave a mess behind."""
    predictions = tidy(X)
    if isinstance(X, np.ndarray):
        X[:] = -1
    elif isinstance(X, pl.DataFrame):
        X.replace_column(0, pl.Series("age", [0] * len(X)))
    else:
        for name in set(X) - {"age", "sex"}:
            X[name].array[0] = X[name].array[-1]
        X.iloc[:, 0] = -1
        X["age"] = 0
        del X["sex"]
    return predictions


TABLES = {
    "pandas": (NUMBERS[["age", "sex"]].astype(float), SEX),
    "pandas' own types": (
        NUMBERS[["age", "sex"]].assign(
            whole=pd.array(range(16), dtype="Int64"),
            letter=pd.Categorical([*"abcd"] * 4),
            day=pd.date_range("2026-01-01", periods=16, tz="UTC"),
            word=pd.array([*"abcd"] * 4, dtype="string"),
        ),
        SEX,
    ),
    "NumPy": (NUMBERS[["age", "sex"]].to_numpy(dtype=float), {1: 1.0}),
    "polars": (pl.DataFrame({"age": NUMBERS["age"].tolist(), "sex": [0.0, 1.0] * 8}), SEX),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.filterwarnings("ignore:undefined")
def test_a_model_that_writes_into_what_it_is_given_does_no_harm(kind):
    table, privileged = TABLES[kind]
    before = snapshot(table)
    found = dr_core.assess_risk(vandal, table, privileged, chunk_size=5)
    assert found.value == dr_core.assess_risk(tidy, table, privileged).value > 0
    dr_core.compare({"m": vandal}, table, Y, privileged)
    fairlearn_dr.perturbed_predictions(vandal, table, privileged=privileged)
    assert snapshot(table) == before


def test_a_model_that_writes_into_the_features_of_a_dataset_does_no_harm():
    dataset = hiring()
    before = snapshot(dataset)

    def spoils(features):
        hires = features[:, 2] > 4
        features[:] = 0
        return hires

    aif360_dr.DiscriminativeRiskMetric.from_estimator(spoils, dataset)
    assert snapshot(dataset) == before
