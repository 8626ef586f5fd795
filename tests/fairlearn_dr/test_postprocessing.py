import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from textbook.sklearn_versions import adaboost

from dr_core import collect_votes, datasets, poaf
from fairlearn_dr import EPAFPruner, POAFPruner

PRUNERS = [POAFPruner, EPAFPruner]
PRIVILEGED = {"sex": 1, "race": 0}


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            "sex": rng.integers(0, 2, n),
            "race": rng.integers(0, 3, n),
            "score": rng.normal(size=n),
        }
    )


def labels(X, kind="int", n_classes=2):
    raw = X["score"] + 0.8 * X["sex"] - 0.3 * X["race"]
    names = {"int": [10, 20, 30], "str": ["c", "a", "b"]}[kind]
    return np.array(names)[pd.qcut(raw, n_classes, labels=False)]


def tree():
    return DecisionTreeClassifier(max_depth=5, random_state=0)


ENSEMBLES = {
    "forest": lambda: RandomForestClassifier(9, random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(9, random_state=0),
    "bagging": lambda: BaggingClassifier(tree(), 9, max_features=0.8, random_state=0),
    "adaboost": lambda: adaboost(tree(), n_estimators=9, random_state=0),
    "voting": lambda: VotingClassifier(
        [("tree", tree()), ("bayes", GaussianNB()), ("other", tree().set_params(max_depth=2))],
        weights=[1, 2, 1],
    ),
    "pipeline": lambda: make_pipeline(StandardScaler(), RandomForestClassifier(9, random_state=0)),
}


@pytest.mark.parametrize("pruner", PRUNERS)
@pytest.mark.parametrize("name", ENSEMBLES)
@pytest.mark.parametrize("prefit", [False, True])
@pytest.mark.parametrize(("kind", "n_classes"), [("int", 2), ("str", 2), ("str", 3)])
def test_pruners_predict_the_weighted_vote_of_the_members_kept(
    pruner, name, prefit, kind, n_classes
):
    X = rows()
    y = labels(X, kind, n_classes)
    ensemble = ENSEMBLES[name]()
    if prefit:
        ensemble.fit(X, y)
    pruned = pruner(ensemble, privileged=PRIVILEGED, prefit=prefit, random_state=0).fit(X, y)
    votes = collect_votes(pruned.estimator_, X, y, PRIVILEGED)
    kept = votes.subset(pruned.members_)
    assert 1 <= len(pruned.members_) <= (votes.n_members + 1) // 2
    np.testing.assert_array_equal(pruned.predict(X), votes.classes[kept.vote])
    np.testing.assert_allclose(pruned.predict_proba(X), (kept.totals / kept.units.sum()).T)
    np.testing.assert_allclose(pruned.weights_, kept.weights)
    assert pruned.classes_.tolist() == sorted(set(y))
    assert pruned.n_features_in_ == 4
    assert {"members", "error", "risk", "objective"} <= set(pruned.front_.columns)


@pytest.mark.parametrize("pruner", PRUNERS)
def test_pruners_work_on_raw_columns_through_a_pipeline(pruner):
    credit = datasets.load("credit")
    encode = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
        remainder="passthrough",
    )
    model = make_pipeline(encode, RandomForestClassifier(15, random_state=0))
    pruned = pruner(model, privileged=credit.privileged, max_members=5, random_state=0)
    pruned.fit(credit.data, credit.target)
    assert len(pruned.members_) <= 5
    assert list(pruned.feature_names_in_) == list(credit.data.columns)
    assert pruned.score(credit.data, credit.target) > 0.7


@pytest.mark.parametrize("pruner", PRUNERS)
def test_pruners_clone_and_pickle(pruner):
    X = rows()
    y = labels(X)
    pruned = pruner(ENSEMBLES["forest"](), privileged=PRIVILEGED, random_state=0).fit(X, y)
    copy = pickle.loads(pickle.dumps(pruned))
    assert (copy.predict(X) == pruned.predict(X)).all()
    again = clone(pruned).fit(X, y)
    assert (again.members_ == pruned.members_).all()


