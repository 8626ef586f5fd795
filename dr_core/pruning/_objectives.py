"""The objectives of pruning: 𝒢, the error and the risk of a vote, and the scalar objective 𝓛.

The trade-off λ is the weight of accuracy: λ = 1 minimises the error alone, λ = 0 the
discriminative risk alone. Errors and tandem risks are integers (row units) until the last
division, so that equally good sub-ensembles compare as equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dr_core._utils import Array, is_number, iter_slices
from dr_core.ensembles import Votes

__all__ = ["bi_objective", "pair_objectives", "scalar_objective", "tandem_risks"]

TANDEM_BLOCK = 2**24
"""Votes multiplied at once. A block has at most 2**24 instances, so float32 counts are exact."""

SPARSE_PAIR_COST = 400
"""Cost of one pair of changes in a sparse product, relative to its cost in a dense one."""


def bi_objective(votes: Votes) -> tuple[float, float]:
    """Return 𝒢 = (error of the vote, discriminative risk of the vote), both to be minimised.

    Examples
    --------
    >>> bi_objective(Votes([[0, 1], [0, 1], [1, 0]], [[0, 1], [0, 0], [1, 0]], y=[0, 1]))
    (0.0, 0.5)
    """
    return votes.error, votes.risk


def tandem_risks(votes: Votes) -> Array:
    """Return L(f, f′) = E[1[f(x) ≠ f(x̃)] 1[f′(x) ≠ f′(x̃)]] of all pairs of members, (m, m).

    Examples
    --------
    Both members change on the first of two instances, the first member also on the second:

    >>> tandem_risks(Votes([[0, 0], [0, 0]], [[1, 1], [1, 0]], y=[0, 0]))
    array([[1. , 0.5],
           [0.5, 0.5]])
    """
    return compute_tandem_units(votes.changes, votes.row_units) / votes.row_units.sum()


def pair_objectives(votes: Votes, trade_off: float = 0.5) -> Array:
    """Return 𝓛(f, f′) = λ (err(f) + err(f′))/2 + (1 - λ) L(f, f′) of all pairs, (m, m).

    Examples
    --------
    >>> pair_objectives(Votes([[0, 0], [0, 1]], [[1, 1], [1, 1]], y=[0, 0]))
    array([[0.5  , 0.375],
           [0.375, 0.5  ]])
    """
    errors = votes.member_errors
    mean_errors = (errors[:, None] + errors) / 2
    return check_trade_off(trade_off) * mean_errors + (1 - trade_off) * tandem_risks(votes)


def scalar_objective(votes: Votes, trade_off: float = 0.5) -> float:
    """Return 𝓛 = λ E_ρ[err(f)] + (1 - λ) E_ρ²[L(f, f′)] of a weighted vote.

    By the paper's lemma the second expectation is E[φ²], which needs no pairs of members.

    Examples
    --------
    >>> scalar_objective(Votes([[0, 0], [0, 1]], [[1, 1], [1, 1]], y=[0, 0]))
    0.4375
    """
    error = votes.units @ compute_error_units(votes)
    tandem = votes.row_units @ np.square(votes.inconsistency_units)
    scale = votes.units.sum(), votes.row_units.sum()
    return float(_compute_weighted_sum(error, tandem, *scale, check_trade_off(trade_off)))


@dataclass(frozen=True)
class ScalarObjective:
    """𝓛 of any sub-ensemble, from the errors of the members and the tandem risks of their pairs.

    Attributes
    ----------
    units : array of shape (m,)
        Weights of the members, as integers.
    errors : array of shape (m,)
        Errors of the members, in row units.
    tandem : array of shape (m, m)
        Tandem risks of the pairs, in row units.
    n_units : float
        Sum of the row units of all instances.
    trade_off : float
        λ.

    Examples
    --------
    >>> votes = Votes([[0, 0], [0, 1]], [[1, 1], [1, 1]], y=[0, 0])
    >>> objective = ScalarObjective.from_votes(votes)
    >>> float(objective(np.array([True, True]))) == scalar_objective(votes)
    True
    """

    units: Array
    errors: Array
    tandem: Array
    n_units: float
    trade_off: float

    @classmethod
    def from_votes(cls, votes: Votes, trade_off: float = 0.5) -> ScalarObjective:
        """Compute the errors and the tandem risks of all members of `votes`."""
        errors = compute_error_units(votes)
        tandem = compute_tandem_units(votes.changes, votes.row_units)
        total = float(votes.row_units.sum())
        return cls(votes.units, errors, tandem, total, check_trade_off(trade_off))

    def __call__(self, selected: Array) -> Array:
        """Return 𝓛 of one sub-ensemble, a bool array (m,), or of several, (s, m)."""
        units = self.units * selected
        tandem = ((units @ self.tandem) * units).sum(axis=-1)
        return self._scale(units @ self.errors, tandem, units.sum(axis=-1))

    def compute_neighbours(self, selected: Array, first: Array, second: Array) -> Array:
        """Return 𝓛 of the neighbours of one sub-ensemble, (s,).

        Parameters
        ----------
        selected : bool array of shape (m,)
            The sub-ensemble.
        first, second : int arrays of shape (s,)
            The members that join or leave in each step; `second` is -1 for none.
        """
        # Member a adds i units (less than 0 if it leaves) and b adds j. With w the units of the
        # sub-ensemble and T the tandem risks, the new units are w′ = w + i e_a + j e_b, and
        #   w′ᵀ T w′ = wᵀ T w + i (2 (T w)_a + i T_aa) + j (2 (T w)_b + j T_bb) + 2 i j T_ab.
        # T = [[1, 1, 0], [1, 1, 0], [0, 0, 2]], w = (1, 1, 0), a = 1, i = -1, b = 2, j = 1 give
        # T w = (2, 2, 0) and 4 - (4 - 1) + (0 + 2) - 0 = 3 = T_00 + 2 T_02 + T_22.
        # The index -1 picks the last member, but its terms are multiplied by 0 units.
        units = self.units * selected
        moved = np.where(selected, -self.units, self.units)
        one, other = moved[first], np.where(second < 0, 0, moved[second])
        with_all, alone = self.tandem @ units, self.tandem.diagonal()
        tandem = (
            units @ with_all
            + one * (2 * with_all[first] + one * alone[first])
            + other * (2 * with_all[second] + other * alone[second])
            + 2 * one * other * self.tandem[first, second]
        )
        error = units @ self.errors + one * self.errors[first] + other * self.errors[second]
        return self._scale(error, tandem, units.sum() + one + other)

    def _scale(self, error: Array, tandem: Array, weight: Array) -> Array:
        return _compute_weighted_sum(error, tandem, weight, self.n_units, self.trade_off)


def compute_error_units(votes: Votes) -> Array:
    """Return the error of each member, in row units, (m,)."""
    return np.array([votes.count(row != votes.y) for row in votes.votes])


def compute_tandem_units(changes: Any, row_units: Array) -> Array:
    """Return the row units of the instances on which both members of a pair change, (m, m).

    Parameters
    ----------
    changes : sparse or dense array of shape (m, n)
        Which member changes on which instance.
    row_units : array of shape (n,)

    Examples
    --------
    >>> compute_tandem_units(np.array([[True, True], [True, False]]), np.array([1.0, 2.0]))
    array([[3., 1.],
           [1., 1.]])
    """
    # An instance on which c of m members change adds c² pairs to a sparse product and m² to a
    # dense one, but a sparse pair costs SPARSE_PAIR_COST times as much. The sparse product is
    # faster up to c² = m²/400, one member in 20. Changes are rare, so most instances are below.
    # Sorting by c puts the few above into blocks of their own, and drops those with c = 0.
    # All sums are sums of integers, hence exact in both products.
    m = changes.shape[0]
    if m**2 <= SPARSE_PAIR_COST:  # no instance is below
        return _multiply_few(sparse.csr_array(changes), row_units)
    by_instance = sparse.csr_array(changes).T.tocsr()
    n_changes = np.diff(by_instance.indptr)
    order = np.argsort(-n_changes, kind="stable")[: np.count_nonzero(n_changes)]
    tandem: Array = np.zeros((m, m))
    for some in iter_slices(len(order), TANDEM_BLOCK // m):
        rows = order[some]
        block, units = by_instance[rows], row_units[rows]
        pairs = float(np.square(n_changes[rows], dtype=float).sum())
        is_dense = pairs * SPARSE_PAIR_COST > len(rows) * m**2
        tandem += _multiply_dense(block, units) if is_dense else _multiply_sparse(block, units)
    return tandem


def _multiply_few(changes: Any, row_units: Array) -> Array:
    """Return the same for few members: all instances in dense products, without sorting them."""
    m, n = changes.shape
    tandem: Array = np.zeros((m, m))
    for some in iter_slices(n, TANDEM_BLOCK // m):
        part = changes if some == slice(0, n) else changes[:, some]
        tandem += _multiply_dense(part.T, row_units[some])
    return tandem


def _multiply_dense(block: Any, units: Array) -> Array:
    if (units == 1).all():  # counted in float32, exact for up to 2**24 instances
        dense = block.toarray().astype(np.float32)
        return np.asarray(dense.T @ dense)
    dense = block.astype(np.float64).toarray()
    return np.asarray(dense.T @ (dense * units[:, None]))


def _multiply_sparse(block: Any, units: Array) -> Array:
    block = block.astype(np.float64)
    weighted = block if (units == 1).all() else block.multiply(units[:, None]).tocsr()
    return np.asarray((block.T @ weighted).toarray())


def round_objectives(objectives: Array) -> Array:
    """Round values of 𝓛 to twelve decimals, so that no rounding error decides their order."""
    return np.round(objectives, 12)


def check_trade_off(trade_off: float) -> float:
    """Return λ, or raise ValueError if it is not in [0, 1]."""
    if is_number(trade_off) and 0 <= trade_off <= 1:
        return trade_off
    raise ValueError(
        f"trade_off is the weight of accuracy and must be in [0, 1]; got {trade_off!r}."
    )


def _compute_weighted_sum(
    error: Array, tandem: Array, weight: Array, n_units: float, trade_off: float
) -> Array:
    """Return λ E_ρ[err(f)] + (1 - λ) E_ρ²[L(f, f′)] from sums in units."""
    accuracy, fairness = error / (weight * n_units), tandem / (weight**2 * n_units)
    return trade_off * accuracy + (1 - trade_off) * fairness
