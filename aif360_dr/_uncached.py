"""Metrics without AIF360's cache, which keeps every metric in memory."""

from __future__ import annotations

from inspect import getattr_static
from typing import Any

from aif360.metrics.metric import memoize

__all__ = ["UncachedMixin"]

_WRAPPER_CODE = memoize(len).__code__
"""Code object that all methods wrapped by AIF360's `memoize` share."""


class UncachedMixin:
    """Mixin for metrics whose methods are computed at each call, in subclasses too.

    AIF360's metaclass wraps each public method of a metric in a cache with the metric as key.
    Metrics and their datasets are therefore never freed, results are outdated after a dataset
    changes, and a public staticmethod receives `self`. This mixin removes the wrappers from the
    class and from the methods it inherits. Values stay the same.

    Examples:
        >>> from aif360.metrics import DatasetMetric
        >>> class FreshMetric(UncachedMixin, DatasetMetric):
        ...     pass
        >>> hasattr(DatasetMetric.num_instances, "__wrapped__")
        True
        >>> hasattr(FreshMetric.num_instances, "__wrapped__")
        False
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in dir(cls):
            method = getattr_static(cls, name)
            if getattr(method, "__code__", None) is _WRAPPER_CODE:
                setattr(cls, name, method.__wrapped__)
