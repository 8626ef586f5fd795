"""Groups of rows, combinations of sensitive values: their names, and which are privileged."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from dr_core._utils import shorten_float
from dr_core.perturbation import (
    MISSING_LABEL,
    NEITHER,
    PRIVILEGED,
    PerturbationPlan,
    Scenario,
    describe_empty_groups,
)
from dr_core.risk._totals import Codes, GroupSums

__all__ = [
    "count_rows_by_missing",
    "describe_group",
    "find_groups",
    "find_perturbed_groups",
    "warn_empty_groups",
]


def find_perturbed_groups(sums: GroupSums) -> list[Codes]:
    """Return the groups that were perturbed: those with a value in at least one attribute."""
    return [codes for codes in sums.sums if max(codes) >= 0]


def count_rows_by_missing(sums: GroupSums) -> tuple[int, int]:
    """Return the number of rows without any value to perturb, and of those that lack some."""
    perturbed = find_perturbed_groups(sums)
    partly = [codes for codes in perturbed if min(codes) < 0]
    return sums.total("rows") - sums.total("rows", perturbed), sums.total("rows", partly)


def find_groups(plan: PerturbationPlan, scenario: Scenario, sums: GroupSums, group: int) -> Any:
    """Return the combinations of values that are privileged, marginalised or neither."""
    group_of = plan.attributes.group_of
    return [codes for codes in sums.sums if group_of(codes, scenario.active) == group]


def describe_group(
    plan: PerturbationPlan, scenario: Scenario, codes: Codes
) -> tuple[str, bool | None]:
    """Return the name of a group, and whether it is privileged (None if unknown)."""
    attributes = plan.attributes
    values = (
        str(shorten_float(attributes.attributes[j].grouped.values[code]))
        if code >= 0
        else MISSING_LABEL
        for j, code in zip(scenario.active, codes, strict=True)
    )
    group = attributes.group_of(codes, scenario.active)
    return ", ".join(values), None if group == NEITHER else group == PRIVILEGED


def warn_empty_groups(n_rows: Mapping[Any, Sequence[int]], what: str) -> None:
    """Warn about groups without rows, given the marginalised and privileged rows by attribute."""
    empty = describe_empty_groups(n_rows)
    if empty:
        warnings.warn(f"{'; '.join(empty)}: its mean {what} is undefined (NaN).", stacklevel=4)
