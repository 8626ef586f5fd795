"""How pruning judges tied votes.

A vote of equal weights and an even size ties often, and the deployed vote gives every tie to the
lowest class. A vote of two is then a logical AND: it changes less because it predicts the higher
class less. Judged as deployed ("lowest"), pruning chooses such votes, and other members if the
classes are renamed.

Judged *cautiously*, a tied vote is undecided. It counts as wrong. It counts as changed if it is
undecided on x or on x̃, unless no member changed. So error and risk do not depend on the order of
the classes, and they are upper bounds for every way to break ties. In a vote of two classes and
equal weights, removing any member of an even-sized vote then raises neither error nor risk:
only odd sizes are candidates.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dr_core._utils import Array, check_choice
from dr_core.ensembles import Votes

__all__ = ["AS_PUBLISHED", "TIED", "TieRule"]

TIES = ("cautious", "lowest")

TIED = -1
"""The decision of a tied vote that is judged cautiously."""


class TieRule:
    """Decisions of votes, as class positions or TIED, and the sizes worth judging.

    Parameters
    ----------
    ties : "cautious" or "lowest"
        Whether a tied vote is undecided, or goes to the lowest class, as in the paper.

    Examples
    --------
    >>> totals = np.array([[1, 2, 0], [1, 1, 2]])
    >>> TieRule("cautious").decide(totals), TieRule("lowest").decide(totals)
    (array([-1,  0,  1], dtype=int8), array([0, 0, 1], dtype=int8))
    """

    def __init__(self, ties: str) -> None:
        check_choice("ties", ties, TIES)
        self.is_cautious = ties == "cautious"

    def decide(self, totals: Array | Iterable[Array]) -> Array:
        """Return the class with most votes; `totals` has the votes for each class, (C, ...)."""
        first, *others = totals
        if len(others) == 1:  # the same as below, but faster: a comparison is class 0 or 1
            wins, ties = (others[0] > first).view(np.int8), (others[0] == first).view(np.int8)
            return wins + TIED * ties if self.is_cautious else wins
        # One pass over the classes keeps the most votes so far: for totals 2, 2 and 3 the
        # decision is class 0, then undecided, then class 2.
        most = first.copy()
        decisions = np.zeros(most.shape, np.int8 if len(others) < 127 else np.int32)
        for label, votes in enumerate(others, 1):
            if self.is_cautious:
                decisions[votes == most] = TIED
            decisions[votes > most] = label
            np.maximum(most, votes, out=most)
        return decisions

    def settle(self, label: int, rivals: Array) -> Array:
        """Return the decisions where class `label` ties with the best of the others, `rivals`."""
        if self.is_cautious:
            return np.full_like(rivals, TIED)
        return np.minimum(rivals, rivals.dtype.type(label))

    def find_changes(self, plain: Array, perturbed: Array) -> tuple[Array, Array]:
        """Return where decisions differ, and where only the members tell, as both are undecided.

        Examples
        --------
        >>> TieRule("cautious").find_changes(np.array([0, -1, -1]), np.array([0, 1, -1]))
        (array([False,  True, False]), array([False, False,  True]))
        """
        changed = plain != perturbed
        return changed, ~changed & (plain == TIED)

    def needs_odd_sizes(self, votes: Votes) -> bool:
        """Return whether every candidate of even size is as bad as one of odd size."""
        units = votes.units[votes.units > 0]
        return self.is_cautious and votes.n_classes == 2 and bool((units == units[0]).all())


AS_PUBLISHED = TieRule("lowest")
"""The rule of the paper and of the baselines."""
