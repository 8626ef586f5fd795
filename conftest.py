"""Settings that all tests share."""

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
settings.load_profile("suite")
