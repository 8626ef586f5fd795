"""Bad inputs by public name of `dr_adapters`: call, exception, fragments of the message."""

import numpy as np
import pandas as pd
import polars as pl
from dr_adapters import (
    as_estimator,
    as_transformer,
    from_aif360_sklearn,
    groups,
    to_aif360,
    to_aif360_sklearn,
    to_fairlearn,
)
from scipy.sparse import csr_matrix
from sklearn.tree import DecisionTreeClassifier

from aif360_dr.examples import hiring
from dr_core import OneHot, learn_attributes

X = pd.DataFrame({"sex": ["m", "f", "m", "f"], "age": [30, 40, 50, 60]})
Y = ["no", "no", "yes", "yes"]
SEX = {"sex": "m"}


def converted(X=X, y=Y, **options):
    return to_aif360(X, y, **{"privileged": SEX, "favorable_label": "yes", **options})


def indexed(X=X, y=Y, **options):
    return to_aif360_sklearn(X, y, **{"privileged": SEX, **options})


def renamed(dataset):
    dataset.instance_names = [f"row {name}" for name in dataset.instance_names]
    return dataset


RACES = ["race_a", "race_b"]


def one_hot(dropped=None):
    X = pd.DataFrame({"race_a": [1, 0, 0, 1], "race_b": [0, 1, 0, 0]})
    return {"X": X, "privileged": {"race": OneHot(RACES, privileged="race_a", dropped=dropped)}}


def learned():
    return learn_attributes(X, SEX, missing="keep")


