"""Random generators; NumPy's global state is never used."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

__all__ = ["RandomState", "advance", "as_generator", "copy_advanced"]

RandomState = int | np.random.Generator | np.random.RandomState | None

MAX_DRAWS_PER_BLOCK = 2**20
"""Numbers drawn at once from a generator that cannot jump ahead."""


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a generator for a seed; a generator is returned as it is.

    Examples
    --------
    >>> int(as_generator(0).integers(100))
    85
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            "random_state must be an integer of at least 0, a NumPy generator or None; got "
            f"{random_state!r}."
        ) from None


def advance(generator: np.random.Generator, count: int) -> None:
    """Move a generator past so many uniform numbers.

    Examples
    --------
    >>> moved, other = np.random.default_rng(0), np.random.default_rng(0)
    >>> advance(moved, 5)
    >>> bool(moved.random() == other.random(6)[5])
    True
    """
    if isinstance(generator.bit_generator, np.random.PCG64 | np.random.PCG64DXSM):
        generator.bit_generator.advance(count)
        return
    for start in range(0, count, MAX_DRAWS_PER_BLOCK):
        generator.random(min(MAX_DRAWS_PER_BLOCK, count - start))


def copy_advanced(generator: np.random.Generator, count: int) -> np.random.Generator:
    """Return a copy of a generator, moved past so many uniform numbers."""
    copy = deepcopy(generator)
    advance(copy, count)
    return copy
