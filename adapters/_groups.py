"""Groups as AIF360's algorithms and metrics take them."""

from __future__ import annotations

from itertools import product
from typing import Any

from dr_core.plugins import listed

from ._optional import require_dataset

__all__ = ["groups"]

Groups = list[dict[str, float]]


def groups(dataset: Any, attribute: str | None = None) -> tuple[Groups, Groups]:
    """Unprivileged and privileged groups of a dataset.

    A row is privileged when it is so in every protected attribute, and unprivileged otherwise.

    Parameters
    ----------
    dataset : aif360.datasets.StructuredDataset
    attribute : str, optional
        Tell groups by this attribute alone.

    Returns
    -------
    unprivileged_groups, privileged_groups : lists of dicts

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_adapters import to_aif360
    >>> X = pd.DataFrame({"sex": ["f", "m", "f", "m"], "race": ["x", "y", "z", "x"]})
    >>> dataset = to_aif360(X, [0, 1, 1, 0], privileged={"sex": "m", "race": "x"})
    >>> groups(dataset, "sex")
    ([{'sex': 0.0}], [{'sex': 1.0}])
    >>> unprivileged, privileged = groups(dataset)
    >>> unprivileged
    [{'sex': 0.0}, {'race': 1.0}, {'race': 2.0}]
    >>> privileged
    [{'sex': 1.0, 'race': 0.0}]
    """
    require_dataset(dataset)
    names = _names(dataset, attribute)
    of_name = dataset.protected_attribute_names.index
    marginalised = {n: dataset.unprivileged_protected_attributes[of_name(n)] for n in names}
    privileged = {n: dataset.privileged_protected_attributes[of_name(n)] for n in names}
    return (
        [{name: float(value)} for name, values in marginalised.items() for value in values],
        [
            {name: float(value) for name, value in zip(names, values, strict=True)}
            for values in product(*privileged.values())
        ],
    )


def _names(dataset: Any, attribute: str | None) -> list[str]:
    names: list[str] = dataset.protected_attribute_names
    if attribute is None:
        return names
    if attribute not in names:
        raise ValueError(f"{attribute!r} is not a protected attribute; there are {listed(names)}.")
    return [attribute]
