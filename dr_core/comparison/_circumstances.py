"""What was compared, with which versions, and when."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from inspect import isroutine
from typing import Any

from sklearn.pipeline import Pipeline

__all__ = ["circumstances"]

VERSIONED = ("discriminative-risk", "numpy", "pandas", "scikit-learn")
"""Distributions whose versions are told."""


def circumstances(models: Mapping[str, Any]) -> dict[str, Any]:
    """Kinds of the models, versions of what judged them, and the date.

    Examples
    --------
    >>> found = circumstances({"longest": len})
    >>> list(found), found["models"]
    (['models', 'versions', 'date'], {'longest': 'function'})
    """
    return {
        "models": {str(name): kind(model) for name, model in models.items()},
        "versions": {"Python": platform.python_version()} | dict(_versions()),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def kind(model: Any) -> str:
    """Class of a model, with the last step of a pipeline.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> kind(make_pipeline(DecisionTreeClassifier()))
    'Pipeline ending in DecisionTreeClassifier'
    """
    if isinstance(model, Pipeline):
        return f"Pipeline ending in {kind(model[-1])}"
    return "function" if isroutine(model) else type(model).__name__


def _versions() -> Iterator[tuple[str, str]]:
    for name in VERSIONED:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
