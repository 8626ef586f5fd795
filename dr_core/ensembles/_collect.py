"""Votes of the members of an ensemble on x and on x̃."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dr_core._tables import as_table, encode, factorize
from dr_core._utils import (
    Array,
    as_generator,
    call_each,
    check_column,
    check_row_order,
    check_weights,
    quote,
)
from dr_core.ensembles._ensembles import Ensemble, MemberTask, as_ensemble, check_features
from dr_core.ensembles._votes import Votes
from dr_core.perturbation import (
    CodedRows,
    PerturbationPlan,
    PerturbedChunk,
    SensitiveAttributes,
    iter_perturbed,
    learn_attributes,
)

__all__ = ["collect_votes"]

ORDERED_ROWS, ORDERED_MEMBERS = 20_000, 5
"""Rows and members from which rows are put in the order of leaves."""


def collect_votes(
    estimator: Any,
    X: Any,
    y: Any,
    privileged: Mapping[Any, Any] | SensitiveAttributes,
    *,
    method: str = "sample",
    p: float = 1.0,
    random_state: Any = None,
    weights: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    favorable: Any = None,
) -> Votes:
    """Let every member of an ensemble vote on X and on X̃.

    Features are encoded once for all members. A tree without a split on any feature that a
    perturbation changed is not evaluated again. Rows without any sensitive value
    (`missing="keep"`) are left out, as in discriminative risk; the attribute `rows` of the result
    has the position in X of each instance.

    Parameters
    ----------
    estimator : fitted ensemble, or list of fitted classifiers
        Random forest, extra trees, bagging, AdaBoost, VotingClassifier, a Pipeline that ends in
        one of these, a list, or what was registered with `as_ensemble`.
    X, y : table of shape (n, d) and labels of shape (n,)
    privileged : mapping, or SensitiveAttributes
        The privileged value of each sensitive column, such as {"sex": "Male"}, or its range, such
        as {"age": at_least(25)}; or the result of `learn_attributes`.
    method : {"sample", "exact"}
        One random perturbation of each row; or all of them, each a column of the votes with its
        probability as sample weight.
    weights : array of shape (m,), optional
        Weights of the members, instead of the ensemble's own.
    n_jobs : int, optional
        Number of members that vote in parallel, through joblib.
    favorable : label, optional
        The favourable class, which `PruningResult.scores` are about; see `Votes`.
    p, random_state, sample_weight
        As for `assess_risk`.

    Returns
    -------
    Votes

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X = pd.DataFrame({"sex": [0, 1, 0, 1], "age": [20, 30, 40, 50]})
    >>> forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, [0, 0, 1, 1])
    >>> collect_votes(forest, X, [0, 0, 1, 1], {"sex": 1})
    Votes(5 members, 4 instances, classes [0, 1])
    """
    ensemble = as_ensemble(estimator)
    table = as_table(X)
    check_row_order(X, {"y": y, "sample_weight": sample_weight})
    check_features(estimator, table.take(slice(0, 1)).copy())
    attributes = learn_attributes(table, privileged)
    rng = as_generator(random_state)
    plan = PerturbationPlan(attributes, method, p, random_state=rng, each_attribute=False)
    labels = encode(factorize(check_column("y", y, table.n_rows)), ensemble.classes.tolist(), "y")
    (chunk,) = iter_perturbed(table, plan, chunk_size=table.n_rows)
    pairs = VotePairs.of(chunk, check_weights(sample_weight, table.n_rows))
    if not len(pairs.rows):
        raise ValueError(
            "no row has a sensitive value, so that nothing can be perturbed; pass rows with "
            f"values of {quote(attributes.names)}."
        )
    return Votes(
        *_vote(ensemble, pairs, n_jobs),
        labels[pairs.rows],
        weights=ensemble.weights if weights is None else weights,
        sample_weight=pairs.weights,
        classes=ensemble.classes,
        rows=pairs.rows,
        favorable=favorable,
    )


@dataclass(frozen=True, eq=False)
class VotePairs:
    """Pairs (x, x̃), the columns of the votes.

    Attributes
    ----------
    x : CodedRows
    rows : (k,) row of x of each pair, ascending
    codes : (attributes + coupled columns, k) codes of x̃
    weights : (k,) sample weight times probability
    """

    x: CodedRows
    rows: Array
    codes: Array
    weights: Array

    @classmethod
    def of(cls, chunk: PerturbedChunk, sample_weight: Array) -> VotePairs:
        """List every variant of each row, and the row itself where it may stay as it is.

        Rows without any sensitive value are not perturbed, and left out.
        """
        variants, x = chunk.variants, chunk.x
        stay = variants.stay_probability[0]
        has_value = (x.codes[: len(x.attributes)] >= 0).any(axis=0)
        same = np.flatnonzero(stay * has_value)
        # Variants of the rows 0 0 1, and row 1 may stay: rows 0 0 1 1, in a stable order.
        rows = np.concatenate([variants.rows, same])
        order = np.argsort(rows, kind="stable")
        probability = np.concatenate([variants.probability[:, 0], stay[same]])
        codes = np.hstack([variants.codes, x.codes[:, same]])
        weights = probability * sample_weight[rows]
        return cls(x, rows[order], codes[:, order], weights[order])

    def perturbed(self) -> Any:
        """Return x̃, one row for each pair, as the kind of table that X is."""
        return self.x.recode(self.codes, self.rows)


class MemberVotes(NamedTuple):
    """Votes of a member on x, and on those x̃ where they differ, usually few."""

    votes: Array
    changed: Array
    changed_votes: Array


class LeafOrder(NamedTuple):
    """Rows and pairs in the order of the leaves that rows reach in the first tree.

    Trees of an ensemble resemble each other, so that neighbours take similar paths through all of
    them. The processor then predicts most branches, and a tree takes 0.4 to 0.8 of the time.

    Attributes
    ----------
    rows : (n,) the row at each place
    pairs : (k,) the pair at each place
    places : (k,) place of the row of each pair in this order, ascending
    """

    rows: Array
    pairs: Array
    places: Array

    @classmethod
    def of(cls, leaves: Array, rows: Array) -> LeafOrder:
        """Order rows by their leaves, (n,); `rows` are those of the pairs, (k,)."""
        # Rows 0 1 2 in the order 2 0 1 have the places 1 2 0. Pairs of the rows 0 0 2 have the
        # places 1 1 0, and hence come in the order 2 0 1.
        order = np.argsort(leaves, kind="stable")
        places = np.argsort(order)[rows]
        pairs = np.argsort(places, kind="stable")
        return cls(order, pairs, places[pairs])

    def restore(self, member: MemberVotes) -> MemberVotes:
        """Return the votes on rows and pairs in the order that they had before."""
        votes = np.empty_like(member.votes)
        votes[self.rows] = member.votes
        return MemberVotes(votes, self.pairs[member.changed], member.changed_votes)


def _vote(ensemble: Ensemble, pairs: VotePairs, n_jobs: int | None) -> tuple[Array, Array]:
    """Return the votes on x and on x̃, one column for each pair."""
    rows, before = pairs.rows, ensemble.encode(pairs.x.table.copy())
    after = ensemble.encode(pairs.perturbed())
    moved = _find_moved_columns(before, after, rows)
    tasks = [ensemble.task(j) for j in range(len(ensemble.members))]
    order = _find_order(tasks, before, rows)
    if order is not None:
        before, after, rows = before[order.rows], after[order.pairs], order.places
    shared = before, after, rows, moved
    found = call_each(_vote_one, tasks, shared, n_jobs=n_jobs, prefer="threads")
    votes = np.empty((len(found), len(rows)), found[0].votes.dtype)
    perturbed = np.empty_like(votes)
    for j, member in enumerate(found):
        found[j] = None  # freed as soon as it is copied: these are half of all memory
        member = member if order is None else order.restore(member)
        votes[j] = perturbed[j] = member.votes[pairs.rows]
        perturbed[j, member.changed] = member.changed_votes
    return votes, perturbed


def _find_order(tasks: list[MemberTask], before: Any, rows: Array) -> LeafOrder | None:
    """Return the order in which trees are fast; None if it would not pay."""
    is_dense = isinstance(before, np.ndarray)
    if not (is_dense and len(before) >= ORDERED_ROWS and len(tasks) >= ORDERED_MEMBERS):
        return None
    if not all(task.has_leaves for task in tasks):
        return None
    return LeafOrder.of(tasks[0].find_leaves(before), rows)


def _find_moved_columns(before: Any, after: Any, rows: Array) -> Array | None:
    """Return which encoded columns differ in any pair; None if they cannot be compared."""
    if not hasattr(before, "dtype") or before.dtype.kind not in "fiub":
        return None
    if sparse.issparse(before):
        return np.asarray((before[rows] != after).sum(axis=0)).ravel().astype(bool)
    columns = zip(before.T, after.T, strict=True)
    return np.array([not np.array_equal(b[rows], a, equal_nan=True) for b, a in columns])


def _vote_one(
    task: MemberTask, before: Any, after: Any, rows: Array, moved: Array | None
) -> MemberVotes:
    votes = task.vote(before)
    if not task.can_react(moved):
        return MemberVotes(votes, rows[[]], votes[[]])
    perturbed = task.vote(after)
    changed = np.flatnonzero(perturbed != votes[rows])
    return MemberVotes(votes, changed, perturbed[changed])