def test_pruners_nest_in_a_grid_search_and_in_a_pipeline():
    X = rows()
    y = labels(X)
    pruner = POAFPruner(ENSEMBLES["forest"](), privileged=PRIVILEGED, random_state=0)
    search = GridSearchCV(
        pruner, {"trade_off": [0.2, 0.8], "estimator__n_estimators": [4, 8]}, cv=2
    ).fit(X, y)
    assert search.best_estimator_.estimator_.n_estimators in (4, 8)
    whole = make_pipeline(FunctionTransformer(), clone(pruner)).fit(X, y)
    assert whole.predict(X).shape == y.shape


def test_weights_reach_the_ensemble_and_the_vote():
    X = rows()
    y = labels(X)
    weights = np.where(np.arange(len(X)) < 150, 1.0, 0.0)
    weighted = POAFPruner(
        ENSEMBLES["pipeline"](), privileged=PRIVILEGED, prune_on="train", random_state=0
    ).fit(X, y, sample_weight=weights)
    votes = collect_votes(
        weighted.estimator_, X, y, PRIVILEGED, method="exact", sample_weight=weights
    )
    chosen = votes.subset(weighted.members_)
    row = weighted.front_[weighted.front_["members"] == tuple(weighted.members_)].iloc[0]
    assert row["error"] == pytest.approx(chosen.error, abs=1e-12)
    assert row["risk"] == pytest.approx(chosen.risk, abs=1e-12)


def test_pruning_on_all_rows_fits_on_two_thirds_and_judges_on_every_row():
    X = rows()
    y = labels(X)
    options = {"privileged": PRIVILEGED, "random_state": 0}
    pruned = POAFPruner(ENSEMBLES["forest"](), prune_on="all", **options).fit(X, y)
    held_out = POAFPruner(ENSEMBLES["forest"](), prune_on="holdout", **options).fit(X, y)
    votes = collect_votes(pruned.estimator_, X, y, PRIVILEGED, method="exact")
    assert (pruned.estimator_.predict(X) == held_out.estimator_.predict(X)).all()
    assert pruned.result_.error == votes.subset(pruned.members_).error
    assert pruned.result_.risk == votes.subset(pruned.members_).risk


@pytest.mark.parametrize("name", ["forest", "voting", "pipeline"])
def test_the_ensemble_is_fitted_with_the_weights(name):
    X = rows()
    y = labels(X)
    weights = np.random.default_rng(0).integers(0, 5, len(X)).astype(float)
    pruned = POAFPruner(
        ENSEMBLES[name](), privileged=PRIVILEGED, prune_on="train", random_state=0
    ).fit(X, y, sample_weight=weights)
    key = "randomforestclassifier__sample_weight" if name == "pipeline" else "sample_weight"
    expected = ENSEMBLES[name]().fit(X, y, **{key: weights})
    assert (pruned.estimator_.predict(X) == expected.predict(X)).all()
    assert (pruned.estimator_.predict(X) != ENSEMBLES[name]().fit(X, y).predict(X)).any()


def test_two_thirds_of_each_class_are_fitted_on_and_one_third_is_pruned_on():
    X = rows()
    y = np.array(["a"] * 200 + ["b"] * 99 + ["c"])
    seen = {}

    class Watched(RandomForestClassifier):
        def fit(self, X, y, sample_weight=None):
            seen["fit"] = X.index
            return super().fit(X, y, sample_weight)

    pruned = POAFPruner(Watched(5, random_state=0), privileged=PRIVILEGED, random_state=0)
    pruned.fit(X, y)
    counts = pd.Series(y[seen["fit"]]).value_counts().to_dict()
    assert counts == {"a": 133, "b": 66, "c": 1}
    rest = X.index.difference(seen["fit"])
    votes = collect_votes(
        pruned.estimator_, X.loc[rest], y[rest], PRIVILEGED, method="exact"
    ).subset(pruned.members_)
    after = pruned.result_.scores.loc["after"]
    assert after["error"] == pytest.approx(votes.error, abs=1e-12)
    assert after["risk"] == pytest.approx(votes.risk, abs=1e-12)


