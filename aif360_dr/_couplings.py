"""Rules for features that follow a protected attribute, written in a dataset's own values.

    coupled = {"relationship": {"sex": {0: {"Husband": "Wife"}, 1: {"Wife": "Husband"}}}}

A protected value is the number in the dataset (0 and 1), or its name where the dataset has
`metadata["protected_attribute_maps"]`. A feature is given by its name. For a feature that AIF360
has one-hot encoded, `relationship=Husband` is the value `Husband` of `relationship`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from dr_core.plugins import Rules, quote

__all__ = ["translate_rules"]


def translate_rules(
    rules: Rules, dataset: Any, patterns: Mapping[str, Mapping[Any, float]]
) -> Rules:
    """Replace each protected value in the rules with the labels of its patterns.

    Args:
        rules: Rules in the dataset's values.
        dataset: Dataset that the rules refer to.
        patterns: The protected value of each pattern by its label, by the name of the attribute.

    Returns:
        Rules for `dr_core`.

    Examples:
        >>> from aif360_dr.examples import hiring
        >>> rules = {"years": {"sex": {1.0: {7.0: 5.0}}}}

        The value 1.0 has two patterns here:

        >>> translate_rules(rules, hiring(), {"sex": {"a": 1.0, "b": 0.0, "c": 1.0}})
        {'years': {'sex': {'a': {7.0: 5.0}, 'c': {7.0: 5.0}}}}
    """
    protected = [name for name in rules if name in dataset.protected_attribute_names]
    if protected:
        raise ValueError(
            f"coupled names {quote(protected)}, a protected attribute, which cannot follow "
            "another; remove its rule."
        )
    # Entries of a wrong type, or for unknown attributes, are passed on: dr_core reports them.
    return {
        column: {
            driver: _translate_cases(column, driver, cases, dataset, patterns[driver])
            if driver in patterns
            else cases
            for driver, cases in drivers.items()
        }
        if isinstance(drivers, Mapping)
        else drivers
        for column, drivers in rules.items()
    }


def _translate_cases(
    column: str, driver: str, cases: Any, dataset: Any, values: Mapping[Any, float]
) -> Any:
    if callable(cases):
        return partial(_call_with_value, cases, dict(values))
    if not isinstance(cases, Mapping):
        return cases
    return dict(_iter_cases(column, driver, cases, dataset, values))


def _call_with_value(
    function: Callable[[Any, Any], Any], values: Mapping[Any, float], label: Any, own: Any
) -> Any:
    """Call the function of a rule with the protected value of a pattern, not with its label."""
    return function(values[label], own)


def _iter_cases(
    column: str, driver: str, cases: Mapping[Any, Any], dataset: Any, values: Mapping[Any, float]
) -> Iterator[tuple[Any, Any]]:
    """Yield the label of each pattern with the rules for its protected value."""
    numbers = _get_numbers_by_name(dataset, driver)
    for value, moves in cases.items():
        labels = [each for each, number in values.items() if number == numbers.get(value, value)]
        if not labels:
            known = [*dict.fromkeys(values.values()), *numbers]
            raise ValueError(
                f"coupled[{column!r}][{driver!r}] has a rule for {value!r}, which is not a value "
                f"of protected attribute {driver!r}; it has {quote(known)}."
            )
        yield from ((each, moves) for each in labels)


def _get_numbers_by_name(dataset: Any, attribute: str) -> dict[Any, float]:
    """Return the numbers of a protected attribute by their names in the metadata, if any."""
    maps = dataset.metadata.get("protected_attribute_maps") or []
    by_attribute = dict(zip(dataset.protected_attribute_names, maps, strict=False))
    return {name: number for number, name in by_attribute.get(attribute, {}).items()}
