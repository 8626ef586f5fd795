"""AIF360, imported when it is needed and not before."""

from __future__ import annotations

from types import ModuleType

__all__ = ["aif360_datasets"]


def aif360_datasets() -> ModuleType:
    """Import `aif360.datasets`, or say how to install it.

    Examples
    --------
    >>> aif360_datasets().__name__
    'aif360.datasets'
    """
    try:
        import aif360.datasets
    except ImportError as error:
        raise ImportError(
            "this needs AIF360: pip install 'discriminative-risk[aif360]'"
        ) from error
    return aif360.datasets
