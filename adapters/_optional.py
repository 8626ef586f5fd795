"""AIF360, imported when it is needed and not before."""

from __future__ import annotations

from types import ModuleType
from typing import Any

__all__ = ["aif360_datasets", "require_dataset"]


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


def require_dataset(dataset: Any) -> None:
    """Refuse what is no AIF360 dataset.

    Examples
    --------
    >>> require_dataset([0, 1])
    Traceback (most recent call last):
    TypeError: dataset is a list; pass an AIF360 dataset, such as to_aif360 makes.
    """
    if not isinstance(dataset, aif360_datasets().StructuredDataset):
        raise TypeError(
            f"dataset is a {type(dataset).__name__}; pass an AIF360 dataset, such as to_aif360 "
            "makes."
        )
