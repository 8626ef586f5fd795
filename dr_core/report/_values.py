"""Values of a comparison by measure, model and attribute."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from dr_core.metrics import DR
from dr_core.perturbation import ALL
from dr_core.report._drawings import (
    Cell,
    Column,
    Scale,
    compute_scale_end,
    make_risk_scale,
    make_text_cell,
)

if TYPE_CHECKING:
    from dr_core.comparison import Comparison

__all__ = ["MIN_GROUP_ROWS", "MeasuredValues", "is_unknown", "iter_rows"]

MIN_GROUP_ROWS = 30
"""Rates of smaller groups are uncertain."""

COLUMNS = ["model", "attribute", "measure", "value", "low", "high"]
COLUMNS += ["signed", "signed_low", "signed_high"]


@dataclass(frozen=True, eq=False)
class MeasuredValues:
    """What several sections look up in a comparison."""

    comparison: Comparison

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Values of the comparison; ends of intervals are NaN if there is none."""
        return self.comparison.values.reindex(columns=COLUMNS)

    @cached_property
    def models(self) -> list[Any]:
        """Names of the models."""
        return self.frame["model"].unique().tolist()

    @cached_property
    def attributes(self) -> list[Any]:
        """Names of the columns, each attribute, then all together."""
        return self.frame["attribute"].unique().tolist()

    @property
    def names(self) -> list[Any]:
        """Names of the attributes."""
        return [name for name in self.attributes if name != ALL]

    @cached_property
    def _rows(self) -> dict[tuple[Any, ...], Any]:
        return {(row.measure, row.model, row.attribute): row for row in self.frame.itertuples()}

    def get_row(self, measure: str, model: Any, attribute: Any) -> Any:
        """Return the value of a measure with its interval; None if it was not computed."""
        return self._rows.get((measure, model, attribute))

    def select_measures(self, names: Iterable[str]) -> list[str]:
        """Return those of the measures that were computed."""
        known = set(self.frame["measure"])
        return [name for name in names if name in known]

    def get_numbers(self, measures: Iterable[str], *columns: str) -> list[float]:
        """Return the numbers of some measures in these columns."""
        rows = self.frame["measure"].isin(list(measures))
        numbers: list[float] = self.frame.loc[rows, list(columns)].to_numpy().ravel().tolist()
        return numbers

    @cached_property
    def risk_scale(self) -> Scale:
        """One scale for the discriminative risks of the whole page.

        It contains the intervals of all groups that are large enough to say something.
        """
        risks = [name for name in self.frame["measure"].unique() if name.startswith(DR)]
        shown = self.get_numbers(risks, "value", "high")
        frame = self.comparison.group_rates
        if not frame.empty:
            own = frame[frame["measure"] == DR]
            shown += [*own["value"], *own.loc[own["rows"] >= MIN_GROUP_ROWS, "high"]]
        return make_risk_scale(shown)

    @cached_property
    def direction_scale(self) -> Scale:
        """One scale for the whole page, with losses to the left of 0 and gains to the right."""
        frames = (self.comparison.directions, self.comparison.by_group)
        shown = [frame[["loses", "gains"]] for frame in frames if not frame.empty]
        end = compute_scale_end(share for frame in shown for share in frame.to_numpy().ravel())
        return Scale(end, -end, texts=(f"{100 * end:g} %", f"{100 * end:g} %"))

    @cached_property
    def group_intervals(self) -> dict[tuple[Any, ...], tuple[float, float]]:
        """Ends of the interval of DR by model, attribute and group."""
        rates = self.comparison.group_rates
        of_risk = rates[rates["measure"] == DR] if not rates.empty else rates
        return {
            (row.model, row.attribute, row.group): (row.low, row.high)
            for row in of_risk.itertuples()
        }

    # Tables have a column for the model if there are several

    def make_model_column(self) -> list[Column]:
        """Return the column of the model, if there are several."""
        return [Column("Model")] if len(self.models) > 1 else []

    def make_model_cell(self, model: Any) -> list[Cell]:
        """Return the cell of the model, if there are several."""
        return [make_text_cell(model)] if len(self.models) > 1 else []


def is_unknown(row: Any) -> bool:
    """Return whether a value was not computed, or is NaN."""
    return row is None or math.isnan(row.value)


def iter_rows(frame: pd.DataFrame, model: Any, attribute: Any) -> Iterator[Any]:
    """Yield the rows of a model and an attribute."""
    if not frame.empty:
        chosen = (frame["model"] == model) & (frame["attribute"] == attribute)
        yield from frame[chosen].itertuples()