@pytest.mark.parametrize("prune_on", ["holdout", "all", "train"])
def test_the_estimate_is_on_rows_that_the_ensemble_was_not_fitted_on(prune_on, monkeypatch):
    import fairlearn_dr._postprocessing as module

    unseen, prune = [], module.prune_and_estimate
    monkeypatch.setattr(
        module,
        "prune_and_estimate",
        lambda *a, **k: unseen.append(k["unseen"]) or prune(*a, **k),
    )
    X = rows()
    pruner = EPAFPruner(
        ENSEMBLES["forest"](), privileged=PRIVILEGED, prune_on=prune_on, random_state=0
    ).fit(X, labels(X))
    assert (len(unseen[0]), unseen[0].sum()) == {
        "holdout": (100, 100),
        "all": (300, 100),
        "train": (300, 0),
    }[prune_on]
    assert ("held out" in pruner.result_.scores.index) == (prune_on != "train")


def test_a_risk_is_promised_on_held_out_rows():
    X = rows()
    options = {"privileged": PRIVILEGED, "max_risk": 0.8, "delta": 0.1, "random_state": 0}
    promised = POAFPruner(ENSEMBLES["forest"](), **options).fit(X, labels(X)).result_
    assert (promised.max_risk, promised.delta) == (0.8, 0.1)
    assert promised.scores.at["held out", "risk"] <= 0.8
    with pytest.raises(ValueError, match=r'max_risk .*prune_on="holdout"'):
        POAFPruner(ENSEMBLES["forest"](), prune_on="all", **options).fit(X, labels(X))


def test_a_vote_that_predicts_one_class_for_nearly_everybody_is_flagged():
    X = rows()
    y = labels(X)
    always = [DummyClassifier(strategy="constant", constant=y[0]).fit(X, y)] * 3
    with pytest.warns(UserWarning, match="one class for nearly everybody"):
        pruner = EPAFPruner(always, privileged=PRIVILEGED, prefit=True).fit(X, y)
    assert pruner.result_.predicts_one_class
    assert "one class" in repr(pruner.result_)


def test_gradient_boosting_is_refused_before_it_is_fitted():
    class Watched(GradientBoostingClassifier):
        def fit(self, X, y, sample_weight=None):
            raise AssertionError("fitted")

    X = rows()
    for estimator in (Watched(), make_pipeline(FunctionTransformer(), Watched())):
        with pytest.raises(TypeError, match="Watched is not a weighted vote"):
            POAFPruner(estimator, privileged=PRIVILEGED).fit(X, labels(X))


def test_weights_are_routed_as_metadata():
    X = rows()
    y = labels(X)
    with config_context(enable_metadata_routing=True):
        forest = ENSEMBLES["forest"]().set_fit_request(sample_weight=True)
        pruner = POAFPruner(forest, privileged=PRIVILEGED, random_state=0)
        pruner.set_fit_request(sample_weight=True, sensitive_features=True)
        pruner.set_score_request(sample_weight=False)
        search = GridSearchCV(pruner, {"trade_off": [0.5]}, cv=2)
        search.fit(X, y, sample_weight=np.ones(len(X)), sensitive_features=X["sex"])
    assert search.best_estimator_.members_.size


def test_weights_for_an_ensemble_that_does_not_accept_them_raise_an_error():
    X = rows()
    with pytest.raises(ValueError, match="sample_weight is not accepted by NoWeights"):
        POAFPruner(make_pipeline(NoWeights()), privileged=PRIVILEGED).fit(
            X, labels(X), sample_weight=np.ones(len(X))
        )


class NoWeights(RandomForestClassifier):
    def fit(self, X, y):
        return super().fit(X, y)


