"""Numbers for the combinations of values that rows have."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from dr_core._utils import Array

__all__ = ["find_first", "joint_codes", "joint_positions"]

MAX_JOINT = 2**31
"""Combinations that are numbered directly; more are numbered as they occur."""


def joint_codes(columns: Iterable[Array]) -> Array:
    """Return one integer per row that stands for the codes of the row in all columns.

    Codes are integers of at least -1. The integers sort like the tuples of codes, and their
    product with a number of rows fits 64 bits.

    >>> joint_codes(np.array([[0, 0, 1], [0, 1, -1]]))
    array([4, 5, 6])
    """
    joint, size = np.zeros(1, dtype=np.int64), 1
    for codes in columns:
        width = int(codes.max(initial=-1)) + 2
        if size * width > MAX_JOINT:
            joint, found = pd.factorize(joint, sort=True)
            size = len(found)
        joint = joint * width + codes + 1
        size *= width
    return joint


def joint_positions(columns: Iterable[Array]) -> Array:
    """Number the combinations of values that rows have, in the order of first appearance.

    `np.unique` along an axis does so by sorting, which takes many times as long.

    >>> joint_positions(np.array([[5, 5, 7, 5], [0, 1, 0, 0]]))
    array([0, 1, 2, 0])
    """
    codes = (c if c.dtype == np.int8 else pd.factorize(c)[0] for c in map(np.asarray, columns))
    return pd.factorize(joint_codes(codes))[0]


def find_first(positions: Array) -> Array:
    """Return the row where each number first appears, for numbers in order of appearance.

    >>> find_first(np.array([0, 1, 0, 2, 1]))
    array([0, 1, 3])
    """
    # A number is new where the running maximum rises: 0 1 1 2 2 rises at rows 0, 1 and 3.
    return np.flatnonzero(np.diff(np.maximum.accumulate(positions), prepend=-1))
