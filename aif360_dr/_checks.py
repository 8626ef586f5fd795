"""Checks of datasets and labels that AIF360 does not make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from aif360.datasets import StructuredDataset

from aif360_dr._carriers import find_columns
from dr_core.plugins import Array, quote

__all__ = ["check_labels", "check_lengths", "check_perturbed", "get_label_values"]


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
        >>> check_labels(np.array([0.0, 7.0]), hiring(), "the model")
        Traceback (most recent call last):
        ValueError: the model has labels 7.0, but the dataset has the labels 1.0, 0.0.
    """
    known = np.concatenate(get_label_values(dataset))
    unknown = np.setdiff1d(labels, known)
    if len(unknown):
        raise ValueError(
            f"{what} has labels {quote(unknown.tolist())}, but the dataset has the labels "
            f"{quote(known.tolist())}."
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
        raise ValueError(f"dataset has {n} rows, but {what} has {len(other.features)}.")
    for each, name in ((dataset, "dataset"), (other, what)):
        if np.size(each.labels) != n:
            raise ValueError(
                f"{name}.labels must have shape ({n}, 1), one label per row; got "
                f"{np.shape(each.labels)}."
            )


def check_perturbed(
    classified: Any,
    perturbed: Any,
    carried_by: Mapping[str, Sequence[str]] | None,
    followers: Sequence[str] = (),
) -> None:
    """Raise ValueError if datasets differ in more than protected attributes and labels.

    Features that carry or follow the attributes may differ too.

    Examples:
        >>> from aif360_dr import perturb_dataset
        >>> from aif360_dr.examples import hiring
        >>> check_perturbed(hiring(), perturb_dataset(hiring(), seed=0), None)
    """
    what = "perturbed_classified_dataset"
    check_lengths(classified, perturbed, what)
    names = ["feature_names", "protected_attribute_names", "instance_names"]
    differing = [name for name in names if getattr(classified, name) != getattr(perturbed, name)]
    if not np.array_equal(classified.instance_weights, perturbed.instance_weights):
        differing.append("instance_weights")
    if differing:
        raise ValueError(
            f"{what} must have the same {differing[0]} as classified_dataset; create it with "
            "perturb_dataset."
        )
    _check_other_features(classified, perturbed, carried_by, followers)


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
