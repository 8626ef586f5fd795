"""The weighted vote of an ensemble, its margin γ and its inconsistency φ.

Weights are kept as whole numbers (`Votes.units`, `Votes.row_units`), so that every sum of votes
and every share of rows is exact: a tie is a tie on every machine and in every order of summation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from dr_core._utils import whole_units

__all__ = ["Votes"]

Array = npt.NDArray[Any]

EXACT_IN_FLOAT32 = 2**24
"""Whole numbers below this are exact in float32, so are their sums."""

BLOCK = 2**20
"""Votes looked at together: float copies of the votes never take more than 8 MB."""

NUMBERS = "biuf"
"""Kinds of NumPy dtypes whose labels compare with one another."""

LEFT_OUT: Any = None
"""Default of arguments that are arrays once the object is made."""


@dataclass(frozen=True, eq=False, repr=False)
class Votes:
    """What m members say of n instances, before and after perturbation.

    Parameters
    ----------
    votes, perturbed : array of shape (m, n)
        Class labels predicted by each member for x and for x̃.
    y : array of shape (n,)
        True labels.
    weights : array of shape (m,), optional
        Weights of the members, at least 0; uniform when left out.
    sample_weight : array of shape (n,), optional
        Weights of the instances; uniform when left out.
    classes : array, optional
        Sorted class labels. When given, `votes`, `perturbed` and `y` already are positions in it.
    rows : array of shape (n,), optional
        Which person each instance is about, when several perturbations of one are listed; all
        different when left out.

    Attributes
    ----------
    votes, perturbed, y : arrays
        Positions in `classes`, one byte each for up to 256 classes.
    classes : array of shape (C,)
        The labels, sorted.
    weights : array of shape (m,)
        Weights of the members; they sum to 1.
    units : array of shape (m,)
        Whole numbers (held as float64) in proportion to the weights.
    row_weights, row_units : arrays of shape (n,)
        The same for the instances.

    Examples
    --------
    Three members, two instances; the perturbation turns one vote on the second instance:

    >>> votes = Votes([[0, 1], [0, 1], [1, 0]], [[0, 1], [0, 0], [1, 0]], y=[0, 1])
    >>> votes
    Votes(3 members, 2 instances, classes [0, 1])
    >>> votes.vote, votes.perturbed_vote
    (array([0, 1], dtype=uint8), array([0, 0], dtype=uint8))
    >>> votes.risk, votes.error
    (0.5, 0.0)
    >>> votes.margin.round(3), votes.inconsistency.round(3)
    (array([0.333, 0.333]), array([0.   , 0.333]))

    Without its second member:

    >>> votes.subset([0, 2]).error
    0.5
    """

    votes: Array
    perturbed: Array
    y: Array
    weights: Array = LEFT_OUT
    sample_weight: Array | None = None
    classes: Array = LEFT_OUT
    rows: Array = LEFT_OUT
    units: Array = field(init=False)
    row_units: Array = field(init=False)

    def __post_init__(self) -> None:
        arrays = _checked_shapes(self.votes, self.perturbed, self.y)
        m, n = arrays["votes"].shape
        units = whole_units(self.weights, m, "weights")
        encode = _encoded if self.classes is None else _checked_codes
        classes = _found_classes(arrays) if self.classes is None else np.asarray(self.classes)
        for name, array in arrays.items():
            self._set(name, encode(name, array, classes))
        self._set("classes", classes)
        self._set("units", units)
        self._set("weights", units / units.sum())
        self._set("row_units", whole_units(self.sample_weight, n, "sample_weight"))
        self._set("rows", _checked_rows(self.rows, n))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        shown = np.array2string(self.classes, separator=", ", threshold=6, edgeitems=2)
        return f"Votes({self.n_members} members, {self.n_instances} instances, classes {shown})"

    @property
    def n_members(self) -> int:
        """Number m of members."""
        return int(self.votes.shape[0])

    @property
    def n_instances(self) -> int:
        """Number n of instances."""
        return int(self.votes.shape[1])

    @property
    def n_classes(self) -> int:
        """Number C of classes."""
        return len(self.classes)

    @cached_property
    def uniform_rows(self) -> bool:
        """Whether all instances weigh the same."""
        return bool((self.row_units == self.row_units[0]).all())

    @cached_property
    def row_weights(self) -> Array:
        """Weights of the instances, (n,); they sum to 1."""
        return self.row_units / self.row_units.sum()

    @cached_property
    def changes(self) -> sparse.csr_array:
        """Which member changes its vote on which instance, 1[f(x) ≠ f(x̃)], (m, n).

        Changes are rare, so only where they are is kept.
        """
        pairs = zip(self.votes, self.perturbed, strict=True)
        found = [np.flatnonzero(own != perturbed).astype(np.int32) for own, perturbed in pairs]
        where = np.concatenate(found)
        ends = np.cumsum([0, *map(len, found)])
        return sparse.csr_array((np.ones(len(where), bool), where, ends), self.votes.shape)

    @cached_property
    def totals(self) -> Array:
        """Votes of each class on x, in units, (C, n)."""
        return self._totals(self.votes)

    @cached_property
    def perturbed_totals(self) -> Array:
        """Votes of each class on x̃, in units, (C, n)."""
        return self._totals(self.perturbed)

    @cached_property
    def vote(self) -> Array:
        """The weighted vote on x, argmax_y q_y(x), ties to the lowest class, (n,)."""
        return self._leaders.winner

    @cached_property
    def perturbed_vote(self) -> Array:
        """The weighted vote on x̃, (n,)."""
        return leaders(self.perturbed_totals).winner

    @cached_property
    def margin_units(self) -> Array:
        """The margin in units, Γ = γ Σ units, (n,)."""
        return self._leaders.margin

    @cached_property
    def _leaders(self) -> Leaders:
        return leaders(self.totals)

    @cached_property
    def inconsistency_units(self) -> Array:
        """The inconsistency in units, Φ = φ Σ units, (n,)."""
        return np.asarray(self.changes.T @ self.units)

    @property
    def margin(self) -> Array:
        """The voting margin γ(x) = q_(1)(x) - q_(2)(x), (n,)."""
        return self.margin_units / self.units.sum()

    @property
    def inconsistency(self) -> Array:
        """The inconsistency φ(x) = Σ_j w_j 1[f_j(x) ≠ f_j(x̃)], (n,)."""
        return self.inconsistency_units / self.units.sum()

    @cached_property
    def error(self) -> float:
        """Share of instances the vote gets wrong."""
        return self.share(self.vote != self.y)

    @cached_property
    def risk(self) -> float:
        """Discriminative risk of the vote, the share of instances whose vote changes."""
        return self.share(self.vote != self.perturbed_vote)

    @cached_property
    def member_errors(self) -> Array:
        """Error of each member, (m,)."""
        return np.array([self.share(row != self.y) for row in self.votes])

    @cached_property
    def member_risks(self) -> Array:
        """Discriminative risk of each member, (m,)."""
        return np.asarray(self.changes @ self.row_units) / self.row_units.sum()

    def count(self, condition: Array) -> float:
        """Row units of the instances where `condition`, a bool array (n,), holds."""
        if self.uniform_rows:
            return float(np.count_nonzero(condition))
        return float(self.row_units @ condition)

    def share(self, condition: Array) -> float:
        """Weighted share of the instances where `condition`, a bool array (n,), holds.

        It is one division of whole numbers, hence the same to the last bit however the rows
        were gone through.
        """
        return self.count(condition) / float(self.row_units.sum())

    def subset(self, members: npt.ArrayLike) -> Votes:
        """Votes of the sub-ensemble of these `members`, weights renormalised over them."""
        kept = np.asarray(members)
        return Votes(
            self.votes[kept],
            self.perturbed[kept],
            self.y,
            weights=self.units[kept],
            sample_weight=None if self.uniform_rows else self.row_units,
            classes=self.classes,
            rows=self.rows,
        )

    def _totals(self, codes: Array) -> Array:
        totals = np.empty((self.n_classes, self.n_instances))
        for label in range(1, self.n_classes):
            totals[label] = self._weighed(codes, label)
        totals[0] = self.units.sum() - totals[1:].sum(axis=0)
        return totals

    def _weighed(self, array: Array, value: object) -> Array:
        """Units of the members with this `value` in each column, (n,)."""
        weighed = np.empty(self.n_instances)
        for columns in blocks(self.n_instances, BLOCK // self.n_members):
            weighed[columns] = self.units @ (array[:, columns] == value)
        return weighed


@dataclass(frozen=True)
class Leaders:
    """The two classes with most votes on each instance; arrays of shape (n,)."""

    winner: Array
    runner_up: Array
    first: Array
    second: Array

    @property
    def margin(self) -> Array:
        """Votes by which the winner leads."""
        return np.asarray(self.first - self.second)

    @property
    def lead(self) -> Array:
        """Votes the winner must lose, or the runner-up win, for the vote to turn."""
        return np.asarray(self.margin + (self.runner_up > self.winner))


def leaders(totals: Array) -> Leaders:
    """Find winner and runner-up of each column of `totals`, (C, n), ties to the lower class.

    With one class only, nobody (class 0 with no votes) is the runner-up.

    Examples
    --------
    >>> led = leaders(np.array([[1.0, 2.0], [4.0, 2.0], [3.0, 2.0]]))
    >>> led.winner, led.runner_up, led.margin
    (array([1, 0], dtype=uint8), array([2, 1], dtype=uint8), array([1., 0.]))
    """
    code = _code_type(totals)
    if len(totals) == 2:  # the same as below, in fewer passes
        winner = (totals[1] > totals[0]).astype(code)
        return Leaders(winner, 1 - winner, np.maximum(*totals), np.minimum(*totals))
    first, second = totals[0], np.zeros_like(totals[0])
    winner = runner_up = np.zeros(totals.shape[1], code)
    for label in range(1, len(totals)):
        votes = totals[label]
        wins, follows = votes > first, (votes > second) | (label == 1)
        runner_up = np.where(wins, winner, np.where(follows, code(label), runner_up))
        winner = np.where(wins, code(label), winner)
        second = np.maximum(second, np.minimum(first, votes))
        first = np.maximum(first, votes)
    return Leaders(winner, runner_up, first, second)


def blocks(length: int, size: int) -> Iterator[slice]:
    """Slices that cover `length` positions, at most `size` (and at least one) at a time.

    Examples
    --------
    >>> list(blocks(5, 2))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(1, size)
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def checked_votes(votes: object) -> Votes:
    """Return votes if they are `Votes`, an error if not."""
    if isinstance(votes, Votes):
        return votes
    raise TypeError(
        f"votes is a {type(votes).__name__}; pass Votes, as collect_votes returns them."
    )


