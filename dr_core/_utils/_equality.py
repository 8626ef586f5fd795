"""Equality of predictions."""

from __future__ import annotations

import numpy as np

from dr_core._utils._checks import Array

__all__ = ["differs"]

NOISE = 1e-9
"""Relative difference that floating-point predictions may show for no reason."""


def differs(before: Array, after: Array, tolerance: float) -> Array:
    """Whether two predictions count as different.

    Floating-point numbers that agree to nine digits never do: their last digits are noise.
    """
    are_floats = "f" in before.dtype.kind + after.dtype.kind
    if not are_floats and not tolerance:
        return np.asarray(before != after)
    if not {before.dtype.kind, after.dtype.kind} <= set("biuf"):
        raise ValueError(
            f"tolerance is {tolerance!r}, but predictions are not numbers: {before.dtype}."
            if tolerance
            else f"labels of type {before.dtype} cannot be predictions of type {after.dtype}."
        )
    before, after = before.astype(float), after.astype(float)
    largest = np.maximum(np.abs(before), np.abs(after))
    with np.errstate(invalid="ignore", over="ignore"):
        moved = np.abs(after - before) > tolerance + (NOISE * largest if are_floats else 0)
    return np.where(np.isinf(largest), before != after, moved)
