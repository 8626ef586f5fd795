"""Settings that all tests share."""

import gc
import os
import tempfile
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "agg")
# Tests run in as many processes as there are cores, so threads of BLAS would only wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")

# Scripts of the documentation draw and build when they are imported, and what the site is built
# into is no source. The pages, with their examples, are left.
collect_ignore_glob = ["docs/*.py", "docs/gallery/*", "docs/_build/*", "docs/examples/*"]
for library, page in {"raiwidgets": "docs/dashboard.md", "mlflow": "docs/mlflow.md"}.items():
    if find_spec(library) is None:
        collect_ignore_glob.append(page)

# MLflow's own default is a database in the current folder, which would be the checkout.
os.environ.setdefault("MLFLOW_TRACKING_URI", f"sqlite:///{tempfile.mkdtemp()}/mlflow.db")

# How long an example takes says more of the machine than of the code.
settings.register_profile(
    "suite", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
# Many random examples, for `.ci/run laws` (tests/shared/effort.py).
settings.register_profile("thorough", settings.get_profile("suite"), max_examples=200)
settings.load_profile("suite")

# Each file is run by one process. Files that take long come first, so that no process is left
# alone with one at the end.
LONGEST_FIRST = [
    "tests/end_to_end/test_dask.py",
    "tests/docs/test_get_started.py",
    "docs/pruning.md",
    "tests/dr_core/cli/test_command.py",
    "tests/trust/test_interruption.py",
    "tests/dr_core/test_marginalization.py",
    "tests/trust/test_laws.py",
    "tests/aif360_dr/test_sklearn.py",
    "tests/dr_core/risk/test_assessment.py",
]

gc.disable()  # importing makes hundreds of thousands of objects, and all of them stay


@pytest.hookimpl(trylast=True)  # Hypothesis marks its tests in the same hook
def pytest_collection_modifyitems(items):
    """Put the longest files first. Random rows may have a column that depends on an attribute."""
    for item in items:
        if item.get_closest_marker("hypothesis"):
            item.add_marker(pytest.mark.filterwarnings("ignore:.*may encode it, too"))
    ranks = {file: rank for rank, file in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: ranks.get(item.nodeid.split("::")[0], len(ranks)))


def pytest_collection_finish():
    """Collect garbage from here on, and do not look at what is imported."""
    gc.freeze()
    gc.enable()


def pytest_collect_file(file_path):
    """Import the package of a module before pytest imports the module for its examples.

    pytest would import the package, which imports the module, and then execute the module again:
    a patch of this second copy misses the copy that the package uses.
    """
    folder = file_path.parent.relative_to(Path(__file__).parent)
    if folder.parts and folder.parts[0] in (
        "dr_core",
        "fairlearn_dr",
        "aif360_dr",
        "dr_integrations",
    ):
        with suppress(ImportError):  # pytest reports what is not installed
            import_module(".".join(folder.parts))
