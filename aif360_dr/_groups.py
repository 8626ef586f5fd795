"""Read privileged values from AIF360's lists of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aif360.datasets import StructuredDataset

from dr_core.plugins import is_number, quote

__all__ = ["Groups", "get_privileged_values"]

Groups = Sequence[Mapping[str, float]]
"""AIF360's format for groups: dicts are joined by OR, the items of a dict by AND."""


def get_privileged_values(
    dataset: StructuredDataset, privileged_groups: Groups | None
) -> dict[str, list[float]]:
    """Return the privileged values of each protected attribute to perturb.

    Args:
        dataset: Any structured dataset.
        privileged_groups: Groups in AIF360's format. A value is privileged if any group contains
            it. By default, all protected attributes of the dataset are returned, with the values
            in `privileged_protected_attributes`.

    Returns:
        Privileged values by the name of the attribute.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> get_privileged_values(hiring(), [{"sex": 1, "race": 1}, {"sex": 1, "race": 2}])
        {'sex': [1.0], 'race': [1.0, 2.0]}
    """
    _check_dataset_type(dataset)
    if not privileged_groups:
        return _get_declared_values(dataset)
    _check_groups(privileged_groups)
    values: dict[str, list[float]] = {}
    for name, value in (item for group in privileged_groups for item in group.items()):
        _check_is_protected(dataset, name)
        known = values.setdefault(name, [])
        if float(value) not in known:
            known.append(float(value))
    return values


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


def _check_is_protected(dataset: Any, name: str) -> None:
    if name not in dataset.protected_attribute_names:
        raise ValueError(
            f"privileged_groups names {name!r}, which is not a protected attribute of the "
            f"dataset; it has {quote(dataset.protected_attribute_names)}."
        )