def test_a_fitted_ensemble_is_pruned_on_the_rows_given():
    X = rows()
    y = labels(X)
    forest = ENSEMBLES["forest"]().fit(X[:150], y[:150])
    pruner = POAFPruner(
        forest, privileged=PRIVILEGED, prefit=True, max_members=3, random_state=0
    ).fit(X[150:], y[150:])
    votes = collect_votes(forest, X[150:], y[150:], PRIVILEGED, method="exact")
    assert pruner.estimator_ is forest
    best = poaf(votes, 3, random_state=0)
    assert pruner.front_["risk"].min() == best.front["risk"].min()


def test_selection_and_iterations_are_passed_on():
    X = rows()
    y = labels(X)
    shared = {"privileged": PRIVILEGED, "random_state": 0, "n_iter": 20}
    fairest = POAFPruner(
        ENSEMBLES["forest"](), selection=lambda front: len(front) - 1, **shared
    ).fit(X, y)
    assert tuple(fairest.members_) == fairest.front_["members"].iloc[-1]


def passed_on(monkeypatch, name, pruner, **options):
    """Return the options that the pruning function receives."""
    import fairlearn_dr._postprocessing as module

    seen, prune = {}, getattr(module, name)
    monkeypatch.setattr(
        module,
        name,
        lambda votes, size, **given: seen.update(given) or prune(votes, size, **given),
    )
    X = rows()
    pruner(ENSEMBLES["forest"](), privileged=PRIVILEGED, random_state=0, **options).fit(
        X, labels(X)
    )
    return {key: seen[key] for key in options}


def test_parameters_of_the_search_reach_it(monkeypatch):
    options = {"n_iter": 3, "trade_off": 0.7, "selection": "min_risk", "neighbourhood": "paper"}
    options["accuracy_tolerance"] = 0.05
    assert passed_on(monkeypatch, "poaf", POAFPruner, **options) == options


def test_parameters_of_the_greedy_choice_reach_it(monkeypatch):
    options = {"n_groups": 2, "n_jobs": 1, "trade_off": 0.7}
    assert passed_on(monkeypatch, "epaf", EPAFPruner, **options) == options


@pytest.mark.parametrize("pruner", PRUNERS)
def test_pos_label_is_checked_before_the_ensemble_is_fitted(pruner, monkeypatch):
    monkeypatch.setattr(RandomForestClassifier, "fit", lambda *_, **__: pytest.fail("fitted"))
    model = pruner(ENSEMBLES["forest"](), privileged=PRIVILEGED, pos_label="zzz")
    with pytest.raises(ValueError, match=r"pos_label must be .* classes 10, 20; got 'zzz'"):
        model.fit(rows(), labels(rows()))


@pytest.mark.parametrize("pruner", PRUNERS)
def test_pos_label_of_a_fitted_ensemble_must_be_one_of_its_classes(pruner):
    X, y = rows(), labels(rows(), "str")
    model = pruner(ENSEMBLES["forest"]().fit(X, y), privileged=PRIVILEGED, prefit=True)
    with pytest.raises(ValueError, match=r"pos_label must be .* classes 'a', 'c'; got 10"):
        model.set_params(pos_label=10).fit(X, y)


@pytest.mark.parametrize("pruner", PRUNERS)
@pytest.mark.parametrize("pos_label", ["c", "a"])
@pytest.mark.parametrize("privileged", [PRIVILEGED, None])
@pytest.mark.filterwarnings("ignore:privileged is None")
def test_recall_is_that_of_pos_label(pruner, pos_label, privileged):
    X = rows()
    y = labels(X, "str")
    fitted = pruner(
        ENSEMBLES["forest"](), privileged=privileged, pos_label=pos_label, random_state=0
    ).fit(X, y)
    other = pruner(ENSEMBLES["forest"](), privileged=privileged, random_state=0).fit(X, y)
    np.testing.assert_array_equal(fitted.members_, other.members_)
    found, default = fitted.result_.scores, other.result_.scores
    assert (found.columns.name, default.columns.name) == (f"positive: {pos_label}", "positive: c")
    # The mean of both recalls is the balanced accuracy.
    recalls = (
        found["recall"] if pos_label == "c" else 2 * found["balanced_accuracy"] - found["recall"]
    )
    np.testing.assert_allclose(recalls, default["recall"])


