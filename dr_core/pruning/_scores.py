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
    "is_nearly_one_class",
    "predicts_one_class",
    "score_predictions",
    "score_vote",
]

BEFORE, AFTER, HELD_OUT = "before", "after", "held out"
"""All members; the members kept; the members kept, on rows that did not choose them."""

SCORES = ["error", "risk", "recall", "selection_rate", "balanced_accuracy"]

NEARLY_EVERYBODY = 0.95
"""Share of instances predicted as one class from which a vote may be flagged."""


def score_predictions(votes: Votes, vote: Array, perturbed_vote: Array) -> pd.Series:
    """Return the scores of predictions as deployed, with ties to the lowest class.

    Parameters
    ----------
    votes : Votes
        Votes on the same instances, for their labels, weights and favourable class.
    vote, perturbed_vote : (n,) codes of classes

    Returns
    -------
    Series
        - error, risk: shares of the instances with a wrong and with a changed vote;
        - recall, selection_rate: of the class `votes.favorable`; NaN without one;
        - balanced_accuracy: mean recall of the classes that occur in y.

        The name of its index, which is the heading of tables, names the class.

    Examples
    --------
    >>> votes = Votes([[0, 1, 0, 0]], [[0, 1, 1, 0]], y=[0, 1, 1, 0])
    >>> score_predictions(votes, votes.vote, votes.perturbed_vote).to_dict()
    {'error': 0.25, 'risk': 0.25, 'recall': 0.5, 'selection_rate': 0.25, 'balanced_accuracy': 0.75}
    """
    actual, predicted = (_count_classes(votes, codes) for codes in (votes.y, vote))
    right = _count_classes(votes, votes.y, where=vote == votes.y)
    recalls = np.divide(right, actual, out=np.full(votes.n_classes, np.nan), where=actual > 0)
    is_favorable = votes.classes == votes.favorable
    scores = [
        votes.share(vote != votes.y),
        votes.share(vote != perturbed_vote),
        recalls[is_favorable].sum() if is_favorable.any() else np.nan,
        predicted[is_favorable].sum() / actual.sum() if is_favorable.any() else np.nan,
        np.nanmean(recalls),
    ]
    name = None if votes.favorable is None else f"positive: {votes.favorable}"
    return pd.Series(scores, pd.Index(SCORES, name=name), dtype=float)


def score_vote(votes: Votes) -> pd.Series:
    """Return the scores of the vote of all members of `votes`; see `score_predictions`."""
    return score_predictions(votes, votes.vote, votes.perturbed_vote)


def compare_votes(votes: Votes, kept: Votes) -> pd.DataFrame:
    """Return the scores of all members ("before") and of the members kept ("after")."""
    return pd.DataFrame({BEFORE: score_vote(votes), AFTER: score_vote(kept)}).T


def predicts_one_class(votes: Votes) -> bool:
    """Return whether a vote predicts one class for nearly everybody, though others occur.

    Examples
    --------
    >>> predicts_one_class(Votes([[0] * 20], [[0] * 20], y=[0] * 10 + [1] * 10))
    True
    """
    return is_nearly_one_class(*(_count_classes(votes, codes) for codes in (votes.vote, votes.y)))


def is_nearly_one_class(predicted: Array, actual: Array) -> bool:
    """Return whether predictions are one class for nearly everybody, though others occur.

    That is for at least 95 % of the instances, and the other classes less than half as often as
    they occur in y.

    Parameters
    ----------
    predicted, actual : (C,) number or weight of the instances of each class, predicted and in y

    Examples
    --------
    >>> is_nearly_one_class(np.array([96, 4]), np.array([90, 10]))
    True
    >>> is_nearly_one_class(np.array([96, 4]), np.array([94, 6]))
    False
    """
    most, total = predicted.argmax(), predicted.sum()
    others_predicted, others = total - predicted[most], total - actual[most]
    is_nearly_everybody = others_predicted <= (1 - NEARLY_EVERYBODY) * total
    return bool(is_nearly_everybody and 2 * others_predicted < others)


def _count_classes(votes: Votes, codes: Array, where: Array | bool = True) -> Array:
    """Return the row units of the instances of each class, (C,)."""
    return np.bincount(codes, votes.row_units * where, minlength=votes.n_classes)
