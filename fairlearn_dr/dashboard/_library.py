"""The dashboard of raiwidgets, in old and in modern environments."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

__all__ = ["fairness_dashboard"]

HOW_TO_INSTALL = (
    "the dashboard needs raiwidgets: pip install 'discriminative-risk[dashboard]' in an "
    "environment of its own, as it pins fairlearn 0.7, pandas 1 and NumPy 1; or, beside modern "
    "libraries, pip install --no-deps raiwidgets==0.36.0 and pip install rai-core-flask raiutils "
    "ipython."
)


def fairness_dashboard() -> Any:
    """`raiwidgets.FairnessDashboard`, imported without the other dashboards of its package.

    Those need old libraries; it alone works with modern ones too.
    """
    try:
        with _bare_package("raiwidgets"):
            return import_module("raiwidgets.fairness_dashboard").FairnessDashboard
    except ImportError as error:
        raise ImportError(HOW_TO_INSTALL) from error


@contextmanager
def _bare_package(name: str) -> Iterator[None]:
    """Let modules of a package be imported without its `__init__`, which stays to be run."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None:
        yield
        return
    sys.modules[name] = module_from_spec(spec)
    try:
        yield
    finally:
        del sys.modules[name]
