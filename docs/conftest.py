"""Pages may write files: each runs in a folder of its own."""

import pytest


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def pytest_collection_modifyitems(items):
    """Let MLflow warn of what it uses of other libraries."""
    for item in items:
        if item.path.name == "mlflow.md":
            item.add_marker(pytest.mark.filterwarnings("default"))
