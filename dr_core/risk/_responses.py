"""What a model answers to each row x and to its perturbed versions x̃.

Rows go through in chunks. Of each chunk the model predicts every row once and every variant that
differs from its row once: nothing else, and nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, is_regressor
from tqdm import tqdm

from dr_core._tables import Table
from dr_core._utils import (
    Array,
    as_generator,
    check_choice,
    check_probability,
    check_whole,
    skip,
    skipped,
)
from dr_core.perturbation import (
    ALL,
    CodedRows,
    Scenario,
    SensitiveAttributes,
    Variants,
    choices,
    draw_variants,
    enumerate_variants,
)

__all__ = [
    "Plan",
    "Response",
    "cut_rows",
    "prediction_function",
    "predictor",
    "predicts_numbers",
    "responses",
]

CHUNK_VARIANTS = 400_000
"""Perturbed rows a chunk has at the most, unless the user says otherwise."""

MOST_VARIANTS = 10_000
"""Perturbations of one row that are still enumerated."""


@dataclass(frozen=True)
class Plan:
    """How x is perturbed.

    Parameters
    ----------
    attributes : SensitiveAttributes
    method : {"exact", "sample"}
        Every possible draw with its probability, or `n_samples` random ones.
    p : float in (0, 1]
    n_samples : int
    random_state : int, Generator or None
    each_attribute : bool
        Whether each attribute is perturbed alone too, besides all of them together.
    """

    attributes: SensitiveAttributes
    method: str = "exact"
    p: float = 1.0
    n_samples: int = 1
    random_state: Any = None
    each_attribute: bool = True

    def __post_init__(self) -> None:
        check_probability(self.p)
        check_choice("method", self.method, ("exact", "sample"))
        check_whole("n_samples", self.n_samples, at_least=1)
        if self.method == "exact" and self.most_variants > MOST_VARIANTS:
            raise ValueError(
                f"a row has up to {self.most_variants:,} perturbations, more than "
                f'{MOST_VARIANTS:,}. Use method="sample", or fewer attributes at a time.'
            )

    @property
    def most_variants(self) -> int:
        """Perturbations that a row can have in all scenarios together, at the most."""
        if self.method == "sample":
            return self.n_samples * len(self.scenarios)
        stay = 1 if self.p < 1 else 0
        each = [max(map(len, attribute.moves)) + stay for attribute in self.attributes]
        return sum(prod(each[j] for j in active) for active in self.scenarios.values())

    @property
    def scenarios(self) -> dict[Any, Scenario]:
        """Which attributes are perturbed, by name: each alone where asked for, then all."""
        alone: dict[Any, Scenario] = {name: (j,) for j, name in enumerate(self.attributes.names)}
        if len(alone) == 1:
            return alone
        return (alone if self.each_attribute else {}) | {ALL: tuple(range(len(alone)))}

    @property
    def draws_per_row(self) -> int:
        """Uniform numbers that the perturbations of a row take."""
        if self.method == "exact":
            return 0
        return self.n_samples * sum(choices(self.attributes, self.p))

    def begun(self, n_rows: int) -> Plan:
        """Take over the random numbers for n rows; who owned them goes on behind these."""
        if not self.draws_per_row:
            return self
        generator = as_generator(self.random_state)
        own = skipped(generator, 0)
        skip(generator, n_rows * self.draws_per_row)
        return replace(self, random_state=own)

    def at_row(self, start: int) -> Plan:
        """Return the plan for rows from here on, if those before are somebody else's."""
        if not self.draws_per_row:
            return self
        return replace(self, random_state=skipped(self.random_state, start * self.draws_per_row))

    def variants(self, codes: Array, rng: np.random.Generator) -> Variants:
        """Perturbed versions of rows with these codes."""
        scenarios = list(self.scenarios.values())
        if self.method == "exact":
            return enumerate_variants(codes, self.attributes, self.p, scenarios)
        return draw_variants(codes, self.attributes, self.p, scenarios, self.n_samples, rng)


