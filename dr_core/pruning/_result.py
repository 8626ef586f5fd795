"""What every pruning method returns, and how one sub-ensemble is picked from a front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dr_core._utils import Array, is_number, is_whole
from dr_core.pruning._objectives import comparable
from dr_core.pruning._pareto import Archive

__all__ = ["PruningResult", "Selection"]

Selection = str | Callable[[pd.DataFrame], int]
""""objective", "largest", "min_risk", or a function from a front to the position of a row."""

SCORED = ["members", "error", "risk", "objective"]

SLACK = 1e-12

ACCURACY_TOLERANCE = 0.02
"""What "min_risk" may lose in accuracy when nothing else is said."""


@dataclass(frozen=True, eq=False, repr=False)
class PruningResult:
    """A sub-ensemble, and the Pareto front it was picked from.

    Attributes
    ----------
    members : array of int
        Indices of the members kept, ascending.
    error, risk, objective : float
        Error and discriminative risk of their vote, and its scalar objective 𝓛.
    front : DataFrame
        Every non-dominated sub-ensemble found: `members` (tuples of indices), `error`, `risk`
        and `objective`, by ascending error, hence descending risk. One row for each pair of
        error and risk.
    n_judged : int
        How many sub-ensembles were judged to find it.

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

    def __repr__(self) -> str:
        return f"PruningResult({self._summary()}; front of {len(self.front)})"

    def _repr_html_(self) -> str:
        chosen = [tuple(self.members) == members for members in self.front["members"]]
        table = self.front.assign(chosen=np.where(chosen, "✓", ""))
        return f"<p>{self._summary()}</p>{table.to_html(index=False, max_rows=20)}"

    def _summary(self) -> str:
        members = np.array2string(self.members, threshold=12, edgeitems=4)
        return (
            f"{len(self.members)} members {members}, error {self.error:.4f}, "
            f"risk {self.risk:.4f}, objective {self.objective:.4f}"
        )


def result_from(front: pd.DataFrame, position: int, n_judged: int) -> PruningResult:
    """Pick the row at `position` of a front."""
    members, error, risk, objective = (front[name].iat[position] for name in SCORED)
    chosen = np.array(members, dtype=np.int64)
    return PruningResult(chosen, float(error), float(risk), float(objective), front, n_judged)


def front_table(archive: Archive, pool: Array) -> pd.DataFrame:
    """Front of the archive as a table; its columns stand for the members in `pool`."""
    front = archive.front()
    front = front.at(np.argsort(front.errors))
    members = [tuple(pool[row].tolist()) for row in front.selected]
    columns = members, front.errors, front.risks, front.objectives
    return pd.DataFrame(dict(zip(SCORED, columns, strict=True)))


def select(
    front: pd.DataFrame, selection: Selection, accuracy_tolerance: float = ACCURACY_TOLERANCE
) -> int:
    """Find the row of `front` to use.

    Parameters
    ----------
    front : DataFrame
        As in `PruningResult.front`.
    selection : "objective", "largest", "min_risk" or callable
        The lowest 𝓛; the lowest 𝓛 among the largest sub-ensembles, since 𝓛 does not see the ties
        of small ones; the lowest risk among the rows whose error exceeds the lowest by at most
        `accuracy_tolerance`; or what the callable returns for the front.
    accuracy_tolerance : float, default=0.02
        For "min_risk".

    Returns
    -------
    int
        Its position.

    Examples
    --------
    >>> front = pd.DataFrame({
    ...     "members": [(0, 1, 2), (0, 2), (1,)],
    ...     "error": [0.1, 0.105, 0.3], "risk": [0.2, 0.1, 0.0], "objective": [0.15, 0.16, 0.1],
    ... })
    >>> select(front, "objective"), select(front, "largest"), select(front, "min_risk")
    (2, 0, 1)
    >>> select(front, lambda front: len(front) - 1)
    2
    """
    check_selection(selection, accuracy_tolerance)
    if callable(selection):
        return _checked_position(selection(front), len(front))
    if selection == "objective":
        return int(comparable(front["objective"].to_numpy()).argmin())
    if selection == "largest":
        sizes = front["members"].map(len)
        objectives = comparable(front["objective"].to_numpy())
        return int(np.where(sizes == sizes.max(), objectives, np.inf).argmin())
    accurate = front["error"] <= front["error"].min() + accuracy_tolerance + SLACK
    return int(np.where(accurate, front["risk"], np.inf).argmin())


def check_selection(selection: Selection, accuracy_tolerance: float) -> None:
    """Refuse what `select` cannot follow, before a search and not after it."""
    if not (is_number(accuracy_tolerance) and accuracy_tolerance >= 0):
        raise ValueError(f"accuracy_tolerance must be at least 0; found {accuracy_tolerance!r}.")
    if not callable(selection) and selection not in ("objective", "largest", "min_risk"):
        raise ValueError(
            f'selection must be "objective", "largest", "min_risk" or a function of the front; '
            f"found {selection!r}."
        )


def _checked_position(position: int, length: int) -> int:
    if is_whole(position) and 0 <= position < length:
        return int(position)
    raise ValueError(
        f"selection must return the position of a row, 0 to {length - 1}; found {position!r}."
    )
