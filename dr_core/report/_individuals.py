"""Section of the report on single people: which decision changes, and by which perturbation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dr_core._utils import format_count, format_percent, format_value
from dr_core.comparison import Individuals
from dr_core.report._drawings import (
    Cell,
    Column,
    ReportTable,
    make_heading,
    make_text_cell,
    make_value_cell,
)
from dr_core.report._words import format_name

__all__ = ["make_individual_tables"]

MAX_FEATURE_COLUMNS = 30
"""Columns of X in the table, sensitive columns first."""

CHANGE_COLUMNS = [
    Column("Decision", "now → then"),
    Column("If", "the likeliest perturbation that changes it"),
    Column("Probability", "of a change, over all perturbations"),
]

SHIFT_COLUMNS = [
    Column("Prediction", "now → then"),
    Column("If", "the perturbation that moves it furthest"),
    Column("Mean shift", "over all perturbations"),
]


def make_individual_tables(
    individuals: Mapping[Any, Individuals], format_amount: Callable[[float], str] | None = None
) -> list[ReportTable]:
    """Return a table of individuals for each model.

    Parameters
    ----------
    individuals : Individuals by the name of the model
    format_amount : how a quantity is formatted; by default predictions are decisions
    """
    return [
        _make_table(format_name(model), some, format_amount) for model, some in individuals.items()
    ]


def _make_table(
    model: str, some: Individuals, format_amount: Callable[[float], str] | None
) -> ReportTable:
    names = list(some.features)[:MAX_FEATURE_COLUMNS]
    identifier = [] if some.identifiers is None else [Column(some.identifiers[0], "identifier")]
    what = "whose prediction moves" if format_amount else "whose decision may change"
    people = format_count(some.n_concerned, "person", "people")
    return ReportTable(
        f"{model}: {len(some.rows)} of {people} {what}",
        [
            Column("Row", some.row_meaning),
            *identifier,
            *(SHIFT_COLUMNS if format_amount else CHANGE_COLUMNS),
            *(
                Column(str(name), "sensitive" if i < some.n_sensitive else "")
                for i, name in enumerate(names)
            ),
        ],
        [
            [
                make_heading(some.rows[i]),
                *([] if some.identifiers is None else [_make_value(some.identifiers[1][i])]),
                *_make_change_cells(some, i, format_amount),
                *(_make_value(some.features[name].iloc[i]) for name in names),
            ]
            for i in range(len(some.rows))
        ],
        _describe_columns(some.features.shape[1]),
    )


def _make_change_cells(
    some: Individuals, i: int, format_amount: Callable[[float], str] | None
) -> list[Cell]:
    format_prediction = format_amount or format_value
    now, then = (format_prediction(one[i]) for one in (some.predictions, some.predictions_after))
    size = (format_amount or format_percent)(some.risks[i])
    return [
        make_text_cell(f"{format_name(now)} → {format_name(then)}"),
        make_text_cell(_describe_perturbation(some.perturbed[i])),
        make_value_cell(some.risks[i], size),
    ]


def _make_value(value: Any) -> Cell:
    return make_text_cell(format_value(value))


def _describe_perturbation(perturbed: Mapping[Any, Any]) -> str:
    """Return the new sensitive values.

    >>> _describe_perturbation({"sex": "Female", "age": 30})
    'sex = Female, age = 30'
    """
    if not perturbed:
        return "as given"
    return ", ".join(
        f"{format_name(name)} = {format_name(format_value(value))}"
        for name, value in perturbed.items()
    )


def _describe_columns(n_features: int) -> str:
    if n_features <= MAX_FEATURE_COLUMNS:
        return ""
    return f"The first {MAX_FEATURE_COLUMNS} of {n_features} columns."
