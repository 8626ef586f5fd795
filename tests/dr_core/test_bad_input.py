"""Bad input gets an error that names the column or argument, what was found, and what to do."""

import numpy as np
import pandas as pd
import pytest

from dr_core import (
    OneHot,
    Predictions,
    assess_risk,
    compare,
    datasets,
    learn_attributes,
    perturb,
)

X = pd.DataFrame({"sex": ["M", "F", "F"], "age": [30, 40, 50]})
Y = [1, 0, 1]


def model(X):
    return (X["age"] > 35).astype(int)


PERTURB = {
    "a privileged value that is not in the column": (
        lambda: perturb(X, {"sex": "Male"}),
        "privileged value 'Male' is not in column 'sex', which has 'F', 'M'.",
    ),
    "no privileged value at all": (
        lambda: perturb(X, {"sex": []}),
        "privileged names no value of 'sex', which has 'F', 'M'.",
    ),
    "a sensitive column that is not in X": (
        lambda: perturb(X, {"race": "W"}),
        "sensitive column 'race' is not in X, which has 'sex', 'age'. A model that never sees an "
        "attribute has discriminative risk 0 by definition; pass X as the model sees it",
    ),
    "a position that is not in an array": (
        lambda: perturb(np.zeros((2, 2)), {5: 1}),
        "sensitive column 5 is not in X, which has 0, 1.",
    ),
    "one single value": (
        lambda: perturb(X[1:], {"sex": "F"}),
        "sensitive attribute 'sex' has the single value 'F': there is nothing to perturb it into.",
    ),
    "only privileged values": (
        lambda: perturb(X, {"sex": ["M", "F"]}),
        "all values of 'sex' are privileged ('F', 'M'); at least one must not be.",
    ),
    "too many numbers": (
        lambda: perturb(pd.DataFrame({"age": range(60)}), {"age": 1}),
        "sensitive attribute 'age' has 60 distinct numbers. Bin it first, or pass its values as "
        "domain={'age': [...]}.",
    ),
    "missing sensitive values": (
        lambda: perturb(pd.DataFrame({"sex": ["M", "F", None, None]}), {"sex": "M"}),
        "sensitive attribute 'sex' is missing in 2 of 4 rows. Fill or drop them, or pass "
        'missing="keep" to leave them unperturbed.',
    ),
    "a value outside the given domain": (
        lambda: perturb(X, {"sex": "M"}, domain={"sex": ["M", "D"]}),
        "sensitive attribute 'sex' has 'F', which is not among the known values 'D', 'M'.",
    ),
    "a category that the column cannot hold": (
        lambda: perturb(
            X.astype({"sex": "category"}), {"sex": "M"}, domain={"sex": ["M", "F", "D"]}
        ),
        "column 'sex' cannot hold 'D': its categories are 'F', 'M'. Add the missing categories",
    ),
    "text too long for an array": (
        lambda: perturb(np.array([["M"], ["F"]]), {0: "M"}, domain={0: ["M", "F", "Diverse"]}),
        "column 0 of dtype <U1 cannot hold",
    ),
    "an unknown way to treat missing values": (
        lambda: perturb(X, {"sex": "M"}, missing="drop"),
        'missing must be "error" or "keep"; it is \'drop\'.',
    ),
    "p of 0": (lambda: perturb(X, {"sex": "M"}, p=0), "p must be greater than 0 and at most 1"),
    "p above 1": (lambda: perturb(X, {"sex": "M"}, p=1.1), "it is 1.1."),
    "an empty X": (lambda: perturb(X[:0], {"sex": "M"}), "X is empty"),
    "a vector": (
        lambda: perturb(np.zeros(3), {0: 1}),
        "X must have two dimensions, rows and columns; it has 1.",
    ),
    "columns of the same name": (
        lambda: perturb(pd.concat([X, X], axis=1), {"sex": "M"}),
        "X has columns of the same name: 'age', 'sex'. Rename them first.",
    ),
    "the reserved name": (
        lambda: perturb(X.rename(columns={"sex": "all"}), {"all": "M"}),
        "the name 'all' stands for all attributes together; rename the column.",
    ),
    "two hot columns in a row": (
        lambda: perturb(pd.DataFrame({"a": [1, 1], "b": [0, 1]}), {"s": OneHot(["a", "b"], "a")}),
        "one-hot attribute 's': 1 rows do not have exactly one 1 among 'a', 'b'.",
    ),
    "a one-hot column with other values": (
        lambda: perturb(pd.DataFrame({"a": [1, 2], "b": [0, 0]}), {"s": OneHot(["a", "b"], "a")}),
        "one-hot column 'a' has 2, which is not among the known values 0, 1.",
    ),
    "an absent one-hot column": (
        lambda: perturb(X, {"s": OneHot(["a", "b"], "a")}),
        "sensitive column 'a', 'b' is not in X",
    ),
    "a domain of another column": (
        lambda: perturb(X, {"sex": "M"}, domain={"Sex": ["M", "F"]}),
        "domain has 'Sex'; its keys must be sensitive columns: 'sex'.",
    ),
    "a domain for attributes that have one": (
        lambda: perturb(X, learn_attributes(X, {"sex": "M"}), domain={"sex": ["M", "F"]}),
        "domain was learned with the attributes",
    ),
    "a table without a column learned before": (
        lambda: perturb(X[["age"]], learn_attributes(X, {"sex": "M"})),
        "sensitive column 'sex' is not in X",
    ),
    "a column in two attributes": (
        lambda: perturb(
            pd.DataFrame({"a": [1, 0], "b": [0, 1]}), {"s": OneHot(["a", "b"], "a"), "a": 1}
        ),
        "two sensitive attributes share the columns 'a'.",
    ),
    "a column without any value": (
        lambda: perturb(pd.DataFrame({"sex": [None, None]}), {"sex": "M"}),
        "sensitive attribute 'sex' is missing in all 2 rows.",
    ),
    "a number that a column cannot hold": (
        lambda: perturb(
            pd.DataFrame({"a": np.array([1, 2], "int8")}), {"a": 1}, domain={"a": [1, 2, 300]}
        ),
        "column 'a' of dtype int8 cannot hold 1, 2, 300.",
    ),
}

