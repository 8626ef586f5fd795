"""f(x) against f(x̃): the one loop that asks models, and folds over it.

`iter_changes` yields, chunk by chunk, what was perturbed, with which probability, and what each
model predicts before and after. Each row and each variant is predicted once per model. A *fold*
is a function of `Changes` whose values add up: `fold` adds them over all chunks and partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, is_regressor

from dr_core._tables import (
    Factorized,
    Partition,
    Partitions,
    as_table,
    encode,
    encode_known,
    factorize,
)
from dr_core._utils import Array, differs, iter_slices, quote, sort_values, unbox_floats
from dr_core.perturbation import (
    ALL,
    CodedRows,
    PerturbationPlan,
    PerturbedChunk,
    SensitiveAttributes,
    Variants,
    iter_perturbed,
)
from dr_core.risk._randomized import (
    RandomizedModel,
    find_distribution,
    get_shift,
    iter_flows,
    total_variation,
)

__all__ = [
    "MAX_NUMBERS",
    "OR_TOLERANCE",
    "Changes",
    "Fold",
    "Predictions",
    "Predictor",
    "RepeatCheck",
    "check_predictions",
    "choose_repeated",
    "describe_scores",
    "find_classes",
    "fold",
    "get_domains",
    "get_predict",
    "have_fractions",
    "iter_changes",
    "iter_given_changes",
]


CHUNK_ROWS_GIVEN = 400_000
"""Rows of a chunk of predictions that were made elsewhere."""

MIN_REPEATED, REPEATED_SHARE = 50, 0.03
"""Rows of a part that are predicted twice: this number, or this share if it is more."""

MIN_VARIANTS_APART = 5_000
"""Variants of a chunk from which repeated rows are predicted in a call of their own."""

MAX_NUMBERS = 100
"""Integers with more distinct values than this are taken for quantities, not for classes."""


@dataclass(frozen=True, eq=False)
class Predictor:
    """A model as a function of X that returns one checked prediction per row.

    Parameters
    ----------
    estimator : object with `predict`, or a callable
    classes : list, optional
        Class labels; predictions are then positions in this list.
    tolerance : float, optional
        A numeric prediction counts as changed when it moves by more than this. Without it and
        without classes, numbers that are no class labels raise ValueError.
    name : str
        How error messages call the predictions.

    Examples
    --------
    >>> ages = Predictor(lambda X: X["age"] > 30, classes=[False, True])
    >>> ages(pd.DataFrame({"age": [20, 40]}))
    array([0, 1], dtype=int8)
    """

    estimator: Any
    classes: list[Any] | None = None
    tolerance: float | None = None
    name: str = "the model's predictions"

    def __call__(self, X: Any) -> Array:
        """Predict X: labels or positions of classes, (n,); or distributions, (n, C)."""
        if isinstance(self.estimator, RandomizedModel):
            return self._predict_distribution(X)
        predictions = check_predictions(get_predict(self.estimator)(X), len(X))
        if self.classes is not None:
            return encode_decisions(predictions, self.classes, self.name)
        if self.tolerance is None and self.predicts_numbers(predictions):
            raise ValueError(f"{describe_scores(self.name, predictions)}{OR_TOLERANCE}")
        return predictions

    def for_columns(self, columns: Mapping[Any, Sequence[Any]]) -> Predictor:
        """Return a predictor of distributions if the model is known to draw its predictions.

        Parameters
        ----------
        columns : values of the sensitive columns of X, by key
        """
        model = find_distribution(self.estimator, columns)
        if model is None:
            return self
        classes = model.classes_ if self.classes is None else self.classes
        return replace(self, estimator=model, classes=classes)

    def loss(self, before: Array, after: Array) -> Array:
        """Return ℓ of pairs of predictions, (k,): 1[f(x) ≠ f(x̃)], or the total variation."""
        if before.ndim == 2:
            return total_variation(before, after)
        if self.classes is not None:
            return np.asarray(before != after)
        return differs(before, after, self.tolerance or 0.0)

    def predicts_numbers(self, *predictions: Array) -> bool:
        """Return whether predictions are quantities, which move up or down, not classes."""
        if self.classes is not None:
            return False
        is_numeric = isinstance(self.estimator, BaseEstimator) and is_regressor(self.estimator)
        return bool(self.tolerance) or is_numeric or any(map(have_fractions, predictions))

    def _predict_distribution(self, X: Any) -> Array:
        found = self.estimator.predict_distribution(X, len(X))
        own = self.estimator.classes_
        classes = own if self.classes is None else self.classes
        # Columns of the classes (no, yes) in a list (maybe, no, yes) are columns 1 and 2.
        place = encode(Factorized(np.arange(len(own)), own), classes, self.name)
        aligned = np.zeros((len(found), len(classes)), found.dtype)
        aligned[:, place] = found
        return aligned


def get_predict(estimator: Any) -> Callable[[Any], Any]:
    """Return the `predict` method of a fitted model, or the callable itself."""
    if isinstance(estimator, type):
        raise TypeError(f"{estimator.__name__} is a class; pass a fitted instance of it.")
    if type(estimator).__name__ == "Booster":
        raise TypeError(
            f"the model is a Booster of {type(estimator).__module__.partition('.')[0]}, which "
            "takes and returns its own kinds of data. Pass the fitted XGBClassifier or "
            "LGBMClassifier (or regressor) that it is from; or a function that returns decisions, "
            "such as lambda X: booster.predict(xgboost.DMatrix(X)) > 0.5."
        )
    function = getattr(estimator, "predict", estimator)
    if not callable(function):
        raise TypeError(
            f"the model is a {type(estimator).__name__}; pass an object with predict(X), or a "
            "function of X that returns predictions."
        )
    return function


def check_predictions(predictions: Any, n_rows: int) -> Array:
    """Return predictions as an array of shape (n_rows,) without missing values."""
    predictions = unbox_floats(np.asarray(predictions))
    if predictions.ndim == 2 and predictions.shape[1] == 1:
        predictions = predictions[:, 0]
    if predictions.shape != (n_rows,):
        raise ValueError(
            f"the model returned predictions of shape {predictions.shape} for {n_rows} rows; "
            "one prediction per row is required."
        )
    missing = int(pd.isna(predictions).sum())
    if missing:
        raise ValueError(f"the model returned {missing} missing predictions for {n_rows} rows.")
    return predictions


def have_fractions(predictions: Array) -> bool:
    """Return whether some predictions are no integers, so that they are no class labels.

    >>> have_fractions(np.array([0.0, 1.0])), have_fractions(np.array([0, 0.5], dtype=object))
    (False, True)
    """
    predictions = unbox_floats(predictions)
    return predictions.dtype.kind == "f" and bool((predictions != np.round(predictions)).any())


OR_TOLERANCE = "; or tolerance=, the size from which a change of the number counts."


def describe_scores(name: str, scores: Array) -> str:
    """Return the message for scores or quantities instead of decisions, without a full stop."""
    some = ", ".join(f"{one:g}" for one in scores[:3])
    return (
        f"{name} are numbers such as {some}, not decisions: almost every score moves a little "
        "when anything is perturbed. Pass a function that returns the "
        "decision, such as lambda X: model.predict(X) > 0.5; or use assess_shift, which measures "
        "how far scores move"
    )


def encode_decisions(predictions: Array, classes: list[Any], name: str) -> Array:
    """Return predictions as positions in `classes`; raise ValueError if they are others."""
    found = factorize(predictions)
    unknown = [label for label in found.values if label not in set(classes)]
    if unknown and have_fractions(predictions):
        raise ValueError(f"{describe_scores(name, predictions)}.")
    if unknown:
        raise ValueError(
            f"{name} are {quote(unknown)}, but the labels are {quote(classes)}. Give y the labels "
            "that the model predicts, of one type and one spelling; or, if these are different "
            "classes, pass all of them as labels."
        )
    return encode_known(found, classes)


def find_classes(y: list[Any], models: Mapping[str, Any], labels: Any = None) -> list[Any]:
    """Return all class labels, sorted: those of y, those that models know, and those given.

    Raise ValueError if a model knows other labels than y, and y others than the model.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> find_classes([0, 1], {"m": DummyClassifier().fit([[0], [0], [0]], [0, 1, 2])})
    [0, 1, 2]
    """
    every = dict.fromkeys([*y, *([] if labels is None else labels)])
    for name, model in models.items():
        known = get_known_labels(model)
        if set(known) - set(every) and set(every) - set(known):
            raise ValueError(
                f"model {name!r} predicts {quote(known)}, but y has {quote(sort_values(y))}. Give "
                "both the same labels, of one type and one spelling; or, if these are different "
                "classes, pass all of them as labels."
            )
    known = [label for model in models.values() for label in get_known_labels(model)]
    return sort_values(dict.fromkeys([*every, *known]))


def get_known_labels(model: Any) -> list[Any]:
    labels = getattr(model, "classes_", ())
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


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


@dataclass(frozen=True, eq=False)
class Changes:
    """Predictions of one model for a chunk of n rows and for their k variants.

    Attributes
    ----------
    plan : PerturbationPlan, with S scenarios
    chunk : PerturbedChunk
    start : position of the chunk's first row among all rows
    y, weights : (n,) labels and weights of the rows, or None
    predictor : Predictor
    before : (n,) f(x); for a randomised model (n, C), its distribution
    after : (k,) f(x̃), or (k, C)
    loss : (k,) ℓ(f, x) of each variant, boolean for predictions that are certain
    known : scenarios whose predictions are known; None for all
    person : (n,) identity of the person whom each row is about, or None
    """

    plan: PerturbationPlan
    chunk: PerturbedChunk
    start: int
    y: Array | None
    weights: Array | None
    predictor: Predictor
    before: Array
    after: Array
    loss: Array
    known: frozenset[int] | None = None
    person: Array | None = None

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

    def get_likeliest(self, rows: Array) -> list[Any]:
        """Return the labels of the predictions for these rows; of distributions, the likeliest."""
        f, classes = self.before[rows], self.predictor.classes or []
        return [classes[code] for code in (f.argmax(axis=1) if self.is_randomized else f)]

    def get_losses_and_gains(self, label: int) -> tuple[Array, Array]:
        """Return the probability that a variant loses a class, and that it gains it, (k,) each."""
        if not self.is_randomized:
            return self.loss & (self.before_of_variants == label), self.loss & (
                self.after == label
            )
        shift = get_shift(self.before_of_variants, self.after)[:, label]
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
        flows = [(a, a, kept[:, a]) for a in range(n_classes)] + iter_flows(before, self.after)
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
    columns = get_domains(plan.attributes)
    predictors = {name: one.for_columns(columns) for name, one in predictors.items()}
    y, weights, people = part.y, part.weights, part.person
    repeated = choose_repeated(part.n_rows)
    checks = {name: RepeatCheck(one, len(repeated)) for name, one in predictors.items()}
    for chunk in chunks:
        rows = chunk.rows
        here = repeated[slice(*np.searchsorted(repeated, [rows.start, rows.stop]))] - rows.start
        person = None if people is None else people[rows]
        about = (
            plan,
            chunk,
            part.start + rows.start,
            None if y is None else y[rows],
            None if weights is None else weights[rows],
        )
        for name, f, after, again in _ask(chunk, predictors, before, here):
            checks[name].add(f[here], again)
            loss = predictors[name].loss(f[chunk.variants.rows], after)
            yield name, Changes(*about, predictors[name], f, after, loss, person=person)


def _ask(
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
        after = f[:0]
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
                f"({self.n_different / self.n_seen:.1%}) when the same rows are predicted twice, "
                "so that a discriminative risk would measure the randomness of the model. Pass "
                "its distribution, RandomizedModel(predict_proba, classes); or fix what is random "
                "in it, so that the prediction of a row depends on this row alone."
            )


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
    y, weights, predictor = part.y, part.weights, Predictor(None, classes)
    people = part.person
    for rows in iter_slices(part.n_rows, CHUNK_ROWS_GIVEN):
        person = None if people is None else people[rows]
        about = (
            part.start + rows.start,
            None if y is None else y[rows],
            None if weights is None else weights[rows],
        )
        x, after = everything.take(rows), [one[rows] for one in perturbed]
        variants, changed = _make_given_variants(x, f[rows], after, list(known), plan)
        chunk = PerturbedChunk(rows, x, variants)
        loss = np.ones(len(changed), dtype=bool)
        yield (
            name,
            Changes(
                plan, chunk, *about, predictor, f[rows], changed, loss, frozenset(known), person
            ),
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
    parts = data.map(task, progress=progress)
    return reduce(_add_models, parts)


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
