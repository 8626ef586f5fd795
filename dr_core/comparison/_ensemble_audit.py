"""Bounds of an ensemble, and of the smaller ensemble that pruning suggests.

Pruning uses one half of the rows ("choose"). The other half is held out for the scores and the
bounds ("judge"), because scores on the rows used for pruning are too optimistic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core._tables import Partition, Y
from dr_core._utils import Array, as_generator, compute_difference_interval
from dr_core.bounds import compute_bounds
from dr_core.ensembles import Ensemble, Votes, as_ensemble, collect_votes
from dr_core.perturbation import PerturbationPlan
from dr_core.pruning import ACCURACY_TOLERANCE, PruningResult, poaf, score_vote

__all__ = ["EnsembleAudit", "audit_ensemble"]

MIN_AUDIT_ROWS = 20
"""Ensembles are not audited on fewer rows."""

MAX_AUDIT_ROWS = 20_000
"""If there are more rows, this many are drawn at random."""

N_ITERATIONS = 200
"""Iterations of the search: fewer than by default, as an audit suggests and does not prune."""

MAX_SUGGESTED = 50
"""Maximum number of suggested members; half of the members, if that is less."""

CHANGE_CONFIDENCE = 0.95
"""Confidence with which a suggested vote must have less risk."""


@dataclass(frozen=True, eq=False)
class EnsembleAudit:
    """Scores and bounds of an ensemble, and of its suggested members.

    Attributes
    ----------
    n_members : int
    pruned : PruningResult
        The Pareto front of error and risk on the rows used for pruning, and the suggested members:
        those of the lowest risk among votes with an error within `ACCURACY_TOLERANCE` of the
        lowest.
    scores : DataFrame
        Error, risk, recall, selection rate and balanced accuracy of the "full" and the
        "suggested" `vote`, `on` the rows for pruning ("choose") and on the held-out rows
        ("judge"), with their number of `rows`. Recall and selection rate are those of the
        `favorable` class.
    bounds : DataFrame
        Result of `compute_bounds` on the held-out rows, with a column for the `suggested` vote.
    risk_change : (low, high)
        Interval of the risk of the suggested vote minus that of the full vote, on the held-out
        rows, with `CHANGE_CONFIDENCE`.
    favorable : label
        The favourable class.
    """

    n_members: int
    pruned: PruningResult
    scores: pd.DataFrame
    bounds: pd.DataFrame
    risk_change: tuple[float, float]
    favorable: Any

    @property
    def is_improvement(self) -> bool:
        """Whether the held-out rows show less risk, at a loss of accuracy within the tolerance."""
        return self.risk_change[1] < 0 and self.accuracy_loss <= ACCURACY_TOLERANCE

    @property
    def accuracy_loss(self) -> float:
        """Loss of accuracy or of balanced accuracy on the held-out rows, the larger one."""
        scores = self.scores[self.scores["on"] == "judge"].set_index("vote")
        full, suggested = scores.loc["full"], scores.loc["suggested"]
        losses = (
            suggested["error"] - full["error"],
            full["balanced_accuracy"] - suggested["balanced_accuracy"],
        )
        return float(max(losses))

    def to_dict(self) -> dict[str, Any]:
        """Return the audit in plain types; infinite and inapplicable bounds are None.

        Without an improvement, "suggested" is None.
        """
        return {
            "members": self.n_members,
            "suggested": self.pruned.members.tolist() if self.is_improvement else None,
            "risk_change": list(self.risk_change),
            "favorable": self.favorable,
            "scores": to_records(self.scores),
            "bounds": to_records(self.bounds),
            "front": to_records(self.pruned.front),
        }


def to_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as dictionaries; missing and infinite values are None.

    >>> to_records(pd.DataFrame({"bound": ["a", "b"], "value": [0.5, float("inf")]}))
    [{'bound': 'a', 'value': 0.5}, {'bound': 'b', 'value': None}]
    """
    plain = frame.astype(object)
    plain = plain.where(frame.notna() & ~frame.isin([np.inf, -np.inf]), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]