RISK = {
    "an unknown method": (
        lambda: assess_risk(model, X, {"sex": "M"}, method="guess"),
        'method must be "exact" or "sample"; it is \'guess\'.',
    ),
    "no samples": (
        lambda: assess_risk(model, X, {"sex": "M"}, method="sample", n_samples=0),
        "n_samples must be a whole number, 1 or more; it is 0.",
    ),
    "an empty chunk": (
        lambda: assess_risk(model, X, {"sex": "M"}, chunk_size=0),
        "chunk_size must be a whole number, 1 or more; it is 0.",
    ),
    "a chunk of half a row": (
        lambda: assess_risk(model, X, {"sex": "M"}, chunk_size=0.5),
        "chunk_size must be a whole number, 1 or more; it is 0.5.",
    ),
    "a negative tolerance": (
        lambda: assess_risk(model, X, {"sex": "M"}, tolerance=-1),
        "tolerance must be finite and at least 0; it is -1.",
    ),
    "a tolerance that is no number": (
        lambda: assess_risk(model, X, {"sex": "M"}, tolerance=np.nan),
        "tolerance must be finite and at least 0; it is nan.",
    ),
    "a tolerance for words": (
        lambda: assess_risk(lambda X: X["sex"].to_numpy(), X, {"sex": "M"}, tolerance=1),
        "tolerance is 1, but predictions are not numbers",
    ),
    "labels that no prediction equals": (
        lambda: assess_risk(model, X, {"sex": "M"}, y=["1", "0", "1"]),
        "the model's prediction has 0, 1, which is not among the known values '0', '1'.",
    ),
    "too many perturbations to enumerate": (
        lambda: assess_risk(
            lambda X: X["a"],
            pd.DataFrame({name: range(30) for name in "abc"}),
            dict.fromkeys("abc", 0),
        ),
        'a row has up to 24,476 perturbations, more than 10,000. Use method="sample"',
    ),
    "too few weights": (
        lambda: assess_risk(model, X, {"sex": "M"}, sample_weight=[1, 2]),
        "sample_weight has length 2, but X has 3 rows.",
    ),
    "negative weights": (
        lambda: assess_risk(model, X, {"sex": "M"}, sample_weight=[1, -2, 1]),
        "sample_weight must be finite and not negative; it ranges from -2.0 to 1.0.",
    ),
    "weights of zero": (
        lambda: assess_risk(model, X, {"sex": "M"}, sample_weight=[0, 0, 0]),
        "Sample weights must contain at least one non-zero number; sample_weight is all 0.",
    ),
    "too few predictions": (
        lambda: assess_risk(lambda X: [1], X, {"sex": "M"}),
        "the model returned predictions of shape (1,) for 3 rows; one prediction a row is needed.",
    ),
    "predictions with several columns": (
        lambda: assess_risk(lambda X: np.zeros((len(X), 2)), X, {"sex": "M"}),
        "predictions of shape (3, 2) for 3 rows",
    ),
    "missing predictions": (
        lambda: assess_risk(lambda X: [np.nan] * len(X), X, {"sex": "M"}),
        "the model returned 3 missing predictions for 3 rows.",
    ),
    "a confidence of 1": (
        lambda: assess_risk(model, X, {"sex": "M"}).interval(1),
        "confidence must lie between 0 and 1; it is 1.",
    ),
    "an unknown interval": (
        lambda: assess_risk(model, X, {"sex": "M"}).interval(method="wald"),
        "method must be one of ['wilson', 'chernoff']; it is 'wald'.",
    ),
}

