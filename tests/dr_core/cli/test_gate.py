"""A policy decides in a pipeline: exit codes of real processes, and JUnit files."""

import json
import subprocess
import sys
from xml.etree import ElementTree

import pandas as pd
import pytest
import skops.io
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from dr_core.cli._main import main

COMMAND = [sys.executable, "-c", "from dr_core.cli import main; raise SystemExit(main())"]


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


# The risk of credit is 0.11, its interval 0.077 to 0.151.
@pytest.mark.parametrize(
    ("limits", "code", "outcome"),
    [
        (["--max-risk", "0.2"], 0, "PASS"),
        (["--max-risk", "0.05"], 1, "FAIL"),
        (["--max-risk", "0.12"], 3, "UNDECIDED"),
        (["--max-risk", "five"], 2, None),
    ],
)
def test_the_exit_code_is_the_decision(capsys, limits, code, outcome):
    found, out, _ = run(capsys, "credit", *limits)
    assert found == code
    assert outcome is None or f"{outcome}: discriminative risk of model for all" in out
    assert ("rows would decide" in out) == (code == 3)


def test_a_process_ends_with_the_exit_code():
    undecided = ["ricci", "--max-risk", "0.001"]
    assert subprocess.run([*COMMAND, *undecided], capture_output=True).returncode == 3


def test_one_failed_limit_fails_all(capsys, tmp_path):
    limits = ("--max-risk", "sex=0.5", "age=0.01", "--max-gap", "demographic_parity=0.15")
    junit, values = tmp_path / "junit.xml", tmp_path / "a.json"
    code, out, _ = run(capsys, "credit", *limits, "--junit", junit, "--json", values)
    assert code == 1
    assert "PASS: discriminative risk of model for sex" in out
    assert "FAIL: discriminative risk of model for age" in out
    assert out.count(": demographic parity of model for") == 3
    verdict = json.loads(values.read_text())["verdict"]
    assert verdict["outcome"] == "fail"
    suite = ElementTree.parse(junit).getroot()
    outcomes = [limit["outcome"] for limit in verdict["limits"]]
    counts = {
        "tests": 5,
        "failures": outcomes.count("fail"),
        "errors": outcomes.count("undecided"),
    }
    assert {name: int(suite.get(name)) for name in counts} == counts
    failed = [test.get("name") for test in suite if test.find("failure") is not None]
    assert "discriminative_risk for age at most 0.01" in failed


def test_the_report_shows_the_limits(capsys, tmp_path):
    html = tmp_path / "a.html"
    assert run(capsys, "credit", "--max-risk", "0.12", "--html", html)[0] == 3
    assert "Limits, decided on confidence intervals: undecided" in html.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--junit", "{folder}/a.xml"), "--junit needs a limit"),
        (("--max-risk", "0.1", "--n-boot", "0"), "need intervals: leave out --n-boot 0"),
        (("--max-gap", "0.1"), "--max-gap must be NAME=NUMBER"),
        (("--max-gap", "accuracy=0.1"), "'accuracy' is not one of the gaps"),
        (("--max-risk", "race=0.1"), "'race' is not a sensitive attribute"),
        (("--max-risk", "7"), "--max-risk must be a limit in [0, 1]"),
        (("--max-risk", "0.05", "0.5"), "'0.05', '0.5' limit 'all' more than once; pass one"),
        (("--max-risk", "0.5", "all=0.05"), "'0.5', 'all=0.05' limit 'all' more than once"),
        (("--max-risk", "sex=0.1", "--max-risk", "sex=0.2"), "limit 'sex' more than once"),
        (
            ("--max-gap", "demographic_parity=0.01", "demographic_parity=0.3"),
            "limit 'demographic_parity' more than once",
        ),
    ],
)
def test_limits_that_mean_nothing_are_refused(capsys, tmp_path, options, message):
    code, _, err = run(capsys, "credit", *(one.format(folder=tmp_path) for one in options))
    assert code == 2
    assert message in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("risks", [("0.5", "Race=0.1"), ("all=0.1", "Race=0.5")])
def test_two_limits_of_a_single_attribute_are_refused(capsys, risks):
    code, _, err = run(capsys, "ricci", "--n-boot", 9, "--max-risk", *risks)
    assert code == 2
    assert "--max-risk: 'all' and 'Race' are limits of the same" in err


def test_limits_of_several_options_are_joined(capsys):
    risks = ("--max-risk", "sex=0.05", "--max-risk", "0.5")
    gaps = ("--max-gap", "demographic_parity=0.01", "--max-gap", "equal_opportunity=0.9")
    _, out, _ = run(capsys, "credit", *risks, *gaps)
    for decision in (
        "UNDECIDED: discriminative risk of model for sex: ",
        "PASS: discriminative risk of model for all: ",
        "FAIL: demographic parity of model for all: ",
        "PASS: equal opportunity of model for all: ",
    ):
        assert decision in out


def test_a_quantity_has_no_limits(capsys):
    code, _, err = run(capsys, "lawschool", "--max-risk", "0.1")
    assert code == 2
    assert "need a label with classes" in err


def test_a_model_that_ignores_the_attribute_keeps_its_limit_with_a_note(capsys, tmp_path):
    rows = pd.DataFrame({"sex": ["m", "f"] * 200, "age": range(400), "y": [0, 0, 1, 1] * 100})
    rows.to_csv(tmp_path / "a.csv", index=False)
    model = DecisionTreeClassifier(random_state=0)
    model = make_pipeline(make_column_transformer(("passthrough", ["age"])), model)
    skops.io.dump(model.fit(rows[["sex", "age"]], rows["y"]), tmp_path / "m.skops")
    junit = tmp_path / "junit.xml"
    audit = (tmp_path / "a.csv", "--label", "y", "--privileged", "sex=m", "--n-boot", 20)
    limit = ("--model", tmp_path / "m.skops", "--max-risk", 0.1, "--junit", junit)
    code, out, _ = run(capsys, *audit, *limit)
    assert code == 0
    headline, limits = " ".join(out.split()).split("PASS:")
    note = "No prediction changes, so the model probably does not use sex."
    assert note in headline
    assert note in limits
    assert note in ElementTree.parse(junit).getroot().findtext("system-out")
