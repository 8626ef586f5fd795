"""A simulated figure, and the mark that it must reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm


@dataclass(frozen=True)
class Mark:
    """A figure that a simulation found, with the limits within which it must be.

    Parameters
    ----------
    about : str
        What was simulated, such as "demographic parity, true gap 0, n = 200".
    figure : str
        What the value is, such as "coverage of 95 % intervals".
    value : float
    at_least, at_most : float
    """

    about: str
    figure: str
    value: float
    at_least: float = -np.inf
    at_most: float = np.inf

    @property
    def holds(self) -> bool:
        """Whether the value is within its limits."""
        return bool(self.at_least <= self.value <= self.at_most)

    @property
    def limit(self) -> str:
        """The limits as text."""
        ends = (("≥", self.at_least), ("≤", self.at_most))
        return ", ".join(f"{sign} {end:g}" for sign, end in ends if np.isfinite(end))


Design = Callable[[int, bool], Iterator[Mark]]
"""A function of the number of runs and of whether to show progress, that yields marks."""


def simulate(
    run: Callable[[np.random.Generator], object], n_runs: int, name: str, progress: bool
) -> np.ndarray:
    """Return what `run` finds in each of `n_runs` independent simulations.

    Parameters
    ----------
    run : function of a random generator
    n_runs : int
    name : str
        Label of the progress bar, and seed of the simulation.
    progress : bool
    """
    seed = [ord(letter) for letter in name]
    generators = np.random.default_rng(seed).spawn(n_runs)
    bar = tqdm(generators, desc=name, leave=False, disable=not progress)
    return np.array([run(generator) for generator in bar])
