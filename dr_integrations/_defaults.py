"""How an audit is run where its caller does not say."""

from __future__ import annotations

__all__ = ["AUDIT_DEFAULTS"]

AUDIT_DEFAULTS = {"n_boot": 1000, "random_state": 0}
"""Options of `dr_core.compare`: intervals, and the same ones each time."""
