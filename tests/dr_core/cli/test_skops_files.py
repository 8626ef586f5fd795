"""Pipelines of scikit-learn are loaded from skops files; types that are not listed are refused."""

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from dr_core.cli._models import load_model

PAIR = [("line", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3))]
CLASSIFIERS = [
    LogisticRegression(),
    DecisionTreeClassifier(max_depth=3),
    RandomForestClassifier(n_estimators=3, random_state=0),
    GradientBoostingClassifier(n_estimators=3),
    HistGradientBoostingClassifier(max_iter=3),
    CalibratedClassifierCV(LogisticRegression()),
    MLPClassifier((3,), max_iter=300, tol=1, random_state=0),
    VotingClassifier(PAIR),
    StackingClassifier(PAIR),
]
CATEGORIES = [["sex"], make_column_selector(dtype_include=object)]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    sex = pd.Series(rng.choice(["male", "female"], 120), dtype=object)
    X = pd.DataFrame({"sex": sex, "age": rng.integers(18, 80, 120).astype(float)})
    X.loc[::7, "age"] = np.nan
    X.loc[::9, "sex"] = np.nan
    return X, np.where(rng.random(120) < 0.5, "yes", "no")


def encode(encoder, categories=("sex",)):
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), encoder)
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    return make_column_transformer((words, categories), (numbers, ["age"]))


def save(model, folder):
    path = folder / "model.skops"
    skops.io.dump(model, path)
    return path


def predicts_the_same(model, people, folder):
    X, y = people
    model.fit(X, y)
    loaded = load_model(save(model, folder), trust_pickle=False)
    return (loaded.predict(X) == model.predict(X)).all()


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda found: type(found).__name__)
def test_a_pipeline_with_imputers_is_loaded(people, tmp_path, classifier):
    model = make_pipeline(encode(OneHotEncoder(handle_unknown="ignore")), classifier)
    assert predicts_the_same(model, people, tmp_path)


@pytest.mark.parametrize("categories", CATEGORIES, ids=["names", "selector"])
@pytest.mark.parametrize("encoder", [OrdinalEncoder(), OneHotEncoder(dtype=np.float32)])
def test_encoders_and_selectors_of_columns_are_loaded(people, tmp_path, encoder, categories):
    model = make_pipeline(encode(encoder, categories), LogisticRegression())
    assert predicts_the_same(model, people, tmp_path)


@pytest.mark.parametrize(
    ("step", "found"),
    [
        (SelectKBest(k=1), "f_classif"),
        (GridSearchCV(LogisticRegression(), {"C": [1.0]}), "StratifiedKFold"),
    ],
)
def test_other_types_are_refused_with_what_to_do(people, tmp_path, step, found):
    X, y = people
    model = make_pipeline(encode(OneHotEncoder()), step).fit(X, y)
    with pytest.raises(ValueError, match=rf"{found}.*joblib.*--trust-pickle.*skops\.io\.load"):
        load_model(save(model, tmp_path), trust_pickle=False)
