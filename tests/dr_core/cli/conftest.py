"""Files to audit."""

import pytest

from dr_core import datasets
from dr_core.cli import default_model, main


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Train forests of 10 trees on quantities: what is checked here holds of any model."""

    def small_model(X, *, regression, **options):
        model = default_model(X, regression=regression, **options)
        return model.set_params(randomforestregressor__n_estimators=10) if regression else model

    monkeypatch.setattr("dr_core.cli._main.default_model", small_model)


@pytest.fixture
def ricci(tmp_path):
    """The shipped data set as a CSV file with its label."""
    bunch = datasets.load("ricci")
    path = tmp_path / "ricci.csv"
    bunch.data.assign(Class=bunch.target).to_csv(path, index=False)
    return path


@pytest.fixture
def record(capsys, ricci, tmp_path):
    """The JSON output of an audit of this file."""
    path = tmp_path / "audit.json"
    audit = (ricci, "--label", "Class", "--privileged", "Race=W", "--n-boot", 20, "--json", path)
    assert main(list(map(str, audit))) == 0
    capsys.readouterr()
    return path
