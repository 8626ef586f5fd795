"""Shares in percent: the one format of terminal, report, `repr` and messages."""

from __future__ import annotations

import math

__all__ = ["format_percent"]

SMALL_SHARE, TINY_SHARE = 0.001, 0.00001
"""Smaller shares are shown with one significant digit, and as less than the second."""


def format_percent(share: float) -> str:
    """Format a share in percent.

    >>> format_percent(0.0423), format_percent(0.00031), format_percent(float("nan"))
    ('4.2 %', '0.03 %', 'undefined')
    """
    if math.isnan(share):
        return "undefined"
    if math.isinf(share):
        return "∞"
    if 0 < share < TINY_SHARE:
        return f"<{100 * TINY_SHARE:g} %"
    return f"{100 * share:.1g} %" if 0 < share < SMALL_SHARE else f"{100 * share:.1f} %"
