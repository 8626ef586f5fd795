"""Shares in percent, differences in points, counts: one format for all outputs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product

__all__ = [
    "find_decimals",
    "format_count",
    "format_estimate",
    "format_percent",
    "format_percent_ends",
    "format_points",
    "round_percent",
]

SMALL_SHARE, TINY_SHARE = 0.001, 0.00001
"""Smaller shares are shown with one significant digit, and as less than the second."""

MAX_PERCENT_DECIMALS = 9
"""Further decimals of a percentage are noise."""

MIN_ROUNDED_END = 0.01
"""From this upper end on, the lower end of an interval has one decimal, however small it is."""


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
    percent = round_percent(share)
    return f"{percent:.1g} %" if 0 < share < SMALL_SHARE else f"{percent:.1f} %"


def format_percent_ends(low: float, high: float) -> tuple[str, str]:
    """Format both ends of an interval, with one decimal if the upper end is at least 1 %.

    >>> format_percent_ends(0.0002, 0.226), format_percent_ends(0.0002, 0.0012)
    (('0.0 %', '22.6 %'), ('0.02 %', '0.1 %'))
    """
    is_rounded = high >= MIN_ROUNDED_END and low < SMALL_SHARE
    start = f"{round_percent(low):.1f} %" if is_rounded else format_percent(low)
    return start, format_percent(high)


def round_percent(share: float) -> float:
    """Return a share in percent without the noise of its last digits.

    Two computations of one ratio, 0.6875 and 0.6874999999999999, would be shown as 68.8 and 68.7.

    >>> round_percent(0.6875), round_percent(0.6874999999999999)
    (68.75, 68.75)
    """
    return round(100 * share, MAX_PERCENT_DECIMALS)


# With one decimal, 4.9993 is shown as 5.0, which is not below a limit of 5; with three decimals it
# is shown as 4.999.
def find_decimals(shares: Iterable[float], limits: Iterable[float]) -> int:
    """Return the fewest decimals in percent that show each share on its side of each limit.

    >>> find_decimals([0.049993, 0.0713], [0.05]), find_decimals([0.0412, 0.05], [0.05])
    (3, 1)
    """
    pairs = [
        (round_percent(share), round_percent(limit))
        for share, limit in product(shares, limits)
        if not math.isnan(share)
    ]
    for decimals in range(1, MAX_PERCENT_DECIMALS):
        if all(_compare(round(a, decimals), b) == _compare(a, b) for a, b in pairs):
            return decimals
    return MAX_PERCENT_DECIMALS


def _compare(one: float, other: float) -> int:
    return (one > other) - (one < other)


def format_points(difference: float, digits: int = 1) -> str:
    """Format a signed difference of two shares in percentage points.

    >>> format_points(0.04229), format_points(-0.04229, digits=2), format_points(0.0)
    ('+4.2 pp', '-4.23 pp', '0.0 pp')
    """
    if math.isnan(difference):
        return "undefined"
    text = f"{round_percent(difference):+.{digits}f} pp"
    return text if float(text.removesuffix(" pp")) else text[1:]


def format_estimate(count: float) -> str:
    """Format an estimated count, rounded up to two digits: an estimate has no more of them.

    >>> format_estimate(711_562), format_estimate(6_721), format_estimate(41.2)
    ('720,000', '6,800', '42')
    """
    unit = 10 ** max(0, len(str(math.ceil(count))) - 2)
    return f"{math.ceil(count / unit) * unit:,}"


def format_count(count: int, singular: str, plural: str = "") -> str:
    """Format a count with its noun, whose plural ends in -s by default.

    >>> format_count(1, "row"), format_count(30_162, "row"), format_count(0, "person", "people")
    ('1 row', '30,162 rows', '0 people')
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"
