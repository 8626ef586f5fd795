"""What an argument holds, all the way down, to be compared with what it holds later."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.base import BaseEstimator


def snapshot(value: Any) -> Any:
    """Return a copy of all that a value holds, in types that compare by content."""
    if isinstance(value, pd.DataFrame | pd.Series):
        return _pandas(value)
    if isinstance(value, np.ndarray):
        return "array", str(value.dtype), value.shape, repr(value.tolist())
    if isinstance(value, pl.DataFrame):
        return "polars", str(value.schema), value.to_dict(as_series=False)
    if isinstance(value, Mapping):
        return "mapping", [(snapshot(key), snapshot(item)) for key, item in value.items()]
    if isinstance(value, list | tuple | set):
        return type(value).__name__, [snapshot(item) for item in value]
    if isinstance(value, BaseEstimator):
        return "estimator", pickle.dumps(value)
    if is_dataclass(value):
        named = [(field.name, getattr(value, field.name)) for field in fields(value)]
        return type(value).__name__, snapshot(named)
    if type(value).__module__.startswith("aif360.datasets"):
        return "dataset", snapshot({**vars(value), "metadata": None})
    return type(value).__name__, repr(value)


def _pandas(value: Any) -> Any:
    frame = value.to_frame() if isinstance(value, pd.Series) else value
    columns = [(snapshot(name), str(frame[name].dtype), frame[name].tolist()) for name in frame]
    index = frame.index.tolist(), list(frame.index.names), str(frame.index.dtype)
    return type(value).__name__, repr(columns), index
