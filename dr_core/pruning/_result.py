"""The arguments that pruning methods share, and the result that they return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from dr_core._utils import Array, format_count, is_integer, is_number
from dr_core.ensembles import Votes, check_votes
from dr_core.pruning._objectives import round_objectives
from dr_core.pruning._pareto import Archive
from dr_core.pruning._scores import HELD_OUT, compare_votes, predicts_one_class

__all__ = ["PruningResult", "SelectionRule"]

SelectionRule = str | Callable[[pd.DataFrame], int]
""""objective", "largest", "min_risk", or a function from a front to the position of a row."""

FRONT_COLUMNS = ["members", "error", "risk", "objective"]

ACCURACY_TOLERANCE = 0.02
"""Default of the accuracy that "min_risk" may lose."""

TOLERANCE_ROUNDING = 1e-12
"""Rounding error allowed when an error is compared with the lowest error plus the tolerance."""


@dataclass(frozen=True, eq=False, repr=False)
class PruningResult:
    """A sub-ensemble, and the Pareto front it was selected from.

    Attributes
    ----------
    members : array of int
        Indices of the members kept, ascending.
    error, risk, objective : float
        Error and discriminative risk of their vote on the rows that chose them, with ties judged
        as `ties` says, and its scalar objective 𝓛.
    front : DataFrame
        Every non-dominated sub-ensemble found: `members` (tuples of indices), `error`, `risk`
        and `objective`, by ascending error, hence descending risk. Each pair of error and risk
        has one row.
    n_judged : int
        Number of sub-ensembles evaluated.
    scores : DataFrame
        error, risk, recall, selection_rate and balanced_accuracy of the vote as deployed, with
        ties to the lowest class: "before" (all members) and "after" (the members kept), on the
        rows that chose them; "held out", where there is such an estimate, on rows that did not.
        Recall and selection rate are those of `Votes.favorable`, by default the higher of two
        classes; the heading of the table names it.
    predicts_one_class : bool
        Whether the vote predicts one class for at least 95 % of the instances, and the others
        less than half as often as they occur.
    max_risk, delta : float or None
        The risk in the population is at most `max_risk` with probability 1 - `delta`, if such a
        promise was asked for.

    Examples
    --------
    >>> front = pd.DataFrame({"members": [(0, 2)], "error": 0.1, "risk": 0.2, "objective": 0.15})
    >>> PruningResult(np.array([0, 2]), 0.1, 0.2, 0.15, front, n_judged=7)
    PruningResult(2 members [0 2], error 0.1000, risk 0.2000, objective 0.1500; front of 1)
    """

    members: Array
    error: float
    risk: float
    objective: float
    front: pd.DataFrame
    n_judged: int
    scores: pd.DataFrame = field(default_factory=pd.DataFrame)
    predicts_one_class: bool = False
    max_risk: float | None = None
    delta: float | None = None

    def __repr__(self) -> str:
        return f"PruningResult({self._summary}; front of {len(self.front)})"

    def _repr_html_(self) -> str:
        chosen = [tuple(self.members) == members for members in self.front["members"]]
        table = self.front.assign(chosen=np.where(chosen, "✓", ""))
        scores = self.scores.round(4).to_html()
        return f"<p>{self._summary}</p>{scores}{table.to_html(index=False, max_rows=20)}"

    @property
    def _summary(self) -> str:
        members = np.array2string(self.members, threshold=12, edgeitems=4)
        return (
            f"{format_count(len(self.members), 'member')} {members}, error {self.error:.4f}, "
            f"risk {self.risk:.4f}{self._remarks}, objective {self.objective:.4f}"
        )

    @property
    def _remarks(self) -> str:
        remarks = []
        if HELD_OUT in self.scores.index:
            remarks.append(f"held out {self.scores.at[HELD_OUT, 'risk']:.4f}")
        if self.max_risk is not None and self.delta is not None:
            remarks.append(f"at most {self.max_risk:g} with probability {1 - self.delta:g}")
        if self.predicts_one_class:
            remarks.append("but it predicts one class for nearly everybody")
        return f" ({', '.join(remarks)})" if remarks else ""


def make_result(
    votes: Votes, front: pd.DataFrame, position: int, n_judged: int, **more: float | None
) -> PruningResult:
    """Return the result with the sub-ensemble in the row at `position` of a front."""
    members, *values = (front[name].iat[position] for name in FRONT_COLUMNS)
    error, risk, objective = map(float, values)
    return describe_kept(votes, members, error, risk, objective, front, n_judged, **more)


def describe_kept(
    votes: Votes,
    members: npt.ArrayLike,
    error: float,
    risk: float,
    objective: float,
    front: pd.DataFrame,
    n_judged: int,
    **more: float | None,
) -> PruningResult:
    """Return the result for the `members` of `votes` kept, with their scores."""
    chosen = np.array(members, dtype=np.int64)
    kept = votes.subset(chosen)
    scores, flag = compare_votes(votes, kept), predicts_one_class(kept)
    return PruningResult(chosen, error, risk, objective, front, n_judged, scores, flag, **more)


def append_held_out(result: PruningResult, scores: pd.Series) -> PruningResult:
    """Return the result with the scores on rows that did not choose its members."""
    table = pd.concat([result.scores, scores.rename(HELD_OUT).to_frame().T])
    return replace(result, scores=table)


def make_front_table(archive: Archive, pool: Array) -> pd.DataFrame:
    """Return the front of an archive as a table; `pool` holds the indices of its m members."""
    front = archive.get_front()
    front = front.take(np.argsort(front.errors))
    members = [tuple(pool[row].tolist()) for row in front.selected]
    columns = members, front.errors, front.risks, front.objectives
    return pd.DataFrame(dict(zip(FRONT_COLUMNS, columns, strict=True)))


def select_from_front(
    front: pd.DataFrame,
    selection: SelectionRule,
    accuracy_tolerance: float = ACCURACY_TOLERANCE,
    class_losses: npt.ArrayLike = 0.0,
) -> int:
    """Return the position of the row of `front` that a rule selects.

    Parameters
    ----------
    front : DataFrame
        As in `PruningResult.front`.
    selection : "objective", "largest", "min_risk" or callable
        - "objective": the lowest 𝓛.
        - "largest": the lowest 𝓛 among the largest sub-ensembles. 𝓛 does not account for ties of
          the vote, which are frequent in small ones.
        - "min_risk": the lowest risk among the rows whose error is at most `accuracy_tolerance`
          above the lowest error, and whose error on no class is more than that above the error
          of the whole ensemble on this class. If there is none of these, the smallest such rise
          takes the place of the tolerance.
        - callable: the position it returns for the front.
    accuracy_tolerance : float, default=0.02
        For "min_risk".
    class_losses : array of shape (s,), default=0
        For "min_risk": how much the error of a class is above that of the whole ensemble, for
        each row the largest of all classes.

    Examples
    --------
    >>> front = pd.DataFrame({
    ...     "members": [(0, 1, 2), (0, 2), (1,)],
    ...     "error": [0.1, 0.105, 0.3], "risk": [0.2, 0.1, 0.0], "objective": [0.15, 0.16, 0.1],
    ... })
    >>> [select_from_front(front, rule) for rule in ("objective", "largest", "min_risk")]
    [2, 0, 1]
    >>> select_from_front(front, "min_risk", class_losses=[0.01, 0.05, 0.0])
    0
    >>> select_from_front(front, lambda front: len(front) - 1)
    2
    """
    check_selection(selection, accuracy_tolerance)
    if callable(selection):
        return _check_position(selection(front), len(front))
    if selection == "objective":
        return int(round_objectives(front["objective"].to_numpy()).argmin())
    if selection == "largest":
        sizes = front["members"].map(len)
        objectives = round_objectives(front["objective"].to_numpy())
        return int(np.where(sizes == sizes.max(), objectives, np.inf).argmin())
    return _find_min_risk(front, accuracy_tolerance, np.broadcast_to(class_losses, len(front)))


def _find_min_risk(front: pd.DataFrame, accuracy_tolerance: float, class_losses: Array) -> int:
    tolerance = accuracy_tolerance + TOLERANCE_ROUNDING
    is_accurate = (front["error"] <= front["error"].min() + tolerance).to_numpy()
    largest_loss = max(tolerance, class_losses[is_accurate].min())
    is_eligible = is_accurate & (class_losses <= largest_loss)
    return int(np.where(is_eligible, front["risk"], np.inf).argmin())


def find_voting_members(votes: Votes) -> Array:
    """Return the indices of the members whose weight is not 0; the others are never kept."""
    return np.flatnonzero(votes.units)


def check_max_members(max_members: int, votes: Votes) -> int:
    """Return k, or raise ValueError if the ensemble cannot be pruned to k members."""
    check_votes(votes)
    if is_integer(max_members) and 1 <= max_members <= votes.n_members:
        return int(max_members)
    raise ValueError(
        f"max_members must be an integer from 1 to {votes.n_members}, the number of members; "
        f"got {max_members!r}."
    )


def check_selection(selection: SelectionRule, accuracy_tolerance: float) -> None:
    """Raise ValueError if `select_from_front` does not know the rule; called before a search."""
    if not (is_number(accuracy_tolerance) and accuracy_tolerance >= 0):
        raise ValueError(f"accuracy_tolerance must be at least 0; got {accuracy_tolerance!r}.")
    if not callable(selection) and selection not in ("objective", "largest", "min_risk"):
        raise ValueError(
            f'selection must be "objective", "largest", "min_risk" or a function of the front; '
            f"got {selection!r}."
        )


def _check_position(position: int, length: int) -> int:
    if is_integer(position) and 0 <= position < length:
        return int(position)
    raise ValueError(
        f"selection must return the position of a row, from 0 to {length - 1}; got {position!r}."
    )
