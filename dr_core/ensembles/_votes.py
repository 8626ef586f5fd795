"""The weighted vote of an ensemble, its margin γ and its inconsistency φ.

Weights are kept as integers (`Votes.units`, `Votes.row_units`), so every sum of votes and every
share of instances is exact, and a tie is a tie on every machine. `dr_core._utils._numbers` has the
details.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse

from dr_core._utils import NUMERIC_KINDS, Array, format_count, iter_slices, to_units

__all__ = [
    "EXACT_IN_FLOAT32",
    "MAX_VOTES_PER_BLOCK",
    "Leaders",
    "Votes",
    "check_votes",
    "find_leaders",
]

EXACT_IN_FLOAT32 = 2**24
"""Integers below this are exact in float32, and so are their sums below it."""

MAX_VOTES_PER_BLOCK = 1_048_576
"""Votes converted to float64 at once, which takes 8 MB."""

MAX_VOTE_CLASSES = 2**16
"""Classes whose positions fit into two bytes."""


class Votes:
    """Votes of m members on n instances, before and after perturbation.

    Parameters
    ----------
    votes, perturbed : array of shape (m, n)
        Class labels predicted by each member for x and for x̃.
    y : array of shape (n,)
        True labels.
    weights : array of shape (m,), optional
        Weights of the members, at least 0; equal by default.
    sample_weight : array of shape (n,), optional
        Weights of the instances, at least 0; equal by default.
    classes : array, optional
        Sorted class labels. If given, `votes`, `perturbed` and `y` must be positions in `classes`.
    rows : array of shape (n,), optional
        Row of the data that each instance is a perturbation of; all different by default.
    favorable : label, optional
        The favourable class, for recall and selection rate of a pruned vote. By default the higher
        of two classes, and none if there are more.

    Attributes
    ----------
    votes, perturbed, y : arrays
        Positions in `classes`, one byte each for up to 256 classes.
    classes : array of shape (C,)
        The labels, sorted.
    weights : array of shape (m,)
        Weights of the members; they sum to 1.
    units : array of shape (m,)
        Integers (as float64) in proportion to the weights.
    row_weights, row_units : arrays of shape (n,)
        The same for the instances.
    sample_weight, rows
        As given; `rows` is an array.
    favorable : label, or None
        The favourable class.
    n_pool : int
        Number of members of the ensemble that these members were taken from with `subset`.

    Notes
    -----
    Properties are computed once and cached. Do not modify the arrays.

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

    def __init__(
        self,
        votes: npt.ArrayLike,
        perturbed: npt.ArrayLike,
        y: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        classes: npt.ArrayLike | None = None,
        rows: npt.ArrayLike | None = None,
        favorable: Any = None,
    ) -> None:
        arrays = _check_shapes(votes, perturbed, y)
        m, n = arrays["votes"].shape
        self.units = to_units(weights, m, "weights")
        self.weights = self.units / self.units.sum()
        self.classes = _find_classes(arrays) if classes is None else np.asarray(classes)
        to_codes = _encode_labels if classes is None else _check_codes
        codes = {name: to_codes(name, array, self.classes) for name, array in arrays.items()}
        self.votes, self.perturbed, self.y = codes["votes"], codes["perturbed"], codes["y"]
        self.sample_weight = sample_weight
        self.row_units = to_units(sample_weight, n, "sample_weight")
        self.rows = _check_rows(rows, n)
        self.favorable = _find_favorable(favorable, self.classes)
        self.n_pool = m

    def __repr__(self) -> str:
        classes = np.array2string(self.classes, separator=", ", threshold=6, edgeitems=2)
        m, n = format_count(self.n_members, "member"), format_count(self.n_instances, "instance")
        return f"Votes({m}, {n}, classes {classes})"

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
        """Whether all instances have the same weight."""
        return bool((self.row_units == self.row_units[0]).all())

    @cached_property
    def row_weights(self) -> Array:
        """Weights of the instances, (n,); they sum to 1."""
        return self.row_units / self.row_units.sum()

    # Changes are rare, so the matrix is sparse, and it is built without a dense one of its size.
    # If member 0 changes on instances 1 and 4, member 1 on none, and member 2 on instance 0, then
    # columns = [1, 4, 0] and ends = [0, 2, 2, 3]: row j has the columns[ends[j]:ends[j + 1]].
    @cached_property
    def changes(self) -> sparse.csr_array:
        """Which member changes its vote on which instance, 1[f(x) ≠ f(x̃)], sparse, (m, n)."""
        pairs = zip(self.votes, self.perturbed, strict=True)
        changed = [np.flatnonzero(own != perturbed).astype(np.int32) for own, perturbed in pairs]
        columns = np.concatenate(changed)
        ends = np.cumsum([0, *map(len, changed)])
        return sparse.csr_array((np.ones(len(columns), bool), columns, ends), self.votes.shape)

    @cached_property
    def totals(self) -> Array:
        """Votes for each class on x, in units, (C, n)."""
        return self._count_votes(self.votes)

    @cached_property
    def perturbed_totals(self) -> Array:
        """Votes for each class on x̃, in units, (C, n)."""
        return self._count_votes(self.perturbed)

    @cached_property
    def vote(self) -> Array:
        """The weighted vote on x, argmax_y q_y(x), (n,); the lowest class wins a tie."""
        return self._leaders.winner

    @cached_property
    def perturbed_vote(self) -> Array:
        """The weighted vote on x̃, (n,)."""
        return find_leaders(self.perturbed_totals).winner

    @cached_property
    def margin_units(self) -> Array:
        """The margin in units, Γ = γ Σ units, (n,)."""
        return self._leaders.margin

    @cached_property
    def _leaders(self) -> Leaders:
        return find_leaders(self.totals)

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
        """Share of instances with a wrong vote."""
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
        """Return the row units of the instances where `condition`, a bool array (n,), holds."""
        if self.uniform_rows:
            return float(np.count_nonzero(condition))
        return float(self.row_units @ condition)

    def share(self, condition: Array) -> float:
        """Return the weighted share of the instances where `condition`, a bool array (n,), holds.

        It is one division of integers, so the order of the instances does not matter.
        """
        return self.count(condition) / float(self.row_units.sum())

    def subset(self, members: npt.ArrayLike) -> Votes:
        """Return the votes of the sub-ensemble of `members`, with renormalised weights."""
        kept = np.asarray(members)
        subset = Votes(
            self.votes[kept],
            self.perturbed[kept],
            self.y,
            weights=self.units[kept],
            sample_weight=None if self.uniform_rows else self.row_units,
            classes=self.classes,
            rows=self.rows,
            favorable=self.favorable,
        )
        subset.n_pool = self.n_pool
        return subset

    def take(self, instances: Array) -> Votes:
        """Return the votes of the same members on these `instances` only."""
        taken = Votes(
            self.votes[:, instances],
            self.perturbed[:, instances],
            self.y[instances],
            weights=self.units,
            sample_weight=None if self.uniform_rows else self.row_units[instances],
            classes=self.classes,
            rows=self.rows[instances],
            favorable=self.favorable,
        )
        taken.n_pool = self.n_pool
        return taken

    def _count_votes(self, codes: Array) -> Array:
        """Return the units that vote for each class, (C, n)."""
        totals = np.empty((self.n_classes, self.n_instances))
        for label in range(1, self.n_classes):
            totals[label] = self._sum_units(codes, label)
        # Exact, as these are integers: class 0 has the votes that no other class has.
        totals[0] = self.units.sum() - totals[1:].sum(axis=0)
        return totals

    def _sum_units(self, codes: Array, label: int) -> Array:
        """Return the units of the members that vote for one class, (n,)."""
        found = np.empty(self.n_instances)
        counted = (self.units == 1).all()  # faster than to add up weights of 1
        for columns in iter_slices(self.n_instances, MAX_VOTES_PER_BLOCK // self.n_members):
            agrees = codes[:, columns] == label
            found[columns] = agrees.sum(axis=0, dtype=np.int32) if counted else self.units @ agrees
        return found


@dataclass(frozen=True, eq=False)
class Leaders:
    """The two classes with most votes on each instance; arrays of shape (n,).

    Attributes
    ----------
    winner, runner_up : positions of the classes
    first, second : their votes
    """

    winner: Array
    runner_up: Array
    first: Array
    second: Array

    @property
    def margin(self) -> Array:
        """Votes of the winner minus votes of the runner-up."""
        return np.asarray(self.first - self.second)

    # The lower class wins a tie. With 5 : 3 votes for classes 0 and 1, the runner-up is the higher
    # class: 2 more votes only give it a tie, so it needs 3. With 3 : 5 votes, the runner-up is the
    # lower class, and 2 more votes are enough.
    @property
    def lead(self) -> Array:
        """Votes that the runner-up must gain, or the winner lose, for the vote to change."""
        return np.asarray(self.margin + (self.runner_up > self.winner))


# One pass over the classes keeps the best two so far. For votes (2, 2, 3) of classes 0, 1 and 2:
#     Class 1 ties with class 0, so class 0 stays the winner, and class 1 is the runner-up.
#     Class 2 beats class 0, so class 2 is the winner, and class 0 is the runner-up: it ties with
#     class 1 and is lower.
# Class 1 is the first runner-up even with 0 votes.
def find_leaders(totals: Array) -> Leaders:
    """Find the winner and the runner-up of each column of `totals`, (C, n).

    Of classes with equal votes, the lower one comes first. If there is one class only, the
    runner-up is class 0 with 0 votes.

    Examples
    --------
    >>> led = find_leaders(np.array([[1.0, 2.0], [4.0, 2.0], [3.0, 2.0]]))
    >>> led.winner, led.runner_up, led.margin
    (array([1, 0], dtype=uint8), array([2, 1], dtype=uint8), array([1., 0.]))
    """
    code = _get_code_type(totals)
    if len(totals) == 2:  # the same as below, but faster
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


def check_votes(votes: object) -> Votes:
    """Return `votes`; raise TypeError if they are not `Votes`."""
    if isinstance(votes, Votes):
        return votes
    raise TypeError(
        f"votes must be Votes, as returned by collect_votes; got a {type(votes).__name__}."
    )


def _find_favorable(favorable: Any, classes: Array) -> Any:
    """Return the favourable class; if None is given, the higher of two, or None."""
    labels = classes.tolist()
    if favorable is None:
        return labels[1] if len(labels) == 2 else None
    if favorable not in labels:
        raise ValueError(f"favorable must be one of the classes {labels}; got {favorable!r}.")
    return labels[labels.index(favorable)]


def _check_rows(rows: npt.ArrayLike | None, length: int) -> Array:
    given = np.arange(length) if rows is None else np.asarray(rows)
    if given.shape != (length,):
        raise ValueError(
            f"rows must have shape ({length},), one entry per instance; got {given.shape}."
        )
    return given


def _check_shapes(votes: object, perturbed: object, y: object) -> dict[str, Array]:
    """Return the arguments as arrays; raise ValueError if their shapes do not match."""
    arrays = {"votes": votes, "perturbed": perturbed, "y": y}
    found = {name: _as_array(name, value) for name, value in arrays.items()}
    shape = found["votes"].shape
    if len(shape) != 2 or 0 in shape:
        raise ValueError(
            f"votes must have shape (members, instances), with at least one of each; got {shape}."
        )
    for name, wanted in {"perturbed": shape, "y": shape[1:]}.items():
        if found[name].shape != wanted:
            raise ValueError(
                f"{name} must have shape {wanted} to match votes of shape {shape}; "
                f"got {found[name].shape}."
            )
    return found


def _as_array(name: str, value: object) -> Array:
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be an array; got rows of different lengths.") from None


def _find_classes(arrays: dict[str, Array]) -> Array:
    """Return all labels, sorted."""
    are_numeric = [array.dtype.kind in NUMERIC_KINDS for array in arrays.values()]
    if any(are_numeric) and not all(are_numeric):
        kinds = ", ".join(f"{name} of {array.dtype}" for name, array in arrays.items())
        raise ValueError(f"votes, perturbed and y must have labels of one kind; got {kinds}.")
    labels = [
        _find_labels(name, row) for name, array in arrays.items() for row in np.atleast_2d(array)
    ]
    try:
        return np.unique(np.concatenate(labels))
    except TypeError:
        types = sorted({type(label).__name__ for row in labels for label in row.tolist()})
        raise ValueError(
            f"Labels of types {', '.join(types)} cannot be sorted; use one type."
        ) from None


def _find_labels(name: str, row: Array) -> Array:
    """Return the distinct labels of one row, in any order."""
    labels = np.unique(row) if row.dtype.kind == "U" else np.asarray(pd.unique(row))
    if pd.isna(labels).any():
        raise ValueError(f"{name} has missing labels (NaN or None); drop these instances first.")
    return labels


def _encode_labels(name: str, array: Array, classes: Array) -> Array:
    """Return positions in `classes`; one member at a time needs less memory."""
    codes = np.empty(array.shape, _get_code_type(classes))
    for row, target in zip(np.atleast_2d(array), np.atleast_2d(codes), strict=True):
        target[:] = np.searchsorted(classes, row)
    return codes


def _check_codes(name: str, codes: Array, classes: Array) -> Array:
    """Return positions in `classes` in the smallest dtype; raise ValueError if one is not."""
    if codes.dtype.kind not in "biu":
        raise ValueError(
            f"{name} must be integers, positions in classes; got {codes.dtype}. "
            "To pass labels, omit classes."
        )
    if int(codes.min()) < 0 or int(codes.max()) >= len(classes):
        raise ValueError(
            f"{name} must be positions in classes, from 0 to {len(classes) - 1}; "
            f"got {codes.min()} to {codes.max()}."
        )
    return codes.astype(_get_code_type(classes), copy=False)


def _get_code_type(classes: Array) -> type[np.unsignedinteger[Any]]:
    if len(classes) > MAX_VOTE_CLASSES:
        raise ValueError(
            f"A vote can have at most {MAX_VOTE_CLASSES} classes; got {len(classes)} labels. "
            "Pass predictions of classifiers, not of regressors."
        )
    return np.uint8 if len(classes) <= 2**8 else np.uint16
