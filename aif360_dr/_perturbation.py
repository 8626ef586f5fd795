"""Perturb the protected attributes of a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from aif360.datasets import StructuredDataset

from aif360_dr._carriers import find_carriers
from aif360_dr._groups import Groups
from dr_core import perturb as perturb_frame
from dr_core.plugins import Rules

__all__ = ["perturb_dataset"]


def perturb_dataset(
    dataset: StructuredDataset,
    privileged_groups: Groups | None = None,
    *,
    p: float = 1.0,
    seed: Any = None,
    perturb: Sequence[str] | None = None,
    carried_by: Mapping[str, Sequence[str]] | None = None,
    domain: StructuredDataset | None = None,
    coupled: Rules | None = None,
) -> StructuredDataset:
    """Perturb the protected attributes of each row once, at random.

    A privileged value is replaced with one of the unprivileged values, and an unprivileged value
    with one of the privileged values. Both `protected_attributes` and the features that carry the
    attribute change. These are the feature of the same name, scaled or not, and features named
    `attribute=value`.

    Args:
        dataset: Dataset to perturb. It is not modified.
        privileged_groups: Groups in AIF360's format; the attributes they name are perturbed. The
            privileged values of an attribute are those in the groups. In
            `[{"sex": 1, "race": 0}, {"sex": 0, "race": 1}]`, both values of both attributes are
            in a group; such an attribute has the privileged values in
            `dataset.privileged_protected_attributes` instead. By default, all protected
            attributes are perturbed, with these values.
        p: Probability of perturbing each attribute of each row.
        seed: Seed of the random draws. NumPy's global state is not changed. Attributes with two
            values need no seed.
        perturb: Names of the attributes to perturb, if they are not those that the groups name.
        carried_by: Features that carry an attribute under another name, such as
            `{"race-num": ["race_White", "race_Black"]}`.
        domain: Dataset to learn the values of the attributes from. Pass it if `dataset` is a
            subset that may lack some values.
        coupled: Features that follow an attribute when it changes, such as `{"relationship":
            {"sex": {0: {"Husband": "Wife"}, 1: {"Wife": "Husband"}}}}`. A protected value is the
            number in the dataset, or its name in `metadata["protected_attribute_maps"]`. The
            one-hot encoded feature `relationship=Husband` is the value `Husband` of
            `relationship`.

    Returns:
        A new dataset that shares no array with `dataset`. Its metadata record the transformation
        and the original dataset.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> dataset = hiring()
        >>> perturbed = perturb_dataset(dataset, [{"sex": 1}])
        >>> dataset.features[0].tolist(), perturbed.features[0].tolist()
        ([0.0, 0.0, 1.0], [1.0, 0.0, 1.0])
        >>> perturbed.protected_attributes[0].tolist()
        [1.0, 0.0]

        Years of experience follow sex:

        >>> rules = {"years": {"sex": {1: {1: 3}}}}
        >>> perturb_dataset(dataset, [{"sex": 1}], coupled=rules).features[0].tolist()
        [1.0, 0.0, 3.0]
    """
    carriers = find_carriers(
        dataset if domain is None else domain,
        privileged_groups,
        perturb=perturb,
        carried_by=carried_by,
        coupled=coupled,
    )
    drawn = perturb_frame(carriers.frame(dataset), carriers.attributes, p=p, random_state=seed)
    perturbed = _copy_dataset(dataset)
    carriers.write(perturbed, drawn)
    perturbed.metadata.update(
        transformer="perturb_dataset",
        params=deepcopy(
            {
                "privileged_groups": privileged_groups,
                "p": p,
                "seed": seed if isinstance(seed, int) else None,
                "perturb": perturb,
                "carried_by": carried_by,
                "coupled": coupled,
            }
        ),
        previous=[dataset],
    )
    return perturbed


def _copy_dataset(dataset: Any) -> Any:
    """Deep-copy all fields except the metadata, whose history may hold many datasets."""
    copied = dataset.copy()
    for name, value in list(vars(copied).items()):
        if name != "metadata":
            setattr(copied, name, deepcopy(value))
    return copied
