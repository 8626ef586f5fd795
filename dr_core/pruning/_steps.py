"""Steps from a sub-ensemble to its neighbours: one or two members join or leave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dr_core._utils import Array
from dr_core.pruning._pareto import find_nondominated

__all__ = ["NO_MEMBER", "Neighbours", "Steps"]

NO_MEMBER = -1


@dataclass(frozen=True)
class Steps:
    """Members that join, if they are not in the sub-ensemble, or leave, if they are.

    Attributes
    ----------
    singles : int array of shape (a,)
        Members each of which moves in a step of its own.
    pairs : int array of shape (2, b)
        Members that move together, sorted by the first.
    """

    singles: Array
    pairs: Array

    @classmethod
    def from_singles(cls, singles: Array) -> Steps:
        """Move one member in each step."""
        return cls(singles, np.empty((2, 0), singles.dtype))

    @classmethod
    def from_selected(
        cls, selected: Array, max_members: int, exchange: bool, odd: bool = False
    ) -> Steps:
        """List the steps to sub-ensembles that are neither empty nor too large.

        Parameters
        ----------
        selected : bool array of shape (m,)
            The sub-ensemble.
        max_members : int
            The largest size allowed.
        exchange : bool
            Whether members may be swapped.
        odd : bool
            Whether sizes must stay odd, so that members join and leave in pairs.

        Examples
        --------
        >>> selected = np.array([True, True, False])
        >>> steps = Steps.from_selected(selected, max_members=2, exchange=True)
        >>> steps.singles, steps.pairs.tolist()
        (array([0, 1]), [[0, 1], [2, 2]])
        """
        members, others = np.flatnonzero(selected), np.flatnonzero(~selected)
        swaps = np.repeat(members, len(others)), np.tile(others, len(members))
        pairs = [np.array(swaps)] if exchange else []
        n_moved = 2 if odd else 1
        movers = [members] if len(members) > n_moved else []
        movers += [others] if len(members) + n_moved <= max_members else []
        if odd:
            pairs = [some[np.array(np.triu_indices(len(some), 1))] for some in movers] + pairs
        singles = [] if odd else movers
        none = np.empty((2, 0), members.dtype)
        return cls(np.concatenate([none[0], *singles]), np.concatenate([none, *pairs], axis=1))

    @property
    def first(self) -> Array:
        """The first or only member that moves in each step, (s,)."""
        return np.concatenate([self.singles, self.pairs[0]])

    @property
    def second(self) -> Array:
        """The other member that moves, -1 for none, (s,)."""
        return np.concatenate([np.full(len(self.singles), NO_MEMBER), self.pairs[1]])


@dataclass(frozen=True)
class Neighbours:
    """Sub-ensembles one step from another, with their scores; all arrays have shape (s,).

    Attributes
    ----------
    first, second : int arrays
        Members that join or leave; -1 for no second one.
    errors, risks : arrays
    base : pair of float
        Error and risk of the sub-ensemble that they are neighbours of.
    """

    first: Array
    second: Array
    errors: Array
    risks: Array
    base: tuple[float, float]

    def find_better_in_anything(self) -> Array:
        """Return the positions of the neighbours with a lower error or risk than the base."""
        error, risk = self.base
        return np.flatnonzero((self.errors < error) | (self.risks < risk))

    def find_nondominated(self, positions: Array) -> Array:
        """Return which of the neighbours at `positions` no other of them dominates."""
        return find_nondominated(self.errors[positions], self.risks[positions])

    def get_movers(self, position: int) -> Array:
        """Return the members that move to the neighbour at `position`, one or two."""
        movers = np.array([self.first[position], self.second[position]])
        return movers[movers != NO_MEMBER]

    def get_selected(self, base: Array, positions: Array) -> Array:
        """Return the members of the neighbours of `base` at `positions`, a bool array (s, m)."""
        members = np.tile(base, (len(positions), 1))
        for movers in (self.first[positions], self.second[positions]):
            rows = np.flatnonzero(movers != NO_MEMBER)
            members[rows, movers[rows]] ^= True
        return members
