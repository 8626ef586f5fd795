"""Messages advise arguments that the called function has, or `learn_attributes`."""

import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from dr_core import (
    assess_risk,
    assess_shift,
    at_least,
    collect_votes,
    compare,
    enumerate_perturbations,
    learn_attributes,
    marginalize,
    perturb,
    suggest_couplings,
)

X = pd.DataFrame({"sex": [1, 0] * 20, "age": range(20, 60)})
Y = [0, 1, 1, 0] * 10
GAPS = X.assign(sex=[1, 0, None, 1] * 10)
FOREST = RandomForestClassifier(3, random_state=0).fit(X.fillna(0), Y)


def predict(X):
    return (X["age"] > 40).astype(int)


FUNCTIONS = {
    "assess_risk": lambda X, privileged: assess_risk(predict, X, privileged),
    "assess_shift": lambda X, privileged: assess_shift(predict, X, privileged),
    "collect_votes": lambda X, privileged: collect_votes(FOREST, X, Y, privileged),
    "compare": lambda X, given: compare({"m": predict}, X, Y, given, measures=["accuracy"]),
    "enumerate_perturbations": enumerate_perturbations,
    "marginalize": lambda X, privileged: marginalize(predict, X, privileged),
    "perturb": perturb,
    "suggest_couplings": suggest_couplings,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_missing_values_are_kept_by_learned_attributes(name):
    advice = r'pass learn_attributes\(X, privileged, missing="keep"\) as privileged'
    with pytest.raises(ValueError, match=advice):
        FUNCTIONS[name](GAPS, {"sex": 1})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_advice_on_missing_values_can_be_followed(name):
    FUNCTIONS[name](GAPS, learn_attributes(GAPS, {"sex": 1}, missing="keep"))


def test_placeholders_are_kept_by_learned_attributes():
    advice = r'replace it by None, .*pass learn_attributes\(X, privileged, missing="keep"\)'
    words = X.assign(sex=["M", "?"] * 20)
    with pytest.warns(UserWarning, match=advice):
        perturb(words, {"sex": "M"})


@pytest.mark.parametrize(
    "privileged",
    [{"sex": 1}, {"age": at_least(90)}, {"age": 30}],
    ids=["one value", "one side of a range", "many numbers"],
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_that_X_lacks_are_passed_to_learned_attributes(name, privileged):
    few = X.assign(sex=1)
    with pytest.raises(ValueError, match=r"learn_attributes\(X, privileged, domain=\{.*\}\)"):
        FUNCTIONS[name](few, privileged)


def test_values_of_a_range_are_learned_from_a_column_of_rows():
    with pytest.raises(
        ValueError, match=r"privileged\['age'\].*domain=\{'age': X_train\['age'\]\}"
    ):
        learn_attributes(X, {"age": at_least(90)})