COMPARE = {
    "too few labels": (
        lambda: compare({"m": model}, X, [1, 0], {"sex": "M"}),
        "y has length 2, but X has 3 rows.",
    ),
    "missing labels": (
        lambda: compare({"m": model}, X, [1, None, 0], {"sex": "M"}),
        "y has 1 missing values in 3 rows.",
    ),
    "labels in a matrix": (
        lambda: compare({"m": model}, X, np.zeros((3, 2)), {"sex": "M"}),
        "y must have one dimension; it has shape (3, 2).",
    ),
    "predictions outside the label set": (
        lambda: compare({"m": lambda X: np.full(len(X), 7)}, X, Y, {"sex": "M"}),
        "the predictions of model 'm' has 7, which is not among the known values 0, 1.",
    ),
    "given predictions outside the label set": (
        lambda: compare({"m": Predictions(["a", "b", "a"])}, X, Y, {"sex": "M"}),
        "y_pred of 'm' has 'a', 'b', which is not among the known values 0, 1.",
    ),
    "too few given predictions": (
        lambda: compare({"m": Predictions([1, 0])}, X, Y, {"sex": "M"}),
        "y_pred of 'm' has length 2, but X has 3 rows.",
    ),
    "perturbed predictions of an unknown attribute": (
        lambda: compare({"m": Predictions(Y, {"race": Y})}, X, Y, {"sex": "M"}),
        "y_pred_perturbed of 'm' has 'race'; its keys must be among 'sex'",
    ),
    "an unknown measure": (
        lambda: compare({"m": model}, X, Y, {"sex": "M"}, measures=["DP"]),
        "measures has 'DP'; pass some of 'discriminative_risk'",
    ),
    "no measure": (
        lambda: compare({"m": model}, X, Y, {"sex": "M"}, measures=[]),
        "measures has nothing; pass some of 'discriminative_risk'",
    ),
    "quantities for labels": (
        lambda: compare(
            {"m": Predictions(np.arange(300))},
            pd.DataFrame({"s": [0, 1] * 150}),
            np.arange(300),
            {"s": 1},
        ),
        "y and the models have 300 distinct labels, more than 100. If they are quantities, use",
    ),
    "an unknown provider": (
        lambda: compare({"m": model}, X, Y, {"sex": "M"}, provider="themis"),
        "provider 'themis' is unknown; there are 'core', 'aif360', 'fairlearn'.",
    ),
    "an unknown favourable label": (
        lambda: compare({"m": model}, X, Y, {"sex": "M"}, favorable="yes"),
        "favorable is 'yes', but the classes are 0, 1.",
    ),
    "a negative number of replicates": (
        lambda: compare({"m": model}, X, Y, {"sex": "M"}, n_boot=-1),
        "n_boot must be a whole number, 0 or more; it is -1.",
    ),
    "missing values for another provider": (
        lambda: compare(
            {"m": model},
            X.assign(sex=["M", "F", None]),
            Y,
            {"sex": "M"},
            missing="keep",
            provider="fairlearn",
        ),
        "'sex' has missing values; other providers cannot keep such rows apart.",
    ),
}

CASES = PERTURB | RISK | COMPARE


@pytest.mark.parametrize("case", CASES)
def test_bad_values_are_named(case):
    call, message = CASES[case]
    with pytest.raises(ValueError, match=r".") as error:
        call()
    assert message in str(error.value)


TYPES = {
    "X of an unknown type": (
        lambda: perturb([[1, 2]], {0: 1}),
        "X is a list; pass a pandas or polars DataFrame, or a two-dimensional NumPy array.",
    ),
    "privileged that is no mapping": (
        lambda: perturb(X, "sex"),
        "privileged must map each sensitive column to its privileged value",
    ),
    "privileged that is empty": (lambda: perturb(X, {}), "privileged must map"),
    "a class instead of a model": (
        lambda: assess_risk(Predictions, X, {"sex": "M"}),
        "Predictions is a class; pass a fitted instance of it.",
    ),
    "a model that cannot predict": (
        lambda: assess_risk("model", X, {"sex": "M"}),
        "the model is a str; pass an object with predict(X), or a function of X",
    ),
    "models without names": (
        lambda: compare([model], X, Y, {"sex": "M"}),
        'models must map names to models, such as {"forest": forest}; it is a list.',
    ),
}


@pytest.mark.parametrize("case", TYPES)
def test_bad_types_are_named(case):
    call, message = TYPES[case]
    with pytest.raises(TypeError) as error:
        call()
    assert message in str(error.value)


def test_an_unknown_data_set_is_named():
    with pytest.raises(ValueError, match="no data set is called 'adult'; there are 'ricci'"):
        datasets.load("adult")
