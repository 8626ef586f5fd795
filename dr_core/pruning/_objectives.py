"""What pruning minimises: error and risk of a vote, 𝒢, and the scalar objective 𝓛.

λ, the trade-off, weighs accuracy: λ = 1 looks at errors alone, λ = 0 at discriminative risk alone.
Errors and tandem risks are kept as whole numbers (row units) until the last division, so that two
sub-ensembles that are equally good compare as equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dr_core._utils import Array, is_number
from dr_core.ensembles import Votes, blocks

__all__ = ["bi_objective", "pair_objectives", "scalar_objective", "tandem_risks"]

TANDEM_BLOCK = 2**24
"""Votes multiplied at once, and below 2**24 instances."""

RARE = 400
"""A pair costs a sparse product so many times what it costs a dense one."""


def bi_objective(votes: Votes) -> tuple[float, float]:
    """𝒢 = (error of the vote, discriminative risk of the vote), both to be minimised.

    Examples
    --------
    >>> bi_objective(Votes([[0, 1], [0, 1], [1, 0]], [[0, 1], [0, 0], [1, 0]], y=[0, 1]))
    (0.0, 0.5)
    """
    return votes.error, votes.risk


def tandem_risks(votes: Votes) -> Array:
    """L(f, f′) = E[1[f(x) ≠ f(x̃)] 1[f′(x) ≠ f′(x̃)]] of all pairs of members, (m, m).

    Examples
    --------
    Both members change on the first of two instances, the first member also on the second:

    >>> tandem_risks(Votes([[0, 0], [0, 0]], [[1, 1], [1, 0]], y=[0, 0]))
    array([[1. , 0.5],
           [0.5, 0.5]])
    """
    return tandem_units(votes.changes, votes.row_units) / votes.row_units.sum()


def pair_objectives(votes: Votes, trade_off: float = 0.5) -> Array:
    """𝓛(f, f′) = λ (err(f) + err(f′))/2 + (1 - λ) L(f, f′) of all pairs of members, (m, m).

    Examples
    --------
    >>> pair_objectives(Votes([[0, 0], [0, 1]], [[1, 1], [1, 1]], y=[0, 0]))
    array([[0.5  , 0.375],
           [0.375, 0.5  ]])
    """
    errors = votes.member_errors
    mean_errors = (errors[:, None] + errors) / 2
    return checked_trade_off(trade_off) * mean_errors + (1 - trade_off) * tandem_risks(votes)


def scalar_objective(votes: Votes, trade_off: float = 0.5) -> float:
    """𝓛 = λ E_ρ[err(f)] + (1 - λ) E_ρ²[L(f, f′)] of a weighted vote.

    By the paper's lemma the second expectation is E[φ²]: no pair of members is looked at.

    Examples
    --------
    >>> scalar_objective(Votes([[0, 0], [0, 1]], [[1, 1], [1, 1]], y=[0, 0]))
    0.4375
    """
    error = votes.units @ error_units(votes)
    tandem = votes.row_units @ np.square(votes.inconsistency_units)
    scale = votes.units.sum(), votes.row_units.sum()
    return float(_weighted_sum(error, tandem, *scale, checked_trade_off(trade_off)))


@dataclass(frozen=True)
class ScalarObjective:
    """𝓛 of any sub-ensemble, from the errors of the members and tandem risks of their pairs.

    Attributes
    ----------
    units : array of shape (m,)
        Weights of the members in whole units.
    errors : array of shape (m,)
        Their errors, in row units.
    tandem : array of shape (m, m)
        Tandem risks of their pairs, in row units.
    n_units : float
        Row units of all instances together.
    trade_off : float
        λ.

    Examples
    --------
    >>> votes = Votes([[0, 0], [0, 1]], [[1, 1], [1, 1]], y=[0, 0])
    >>> objective = ScalarObjective.of(votes)
    >>> float(objective(np.array([True, True]))) == scalar_objective(votes)
    True
    """

    units: Array
    errors: Array
    tandem: Array
    n_units: float
    trade_off: float

    @classmethod
    def of(cls, votes: Votes, trade_off: float = 0.5) -> ScalarObjective:
        """Look at all pairs of members of `votes`."""
        tandem = tandem_units(votes.changes, votes.row_units)
        total = float(votes.row_units.sum())
        return cls(votes.units, error_units(votes), tandem, total, checked_trade_off(trade_off))

    def __call__(self, selected: Array) -> Array:
        """𝓛 of sub-ensembles, given as one bool array (m,) or several, (s, m)."""
        units = self.units * selected
        tandem = ((units @ self.tandem) * units).sum(axis=-1)
        return self._value(units @ self.errors, tandem, units.sum(axis=-1))

    def of_changes(self, selected: Array, leaves: Array, joins: Array) -> Array:
        """𝓛 of the neighbours of one sub-ensemble.

        Parameters
        ----------
        selected : bool array of shape (m,)
            The sub-ensemble.
        leaves, joins : int arrays of shape (s,)
            The member that leaves and the one that joins, -1 for none.
        """
        units = self.units * selected
        left = np.where(leaves < 0, 0, self.units[leaves])
        joined = np.where(joins < 0, 0, self.units[joins])
        with_all, alone = self.tandem @ units, self.tandem.diagonal()
        tandem = (
            units @ with_all
            + joined * (2 * with_all[joins] + joined * alone[joins])
            - left * (2 * with_all[leaves] - left * alone[leaves])
            - 2 * left * joined * self.tandem[leaves, joins]
        )
        error = units @ self.errors + joined * self.errors[joins] - left * self.errors[leaves]
        return self._value(error, tandem, units.sum() + joined - left)

    def _value(self, error: Array, tandem: Array, weight: Array) -> Array:
        return _weighted_sum(error, tandem, weight, self.n_units, self.trade_off)


def error_units(votes: Votes) -> Array:
    """Error of each member, in row units, (m,)."""
    return np.array([votes.count(row != votes.y) for row in votes.votes])


def tandem_units(changes: Any, row_units: Array) -> Array:
    """Row units of the instances where both members of a pair change, (m, m).

    Changes are rare: an instance on which c members change has c² pairs, not m². Instances go
    through in the order of c, a block at a time, so that the few on which many change, where a
    product of dense matrices is faster, come together. All sums are whole numbers, hence exact.

    Parameters
    ----------
    changes : sparse or dense array of shape (m, n)
        Which member changes on which instance.
    row_units : array of shape (n,)

    Examples
    --------
    >>> tandem_units(np.array([[True, True], [True, False]]), np.array([1.0, 2.0]))
    array([[3., 1.],
           [1., 1.]])
    """
    by_instance = sparse.csr_array(changes).T.tocsr()
    m = by_instance.shape[1]
    n_changes = np.diff(by_instance.indptr)
    order = np.argsort(-n_changes, kind="stable")[: np.count_nonzero(n_changes)]
    tandem: Array = np.zeros((m, m))
    for some in blocks(len(order), TANDEM_BLOCK // m):
        rows = order[some]
        block, units = by_instance[rows], row_units[rows]
        pairs = float(np.square(n_changes[rows], dtype=float).sum())
        product = _dense_product if pairs * RARE > len(rows) * m**2 else _sparse_product
        tandem += product(block, units)
    return tandem


def _dense_product(block: Any, units: Array) -> Array:
    if (units == 1).all():  # counted in float32, exact below 2**24 instances
        dense = block.astype(np.float32).toarray()
        return np.asarray(dense.T @ dense)
    dense = block.astype(np.float64).toarray()
    return np.asarray(dense.T @ (dense * units[:, None]))


def _sparse_product(block: Any, units: Array) -> Array:
    block = block.astype(np.float64)
    weighed = block if (units == 1).all() else block.multiply(units[:, None]).tocsr()
    return np.asarray((block.T @ weighed).toarray())


def comparable(objectives: Array) -> Array:
    """Round values of 𝓛 to twelve decimals, so that no rounding error decides their order."""
    return np.round(objectives, 12)


def checked_trade_off(trade_off: float) -> float:
    """Return λ if it is a weight, an error if not."""
    if is_number(trade_off) and 0 <= trade_off <= 1:
        return trade_off
    raise ValueError(f"trade_off weighs accuracy and must be in [0, 1]; found {trade_off!r}.")


def _weighted_sum(
    error: Array, tandem: Array, weight: Array, n_units: float, trade_off: float
) -> Array:
    """λ E_ρ[err(f)] + (1 - λ) E_ρ²[L(f, f′)] from sums in units."""
    accuracy, fairness = error / (weight * n_units), tandem / (weight**2 * n_units)
    return trade_off * accuracy + (1 - trade_off) * fairness
