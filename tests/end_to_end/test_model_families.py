"""Models that practitioners use, each audited as it is; brute force is the oracle of each.

Libraries of the extra `models` (XGBoost, LightGBM, CatBoost) and PyTorch with skorch are tested
where they are installed.
"""

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, ExponentiatedGradient, GridSearch
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.svm import LinearSVC

from dr_core import assess_risk, assess_shift

N = 240
SEXES, RACES = ["female", "male"], ["Asian", "Black", "White"]
PRIVILEGED = {"sex": "male", "race": "White"}
FLOAT_NOISE = 2e-5
"""Shifts of float32 scores that are smaller count as 0."""


def make_data(seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "sex": pd.Categorical(rng.choice(SEXES, N), SEXES),
            "race": pd.Categorical(rng.choice(RACES, N), RACES),
            "age": rng.integers(20, 60, N).astype(float),
        }
    )
    gain = (X["sex"] == "male") * 8 + (X["race"] == "White") * 6
    return X, X["age"] + gain + rng.normal(0, 6, N)


X, PAY = make_data()
Y = (PAY.median() < PAY).astype(int)
TEXT = X.astype({"sex": object, "race": object})
NUMBERS = X.assign(sex=X["sex"].cat.codes, race=X["race"].cat.codes).astype(np.float32)


def one_hot():
    return make_column_transformer(
        (OneHotEncoder(sparse_output=False), make_column_selector(dtype_exclude="number")),
        remainder=StandardScaler(),
    )


def piped(model, encoder=None):
    return make_pipeline(one_hot() if encoder is None else encoder, model).fit(TEXT, Y)


@dataclass(frozen=True)
class Family:
    """A model, the table that it takes, and where its scores and decisions come from."""

    model: object
    table: pd.DataFrame
    score: object = None
    decide: object = None

    def scores(self, X):
        if self.score is not None:
            return np.asarray(self.score(X), dtype=float)
        return np.asarray(self.model.predict_proba(X), dtype=float)[:, 1]

    def decisions(self, X):
        return np.ravel((self.model.predict if self.decide is None else self.decide)(X))


def from_sklearn(make):
    return lambda: Family(piped(make()), TEXT)


def make_forest():
    return RandomForestClassifier(20, random_state=0)


def make_search():
    return GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2)


def make_stack():
    return StackingClassifier([("nb", GaussianNB()), ("forest", make_forest())], cv=2)


def make_vote():
    members = [("a", LogisticRegression()), ("b", make_forest())]
    return VotingClassifier(members, voting="soft")


def make_tuned():
    return TunedThresholdClassifierCV(LogisticRegression(), scoring="f1", cv=2)


def make_target_encoded():
    encoder = TargetEncoder(random_state=0, cv=2)
    columns = make_column_transformer((encoder, ["sex", "race"]), remainder="passthrough")
    return Family(piped(LogisticRegression(max_iter=500), columns), TEXT)


def make_native_boosting():
    model = HistGradientBoostingClassifier(max_iter=20, categorical_features="from_dtype")
    return Family(model.fit(X, Y), X)


def make_svm():
    model = piped(LinearSVC())
    return Family(model, TEXT, score=model.decision_function)


def make_regressor(model):
    model = make_pipeline(one_hot(), model).fit(TEXT, PAY)
    return Family(model, TEXT, score=model.predict)


def make_xgboost():
    model = pytest.importorskip("xgboost").XGBClassifier(
        n_estimators=15, max_depth=3, enable_categorical=True, tree_method="hist", n_jobs=1
    )
    return Family(model.fit(X, Y), X)


def make_xgboost_regressor():
    model = pytest.importorskip("xgboost").XGBRegressor(
        n_estimators=15, max_depth=3, enable_categorical=True, tree_method="hist", n_jobs=1
    )
    return Family(model.fit(X, PAY), X, score=model.predict)


