"""The Pareto front of pruning, in the idiom of scikit-learn's displays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dr_core._utils import drawing
from dr_core.ensembles import Votes
from dr_core.pruning._result import PruningResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ParetoFrontDisplay"]


class ParetoFrontDisplay:
    """The Pareto front of error and discriminative risk, and the sub-ensemble selected.

    Use `from_estimator` or `from_result` to make one.

    Parameters
    ----------
    result : PruningResult
    votes : Votes, optional
        Votes of the full ensemble on the rows used for pruning. If given, the full ensemble and
        each of its members are drawn too.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Where the display was drawn last.
    """

    def __init__(self, result: PruningResult, *, votes: Votes | None = None) -> None:
        self.result = result
        self.votes = votes

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, votes: Votes | None = None, ax: Axes | None = None
    ) -> ParetoFrontDisplay:
        """Draw the front of a fitted pruner.

        Parameters
        ----------
        estimator : fitted pruner
            Such as `POAFPruner` of `fairlearn_dr` or `POAFPruning` of `aif360_dr`.
        votes : Votes, optional
            Votes of the full ensemble on the rows used for pruning.
        ax : Axes, optional
            By default, those of a new figure.

        Returns
        -------
        ParetoFrontDisplay
        """
        if isinstance(estimator, BaseEstimator):
            check_is_fitted(estimator)
        drawing.check_has("estimator", estimator, "result_", "a fitted pruner")
        return cls.from_result(estimator.result_, votes=votes, ax=ax)

    @classmethod
    def from_result(
        cls, result: PruningResult, *, votes: Votes | None = None, ax: Axes | None = None
    ) -> ParetoFrontDisplay:
        """Draw the result of `poaf`, `epaf` or `exhaustive_front`.

        Parameters
        ----------
        result : PruningResult
        votes : Votes, optional
            Votes of the full ensemble on the rows used for pruning.
        ax : Axes, optional
            By default, those of a new figure.

        Returns
        -------
        ParetoFrontDisplay

        Examples
        --------
        >>> from dr_core import poaf
        >>> votes = Votes([[0, 0, 1], [0, 1, 1]], [[0, 1, 1], [1, 1, 1]], y=[0, 1, 1])
        >>> display = ParetoFrontDisplay.from_result(poaf(votes, 2, random_state=0), votes=votes)
        >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
        ('error', 'discriminative risk')
        """
        drawing.check_has("result", result, "front", "a PruningResult or a fitted pruner")
        return cls(result, votes=votes).plot(ax)

    def plot(self, ax: Axes | None = None) -> ParetoFrontDisplay:
        """Draw the front on `ax`, or on a new figure.

        Returns
        -------
        ParetoFrontDisplay
            The display itself.
        """
        self.ax_ = drawing.get_axes(ax)
        self.figure_ = self.ax_.figure
        if self.votes is not None:
            self._draw_votes(self.votes)
        self._draw_front()
        self.ax_.set_xlabel("error")
        self.ax_.set_ylabel("discriminative risk")
        self.ax_.legend(frameon=False)
        drawing.hide_spines(self.ax_)
        return self

    def frame(self) -> pd.DataFrame:
        """Return the front: members, error, risk and objective of each sub-ensemble."""
        return self.result.front

    def _draw_votes(self, votes: Votes) -> None:
        members = votes.member_errors, votes.member_risks
        self.ax_.scatter(*members, c="#999999", marker=".", label="members")
        full: dict[str, Any] = {"c": drawing.COLOURS[1], "marker": "s", "label": "full ensemble"}
        self.ax_.scatter([votes.error], [votes.risk], **full)

    def _draw_front(self) -> None:
        points = self.result.front["error"], self.result.front["risk"]
        blue: dict[str, Any] = {"c": drawing.COLOURS[0]}
        star: dict[str, Any] = {"c": drawing.COLOURS[5], "marker": "*", "s": 170, "zorder": 3}
        self.ax_.step(*points, where="post", lw=1, alpha=0.6, **blue)
        self.ax_.scatter(*points, marker="o", label="Pareto front", **blue)
        self.ax_.scatter([self.result.error], [self.result.risk], label="chosen", **star)
