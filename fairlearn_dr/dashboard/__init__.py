"""The fairness dashboard that grew out of fairlearn, with discriminative risk among its metrics.

It is `FairnessDashboard` of raiwidgets, which is imported only when a dashboard is made.
"""

from __future__ import annotations

from typing import Any

from fairlearn_dr.dashboard._show import show_dashboard

__all__ = ["RiskFairnessDashboard", "show_dashboard"]


def __getattr__(name: str) -> Any:
    if name == "RiskFairnessDashboard":
        from fairlearn_dr.dashboard._risk_dashboard import risk_fairness_dashboard

        return risk_fairness_dashboard()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