@dataclass(frozen=True, eq=False)
class Response:
    """What a model answers to one chunk.

    Attributes
    ----------
    rows : slice of X
    codes : (attributes, n) sensitive values of the rows
    predictions : (n,) f(x)
    variants : Variants of the rows, k of them
    perturbed : (k,) f(x̃) of each variant
    coupled : (k,) the same where other columns follow the attributes; None unless asked apart
    """

    rows: slice
    codes: Array
    predictions: Array
    variants: Variants
    perturbed: Array
    coupled: Array | None = None

    @property
    def with_couplings(self) -> Response:
        """What the model answers where other columns follow the attributes."""
        return self if self.coupled is None else replace(self, perturbed=self.coupled)


def responses(
    predict: Callable[[Any], Array],
    table: Table,
    plan: Plan,
    *,
    chunk_size: int | None = None,
    progress: bool = False,
    apart: bool = False,
) -> Iterator[Response]:
    """Answers of a model to every row of a table and to its variants, chunk by chunk.

    Columns coupled to the attributes follow them; `apart` asks for the answers without that too.
    """
    parts = cut_rows(table.n_rows, plan, chunk_size)
    rng = as_generator(plan.random_state)
    everything = CodedRows.of(table, plan.attributes)
    for rows in tqdm(parts, desc="rows", unit="chunk", disable=not progress):
        chunk = everything.take(rows)
        predictions = predict(chunk.table.copy())
        variants = plan.variants(chunk.codes, rng)
        # A model is not asked about no row at all.
        ask = predict if len(variants.rows) else lambda _, nothing=predictions[:0]: nothing
        answers = _to_variants(ask, chunk, variants, apart)
        yield Response(rows, chunk.codes, predictions, variants, *answers)


def cut_rows(n_rows: int, plan: Plan, size: int | None = None) -> list[slice]:
    """Cut rows into chunks of a size, by default one whose variants are not too many at once."""
    size = max(1, CHUNK_VARIANTS // plan.most_variants) if size is None else size
    check_whole("chunk_size", size, at_least=1)
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def _to_variants(
    predict: Callable[[Any], Array], chunk: CodedRows, variants: Variants, apart: bool
) -> tuple[Array, Array | None]:
    """Predictions for variants of a chunk; with `apart`, without and with coupled columns."""
    rows = chunk.take(variants.rows)
    if not apart or not chunk.attributes.couplings:
        return predict(rows.variant(variants.codes)), None
    as_defined = predict(rows.uncoupled.variant(variants.codes))
    followed = np.flatnonzero(rows.follows(variants.codes))
    if not len(followed):
        return as_defined, as_defined
    new = predict(rows.take(followed).variant(variants.codes[:, followed]))
    source = np.arange(len(as_defined))
    source[followed] = len(as_defined) + np.arange(len(followed))
    return as_defined, np.concatenate([as_defined, new])[source]


def predictor(estimator: Any) -> Callable[[Any], Array]:
    """Turn any model into a function of X that returns one checked prediction a row.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
    """
    function = prediction_function(estimator)
    return lambda X: _checked(function(X), len(X))


def prediction_function(estimator: Any) -> Callable[[Any], Any]:
    """Find what predicts: the method of a fitted model, or the callable itself."""
    if isinstance(estimator, type):
        raise TypeError(f"{estimator.__name__} is a class; pass a fitted instance of it.")
    function = getattr(estimator, "predict", estimator)
    if not callable(function):
        raise TypeError(
            f"the model is a {type(estimator).__name__}; pass an object with predict(X), or a "
            "function of X that returns predictions."
        )
    return function


def _checked(predictions: Any, n_rows: int) -> Array:
    predictions = np.asarray(predictions)
    if predictions.ndim == 2 and predictions.shape[1] == 1:
        predictions = predictions[:, 0]
    if predictions.shape != (n_rows,):
        raise ValueError(
            f"the model returned predictions of shape {predictions.shape} for {n_rows} rows; "
            "one prediction a row is needed."
        )
    missing = int(pd.isna(predictions).sum())
    if missing:
        raise ValueError(f"the model returned {missing} missing predictions for {n_rows} rows.")
    return predictions


def predicts_numbers(estimator: Any, predictions: Array) -> bool:
    """Whether predictions are quantities, which move up or down, rather than classes."""
    if isinstance(estimator, BaseEstimator) and is_regressor(estimator):
        return True
    return predictions.dtype.kind == "f" and bool((predictions != np.round(predictions)).any())
