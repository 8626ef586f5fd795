"""Metrics without AIF360's cache, which would keep every one of them alive for ever."""

from __future__ import annotations

from inspect import getattr_static
from typing import Any

from aif360.metrics.metric import memoize

__all__ = ["Uncached"]

_CACHING = memoize(len).__code__


class Uncached:
    """Base of metrics whose methods compute afresh, in subclasses too.

    AIF360's metaclass wraps each public method of a metric into a cache that is keyed on the
    metric. Its objects, and the datasets they hold, are therefore never freed; results go stale
    when a dataset changes; and a public staticmethod receives `self`. This undoes the wrapping
    for the class and for all it inherits. Values stay the same.

    Examples:
        >>> from aif360.metrics import DatasetMetric
        >>> class FreshMetric(Uncached, DatasetMetric):
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
            if getattr(method, "__code__", None) is _CACHING:
                setattr(cls, name, method.__wrapped__)
