"""What `dr_core` refuses, by public name: the call, the exception, and its message."""

import numpy as np
import pandas as pd
import polars as pl
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from dr_core import (
    Ensemble,
    OneHot,
    Predictions,
    Votes,
    as_ensemble,
    assess_risk,
    chernoff,
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
    perturb,
    poaf,
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


def compared(**options):
    return compare({"m": model}, X, Y, SEX, **options)


def risk(**options):
    return assess_risk(model, X, SEX, **options)


CASES = {
    "learn_attributes": {
        "an unknown way to treat missing values": (
            lambda: learn_attributes(X, SEX, missing="drop"),
            ValueError,
            'missing must be "error" or "keep"; it is \'drop\'.',
        ),
        "a way to treat missing values that is no word": (
            lambda: learn_attributes(X, SEX, missing=None),
            ValueError,
            'missing must be "error" or "keep"; it is None.',
        ),
        "privileged that is no mapping": (
            lambda: learn_attributes(X, "sex"),
            TypeError,
            "privileged must map each sensitive column to its privileged value, such as "
            '{"sex": "Male"}; it is \'sex\'.',
        ),
        "privileged that is empty": (
            lambda: learn_attributes(X, {}),
            TypeError,
            "privileged must map each sensitive column to its privileged value, such as "
            '{"sex": "Male"}; it is {}.',
        ),
        "the reserved name": (
            lambda: learn_attributes(X.rename(columns={"sex": "all"}), {"all": "M"}),
            ValueError,
            "the name 'all' stands for all attributes together; rename the column.",
        ),
        "a domain that is no mapping": (
            lambda: learn_attributes(X, SEX, domain=["M", "F"]),
            TypeError,
            'domain must map sensitive columns to all their values, such as {"sex": ["F", '
            "\"M\"]}; it is ['M', 'F'].",
        ),
        "a domain in one word": (
            lambda: learn_attributes(X, SEX, domain={"sex": "MF"}),
            TypeError,
            'domain must map sensitive columns to all their values, such as {"sex": ["F", '
            "\"M\"]}; it is {'sex': 'MF'}.",
        ),
        "a domain that is no list": (
            lambda: learn_attributes(X, SEX, domain={"sex": 2}),
            TypeError,
            'domain must map sensitive columns to all their values, such as {"sex": ["F", '
            "\"M\"]}; it is {'sex': 2}.",
        ),
        "a domain of another column": (
            lambda: learn_attributes(X, SEX, domain={"Sex": ["M", "F"]}),
            ValueError,
            "domain has 'Sex'; its keys must be sensitive columns: 'sex'.",
        ),
        "a domain for attributes that have one": (
            lambda: learn_attributes(X, learn_attributes(X, SEX), domain={"sex": ["M", "F"]}),
            ValueError,
            "domain was learned with the attributes; pass it to learn_attributes.",
        ),
        "X of an unknown type": (
            lambda: learn_attributes([[1, 2]], {0: 1}),
            TypeError,
            "X is a list; pass a pandas or polars DataFrame, or a two-dimensional NumPy array.",
        ),
        "no X": (
            lambda: learn_attributes(None, SEX),
            TypeError,
            "X is a NoneType; pass a pandas or polars DataFrame, or a two-dimensional NumPy"
            " array.",
        ),
        "an empty X": (
            lambda: learn_attributes(X[:0], SEX),
            ValueError,
            "X is empty: there is no row to perturb.",
        ),
        "a vector": (
            lambda: learn_attributes(np.zeros(3), {0: 1}),
            ValueError,
            "X must have two dimensions, rows and columns; it has 1.",
        ),
        "a cube": (
            lambda: learn_attributes(np.zeros((2, 2, 2)), {0: 1}),
            ValueError,
            "X must have two dimensions, rows and columns; it has 3.",
        ),
        "columns of the same name": (
            lambda: learn_attributes(pd.concat([X, X], axis=1), SEX),
            ValueError,
            "X has columns of the same name: 'age', 'sex'. Rename them first.",
        ),
    },
    "perturb": {
        "rules that are no mapping": (
            lambda: perturb(X, SEX, coupled=["age"]),
            TypeError,
            'coupled must be a mapping, as in {"relationship": {"sex": {"Female": '
            '{"Husband": "Wife"}}}}; it is [\'age\'].',
        ),
        "a rule for a sensitive column": (
            lambda: perturb(X, SEX, coupled={"sex": {"sex": {"F": {"M": "F"}}}}),
            ValueError,
            "coupled columns drive each other in a cycle: 'sex' → 'sex'.",
        ),
        "a rule for a column that is not in X": (
            lambda: perturb(X, SEX, coupled={"title": {"sex": {"F": {"Mr": "Mrs"}}}}),
            ValueError,
            "coupled names column 'title' with the value 'Mr', but X has neither a column "
            "'title' nor a 0/1 column 'title=Mr', 'title_Mr' or 'Mr'. It has 'sex', 'age'.",
        ),
        "a rule that makes a list of a value": (
            lambda: perturb(X, SEX, coupled={"age": {"sex": {"F": {30: [40]}}}}),
            TypeError,
            "coupled['age'] must name single values; it has [40].",
        ),
        "a rule for a value that a column has not": (
            lambda: perturb(X, SEX, coupled={"age": {"sex": {"F": {99: 30}}}}),
            ValueError,
            "coupled names the values 99, which column 'age' has not; it has 30, 40, 50. If"
            " X merely lacks them, pass all values as domain={'age': [...]}.",
        ),
        "a privileged value that is not in the column": (
            lambda: perturb(X, {"sex": "Male"}),
            ValueError,
            "privileged value 'Male' is not in column 'sex', which has 'F', 'M'.",
        ),
        "a missing privileged value": (
            lambda: perturb(X, {"sex": None}),
            ValueError,
            "privileged value None is not in column 'sex', which has 'F', 'M'.",
        ),
        "no privileged value at all": (
            lambda: perturb(X, {"sex": []}),
            ValueError,
            "privileged names no value of 'sex', which has 'F', 'M'.",
        ),
        "a sensitive column that is not in X": (
            lambda: perturb(X, {"race": "W"}),
            ValueError,
            "sensitive column 'race' is not in X, which has 'sex', 'age'. A model that "
            "never sees an attribute has discriminative risk 0 by definition; pass X as the"
            " model sees it, with the column that carries the attribute.",
        ),
        "a position that is not in an array": (
            lambda: perturb(np.zeros((2, 2)), {5: 1}),
            ValueError,
            "sensitive column 5 is not in X, which has 0, 1. A model that never sees an "
            "attribute has discriminative risk 0 by definition; pass X as the model sees "
            "it, with the column that carries the attribute.",
        ),
        "one single value": (
            lambda: perturb(X[1:], {"sex": "F"}),
            ValueError,
            "sensitive attribute 'sex' has the single value 'F': there is nothing to "
            "perturb it into. Pass all its values as domain={...}, or leave it out.",
        ),
        "only privileged values": (
            lambda: perturb(X, {"sex": ["M", "F"]}),
            ValueError,
            "all values of 'sex' are privileged ('F', 'M'); at least one must not be.",
        ),
        "too many numbers": (
            lambda: perturb(pd.DataFrame({"age": range(60)}), {"age": 1}),
            ValueError,
            "sensitive attribute 'age' has 60 distinct numbers. Bin it first, or pass its "
            "values as domain={'age': [...]}.",
        ),
        "missing sensitive values": (
            lambda: perturb(pd.DataFrame({"sex": ["M", "F", None, None]}), SEX),
            ValueError,
            "sensitive attribute 'sex' is missing in 2 of 4 rows. Fill or drop them, or "
            'pass missing="keep" to leave them unperturbed.',
        ),
        "a column without any value": (
            lambda: perturb(pd.DataFrame({"sex": [None, None]}), SEX),
            ValueError,
            "sensitive attribute 'sex' is missing in all 2 rows.",
        ),
        "a value outside the given domain": (
            lambda: perturb(X, SEX, domain={"sex": ["M", "D"]}),
            ValueError,
            "sensitive attribute 'sex' has 'F', which is not among the known values 'D', 'M'.",
        ),
        "a category that the column cannot hold": (
            lambda: perturb(X.astype({"sex": "category"}), SEX, domain={"sex": ["M", "F", "D"]}),
            ValueError,
            "column 'sex' cannot hold 'D': its categories are 'F', 'M'. Add the missing "
            "categories to the column first.",
        ),
        "text too long for an array": (
            lambda: perturb(np.array([["M"], ["F"]]), {0: "M"}, domain={0: ["M", "F", "Diverse"]}),
            ValueError,
            "column 0 of dtype <U1 cannot hold 'Diverse', 'F', 'M'.",
        ),
        "a number that a column cannot hold": (
            lambda: perturb(
                pd.DataFrame({"a": np.array([1, 2], "int8")}), {"a": 1}, domain={"a": [1, 2, 300]}
            ),
            ValueError,
            "column 'a' of dtype int8 cannot hold 1, 2, 300.",
        ),
        "a number that a polars column cannot hold": (
            lambda: perturb(
                pl.DataFrame({"a": [1, 2]}, schema={"a": pl.Int8}),
                {"a": 1},
                domain={"a": [1, 2, 300]},
            ),
            ValueError,
            "column 'a' of dtype Int8 cannot hold 1, 2, 300.",
        ),
        "a table without a column learned before": (
            lambda: perturb(X[["age"]], learn_attributes(X, SEX)),
            ValueError,
            "sensitive column 'sex' is not in X, which has 'age'. A model that never sees "
            "an attribute has discriminative risk 0 by definition; pass X as the model sees"
            " it, with the column that carries the attribute.",
        ),
        "p of 0": (
            lambda: perturb(X, SEX, p=0),
            ValueError,
            "p must be greater than 0 and at most 1; it is 0.",
        ),
        "p above 1": (
            lambda: perturb(X, SEX, p=1.1),
            ValueError,
            "p must be greater than 0 and at most 1; it is 1.1.",
        ),
        "p that is no number": (
            lambda: perturb(X, SEX, p=np.nan),
            ValueError,
            "p must be greater than 0 and at most 1; it is nan.",
        ),
        "p in words": (
            lambda: perturb(X, SEX, p="all"),
            ValueError,
            "p must be greater than 0 and at most 1; it is 'all'.",
        ),
        "a truth value for p": (
            lambda: perturb(X, SEX, p=True),
            ValueError,
            "p must be greater than 0 and at most 1; it is True.",
        ),
        "a seed in words": (
            lambda: perturb(X, SEX, random_state="today"),
            ValueError,
            "random_state must be a whole number, 0 or more, a NumPy generator or None; it "
            "is 'today'.",
        ),
        "a negative seed": (
            lambda: perturb(X, SEX, random_state=-1),
            ValueError,
            "random_state must be a whole number, 0 or more, a NumPy generator or None; it is -1.",
        ),
    },
    "OneHot": {
        "two hot columns in a row": (
            lambda: perturb(HOT.assign(a=1), {"s": OneHot(["a", "b"], "a")}),
            ValueError,
            "one-hot attribute 's': 1 rows do not have exactly one 1 among 'a', 'b'. If the"
            " encoding dropped a value, name it: OneHot(..., dropped=...).",
        ),
        "a one-hot column with other values": (
            lambda: perturb(HOT.assign(a=[1, 2]), {"s": OneHot(["a", "b"], "a")}),
            ValueError,
            "one-hot column 'a' has 2, which is not among the known values 0, 1.",
        ),
        "an absent one-hot column": (
            lambda: perturb(X, {"s": OneHot(["a", "b"], "a")}),
            ValueError,
            "sensitive column 'a', 'b' is not in X, which has 'sex', 'age'. A model that "
            "never sees an attribute has discriminative risk 0 by definition; pass X as the"
            " model sees it, with the column that carries the attribute.",
        ),
        "a privileged column of another attribute": (
            lambda: perturb(HOT, {"s": OneHot(["a", "b"], "c")}),
            ValueError,
            "privileged value 'c' is not in column 's', which has 'a', 'b'.",
        ),
        "no columns": (
            lambda: perturb(HOT, {"s": OneHot([], "a")}),
            ValueError,
            "privileged value 'a' is not in column 's', which has nothing.",
        ),
        "one column": (
            lambda: perturb(HOT, {"s": OneHot(["a"], "a")}),
            ValueError,
            "sensitive attribute 's' has the single value 'a': there is nothing to perturb "
            "it into. Pass all its values as domain={...}, or leave it out.",
        ),
        "a column in two attributes": (
            lambda: perturb(HOT, {"s": OneHot(["a", "b"], "a"), "a": 1}),
            ValueError,
            "two sensitive attributes share the columns 'a'.",
        ),
        "a domain of its own": (
            lambda: perturb(HOT, {"s": OneHot(["a", "b"], "a")}, domain={"s": ["a", "b"]}),
            ValueError,
            "domain has 's'; its keys must be sensitive columns: nothing.",
        ),
    },
    "enumerate_perturbations": {
        "p below 0": (
            lambda: enumerate_perturbations(X, SEX, p=-0.5),
            ValueError,
            "p must be greater than 0 and at most 1; it is -0.5.",
        ),
        "a privileged value that is not in the column": (
            lambda: enumerate_perturbations(X, {"sex": 1}),
            ValueError,
            "privileged value 1 is not in column 'sex', which has 'F', 'M'.",
        ),
        "missing sensitive values": (
            lambda: enumerate_perturbations(X.assign(sex=["M", "F", None]), SEX),
            ValueError,
            "sensitive attribute 'sex' is missing in 1 of 3 rows. Fill or drop them, or "
            'pass missing="keep" to leave them unperturbed.',
        ),
    },
    "assess_risk": {
        "an unknown method": (
            lambda: risk(method="guess"),
            ValueError,
            'method must be "exact" or "sample"; it is \'guess\'.',
        ),
        "no samples": (
            lambda: risk(method="sample", n_samples=0),
            ValueError,
            "n_samples must be a whole number, 1 or more; it is 0.",
        ),
        "half a sample": (
            lambda: risk(method="sample", n_samples=1.5),
            ValueError,
            "n_samples must be a whole number, 1 or more; it is 1.5.",
        ),
        "an empty chunk": (
            lambda: risk(chunk_size=0),
            ValueError,
            "chunk_size must be a whole number, 1 or more; it is 0.",
        ),
        "a chunk of half a row": (
            lambda: risk(chunk_size=0.5),
            ValueError,
            "chunk_size must be a whole number, 1 or more; it is 0.5.",
        ),
        "a negative tolerance": (
            lambda: risk(tolerance=-1),
            ValueError,
            "tolerance must be finite and at least 0; it is -1.",
        ),
        "a tolerance that is no number": (
            lambda: risk(tolerance=np.nan),
            ValueError,
            "tolerance must be finite and at least 0; it is nan.",
        ),
        "a tolerance in words": (
            lambda: risk(tolerance="some"),
            ValueError,
            "tolerance must be finite and at least 0; it is 'some'.",
        ),
        "a tolerance for words": (
            lambda: assess_risk(lambda X: X["sex"].to_numpy(str), X, SEX, tolerance=1),
            ValueError,
            "tolerance is 1, but predictions are not numbers: <U1.",
        ),
        "labels that no prediction equals": (
            lambda: risk(y=["1", "0", "1"]),
            ValueError,
            "the model's prediction has 0, 1, which is not among the known values '0', '1'.",
        ),
        "words for labels of a model that predicts floats": (
            lambda: assess_risk(lambda X: model(X) * 1.0, X, SEX, y=["1", "0", "1"]),
            ValueError,
            "labels of type <U1 cannot be predictions of type float64.",
        ),
        "too few labels": (
            lambda: risk(y=[1, 0]),
            ValueError,
            "y has length 2, but X has 3 rows.",
        ),
        "one label": (
            lambda: risk(y=1),
            ValueError,
            "y must have one dimension; it has shape ().",
        ),
        "labels of different lengths": (
            lambda: risk(y=[[1], [1, 0], [0]]),
            ValueError,
            "y must be an array; its rows have different lengths.",
        ),
        "too many perturbations to enumerate": (
            lambda: assess_risk(
                lambda X: X["a"],
                pd.DataFrame({name: range(30) for name in "abc"}),
                dict.fromkeys("abc", 0),
            ),
            ValueError,
            'a row has up to 24,476 perturbations, more than 10,000. Use method="sample", '
            "or fewer attributes at a time.",
        ),
        "too few weights": (
            lambda: risk(sample_weight=[1, 2]),
            ValueError,
            "sample_weight has length 2, but X has 3 rows.",
        ),
        "negative weights": (
            lambda: risk(sample_weight=[1, -2, 1]),
            ValueError,
            "sample_weight must be finite and not negative; it ranges from -2.0 to 1.0.",
        ),
        "infinite weights": (
            lambda: risk(sample_weight=[1, np.inf, 1]),
            ValueError,
            "sample_weight must be finite and not negative; it ranges from 1.0 to inf.",
        ),
        "missing weights": (
            lambda: risk(sample_weight=[1, np.nan, 1]),
            ValueError,
            "sample_weight has 1 missing values in 3 rows.",
        ),
        "weights of zero": (
            lambda: risk(sample_weight=[0, 0, 0]),
            ValueError,
            "Sample weights must contain at least one non-zero number; sample_weight is all 0.",
        ),
        "weights in words": (
            lambda: risk(sample_weight=["a", "b", "c"]),
            ValueError,
            "sample_weight must be numbers; the first is 'a'.",
        ),
        "weights in digits": (
            lambda: risk(sample_weight=["1", "2", "3"]),
            ValueError,
            "sample_weight must be numbers; the first is '1'.",
        ),
        "dates for weights": (
            lambda: risk(sample_weight=np.array(["2020-01-01"] * 3, "datetime64[D]")),
            ValueError,
            "sample_weight must be numbers; the first is datetime.date(2020, 1, 1).",
        ),
        "complex weights": (
            lambda: risk(sample_weight=[1j, 1, 1]),
            ValueError,
            "sample_weight must be numbers; the first is 1j.",
        ),
        "too few predictions": (
            lambda: assess_risk(lambda X: [1], X, SEX),
            ValueError,
            "the model returned predictions of shape (1,) for 3 rows; one prediction a row "
            "is needed.",
        ),
        "predictions with several columns": (
            lambda: assess_risk(lambda X: np.zeros((len(X), 2)), X, SEX),
            ValueError,
            "the model returned predictions of shape (3, 2) for 3 rows; one prediction a "
            "row is needed.",
        ),
        "missing predictions": (
            lambda: assess_risk(lambda X: [np.nan] * len(X), X, SEX),
            ValueError,
            "the model returned 3 missing predictions for 3 rows.",
        ),
        "a class instead of a model": (
            lambda: assess_risk(Predictions, X, SEX),
            TypeError,
            "Predictions is a class; pass a fitted instance of it.",
        ),
        "a model that cannot predict": (
            lambda: assess_risk("model", X, SEX),
            TypeError,
            "the model is a str; pass an object with predict(X), or a function of X that "
            "returns predictions.",
        ),
        "no model": (
            lambda: assess_risk(None, X, SEX),
            TypeError,
            "the model is a NoneType; pass an object with predict(X), or a function of X "
            "that returns predictions.",
        ),
        "a model that is not fitted": (
            lambda: assess_risk(DecisionTreeClassifier(), NUMBERS, {"sex": 1}),
            NotFittedError,
            "This DecisionTreeClassifier instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator.",
        ),
    },
    "RiskAssessment": {
        "a confidence of 1": (
            lambda: risk().interval(1),
            ValueError,
            "confidence must lie between 0 and 1; it is 1.",
        ),
        "a confidence in words": (
            lambda: risk().interval("high"),
            ValueError,
            "confidence must lie between 0 and 1; it is 'high'.",
        ),
        "a confidence of 95": (
            lambda: risk().table(95),
            ValueError,
            "confidence must lie between 0 and 1; it is 95.",
        ),
        "an unknown interval": (
            lambda: risk().interval(method="wald"),
            ValueError,
            "method must be one of ['wilson', 'chernoff']; it is 'wald'.",
        ),
        "attributes that were not perturbed alone": (
            lambda: (
                assess_risk(
                    model, X.assign(b=[1, 0, 0]), {**SEX, "b": 1}, each_attribute=False
                ).by_attribute
            ),
            ValueError,
            "attributes were not perturbed one by one: pass each_attribute=True.",
        ),
        "an expected number that is none": (
            lambda: risk().plausibility(min_expected="3"),
            ValueError,
            "min_expected must be finite and at least 0; it is '3'.",
        ),
        "lists to judge plausibility by": (
            lambda: assess_risk(model, X.assign(z=[[1], [2], [3]]), SEX).plausibility(),
            TypeError,
            "column 'z' holds values that cannot be compared (unhashable type: 'list'). Drop it, "
            "or turn them into text.",
        ),
        "reference data of another type": (
            lambda: assess_risk(model, X.assign(z=[*"abc"]), SEX).plausibility(
                X.loc[[0, 1] * 6].assign(z=range(12))
            ),
            ValueError,
            "column 'z' holds numbers in the reference data, but 'a', 'b', 'c' here. Give both "
            "the same type.",
        ),
    },
    "compare": {
        "no labels": (
            lambda: compare({"m": model}, X, None, SEX),
            ValueError,
            "y is None: pass the true labels, or the name of their column.",
        ),
        "no labels of parts": (
            lambda: compare({"m": model}, [X[:2], X[2:]], None, SEX),
            ValueError,
            "y is None: pass the true labels, or the name of their column.",
        ),
        "too few labels": (
            lambda: compare({"m": model}, X, [1, 0], SEX),
            ValueError,
            "y has length 2, but X has 3 rows.",
        ),
        "missing labels": (
            lambda: compare({"m": model}, X, [1, None, 0], SEX),
            ValueError,
            "y has 1 missing values in 3 rows.",
        ),
        "labels in a matrix": (
            lambda: compare({"m": model}, X, np.zeros((3, 2)), SEX),
            ValueError,
            "y must have one dimension; it has shape (3, 2).",
        ),
        "predictions outside the label set": (
            lambda: compare({"m": lambda X: np.full(len(X), 7)}, X, Y, SEX),
            ValueError,
            "the predictions of model 'm' has 7, which is not among the known values 0, 1.",
        ),
        "an unknown measure": (
            lambda: compared(measures=["DP"]),
            ValueError,
            "measures has 'DP'; pass some of 'discriminative_risk', "
            "'discriminative_risk_difference', 'demographic_parity', 'equal_opportunity', "
            "'predictive_parity', 'equalized_odds', 'equalized_odds_mean', "
            "'disparate_impact', 'accuracy', 'precision', 'recall', 'f1', 'specificity'.",
        ),
        "no measure": (
            lambda: compared(measures=[]),
            ValueError,
            "measures has nothing; pass some of 'discriminative_risk', "
            "'discriminative_risk_difference', 'demographic_parity', 'equal_opportunity', "
            "'predictive_parity', 'equalized_odds', 'equalized_odds_mean', "
            "'disparate_impact', 'accuracy', 'precision', 'recall', 'f1', 'specificity'.",
        ),
        "a number for a measure": (
            lambda: compared(measures=5),
            TypeError,
            "measures must be names of measures; it is 5.",
        ),
        "quantities for labels": (
            lambda: compare(
                {"m": Predictions(np.arange(300))},
                pd.DataFrame({"s": [0, 1] * 150}),
                np.arange(300),
                {"s": 1},
            ),
            ValueError,
            "y and the models have 300 distinct labels, more than 100. If they are "
            "quantities, use assess_risk(..., tolerance=...).",
        ),
        "an unknown provider": (
            lambda: compared(provider="themis"),
            ValueError,
            "provider 'themis' is unknown; there are 'core', 'aif360', 'fairlearn'.",
        ),
        "an unknown favourable label": (
            lambda: compared(favorable="yes"),
            ValueError,
            "favorable is 'yes', but the classes are 0, 1.",
        ),
        "no favourable label among words": (
            lambda: compare({"m": lambda X: X["sex"]}, X, X["sex"], SEX),
            ValueError,
            "say which label is favourable: favorable=, one of 'F', 'M'.",
        ),
        "a negative number of replicates": (
            lambda: compared(n_boot=-1),
            ValueError,
            "n_boot must be a whole number, 0 or more; it is -1.",
        ),
        "a truth value for the number of replicates": (
            lambda: compared(n_boot=True),
            ValueError,
            "n_boot must be a whole number, 0 or more; it is True.",
        ),
        "a confidence of 0": (
            lambda: compared(confidence=0),
            ValueError,
            "confidence must lie between 0 and 1; it is 0.",
        ),
        "a negative number of individuals": (
            lambda: compared(individuals=-1),
            ValueError,
            "individuals must be a whole number, 0 or more; it is -1.",
        ),
        "a negative seed": (
            lambda: compared(n_boot=1, random_state=-1),
            ValueError,
            "random_state must be a whole number, 0 or more, a NumPy generator or None; it is -1.",
        ),
        "missing values for another provider": (
            lambda: compare(
                {"m": model},
                X.assign(sex=["M", "F", None]),
                Y,
                SEX,
                missing="keep",
                provider="fairlearn",
            ),
            ValueError,
            "'sex' has missing values; other providers cannot keep such rows apart. Drop "
            'them, or use provider="core".',
        ),
        "models without names": (
            lambda: compare([model], X, Y, SEX),
            TypeError,
            'models must map names to models, such as {"forest": forest}; it is a list.',
        ),
        "no models": (
            lambda: compare({}, X, Y, SEX),
            TypeError,
            'models must map names to models, such as {"forest": forest}; it is empty.',
        ),
        "a name for a model": (
            lambda: compare({"m": "model"}, X, Y, SEX),
            TypeError,
            "the model is a str; pass an object with predict(X), or a function of X that "
            "returns predictions.",
        ),
    },
    "Predictions": {
        "predictions outside the label set": (
            lambda: compare({"m": Predictions(["a", "b", "a"])}, X, Y, SEX),
            ValueError,
            "y_pred of 'm' has 'a', 'b', which is not among the known values 0, 1.",
        ),
        "too few predictions": (
            lambda: compare({"m": Predictions([1, 0])}, X, Y, SEX),
            ValueError,
            "y_pred of 'm' has length 2, but X has 3 rows.",
        ),
        "missing predictions": (
            lambda: compare({"m": Predictions([1, 0, np.nan])}, X, Y, SEX),
            ValueError,
            "y_pred of 'm' has 1 missing values in 3 rows.",
        ),
        "too few perturbed predictions": (
            lambda: compare({"m": Predictions(Y, [1])}, X, Y, SEX),
            ValueError,
            "y_pred_perturbed of 'm' has length 1, but X has 3 rows.",
        ),
        "perturbed predictions of an unknown attribute": (
            lambda: compare({"m": Predictions(Y, {"race": Y})}, X, Y, SEX),
            ValueError,
            "y_pred_perturbed of 'm' has 'race'; its keys must be among 'sex', where 'all' "
            "is all attributes perturbed together.",
        ),
    },
    "Comparison": {
        "a report in a folder that does not exist": (
            lambda: compared(measures="accuracy").to_html("no/such/folder.html"),
            FileNotFoundError,
            "[Errno 2] No such file or directory: 'no/such/folder.html'",
        ),
        "values in place of a folder": (
            lambda: compared(measures="accuracy").to_json("."),
            IsADirectoryError,
            "[Errno 21] Is a directory: '.'",
        ),
    },
    "Votes": {
        "a vector of votes": (
            lambda: Votes([0, 1], [0, 1], [0, 1]),
            ValueError,
            "votes must have shape (members, instances), with at least one of each; found (2,).",
        ),
        "no votes": (
            lambda: Votes([], [], []),
            ValueError,
            "votes must have shape (members, instances), with at least one of each; found (0,).",
        ),
        "rows of different lengths": (
            lambda: Votes([[0], [0, 1]], [[0], [0]], [0]),
            ValueError,
            "votes must be an array; found rows of different lengths.",
        ),
        "other votes after perturbation": (
            lambda: Votes([[0, 1]], [[0]], [0, 1]),
            ValueError,
            "perturbed must have shape (1, 2) to go with votes of shape (1, 2); found (1, 1).",
        ),
        "too few labels": (
            lambda: Votes([[0, 1]], [[0, 1]], [0]),
            ValueError,
            "y must have shape (2,) to go with votes of shape (1, 2); found (1,).",
        ),
        "votes in words and labels in numbers": (
            lambda: Votes([["a"]], [["a"]], [0]),
            ValueError,
            "votes, perturbed and y must hold labels of one kind; found votes of <U1, "
            "perturbed of <U1, y of int64.",
        ),
        "missing votes": (
            lambda: Votes([[0, np.nan]], [[0, 1.0]], [0, 1.0]),
            ValueError,
            "votes holds missing labels (NaN or None); drop those instances first.",
        ),
        "labels that cannot be sorted": (
            lambda: Votes(np.array([[0, "a"]], object), np.array([[0, "a"]], object), ["a", "a"]),
            ValueError,
            "labels of types int, str cannot be sorted; use one type.",
        ),
        "too few weights": (
            lambda: Votes([[0]], [[0]], [0], weights=[1, 1]),
            ValueError,
            "weights must have shape (1,), as many as the votes have members; found (2,).",
        ),
        "weights in words": (
            lambda: Votes([[0]], [[0]], [0], weights=["a"]),
            ValueError,
            "weights must be numbers: could not convert string to float: 'a'.",
        ),
        "negative weights": (
            lambda: Votes([[0]], [[0]], [0], weights=[-1]),
            ValueError,
            "weights must be finite and at least 0; found -1.0.",
        ),
        "weights of zero": (
            lambda: Votes([[0]], [[0]], [0], weights=[0]),
            ValueError,
            "weights are all 0; at least one must be positive.",
        ),
        "too few sample weights": (
            lambda: Votes([[0, 0]], [[0, 0]], [0, 0], sample_weight=[1]),
            ValueError,
            "sample_weight must have shape (2,), as many as the votes have instances; found (1,).",
        ),
        "infinite sample weights": (
            lambda: Votes([[0]], [[0]], [0], sample_weight=[np.inf]),
            ValueError,
            "sample_weight must be finite and at least 0; found inf.",
        ),
        "positions beyond the classes": (
            lambda: Votes([[2]], [[0]], [0], classes=["a", "b"]),
            ValueError,
            "votes must hold positions from 0 to 1, one for each of classes; found 2 to 2.",
        ),
        "labels for positions": (
            lambda: Votes([["a"]], [["a"]], ["a"], classes=["a", "b"]),
            ValueError,
            "votes must hold positions in classes, whole numbers; found <U1. Leave classes "
            "out to have labels encoded.",
        ),
        "rows that do not fit": (
            lambda: Votes([[0]], [[0]], [0], rows=[0, 1]),
            ValueError,
            "rows must have shape (1,), one for each instance; found (2,).",
        ),
    },
    "collect_votes": {
        "what is no ensemble": (
            lambda: collect_votes(model, X, Y, SEX),
            TypeError,
            "a function is not a weighted vote of classifiers. Supported are "
            "RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, "
            "AdaBoostClassifier, VotingClassifier, a Pipeline that ends in one of these, "
            "and a list of fitted classifiers; register others with "
            "dr_core.ensembles.as_ensemble.",
        ),
        "gradient boosting": (
            lambda: collect_votes(
                GradientBoostingClassifier(n_estimators=1).fit(NUMBERS, [0, 0, 1, 1]),
                NUMBERS,
                [0, 0, 1, 1],
                {"sex": 1},
            ),
            TypeError,
            "a GradientBoostingClassifier is not a weighted vote of classifiers. Supported "
            "are RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, "
            "AdaBoostClassifier, VotingClassifier, a Pipeline that ends in one of these, "
            "and a list of fitted classifiers; register others with "
            "dr_core.ensembles.as_ensemble.",
        ),
        "no members": (
            lambda: collect_votes([], X, Y, SEX),
            ValueError,
            "the list of members is empty; pass at least one fitted classifier.",
        ),
        "an ensemble that is not fitted": (
            lambda: collect_votes(RandomForestClassifier(), NUMBERS, [0, 0, 1, 1], {"sex": 1}),
            NotFittedError,
            "This RandomForestClassifier instance is not fitted yet. Call 'fit' with "
            "appropriate arguments before using this estimator.",
        ),
        "labels that the ensemble does not know": (
            lambda: collect_votes(forest(), NUMBERS, [0, 0, 1, 2], {"sex": 1}),
            ValueError,
            "y has 2, which is not among the known values 0, 1.",
        ),
        "too few labels": (
            lambda: collect_votes(forest(), NUMBERS, [0, 1], {"sex": 1}),
            ValueError,
            "y has length 2, but X has 4 rows.",
        ),
        "too few weights of members": (
            lambda: collect_votes(forest(), NUMBERS, [0, 0, 1, 1], {"sex": 1}, weights=[1]),
            ValueError,
            "weights must have shape (3,), as many as the votes have members; found (1,).",
        ),
        "an unknown method": (
            lambda: collect_votes(forest(), NUMBERS, [0, 0, 1, 1], {"sex": 1}, method="all"),
            ValueError,
            'method must be "exact" or "sample"; it is \'all\'.',
        ),
        "infinite features": (
            lambda: collect_votes(
                forest(), NUMBERS.assign(age=[1.0, 2, 3, 1e39]), [0, 0, 1, 1], {"sex": 1}
            ),
            ValueError,
            "X has infinite values, or values too large for float32.",
        ),
    },
    "compute_bounds": {
        "what are no votes": (
            lambda: compute_bounds([[0, 1]]),
            TypeError,
            "votes is a list; pass Votes, as collect_votes returns them.",
        ),
        "a share of 1": (
            lambda: compute_bounds(VOTES, low_margin_share=1),
            ValueError,
            'low_margin_share must be in [0, 1) or "best"; found 1.',
        ),
        "a share in words": (
            lambda: compute_bounds(VOTES, low_margin_share="worst"),
            ValueError,
            "low_margin_share must be in [0, 1) or \"best\"; found 'worst'.",
        ),
        "no share": (
            lambda: compute_bounds(VOTES, low_margin_share=None),
            ValueError,
            'low_margin_share must be in [0, 1) or "best"; found None.',
        ),
        "a delta of 0": (
            lambda: compute_bounds(VOTES, delta=0),
            ValueError,
            "delta must be in (0, 1); found 0.",
        ),
        "a delta in words": (
            lambda: compute_bounds(VOTES, delta="small"),
            ValueError,
            "delta must be in (0, 1); found 'small'.",
        ),
    },
    "poaf": {
        "what are no votes": (
            lambda: poaf([[0, 1]], 1),
            TypeError,
            "votes is a list; pass Votes, as collect_votes returns them.",
        ),
        "no members": (
            lambda: poaf(VOTES, 0),
            ValueError,
            "max_members must be a whole number from 1 to 3, the number of members; found 0.",
        ),
        "more members than there are": (
            lambda: poaf(VOTES, 4),
            ValueError,
            "max_members must be a whole number from 1 to 3, the number of members; found 4.",
        ),
        "half a member": (
            lambda: poaf(VOTES, 1.5),
            ValueError,
            "max_members must be a whole number from 1 to 3, the number of members; found 1.5.",
        ),
        "a truth value for the number of members": (
            lambda: poaf(VOTES, True),
            ValueError,
            "max_members must be a whole number from 1 to 3, the number of members; found True.",
        ),
        "a trade-off above 1": (
            lambda: poaf(VOTES, 2, trade_off=1.5),
            ValueError,
            "trade_off weighs accuracy and must be in [0, 1]; found 1.5.",
        ),
        "a trade-off that is no number": (
            lambda: poaf(VOTES, 2, trade_off=np.nan),
            ValueError,
            "trade_off weighs accuracy and must be in [0, 1]; found nan.",
        ),
        "a trade-off in words": (
            lambda: poaf(VOTES, 2, trade_off="fair"),
            ValueError,
            "trade_off weighs accuracy and must be in [0, 1]; found 'fair'.",
        ),
        "a negative number of iterations": (
            lambda: poaf(VOTES, 2, n_iter=-1),
            ValueError,
            "n_iter must be a whole number, at least 0; found -1.",
        ),
        "a truth value for the number of iterations": (
            lambda: poaf(VOTES, 2, n_iter=True),
            ValueError,
            "n_iter must be a whole number, at least 0; found True.",
        ),
        "an unknown neighbourhood": (
            lambda: poaf(VOTES, 2, neighbourhood="all"),
            ValueError,
            'neighbourhood must be "exchange" or "paper"; found \'all\'.',
        ),
        "a neighbourhood that is no word": (
            lambda: poaf(VOTES, 2, neighbourhood=[]),
            ValueError,
            'neighbourhood must be "exchange" or "paper"; found [].',
        ),
        "an unknown selection": (
            lambda: poaf(VOTES, 2, selection="best"),
            ValueError,
            'selection must be "objective", "largest", "min_risk" or a function of the '
            "front; found 'best'.",
        ),
        "a selection beyond the front": (
            lambda: poaf(VOTES, 2, selection=len),
            ValueError,
            "selection must return the position of a row, 0 to 0; found 1.",
        ),
        "a negative tolerance": (
            lambda: poaf(VOTES, 2, accuracy_tolerance=-0.1),
            ValueError,
            "accuracy_tolerance must be at least 0; found -0.1.",
        ),
        "a tolerance in words": (
            lambda: poaf(VOTES, 2, accuracy_tolerance="little"),
            ValueError,
            "accuracy_tolerance must be at least 0; found 'little'.",
        ),
        "a seed in words": (
            lambda: poaf(VOTES, 2, n_iter=0, random_state="x"),
            ValueError,
            "random_state must be a whole number, 0 or more, a NumPy generator or None; it "
            "is 'x'.",
        ),
    },
    "epaf": {
        "what are no votes": (
            lambda: epaf(None, 1),
            TypeError,
            "votes is a NoneType; pass Votes, as collect_votes returns them.",
        ),
        "more members than there are": (
            lambda: epaf(VOTES, 9),
            ValueError,
            "max_members must be a whole number from 1 to 3, the number of members; found 9.",
        ),
        "a negative trade-off": (
            lambda: epaf(VOTES, 2, trade_off=-0.1),
            ValueError,
            "trade_off weighs accuracy and must be in [0, 1]; found -0.1.",
        ),
        "no groups": (
            lambda: epaf(VOTES, 2, n_groups=0),
            ValueError,
            "n_groups must be a whole number from 1 to 3, the number of members with a say;"
            " found 0.",
        ),
        "more groups than members": (
            lambda: epaf(VOTES, 2, n_groups=4),
            ValueError,
            "n_groups must be a whole number from 1 to 3, the number of members with a say;"
            " found 4.",
        ),
        "a truth value for the number of groups": (
            lambda: epaf(VOTES, 2, n_groups=True),
            ValueError,
            "n_groups must be a whole number from 1 to 3, the number of members with a say;"
            " found True.",
        ),
    },
    "exhaustive_front": {
        "what are no votes": (
            lambda: exhaustive_front("votes"),
            TypeError,
            "votes is a str; pass Votes, as collect_votes returns them.",
        ),
        "too many members": (
            lambda: exhaustive_front(Votes([[0, 1]] * 21, [[0, 1]] * 21, y=[0, 1])),
            ValueError,
            "exhaustive_front judges all sub-ensembles of at most 20 members; found 21. Use"
            " poaf or epaf.",
        ),
        "no members": (
            lambda: exhaustive_front(VOTES, 0),
            ValueError,
            "max_members must be a whole number from 1 to 3, the number of members; found 0.",
        ),
        "a trade-off above 1": (
            lambda: exhaustive_front(VOTES, trade_off=2),
            ValueError,
            "trade_off weighs accuracy and must be in [0, 1]; found 2.",
        ),
        "an unknown selection": (
            lambda: exhaustive_front(VOTES, selection="first"),
            ValueError,
            'selection must be "objective", "largest", "min_risk" or a function of the '
            "front; found 'first'.",
        ),
    },
    "as_ensemble": {
        "what is no ensemble": (
            lambda: as_ensemble(model),
            TypeError,
            "a function is not a weighted vote of classifiers. Supported are "
            "RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, "
            "AdaBoostClassifier, VotingClassifier, a Pipeline that ends in one of these, "
            "and a list of fitted classifiers; register others with "
            "dr_core.ensembles.as_ensemble.",
        ),
    },
    "Ensemble": {
        "another word than the two": (
            lambda: Ensemble([forest()], np.array([0, 1]), member_says="classes"),
            ValueError,
            'member_says must be "positions" or "labels"; it is \'classes\'.',
        ),
        "more weights than members": (
            lambda: Ensemble([forest()], np.array([0, 1]), weights=np.ones(2)),
            ValueError,
            "weights must have shape (1,), as many as the votes have members; found (2,).",
        ),
    },
    "wilson": {
        "a mean beyond 1": (
            lambda: wilson(1.5, 10, 0.95),
            ValueError,
            "mean must be in [0, 1]; got 1.5.",
        ),
        "no rows": (lambda: wilson(0.5, 0, 0.95), ValueError, "n must be greater than 0; got 0."),
    },
    "chernoff": {
        "a percentage": (
            lambda: chernoff(0.5, 10, 95),
            ValueError,
            "confidence must lie between 0 and 1; it is 95.",
        ),
    },
    "export": {
        "what is no ensemble": (
            lambda: export(model, [0]),
            TypeError,
            "a function is not a weighted vote of classifiers. Supported are "
            "RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier, "
            "AdaBoostClassifier, VotingClassifier, a Pipeline that ends in one of these, "
            "and a list of fitted classifiers; register others with "
            "dr_core.ensembles.as_ensemble.",
        ),
        "no members": (
            lambda: export(forest(), []),
            ValueError,
            "members must be distinct positions from 0 to 2, at least one; found nothing.",
        ),
        "a member twice": (
            lambda: export(forest(), [1, 1]),
            ValueError,
            "members must be distinct positions from 0 to 2, at least one; found 1, 1.",
        ),
        "a member that is not there": (
            lambda: export(forest(), [0, 3]),
            ValueError,
            "members must be distinct positions from 0 to 2, at least one; found 0, 3.",
        ),
        "a negative position": (
            lambda: export(forest(), [-1]),
            ValueError,
            "members must be distinct positions from 0 to 2, at least one; found -1.",
        ),
        "truth values for positions": (
            lambda: export(forest(), np.array([True, False])),
            ValueError,
            "members must be distinct positions from 0 to 2, at least one; found True, False.",
        ),
        "half a position": (
            lambda: export(forest(), [0.5, 1]),
            ValueError,
            "members must be distinct positions from 0 to 2, at least one; found 0.5, 1.0.",
        ),
    },
    "iter_chunks": {
        "no rows": (
            lambda: iter_chunks("a.csv", 0),
            ValueError,
            "rows must be a whole number, 1 or more; it is 0.",
        ),
        "no file": (
            lambda: iter_chunks([]),
            ValueError,
            "iter_chunks needs at least one file; it was given none.",
        ),
        "a file that is not there": (
            lambda: iter_chunks("no/such/file.csv"),
            ValueError,
            "there is no file 'no/such/file.csv'.",
        ),
        "a file of an unknown kind": (
            lambda: iter_chunks(__file__),
            ValueError,
            "'core.py' must end in .csv, .csv.gz or .parquet.",
        ),
    },
    "suggest_couplings": {
        "a sensitive column that is not in X": (
            lambda: suggest_couplings(X, {"race": "W"}),
            ValueError,
            "sensitive column 'race' is not in X, which has 'sex', 'age'. A model that "
            "never sees an attribute has discriminative risk 0 by definition; pass X as the"
            " model sees it, with the column that carries the attribute.",
        ),
        "a share above 1": (
            lambda: suggest_couplings(X, SEX, rare=1.5),
            ValueError,
            "rare must be at least 0 and less than 1; it is 1.5.",
        ),
        "a number of rows that is none": (
            lambda: suggest_couplings(X, SEX, min_expected=float("nan")),
            ValueError,
            "min_expected must be finite and at least 0; it is nan.",
        ),
        "a share in words": (
            lambda: suggest_couplings(X, SEX, rare="seldom"),
            ValueError,
            "rare must be at least 0 and less than 1; it is 'seldom'.",
        ),
    },
    "datasets": {
        "an unknown data set": (
            lambda: datasets.load("adult"),
            ValueError,
            "no data set is called 'adult'; there are 'ricci', 'credit', 'income', 'ppr', "
            "'ppvr', 'lawschool'.",
        ),
        "a list of data sets": (
            lambda: datasets.load(["ricci"]),
            ValueError,
            "no data set is called ['ricci']; there are 'ricci', 'credit', 'income', 'ppr',"
            " 'ppvr', 'lawschool'.",
        ),
        "a name in place of a data set": (
            lambda: datasets.binarize("ricci"),
            TypeError,
            "dataset is a str; pass what datasets.load(name) returns.",
        ),
    },
}

EXEMPT = {
    "LABELS": "a constant",
    "POSITIONS": "a constant",
    "Plausibility": "a dataclass that assess_risk makes; it checks nothing",
    "Suggestions": "a dataclass that suggest_couplings makes; it checks nothing",
    "Perturbations": "a NamedTuple that enumerate_perturbations makes; it checks nothing",
    "PruningResult": "a dataclass that pruning makes; it checks nothing",
    "SensitiveAttributes": "a dataclass that learn_attributes makes, which checks what goes in",
}
