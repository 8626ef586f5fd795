"""Files to audit."""

import pytest

from dr_core import datasets


@pytest.fixture
def ricci(tmp_path):
    """The shipped data set as a CSV file with its label."""
    bunch = datasets.load("ricci")
    path = tmp_path / "ricci.csv"
    bunch.data.assign(Class=bunch.target).to_csv(path, index=False)
    return path
