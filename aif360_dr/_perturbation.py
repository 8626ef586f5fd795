"""A dataset whose rows have other protected attributes, and are the same otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from aif360.datasets import StructuredDataset

from aif360_dr._carriers import find_carriers
from aif360_dr._groups import Groups
from dr_core import perturb
from dr_core.plugins import Rules

__all__ = ["perturb_dataset"]


def perturb_dataset(
    dataset: StructuredDataset,
    privileged_groups: Groups | None = None,
    *,
    p: float = 1.0,
    seed: Any = None,
    carried_by: Mapping[str, Sequence[str]] | None = None,
    domain: StructuredDataset | None = None,
    coupled: Rules | None = None,
) -> StructuredDataset:
    """Perturb the protected attributes of each row once, at random.

    A privileged value becomes one of the unprivileged values, an unprivileged value one of the
    privileged ones, in `protected_attributes` and in the features that carry the attribute: the
    feature of the same name, scaled or not, and features called `attribute=value`.

    Args:
        dataset: Never modified.
        privileged_groups: As for AIF360's algorithms; the attributes they name are perturbed.
            Left out, every protected attribute is, with the dataset's own privileged values.
        p: Probability with which each attribute of each row is perturbed.
        seed: Where draws come from; NumPy's global state is left alone. Attributes with two
            values need none.
        carried_by: Features that carry an attribute under another name, such as
            `{"race-num": ["race_White", "race_Black"]}`.
        domain: Dataset to learn the values of the attributes from, when this one is a part of it
            that may lack some.
        coupled: Features that follow an attribute when it changes, such as `{"relationship":
            {"sex": {0: {"Husband": "Wife"}, 1: {"Wife": "Husband"}}}}`. A one-hot encoded feature
            is named as here, `relationship=Husband` stays as it is in the dataset. See
            `aif360_dr.couplings`.

    Returns:
        An independent dataset; its metadata remember where it comes from.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> dataset = hiring()
        >>> perturbed = perturb_dataset(dataset, [{"sex": 1}])
        >>> dataset.features[0].tolist(), perturbed.features[0].tolist()
        ([0.0, 0.0, 1.0], [1.0, 0.0, 1.0])
        >>> perturbed.protected_attributes[0].tolist()
        [1.0, 0.0]

        Years of experience that follow:

        >>> rules = {"years": {"sex": {1: {1: 3}}}}
        >>> perturb_dataset(dataset, [{"sex": 1}], coupled=rules).features[0].tolist()
        [1.0, 0.0, 3.0]
    """
    learned_from = dataset if domain is None else domain
    carriers = find_carriers(
        learned_from, privileged_groups, carried_by=carried_by, coupled=coupled
    )
    drawn = perturb(carriers.frame(dataset), carriers.attributes, p=p, random_state=seed)
    perturbed = _independent_copy(dataset)
    carriers.write(perturbed, drawn)
    perturbed.metadata.update(
        transformer="perturb_dataset",
        params={"privileged_groups": deepcopy(privileged_groups), "p": p}
        | ({"coupled": deepcopy(coupled)} if coupled else {}),
        previous=[dataset],
    )
    return perturbed


def _independent_copy(dataset: Any) -> Any:
    """Copy all fields, but not the history in the metadata: it can hold many datasets."""
    copied = dataset.copy()
    for name, value in list(vars(copied).items()):
        if name != "metadata":
            setattr(copied, name, deepcopy(value))
    return copied
