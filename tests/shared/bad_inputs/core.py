"""Bad inputs by public name of `dr_core`: call, exception, fragments of the message."""

import numpy as np
import pandas as pd
import polars as pl
from sklearn.ensemble import (
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from bad_inputs.allowed import DATASETS, ENSEMBLES, MEASURES, SELECTIONS
from dr_core import (
    Ensemble,
    OneHot,
    ParetoFrontDisplay,
    Predictions,
    RandomizedModel,
    RiskDisplay,
    Votes,
    as_ensemble,
    assess_risk,
    assess_shift,
    at_least,
    at_most,
    between,
    chernoff,
    clopper_pearson,
    collect_votes,
    compare,
    compute_bounds,
    datasets,
    enumerate_perturbations,
    epaf,
    exhaustive_front,
    export,
    iter_chunks,
    learn_attributes,
    marginalize,
    perturb,
    poaf,
    rows_needed,
    suggest_couplings,
    wilson,
)

X = pd.DataFrame({"sex": ["M", "F", "F"], "age": [30, 40, 50]})
NUMBERS = pd.DataFrame({"sex": [0, 1, 0, 1], "age": [20, 30, 40, 50]})
Y = [1, 0, 1]
SEX = {"sex": "M"}
HOT = pd.DataFrame({"a": [1, 0], "b": [0, 1]})
VOTES = Votes([[0, 1], [0, 1], [0, 0]], [[0, 1], [0, 0], [0, 0]], y=[0, 1])


def model(X):
    return (X["age"] > 35).astype(int)


def forest():
    return RandomForestClassifier(n_estimators=3, random_state=0).fit(NUMBERS, [0, 0, 1, 1])


DP, RISK = ["demographic_parity"], ["discriminative_risk"]


def compared(**options):
    return compare({"m": model}, X, Y, SEX, **options)


def risk(**options):
    return assess_risk(model, X, SEX, **options)


def shift(score=lambda X: X["age"] / 2, **options):
    return assess_shift(score, X, SEX, **options)


CASES = {
    "RandomizedModel": {
        "no function": (
            lambda: RandomizedModel([0.5, 0.5], [0, 1]),
            TypeError,
            ("predict_proba", "list", "function of X"),
        ),
        "a class twice": (
            lambda: RandomizedModel(len, [0, 0]),
            ValueError,
            ("classes", "distinct", "0, 0"),
        ),
        "probabilities of another shape": (
            lambda: assess_risk(RandomizedModel(lambda X: np.ones(len(X)), [0, 1]), X, SEX),
            ValueError,
            ("probabilities", "(3,)", "(3, 2)"),
        ),
        "probabilities that do not add up": (
            lambda: assess_risk(RandomizedModel(lambda X: np.ones((len(X), 2)), [0, 1]), X, SEX),
            ValueError,
            ("1.0, 1.0", "add up to 1"),
        ),
        "labels of y that it never predicts": (
            lambda: compare(
                {"m": RandomizedModel(lambda X: np.full((len(X), 2), 0.5), ["a", "b"])}, X, Y, SEX
            ),
            ValueError,
            ("'m'", "'a', 'b'", "0, 1", "same labels"),
        ),
    },
    "at_least": {
        "text": (lambda: at_least("25"), TypeError, ("low", "number", "'25'")),
        "a date": (
            lambda: at_least(pd.Timestamp("1990-01-01")),
            TypeError,
            ("low", "1990", "age in years"),
        ),
    },
    "at_most": {
        "nothing": (lambda: at_most(None), TypeError, ("high", "number", "None")),
        "not a number": (lambda: at_most(np.nan), TypeError, ("high", "number", "nan")),
    },
    "between": {
        "ends in the wrong order": (
            lambda: between(64, 25),
            ValueError,
            ("low", "high", "between(64, 25)"),
        ),
        "unknown ends": (
            lambda: between(25, 64, inclusive="all"),
            ValueError,
            ("inclusive", "both", "'all'"),
        ),
    },
    "marginalize": {
        "unknown weights": (
            lambda: marginalize(lambda X: X["age"] > 30, X, SEX, weights="equal"),
            ValueError,
            ("weights", "empirical", "uniform", "'equal'"),
        ),
        "an unknown response": (
            lambda: marginalize(lambda X: X["age"] > 30, X, SEX, response="score"),
            ValueError,
            ("response", "auto", "predict_proba", "predict", "'score'"),
        ),
        "probabilities of a model without any": (
            lambda: marginalize(lambda X: X["age"] > 30, X, SEX, response="predict_proba"),
            ValueError,
            ("response", "predict_proba", "classes_", '"predict"', '"auto"'),
        ),
        "a class": (
            lambda: marginalize(DecisionTreeClassifier, X, SEX),
            TypeError,
            ("DecisionTreeClassifier", "fitted instance"),
        ),
        "no model": (lambda: marginalize(1, X, SEX), TypeError, ("int", "predict(X)")),
        "a sensitive column that is not in X": (
            lambda: marginalize(lambda X: X["age"] > 30, X, {"race": "w"}),
            ValueError,
            ("'race'", "X", "'sex'", "'age'"),
        ),
        "missing predictions": (
            lambda: marginalize(lambda X: [0.5, None, 1.0], X, SEX),
            ValueError,
            ("1 missing", "3 rows"),
        ),
        "weights that are all 0": (
            lambda: marginalize(lambda X: X["age"] > 30, X, SEX, sample_weight=[0, 0, 0]),
            ValueError,
            ("sample_weight", "non-zero"),
        ),
        "a classifier of several outputs": (
            lambda: marginalize(
                DecisionTreeClassifier().fit(X[["age"]], [[0, 1], [1, 0], [1, 1]]), X, SEX
            ),
            ValueError,
            ("DecisionTreeClassifier", "several outputs", "one"),
        ),
    },
    "learn_attributes": {
        "one number of many": (
            lambda: learn_attributes(pd.DataFrame({"age": range(18, 71)}), {"age": 30}),
            ValueError,
            ("'age'", "53 distinct numbers", "at_least(30)", "domain"),
        ),
        "a range of Python": (
            lambda: learn_attributes(X, {"age": range(25, 36)}),
            ValueError,
            ("range(25, 36)", "'age'", "between(25, 35)"),
        ),
        "a slice": (
            lambda: learn_attributes(X, {"age": slice(25, None)}),
            ValueError,
            ("slice(25, None, None)", "'age'", "at_least(25)"),
        ),
        "a slice with an end": (
            lambda: learn_attributes(X, {"age": slice(None, 35)}),
            ValueError,
            ("slice(None, 35, None)", "'age'", "at_most(35)"),
        ),
        "a slice with two ends": (
            lambda: learn_attributes(X, {"age": slice(25, 35)}),
            ValueError,
            ("slice(25, 35, None)", "'age'", "between(25, 35)"),
        ),
        "a range as on the command line": (
            lambda: learn_attributes(X, {"age": ">=30"}),
            ValueError,
            ("'>=30'", "'age'", "at_least(30)"),
        ),
        "an open range as on the command line": (
            lambda: learn_attributes(X, {"age": "< 30"}),
            ValueError,
            ("'< 30'", "'age'", "lambda value: value < 30"),
        ),
        "a range as on the command line of many numbers": (
            lambda: learn_attributes(pd.DataFrame({"age": range(18, 71)}), {"age": "<=30"}),
            ValueError,
            ("'age'", "53 distinct numbers", "at_most(30)", "domain"),
        ),
        "text for many numbers": (
            lambda: learn_attributes(pd.DataFrame({"age": range(18, 71)}), {"age": "old"}),
            ValueError,
            ("'age'", "53 distinct numbers", "between(low, high)", "domain"),
        ),
        "a range without values": (
            lambda: learn_attributes(X, {"age": at_least(90)}),
            ValueError,
            ("'age'", "at_least(90)", "from 30 to 50", "another range"),
        ),
        "a range of text": (
            lambda: learn_attributes(X, {"sex": at_least(1)}),
            ValueError,
            ("'sex'", "at_least(1)", "'F'", "numbers"),
        ),
        "a range of dates": (
            lambda: learn_attributes(
                pd.DataFrame({"born": pd.date_range("1990-01-01", periods=3)}),
                {"born": at_least(1)},
            ),
            ValueError,
            ("'born'", "1990", "age in years"),
        ),
        "several ranges": (
            lambda: learn_attributes(X, {"age": [at_most(30), at_least(50)]}),
            ValueError,
            ("'age'", "at_most(30)", "function"),
        ),
        "a function that returns no bool": (
            lambda: learn_attributes(X, {"age": lambda age: age}),
            ValueError,
            ("'age'", "30", "neither True nor False"),
        ),
        "no quantiles": (
            lambda: learn_attributes(X, SEX, max_values=0),
            ValueError,
            ("max_values", "at least 1", "0"),
        ),
        "a rule by a function that fails": (
            lambda: learn_attributes(X, SEX, coupled={"age": {"sex": lambda sex: sex}}),
            ValueError,
            ("coupled['age']['sex']", "function", "TypeError"),
        ),
        "an unknown way to treat missing values": (
            lambda: learn_attributes(X, SEX, missing="drop"),
            ValueError,
            ("missing", "error", "keep", "'drop'"),
        ),
        "a way to treat missing values that is no word": (
            lambda: learn_attributes(X, SEX, missing=None),
            ValueError,
            ("missing", "error", "keep", "None"),
        ),
        "privileged that is no mapping": (
            lambda: learn_attributes(X, "sex"),
            TypeError,
            ("privileged", "Male", "'sex'"),
        ),
        "privileged that is empty": (
            lambda: learn_attributes(X, {}),
            TypeError,
            ("privileged", "Male", "{}"),
        ),
        "the reserved name": (
            lambda: learn_attributes(X.rename(columns={"sex": "all"}), {"all": "M"}),
            ValueError,
            ("'all'", "rename"),
        ),
        "a domain that is no mapping": (
            lambda: learn_attributes(X, SEX, domain=["M", "F"]),
            TypeError,
            ("domain", '"sex"', "['M', 'F']"),
        ),
        "a domain in one word": (
            lambda: learn_attributes(X, SEX, domain={"sex": "MF"}),
            TypeError,
            ("domain", '"sex"', "{'sex': 'MF'}"),
        ),
        "a domain that is no list": (
            lambda: learn_attributes(X, SEX, domain={"sex": 2}),
            TypeError,
            ("domain", '"sex"', "{'sex': 2}"),
        ),
        "a domain of another column": (
            lambda: learn_attributes(X, SEX, domain={"Sex": ["M", "F"]}),
            ValueError,
            ("domain", "'Sex'", "sensitive"),
        ),
        "a domain for attributes that have one": (
            lambda: learn_attributes(X, learn_attributes(X, SEX), domain={"sex": ["M", "F"]}),
            ValueError,
            ("domain", "learn_attributes"),
        ),
        "X of an unknown type": (
            lambda: learn_attributes([[1, 2]], {0: 1}),
            TypeError,
            ("X", "list", "pandas", "polars", "NumPy"),
        ),
        "no X": (
            lambda: learn_attributes(None, SEX),
            TypeError,
            ("X", "NoneType", "pandas", "polars", "NumPy"),
        ),
        "an empty X": (
            lambda: learn_attributes(X[:0], SEX),
            ValueError,
            ("X", "empty"),
        ),
        "a vector": (
            lambda: learn_attributes(np.zeros(3), {0: 1}),
            ValueError,
            ("X", "dimension", "1"),
        ),
        "a cube": (
            lambda: learn_attributes(np.zeros((2, 2, 2)), {0: 1}),
            ValueError,
            ("X", "dimension", "3"),
        ),
        "columns of the same name": (
            lambda: learn_attributes(pd.concat([X, X], axis=1), SEX),
            ValueError,
            ("X", "'age'", "'sex'", "rename"),
        ),
    },
    "perturb": {
        "rules that are no mapping": (
            lambda: perturb(X, learn_attributes(X, SEX, coupled=["age"])),
            TypeError,
            ("coupled", "relationship", "['age']"),
        ),
        "a rule for a sensitive column": (
            lambda: perturb(
                X, learn_attributes(X, SEX, coupled={"sex": {"sex": {"F": {"M": "F"}}}})
            ),
            ValueError,
            ("coupled", "cycle", "'sex'"),
        ),
        "a rule for a column that is not in X": (
            lambda: perturb(
                X, learn_attributes(X, SEX, coupled={"title": {"sex": {"F": {"Mr": "Mrs"}}}})
            ),
            ValueError,
            ("coupled", "'title'", "'Mr'", "'title=Mr'", "'title_Mr'", "'sex'", "'age'"),
        ),
        "a rule that makes a list of a value": (
            lambda: perturb(
                X, learn_attributes(X, SEX, coupled={"age": {"sex": {"F": {30: [40]}}}})
            ),
            TypeError,
            ("coupled['age']", "[40]"),
        ),
        "a rule for a value that a column has not": (
            lambda: perturb(
                X, learn_attributes(X, SEX, coupled={"age": {"sex": {"F": {99: 30}}}})
            ),
            ValueError,
            ("coupled", "99", "'age'", "30", "40", "50", "domain="),
        ),
        "a privileged value that is not in the column": (
            lambda: perturb(X, {"sex": "Male"}),
            ValueError,
            ("privileged", "'Male'", "'sex'", "'F'", "'M'"),
        ),
        "a missing privileged value": (
            lambda: perturb(X, {"sex": None}),
            ValueError,
            ("privileged", "None", "'sex'", "'F'", "'M'"),
        ),
        "no privileged value at all": (
            lambda: perturb(X, {"sex": []}),
            ValueError,
            ("privileged", "'sex'", "'F'", "'M'"),
        ),
        "a sensitive column that is not in X": (
            lambda: perturb(X, {"race": "W"}),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "model"),
        ),
        "a position that is not in an array": (
            lambda: perturb(np.zeros((2, 2)), {5: 1}),
            ValueError,
            ("5", "X", "0", "1", "model"),
        ),
        "one single value": (
            lambda: perturb(X[1:], {"sex": "F"}),
            ValueError,
            ("'sex'", "'F'", "domain="),
        ),
        "only privileged values": (
            lambda: perturb(X, {"sex": ["M", "F"]}),
            ValueError,
            ("'sex'", "privileged", "'F'", "'M'"),
        ),
        "too many numbers": (
            lambda: perturb(pd.DataFrame({"age": range(60)}), {"age": 1}),
            ValueError,
            ("'age'", "60", "at_least(1)", "domain="),
        ),
        "missing sensitive values": (
            lambda: perturb(pd.DataFrame({"sex": ["M", "F", None, None]}), SEX),
            ValueError,
            ("'sex'", "missing", "2", "4", "fill", "drop", "missing=", "keep"),
        ),
        "a column without any value": (
            lambda: perturb(pd.DataFrame({"sex": [None, None]}), SEX),
            ValueError,
            ("'sex'", "missing", "all", "2"),
        ),
        "a value outside the given domain": (
            lambda: perturb(X, learn_attributes(X, SEX, domain={"sex": ["M", "D"]})),
            ValueError,
            ("'sex'", "'F'", "'D'", "'M'"),
        ),
        "a category that the column cannot hold": (
            lambda: perturb(
                X.astype({"sex": "category"}),
                learn_attributes(
                    X.astype({"sex": "category"}), SEX, domain={"sex": ["M", "F", "D"]}
                ),
            ),
            ValueError,
            ("'sex'", "'D'", "categories", "'F'", "'M'"),
        ),
        "text too long for an array": (
            lambda: perturb(
                np.array([["M"], ["F"]]),
                learn_attributes(
                    np.array([["M"], ["F"]]), {0: "M"}, domain={0: ["M", "F", "Diverse"]}
                ),
            ),
            ValueError,
            ("column 0", "<U1", "'Diverse'", "'F'", "'M'"),
        ),
        "a number that a column cannot hold": (
            lambda: perturb(
                pd.DataFrame({"a": np.array([1, 2], "int8")}),
                learn_attributes(
                    pd.DataFrame({"a": np.array([1, 2], "int8")}),
                    {"a": 1},
                    domain={"a": [1, 2, 300]},
                ),
            ),
            ValueError,
            ("column 'a'", "int8", "1", "2", "300"),
        ),
        "a number that a polars column cannot hold": (
            lambda: perturb(
                pl.DataFrame({"a": [1, 2]}, schema={"a": pl.Int8}),
                learn_attributes(
                    pl.DataFrame({"a": [1, 2]}, schema={"a": pl.Int8}),
                    {"a": 1},
                    domain={"a": [1, 2, 300]},
                ),
            ),
            ValueError,
            ("column 'a'", "Int8", "1", "2", "300"),
        ),
        "a table without a column learned before": (
            lambda: perturb(X[["age"]], learn_attributes(X, SEX)),
            ValueError,
            ("'sex'", "X", "'age'", "model"),
        ),
        "p of 0": (
            lambda: perturb(X, SEX, p=0),
            ValueError,
            ("p", "0", "1"),
        ),
        "p above 1": (
            lambda: perturb(X, SEX, p=1.1),
            ValueError,
            ("p", "0", "1", "1.1"),
        ),
        "p that is no number": (
            lambda: perturb(X, SEX, p=np.nan),
            ValueError,
            ("p", "0", "1", "nan"),
        ),
        "p in words": (
            lambda: perturb(X, SEX, p="all"),
            ValueError,
            ("p", "0", "1", "'all'"),
        ),
        "a truth value for p": (
            lambda: perturb(X, SEX, p=True),
            ValueError,
            ("p", "0", "1", "True"),
        ),
        "a seed in words": (
            lambda: perturb(X, SEX, random_state="today"),
            ValueError,
            ("random_state", "0", "generator", "None", "'today'"),
        ),
        "a negative seed": (
            lambda: perturb(X, SEX, random_state=-1),
            ValueError,
            ("random_state", "0", "generator", "None", "-1"),
        ),
    },
    "OneHot": {
        "two hot columns in a row": (
            lambda: perturb(HOT.assign(a=1), {"s": OneHot(["a", "b"], "a")}),
            ValueError,
            ("'s'", "1", "'a'", "'b'", "OneHot(", "dropped="),
        ),
        "a one-hot column with other values": (
            lambda: perturb(HOT.assign(a=[1, 2]), {"s": OneHot(["a", "b"], "a")}),
            ValueError,
            ("one-hot", "'a'", "2", "0", "1"),
        ),
        "an absent one-hot column": (
            lambda: perturb(X, {"s": OneHot(["a", "b"], "a")}),
            ValueError,
            ("'a'", "'b'", "X", "'sex'", "'age'", "model"),
        ),
        "a privileged column of another attribute": (
            lambda: perturb(HOT, {"s": OneHot(["a", "b"], "c")}),
            ValueError,
            ("privileged", "'c'", "'s'", "'a'", "'b'"),
        ),
        "no columns": (
            lambda: perturb(HOT, {"s": OneHot([], "a")}),
            ValueError,
            ("privileged", "'a'", "'s'"),
        ),
        "one column": (
            lambda: perturb(HOT, {"s": OneHot(["a"], "a")}),
            ValueError,
            ("'s'", "'a'", "domain="),
        ),
        "a column in two attributes": (
            lambda: perturb(HOT, {"s": OneHot(["a", "b"], "a"), "a": 1}),
            ValueError,
            ("two", "sensitive", "column", "'a'"),
        ),
        "a domain of its own": (
            lambda: perturb(
                HOT,
                learn_attributes(HOT, {"s": OneHot(["a", "b"], "a")}, domain={"s": ["a", "b"]}),
            ),
            ValueError,
            ("domain", "'s'", "sensitive"),
        ),
    },
    "enumerate_perturbations": {
        "p below 0": (
            lambda: enumerate_perturbations(X, SEX, p=-0.5),
            ValueError,
            ("p", "0", "1", "-0.5"),
        ),
        "a privileged value that is not in the column": (
            lambda: enumerate_perturbations(X, {"sex": 1}),
            ValueError,
            ("privileged", "1", "'sex'", "'F'", "'M'"),
        ),
        "missing sensitive values": (
            lambda: enumerate_perturbations(X.assign(sex=["M", "F", None]), SEX),
            ValueError,
            ("'sex'", "missing", "1", "3", "fill", "drop", "missing=", "keep"),
        ),
    },
    "assess_risk": {
        "a table that was not read yet": (
            lambda: assess_risk(model, pl.LazyFrame({"sex": ["M", "F"]}), SEX),
            TypeError,
            ("X", "LazyFrame", "X.collect()", "polars"),
        ),
        "labels that the model does not predict": (
            lambda: assess_risk(model, X, SEX, y=["yes", "no", "yes"]),
            ValueError,
            ("predictions", "0, 1", "'no', 'yes'", "Give y the labels"),
        ),
        "a list of rows": (
            lambda: assess_risk(model, [["M", 30], ["F", 40]], {0: "M"}),
            TypeError,
            ("X", "list of rows", "DataFrame", "array"),
        ),
        "an unknown method": (
            lambda: risk(method="guess"),
            ValueError,
            ("method", "exact", "sample", "'guess'"),
        ),
        "no samples": (
            lambda: risk(method="sample", n_samples=0),
            ValueError,
            ("n_samples", "1", "0"),
        ),
        "half a sample": (
            lambda: risk(method="sample", n_samples=1.5),
            ValueError,
            ("n_samples", "1", "1.5"),
        ),
        "an empty chunk": (
            lambda: risk(chunk_size=0),
            ValueError,
            ("chunk_size", "1", "0"),
        ),
        "a chunk of half a row": (
            lambda: risk(chunk_size=0.5),
            ValueError,
            ("chunk_size", "1", "0.5"),
        ),
        "a negative tolerance": (
            lambda: risk(tolerance=-1),
            ValueError,
            ("tolerance", "finite", "0", "-1"),
        ),
        "a tolerance that is no number": (
            lambda: risk(tolerance=np.nan),
            ValueError,
            ("tolerance", "finite", "0", "nan"),
        ),
        "a tolerance in words": (
            lambda: risk(tolerance="some"),
            ValueError,
            ("tolerance", "finite", "0", "'some'"),
        ),
        "a tolerance for words": (
            lambda: assess_risk(lambda X: X["sex"].to_numpy(str), X, SEX, tolerance=1),
            ValueError,
            ("tolerance", "1", "prediction", "<U1"),
        ),
        "labels that no prediction equals": (
            lambda: risk(y=["1", "0", "1"]),
            ValueError,
            ("model", "0, 1", "'0'", "'1'"),
        ),
        "words for labels of a model that predicts floats": (
            lambda: assess_risk(lambda X: model(X) * 1.0, X, SEX, y=["1", "0", "1"]),
            ValueError,
            ("label", "<U1", "prediction", "float64"),
        ),
        "too few labels": (
            lambda: risk(y=[1, 0]),
            ValueError,
            ("y", "2", "X", "3"),
        ),
        "one label": (
            lambda: risk(y=1),
            ValueError,
            ("y", "shape", "()"),
        ),
        "labels of different lengths": (
            lambda: risk(y=[[1], [1, 0], [0]]),
            ValueError,
            ("y", "array", "lengths"),
        ),
        "several samples of an exact result": (
            lambda: risk(n_samples=5),
            ValueError,
            ("n_samples", "5", 'method="sample"'),
        ),
        "too many perturbations to enumerate": (
            lambda: assess_risk(
                lambda X: X["a"],
                pd.DataFrame({name: list(map(str, range(80))) for name in "abc"}),
                dict.fromkeys("abc", "0"),
            ),
            ValueError,
            ("493,276", "400,000", "method=", "sample"),
        ),
        "too few weights": (
            lambda: risk(sample_weight=[1, 2]),
            ValueError,
            ("sample_weight", "2", "X", "3"),
        ),
        "too few identities": (
            lambda: risk(person=["Ann", "Bob"]),
            ValueError,
            ("person", "2", "X", "3"),
        ),
        "people of two dimensions": (
            lambda: risk(person=[["Ann", "A"], ["Bob", "B"], ["Cy", "C"]]),
            ValueError,
            ("person", "one dimension", "(3, 2)"),
        ),
        "missing identities": (
            lambda: risk(person=["Ann", None, "Bob"]),
            ValueError,
            ("person", "1", "missing", "3"),
        ),
        "people in a column that does not exist": (
            lambda: risk(person="name"),
            ValueError,
            ("person", "'name'", "X has"),
        ),
        "negative weights": (
            lambda: risk(sample_weight=[1, -2, 1]),
            ValueError,
            ("sample_weight", "finite", "-2.0", "1.0"),
        ),
        "infinite weights": (
            lambda: risk(sample_weight=[1, np.inf, 1]),
            ValueError,
            ("sample_weight", "finite", "1.0", "inf"),
        ),
        "missing weights": (
            lambda: risk(sample_weight=[1, np.nan, 1]),
            ValueError,
            ("sample_weight", "1", "missing", "3"),
        ),
        "weights of zero": (
            lambda: risk(sample_weight=[0, 0, 0]),
            ValueError,
            ("sample_weight", "0", "non-zero"),
        ),
        "weights in words": (
            lambda: risk(sample_weight=["a", "b", "c"]),
            ValueError,
            ("sample_weight", "number", "'a'"),
        ),
        "weights in digits": (
            lambda: risk(sample_weight=["1", "2", "3"]),
            ValueError,
            ("sample_weight", "number", "'1'"),
        ),
        "dates for weights": (
            lambda: risk(sample_weight=np.array(["2020-01-01"] * 3, "datetime64[D]")),
            ValueError,
            ("sample_weight", "number", "datetime.date(2020, 1, 1)"),
        ),
        "complex weights": (
            lambda: risk(sample_weight=[1j, 1, 1]),
            ValueError,
            ("sample_weight", "number", "1j"),
        ),
        "too few predictions": (
            lambda: assess_risk(lambda X: [1], X, SEX),
            ValueError,
            ("model", "prediction", "(1,)", "3"),
        ),
        "predictions with several columns": (
            lambda: assess_risk(lambda X: np.zeros((len(X), 2)), X, SEX),
            ValueError,
            ("model", "prediction", "(3, 2)", "3"),
        ),
        "missing predictions": (
            lambda: assess_risk(lambda X: [np.nan] * len(X), X, SEX),
            ValueError,
            ("model", "3", "missing", "prediction"),
        ),
        "a class instead of a model": (
            lambda: assess_risk(Predictions, X, SEX),
            TypeError,
            ("Predictions", "class", "fitted"),
        ),
        "a model that cannot predict": (
            lambda: assess_risk("model", X, SEX),
            TypeError,
            ("model", "str", "predict(X)", "function"),
        ),
        "no model": (
            lambda: assess_risk(None, X, SEX),
            TypeError,
            ("model", "NoneType", "predict(X)", "function"),
        ),
        "a model that is not fitted": (
            lambda: assess_risk(DecisionTreeClassifier(), NUMBERS, {"sex": 1}),
            NotFittedError,
            ("DecisionTreeClassifier", "not fitted", "fit"),
        ),
    },
    "RiskAssessment": {
        "a confidence of 1": (
            lambda: risk().interval(1),
            ValueError,
            ("confidence", "0", "1"),
        ),
        "a confidence in words": (
            lambda: risk().interval("high"),
            ValueError,
            ("confidence", "0", "1", "'high'"),
        ),
        "a confidence of 95": (
            lambda: risk().table(95),
            ValueError,
            ("confidence", "0", "1", "95"),
        ),
        "an unknown interval": (
            lambda: risk().interval(method="wald"),
            ValueError,
            ("method", "clopper-pearson", "wilson", "chernoff", "'wald'"),
        ),
        "attributes that were not perturbed alone": (
            lambda: (
                assess_risk(
                    model, X.assign(b=[1, 0, 0]), {**SEX, "b": 1}, each_attribute=False
                ).by_attribute
            ),
            ValueError,
            ("attribute", "each_attribute=True"),
        ),
        "a level of significance that is none": (
            lambda: risk().plausibility(alpha="3"),
            ValueError,
            ("alpha", "0", "1", "'3'"),
        ),
        "a change from rows of another table": (
            lambda: risk().change_from(assess_risk(model, X.iloc[:2], SEX)),
            ValueError,
            ("other", "same rows", "assess_risk"),
        ),
        "lists to judge plausibility by": (
            lambda: assess_risk(model, X.assign(z=[[1], [2], [3]]), SEX).plausibility(),
            TypeError,
            ("'z'", "'list'", "drop"),
        ),
        "reference data of another type": (
            lambda: assess_risk(model, X.assign(z=[*"abc"]), SEX).plausibility(
                X.loc[[0, 1] * 6].assign(z=range(12))
            ),
            ValueError,
            ("'z'", "reference", "'a'", "'b'", "'c'", "type"),
        ),
    },
    "RiskDisplay": {
        "an unknown kind of bars": (
            lambda: RiskDisplay.from_estimator(model, X, SEX, by="sex"),
            ValueError,
            ("by", "attribute", "group", "'sex'"),
        ),
        "values in place of an assessment": (
            lambda: RiskDisplay.from_assessment(X),
            TypeError,
            ("assessment", "DataFrame", "assess_risk"),
        ),
        "a confidence above 1": (
            lambda: RiskDisplay.from_assessment(risk(), confidence=95),
            ValueError,
            ("confidence", "0", "1", "95"),
        ),
    },
    "ParetoFrontDisplay": {
        "a forest that is no pruner": (
            lambda: ParetoFrontDisplay.from_estimator(forest()),
            TypeError,
            ("estimator", "RandomForestClassifier", "pruner"),
        ),
        "a forest that is not fitted": (
            lambda: ParetoFrontDisplay.from_estimator(RandomForestClassifier()),
            NotFittedError,
            ("RandomForestClassifier", "not fitted", "fit"),
        ),
        "votes in place of a result": (
            lambda: ParetoFrontDisplay.from_result(VOTES),
            TypeError,
            ("result", "Votes", "PruningResult", "pruner"),
        ),
    },
    "assess_shift": {
        "an unknown response": (
            lambda: shift(response="score"),
            ValueError,
            ("response", "auto", "predict_proba", "decision_function", "predict", "'score'"),
        ),
        "a response that the model does not have": (
            lambda: assess_shift(forest(), NUMBERS, {"sex": 1}, response="decision_function"),
            ValueError,
            ("response", "decision_function", "RandomForestClassifier", "function"),
        ),
        "a favourable label of a function": (
            lambda: shift(favorable=1),
            ValueError,
            ("favorable", "1", "classes", "leave"),
        ),
        "a favourable label that is no class": (
            lambda: assess_shift(forest(), NUMBERS, {"sex": 1}, favorable="yes"),
            ValueError,
            ("favorable", "'yes'", "0, 1"),
        ),
        "classes without a favourable one": (
            lambda: assess_shift(
                DecisionTreeClassifier().fit(NUMBERS, [*"abba"]), NUMBERS, {"sex": 1}
            ),
            ValueError,
            ("favorable=", "'a'", "'b'"),
        ),
        "decisions in place of scores": (
            lambda: shift(lambda X: X["age"] > 35),
            ValueError,
            ("classes", "scores", "assess_risk", "function"),
        ),
        "words in place of scores": (
            lambda: shift(lambda X: X["sex"].to_numpy(str)),
            ValueError,
            ("classes", "scores", "'M'", "assess_risk"),
        ),
        "infinite scores": (
            lambda: shift(lambda X: X["age"] / 0),
            ValueError,
            ("inf", "finite", "clip"),
        ),
        "missing scores": (
            lambda: shift(lambda X: [np.nan] * len(X)),
            ValueError,
            ("3", "missing"),
        ),
        "scores of all classes": (
            lambda: shift(lambda X: np.zeros((len(X), 2))),
            ValueError,
            ("(3, 2)", "3", "one prediction per row"),
        ),
        "a threshold in words": (
            lambda: shift(threshold="half"),
            ValueError,
            ("threshold", "number", "'half'"),
        ),
        "a threshold and a tolerance": (
            lambda: shift(threshold=1, tolerance=1),
            ValueError,
            ("threshold", "tolerance", "one of them"),
        ),
        "a negative tolerance": (
            lambda: shift(tolerance=-1),
            ValueError,
            ("tolerance", "0", "-1"),
        ),
        "labels in words": (
            lambda: shift(y=[*"abc"]),
            ValueError,
            ("y", "number", "'a'"),
        ),
        "a classifier without scores": (
            lambda: assess_shift(
                VotingClassifier([("m", forest())]).fit(NUMBERS, [0, 0, 1, 1]), NUMBERS, {"sex": 1}
            ),
            ValueError,
            ("predict_proba", "decision_function", "assess_risk"),
        ),
        "a model that is no function": (
            lambda: assess_shift("model", X, SEX),
            TypeError,
            ("model", "str", "predict", "function"),
        ),
        "a class": (
            lambda: assess_shift(DecisionTreeClassifier, NUMBERS, {"sex": 1}),
            TypeError,
            ("DecisionTreeClassifier", "class", "instance"),
        ),
        "a model that is not fitted": (
            lambda: assess_shift(DecisionTreeClassifier(), NUMBERS, {"sex": 1}),
            NotFittedError,
            ("DecisionTreeClassifier", "not fitted", "fit"),
        ),
        "a model that answers differently": (
            lambda: shift(lambda X: np.random.default_rng().random(len(X))),
            ValueError,
            ("scores", "3 of 3", "twice", "RandomizedModel"),
        ),
    },
    "ShiftAssessment": {
        "a quantile above 1": (
            lambda: shift().quantiles([0.5, 50]),
            ValueError,
            ("q", "[0, 1]", "50"),
        ),
        "a quantile in words": (
            lambda: shift().quantiles(["median"]),
            ValueError,
            ("q", "[0, 1]", "'median'"),
        ),
        "an unknown attribute": (
            lambda: shift().quantiles(attribute="race"),
            ValueError,
            ("attribute", "'race'", "'sex'"),
        ),
        "an unknown group": (
            lambda: shift().quantiles(group="X"),
            ValueError,
            ("group", "'X'", "'F'", "'M'"),
        ),
        "a negative threshold": (
            lambda: shift().share_above(-1),
            ValueError,
            ("threshold", "0", "-1"),
        ),
        "an interval of something else": (
            lambda: shift().interval("largest"),
            ValueError,
            ("of", "mean", "signed_mean", "'largest'"),
        ),
        "a confidence of 95": (
            lambda: shift().interval(confidence=95),
            ValueError,
            ("confidence", "0", "1", "95"),
        ),
        "no replicates": (
            lambda: shift().interval(n_boot=0),
            ValueError,
            ("n_boot", "1", "0"),
        ),
        "no individuals": (
            lambda: shift().find_most_affected(0),
            ValueError,
            ("n", "1", "0"),
        ),
        "rows of partitions": (
            lambda: assess_shift(lambda X: X["age"] / 2, [X, X], SEX).individual,
            ValueError,
            ("single rows", "partition"),
        ),
        "attributes that were not perturbed alone": (
            lambda: (
                assess_shift(
                    lambda X: X["age"] / 2,
                    X.assign(b=[1, 0, 0]),
                    {**SEX, "b": 1},
                    each_attribute=False,
                ).by_attribute
            ),
            ValueError,
            ("attribute", "each_attribute=True"),
        ),
    },
    "compare": {
        "predictions that are None": (
            lambda: compare({"m": Predictions(None)}, X, Y, SEX),
            ValueError,
            ("y_pred of 'm'", "dimension"),
        ),
        "perturbed predictions that are None": (
            lambda: compare({"m": Predictions(Y, {"sex": None})}, X, Y, SEX),
            ValueError,
            ("y_pred_perturbed of 'm'", "'sex'", "dimension"),
        ),
        "no labels": (
            lambda: compare({"m": model}, X, None, SEX),
            ValueError,
            ("y", "None", "label", "column"),
        ),
        "no labels of parts": (
            lambda: compare({"m": model}, [X[:2], X[2:]], None, SEX),
            ValueError,
            ("y", "None", "label", "column"),
        ),
        "too few labels": (
            lambda: compare({"m": model}, X, [1, 0], SEX),
            ValueError,
            ("y", "2", "X", "3"),
        ),
        "missing labels": (
            lambda: compare({"m": model}, X, [1, None, 0], SEX),
            ValueError,
            ("y", "1", "missing", "3"),
        ),
        "labels in a matrix": (
            lambda: compare({"m": model}, X, np.zeros((3, 2)), SEX),
            ValueError,
            ("y", "shape", "(3, 2)"),
        ),
        "predictions outside the label set": (
            lambda: compare({"m": lambda X: np.full(len(X), 7)}, X, Y, SEX),
            ValueError,
            ("prediction", "'m'", "7", "0", "1"),
        ),
        "too few identities": (
            lambda: compared(person=[1]),
            ValueError,
            ("person", "1", "X", "rows"),
        ),
        "an unknown measure": (
            lambda: compared(measures=["DP"]),
            ValueError,
            ("measures", "'DP'", *MEASURES),
        ),
        "no measure": (
            lambda: compared(measures=[]),
            ValueError,
            ("measures", *MEASURES),
        ),
        "a number for a measure": (
            lambda: compared(measures=5),
            TypeError,
            ("measures", "name", "5"),
        ),
        "quantities for labels": (
            lambda: compare(
                {"m": Predictions(np.arange(300))},
                pd.DataFrame({"s": [0, 1] * 150}),
                np.arange(300),
                {"s": 1},
            ),
            ValueError,
            ("y", "300", "100", "assess_risk", "tolerance="),
        ),
        "an unknown provider": (
            lambda: compared(provider="themis"),
            ValueError,
            ("provider", "'themis'", "'core'", "'aif360'", "'fairlearn'"),
        ),
        "an unknown favourable label": (
            lambda: compared(favorable="yes"),
            ValueError,
            ("favorable", "'yes'", "0", "1"),
        ),
        "no favourable label among words": (
            lambda: compare({"m": lambda X: X["sex"]}, X, X["sex"], SEX),
            ValueError,
            ("favorable=", "'F'", "'M'"),
        ),
        "a negative number of replicates": (
            lambda: compared(n_boot=-1),
            ValueError,
            ("n_boot", "0", "-1"),
        ),
        "a truth value for the number of replicates": (
            lambda: compared(n_boot=True),
            ValueError,
            ("n_boot", "0", "True"),
        ),
        "a confidence of 0": (
            lambda: compared(confidence=0),
            ValueError,
            ("confidence", "0", "1"),
        ),
        "a negative number of individuals": (
            lambda: compared(individuals=-1),
            ValueError,
            ("individuals", "0", "-1"),
        ),
        "a negative seed": (
            lambda: compared(n_boot=1, random_state=-1),
            ValueError,
            ("random_state", "0", "generator", "None", "-1"),
        ),
        "missing values for another provider": (
            lambda: compare(
                {"m": model},
                X.assign(sex=["M", "F", None]),
                Y,
                learn_attributes(X.assign(sex=["M", "F", None]), SEX, missing="keep"),
                provider="fairlearn",
            ),
            ValueError,
            ("'sex'", "missing", "drop", "provider=", "core"),
        ),
        "models without names": (
            lambda: compare([model], X, Y, SEX),
            TypeError,
            ("models", "forest", "list"),
        ),
        "no models": (
            lambda: compare({}, X, Y, SEX),
            TypeError,
            ("models", "forest", "empty"),
        ),
        "a name for a model": (
            lambda: compare({"m": "model"}, X, Y, SEX),
            TypeError,
            ("model", "str", "predict(X)", "function"),
        ),
    },
    "Predictions": {
        "predictions outside the label set": (
            lambda: compare({"m": Predictions(["a", "b", "a"])}, X, Y, SEX),
            ValueError,
            ("y_pred", "'m'", "'a'", "'b'", "0", "1"),
        ),
        "too few predictions": (
            lambda: compare({"m": Predictions([1, 0])}, X, Y, SEX),
            ValueError,
            ("y_pred", "'m'", "2", "X", "3"),
        ),
        "missing predictions": (
            lambda: compare({"m": Predictions([1, 0, np.nan])}, X, Y, SEX),
            ValueError,
            ("y_pred", "'m'", "1", "missing", "3"),
        ),
        "too few perturbed predictions": (
            lambda: compare({"m": Predictions(Y, [1])}, X, Y, SEX),
            ValueError,
            ("y_pred_perturbed", "'m'", "1", "X", "3"),
        ),
        "perturbed predictions of an unknown attribute": (
            lambda: compare({"m": Predictions(Y, {"race": Y})}, X, Y, SEX),
            ValueError,
            ("y_pred_perturbed", "'m'", "'race'", "'sex'", "'all'"),
        ),
    },
    "Comparison": {
        "no limit": (
            lambda: compared(n_boot=5, measures=RISK).check(),
            ValueError,
            ("max_risk", "max_gap"),
        ),
        "limits without intervals": (
            lambda: compared(measures=RISK).check(max_risk=0.1),
            ValueError,
            ("n_boot", "intervals"),
        ),
        "a limit beyond 1": (
            lambda: compared(n_boot=5, measures=RISK).check(max_risk=5),
            ValueError,
            ("max_risk", "5"),
        ),
        "a limit for an unknown attribute": (
            lambda: compared(n_boot=5, measures=RISK).check(max_risk={"shoe": 0.1}),
            ValueError,
            ("max_risk", "shoe", "sex"),
        ),
        "a gap that is none": (
            lambda: compared(n_boot=5, measures=DP).check(max_gap={"accuracy": 0.1}),
            ValueError,
            ("max_gap", "accuracy", "demographic_parity"),
        ),
        "a report in a folder that does not exist": (
            lambda: compared(measures="accuracy").to_html("no/such/folder.html"),
            FileNotFoundError,
            ("No such file or directory", "'no/such/folder.html'"),
        ),
        "values in place of a folder": (
            lambda: compared(measures="accuracy").to_json("."),
            IsADirectoryError,
            ("Is a directory", "'.'"),
        ),
    },
    "Votes": {
        "a vector of votes": (
            lambda: Votes([0, 1], [0, 1], [0, 1]),
            ValueError,
            ("votes", "shape", "member", "(2,)"),
        ),
        "no votes": (
            lambda: Votes([], [], []),
            ValueError,
            ("votes", "shape", "member", "(0,)"),
        ),
        "rows of different lengths": (
            lambda: Votes([[0], [0, 1]], [[0], [0]], [0]),
            ValueError,
            ("votes", "array", "lengths"),
        ),
        "other votes after perturbation": (
            lambda: Votes([[0, 1]], [[0]], [0, 1]),
            ValueError,
            ("perturbed", "(1, 2)", "votes", "(1, 1)"),
        ),
        "too few labels": (
            lambda: Votes([[0, 1]], [[0, 1]], [0]),
            ValueError,
            ("y", "(2,)", "votes", "(1, 2)", "(1,)"),
        ),
        "votes in words and labels in numbers": (
            lambda: Votes([["a"]], [["a"]], [0]),
            ValueError,
            ("votes", "perturbed", "y", "<U1", "int64"),
        ),
        "missing votes": (
            lambda: Votes([[0, np.nan]], [[0, 1.0]], [0, 1.0]),
            ValueError,
            ("votes", "missing", "NaN", "None", "drop"),
        ),
        "labels that cannot be sorted": (
            lambda: Votes(np.array([[0, "a"]], object), np.array([[0, "a"]], object), ["a", "a"]),
            ValueError,
            ("label", "int", "str"),
        ),
        "too few weights": (
            lambda: Votes([[0]], [[0]], [0], weights=[1, 1]),
            ValueError,
            ("weights", "(1,)", "member", "(2,)"),
        ),
        "weights in words": (
            lambda: Votes([[0]], [[0]], [0], weights=["a"]),
            ValueError,
            ("weights", "number", "'a'"),
        ),
        "negative weights": (
            lambda: Votes([[0]], [[0]], [0], weights=[-1]),
            ValueError,
            ("weights", "finite", "0", "-1.0"),
        ),
        "weights of zero": (
            lambda: Votes([[0]], [[0]], [0], weights=[0]),
            ValueError,
            ("weights", "all", "0"),
        ),
        "too few sample weights": (
            lambda: Votes([[0, 0]], [[0, 0]], [0, 0], sample_weight=[1]),
            ValueError,
            ("sample_weight", "(2,)", "(1,)"),
        ),
        "infinite sample weights": (
            lambda: Votes([[0]], [[0]], [0], sample_weight=[np.inf]),
            ValueError,
            ("sample_weight", "finite", "0", "inf"),
        ),
        "positions beyond the classes": (
            lambda: Votes([[2]], [[0]], [0], classes=["a", "b"]),
            ValueError,
            ("votes", "classes", "0", "1", "2"),
        ),
        "labels for positions": (
            lambda: Votes([["a"]], [["a"]], ["a"], classes=["a", "b"]),
            ValueError,
            ("votes", "classes", "<U1", "label"),
        ),
        "rows that do not fit": (
            lambda: Votes([[0]], [[0]], [0], rows=[0, 1]),
            ValueError,
            ("rows", "(1,)", "(2,)"),
        ),
    },
    "collect_votes": {
        "what is no ensemble": (
            lambda: collect_votes(model, X, Y, SEX),
            TypeError,
            ("function", *ENSEMBLES),
        ),
        "gradient boosting": (
            lambda: collect_votes(
                GradientBoostingClassifier(n_estimators=1).fit(NUMBERS, [0, 0, 1, 1]),
                NUMBERS,
                [0, 0, 1, 1],
                {"sex": 1},
            ),
            TypeError,
            ("GradientBoostingClassifier", *ENSEMBLES),
        ),
        "no members": (
            lambda: collect_votes([], X, Y, SEX),
            ValueError,
            ("member", "empty", "fitted"),
        ),
        "an ensemble that is not fitted": (
            lambda: collect_votes(RandomForestClassifier(), NUMBERS, [0, 0, 1, 1], {"sex": 1}),
            NotFittedError,
            ("RandomForestClassifier", "not fitted", "fit"),
        ),
        "labels that the ensemble does not know": (
            lambda: collect_votes(forest(), NUMBERS, [0, 0, 1, 2], {"sex": 1}),
            ValueError,
            ("y", "2", "0", "1"),
        ),
        "too few labels": (
            lambda: collect_votes(forest(), NUMBERS, [0, 1], {"sex": 1}),
            ValueError,
            ("y", "2", "X", "4"),
        ),
        "too few weights of members": (
            lambda: collect_votes(forest(), NUMBERS, [0, 0, 1, 1], {"sex": 1}, weights=[1]),
            ValueError,
            ("weights", "(3,)", "member", "(1,)"),
        ),
        "an unknown method": (
            lambda: collect_votes(forest(), NUMBERS, [0, 0, 1, 1], {"sex": 1}, method="all"),
            ValueError,
            ("method", "exact", "sample", "'all'"),
        ),
        "infinite features": (
            lambda: collect_votes(
                forest(), NUMBERS.assign(age=[1.0, 2, 3, 1e39]), [0, 0, 1, 1], {"sex": 1}
            ),
            ValueError,
            ("X", "infinite", "float32"),
        ),
    },
    "compute_bounds": {
        "what are no votes": (
            lambda: compute_bounds([[0, 1]]),
            TypeError,
            ("votes", "list", "collect_votes"),
        ),
        "a share of 1": (
            lambda: compute_bounds(VOTES, low_margin_share=1),
            ValueError,
            ("low_margin_share", "0", "1", "best"),
        ),
        "a share in words": (
            lambda: compute_bounds(VOTES, low_margin_share="worst"),
            ValueError,
            ("low_margin_share", "0", "1", "best", "'worst'"),
        ),
        "no share": (
            lambda: compute_bounds(VOTES, low_margin_share=None),
            ValueError,
            ("low_margin_share", "0", "1", "best", "None"),
        ),
        "a delta of 0": (
            lambda: compute_bounds(VOTES, delta=0),
            ValueError,
            ("delta", "0", "1"),
        ),
        "a delta in words": (
            lambda: compute_bounds(VOTES, delta="small"),
            ValueError,
            ("delta", "0", "1", "'small'"),
        ),
        "a pool of no members": (
            lambda: compute_bounds(VOTES, n_pool=0),
            ValueError,
            ("n_pool", "at least", "members of the vote", "0"),
        ),
        "more members than there are": (
            lambda: compute_bounds(VOTES, max_members=10_000),
            ValueError,
            ("max_members", "from", "n_pool", "10000"),
        ),
    },
    "poaf": {
        "what are no votes": (
            lambda: poaf([[0, 1]], 1),
            TypeError,
            ("votes", "list", "collect_votes"),
        ),
        "no members": (
            lambda: poaf(VOTES, 0),
            ValueError,
            ("max_members", "1", "3", "0"),
        ),
        "more members than there are": (
            lambda: poaf(VOTES, 4),
            ValueError,
            ("max_members", "1", "3", "4"),
        ),
        "half a member": (
            lambda: poaf(VOTES, 1.5),
            ValueError,
            ("max_members", "1", "3", "1.5"),
        ),
        "a truth value for the number of members": (
            lambda: poaf(VOTES, True),
            ValueError,
            ("max_members", "1", "3", "True"),
        ),
        "a trade-off above 1": (
            lambda: poaf(VOTES, 2, trade_off=1.5),
            ValueError,
            ("trade_off", "0", "1", "1.5"),
        ),
        "a trade-off that is no number": (
            lambda: poaf(VOTES, 2, trade_off=np.nan),
            ValueError,
            ("trade_off", "0", "1", "nan"),
        ),
        "a trade-off in words": (
            lambda: poaf(VOTES, 2, trade_off="fair"),
            ValueError,
            ("trade_off", "0", "1", "'fair'"),
        ),
        "a negative number of iterations": (
            lambda: poaf(VOTES, 2, n_iter=-1),
            ValueError,
            ("n_iter", "0", "-1"),
        ),
        "a truth value for the number of iterations": (
            lambda: poaf(VOTES, 2, n_iter=True),
            ValueError,
            ("n_iter", "0", "True"),
        ),
        "an unknown neighbourhood": (
            lambda: poaf(VOTES, 2, neighbourhood="all"),
            ValueError,
            ("neighbourhood", "exchange", "paper", "'all'"),
        ),
        "a neighbourhood that is no word": (
            lambda: poaf(VOTES, 2, neighbourhood=[]),
            ValueError,
            ("neighbourhood", "exchange", "paper", "[]"),
        ),
        "an unknown rule for ties": (
            lambda: poaf(VOTES, 2, ties="highest"),
            ValueError,
            ("ties", "cautious", "lowest", "'highest'"),
        ),
        "a promise of no risk": (
            lambda: poaf(VOTES, 2, max_risk=0),
            ValueError,
            ("max_risk", "above 0", "below 1", "got 0"),
        ),
        "a promise without a doubt": (
            lambda: poaf(VOTES, 2, max_risk=0.5, delta=0),
            ValueError,
            ("delta", "above 0", "below 1", "got 0"),
        ),
        "a promise that cannot be kept": (
            lambda: poaf(VOTES, 2, max_risk=0.01, random_state=0),
            ValueError,
            ("max_risk=0.01", "probability 0.95", "rows", "larger max_risk", "more rows"),
        ),
        "an unknown selection": (
            lambda: poaf(VOTES, 2, selection="best"),
            ValueError,
            ("selection", *SELECTIONS, "'best'"),
        ),
        "a selection beyond the front": (
            lambda: poaf(VOTES, 2, selection=len),
            ValueError,
            ("selection", "0", "1"),
        ),
        "a negative tolerance": (
            lambda: poaf(VOTES, 2, accuracy_tolerance=-0.1),
            ValueError,
            ("accuracy_tolerance", "0", "-0.1"),
        ),
        "a tolerance in words": (
            lambda: poaf(VOTES, 2, accuracy_tolerance="little"),
            ValueError,
            ("accuracy_tolerance", "0", "'little'"),
        ),
        "a seed in words": (
            lambda: poaf(VOTES, 2, n_iter=0, random_state="x"),
            ValueError,
            ("random_state", "0", "generator", "None", "'x'"),
        ),
    },
    "epaf": {
        "what are no votes": (
            lambda: epaf(None, 1),
            TypeError,
            ("votes", "NoneType", "collect_votes"),
        ),
        "more members than there are": (
            lambda: epaf(VOTES, 9),
            ValueError,
            ("max_members", "1", "3", "9"),
        ),
        "a negative trade-off": (
            lambda: epaf(VOTES, 2, trade_off=-0.1),
            ValueError,
            ("trade_off", "0", "1", "-0.1"),
        ),
        "an unknown rule for ties": (
            lambda: epaf(VOTES, 2, ties="highest"),
            ValueError,
            ("ties", "cautious", "lowest", "'highest'"),
        ),
        "no groups": (
            lambda: epaf(VOTES, 2, n_groups=0),
            ValueError,
            ("n_groups", "1", "3", "0"),
        ),
        "more groups than members": (
            lambda: epaf(VOTES, 2, n_groups=4),
            ValueError,
            ("n_groups", "1", "3", "4"),
        ),
        "a truth value for the number of groups": (
            lambda: epaf(VOTES, 2, n_groups=True),
            ValueError,
            ("n_groups", "1", "3", "True"),
        ),
    },
    "exhaustive_front": {
        "what are no votes": (
            lambda: exhaustive_front("votes"),
            TypeError,
            ("votes", "str", "collect_votes"),
        ),
        "too many members": (
            lambda: exhaustive_front(Votes([[0, 1]] * 21, [[0, 1]] * 21, y=[0, 1])),
            ValueError,
            ("exhaustive_front", "20", "21", "poaf", "epaf"),
        ),
        "no members": (
            lambda: exhaustive_front(VOTES, 0),
            ValueError,
            ("max_members", "1", "3", "0"),
        ),
        "a trade-off above 1": (
            lambda: exhaustive_front(VOTES, trade_off=2),
            ValueError,
            ("trade_off", "0", "1", "2"),
        ),
        "an unknown rule for ties": (
            lambda: exhaustive_front(VOTES, ties="highest"),
            ValueError,
            ("ties", "cautious", "lowest", "'highest'"),
        ),
        "an unknown selection": (
            lambda: exhaustive_front(VOTES, selection="first"),
            ValueError,
            ("selection", *SELECTIONS, "'first'"),
        ),
    },
    "as_ensemble": {
        "what is no ensemble": (
            lambda: as_ensemble(model),
            TypeError,
            ("function", *ENSEMBLES),
        ),
    },
    "Ensemble": {
        "another word than the two": (
            lambda: Ensemble([forest()], np.array([0, 1]), member_says="classes"),
            ValueError,
            ("member_says", "positions", "labels", "'classes'"),
        ),
        "more weights than members": (
            lambda: Ensemble([forest()], np.array([0, 1]), weights=np.ones(2)),
            ValueError,
            ("weights", "(1,)", "member", "(2,)"),
        ),
    },
    "wilson": {
        "a mean beyond 1": (
            lambda: wilson(1.5, 10, 0.95),
            ValueError,
            ("mean", "0", "1", "1.5"),
        ),
        "no rows": (lambda: wilson(0.5, 0, 0.95), ValueError, ("n", "0")),
    },
    "clopper_pearson": {
        "a negative mean": (
            lambda: clopper_pearson(-0.5, 10, 0.95),
            ValueError,
            ("mean", "0", "1", "-0.5"),
        ),
    },
    "chernoff": {
        "a percentage": (
            lambda: chernoff(0.5, 10, 95),
            ValueError,
            ("confidence", "0", "1", "95"),
        ),
    },
    "rows_needed": {
        "a percentage as rate": (
            lambda: rows_needed(5, 0.02),
            ValueError,
            ("rate", "[0, 1]", "5"),
        ),
        "a missing rate": (lambda: rows_needed(float("nan"), 0.02), ValueError, ("rate", "nan")),
        "no width": (lambda: rows_needed(0.05, 0), ValueError, ("width", "(0, 1)", "0.02")),
        "a percentage as width": (lambda: rows_needed(0.05, 2), ValueError, ("width", "(0, 1)")),
        "an unknown interval": (
            lambda: rows_needed(0.05, 0.02, method="wald"),
            ValueError,
            ("method", "clopper-pearson", "'wald'"),
        ),
    },
    "export": {
        "what is no ensemble": (
            lambda: export(model, [0]),
            TypeError,
            ("function", *ENSEMBLES),
        ),
        "no members": (
            lambda: export(forest(), []),
            ValueError,
            ("members", "0", "2"),
        ),
        "a member twice": (
            lambda: export(forest(), [1, 1]),
            ValueError,
            ("members", "0", "2", "1, 1"),
        ),
        "a member that is not there": (
            lambda: export(forest(), [0, 3]),
            ValueError,
            ("members", "0", "2", "0, 3"),
        ),
        "a negative position": (
            lambda: export(forest(), [-1]),
            ValueError,
            ("members", "0", "2", "-1"),
        ),
        "truth values for positions": (
            lambda: export(forest(), np.array([True, False])),
            ValueError,
            ("members", "0", "2", "True, False"),
        ),
        "half a position": (
            lambda: export(forest(), [0.5, 1]),
            ValueError,
            ("members", "0", "2", "0.5, 1.0"),
        ),
    },
    "iter_chunks": {
        "no rows": (
            lambda: iter_chunks("a.csv", 0),
            ValueError,
            ("rows", "1", "0"),
        ),
        "no file": (
            lambda: iter_chunks([]),
            ValueError,
            ("iter_chunks", "file"),
        ),
        "a file that is not there": (
            lambda: iter_chunks("no/such/file.csv"),
            ValueError,
            ("file", "no/such/file.csv"),
        ),
        "a file of an unknown kind": (
            lambda: iter_chunks(__file__),
            ValueError,
            ("core.py", ".csv.gz", ".parquet"),
        ),
    },
    "suggest_couplings": {
        "a sensitive column that is not in X": (
            lambda: suggest_couplings(X, {"race": "W"}),
            ValueError,
            ("'race'", "X", "'sex'", "'age'", "model"),
        ),
        "a share above 1": (
            lambda: suggest_couplings(X, SEX, rare=1.5),
            ValueError,
            ("rare", "0", "1", "1.5"),
        ),
        "a level of significance that is none": (
            lambda: suggest_couplings(X, SEX, alpha=float("nan")),
            ValueError,
            ("alpha", "0", "1", "nan"),
        ),
        "a share in words": (
            lambda: suggest_couplings(X, SEX, rare="seldom"),
            ValueError,
            ("rare", "0", "1", "'seldom'"),
        ),
    },
    "datasets": {
        "an unknown data set": (
            lambda: datasets.load("adult"),
            ValueError,
            ("'adult'", *DATASETS),
        ),
        "a list of data sets": (
            lambda: datasets.load(["ricci"]),
            ValueError,
            ("['ricci']", *DATASETS),
        ),
        "a name in place of a data set": (
            lambda: datasets.binarize("ricci"),
            TypeError,
            ("dataset", "str", "datasets.load"),
        ),
    },
}

EXEMPT = {
    "LABELS": "a constant",
    "POSITIONS": "a constant",
    "MarginalizedModel": "a dataclass that marginalize makes, which checks what goes in",
    "Plausibility": "a dataclass that assess_risk makes; it checks nothing",
    "Suggestions": "a dataclass that suggest_couplings makes; it checks nothing",
    "Perturbations": "a NamedTuple that enumerate_perturbations makes; it checks nothing",
    "PruningResult": "a dataclass that pruning makes; it checks nothing",
    "SensitiveAttributes": "a dataclass that learn_attributes makes, which checks what goes in",
}
