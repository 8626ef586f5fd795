"""Values to positions in a known list of values, in one pass over the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dr_core._utils import Array, listed

__all__ = ["Factorized", "encode", "factorize", "joint_positions", "positions", "zero_one"]


class Factorized(NamedTuple):
    """A column as positions (-1 where a value is missing) in the list of its distinct values."""

    codes: Array
    values: list[Any]


def factorize(column: Any) -> Factorized:
    """Distinct values of a pandas or NumPy column, and where each of them stands.

    >>> factorize(np.array(["b", "a", "b"]))
    Factorized(codes=array([0, 1, 0]), values=['b', 'a'])
    """
    if getattr(column, "dtype", None) == np.float16:  # of which pandas makes no index
        column = column.astype(np.float32)
    codes, values = pd.factorize(column)
    return Factorized(codes, pd.Index(values).tolist())


def encode(factorized: Factorized, values: Sequence[Any], what: str) -> Array:
    """Positions of a factorized column in `values`; -1 where a value is missing.

    Raises
    ------
    ValueError
        Naming `what`, when the column holds something that `values` does not.
    """
    known = set(values)
    unknown = [value for value in factorized.values if value not in known]
    if unknown:
        raise ValueError(
            f"{what} has {listed(unknown)}, which is not among the known values {listed(values)}."
        )
    return positions(factorized, values)


def positions(factorized: Factorized, values: Sequence[Any]) -> Array:
    """Positions of a factorized column in `values`; -1 for what is missing or not among them.

    >>> positions(factorize(np.array(["b", "a", "c"])), ["a", "b"])
    array([ 1,  0, -1], dtype=int8)
    """
    position = {value: i for i, value in enumerate(values)}
    # Codes of one byte wherever they fit: most of the work on them is moving memory.
    dtype = np.int8 if len(values) < 128 else np.int32
    lookup = np.array([position.get(v, -1) for v in factorized.values] + [-1], dtype=dtype)
    return lookup.take(factorized.codes, mode="wrap")


def zero_one(factorized: Factorized, column: Any) -> Array:
    """Content of a one-hot column, -1 where it is missing; an error where it is not 0 or 1."""
    return encode(factorized, (0, 1), f"one-hot column {column!r}")


def joint_positions(columns: Iterable[Array]) -> Array:
    """Number the combinations of values that rows have, in the order of their first appearance.

    `np.unique` along an axis does so by sorting, which takes many times as long.

    >>> joint_positions(np.array([[5, 5, 7, 5], [0, 1, 0, 0]]))
    array([0, 1, 2, 0])
    """
    first, *others = (pd.factorize(column) for column in columns)
    joint = first[0]
    for codes, values in others:
        joint, _ = pd.factorize(joint * len(values) + codes)
    return joint