def make_lightgbm():
    model = pytest.importorskip("lightgbm").LGBMClassifier(
        n_estimators=15, min_child_samples=5, verbose=-1, n_jobs=1
    )
    return Family(model.fit(X, Y), X)


def make_catboost():
    model = pytest.importorskip("catboost", exc_type=ImportError).CatBoostClassifier(
        iterations=15,
        depth=3,
        verbose=False,
        cat_features=["sex", "race"],
        thread_count=1,
        allow_writing_files=False,
    )
    return Family(model.fit(TEXT, Y), TEXT)


def make_network():
    skorch = pytest.importorskip("skorch", exc_type=ImportError)
    if find_spec("torch") is None:
        pytest.skip("PyTorch is not installed; skorch needs it")
    import torch

    torch.manual_seed(0)
    layers = torch.nn.Sequential(
        torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 2), torch.nn.Softmax(dim=-1)
    )
    network = skorch.NeuralNetClassifier(
        layers, lr=0.5, max_epochs=10, verbose=0, train_split=None
    )
    network.fit(NUMBERS.to_numpy(copy=True), Y.to_numpy().astype(np.int64))
    return Family(
        network,
        NUMBERS,
        lambda X: network.predict_proba(X.to_numpy(np.float32, copy=True))[:, 1],
        lambda X: network.predict(X.to_numpy(np.float32, copy=True)),
    )


FAMILIES = {
    "logistic regression": from_sklearn(LogisticRegression),
    "forest": from_sklearn(make_forest),
    "calibrated": from_sklearn(lambda: CalibratedClassifierCV(GaussianNB(), cv=2)),
    "stacking": from_sklearn(make_stack),
    "soft vote": from_sklearn(make_vote),
    "grid search": from_sklearn(make_search),
    "tuned threshold": from_sklearn(make_tuned),
    "target encoder": make_target_encoded,
    "support vector machine": make_svm,
    "gradient boosting with categories": make_native_boosting,
    "linear regression": lambda: make_regressor(LinearRegression()),
    "boosted regression": lambda: make_regressor(HistGradientBoostingRegressor(max_iter=20)),
    "XGBoost": make_xgboost,
    "XGBoost regression": make_xgboost_regressor,
    "LightGBM": make_lightgbm,
    "CatBoost": make_catboost,
}


def flip(table, sex, race):
    """The table with everybody's sex and race replaced; categories and types stay."""
    changed = table.copy()
    for name, values in (("sex", sex), ("race", race)):
        new = pd.Series(values, index=table.index)
        changed[name] = (
            pd.Categorical(new, table[name].cat.categories)
            if isinstance(table[name].dtype, pd.CategoricalDtype)
            else new.astype(table[name].dtype)
        )
    return changed


def iter_perturbed_tables(table):
    """Every perturbation of all rows at once: rows take turns through their possible values."""
    sex, race = table["sex"].astype(str).to_numpy(), table["race"].astype(str).to_numpy()
    other_sex = np.where(sex == "male", "female", "male")
    others = [value for value in RACES if value != "White"]
    for target in others:
        new_race = np.where(race == "White", target, "White")
        yield flip(table, other_sex, new_race), np.full(len(table), 1 / len(others))


