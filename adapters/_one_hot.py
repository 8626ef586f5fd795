"""One-hot encoding of features in words, with the names of AIF360: `column=value`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from dr_core.plugins import Array

from ._codings import CategoryCoding, Coding

__all__ = ["collapse_codes", "expand_codes", "name_one_hot"]


def name_one_hot(
    codings: Mapping[str, Coding], without: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return the names of the one-hot features of each column in words.

    Parameters
    ----------
    codings : Coding of each column, by name
    without : columns that are not encoded, because they are protected attributes

    Examples
    --------
    >>> name_one_hot({"job": CategoryCoding(np.array(["clerk", "nurse"]))}, without=())
    {'job': ('job=clerk', 'job=nurse')}
    """
    return {
        name: tuple(f"{name}={value}" for value in coding.values)
        for name, coding in codings.items()
        if isinstance(coding, CategoryCoding) and name not in without
    }


def expand_codes(codes: Array, n_values: int) -> Array:
    """Return the one-hot features of codes, (n, n_values); those of the code -1 are 0.

    Examples
    --------
    >>> expand_codes(np.array([1.0, -1.0]), 2)
    array([[0., 1.],
           [0., 0.]])
    """
    return (codes[:, None] == np.arange(n_values)).astype(float)


def collapse_codes(columns: Sequence[Array]) -> Array | None:
    """Return the codes of one-hot features, -1 for a row of zeros; None if they are others.

    Examples
    --------
    >>> collapse_codes([np.array([0.0, 0.0]), np.array([1.0, 0.0])])
    array([ 1., -1.])
    >>> collapse_codes([np.ones(2), np.ones(2)]) is None
    True
    """
    block = np.column_stack(columns)
    total = block.sum(axis=1)
    if not (np.isin(block, (0, 1)).all() and (total <= 1).all()):
        return None
    return np.where(total == 1, block.argmax(axis=1), -1.0)
