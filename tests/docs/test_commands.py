"""Every `dr-audit` command that README and site show runs as it stands."""

import json
import re
import shlex
from pathlib import Path

import pytest
import skops.io
import yaml
from sklearn.ensemble import RandomForestClassifier

from dr_core import datasets
from dr_core.cli import default_model, main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCED = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands():
    blocks = [
        block for page in PAGES for block in FENCED.findall(page.read_text(encoding="utf-8"))
    ]
    shown = "\n".join(code for language, code in blocks if language in ("", "bash"))
    lines = shown.replace("\\\n", " ").splitlines()
    return sorted({match[0] for line in lines if (match := re.search("dr-audit .*", line))})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that commands speak of: loans, a model of them, rules for columns."""
    folder = tmp_path_factory.mktemp("loans")
    credit = datasets.load("credit")
    repaid = credit.target.map({1: "yes", 0: "no"})
    loans = credit.data.assign(repaid=repaid)
    loans.to_csv(folder / "loans.csv", index=False)
    loans[::3].to_csv(folder / "test.csv", index=False)
    loans.to_parquet(folder / "loans.parquet")
    model = default_model(credit.data, regression=False, random_state=0)
    skops.io.dump(model.fit(credit.data, repaid), folder / "model.skops")
    coupled = {"relationship": {"sex": {"Female": {"Husband": "Wife"}}}}
    (folder / "rules.json").write_text(json.dumps(coupled), encoding="utf-8")
    return folder


def test_there_are_commands_to_run():
    assert len(commands()) >= 4


def fit_few_trees(monkeypatch):
    """Let the default model be fitted and pruned fast, where its numbers do not matter."""
    monkeypatch.setattr(
        "dr_core.cli._models.RandomForestClassifier",
        lambda **options: RandomForestClassifier(**options | {"n_estimators": 10}),
    )


@pytest.mark.parametrize("command", commands())
def test_the_command_runs(command, folder, monkeypatch, capsys):
    if "--max-" not in command:  # limits hold for the whole forest
        fit_few_trees(monkeypatch)
    monkeypatch.chdir(folder)
    assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err


def test_the_workflow_of_the_page_on_limits_runs_as_written(folder, monkeypatch, capsys):
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(re.search("```yaml\n(.*?)```", page, re.DOTALL)[1])
    steps = [step["run"] for step in workflow["jobs"]["audit"]["steps"] if "run" in step]
    command = next(step for step in steps if step.startswith("dr-audit"))
    monkeypatch.chdir(folder)
    assert main(shlex.split(command.replace("\\\n", " "))[1:]) == 0, capsys.readouterr().out
    assert {path.suffix for path in folder.glob("audit.*")} == {".html", ".json", ".xml"}