def audit_ensemble(
    model: Any, part: Partition, plan: PerturbationPlan, classes: list[Any], favorable: Any
) -> EnsembleAudit | None:
    """Prune an ensemble and compute its bounds; return None for any other model.

    Also return None for fewer than `MIN_AUDIT_ROWS` rows with weight and with a value to perturb;
    errors, risks and bounds are those of such rows.

    Parameters
    ----------
    model : fitted model
    part : Partition
        Rows with y, and weights if there are any.
    plan : PerturbationPlan
        Its random state splits the rows into halves.
    classes : list of class labels
    favorable : the favourable one of them
    """
    ensemble = _find_ensemble(model, classes)
    if ensemble is None or len(ensemble.members) < 2:
        return None
    rows = _find_rows(part, plan)
    if len(rows) < MIN_AUDIT_ROWS:
        return None
    random = as_generator(plan.random_state)
    halves = np.array_split(random.permutation(rows)[:MAX_AUDIT_ROWS], 2)
    choosing, judging = (
        _collect_votes(model, part, plan, np.sort(half), favorable) for half in halves
    )
    most = min(len(ensemble.members) // 2, MAX_SUGGESTED)
    pruned = poaf(choosing, most, n_iter=N_ITERATIONS, selection="min_risk", random_state=random)
    suggested = compute_bounds(judging.subset(pruned.members), max_members=most)["value"]
    votes = {"choose": choosing, "judge": judging}
    n_rows = {"choose": len(halves[0]), "judge": len(halves[1])}
    return EnsembleAudit(
        len(ensemble.members),
        pruned,
        pd.DataFrame(_iter_scores(pruned.members, votes, n_rows)),
        compute_bounds(judging).assign(suggested=suggested),
        _compute_risk_change(judging, judging.subset(pruned.members)),
        favorable,
    )


def _find_rows(part: Partition, plan: PerturbationPlan) -> Array:
    """Return the positions of the rows with weight and with a value to perturb."""
    codes = plan.attributes.encode(part.table)[: len(plan.attributes)]
    has_weight = True if part.weights is None else part.weights > 0
    return np.flatnonzero((codes.max(axis=0) >= 0) & has_weight)


def _compute_risk_change(full: Votes, suggested: Votes) -> tuple[float, float]:
    """Return the interval of the risk of one vote minus that of another, on the same rows."""
    # Instances are perturbations of rows: a row with two of them, one of which changes in the
    # suggested vote only, has a difference of 1/2.
    changed = [(votes.vote != votes.perturbed_vote).astype(float) for votes in (full, suggested)]
    row = np.unique(full.rows, return_inverse=True)[1]
    weights = np.bincount(row, full.row_units)
    differences = np.bincount(row, full.row_units * (changed[1] - changed[0])) / weights
    return compute_difference_interval(differences, weights, CHANGE_CONFIDENCE)


def _find_ensemble(model: Any, classes: list[Any]) -> Ensemble | None:
    """Return the model as an ensemble, None if it is not one or lacks one of the classes."""
    try:
        ensemble = as_ensemble(model)
    except TypeError:
        return None
    return ensemble if set(classes) <= set(ensemble.classes.tolist()) else None


def _collect_votes(
    model: Any, part: Partition, plan: PerturbationPlan, rows: Array, favorable: Any
) -> Votes:
    return collect_votes(
        model,
        part.table.take(rows),
        part.column(Y, "y")[rows],
        plan.attributes.uncoupled,
        method=plan.method,
        p=plan.p,
        random_state=plan.random_state,
        sample_weight=None if part.weights is None else part.weights[rows],
        favorable=favorable,
    )


def _iter_scores(
    members: Array, votes: dict[str, Votes], n_rows: dict[str, int]
) -> Iterator[dict[str, Any]]:
    for on, full in votes.items():
        for name, vote in (("full", full), ("suggested", full.subset(members))):
            found = score_vote(vote)
            scores = {str(key): value for key, value in found.items()}
            yield {"vote": name, "members": vote.n_members, "on": on, "rows": n_rows[on]} | scores
