"""The bounds of an ensemble, and the smaller one that pruning suggests, on rows of an audit.

Half of the rows choose the members, the other half judge them: a choice always looks better than
it is on the rows that made it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dr_core._utils import Array, as_generator
from dr_core.bounds import compute_bounds
from dr_core.comparison._audit import Audit
from dr_core.ensembles import Ensemble, Votes, as_ensemble, collect_votes
from dr_core.pruning import PruningResult, poaf

__all__ = ["EnsembleAudit", "audit_ensemble"]

FEWEST_ROWS = 20
"""With fewer rows there is nothing to learn from half of them."""

MOST_ROWS = 20_000
"""Of more rows, this many are drawn at random."""

MOST_MEMBERS = 50
"""The suggested ensemble has no more members than this, nor than half of all."""


@dataclass(frozen=True, eq=False)
class EnsembleAudit:
    """What is known of a weighted vote of classifiers, beside what is known of any model.

    Attributes
    ----------
    n_members : int
    pruned : PruningResult
        The Pareto front of error and risk on the rows that chose, and the members suggested: the
        lowest risk whose error is within `ACCURACY_TOLERANCE` of the lowest.
    scores : DataFrame
        Error and risk of the "full" and the "suggested" `vote` on the rows that "choose" and on
        those that "judge", with the number of these `rows`.
    bounds : DataFrame
        As from `compute_bounds` on the rows that judge, with a column for the `suggested` vote.
    """

    n_members: int
    pruned: PruningResult
    scores: pd.DataFrame
    bounds: pd.DataFrame

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain types; infinite and inapplicable bounds are None."""
        return {
            "members": self.n_members,
            "suggested": self.pruned.members.tolist(),
            "scores": plain_records(self.scores),
            "bounds": plain_records(self.bounds),
            "front": plain_records(self.pruned.front),
        }


def plain_records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a frame as dictionaries, None for what is missing or infinite.

    >>> plain_records(pd.DataFrame({"bound": ["a", "b"], "value": [0.5, float("inf")]}))
    [{'bound': 'a', 'value': 0.5}, {'bound': 'b', 'value': None}]
    """
    plain = frame.astype(object)
    plain = plain.where(frame.notna() & ~frame.isin([np.inf, -np.inf]), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]


def audit_ensemble(model: Any, audit: Audit) -> EnsembleAudit | None:
    """Evaluate the bounds of an ensemble and prune it; None for what is no ensemble.

    Parameters
    ----------
    model : fitted model
    audit : Audit
        Its rows; the random state of its plan cuts them into halves.
    """
    ensemble = _ensemble(model, audit)
    weights = audit.sample_weight
    rows = np.arange(audit.table.n_rows) if weights is None else np.flatnonzero(weights)
    if ensemble is None or len(ensemble.members) < 2 or len(rows) < FEWEST_ROWS:
        return None
    random = as_generator(audit.plan.random_state)
    halves = np.array_split(random.permutation(rows)[:MOST_ROWS], 2)
    choosing, judging = (_votes(model, audit, np.sort(half)) for half in halves)
    pruned = poaf(
        choosing,
        min(len(ensemble.members) // 2, MOST_MEMBERS),
        selection="min_risk",
        random_state=random,
    )
    suggested = compute_bounds(judging.subset(pruned.members))["value"]
    return EnsembleAudit(
        len(ensemble.members),
        pruned,
        pd.DataFrame(_scores(pruned.members, choosing, judging, *map(len, halves))),
        compute_bounds(judging).assign(suggested=suggested),
    )


def _ensemble(model: Any, audit: Audit) -> Ensemble | None:
    """Take the model apart, if it is a vote over classes that all labels are among."""
    try:
        ensemble = as_ensemble(model)
    except TypeError:
        return None
    return ensemble if set(audit.classes) <= set(ensemble.classes.tolist()) else None


def _votes(model: Any, audit: Audit, rows: Array) -> Votes:
    return collect_votes(
        model,
        audit.table.take(rows),
        audit.y[rows],
        audit.plan.attributes.uncoupled,
        method=audit.plan.method,
        p=audit.plan.p,
        random_state=audit.plan.random_state,
        sample_weight=None if audit.sample_weight is None else audit.sample_weight[rows],
    )


def _scores(
    members: Array, choosing: Votes, judging: Votes, n_choosing: int, n_judging: int
) -> Iterator[dict[str, Any]]:
    for on, votes, rows in (("choose", choosing, n_choosing), ("judge", judging, n_judging)):
        for name, vote in (("full", votes), ("suggested", votes.subset(members))):
            scores = {"error": vote.error, "risk": vote.risk}
            yield {"vote": name, "members": vote.n_members, "on": on, "rows": rows} | scores
