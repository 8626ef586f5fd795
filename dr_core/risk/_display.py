"""Bars of discriminative risk, in the idiom of scikit-learn's displays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dr_core._utils import Array, check_choice, drawing
from dr_core.perturbation import MARGINALISED, PRIVILEGED, SensitiveAttributes
from dr_core.risk._assessment import RiskAssessment, assess_risk
from dr_core.risk._totals import make_group_sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RiskDisplay"]

SERIES = "discriminative_risk"
GROUPS = {"privileged": PRIVILEGED, "marginalised": MARGINALISED}


class RiskDisplay:
    """Bars of discriminative risk with confidence intervals.

    Use `from_estimator` or `from_assessment` to make one.

    Parameters
    ----------
    values : DataFrame
        Heights of the bars: a row for each position on the x axis, such as an attribute or a
        group, and a column for each series.
    low, high : DataFrame, optional
        Ends of the intervals. Series without a column there have no error bars.
    ylabel : str, optional
        What all series measure. By default, the name of the series, if it is the only one.

    Attributes
    ----------
    bars_ : dict
        Matplotlib's container of the bars of each series.
    ax_, figure_ : Axes and Figure
        Where the display was drawn last.
    """

    def __init__(
        self,
        values: pd.DataFrame,
        *,
        low: pd.DataFrame | None = None,
        high: pd.DataFrame | None = None,
        ylabel: str | None = None,
    ) -> None:
        self.values = values
        self.low = low
        self.high = high
        self.ylabel = ylabel

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        privileged: Mapping[Any, Any] | SensitiveAttributes,
        *,
        by: str = "attribute",
        confidence: float = 0.95,
        ax: Axes | None = None,
        **options: Any,
    ) -> RiskDisplay:
        """Measure the discriminative risk of a model and draw it.

        Parameters
        ----------
        estimator, X, privileged
            As for `assess_risk`.
        by, confidence, ax
            As for `from_assessment`.
        **options
            Further arguments of `assess_risk`, such as `method` and `sample_weight`.

        Returns
        -------
        RiskDisplay

        Examples
        --------
        >>> from dr_core import datasets
        >>> ricci = datasets.load("ricci")
        >>> rule = lambda X: (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)
        >>> display = RiskDisplay.from_estimator(rule, ricci.data, ricci.privileged)
        >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
        ('perturbed', 'discriminative risk')
        >>> display.frame().round(3)
                                value                 low                high
                  discriminative_risk discriminative_risk discriminative_risk
        perturbed
        Race                    0.195               0.128               0.278
        """
        assessment = assess_risk(estimator, X, privileged, **options)
        return cls.from_assessment(assessment, by=by, confidence=confidence, ax=ax)

    @classmethod
    def from_assessment(
        cls,
        assessment: RiskAssessment,
        *,
        by: str = "attribute",
        confidence: float = 0.95,
        ax: Axes | None = None,
    ) -> RiskDisplay:
        """Draw the result of `assess_risk`.

        Parameters
        ----------
        assessment : RiskAssessment
        by : {"attribute", "group"}
            One bar for each attribute and for all together; or one for the privileged and one for
            the marginalised rows of each. Bars of groups have no intervals where rows are
            weighted or several rows are about one person.
        confidence : float in (0, 1)
            Of the intervals.
        ax : Axes, optional
            By default, those of a new figure.

        Returns
        -------
        RiskDisplay
        """
        drawing.check_has("assessment", assessment, "by_group", "the result of assess_risk")
        check_choice("by", by, ("attribute", "group"))
        tabulate = _tabulate_attributes if by == "attribute" else _tabulate_groups
        return cls(**tabulate(assessment, confidence)).plot(ax)

    def plot(self, ax: Axes | None = None) -> RiskDisplay:
        """Draw the bars on `ax`, or on a new figure.

        Returns
        -------
        RiskDisplay
            The display itself.
        """
        self.ax_ = drawing.get_axes(ax)
        self.figure_ = self.ax_.figure
        self.bars_ = dict(self._iter_bars())
        index = self.values.index
        self.ax_.set_xticks(range(len(index)), [_format_position(key) for key in index])
        self.ax_.set_xlabel(", ".join(str(name) for name in index.names if name is not None))
        self.ax_.set_ylim(bottom=0)
        self._name_series()
        drawing.hide_spines(self.ax_)
        drawing.slant_long_labels(self.ax_)
        return self

    def frame(self) -> pd.DataFrame:
        """Return what is drawn: the "value", "low" and "high" of each series."""
        parts = {"value": self.values, "low": self.low, "high": self.high}
        return pd.concat({key: part for key, part in parts.items() if part is not None}, axis=1)

    def _iter_bars(self) -> Iterator[tuple[Any, Any]]:
        """Draw the series side by side, centred on their position."""
        width = 0.8 / self.values.shape[1]
        for i, name in enumerate(self.values):
            # With three series, the bars at the first position are at -width, 0 and +width.
            offset = (i - (self.values.shape[1] - 1) / 2) * width
            yield (
                name,
                self.ax_.bar(
                    np.arange(len(self.values)) + offset,
                    self.values[name].to_numpy(dtype=float),
                    width * 0.92,
                    yerr=self._compute_error_bars(name),
                    capsize=3,
                    color=drawing.get_style(i)["color"],
                    label=drawing.format_label(name),
                ),
            )

    def _compute_error_bars(self, name: Any) -> Array | None:
        if self.low is None or self.high is None or name not in self.low:
            return None
        return drawing.compute_error_bars(self.values[name], self.low[name], self.high[name])

    def _name_series(self) -> None:
        """Label the y axis, and add a legend of several series."""
        names = list(self.values)
        if self.ylabel is not None or len(names) == 1:
            self.ax_.set_ylabel(drawing.format_label(self.ylabel or names[0]))
        if len(names) == 1:
            return
        where: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, 1.14)}
        self.ax_.legend(frameon=False, ncols=len(names), **where)


def _tabulate_attributes(assessment: RiskAssessment, confidence: float) -> dict[str, Any]:
    """Return the risk of each attribute with its interval."""
    table = assessment.table(confidence)
    columns = {"values": "risk", "low": "low", "high": "high"}
    return {key: table[one].to_frame(SERIES) for key, one in columns.items()}


def _tabulate_groups(assessment: RiskAssessment, confidence: float) -> dict[str, Any]:
    """Return the risk of privileged and marginalised rows for each attribute."""
    index = pd.Index(assessment.names, name="perturbed")
    values = assessment.by_group[list(GROUPS)].set_index(index)
    drawn = {"values": values, "ylabel": SERIES}
    if assessment.totals.spreads:  # weighted rows, or several a person
        return drawn
    ends = [
        [_compute_interval(assessment, s, code, confidence) for code in GROUPS.values()]
        for s in range(len(assessment.names))
    ]
    low, high = np.moveaxis(np.array(ends, dtype=float), -1, 0)
    frames = {"low": low, "high": high}
    return drawn | {key: pd.DataFrame(end, index, list(GROUPS)) for key, end in frames.items()}


def _compute_interval(
    assessment: RiskAssessment, s: int, group: int, confidence: float
) -> tuple[float, float]:
    """Return the ends of the interval of the risk of a group; NaN if it has no rows."""
    totals, group_of = assessment.totals, assessment.plan.attributes.group_of
    ranges, active = totals.ranges[s] if totals.ranges else (), assessment.plan.scenarios[s].active
    sample = make_group_sample(
        totals.group_sums[s], [(group,)], ranges, lambda codes: group_of(codes, active) == group
    )
    return sample.interval(confidence)[:2]


def _format_position(key: Any) -> str:
    return ", ".join(map(str, key)) if isinstance(key, tuple) else str(key)
