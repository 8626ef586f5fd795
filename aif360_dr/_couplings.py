"""Rules for features that follow a protected attribute, in the words of a dataset.

    coupled = {"relationship": {"sex": {0: {"Husband": "Wife"}, 1: {"Wife": "Husband"}}}}

A protected value is the number that AIF360 keeps (0 and 1), or the word for it where the dataset
has `metadata["protected_attribute_maps"]`. A feature is called by its name; one that AIF360 has
one-hot encoded (`relationship=Husband`) by what stands before the equals sign, and its values by
what stands behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dr_core.plugins import Array, Rules, listed

__all__ = ["on_patterns"]


def on_patterns(rules: Rules, dataset: Any, patterns: Mapping[str, Array]) -> Rules:
    """Rules in which protected values are replaced by the patterns that have them.

    Args:
        rules: As the user wrote them.
        dataset: What they are about.
        patterns: The protected value of each pattern, by the name of the attribute.

    Returns:
        Rules for `dr_core`.

    Examples:
        >>> import numpy as np
        >>> from aif360_dr.examples import hiring
        >>> rules = {"years": {"sex": {0: {7.0: 5.0}}}}
        >>> on_patterns(rules, hiring(), {"sex": np.array([0.0, 1.0])})
        {'years': {'sex': {0: {7.0: 5.0}}}}
    """
    protected = [name for name in rules if name in dataset.protected_attribute_names]
    if protected:
        raise ValueError(
            f"coupled names {listed(protected)}, a protected attribute: it cannot follow another."
        )
    return {
        column: {
            driver: dict(_cases(column, driver, cases, dataset, patterns[driver]))
            if driver in patterns and isinstance(cases, Mapping)
            else cases
            for driver, cases in drivers.items()
        }
        if isinstance(drivers, Mapping)
        else drivers
        for column, drivers in rules.items()
    }


def _cases(
    column: str, driver: str, cases: Mapping[Any, Any], dataset: Any, values: Array
) -> Iterator[tuple[int, Any]]:
    """Each pattern with the rules of its protected value."""
    words = _words(dataset, driver)
    for value, moves in cases.items():
        having = [i for i, number in enumerate(values) if number == words.get(value, value)]
        if not having:
            known = [*dict.fromkeys(values.tolist()), *words]
            raise ValueError(
                f"coupled[{column!r}][{driver!r}] has a rule for {value!r}, which is no value of "
                f"protected attribute {driver!r}; it has {listed(known)}."
            )
        yield from ((i, moves) for i in having)


def _words(dataset: Any, name: str) -> dict[Any, float]:
    """Numbers of a protected attribute by the words for them, where the dataset tells these."""
    maps = dataset.metadata.get("protected_attribute_maps") or []
    named = dict(zip(dataset.protected_attribute_names, maps, strict=False))
    return {word: number for number, word in named.get(name, {}).items()}
