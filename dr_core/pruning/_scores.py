"""What pruning does to a vote beyond its error and risk: recall, selection rate, balance."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dr_core._utils import Array
from dr_core.ensembles import Votes

__all__ = [
    "AFTER",
    "HELD_OUT",
    "compare_votes",
    "predicts_one_class",
    "score_predictions",
    "score_vote",
]

BEFORE, AFTER, HELD_OUT = "before", "after", "held out"
"""All members; the members kept; the members kept, on rows that did not choose them."""

SCORES = ["error", "risk", "recall", "selection_rate", "balanced_accuracy"]

NEARLY_EVERYBODY = 0.95
"""Share of instances predicted as one class from which a vote may be flagged."""


def score_predictions(
    y: Array,
    vote: Array,
    perturbed_vote: Array,
    row_units: Array,
    *,
    positive: int | None = None,
) -> pd.Series:
    """Return the scores of a vote as deployed, with ties to the lowest class.

    Parameters
    ----------
    y, vote, perturbed_vote : (n,) codes of classes
    row_units : (n,) weights
    positive : int, optional
        Code of the class that recall and selection rate are about. By default 1 of two classes,
        and none if there are more.

    Returns
    -------
    Series
        - error, risk: shares of the instances with a wrong and with a changed vote;
        - recall, selection_rate: of the class `positive`; NaN without one;
        - balanced_accuracy: mean recall of the classes that occur in y.

    Examples
    --------
    >>> y, vote, perturbed_vote = np.array([[0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 0]])
    >>> score_predictions(y, vote, perturbed_vote, np.ones(4)).to_dict()
    {'error': 0.25, 'risk': 0.25, 'recall': 0.5, 'selection_rate': 0.25, 'balanced_accuracy': 0.75}
    """
    scores = _compute_scores(y, vote, perturbed_vote, row_units, positive)
    return pd.Series(scores, SCORES, dtype=float)


def _compute_scores(
    y: Array, vote: Array, perturbed_vote: Array, row_units: Array, positive: int | None = None
) -> list[float]:
    n_classes = max(2, y.max() + 1, vote.max() + 1, (positive or 0) + 1)
    if positive is None and n_classes == 2:
        positive = 1
    total = row_units.sum()
    actual, predicted = (_count_classes(codes, row_units, n_classes) for codes in (y, vote))
    right = _count_classes(y, row_units * (vote == y), n_classes)
    changed = _count_classes(vote != perturbed_vote, row_units, 2)[1]
    recalls = np.divide(right, actual, out=np.full(n_classes, np.nan), where=actual > 0)
    return [
        1 - right.sum() / total,
        changed / total,
        np.nan if positive is None else recalls[positive],
        np.nan if positive is None else predicted[positive] / total,
        np.nanmean(recalls),
    ]


def score_vote(votes: Votes, positive: int | None = None) -> pd.Series:
    """Return the scores of the vote of all members of `votes`; see `score_predictions`."""
    arrays = votes.y, votes.vote, votes.perturbed_vote, votes.row_units
    return score_predictions(*arrays, positive=positive)


def compare_votes(votes: Votes, kept: Votes) -> pd.DataFrame:
    """Return the scores of all members ("before") and of the members kept ("after")."""
    scores = [
        _compute_scores(one.y, one.vote, one.perturbed_vote, one.row_units)
        for one in (votes, kept)
    ]
    return pd.DataFrame(scores, [BEFORE, AFTER], SCORES, dtype=float)


def predicts_one_class(votes: Votes) -> bool:
    """Return whether a vote predicts one class for nearly everybody, though others occur.

    That is for at least 95 % of the instances, and the other classes less than half as often as
    they occur in y.

    Examples
    --------
    >>> predicts_one_class(Votes([[0] * 20], [[0] * 20], y=[0] * 10 + [1] * 10))
    True
    """
    predicted, actual = (
        _count_classes(codes, votes.row_units, votes.n_classes) for codes in (votes.vote, votes.y)
    )
    most = predicted.argmax()
    total = predicted.sum()
    others_predicted, others = total - predicted[most], total - actual[most]
    is_nearly_everybody = others_predicted <= (1 - NEARLY_EVERYBODY) * total
    return bool(is_nearly_everybody and 2 * others_predicted < others)


def _count_classes(codes: Array, weights: Array, n_classes: int) -> Array:
    return np.bincount(codes, weights, minlength=n_classes)
