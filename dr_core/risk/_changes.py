"""f(x) against f(x̃): the one loop that asks models, and folds over it.

`iter_changes` yields, chunk by chunk, what was perturbed, with which probability, and what each
model predicts before and after. Each row and each variant is predicted once per model. A *fold*
is a function of `Changes` whose values add up: `fold` adds them over all chunks and partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np

from dr_core._tables import Partition, Partitions, as_table
from dr_core._utils import Array, format_percent
from dr_core.perturbation import (
    PerturbationPlan,
    PerturbedChunk,
    SensitiveAttributes,
    Variants,
    iter_perturbed,
)
from dr_core.risk._predictor import Predictor
from dr_core.risk._randomized import find_flows, get_shift

__all__ = [
    "Changes",
    "Fold",
    "RepeatCheck",
    "choose_repeated",
    "fold",
    "get_domains",
    "iter_changes",
]


MIN_REPEATED, REPEATED_SHARE = 50, 0.03
"""Rows of a part that are predicted twice: this number, or this share if it is more."""

MIN_VARIANTS_APART = 100_000
"""Variants of a chunk from which repeated rows are predicted in a call of their own."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """Predictions of one model for a chunk of n rows and for their k variants.

    Attributes
    ----------
    plan : PerturbationPlan, with S scenarios
    chunk : PerturbedChunk
    start : position of the chunk's first row among all rows
    y, weights : (n,) labels and weights of the rows, or None
    person : (n,) identity of the person whom each row is about, or None
    predictor : Predictor
    before : (n,) f(x); for a randomised model (n, C), its distribution
    after : (k,) f(x̃), or (k, C); empty where only the losses were kept
    loss : (k,) ℓ(f, x) of each variant, boolean for predictions that are certain
    known : scenarios whose predictions are known; None for all
    """

    plan: PerturbationPlan
    chunk: PerturbedChunk
    start: int
    y: Array | None
    weights: Array | None
    person: Array | None
    predictor: Predictor
    before: Array
    after: Array
    loss: Array
    known: frozenset[int] | None = None

    @property
    def n_rows(self) -> int:
        """Number n of rows."""
        return len(self.before)

    @property
    def variants(self) -> Variants:
        """Variants of the rows."""
        return self.chunk.variants

    @property
    def before_of_variants(self) -> Array:
        """f(x) of the row of each variant, (k,)."""
        return self.before[self.variants.rows]

    @property
    def is_randomized(self) -> bool:
        """Whether predictions are distributions over the classes."""
        return self.before.ndim == 2

    def get_exits_and_entries(self, position: int) -> tuple[Array, Array]:
        """Return the probability that a variant leaves a class, and that it enters it, (k,) each.

        `position` is that of the class among the classes.
        """
        before = self.before_of_variants
        if not self.is_randomized:
            return self.loss & (before == position), self.loss & (self.after == position)
        shift = get_shift(before, self.after)[:, position]
        return np.maximum(-shift, 0), np.maximum(shift, 0)

    def expect(self, values: Array) -> Array:
        """Return the expectation over the variants of each row, (S, n)."""
        return self.variants.expect(values)

    @cached_property
    def risk(self) -> Array:
        """Individual risk, the probability that the prediction of a row changes, (S, n)."""
        return self.expect(self.loss)

    @cached_property
    def groups(self) -> Array:
        """Group of each row in each scenario, (S, n)."""
        sensitive = self.chunk.x.codes[: len(self.plan.attributes)]
        return np.stack(
            [self.plan.attributes.groups(sensitive, one.active) for one in self.plan.scenarios]
        )

    @cached_property
    def is_perturbed(self) -> Array:
        """Whether a row has a value that a scenario perturbs, (S, n)."""
        codes, scenarios = self.chunk.x.codes, self.plan.scenarios
        return np.stack([(codes[list(one.active)] >= 0).any(axis=0) for one in scenarios])

    def codes_of(self, scenario: int) -> Array:
        """Return the codes of the groups by each attribute that a scenario perturbs, (active, n).

        These are the codes of its values; of a range, 1 inside and 0 outside.
        """
        attributes, codes = self.plan.attributes.attributes, self.chunk.x.codes
        active = self.plan.scenarios[scenario].active
        return np.stack([attributes[j].group_codes(codes[j]) for j in active])

    def is_known(self, scenario: int) -> bool:
        """Return whether the perturbed predictions of a scenario are known."""
        return self.known is None or scenario in self.known

    def get_certain(self, scenario: int) -> Array | None:
        """Return f(x̃) of each row, (n,), if it is certain; None if it has a distribution."""
        probability = self.variants.probability[:, scenario]
        happens = probability == 1
        if not (happens | (probability == 0)).all():
            return None
        # Rows 0 1 2 with f(x) = a b c, of which row 1 becomes a variant with f(x̃) = d: a d c.
        certain = self.before.copy()
        certain[self.variants.rows[happens]] = self.after[happens]
        return certain

    def get_profiles(self, scenario: int) -> Array:
        """Return the distribution of f(x̃) over the C classes for each row, (n, C)."""
        n, variants = self.n_rows, self.variants
        n_classes = len(self.predictor.classes or ())
        # Cells of an (n, C) array, numbered row by row: class 2 of row 3 is cell 3 * C + 2.
        cell = variants.rows * n_classes + self.after
        own = np.arange(n) * n_classes + self.before
        changed = np.bincount(cell, variants.probability[:, scenario], n * n_classes)
        stayed = np.bincount(own, variants.stay_probability[scenario], n * n_classes)
        return (changed + stayed).reshape(n, n_classes)

    def get_joint_profiles(self, scenario: int) -> Array:
        """Return the joint distribution of f(x) and f(x̃) of a randomised model, (n, C · C)."""
        (n, n_classes), variants = self.before.shape, self.variants
        probability = variants.probability[:, scenario]
        before, joint = self.before_of_variants, np.zeros((n, n_classes, n_classes))
        kept = before + np.minimum(get_shift(before, self.after), 0)
        # The part of f(x) that stays, and the flows between classes: of f(x) = 0.7 0.3 and
        # f(x̃) = 0.5 0.5, the masses 0.5 and 0.3 stay, and 0.2 flows from class 0 to class 1.
        flows = [(a, a, kept[:, a]) for a in range(n_classes)] + find_flows(before, self.after)
        for a, b, mass in flows:
            joint[:, a, b] = np.bincount(variants.rows, probability * mass, n)
        own = np.arange(n_classes)
        joint[:, own, own] += variants.stay_probability[scenario][:, None] * self.before
        return joint.reshape(n, -1)


def get_domains(attributes: SensitiveAttributes) -> dict[Any, tuple[Any, ...]]:
    """Return all values of each sensitive column of X; 0 and 1 for one-hot columns."""
    one_hot = [column for one in attributes for column in one.columns or ()]
    plain = {one.name: one.values for one in attributes if one.columns is None}
    return plain | dict.fromkeys(one_hot, (0, 1))


def iter_changes(
    part: Partition,
    predictors: Mapping[str, Predictor],
    plan: PerturbationPlan,
    *,
    before: Mapping[str, Array] | None = None,
    chunk_size: int | None = None,
    progress: bool = False,
) -> Iterator[tuple[str, Changes]]:
    """Yield the changes of each model, chunk by chunk: the only loop that asks models.

    Each chunk is perturbed once for all models; each model gets copies of its own, and is never
    asked about 0 rows. Some rows are predicted twice; ValueError if a model answers differently.

    Parameters
    ----------
    part : Partition
    predictors : models by name
    plan : PerturbationPlan for all rows, with its draws reserved
    before : f(x) of all rows of the part by name, where it is known already
    chunk_size, progress
        See `iter_perturbed`.
    """
    chunks = iter_perturbed(
        part.table, plan.at_row(part.start), chunk_size=chunk_size, progress=progress
    )
    domains = get_domains(plan.attributes)
    predictors = {name: one.for_columns(domains) for name, one in predictors.items()}
    columns = part.row_columns
    repeated = choose_repeated(part.n_rows)
    checks = {name: RepeatCheck(one, len(repeated)) for name, one in predictors.items()}
    for chunk in chunks:
        rows = chunk.rows
        here = repeated[slice(*np.searchsorted(repeated, [rows.start, rows.stop]))] - rows.start
        own = columns.take(rows)._asdict()
        for name, f, after, again in _predict_chunk(chunk, predictors, before, here):
            checks[name].add(f[here], again)
            one = predictors[name]
            loss = one.loss(f[chunk.variants.rows], after)
            yield (
                name,
                Changes(
                    plan=plan,
                    chunk=chunk,
                    **own,
                    predictor=one,
                    before=f,
                    after=after,
                    loss=loss,
                ),
            )


def _predict_chunk(
    chunk: PerturbedChunk,
    predictors: Mapping[str, Predictor],
    before: Mapping[str, Array] | None,
    repeated: Array,
) -> list[tuple[str, Array, Array, Array]]:
    """Return f(x) and f(x̃) of each model, and f(x) of the repeated rows once more.

    x̃ is freed before anything is computed from them.
    """
    k = len(chunk.variants)
    # A call has a fixed cost, so a few repeated rows follow x̃. To append rows to a long x̃ would
    # copy it, so they are then predicted apart.
    apart = chunk.x.table.take(repeated) if k >= MIN_VARIANTS_APART and len(repeated) else None
    perturbed = as_table(chunk.perturbed(repeated if apart is None else None)) if k else None
    answers, last = [], list(predictors)[-1]
    for name, predictor in predictors.items():
        f = predictor(chunk.x.table.copy()) if before is None else before[name][chunk.rows]
        after = f[[]]
        if perturbed is not None:  # a model may write into what it is given
            after = predictor(perturbed.native if name == last else perturbed.copy())
        again = after[k:] if apart is None else predictor(apart.copy())
        answers.append((name, f, after[:k], again))
    return answers


def choose_repeated(n_rows: int) -> Array:
    """Return the positions of some rows that are predicted once more, evenly spaced.

    >>> choose_repeated(10_000).size, choose_repeated(3).tolist()
    (300, [0, 1, 2])
    """
    size = min(n_rows, max(MIN_REPEATED, int(n_rows * REPEATED_SHARE)))
    return np.linspace(0, n_rows - 1, size).astype(np.intp)


@dataclass
class RepeatCheck:
    """Compares predictions for the same rows, and counts those that differ.

    Rows are counted until there are enough for a share that says something.

    Parameters
    ----------
    predictor : Predictor
    n_rows : int
        Number of rows that are predicted twice in all.
    """

    predictor: Predictor
    n_rows: int
    n_seen: int = 0
    n_different: int = 0

    def add(self, first: Array, again: Array) -> None:
        """Compare two predictions of the same rows; raise ValueError if some differ.

        `again` is empty where nothing was perturbed, so that the model was not asked again.
        """
        self.n_rows -= len(first) - len(again)
        self.n_seen += len(again)
        self.n_different += int(np.count_nonzero(self.predictor.loss(first[: len(again)], again)))
        if self.n_different and self.n_seen >= min(self.n_rows, MIN_REPEATED):
            raise ValueError(
                f"{self.predictor.name} differ for {self.n_different} of {self.n_seen} rows "
                f"({format_percent(self.n_different / self.n_seen)}) when the same rows are "
                "predicted twice, in another batch, so that these differences would be part of a "
                "discriminative risk. If the model is random, pass its distribution, "
                "RandomizedModel(predict_proba, classes), or fix its seed. If the prediction of a "
                "row depends on the other rows of the batch, as with a rank or a quota, pass a "
                "model that decides about each row alone, such as by a fixed threshold."
            )


Fold = Callable[[Changes], Any]
"""A function of changes whose values add up."""


def fold(
    data: Partitions,
    source: Callable[[Partition], Iterator[tuple[str, Changes]]],
    folds: Mapping[str, Fold],
    *,
    others: Mapping[Any, Mapping[str, Fold]] | None = None,
    progress: bool = False,
) -> dict[str, dict[str, Any]]:
    """Apply functions to the changes of every chunk, and add up their values over all rows.

    For example, `fold(data, source, {"n": lambda changes: changes.n_rows})` counts the rows.

    Parameters
    ----------
    data : Partitions
    source : yields the changes of models in a part of the rows; it can be pickled
    folds : Fold by name; they can be pickled
    others : folds of single models, in place of `folds`
    progress : bool

    Returns
    -------
    For each model, the value of each fold.
    """
    task = partial(fold_part, source=source, folds=folds, others=others or {})
    try:
        return reduce(_add_models, data.map(task, progress=progress))
    except Exception as error:
        data.note_named_columns(error)
        raise


def fold_part(
    part: Partition,
    source: Callable[[Partition], Iterator[tuple[str, Changes]]],
    folds: Mapping[str, Fold],
    others: Mapping[Any, Mapping[str, Fold]],
) -> dict[str, dict[str, Any]]:
    """Add up the values of folds over one part of the rows."""
    found: dict[str, dict[str, Any]] = {}
    for name, changes in source(part):
        new = {key: one(changes) for key, one in others.get(name, folds).items()}
        found[name] = _add_values(found[name], new) if name in found else new
    return found


def _add_models(
    one: dict[str, dict[str, Any]], other: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    return {name: _add_values(values, other[name]) for name, values in one.items()}


def _add_values(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {key: value + other[key] for key, value in one.items()}
