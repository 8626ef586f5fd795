"""Read privileged values from AIF360's lists of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from aif360.datasets import StructuredDataset

from dr_core.plugins import is_number, quote

__all__ = ["Groups", "get_privileged_values"]

Groups = Sequence[Mapping[str, float]]
"""AIF360's format for groups: dicts are joined by OR, the items of a dict by AND."""


def get_privileged_values(
    dataset: StructuredDataset,
    privileged_groups: Groups | None,
    perturb: Sequence[str] | None = None,
) -> dict[str, list[float]]:
    """Return the privileged values of each protected attribute to perturb.

    Args:
        dataset: Any structured dataset.
        privileged_groups: Groups in AIF360's format. The privileged values of an attribute are
            those in the groups. If every value of an attribute is in a group, and one of these
            groups names other attributes too, as in "all but black women", the attribute has the
            values in `dataset.privileged_protected_attributes` instead.
        perturb: Names of the attributes. The default is those that the groups name; without
            groups, all protected attributes of the dataset. Attributes that no group names have
            the values in `privileged_protected_attributes`.

    Returns:
        Privileged values by the name of the attribute.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> get_privileged_values(hiring(), [{"sex": 1, "race": 1}, {"sex": 1, "race": 2}])
        {'sex': [1.0], 'race': [1.0, 2.0]}
        >>> get_privileged_values(hiring(), [{"sex": 1}], perturb=["race"])
        {'race': [1.0]}
        >>> get_privileged_values(hiring(), [{"sex": 1, "race": 0}, {"sex": 0, "race": 1}])
        {'sex': [1.0], 'race': [0.0, 1.0]}
    """
    _check_dataset_type(dataset)
    groups = privileged_groups or []
    _check_groups(groups)
    declared, named = _get_declared_values(dataset), _collect_values(dataset, groups)
    names = list(named or declared) if perturb is None else _check_names(perturb, declared)
    return {
        name: named[name]
        if name in named and not _is_shared(dataset, name, groups)
        # a copy, as the dataset may hold the list itself
        else list(declared[name])
        for name in names
    }


def _collect_values(dataset: Any, groups: Groups) -> dict[str, list[float]]:
    """Return all values of each attribute that the groups name."""
    values: dict[str, list[float]] = {}
    for name, value in (item for group in groups for item in group.items()):
        _check_is_protected(dataset, name)
        known = values.setdefault(name, [])
        if float(value) not in known:
            known.append(float(value))
    return values


def _is_shared(dataset: Any, name: str, groups: Groups) -> bool:
    """Return whether every value of an attribute is in some group together with others.

    Who is privileged then depends on several attributes at once, and no value of this one
    is privileged in itself.
    """
    naming = [group for group in groups if name in group]
    j = dataset.protected_attribute_names.index(name)
    known = {
        float(value)
        for values in (
            dataset.protected_attributes[:, j],
            dataset.privileged_protected_attributes[j],
            dataset.unprivileged_protected_attributes[j],
        )
        for value in np.unique(values)
    }
    return any(len(group) > 1 for group in naming) and known <= {
        float(group[name]) for group in naming
    }


def _get_declared_values(dataset: Any) -> dict[str, list[float]]:
    pairs = zip(
        dataset.protected_attribute_names, dataset.privileged_protected_attributes, strict=True
    )
    return {name: [float(value) for value in values] for name, values in pairs}


def _check_dataset_type(dataset: Any) -> None:
    if not isinstance(dataset, StructuredDataset):
        raise TypeError(
            f"dataset is a {type(dataset).__name__}; pass an AIF360 dataset. Convert a DataFrame "
            "with dr_adapters.to_aif360."
        )


def _check_groups(groups: Any) -> None:
    """Raise TypeError unless groups is a list of dicts of numbers; a single dict is not."""
    is_list = isinstance(groups, Sequence) and not isinstance(groups, str)
    if not is_list or not all(
        isinstance(group, Mapping) and all(is_number(value) for value in group.values())
        for group in groups
    ):
        raise TypeError(
            "privileged_groups must be a list of dicts of numbers, such as [{'sex': 1}]; got "
            f"{groups!r}."
        )


def _check_names(perturb: Any, known: Mapping[str, Any]) -> list[str]:
    if isinstance(perturb, str) or not isinstance(perturb, Sequence) or not len(perturb):
        raise TypeError(
            f"perturb must be a list of protected attributes, such as ['sex']; got {perturb!r}."
        )
    unknown = [name for name in perturb if name not in known]
    if unknown:
        raise ValueError(
            f"perturb names {quote(unknown)}, which is not a protected attribute of the dataset; "
            f"it has {quote(list(known))}."
        )
    return list(dict.fromkeys(perturb))


def _check_is_protected(dataset: Any, name: str) -> None:
    if name not in dataset.protected_attribute_names:
        raise ValueError(
            f"privileged_groups names {name!r}, which is not a protected attribute of the "
            f"dataset; it has {quote(dataset.protected_attribute_names)}."
        )
