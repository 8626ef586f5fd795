"""Pareto dominance in two objectives, both minimised, and the archive of the best candidates.

A candidate weakly dominates another if neither its error nor its risk is larger. It dominates the
other if, in addition, one of them is smaller.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dr_core._utils import Array

__all__ = ["Archive", "find_nondominated", "hypervolume"]


@dataclass(frozen=True)
class Archive:
    """Candidates with their scores, oldest first.

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

    def update(self, candidates: Archive) -> Archive:
        """Return the archive after `candidates` have been offered to it one by one.

        A dominated candidate is rejected. Any other is added, and everything it weakly dominates
        is removed. Of two candidates with equal error and risk the later one is kept.
        """
        return self.concatenate(candidates).get_front()

    def concatenate(self, later: Archive) -> Archive:
        """Return the candidates of both archives."""
        pairs = zip(self._columns, later._columns, strict=True)
        return Archive(*(np.concatenate(pair) for pair in pairs))

    def get_front(self) -> Archive:
        """Return the non-dominated candidates."""
        return self.take(find_nondominated(self.errors, self.risks))

    def take(self, positions: Array) -> Archive:
        """Return the candidates at these `positions`, or those where a boolean mask is True."""
        return Archive(*(column[positions] for column in self._columns))

    def contains(self, selected: Array) -> bool:
        """Return whether the candidate with these members is in the archive."""
        return bool((self.selected == selected).all(axis=1).any())

    @property
    def _columns(self) -> tuple[Array, Array, Array, Array]:
        return self.selected, self.errors, self.risks, self.objectives


def find_nondominated(errors: npt.ArrayLike, risks: npt.ArrayLike) -> Array:
    """Find the points that no other point dominates; of equal points only the last counts.

    Parameters
    ----------
    errors, risks : arrays of shape (s,)
        Both are minimised.

    Returns
    -------
    bool array of shape (s,)

    Examples
    --------
    >>> find_nondominated([0.1, 0.2, 0.1, 0.3], [0.5, 0.4, 0.5, 0.4])
    array([False,  True,  True, False])
    """
    errors, risks = np.asarray(errors), np.asarray(risks)
    # Sort by error, then risk, then the last first; keep a point if its risk is lower than all
    # risks before it. The points of the example are sorted to positions 2, 0, 1, 3 with risks
    # 0.5, 0.5, 0.4, 0.4. The lowest risks before them are inf, 0.5, 0.5, 0.4: 2 and 1 are kept.
    order = np.lexsort((-np.arange(len(errors)), risks, errors))
    lowest_before = np.minimum.accumulate(np.append(np.inf, risks[order]))[:-1]
    kept = np.zeros(len(errors), dtype=bool)
    kept[order] = risks[order] < lowest_before
    return kept


def hypervolume(
    errors: npt.ArrayLike, risks: npt.ArrayLike, reference: tuple[float, float]
) -> float:
    """Return the area that the points dominate, bounded by `reference`, (error, risk).

    Examples
    --------
    >>> hypervolume([0.0, 0.5], [0.5, 0.0], reference=(1.0, 1.0))
    0.75
    """
    errors, risks = np.minimum(errors, reference[0]), np.minimum(risks, reference[1])
    # The area is a staircase: from one error to the next it is as high as the lowest risk so far
    # is below the reference. The example has steps 0.5 wide, 0.5 and 1 high.
    order = np.lexsort((risks, errors))
    widths = np.diff(np.append(errors[order], reference[0]))
    heights = reference[1] - np.minimum.accumulate(risks[order])
    return float(widths @ heights)
