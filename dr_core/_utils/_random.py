"""Where random numbers come from: never from NumPy's global state."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

__all__ = ["RandomState", "as_generator", "skip", "skipped"]

RandomState = int | np.random.Generator | np.random.RandomState | None


BLOCK = 2**20
"""Numbers drawn at once, by generators that can only draw."""


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Make a generator of a seed, a generator (used as it is) or an old-style `RandomState`.

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
            "random_state must be a whole number, 0 or more, a NumPy generator or None; it is "
            f"{random_state!r}."
        ) from None


def skip(generator: np.random.Generator, count: int) -> None:
    """Move a generator past so many uniform numbers.

    Examples
    --------
    >>> moved, other = np.random.default_rng(0), np.random.default_rng(0)
    >>> skip(moved, 5)
    >>> bool(moved.random() == other.random(6)[5])
    True
    """
    if isinstance(generator.bit_generator, np.random.PCG64 | np.random.PCG64DXSM):
        generator.bit_generator.advance(count)
        return
    for start in range(0, count, BLOCK):
        generator.random(min(BLOCK, count - start))


def skipped(generator: np.random.Generator, count: int) -> np.random.Generator:
    """Return a copy of a generator, past so many uniform numbers."""
    copy = deepcopy(generator)
    skip(copy, count)
    return copy
