"""Votes of the members of an ensemble on x and on x̃."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dr_core._tables import as_table, encode, factorize
from dr_core._utils import Array, as_generator, call_each, check_column, check_weights
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
) -> Votes:
    """Let every member of an ensemble vote on X and on X̃.

    Features are encoded once for all members. A tree without a split on any feature that a
    perturbation changed is not evaluated again.

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
    check_features(estimator, table.take(slice(0, 1)).copy())
    attributes = learn_attributes(table, privileged)
    rng = as_generator(random_state)
    plan = PerturbationPlan(attributes, method, p, random_state=rng, each_attribute=False)
    labels = encode(factorize(check_column("y", y, table.n_rows)), ensemble.classes.tolist(), "y")
    (chunk,) = iter_perturbed(table, plan, chunk_size=table.n_rows)
    pairs = VotePairs.of(chunk, check_weights(sample_weight, table.n_rows))
    return Votes(
        *_vote(ensemble, pairs, n_jobs),
        labels[pairs.rows],
        weights=ensemble.weights if weights is None else weights,
        sample_weight=pairs.weights,
        classes=ensemble.classes,
        rows=pairs.rows,
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
        """List every variant of each row, and the row itself where it may stay as it is."""
        variants, x = chunk.variants, chunk.x
        stay = variants.stay_probability[0]
        same = np.flatnonzero(stay)
        # Variants of the rows 0 0 1, and row 1 may stay: rows 0 0 1 1, in a stable order.
        rows = np.concatenate([variants.rows, same])
        order = np.argsort(rows, kind="stable")
        probability = np.concatenate([variants.probability[:, 0], stay[same]])
        codes = np.hstack([variants.codes, x.codes[:, same]])
        weights = probability * sample_weight[rows]
        return cls(x, rows[order], codes[:, order], weights[order])

    def perturbed(self) -> Any:
        """Return x̃, one row for each pair, as the kind of table that X is."""
        return self.x.take(self.rows).recode(self.codes)


def _vote(ensemble: Ensemble, pairs: VotePairs, n_jobs: int | None) -> tuple[Array, Array]:
    """Return the votes on x and on x̃, one column for each pair."""
    before = ensemble.encode(pairs.x.table.copy())
    after = ensemble.encode(pairs.perturbed())
    shared = before, after, pairs.rows, _find_moved_columns(before, after, pairs.rows)
    tasks = [ensemble.task(j) for j in range(len(ensemble.members))]
    found = call_each(_vote_one, tasks, shared, n_jobs=n_jobs, prefer="threads")
    votes = np.empty((len(found), len(pairs.rows)), found[0].votes.dtype)
    perturbed = np.empty_like(votes)
    for j, member in enumerate(found):
        found[j] = None  # freed as soon as it is copied: these are half of all memory
        votes[j] = perturbed[j] = member.votes[pairs.rows]
        perturbed[j, member.changed] = member.changed_votes
    return votes, perturbed


def _find_moved_columns(before: Any, after: Any, rows: Array) -> Array | None:
    """Return which encoded columns differ in any pair; None if they cannot be compared."""
    if not hasattr(before, "dtype") or before.dtype.kind not in "fiub":
        return None
    if sparse.issparse(before):
        return np.asarray((before[rows] != after).sum(axis=0)).ravel() > 0
    columns = zip(before.T, after.T, strict=True)
    return np.array([not np.array_equal(b[rows], a, equal_nan=True) for b, a in columns])


class MemberVotes(NamedTuple):
    """Votes of a member on x, and on those x̃ where they differ, usually few."""

    votes: Array
    changed: Array
    changed_votes: Array


def _vote_one(
    task: MemberTask, before: Any, after: Any, rows: Array, moved: Array | None
) -> MemberVotes:
    votes = task.vote(before)
    if not task.can_react(moved):
        return MemberVotes(votes, rows[:0], votes[:0])
    perturbed = task.vote(after)
    changed = np.flatnonzero(perturbed != votes[rows])
    return MemberVotes(votes, changed, perturbed[changed])
