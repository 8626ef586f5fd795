"""Predictions that were made elsewhere, as changes like those of a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core._tables import Partition
from dr_core._utils import Array, format_count, iter_slices, quote
from dr_core.perturbation import ALL, CodedRows, PerturbationPlan, PerturbedChunk, Variants
from dr_core.risk._changes import Changes
from dr_core.risk._predictor import Predictor, encode_decisions

__all__ = ["Predictions", "iter_given_changes"]

CHUNK_ROWS_GIVEN = 400_000
"""Rows of a chunk of predictions that were made elsewhere."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of a model that is not available here.

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
        """Return all arrays, by what error messages call them for a model of this name."""
        return {f"y_pred of {name!r}": self.y_pred} | {
            _name_given(name, key): values for key, values in self._by_key.items()
        }

    @property
    def _by_key(self) -> Mapping[Any, Any]:
        """Perturbed predictions by the name of the scenario; None stands for the last one."""
        given = self.y_pred_perturbed
        return given if isinstance(given, Mapping) else {None: given}

    def find_known(self, name: str, plan: PerturbationPlan) -> dict[int, str]:
        """Return the scenarios whose predictions are given, with the names of their columns."""
        last = len(plan.names) - 1
        if not isinstance(self.y_pred_perturbed, Mapping):
            return {} if self.y_pred_perturbed is None else {last: _name_given(name, None)}
        # A single attribute is "all" of them.
        place = {key: s for s, key in enumerate(plan.names)} | ({ALL: 0} if last == 0 else {})
        unknown = [key for key in self._by_key if key not in place]
        if unknown:
            raise ValueError(
                f"y_pred_perturbed of {name!r} has {quote(unknown)}; its keys must be among "
                f"{quote(plan.names)}, where {ALL!r} is all attributes perturbed together."
            )
        return {place[key]: _name_given(name, key) for key in self._by_key}


def _name_given(model: str, key: Any) -> str:
    name = f"y_pred_perturbed of {model!r}"
    return name if key is None else f"{name}, {key!r}"


def iter_given_changes(
    part: Partition,
    name: str,
    predictions: Predictions,
    classes: list[Any],
    plan: PerturbationPlan,
) -> Iterator[tuple[str, Changes]]:
    """Yield the changes of predictions that were made elsewhere, in chunks.

    In each scenario that is known, a row whose prediction changes has one variant of probability
    1. All other rows have none, so that f(x̃) counts as f(x).
    """
    known = predictions.find_known(name, plan)
    f, *perturbed = (
        encode_decisions(part.column(column, column), classes, column)
        for column in (f"y_pred of {name!r}", *known.values())
    )
    everything = CodedRows.of(part.table, plan.attributes)
    columns, predictor = part.row_columns, Predictor(None, classes)
    for rows in iter_slices(part.n_rows, CHUNK_ROWS_GIVEN):
        x, after = everything.take(rows), [one[rows] for one in perturbed]
        for (s, column), one in zip(known.items(), after, strict=True):
            _check_only_perturbed(column, x.codes[list(plan.scenarios[s].active)], f[rows] != one)
        variants, changed = _make_given_variants(x, f[rows], after, list(known), plan)
        yield (
            name,
            Changes(
                plan=plan,
                chunk=PerturbedChunk(rows, x, variants),
                **columns.take(rows)._asdict(),
                predictor=predictor,
                before=f[rows],
                after=changed,
                loss=np.ones(len(changed), dtype=bool),
                known=frozenset(known),
            ),
        )


def _check_only_perturbed(column: str, codes: Array, changed: Array) -> None:
    """Raise ValueError if a prediction changes although no sensitive value could be perturbed."""
    n_wrong = np.count_nonzero(changed & (codes.max(axis=0) < 0))
    if n_wrong:
        raise ValueError(
            f"{column} differs from y_pred in {format_count(int(n_wrong), 'row')} whose sensitive "
            "values are missing, so that nothing was perturbed; pass the same prediction for "
            "these rows, or leave these rows out."
        )


def _make_given_variants(
    x: CodedRows, f: Array, perturbed: list[Array], known: list[int], plan: PerturbationPlan
) -> tuple[Variants, Array]:
    """Return one variant for each changed prediction of each known scenario, and f(x̃)."""
    changed = [np.flatnonzero(f != after) for after in perturbed]
    # Rows 0 and 2 change in scenario 1 of 3, row 2 in scenario 2: rows = [0, 2, 2], and the
    # probability of each variant is 1 in its scenario: [[0, 1, 0], [0, 1, 0], [0, 0, 1]].
    rows = np.concatenate([np.empty(0, np.intp), *changed])
    scenario = np.repeat(known, list(map(len, changed))).astype(np.intp)
    probability = np.eye(len(plan.scenarios))[scenario]
    pairs = zip(perturbed, changed, strict=True)
    after = np.concatenate([f[:0], *(after[some] for after, some in pairs)])
    return Variants(len(f), rows, x.codes[:, rows], probability), after
