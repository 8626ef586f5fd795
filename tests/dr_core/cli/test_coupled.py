"""Rules of coupled columns on the command line."""

import json

import joblib
import pandas as pd
import pytest

from dr_core import assess_risk, datasets, learn_attributes
from dr_core.cli._main import main

RULES = {"relationship": {"sex": {"Female": {"Husband": "Wife"}, "Male": {"Wife": "Husband"}}}}
LABEL = ("--label", "rich", "--favorable", "1", "--privileged", "sex=Male", "--trust-pickle")


class Rule:
    """A model that joblib can store: who is somebody's husband, or studied long, is rich."""

    def predict(self, X):
        return ((X["relationship"] == "Husband") | (X["education-num"] > 14)).astype(int)


@pytest.fixture
def files(tmp_path, monkeypatch):
    income = datasets.load("income")
    rows = income.data.head(1500).assign(rich=income.target.head(1500))
    rows.to_csv(tmp_path / "people.csv", index=False)
    joblib.dump(Rule(), tmp_path / "rule.joblib")
    (tmp_path / "rules.json").write_text(json.dumps(RULES))
    monkeypatch.chdir(tmp_path)
    return rows.drop(columns="rich")


def run(capsys, *arguments):
    code = main([*arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def audit(capsys, *arguments):
    return run(capsys, "people.csv", *LABEL, "--model", "rule.joblib", *arguments)


def test_both_risks_and_the_pairs_are_printed_and_written(files, capsys):
    code, out, _ = audit(capsys, "--coupled", "rules.json", "--json", "out.json")
    assert code == 0
    assert "| discriminative risk coupled " in out
    assert "sex = Female with relationship = Husband" in " ".join(out.split())
    with open("out.json") as file:
        content = json.load(file)
    values = {row["measure"]: row["value"] for row in content["values"]}
    risks = [
        assess_risk(Rule(), files, learn_attributes(files, {"sex": "Male"}, coupled=c)).value
        for c in (None, RULES)
    ]
    assert values["discriminative_risk"] == pytest.approx(risks[0])
    assert values["discriminative_risk_coupled"] == pytest.approx(risks[1])
    assert content["settings"]["coupled"] == RULES


def test_without_rules_the_pairs_are_named_and_nothing_is_coupled(files, capsys):
    code, out, _ = audit(capsys)
    assert code == 0
    assert "sex = Female with relationship = Husband" in " ".join(out.split())
    assert "with coupled columns" not in out.lower()
    assert "declare relationship as coupled" in " ".join(out.split())
    assert "--coupled" in out


class HusbandRule:
    """A model that uses sex where the perturbed row is implausible."""

    def predict(self, X):
        return ((X["sex"] == "Male") & (X["relationship"] == "Husband")).astype(int)


def test_implausible_rows_are_stated_once_if_they_change_dr(files, capsys):
    joblib.dump(HusbandRule(), "rule.joblib")
    code, out, _ = audit(capsys)
    text = " ".join(out.split())
    assert code == 0
    assert "Discriminative risk without the implausible rows: 0.0 %" in text
    assert text.count("rarely or never seen") == text.count("may mean little") == 1


def test_texts_stand_for_the_numbers_of_a_column(files, capsys):
    rows = pd.read_csv("people.csv")
    rows.assign(sex=(rows["sex"] == "Male") * 1).to_csv("people.csv", index=False)
    rules = {"relationship": {"sex": {"0": {"Husband": "Wife"}}}}
    with open("rules.json", "w") as file:
        json.dump(rules, file)
    how = ("--label", "rich", "--favorable", "1", "--privileged", "sex=1", "--trust-pickle")
    code, out, _ = run(
        capsys, "people.csv", *how, "--model", "rule.joblib", "--coupled", "rules.json"
    )
    assert code == 0
    assert "discriminative risk coupled" in out


def test_numbers_of_a_coupled_column_may_be_texts_in_json(tmp_path):
    from dr_core._tables import as_table
    from dr_core.cli._subject import read_rules

    X = pd.DataFrame({"sex": ["F", "M"], "code": [1, 2]})
    path = tmp_path / "rules.json"
    path.write_text('{"code": {"sex": {"F": {"2": 1}, "M": {"1": "2"}}}}')
    assert read_rules(path, as_table(X)) == {"code": {"sex": {"F": {2: 1}, "M": {1: 2}}}}


def test_a_quantity_gets_both_shifts_too(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rules = {"race": {"sex": {}}}
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    code, _, error = run(capsys, "lawschool", "--coupled", "rules.json")
    assert code == 2
    assert "'race', a sensitive attribute" in error
    rules = {"UGPA": {"sex": {"female": {"3.1": 3.0}}}}
    (tmp_path / "rules.json").write_text(json.dumps(rules))
    code, out, _ = run(capsys, "lawschool", "--coupled", "rules.json", "--json", "out.json")
    assert code == 0
    assert "| mean coupled " in out
    rows = json.loads((tmp_path / "out.json").read_text())["shift"]
    sex = next(row for row in rows if row["attribute"] == "sex")
    assert sex["mean_coupled"] != sex["mean"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "'rules.json' cannot be read as JSON"),
        ("[1]", "must contain one JSON object of rules"),
        ('{"relationship": 3}', "coupled['relationship'] must be a mapping"),
        ('{"relationship": {"sex": 3}}', "coupled['relationship']['sex'] must be a mapping"),
        ('{"relationship": {"sex": {"Female": 3}}}', "['Female'] must be a mapping"),
        ('{"relation": {"sex": {"Female": {"a": "b"}}}}', "neither a column 'relation'"),
        ('{"relationship": {"sex": {"Femal": {}}}}', "'Femal', which is no value of 'sex'"),
    ],
)
def test_bad_rules_are_refused_with_the_reason(files, capsys, content, message):
    with open("rules.json", "w") as file:
        file.write(content)
    code, _, error = audit(capsys, "--coupled", "rules.json")
    assert code == 2
    assert message in error


def test_a_file_of_rules_that_is_not_there_is_named(files, capsys):
    code, _, error = audit(capsys, "--coupled", "nowhere.json")
    assert code == 2
    assert "--coupled: the file 'nowhere.json' does not exist" in error
