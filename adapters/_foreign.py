"""Datasets that `to_aif360` did not create: words are restored from AIF360's own metadata.

`label_maps` and `protected_attribute_maps` have the words of labels and protected attributes.
`StandardDataset` names one-hot features `column=value`. Whatever these do not explain is returned
as numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import Array

from ._fairlearn_data import FairlearnData

__all__ = ["convert_foreign", "get_scores"]

SEPARATOR = "="
"""Sign between the column and the value in the names of one-hot features."""


def convert_foreign(dataset: Any) -> FairlearnData:
    """Return a dataset that `to_aif360` did not create, in frames.

    Examples
    --------
    >>> from aif360.datasets import BinaryLabelDataset
    >>> frame = pd.DataFrame(
    ...     {"sex": [0, 1], "job=clerk": [1, 0], "job=nurse": [0, 1], "y": [1, 2]})
    >>> dataset = BinaryLabelDataset(
    ...     df=frame, label_names=["y"], protected_attribute_names=["sex"], favorable_label=1,
    ...     unfavorable_label=2, metadata={"protected_attribute_maps": [{0: "f", 1: "m"}]})
    >>> data = convert_foreign(dataset)
    >>> data.X
      sex    job
    0   f  clerk
    1   m  nurse
    >>> data.favorable_label, data.privileged
    (1.0, {'sex': ['m']})
    """
    index = pd.Index(dataset.instance_names)
    names = dataset.protected_attribute_names
    maps = [_find_map(dataset, "protected_attribute_maps", i) for i in range(len(names))]
    labels = _find_map(dataset, "label_maps", 0)
    sensitive = {
        name: _translate(numbers, words)
        for name, numbers, words in zip(names, dataset.protected_attributes.T, maps, strict=True)
    }
    values = zip(names, dataset.privileged_protected_attributes, maps, strict=True)
    scores = get_scores(dataset)
    return FairlearnData(
        X=_restore_features(dataset, sensitive).set_axis(index),
        y=pd.Series(
            _translate(dataset.labels.ravel(), labels), index=index, name=dataset.label_names[0]
        ),
        sensitive_features=pd.DataFrame(sensitive).set_axis(index),
        sample_weight=pd.Series(dataset.instance_weights, index=index, name="sample_weight"),
        privileged={name: _translate(np.ravel(v), words).tolist() for name, v, words in values},
        scores=None if scores is None else pd.Series(scores, index=index, name="scores"),
        favorable_label=_translate(np.array([dataset.favorable_label]), labels).tolist()[0],
    )


def get_scores(dataset: Any) -> Array | None:
    """Return the scores of a dataset; None if they only repeat the labels.

    Examples
    --------
    >>> from aif360_dr.examples import hiring
    >>> get_scores(hiring()) is None
    True
    """
    scores = np.ravel(dataset.scores)
    repeats = np.ravel(dataset.labels) == dataset.favorable_label
    return None if np.array_equal(scores, repeats) else scores


def _find_map(dataset: Any, key: str, position: int) -> Mapping[float, Any]:
    """Return the words of a label or a protected attribute, by number; empty if not known."""
    maps = dataset.metadata.get(key) or ()
    words = maps[position] if position < len(maps) else {}
    is_unique = len(set(words.values())) == len(words)
    return {float(number): word for number, word in words.items()} if is_unique else {}


def _translate(numbers: Array, words: Mapping[float, Any]) -> Array:
    """Return the words of numbers, or the same array if one of them has no word."""
    numbers = np.asarray(numbers, dtype=float)
    distinct, codes = np.unique(numbers, return_inverse=True)
    if not words or any(number not in words for number in distinct):
        return numbers
    return np.array([words[number] for number in distinct], dtype=object)[codes]


def _restore_features(dataset: Any, sensitive: Mapping[str, Any]) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    groups = _find_one_hot(dataset)
    names = dataset.protected_attribute_names
    for name, numbers in zip(dataset.feature_names, dataset.features.T, strict=True):
        column = groups.get(name, (name, None))
        if column[1] is not None:
            columns.setdefault(*column)
            continue
        # The words are known only while the feature is the protected attribute itself.
        is_protected = name in names and np.array_equal(
            numbers, dataset.protected_attributes[:, names.index(name)]
        )
        columns[name] = sensitive[name] if is_protected else numbers.copy()
    return pd.DataFrame(columns)


def _find_one_hot(dataset: Any) -> dict[str, tuple[str, Array]]:
    """Return column and words for each feature that is one of several one-hot features."""
    members: dict[str, list[int]] = {}
    for i, name in enumerate(dataset.feature_names):
        column, sign, _ = name.partition(SEPARATOR)
        if sign and column not in dataset.feature_names:
            members.setdefault(column, []).append(i)
    found: dict[str, tuple[str, Array]] = {}
    for column, positions in members.items():
        block = dataset.features[:, positions]
        is_one_hot = np.isin(block, (0, 1)).all() and (block.sum(axis=1) == 1).all()
        if len(positions) < 2 or not is_one_hot:
            continue
        names = [dataset.feature_names[i] for i in positions]
        values = np.array([name.partition(SEPARATOR)[2] for name in names], dtype=object)
        found |= dict.fromkeys(names, (column, values[block.argmax(axis=1)]))
    return found
