"""Predictions that were made elsewhere, and the classes of models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dr_core._utils import sorted_values

__all__ = ["Predictions", "check_few", "class_labels"]

MOST_CLASSES = 100
"""More distinct labels than this are taken for quantities."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """A model that lives elsewhere, given by what it predicted.

    Parameters
    ----------
    y_pred : array of shape (n,)
        Predictions for X.
    y_pred_perturbed : array of shape (n,), or a mapping, optional
        Predictions for X with all sensitive attributes perturbed, as `perturb` does; or, by name,
        one array for each attribute perturbed alone and one, "all", for all of them together.
        Without it the established measures are still compared.
    """

    y_pred: Any
    y_pred_perturbed: Any = None

    def columns(self, name: str) -> dict[str, Any]:
        """All arrays, under what errors call them for a model of this name."""
        given, perturbed = self.y_pred_perturbed, f"y_pred_perturbed of {name!r}"
        if isinstance(given, Mapping):
            several = {f"{perturbed}, {key!r}": values for key, values in given.items()}
        else:
            several = {perturbed: given}
        return {f"y_pred of {name!r}": self.y_pred} | several

    def of_part(self, name: str, columns: Mapping[Any, Any]) -> Predictions:
        """Predictions for a part of the rows, from its columns."""
        y_pred, *several = (columns.get(key) for key in self.columns(name))
        if isinstance(self.y_pred_perturbed, Mapping):
            return Predictions(y_pred, dict(zip(self.y_pred_perturbed, several, strict=True)))
        return Predictions(y_pred, several[0])


def class_labels(y: list[Any], models: Mapping[str, Any], labels: Any = None) -> list[Any]:
    """All class labels: the distinct ones of y, those the models know, and those given."""
    known = [list(getattr(model, "classes_", ())) for model in models.values()]
    every = [*y, *([] if labels is None else labels)]
    return sorted_values(dict.fromkeys([*every, *(label for some in known for label in some)]))


def check_few(classes: list[Any]) -> list[Any]:
    """Return the classes, unless there are so many that they must be quantities."""
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"y and the models have {len(classes)} distinct labels, more than "
            f"{MOST_CLASSES}. If they are quantities, use assess_risk(..., tolerance=...)."
        )
    return classes
