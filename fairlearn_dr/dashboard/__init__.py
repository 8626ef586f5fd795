"""The fairness dashboard of raiwidgets, with discriminative risk as a metric.

raiwidgets is imported when a dashboard is made, not before.
"""

from __future__ import annotations

from typing import Any

from fairlearn_dr.dashboard._show import show_dashboard

__all__ = ["RiskFairnessDashboard", "show_dashboard"]


def __getattr__(name: str) -> Any:
    if name == "RiskFairnessDashboard":
        from fairlearn_dr.dashboard._risk_dashboard import make_dashboard_class

        return make_dashboard_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
