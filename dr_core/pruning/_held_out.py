"""Scores of a pruned vote on rows that did not choose it, estimated by cross-validation.

The members kept are the best of many candidates on the rows that chose them, so error and risk on
these rows are too low. `prune_and_estimate` prunes on one half of the rows and judges the other
half, then the reverse.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from dr_core._utils import RandomState, as_generator
from dr_core.ensembles import Votes
from dr_core.pruning._exchange import ExchangeSearch
from dr_core.pruning._poaf import poaf
from dr_core.pruning._promise import MIN_HELD_OUT_ROWS, split_rows
from dr_core.pruning._result import PruningResult, append_held_out
from dr_core.pruning._scores import AFTER, score_predictions

__all__ = ["prune_and_estimate"]

ESTIMATE_SHARE = 0.25
"""Share of the default number of iterations in a search that serves only to estimate scores."""


def prune_and_estimate(
    prune: Callable[..., PruningResult],
    votes: Votes,
    max_members: int,
    *,
    unseen: npt.ArrayLike | None = None,
    random_state: RandomState = None,
    **options: Any,
) -> PruningResult:
    """Prune, and estimate the scores on rows that did not choose the members.

    The rows are split into random halves. Members are chosen on each half, and their vote is
    scored on the other one. So the estimate is for votes chosen on half as many rows, which is
    rather too high than too low. There is no estimate if there are too few rows, and with
    `max_risk` it is that of the rows that the promise was tested on. Warn if the result predicts
    one class for nearly everybody, and if it has more risk than the whole ensemble.

    Parameters
    ----------
    prune : `poaf` or `epaf`
    votes : Votes
    max_members : int
    unseen : bool array, optional
        Rows that the ensemble was not fitted on, which are scored; by default all.
    random_state : int, Generator, RandomState or None
    **options
        Of `prune`. By default, the search on a half has a quarter of the iterations.

    Returns
    -------
    PruningResult
        With a row "held out" in its `scores`.

    Examples
    --------
    >>> from dr_core import epaf
    >>> votes = Votes([[0, 0, 1, 1], [0, 1, 0, 1]], [[0, 0, 1, 1], [1, 1, 0, 1]], y=[0, 0, 1, 1])
    >>> result = prune_and_estimate(epaf, votes, 1, random_state=0)
    >>> result.scores["risk"].to_dict()
    {'before': 0.0, 'after': 0.0, 'held out': 0.0}
    """
    result = prune(votes, max_members, random_state=random_state, **options)
    scored = votes.row_units > 0
    if result.predicts_one_class:
        warnings.warn(
            "The pruned ensemble predicts one class for nearly everybody; see the recall and the "
            "selection rate in result_.scores. Keep more members, or allow less loss of accuracy.",
            stacklevel=4,
        )
    if unseen is not None:
        scored &= np.asarray(unseen)[votes.rows]
    if result.max_risk is not None or len(np.unique(votes.rows[scored])) < MIN_HELD_OUT_ROWS:
        return result
    vote, perturbed_vote = votes.y.copy(), votes.y.copy()
    halves = split_rows(votes, as_generator(random_state))
    for choosing, judging in (halves, halves[::-1]):
        half = votes.take(choosing)
        shorter = _shorten_search(prune, half, max_members, options)
        members = prune(half, max_members, random_state=random_state, **shorter).members
        judged = votes.take(judging).subset(members)
        vote[judging], perturbed_vote[judging] = judged.vote, judged.perturbed_vote
    scores = score_predictions(votes.take(scored), vote[scored], perturbed_vote[scored])
    is_changed = votes.vote != votes.perturbed_vote
    before = float(votes.row_units[scored] @ is_changed[scored] / votes.row_units[scored].sum())
    after, held_out = result.scores.at[AFTER, "risk"], scores["risk"]
    if max(after, held_out) > before:
        where = "held-out rows" if held_out > before else "the rows that chose the members"
        warnings.warn(
            f"Pruning did not lower the risk on {where}: {before:.4f} before; after pruning "
            f"{held_out:.4f} on held-out rows, and {after:.4f} on the rows that chose. Keep the "
            "whole ensemble, allow more loss of accuracy, prune on more rows, or use another way "
            "to lower the risk, such as marginalizing.",
            stacklevel=4,
        )
    return append_held_out(result, scores)


def _shorten_search(
    prune: Callable[..., PruningResult], votes: Votes, max_members: int, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options of a search that serves only to estimate scores."""
    is_default = options.get("n_iter") is None and options.get("neighbourhood") != "paper"
    if prune is not poaf or not is_default:
        return dict(options)
    n_iter = ExchangeSearch.get_default_n_iter(votes, max_members)
    return {**options, "n_iter": int(n_iter * ESTIMATE_SHARE)}
