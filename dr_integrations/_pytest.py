"""A pytest plugin that tests the discriminative risk of a model like anything else.

It imports `dr_core` when a test asks for the fixture, and not before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from dr_integrations._defaults import AUDIT_DEFAULTS

if TYPE_CHECKING:
    from dr_core import Comparison

__all__ = ["dr_audit", "pytest_configure"]

MARKER = (
    "dr_audit(max_risk=..., max_gap=..., undecided='fail'): limits of the fixture dr_audit; see "
    "dr_core.Comparison.check"
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture
def dr_audit(request: pytest.FixtureRequest) -> Callable[..., Comparison]:
    """Audit a model, and fail the test if it does not keep its limits.

    The fixture is a function of `(model, X, y, privileged)`. Its limits `max_risk` and `max_gap`
    are keyword arguments, or those of the marker `dr_audit`. All other keyword arguments are
    those of `dr_core.compare`. If the data cannot tell whether a limit is kept, the test fails,
    too, or is skipped with `undecided="skip"`. It returns the `Comparison`.
    """
    marker = request.node.get_closest_marker("dr_audit")
    return lambda *given, **options: _audit(*given, **(marker.kwargs if marker else {}) | options)


def _audit(
    model: Any,
    X: Any,
    y: Any,
    privileged: Any,
    *,
    max_risk: Any = None,
    max_gap: Any = None,
    undecided: str = "fail",
    **options: Any,
) -> Comparison:
    from dr_core import compare

    if undecided not in ("fail", "skip"):
        raise ValueError(f"undecided must be 'fail' or 'skip'; got {undecided!r}.")
    comparison = compare({"model": model}, X, y, privileged, **AUDIT_DEFAULTS | options)
    verdict = comparison.check(max_risk=max_risk, max_gap=max_gap)
    if verdict.outcome == "undecided" and undecided == "skip":
        pytest.skip(str(verdict))
    if not verdict:
        pytest.fail(str(verdict), pytrace=False)
    return comparison
