"""The change of discriminative risk between two models on the same rows.

Most rows have the same risk for both models. So the interval of the change is shorter than a
comparison of two intervals suggests, which may overlap although one model has less risk.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dr_core._tables import factorize
from dr_core._utils import (
    Array,
    Interval,
    check_confidence,
    compute_difference_interval,
    widen_interval,
)
from dr_core.perturbation import PerturbationPlan
from dr_core.risk._frequencies import warn_few_learned

if TYPE_CHECKING:
    from dr_core.risk._assessment import RiskAssessment

__all__ = ["compute_risk_change"]

CLAIM = "the interval of the change can be too short"
"""What is wrong with it if frequencies of a range were learned from few rows."""


def compute_risk_change(
    after: RiskAssessment, before: RiskAssessment, confidence: float
) -> Interval:
    """Return the interval of the risk of `after` minus that of `before`."""
    check_confidence(confidence)
    _check_same_rows(after, before)
    warn_few_learned(after.plan.learned, CLAIM, stacklevel=3)
    differences = after.individual - before.individual
    is_known = ~np.isnan(differences)
    columns = differences, _get_weights(after), _get_people(after)
    pairs = _average_by_person(*(column[is_known] for column in columns))
    low, high = compute_difference_interval(*pairs, confidence)
    return Interval(*widen_interval(low, high, after.value - before.value), confidence, "paired")


def _check_same_rows(after: RiskAssessment, before: RiskAssessment) -> None:
    if not isinstance(before, type(after)):
        raise TypeError(f"other must be the result of assess_risk; got a {type(before).__name__}.")
    plans = after.plan, before.plan
    same_rows = (
        np.array_equal(after.groups[-1], before.groups[-1])
        and np.allclose(_get_weights(after), _get_weights(before))
        and np.array_equal(_get_people(after), _get_people(before))
    )
    differing = {
        "p": plans[0].p != plans[1].p,
        "the values or frequencies of the attributes": not _have_same_values(*plans),
        "coupled columns": _get_rules(plans[0]) != _get_rules(plans[1]),
        "the rows, their order, sample_weight or person": not same_rows,
    }
    wrong = [name for name, differs in differing.items() if differs]
    if wrong:
        raise ValueError(
            "other must be about the same rows, with the same sensitive attributes; these differ: "
            f"{'; '.join(wrong)}. Pass the same X, learn_attributes(X, ...) and options to both "
            "calls of assess_risk."
        )


def _have_same_values(plan: PerturbationPlan, other: PerturbationPlan) -> bool:
    """Return whether two plans have the same attributes, and draw values as frequently."""
    if plan.learned.names != other.learned.names:
        return False
    return all(
        one.values == two.values
        and np.array_equal(one.is_privileged, two.is_privileged)
        and np.array_equal(one.weights, two.weights)  # type: ignore[arg-type]  # or None
        for one, two in zip(plan.learned, other.learned, strict=True)
    )


def _get_rules(plan: PerturbationPlan) -> Mapping[Any, Any]:
    return plan.attributes.couplings.rules


def _get_weights(risk: RiskAssessment) -> Array:
    """Return weights of mean 1, so that their unit does not matter."""
    weights = None if risk.part is None else risk.part.weights
    return np.ones(risk.n_rows) if weights is None else weights / weights.mean()


def _get_people(risk: RiskAssessment) -> Array:
    """Return a number for the person of each row; without `person`, each row is another one."""
    person = None if risk.part is None else risk.part.person
    return np.arange(risk.n_rows) if person is None else factorize(person).codes


def _average_by_person(values: Array, weights: Array, person: Array) -> tuple[Array, Array]:
    """Return the mean value and the weight of each person.

    Examples
    --------
    >>> _average_by_person(np.array([1.0, 0.0, 1.0]), np.ones(3), np.array([7, 7, 4]))
    (array([1. , 0.5]), array([1., 2.]))
    """
    position = np.unique(person, return_inverse=True)[1]
    total = np.bincount(position, weights)
    has_weight = total > 0
    sums = np.bincount(position, weights * values)
    return sums[has_weight] / total[has_weight], total[has_weight]