def _checked_rows(rows: npt.ArrayLike | None, length: int) -> Array:
    given = np.arange(length) if rows is None else np.asarray(rows)
    if given.shape != (length,):
        raise ValueError(
            f"rows must have shape ({length},), one for each instance; found {given.shape}."
        )
    return given


def _checked_shapes(votes: object, perturbed: object, y: object) -> dict[str, Array]:
    """Return the three as arrays of shapes (m, n), (m, n), (n,), or name the one that is not."""
    arrays = {"votes": votes, "perturbed": perturbed, "y": y}
    found = {name: _as_array(name, value) for name, value in arrays.items()}
    shape = found["votes"].shape
    if len(shape) != 2 or 0 in shape:
        raise ValueError(
            "votes must have shape (members, instances), with at least one of each; "
            f"found {shape}."
        )
    for name, wanted in {"perturbed": shape, "y": shape[1:]}.items():
        if found[name].shape != wanted:
            raise ValueError(
                f"{name} must have shape {wanted} to go with votes of shape {shape}; "
                f"found {found[name].shape}."
            )
    return found


def _as_array(name: str, value: object) -> Array:
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be an array; found rows of different lengths.") from None


def _found_classes(arrays: dict[str, Array]) -> Array:
    """All labels found, sorted."""
    numeric = {name: array.dtype.kind in NUMBERS for name, array in arrays.items()}
    if len(set(numeric.values())) > 1:
        kinds = ", ".join(f"{name} of {array.dtype}" for name, array in arrays.items())
        raise ValueError(f"votes, perturbed and y must hold labels of one kind; found {kinds}.")
    labels = [_unique(name, row) for name, array in arrays.items() for row in np.atleast_2d(array)]
    try:
        return np.unique(np.concatenate(labels))
    except TypeError:
        types = sorted({type(label).__name__ for row in labels for label in row.tolist()})
        raise ValueError(
            f"labels of types {', '.join(types)} cannot be sorted; use one type."
        ) from None