def test_a_size_above_that_of_the_ensemble_keeps_what_there_is():
    X = rows()
    pruner = POAFPruner(
        ENSEMBLES["forest"](), privileged=PRIVILEGED, max_members=99, random_state=0
    ).fit(X, labels(X))
    assert len(pruner.members_) <= 9


def test_columns_in_another_order_are_refused():
    X = rows()
    y = labels(X)
    forest = ENSEMBLES["forest"]().fit(X, y)
    pruner = POAFPruner(forest, privileged=PRIVILEGED, prefit=True, random_state=0)
    with pytest.raises(ValueError, match="feature names"):
        pruner.fit(X[X.columns[::-1]], y)
    with pytest.raises(ValueError, match="feature names"):
        pruner.fit(X, y).predict(X[X.columns[::-1]])


def test_labels_the_ensemble_does_not_know_are_refused():
    X = rows()
    forest = ENSEMBLES["forest"]().fit(X, labels(X))
    with pytest.raises(ValueError, match="y has 'x'"):
        POAFPruner(forest, privileged=PRIVILEGED, prefit=True).fit(X, np.full(len(X), "x"))
    with (
        pytest.warns(UserWarning, match="privileged is None"),
        pytest.raises(ValueError, match="y has 11"),
    ):
        POAFPruner(forest, prefit=True).fit(X, np.full(len(X), 11))


def test_missing_sensitive_values_may_be_kept():
    X = rows().astype({"sex": float})
    X.loc[:20, "sex"] = np.nan
    y = labels(rows())
    with pytest.raises(ValueError, match='missing="keep"'):
        POAFPruner(ENSEMBLES["forest"](), privileged=PRIVILEGED).fit(X, y)
    pruner = POAFPruner(
        ENSEMBLES["forest"](), privileged=PRIVILEGED, missing="keep", random_state=0
    )
    assert pruner.fit(X, y).members_.size


def test_lists_of_rows_and_lists_of_classifiers_are_taken():
    X = rows()
    y = labels(X)
    nested = X.to_numpy().tolist()
    pruned = POAFPruner(ENSEMBLES["forest"](), privileged={1: 1}, random_state=0).fit(nested, y)
    assert pruned.predict(nested).shape == y.shape
    members = [tree().fit(X, y), GaussianNB().fit(X, y), tree().set_params(max_depth=2).fit(X, y)]
    kept = POAFPruner(members, privileged=PRIVILEGED, prefit=True, random_state=0).fit(X, y)
    assert kept.predict(X).shape == y.shape
    assert len(kept.export()) == len(kept.members_)


def test_a_random_state_of_the_old_kind_is_taken():
    X = rows()
    pruner = POAFPruner(
        ENSEMBLES["forest"](),
        privileged=PRIVILEGED,
        random_state=np.random.RandomState(0),
        method="sample",
    )
    assert pruner.fit(X, labels(X)).members_.size


EXPORTED = ["adaboost", "voting"]
AVERAGING = ["forest", "extra trees", "bagging", "pipeline"]


@pytest.mark.parametrize("name", EXPORTED)
def test_an_exported_vote_predicts_the_same_without_this_library(name):
    X = rows()
    y = labels(X, "str", 3)
    pruned = POAFPruner(ENSEMBLES[name](), privileged=PRIVILEGED, random_state=0).fit(X, y)
    exported = pruned.export()
    assert type(exported) is type(pruned.estimator_)
    assert (exported.predict(X) == pruned.predict(X)).all()
    assert len(exported.estimators_) == len(pruned.members_)


