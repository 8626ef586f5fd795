"""Arguments that all pruning methods share, checked in one place."""

from __future__ import annotations

import numpy as np

from dr_core._utils import Array, is_whole
from dr_core.ensembles import Votes, checked_votes

__all__ = ["checked_max_members", "voters"]


def checked_max_members(max_members: int, votes: Votes) -> int:
    """Return k if an ensemble can be pruned to k members, an error if not."""
    checked_votes(votes)
    if is_whole(max_members) and 1 <= max_members <= votes.n_members:
        return int(max_members)
    raise ValueError(
        f"max_members must be a whole number from 1 to {votes.n_members}, the number of members; "
        f"found {max_members!r}."
    )


def voters(votes: Votes) -> Array:
    """List the members that have a say: those of weight 0 are never worth keeping."""
    return np.flatnonzero(votes.units)
