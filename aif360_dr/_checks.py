"""Checks of datasets and labels that AIF360 does not make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from aif360.datasets import StructuredDataset

from aif360_dr._carriers import check_carried_by, find_columns
from dr_core.plugins import (
    Array,
    check_numbers,
    choose_repeated,
    format_count,
    have_fractions,
    joint_positions,
    quote,
)

__all__ = [
    "check_ignores_labels",
    "check_instance_weights",
    "check_labels",
    "check_lengths",
    "check_perturbed",
    "get_label_values",
]

WHAT = "perturbed_classified_dataset"
"""How messages call the dataset with predictions for perturbed rows."""


def get_label_values(dataset: StructuredDataset) -> tuple[Array, Array]:
    """Return the favorable and the unfavorable labels of a binary or multiclass dataset.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> get_label_values(hiring())
        (array([1.]), array([0.]))
    """
    both = dataset.favorable_label, dataset.unfavorable_label
    favorable, unfavorable = (np.atleast_1d(np.asarray(label, dtype=float)) for label in both)
    return favorable, unfavorable


def check_labels(labels: Array, dataset: StructuredDataset, what: str) -> None:
    """Raise ValueError if a label is neither favorable nor unfavorable.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> check_labels(np.array([0.0, 0.7]), hiring(), "the model")
        Traceback (most recent call last):
        ValueError: the model has labels 0.7, which are scores; the labels of the dataset are \
        1.0, 0.0. Threshold the scores first, such as scores > 0.5.
    """
    known = np.concatenate(get_label_values(dataset))
    unknown = np.setdiff1d(labels, known)
    if not len(unknown):
        return
    found, expected = quote(unknown.tolist()), quote(known.tolist())
    if have_fractions(unknown[~np.isnan(unknown)]):
        raise ValueError(
            f"{what} has labels {found}, which are scores; the labels of the dataset are "
            f"{expected}. Threshold the scores first, such as scores > 0.5."
        )
    raise ValueError(
        f"{what} has labels {found}, but the dataset has the labels {expected}. Fit the model on "
        "dataset.labels, or replace its labels with these."
    )


def check_lengths(dataset: Any, other: Any, what: str) -> None:
    """Raise ValueError if two datasets differ in length, or one lacks a label for each row.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> check_lengths(hiring(), hiring().subset([0, 1]), "the other one")
        Traceback (most recent call last):
        ValueError: dataset has 8 rows, but the other one has 2.
    """
    n = len(dataset.features)
    if len(other.features) != n:
        raise ValueError(
            f"dataset has {format_count(n, 'row')}, but {what} has {len(other.features)}."
        )
    if not n:
        raise ValueError("dataset has no rows; pass at least one.")
    for each, name in ((dataset, "dataset"), (other, what)):
        if np.size(each.labels) != n:
            raise ValueError(
                f"{name}.labels must have shape ({n}, 1), one label per row; got "
                f"{np.shape(each.labels)}."
            )


def check_instance_weights(dataset: StructuredDataset) -> None:
    """Raise ValueError unless weights are finite, not negative, and not all 0.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> dataset = hiring()
        >>> dataset.instance_weights[0] = -1
        >>> check_instance_weights(dataset)
        Traceback (most recent call last):
        ValueError: dataset.instance_weights must be finite and not negative; got -1.0 in 1 of 8 \
        rows.
    """
    n_rows = len(dataset.features)
    weights = check_numbers(
        "dataset.instance_weights",
        dataset.instance_weights,
        n_rows,
        of="dataset",
        allow_missing=True,
    )
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        raise ValueError(
            f"dataset.instance_weights must be finite and not negative; got {weights[wrong][0]} "
            f"in {wrong.sum()} of {format_count(len(weights), 'row')}."
        )
    if not weights.any():
        raise ValueError(
            "dataset.instance_weights are all 0; at least one must be above 0. Pass 1 for every "
            "row, if rows are not weighted."
        )


def check_perturbed(
    dataset: Any,
    classified: Any,
    perturbed: Any,
    carried_by: Mapping[str, Sequence[str]] | None,
    followers: Sequence[str] = (),
    perturb: Sequence[str] | None = None,
) -> None:
    """Raise ValueError unless a dataset has the predictions for perturbed rows.

    Protected attributes must differ, together with the features that carry them. Features that
    follow the attributes may differ, and nothing else but labels and scores. Labels must not be
    the true ones.

    Examples:
        >>> from aif360_dr import perturb_dataset
        >>> from aif360_dr.examples import hiring
        >>> check_perturbed(hiring(), hiring(), perturb_dataset(hiring(), seed=0), None)
        >>> check_perturbed(hiring(), hiring(), hiring(), None)
        Traceback (most recent call last):
        ValueError: perturbed_classified_dataset has the protected attributes of \
        classified_dataset: no row is perturbed. Create it with perturb_dataset, and predict it.
    """
    check_lengths(classified, perturbed, WHAT)
    names = ["feature_names", "protected_attribute_names", "instance_names"]
    differing = [name for name in names if getattr(classified, name) != getattr(perturbed, name)]
    if not np.array_equal(classified.instance_weights, perturbed.instance_weights):
        differing.append("instance_weights")
    if differing:
        raise ValueError(
            f"{WHAT} must have the same {differing[0]} as classified_dataset; create it with "
            "perturb_dataset."
        )
    check_carried_by(classified, carried_by)
    _check_other_features(classified, perturbed, carried_by, followers)
    _check_attributes_differ(classified, perturbed, perturb)
    for position, name in enumerate(classified.protected_attribute_names):
        columns = find_columns(classified, name, carried_by)
        _check_features_agree(classified, perturbed, name, position, columns)
    _check_predicted(dataset, classified, perturbed)


def _check_attributes_differ(
    classified: Any, perturbed: Any, perturb: Sequence[str] | None
) -> None:
    changed = (classified.protected_attributes != perturbed.protected_attributes).any(axis=0)
    names = [
        name
        for name, differs in zip(classified.protected_attribute_names, changed, strict=True)
        if differs
    ]
    if not names:
        raise ValueError(
            f"{WHAT} has the protected attributes of classified_dataset: no row is perturbed. "
            "Create it with perturb_dataset, and predict it."
        )
    if perturb is not None and set(names) != set(perturb):
        raise ValueError(
            f"{WHAT} differs in protected attributes {quote(names)}, but perturb is "
            f"{quote(perturb)}; create it with perturb_dataset(..., perturb=[...])."
        )


def _check_features_agree(
    classified: Any, perturbed: Any, name: str, position: int, columns: list[int]
) -> None:
    """Raise ValueError if features of perturbed rows are those of another protected value."""
    if not columns:
        return
    n = len(classified.features)
    protected, features = (
        np.concatenate([getattr(each, field)[:, which] for each in (classified, perturbed)])
        for field, which in (("protected_attributes", [position]), ("features", columns))
    )
    # Features and pairs (protected value, features) are numbered. Perturbed rows contradict the
    # data if their features are known, but their pair is not:
    # pairs (0, 0), (1, 1) | perturbed (1, 0), whose feature 0 is known with the value 0 only
    alone = joint_positions(features.T)
    pairs = joint_positions(np.column_stack([protected, features]).T)
    known = np.isin(alone[n:], alone[:n]) & ~np.isin(pairs[n:], pairs[:n])
    wrong = np.flatnonzero(known & ~np.isnan(features[n:]).any(axis=1))
    if len(wrong):
        value = perturbed.protected_attributes[wrong[0], position]
        carriers = [classified.feature_names[i] for i in columns]
        raise ValueError(
            f"{WHAT} has {format_count(len(wrong), 'row')} whose protected attribute {name!r} and "
            f"feature {quote(carriers)} do not agree, such as {name} = {value:g} with "
            f"{perturbed.features[wrong[0], columns].tolist()}: both must be perturbed. Create "
            "it with perturb_dataset."
        )


def _check_predicted(dataset: Any, classified: Any, perturbed: Any) -> None:
    """Raise ValueError if perturbed rows have the true labels, where the others have not."""

    def has_truth(some: Any) -> bool:
        return all(
            np.array_equal(np.ravel(getattr(some, field)), np.ravel(getattr(dataset, field)))
            for field in ("labels", "scores")
        )

    if has_truth(perturbed) and not np.array_equal(
        np.ravel(classified.labels), np.ravel(dataset.labels)
    ):
        raise ValueError(
            f"{WHAT} has the true labels of every row, and not predicted ones. Predict it: "
            f"{WHAT}=model.predict(perturb_dataset(dataset, ...))."
        )


def check_ignores_labels(predict: Callable[[Any], Array], dataset: StructuredDataset) -> None:
    """Raise ValueError if predictions depend on the labels or scores that a dataset has.

    Args:
        predict: Function of a dataset.
        dataset: Dataset, of which a few rows are predicted with other labels and scores.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> check_ignores_labels(lambda dataset: dataset.features[:, 0], hiring())
        >>> check_ignores_labels(lambda dataset: dataset.labels, hiring())
        Traceback (most recent call last):
        ValueError: predictions change with dataset.labels or dataset.scores, which the model \
        reads as predictions of another one. Pass both models, \
        aif360_dr.Chain(model, postprocessor).
    """
    some = dataset.subset(choose_repeated(len(dataset.features)))
    other = dataset.subset(choose_repeated(len(dataset.features)))
    favorable, unfavorable = (labels[0] for labels in get_label_values(dataset))
    other.labels = np.where(some.labels == favorable, unfavorable, favorable)
    other.scores = 1 - some.scores
    first, swapped = predict(some), predict(other)
    # A model that draws its labels differs too, but from one time to another; see dr_core.
    if not np.array_equal(first, swapped) and np.array_equal(first, predict(some)):
        raise ValueError(
            "predictions change with dataset.labels or dataset.scores, which the model reads as "
            "predictions of another one. Pass both models, aif360_dr.Chain(model, postprocessor)."
        )


def _check_other_features(
    classified: Any,
    perturbed: Any,
    carried_by: Mapping[str, Sequence[str]] | None,
    followers: Sequence[str],
) -> None:
    names = classified.protected_attribute_names
    may_differ = {i for name in names for i in find_columns(classified, name, carried_by)}
    differing = [
        column
        for i, column in enumerate(classified.feature_names)
        if i not in may_differ
        and column not in followers
        and not np.array_equal(classified.features[:, i], perturbed.features[:, i], equal_nan=True)
    ]
    if differing:
        raise ValueError(
            f"perturbed_classified_dataset differs in {quote(differing)}; only protected "
            f"attributes ({quote(names)}) and features that carry them may differ. If these "
            'features carry an attribute, pass carried_by={"attribute": ["feature", ...]}; if '
            "they follow one, pass coupled={...}."
        )