CASES = {
    "to_aif360": {
        "a one-hot attribute": (
            lambda: converted(**one_hot()),
            ValueError,
            ("privileged['race']", "OneHot", "idxmax", "'race_a'", "'race_b'", "carried_by"),
        ),
        "a one-hot attribute without a column for one value": (
            lambda: converted(**one_hot("race_c")),
            ValueError,
            ("privileged['race']", "OneHot", "idxmax", "'race_c'", "'race_a'", "'race_b'"),
        ),
        "attributes that were learned": (
            lambda: converted(privileged=learned()),
            TypeError,
            ("privileged", "SensitiveAttributes", "mapping", "missing"),
        ),
        "a list": (
            lambda: converted([[1, 2]]),
            TypeError,
            ("X", "list", "pandas", "polars", "NumPy"),
        ),
        "a lazy frame": (
            lambda: converted(pl.LazyFrame({"sex": ["m", "f"]})),
            TypeError,
            ("X", "LazyFrame", "pandas", "polars", "NumPy"),
        ),
        "a sparse matrix": (
            lambda: converted(csr_matrix((4, 2))),
            TypeError,
            ("X", "sparse", "csr_matrix", "toarray"),
        ),
        "sparse columns": (
            lambda: converted(X.assign(age=pd.arrays.SparseArray([0, 0, 0, 1]))),
            TypeError,
            ("X", "'age'", "sparse", "to_dense"),
        ),
        "a name in place of sensitive values": (
            lambda: converted(sensitive_features="sex"),
            TypeError,
            ("sensitive_features", "'sex'", "X['sex']"),
        ),
        "scores in place of predictions": (
            lambda: converted(y=[0, 0, 1, 1], favorable_label=1, y_pred=[0.1, 0.2, 0.7, 0.9]),
            ValueError,
            ("y_pred", "0.1", "scores="),
        ),
        "missing values to be dropped": (
            lambda: converted(missing="drop"),
            ValueError,
            ("missing", "median", "keep", "'drop'"),
        ),
        "one-hot features of one name": (
            lambda: converted(X.assign(**{"job": "a", "job=a": 1}), one_hot=True),
            ValueError,
            ("'job=a'", "rename"),
        ),
        "an empty X": (
            lambda: converted(X[:0], []),
            ValueError,
            ("X", "empty"),
        ),
        "privileged in words": (
            lambda: converted(privileged="sex"),
            TypeError,
            ("privileged", "Male", "'sex'"),
        ),
        "no privileged": (
            lambda: converted(privileged={}),
            TypeError,
            ("privileged", "Male", "{}"),
        ),
        "a privileged value that is not there": (
            lambda: converted(privileged={"sex": "x"}),
            ValueError,
            ("privileged", "'x'", "'sex'", "'f'", "'m'"),
        ),
        "a sensitive column that is not in X": (
            lambda: converted(privileged={"race": "w"}),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "sensitive_features"),
        ),
        "too few labels": (
            lambda: converted(y=["no"]),
            ValueError,
            ("y", "1", "X", "4"),
        ),
        "missing labels": (
            lambda: converted(y=["no", None, "yes", "yes"]),
            ValueError,
            ("y", "1", "missing", "4"),
        ),
        "three labels": (
            lambda: converted(y=["no", "maybe", "yes", "yes"]),
            ValueError,
            ("y", "'no'", "'maybe'", "'yes'", "favorable_label"),
        ),
        "numbers with a favourable word": (
            lambda: converted(y=[0, 0, 0, 0]),
            ValueError,
            ("favorable_label", "'yes'", "y", "0"),
        ),
        "words with a favourable number": (
            lambda: converted(y=["no"] * 4, favorable_label=1),
            ValueError,
            ("favorable_label", "1", "y", "'no'"),
        ),
        "predictions of a third label": (
            lambda: converted(y_pred=["no"] * 3 + ["?"]),
            ValueError,
            ("y", "'no'", "'yes'", "'?'", "favorable_label"),
        ),
        "too few predictions": (
            lambda: converted(y_pred=["no"]),
            ValueError,
            ("y_pred", "1", "X", "4"),
        ),
        "scores in words": (
            lambda: converted(scores=Y),
            ValueError,
            ("scores", "number", "'no'"),
        ),
        "too few scores": (
            lambda: converted(scores=[0.5]),
            ValueError,
            ("scores", "1", "X", "4"),
        ),
        "negative weights": (
            lambda: converted(sample_weight=[1, 1, 1, -1]),
            ValueError,
            ("sample_weight", "finite", "-1.0", "1.0"),
        ),
        "sensitive features of another length": (
            lambda: converted(sensitive_features=pd.Series(["m", "f"], name="sex")),
            ValueError,
            ("sensitive_features", "2", "X", "4"),
        ),
        "sensitive features of another name": (
            lambda: converted(sensitive_features=pd.DataFrame({"gender": X["sex"]})),
            ValueError,
            ("sensitive_features", "'gender'", "privileged", "'sex'"),
        ),
        "more sensitive features than privileged": (
            lambda: converted(sensitive_features=np.array([["m", "m"]] * 4)),
            ValueError,
            ("sensitive_features", "2", "privileged", "'sex'"),
        ),
        "a missing sensitive value": (
            lambda: converted(X.assign(sex=["m", "f", None, "f"])),
            ValueError,
            ("'sex'", "missing", "1", "4", "fill", "drop", "AIF360"),
        ),
        "columns of one name as text": (
            lambda: converted(X.assign(**{"0": 1}).rename(columns={"age": 0})),
            ValueError,
            ("X", "'0'", "AIF360", "rename"),
        ),
        "cells that cannot be told apart": (
            lambda: converted(X.assign(age=[[1]] * 4)),
            TypeError,
            ("'age'", "[1]", "number", "tuple"),
        ),
    },
    "to_fairlearn": {
        "a frame": (
            lambda: to_fairlearn(X),
            TypeError,
            ("dataset", "DataFrame", "AIF360", "to_aif360"),
        ),
        "rows of other names": (
            lambda: to_fairlearn(renamed(converted())),
            ValueError,
            ("instance_names", "to_aif360", "metadata['dr_adapters']"),
        ),
    },
    "groups": {
        "a frame": (
            lambda: groups(X),
            TypeError,
            ("dataset", "DataFrame", "AIF360", "to_aif360"),
        ),
        "an unknown attribute": (
            lambda: groups(converted(), "race"),
            ValueError,
            ("'race'", "protected", "'sex'"),
        ),
    },
    "to_aif360_sklearn": {
        "a one-hot attribute": (
            lambda: indexed(**one_hot()),
            ValueError,
            ("privileged['race']", "OneHot", "idxmax", "'race_a'", "'race_b'", "carried_by"),
        ),
        "a one-hot attribute without a column for one value": (
            lambda: indexed(**one_hot("race_c")),
            ValueError,
            ("privileged['race']", "OneHot", "idxmax", "'race_c'", "'race_a'", "'race_b'"),
        ),
        "attributes that were learned": (
            lambda: indexed(privileged=learned()),
            TypeError,
            ("privileged", "SensitiveAttributes", "mapping", "missing"),
        ),
        "a list": (
            lambda: indexed([[1, 2]]),
            TypeError,
            ("X", "list", "pandas", "polars", "NumPy"),
        ),
        "too few labels": (
            lambda: indexed(y=["no"]),
            ValueError,
            ("y", "1", "X", "4"),
        ),
        "too few weights": (
            lambda: indexed(sample_weight=[1.0]),
            ValueError,
            ("sample_weight", "1", "X", "4"),
        ),
        "a privileged value that is not there": (
            lambda: indexed(privileged={"sex": "x"}),
            ValueError,
            ("privileged", "'x'", "'sex'", "'f'", "'m'"),
        ),
        "levels of one name": (
            lambda: indexed(X.rename_axis(index="sex"), keep_index=True),
            ValueError,
            ("index", "'sex'", "rename"),
        ),
    },
    "from_aif360_sklearn": {
        "attributes that were learned": (
            lambda: from_aif360_sklearn(*indexed(), privileged=learned()),
            TypeError,
            ("privileged", "SensitiveAttributes", "mapping", "missing"),
        ),
        "an array": (
            lambda: from_aif360_sklearn(np.zeros((2, 2)), pd.Series([0, 1]), privileged=SEX),
            TypeError,
            ("X", "ndarray", "DataFrame", "aif360.sklearn"),
        ),
        "labels in a list": (
            lambda: from_aif360_sklearn(indexed().X, Y, privileged=SEX),
            TypeError,
            ("y", "list", "Series", "aif360.sklearn"),
        ),
        "too few labels": (
            lambda: from_aif360_sklearn(indexed().X, indexed().y[:2], privileged=SEX),
            ValueError,
            ("y", "2", "X", "4"),
        ),
        "a level that is not there": (
            lambda: from_aif360_sklearn(*indexed(), privileged={"race": "w"}),
            ValueError,
            ("X", "index", "'race'", "'sex'"),
        ),
        "privileged in words": (
            lambda: from_aif360_sklearn(*indexed(), privileged="sex"),
            TypeError,
            ("privileged", "Male", "'sex'"),
        ),
    },
    "as_estimator": {
        "what is no algorithm": (
            lambda: as_estimator("tree", converted()),
            TypeError,
            ("algorithm", "str", "AIF360", "predict"),
        ),
        "a frame": (
            lambda: as_estimator(as_transformer(DecisionTreeClassifier()), X),
            TypeError,
            ("dataset", "DataFrame", "AIF360", "to_aif360"),
        ),
        "a dataset from elsewhere": (
            lambda: as_estimator(as_transformer(DecisionTreeClassifier()), hiring()).predict(X),
            ValueError,
            ("dataset", "to_aif360"),
        ),
        "a value that the dataset does not know": (
            lambda: as_estimator(
                as_transformer(DecisionTreeClassifier()).fit(converted()), converted()
            ).predict(X.assign(sex="x")),
            ValueError,
            ("'sex'", "'x'", "'f'", "'m'"),
        ),
        "missing numbers where there were none": (
            lambda: as_estimator(
                as_transformer(DecisionTreeClassifier()).fit(converted()), converted()
            ).predict(X.assign(age=[1.0, np.nan, 2.0, 3.0])),
            ValueError,
            ("'age'", "1", "missing", "fill", "drop"),
        ),
    },
    "as_transformer": {
        "what is no estimator": (
            lambda: as_transformer(len),
            TypeError,
            ("estimator", "builtin_function_or_method", "fit", "predict"),
        )
    },
}

EXEMPT = {"FairlearnData": "a dataclass that to_fairlearn makes; it checks nothing"}