def _unique(name: str, row: Array) -> Array:
    """Labels in one row, in any order."""
    labels = np.unique(row) if row.dtype.kind == "U" else np.asarray(pd.unique(row))
    if pd.isna(labels).any():
        raise ValueError(f"{name} holds missing labels (NaN or None); drop those instances first.")
    return labels


def _encoded(name: str, array: Array, classes: Array) -> Array:
    """Positions in `classes`, member by member so that no second large array is made."""
    codes = np.empty(array.shape, _code_type(classes))
    for row, target in zip(np.atleast_2d(array), np.atleast_2d(codes), strict=True):
        target[:] = np.searchsorted(classes, row)
    return codes


def _checked_codes(name: str, codes: Array, classes: Array) -> Array:
    """Positions given by the caller, in the compact type."""
    if codes.dtype.kind not in "biu":
        raise ValueError(
            f"{name} must hold positions in classes, whole numbers; found {codes.dtype}. "
            "Leave classes out to have labels encoded."
        )
    if int(codes.min()) < 0 or int(codes.max()) >= len(classes):
        raise ValueError(
            f"{name} must hold positions from 0 to {len(classes) - 1}, one for each of classes; "
            f"found {codes.min()} to {codes.max()}."
        )
    return codes.astype(_code_type(classes), copy=False)


def _code_type(classes: Array) -> type[np.unsignedinteger[Any]]:
    if len(classes) > 2**16:
        raise ValueError(
            f"Found {len(classes)} distinct labels; a vote is over at most {2**16} classes. "
            "Are these the predictions of a regressor?"
        )
    return np.uint8 if len(classes) <= 2**8 else np.uint16
