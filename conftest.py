"""Settings that all tests share."""

import os

from hypothesis import HealthCheck, settings

os.environ.setdefault("MPLBACKEND", "agg")

# How long an example takes says more of the machine than of the code.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")
