"""Import the dashboard of raiwidgets, also beside recent versions of its dependencies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

__all__ = ["import_fairness_dashboard"]

INSTALL_MESSAGE = (
    "the dashboard needs raiwidgets: pip install 'discriminative-risk[dashboard]' in a separate "
    "environment, because it pins fairlearn 0.7, pandas 1 and NumPy 1; or, to keep recent "
    "versions, pip install --no-deps raiwidgets==0.36.0 and pip install rai-core-flask raiutils "
    "ipython."
)


def import_fairness_dashboard() -> Any:
    """Return `raiwidgets.FairnessDashboard`, without importing the package's other dashboards.

    The other dashboards need old versions of fairlearn, pandas and NumPy.
    """
    try:
        with _skip_package_init("raiwidgets"):
            return import_module("raiwidgets.fairness_dashboard").FairnessDashboard
    except ImportError as error:
        raise ImportError(INSTALL_MESSAGE) from error


@contextmanager
def _skip_package_init(name: str) -> Iterator[None]:
    """Make the modules of a package importable without running its `__init__`.

    A later import of the package runs its `__init__`.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None:
        yield
        return
    sys.modules[name] = module_from_spec(spec)
    try:
        yield
    finally:
        del sys.modules[name]
