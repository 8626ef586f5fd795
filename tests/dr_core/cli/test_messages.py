"""Errors advise the options of the command, not arguments of Python functions."""

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

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
        ((*FILE, "--privileged", "age=<45"), "--privileged 'age<=45'"),
        (
            (
                *FILE,
                "--privileged",
                "sex=M",
                "--n-boot",
                "9",
                "--max-gap",
                "demographic_parity=0.1",
            ),
            "--n-boot must be at least 100",
        ),
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


@pytest.mark.parametrize(
    ("privileged", "message", "remedy"),
    [
        (["ok=1"], "'ok' is the label", "pass sensitive columns"),
        (["sex=M", "--person", "sex"], "'sex' is the column of --person", "pass sensitive"),
        (["sex!=M"], "!= is not supported", "such as --privileged sex=F"),
        (
            ["age<=40", "age>=65"],
            "'age <= 40' and 'age >= 65' exclude",
            "add a column to the file",
        ),
        (["age<40", "age>=40"], "'age < 40' and 'age >= 40' exclude", "a union of ranges cannot"),
    ],
)
def test_a_group_that_the_command_cannot_understand_is_explained(
    capsys, folder, privileged, message, remedy
):
    assert main([*FILE, "--privileged", *privileged]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert remedy in said
    assert "between(" not in said


def save_tree(path, columns):
    """Save a tree that was fitted on the whole file, and uses some of its columns."""
    frame = pd.read_csv(path)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = make_pipeline(make_column_transformer(("passthrough", columns)), tree)
    model.fit(frame.drop(columns=["ok", "one"]), frame["ok"])
    Path("m.pkl").write_bytes(pickle.dumps(model))


TREE = ("--privileged", "sex=1", "--n-boot", "9", "--model", "m.pkl", "--trust-pickle")


class TestColumnsOfTheModel:
    @pytest.fixture(autouse=True)
    def rows(self, folder):
        frame = pd.read_csv("a.csv").assign(purpose=range(90), sex=[1, 2] * 45)
        frame.to_csv("all.csv", index=False)
        frame.drop(columns="purpose").to_csv("few.csv", index=False)

    def test_that_the_file_lacks_are_named_with_both_files(self, capsys):
        save_tree("all.csv", ["sex", "purpose"])
        assert main(["few.csv", *FILE[1:], *TREE]) == 2
        said = capsys.readouterr().err
        assert (
            "--model: 'm.pkl' was fitted on the columns 'purpose', which 'few.csv' lacks" in said
        )
        assert "add them to the data" in said

    def test_that_an_option_leaves_out_are_named_with_the_option(self, capsys):
        save_tree("all.csv", ["sex", "purpose"])
        assert main(["all.csv", *FILE[1:], *TREE, "--id", "purpose"]) == 2
        assert "leave out --id" in capsys.readouterr().err

    def test_that_it_does_not_use_may_lack(self, capsys):
        save_tree("all.csv", ["sex", "age"])
        assert main(["few.csv", *FILE[1:], *TREE]) == 0

    def test_that_it_was_not_fitted_on_are_to_be_dropped(self, capsys):
        frame = pd.read_csv("few.csv")
        tree = DecisionTreeClassifier().fit(frame[["sex"]], frame["ok"])
        Path("m.pkl").write_bytes(pickle.dumps(tree))
        assert main(["few.csv", *FILE[1:], *TREE]) == 2
        assert "Leave these columns out with --drop." in capsys.readouterr().err


@pytest.mark.parametrize("copy", [{"M": 1, "F": 0}, {"M": 1}])
def test_the_warning_of_a_copy_advises_options(folder, capsys, copy):
    frame = pd.read_csv("a.csv")
    frame.assign(is_male=frame["sex"].map(copy)).to_csv("copy.csv", index=False)
    main(["copy.csv", "--label", "ok", "--privileged", "sex=M", "--n-boot", "0"])
    [note] = [line for line in capsys.readouterr().err.splitlines() if "may encode it" in line]
    assert "(--drop)" in note
    assert "(--coupled RULES.json)" in note
    assert not any(word in note for word in PYTHON)


@pytest.mark.parametrize(
    ("change", "column"),
    [({"sex": {"M": 1, "F": 2}}, "'job'"), ({"age": lambda age: f"{age} years"}, "'age'")],
    ids=["codes for words", "words for numbers"],
)
def test_a_model_that_was_trained_on_other_types_is_named(folder, capsys, change, column):
    frame = pd.read_csv("a.csv").assign(job="x")
    encode = make_column_transformer((OneHotEncoder(), ["sex", "job"]), remainder="passthrough")
    features = ["sex", "age", "job"]
    model = make_pipeline(encode, StandardScaler(with_mean=False), LogisticRegression())
    Path("model.pkl").write_bytes(pickle.dumps(model.fit(frame[features], frame["ok"])))
    [(name, how)] = change.items()
    frame.assign(**{name: frame[name].map(how)})[[*features, "ok"]].to_csv("b.csv", index=False)
    privileged = "sex=1" if name == "sex" else "sex=M"
    model = ("--model", "model.pkl", "--trust-pickle")
    assert main(["b.csv", "--label", "ok", "--privileged", privileged, *model]) == 2
    message = capsys.readouterr().err
    assert "the model cannot predict these rows" in message
    assert column in message