def brute_force(family, ask):
    """Expected value of a function of f(x) and f(x̃) of each row, without the library."""
    before = ask(family.table)
    return before, [(ask(x), weight) for x, weight in iter_perturbed_tables(family.table)]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_risk_and_shift_are_those_of_brute_force(name):
    family = FAMILIES[name]()
    shift = assess_shift(family.model, family.table, PRIVILEGED)
    before, after = brute_force(family, family.scores)
    sizes = sum(weight * np.abs(scores - before) for scores, weight in after)
    coarse = np.asarray(shift.scores).dtype.itemsize < 8
    assert shift.individual == pytest.approx(sizes, abs=FLOAT_NOISE if coarse else 1e-9)
    if not coarse:
        assert shift.mean == pytest.approx(sizes.mean(), abs=1e-9)
    tolerance = 0.5 if "regression" in name and name != "logistic regression" else None
    if tolerance is None:
        before, after = brute_force(family, family.decisions)
        changed = sum(weight * (decided != before) for decided, weight in after)
    else:
        changed = sum(weight * (np.abs(scores - before) > tolerance) for scores, weight in after)
    risk = assess_risk(family.model, family.table, PRIVILEGED, tolerance=tolerance)
    assert risk.individual == pytest.approx(changed, abs=1e-12)
    assert shift.mean > 0


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_a_raw_booster_is_refused_with_the_remedy(library):
    pytest.importorskip(library)
    model = {"xgboost": make_xgboost, "lightgbm": make_lightgbm}[library]().model
    booster = model.get_booster() if library == "xgboost" else model.booster_
    for assess in (assess_risk, assess_shift):
        with pytest.raises(TypeError, match=r"Booster.*Classifier.*lambda X"):
            assess(booster, X, PRIVILEGED)


def test_a_network_is_audited_on_its_array():
    family = make_network()
    other = NUMBERS.assign(sex=1 - NUMBERS["sex"])
    shift = assess_shift(family.score, NUMBERS, {"sex": 1.0})
    size = np.abs(family.scores(other) - family.scores(NUMBERS))
    assert shift.individual == pytest.approx(size, abs=FLOAT_NOISE)
    changed = family.decisions(other) != family.decisions(NUMBERS)
    risk = assess_risk(family.model, NUMBERS.to_numpy(), {0: 1.0})
    assert risk.individual.tolist() == changed.tolist()
    assert changed.any()


def test_a_model_in_onnx_is_audited_through_a_function():
    runtime = pytest.importorskip("onnxruntime", exc_type=ImportError)
    convert = pytest.importorskip("skl2onnx", exc_type=ImportError)
    model = LogisticRegression().fit(NUMBERS.to_numpy(), Y)
    graph = convert.to_onnx(model, NUMBERS.to_numpy()[:1], options={"zipmap": False})
    session = runtime.InferenceSession(graph.SerializeToString())

    def score(X):
        return session.run(None, {"X": np.ascontiguousarray(X, np.float32)})[1][:, 1]

    shift = assess_shift(score, NUMBERS.to_numpy(), {0: 1.0})
    direct = assess_shift(model, NUMBERS.to_numpy(), {0: 1.0})
    assert shift.individual == pytest.approx(direct.individual, abs=FLOAT_NOISE)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_the_reductions_and_postprocessors_of_fairlearn_are_measured_by_their_distribution():
    table = NUMBERS.astype(float)
    other = table.assign(sex=1 - table["sex"])
    options = {"sensitive_features": table["sex"]}
    reduced = ExponentiatedGradient(LogisticRegression(), DemographicParity(), max_iter=5)
    reduced.fit(table, Y, **options)
    expected = np.abs(reduced._pmf_predict(other) - reduced._pmf_predict(table))[:, 1]
    assert assess_shift(reduced, table, {"sex": 1}).individual == pytest.approx(expected)
    assert assess_risk(reduced, table, {"sex": 1}).individual == pytest.approx(expected)
    adjusted = ThresholdOptimizer(estimator=LogisticRegression(), predict_method="predict_proba")
    adjusted.fit(table, Y, **options)
    one, two = (
        adjusted._pmf_predict(x, sensitive_features=x["sex"])[:, 1] for x in (table, other)
    )
    shift = assess_shift(adjusted, table, {"sex": 1})
    assert shift.individual == pytest.approx(np.abs(two - one))


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
def test_a_grid_of_fairlearn_is_a_classifier_like_others():
    table = NUMBERS.astype(float)
    grid = GridSearch(LogisticRegression(), DemographicParity(), grid_size=5)
    grid.fit(table, Y, sensitive_features=table["sex"])
    other = table.assign(sex=1 - table["sex"])
    changed = grid.predict(other) != grid.predict(table)
    assert assess_risk(grid, table, {"sex": 1}).individual == pytest.approx(changed * 1.0)