@pytest.mark.parametrize("name", AVERAGING)
def test_exporting_an_average_warns_that_predictions_may_differ(name):
    X = rows()
    y = labels(X)
    pruned = EPAFPruner(ENSEMBLES[name](), privileged=PRIVILEGED, random_state=0).fit(X, y)
    before = pickle.dumps(pruned.estimator_)
    with pytest.warns(UserWarning, match="probabilities"):
        exported = pruned.export()
    assert type(exported) is type(pruned.estimator_)
    assert (exported.predict(X) == pruned.predict(X)).mean() > 0.9
    assert pickle.dumps(pruned.estimator_) == before


def test_fitted_copies_of_an_exported_ensemble_survive_pickling():
    X = rows()
    y = labels(X)
    pruned = POAFPruner(ENSEMBLES["adaboost"](), privileged=PRIVILEGED, random_state=0).fit(X, y)
    copy = pickle.loads(pickle.dumps(pruned.export()))
    assert (copy.predict(X) == pruned.predict(X)).all()


def test_sensitive_features_that_are_not_columns_raise_an_error():
    X = rows()
    pruner = POAFPruner(ENSEMBLES["forest"](), privileged={"sex": 1})
    with pytest.raises(ValueError, match=r"'sex'.* Add the column to X"):
        pruner.fit(X.drop(columns="sex"), labels(X), sensitive_features=X["sex"])


def test_an_absent_column_is_named_without_sensitive_features_too():
    X = rows()
    with pytest.raises(ValueError, match="'gender' is not in X"):
        POAFPruner(privileged={"gender": 1}).fit(X, labels(X))


def test_without_privileged_a_warning_is_raised_and_the_risk_is_0():
    X = rows()
    with pytest.warns(UserWarning, match="Pass privileged"):
        pruned = POAFPruner(ENSEMBLES["forest"](), random_state=0).fit(X, labels(X))
    assert (pruned.front_["risk"] == 0).all()


BAD = {
    "prune_on": ({"prune_on": "test"}, ValueError, "prune_on must be"),
    "max_members": ({"max_members": 0}, ValueError, "max_members must be"),
    "trade_off": ({"trade_off": 2}, ValueError, "trade_off"),
    "estimator": (
        {"estimator": GradientBoostingClassifier()},
        TypeError,
        "GradientBoostingClassifier",
    ),
    "unfitted": ({"prefit": True}, NotFittedError, "not fitted yet"),
}


@pytest.mark.parametrize("pruner", PRUNERS)
@pytest.mark.parametrize("case", BAD)
def test_bad_parameters_are_named(pruner, case):
    X = rows()
    options, error, message = BAD[case]
    options = {"estimator": ENSEMBLES["forest"](), "privileged": PRIVILEGED} | options
    with pytest.raises(error, match=message):
        pruner(**options).fit(X, labels(X))


def test_the_same_seed_keeps_the_same_members_and_the_global_one_is_left_alone():
    X = rows()
    y = labels(X)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = (
        POAFPruner(ENSEMBLES["forest"](), privileged=PRIVILEGED, random_state=5).fit(X, y).members_
        for _ in range(2)
    )
    assert (first == second).all()
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


def test_missing_values_do_not_dilute_a_promised_risk():
    # Every prediction for the one person in five with a sex depends on it.
    sex = np.resize([1.0, np.nan, 0.0, *[np.nan] * 7], 600)
    X = pd.DataFrame({"sex": sex, "row": np.arange(600)})
    members = [DecisionTreeClassifier(max_depth=1).fit(X, sex == 1)] * 3
    options = {"privileged": {"sex": 1.0}, "missing": "keep", "prefit": True, "random_state": 0}
    with pytest.raises(ValueError, match=r"max_risk=0.5 cannot be promised"):
        POAFPruner(members, max_risk=0.5, **options).fit(X, sex == 1)
    assert POAFPruner(members, **options).fit(X, sex == 1).result_.risk == 1
