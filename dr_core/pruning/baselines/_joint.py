"""How pairs of members vote together: joint shares of their votes, and what follows from them."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from dr_core._utils import Array
from dr_core.ensembles import BLOCK, blocks


def joint_shares(codes: Array, n_codes: int, row_units: Array) -> Array:
    """Share of the instances on which one row says a and another says b.

    Parameters
    ----------
    codes : array of shape (r, n)
        Whole numbers below `n_codes`.
    n_codes : int
        Number of different codes.
    row_units : array of shape (n,)
        Weights of the instances; whole numbers give the same answer in any order of summation.
        If all are 0, so are the shares.

    Returns
    -------
    array of shape (r, r, n_codes, n_codes)

    Examples
    --------
    >>> joint_shares(np.array([[0, 1], [1, 1]]), 2, np.ones(2))[0, 1]
    array([[0. , 0.5],
           [0. , 0.5]])
    """
    r, n = codes.shape
    sums = np.zeros((r * n_codes, r * n_codes))
    for columns in blocks(n, BLOCK // (r * n_codes)):
        said = codes[:, np.newaxis, columns] == np.arange(n_codes)[:, np.newaxis]
        flat = said.reshape(r * n_codes, -1).astype(float)
        sums += (flat * row_units[columns]) @ flat.T
    shares = sums.reshape(r, n_codes, r, n_codes).swapaxes(1, 2)
    return shares / (row_units.sum() or 1.0)


def single_shares(shares: Array) -> Array:
    """Share of the instances on which each row says a, (r, n_codes), from the joint shares."""
    return np.einsum("iiaa->ia", shares)


def agreement(shares: Array) -> Array:
    """Share of the instances on which two rows say the same, (r, r), from the joint shares."""
    return np.einsum("ijaa->ij", shares)


def mutual_information(shares: Array) -> Array:
    """Mutual information I(i; j) = H(i) + H(j) - H(i, j) in nats, (r, r), from the joint shares.

    Examples
    --------
    >>> shares = joint_shares(np.array([[0, 1, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]]), 2, np.ones(4))
    >>> mutual_information(shares).round(3)
    array([[0.693, 0.693, 0.   ],
           [0.693, 0.693, 0.   ],
           [0.   , 0.   , 0.693]])
    """
    alone = -xlogy(single_shares(shares), single_shares(shares)).sum(axis=1)
    together = -xlogy(shares, shares).sum(axis=(2, 3))
    return np.asarray(alone[:, np.newaxis] + alone - together)
