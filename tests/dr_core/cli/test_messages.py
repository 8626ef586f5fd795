"""Errors advise the options of the command, not arguments of Python functions."""

import json

import numpy as np
import pandas as pd
import pytest

from dr_core import assess_risk, learn_attributes
from dr_core.cli._main import main
from dr_core.cli._messages import advise_options

PYTHON = ("missing=", "domain=", "n_boot", "max_risk", "at_least(", "lambda", "privileged[")
PYTHON += ("learn_attributes", "method=", "assess_", "RandomizedModel", "labels=", "function")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["M", "F"], 90), "age": rng.integers(18, 80, 90)})
    frame = frame.assign(one="x", ok=rng.integers(0, 2, 90))
    frame.to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "rules.json").write_text(json.dumps({"age": 3}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


FILE = ("a.csv", "--label", "ok")


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        ((*FILE, "--privileged", "age=30"), "--privileged 'age>=30'"),
        ((*FILE, "--privileged", "age>=200"), "--privileged 'age>=200'"),
        ((*FILE, "--privileged", "sex>=5"), "--privileged 'sex>=5'"),
        ((*FILE, "--privileged", "one=x"), "Leave it out"),
        ((*FILE, "--privileged", "sex=M", "--n-boot", "-1"), "--n-boot must be"),
        ((*FILE, "--privileged", "sex=M", "--max-risk", "7"), "--max-risk must be"),
        ((*FILE, "--privileged", "sex=M", "--coupled", "rules.json"), "--coupled['age']"),
        (
            (*FILE, "--privileged", "sex=M", "--html", "a.html", "--individuals", "-1"),
            "--individuals must be",
        ),
    ],
)
def test_an_error_names_the_option(capsys, folder, arguments, option):
    assert main(list(arguments)) == 2
    error = capsys.readouterr().err
    assert option in error
    assert not [words for words in PYTHON if words in error]


MESSAGES = {
    "The interval can be too short: the frequencies of the values of 'age' are taken as known, "
    "and those on one side of the limit were learned from only 4 rows; learn them from more rows: "
    "learn_attributes(X, privileged, domain={'age': X_train['age']}) as privileged (or just "
    "domain={'age': X_train['age']}, if the function has this argument)": "from only 4 rows",
    'a row has up to 9 perturbations, more than 1. Use method="sample", or fewer attributes at a '
    "time.": "Name fewer columns with --privileged",
    "the model's predictions are numbers such as 0.1, not decisions: almost every score moves a "
    "little. Pass a function that returns the decision, such as lambda X: model.predict(X) > 0.5; "
    "or use assess_shift, which measures how far scores move.": "Save a model whose predict",
    "the model's predictions differ for 1 of 9 rows. If the model is random, pass its "
    "distribution, RandomizedModel(predict_proba, classes), or fix its seed.": "fix its seed",
}


@pytest.fixture
def gaps():
    return pd.DataFrame({"sex": ["M", "F", None]})


def test_missing_values_are_dropped_or_kept_by_an_option(gaps):
    with pytest.raises(ValueError, match="'sex' is missing in 1 of 3 rows") as raised:
        assess_risk(lambda X: X["sex"] == "M", gaps, {"sex": "M"})
    found = advise_options(str(raised.value))
    assert found.endswith("rows. Pass --missing drop or --missing keep.")


def test_placeholders_of_missing_values_are_dropped_or_kept_by_an_option(gaps):
    with pytest.warns(UserWarning, match="stands for a missing one") as warned:
        learn_attributes(gaps.fillna("?"), {"sex": "M"})
    found = advise_options(str(warned[0].message))
    assert "cells of the file empty, and pass --missing drop or --missing keep" in found


@pytest.mark.parametrize("message", MESSAGES)
def test_advice_for_python_becomes_an_option(message):
    found = advise_options(message)
    assert MESSAGES[message] in found
    assert not [words for words in PYTHON if words in found]


def test_names_of_the_data_stay():
    text = "sensitive column 'max_risk' is not in the file; its columns are 'coupled', 'n_boot'."
    assert advise_options(text) == text
