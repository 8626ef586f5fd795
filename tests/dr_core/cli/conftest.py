"""Files to audit."""

import pytest

from dr_core import datasets
from dr_core.cli import default_model


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Train forests of 10 trees: what is checked here holds of any model."""

    def small_model(*args, **options):
        model = default_model(*args, **options)
        model[-1].n_estimators = 10
        return model

    monkeypatch.setattr("dr_core.cli._main.default_model", small_model)


@pytest.fixture
def ricci(tmp_path):
    """The shipped data set as a CSV file with its label."""
    bunch = datasets.load("ricci")
    path = tmp_path / "ricci.csv"
    bunch.data.assign(Class=bunch.target).to_csv(path, index=False)
    return path
