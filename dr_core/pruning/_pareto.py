"""Pareto dominance in two objectives, both to be minimised, and the archive of the best.

One candidate weakly dominates another if neither its error nor its risk is larger, and dominates
it if one of them is smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dr_core._utils import Array

__all__ = ["Archive", "hypervolume", "nondominated"]


@dataclass(frozen=True)
class Archive:
    """Candidates none of which weakly dominates another, oldest first.

    Attributes
    ----------
    selected : bool array of shape (s, m)
        The members of each candidate.
    errors, risks, objectives : arrays of shape (s,)
    """

    selected: Array
    errors: Array
    risks: Array
    objectives: Array

    def __len__(self) -> int:
        return len(self.errors)

    def updated(self, candidates: Archive) -> Archive:
        """Offer `candidates` one after the other.

        One that is dominated is turned away; one that is not drives out all it weakly dominates,
        so that of two with equal error and risk the later stays.
        """
        return self.joined(candidates).front()

    def joined(self, later: Archive) -> Archive:
        """All candidates of both."""
        pairs = zip(self._columns(), later._columns(), strict=True)
        return Archive(*(np.concatenate(pair) for pair in pairs))

    def front(self) -> Archive:
        """Candidates left once each has been offered to the others in turn."""
        return self.at(nondominated(self.errors, self.risks))

    def at(self, positions: Array) -> Archive:
        """Candidates at these `positions`."""
        return Archive(*(column[positions] for column in self._columns()))

    def holds(self, selected: Array) -> bool:
        """Whether the candidate of these members is in."""
        return bool((self.selected == selected).all(axis=1).any())

    def _columns(self) -> tuple[Array, Array, Array, Array]:
        return self.selected, self.errors, self.risks, self.objectives


def nondominated(errors: npt.ArrayLike, risks: npt.ArrayLike) -> Array:
    """Tell which points no other dominates; of equal points only the last counts.

    Parameters
    ----------
    errors, risks : arrays of shape (s,)
        Both to be minimised.

    Returns
    -------
    bool array of shape (s,)

    Examples
    --------
    >>> nondominated([0.1, 0.2, 0.1, 0.3], [0.5, 0.4, 0.5, 0.4])
    array([False,  True,  True, False])
    """
    errors, risks = np.asarray(errors), np.asarray(risks)
    order = np.lexsort((-np.arange(len(errors)), risks, errors))
    lowest_before = np.minimum.accumulate(np.append(np.inf, risks[order]))[:-1]
    kept = np.zeros(len(errors), dtype=bool)
    kept[order] = risks[order] < lowest_before
    return kept


def hypervolume(
    errors: npt.ArrayLike, risks: npt.ArrayLike, reference: tuple[float, float]
) -> float:
    """Area dominated by the points and bounded by `reference`, (error, risk).

    Examples
    --------
    >>> hypervolume([0.0, 0.5], [0.5, 0.0], reference=(1.0, 1.0))
    0.75
    """
    errors, risks = np.minimum(errors, reference[0]), np.minimum(risks, reference[1])
    order = np.lexsort((risks, errors))
    widths = np.diff(np.append(errors[order], reference[0]))
    heights = reference[1] - np.minimum.accumulate(risks[order])
    return float(widths @ heights)
