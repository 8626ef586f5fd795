"""Settings that all tests share."""

import gc
import os
from importlib.util import find_spec

from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "agg")
# Tests run in as many processes as there are cores, so threads of BLAS would only wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Scripts of the documentation draw and build when they are imported, and what the site is built
# into is no source. The pages, with their examples, are left.
collect_ignore_glob = ["docs/*.py", "docs/gallery/*", "docs/_build/*", "docs/examples/*"]
if find_spec("raiwidgets") is None:
    collect_ignore_glob.append("docs/dashboard.md")

# How long an example takes says more of the machine than of the code.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Laws that were found with many random examples are tried on many (tests/shared/effort.py).
settings.register_profile("thorough", settings.get_profile("suite"), max_examples=200)
settings.load_profile("suite")

# Files that take long come first, so that no process is left alone with one at the end.
LONGEST_FIRST = []

gc.disable()  # importing makes a million objects that stay


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: _rank(item.nodeid.split("::")[0]))


def _rank(file):
    return LONGEST_FIRST.index(file) if file in LONGEST_FIRST else len(LONGEST_FIRST)


def pytest_collection_finish():
    gc.freeze()
    gc.enable()
