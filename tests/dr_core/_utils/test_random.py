"""Random numbers belong to rows, wherever these lie."""

import numpy as np
import pytest

from dr_core._utils._random import advance, copy_advanced


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "Philox", "MT19937", "SFC64"])
@pytest.mark.parametrize("count", [0, 1, 5, 2**20 + 3])
def test_skipping_is_drawing(kind, count):
    moved, other = (np.random.Generator(getattr(np.random, kind)(0)) for _ in range(2))
    advance(moved, count)
    other.random(count)
    assert moved.random(3).tolist() == other.random(3).tolist()


def test_a_copy_is_moved_and_the_generator_is_not():
    generator, other = np.random.default_rng(0), np.random.default_rng(0)
    assert copy_advanced(generator, 2).random() == other.random(3)[2]
    assert generator.random() == np.random.default_rng(0).random()
