"""What `dr_adapters` refuses, by public name: the call, the exception, and its message."""

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
from sklearn.tree import DecisionTreeClassifier

from aif360_dr.examples import hiring

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


CASES = {
    "to_aif360": {
        "a list": (
            lambda: converted([[1, 2]]),
            TypeError,
            "X is a list; pass a pandas or polars DataFrame, or a two-dimensional NumPy array.",
        ),
        "a polars frame": (
            lambda: converted(pl.DataFrame({"sex": ["m", "f"]})),
            TypeError,
            "X is a DataFrame; pass a pandas DataFrame (polars: X.to_pandas()), or a "
            "two-dimensional NumPy array.",
        ),
        "an empty X": (
            lambda: converted(X[:0], []),
            ValueError,
            "X is empty: there is no row to perturb.",
        ),
        "privileged in words": (
            lambda: converted(privileged="sex"),
            TypeError,
            "privileged must map each sensitive column to its privileged value, such as "
            '{"sex": "Male"}; it is \'sex\'.',
        ),
        "no privileged": (
            lambda: converted(privileged={}),
            TypeError,
            "privileged must map each sensitive column to its privileged value, such as "
            '{"sex": "Male"}; it is {}.',
        ),
        "a privileged value that is not there": (
            lambda: converted(privileged={"sex": "x"}),
            ValueError,
            "privileged value 'x' is not in column 'sex', which has 'f', 'm'.",
        ),
        "a sensitive column that is not in X": (
            lambda: converted(privileged={"race": "w"}),
            ValueError,
            "sensitive column 'race' is not in X, which has 'sex', 'age'; pass it as "
            "sensitive_features.",
        ),
        "too few labels": (
            lambda: converted(y=["no"]),
            ValueError,
            "y has length 1, but X has 4 rows.",
        ),
        "missing labels": (
            lambda: converted(y=["no", None, "yes", "yes"]),
            ValueError,
            "y has 1 missing values in 4 rows.",
        ),
        "three labels": (
            lambda: converted(y=["no", "maybe", "yes", "yes"]),
            ValueError,
            "y has the labels 'no', 'maybe', 'yes': one must be favorable_label, 'yes', and"
            " one other is allowed.",
        ),
        "numbers with a favourable word": (
            lambda: converted(y=[0, 0, 0, 0]),
            ValueError,
            "favorable_label is 'yes', but y has the labels 0.",
        ),
        "words with a favourable number": (
            lambda: converted(y=["no"] * 4, favorable_label=1),
            ValueError,
            "favorable_label is 1, but y has the labels 'no'.",
        ),
        "predictions of a third label": (
            lambda: converted(y_pred=["no"] * 3 + ["?"]),
            ValueError,
            "y has the labels 'no', 'yes', '?': one must be favorable_label, 'yes', and one"
            " other is allowed.",
        ),
        "too few predictions": (
            lambda: converted(y_pred=["no"]),
            ValueError,
            "y_pred has length 1, but X has 4 rows.",
        ),
        "scores in words": (
            lambda: converted(scores=Y),
            ValueError,
            "scores must be numbers; the first is 'no'.",
        ),
        "too few scores": (
            lambda: converted(scores=[0.5]),
            ValueError,
            "scores has length 1, but X has 4 rows.",
        ),
        "negative weights": (
            lambda: converted(sample_weight=[1, 1, 1, -1]),
            ValueError,
            "sample_weight must be finite and not negative; it ranges from -1.0 to 1.0.",
        ),
        "sensitive features of another length": (
            lambda: converted(sensitive_features=pd.Series(["m", "f"], name="sex")),
            ValueError,
            "sensitive_features has length 2, but X has 4 rows.",
        ),
        "sensitive features of another name": (
            lambda: converted(sensitive_features=pd.DataFrame({"gender": X["sex"]})),
            ValueError,
            "sensitive_features has columns 'gender', but privileged names 'sex'; each "
            "needs its privileged value.",
        ),
        "more sensitive features than privileged": (
            lambda: converted(sensitive_features=np.array([["m", "m"]] * 4)),
            ValueError,
            "sensitive_features has 2 columns, but privileged names 'sex'.",
        ),
        "a missing sensitive value": (
            lambda: converted(X.assign(sex=["m", "f", None, "f"])),
            ValueError,
            "sensitive feature 'sex' is missing in 1 of 4 rows. Fill or drop them: AIF360 "
            "takes no missing protected attributes.",
        ),
        "columns of one name as text": (
            lambda: converted(X.assign(**{"0": 1}).rename(columns={"age": 0})),
            ValueError,
            "columns of X have the same name as text: 'sex', '0', '0'. AIF360 names "
            "features by text; rename them.",
        ),
        "cells that cannot be told apart": (
            lambda: converted(X.assign(age=[[1]] * 4)),
            TypeError,
            "column 'age' holds values that cannot be told apart by hashing, such as [1]; "
            "turn them into numbers, words or tuples first.",
        ),
    },
    "to_fairlearn": {
        "a frame": (
            lambda: to_fairlearn(X),
            TypeError,
            "dataset is a DataFrame; pass an AIF360 dataset, such as to_aif360 makes.",
        ),
        "rows of other names": (
            lambda: to_fairlearn(renamed(converted())),
            ValueError,
            "instance_names are not those that to_aif360 gave to the rows; keep them, or "
            "drop metadata['dr_adapters'] to convert the dataset as it is.",
        ),
    },
    "groups": {
        "a frame": (
            lambda: groups(X),
            TypeError,
            "dataset is a DataFrame; pass an AIF360 dataset, such as to_aif360 makes.",
        ),
        "an unknown attribute": (
            lambda: groups(converted(), "race"),
            ValueError,
            "'race' is not a protected attribute; there are 'sex'.",
        ),
    },
    "to_aif360_sklearn": {
        "a list": (
            lambda: indexed([[1, 2]]),
            TypeError,
            "X is a list; pass a pandas or polars DataFrame, or a two-dimensional NumPy array.",
        ),
        "too few labels": (
            lambda: indexed(y=["no"]),
            ValueError,
            "y has length 1, but X has 4 rows.",
        ),
        "too few weights": (
            lambda: indexed(sample_weight=[1.0]),
            ValueError,
            "sample_weight has length 1, but X has 4 rows.",
        ),
        "a privileged value that is not there": (
            lambda: indexed(privileged={"sex": "x"}),
            ValueError,
            "privileged value 'x' is not in column 'sex', which has 'f', 'm'.",
        ),
        "levels of one name": (
            lambda: indexed(X.rename_axis(index="sex"), keep_index=True),
            ValueError,
            "levels of the index would share a name: 'sex', 'sex'; rename them.",
        ),
    },
    "from_aif360_sklearn": {
        "an array": (
            lambda: from_aif360_sklearn(np.zeros((2, 2)), pd.Series([0, 1]), privileged=SEX),
            TypeError,
            "X is a ndarray; pass the DataFrame of aif360.sklearn.",
        ),
        "labels in a list": (
            lambda: from_aif360_sklearn(indexed().X, Y, privileged=SEX),
            TypeError,
            "y is a list; pass the Series of aif360.sklearn.",
        ),
        "too few labels": (
            lambda: from_aif360_sklearn(indexed().X, indexed().y[:2], privileged=SEX),
            ValueError,
            "y has length 2, but X has 4 rows.",
        ),
        "a level that is not there": (
            lambda: from_aif360_sklearn(*indexed(), privileged={"race": "w"}),
            ValueError,
            "the index of X has no level 'race'; its levels are 'sex'.",
        ),
        "privileged in words": (
            lambda: from_aif360_sklearn(*indexed(), privileged="sex"),
            TypeError,
            "privileged must map each sensitive column to its privileged value, such as "
            '{"sex": "Male"}; it is \'sex\'.',
        ),
    },
    "as_estimator": {
        "what is no algorithm": (
            lambda: as_estimator("tree", converted()),
            TypeError,
            "algorithm is a str; pass an AIF360 algorithm with predict.",
        ),
        "a frame": (
            lambda: as_estimator(as_transformer(DecisionTreeClassifier()), X),
            TypeError,
            "dataset is a DataFrame; pass an AIF360 dataset, such as to_aif360 makes.",
        ),
        "a dataset from elsewhere": (
            lambda: as_estimator(as_transformer(DecisionTreeClassifier()), hiring()).predict(X),
            ValueError,
            "the dataset must be one that to_aif360 made.",
        ),
        "a value that the dataset does not know": (
            lambda: as_estimator(
                as_transformer(DecisionTreeClassifier()).fit(converted()), converted()
            ).predict(X.assign(sex="x")),
            ValueError,
            "column 'sex' has 'x', which is not among the known values 'f', 'm'.",
        ),
        "missing numbers where there were none": (
            lambda: as_estimator(
                as_transformer(DecisionTreeClassifier()).fit(converted()), converted()
            ).predict(X.assign(age=[1.0, np.nan, 2.0, 3.0])),
            ValueError,
            "column 'age' has 1 missing values, and had none where its coding was learned. "
            "Fill or drop them.",
        ),
    },
    "as_transformer": {
        "what is no estimator": (
            lambda: as_transformer(len),
            TypeError,
            "estimator is a builtin_function_or_method; pass one with fit and predict.",
        )
    },
}

EXEMPT = {"FairlearnData": "a dataclass that to_fairlearn makes; it checks nothing"}
