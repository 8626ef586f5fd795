"""Where random numbers come from: never from NumPy's global state."""

from __future__ import annotations

import numpy as np

__all__ = ["RandomState", "as_generator"]

RandomState = int | np.random.Generator | np.random.RandomState | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Make a generator of a seed, a generator (used as it is) or an old-style `RandomState`.

    Examples
    --------
    >>> int(as_generator(0).integers(100))
    85
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    return np.random.default_rng(random_state)
