"""Who is privileged, read off the group lists of AIF360."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aif360.datasets import StructuredDataset

from dr_core.plugins import is_number, listed

__all__ = ["Groups", "privileged_values"]

Groups = Sequence[Mapping[str, float]]
"""AIF360's way to name groups: dicts joined by OR, their items by AND."""


def privileged_values(
    dataset: StructuredDataset, privileged_groups: Groups | None
) -> dict[str, list[float]]:
    """List the privileged values of each protected attribute that is to be perturbed.

    Args:
        dataset: Any structured dataset.
        privileged_groups: As AIF360 takes them. A value is privileged when any of the groups
            names it. Left out, all protected attributes of the dataset count, with the values it
            declares privileged itself.

    Returns:
        Privileged values by the name of the attribute.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> privileged_values(hiring(), [{"sex": 1, "race": 1}, {"sex": 1, "race": 2}])
        {'sex': [1.0], 'race': [1.0, 2.0]}
    """
    _require_dataset(dataset)
    if not privileged_groups:
        return _declared(dataset)
    _require_groups(privileged_groups)
    values: dict[str, list[float]] = {}
    for name, value in (item for group in privileged_groups for item in group.items()):
        _require_attribute(dataset, name)
        known = values.setdefault(name, [])
        if float(value) not in known:
            known.append(float(value))
    return values


def _require_dataset(dataset: Any) -> None:
    if not isinstance(dataset, StructuredDataset):
        raise TypeError(
            f"dataset is a {type(dataset).__name__}; pass an AIF360 dataset. Frames become one "
            "with dr_adapters.to_aif360."
        )


def _require_groups(groups: Any) -> None:
    """Refuse what is no list of dicts of numbers: one dict alone is an easy mistake."""
    is_list = isinstance(groups, Sequence) and not isinstance(groups, str)
    if not is_list or not all(
        isinstance(group, Mapping) and all(is_number(value) for value in group.values())
        for group in groups
    ):
        raise TypeError(
            "privileged_groups must be a list of dicts of numbers, such as [{'sex': 1}]; it is "
            f"{groups!r}."
        )


def _declared(dataset: Any) -> dict[str, list[float]]:
    pairs = zip(
        dataset.protected_attribute_names, dataset.privileged_protected_attributes, strict=True
    )
    return {name: [float(value) for value in values] for name, values in pairs}


def _require_attribute(dataset: Any, name: str) -> None:
    if name not in dataset.protected_attribute_names:
        raise ValueError(
            f"privileged_groups name {name!r}, which is no protected attribute of the dataset; "
            f"it has {listed(dataset.protected_attribute_names)}."
        )
