"""Checks of arguments that several functions share; each error names the argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dr_core.encoding import Array

__all__ = [
    "check_column",
    "check_confidence",
    "check_probability",
    "check_tolerance",
    "check_weights",
    "check_whole",
]


def check_probability(p: float) -> None:
    """Refuse a `p` outside (0, 1]."""
    if not 0 < p <= 1:
        raise ValueError(f"p must be greater than 0 and at most 1; it is {p!r}.")


def check_confidence(confidence: float) -> None:
    """Refuse a confidence outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1; it is {confidence!r}.")


def check_whole(name: str, value: Any, *, at_least: int) -> None:
    """Refuse what is not a whole number of at least this size."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < at_least:
        raise ValueError(f"{name} must be a whole number, {at_least} or more; it is {value!r}.")


def check_tolerance(tolerance: float) -> None:
    """Refuse a tolerance that is negative or no number."""
    if not 0 <= tolerance < np.inf:
        raise ValueError(f"tolerance must be finite and at least 0; it is {tolerance!r}.")


def check_column(name: str, values: Any, n_rows: int) -> Array:
    """Return `values` as an array that has one entry, none of them missing, for each row of X."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension; it has shape {array.shape}.")
    if len(array) != n_rows:
        raise ValueError(f"{name} has length {len(array)}, but X has {n_rows} rows.")
    missing = int(pd.isna(array).sum())
    if missing:
        raise ValueError(f"{name} has {missing} missing values in {n_rows} rows.")
    return array


def check_weights(sample_weight: Any, n_rows: int) -> Array:
    """Return weights of the rows as floats; ones where none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = check_column("sample_weight", sample_weight, n_rows).astype(float)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            "sample_weight must be finite and not negative; it ranges from "
            f"{weights.min()} to {weights.max()}."
        )
    if not weights.any():
        raise ValueError(
            "Sample weights must contain at least one non-zero number; sample_weight is all 0."
        )
    return weights
