"""The script of the page: discriminative risk in its tables, and data that cannot break it."""

from __future__ import annotations

import json
import re
from typing import Any

from fairlearn_dr.dashboard._content import DESCRIPTION, DR, TITLE

__all__ = ["fill", "holds_data", "literal", "with_risk"]

APP_ID, CONFIG, DATA = "__rai_app_id__", '"__rai_config__"', '"__rai_model_data__"'
"""What stands in the files of the page in place of its id, its settings and its data."""

PERFORMANCE_TABLE = re.compile(r"(?<!\w)accuracy_score:\{")
FAIRNESS_TABLE = re.compile(r"(?<!\w)accuracy_score_difference:\{")
"""How the script's tables of performance and of fairness metrics begin."""

FAIRNESS_METRICS = {
    "difference": (
        f"{TITLE} difference",
        "The largest discriminative risk of the groups minus the smallest. It is 0 when all "
        "groups have the same.",
    ),
    "ratio": (
        f"{TITLE} ratio",
        "The smallest discriminative risk of the groups divided by the largest. It is 1 when all "
        "groups have the same.",
    ),
    "max": (f"Maximum {TITLE.lower()}", "The largest discriminative risk of the groups."),
}
"""Title and description of each way to compare groups that the page knows."""


def holds_data(script: str) -> bool:
    """Whether this file of the page is the one that the data go into."""
    return DATA in script


def fill(script: str, *, app_id: str, config: Any, data: Any) -> str:
    """Put id, settings and data where they belong in a file of the page."""
    script = script.replace(APP_ID, app_id)
    return script.replace(CONFIG, literal(config)).replace(DATA, literal(data))


def literal(data: Any) -> str:
    r"""JSON text of the data, as a literal that is safe in the script of an HTML page.

    Examples
    --------
    >>> print(literal(["</script>"]))
    "[\"\u003c/script>\"]"
    """
    return json.dumps(json.dumps(data)).replace("<", r"\u003c")


def with_risk(script: str) -> str | None:
    """Add discriminative risk to the script's tables; None where these cannot be told.

    Examples
    --------
    >>> print(with_risk("performance={accuracy_score:{}}, fairness={no_such_table:{}}"))
    None
    """
    for table, entries in ((PERFORMANCE_TABLE, _performance()), (FAIRNESS_TABLE, _fairness())):
        starts = [match.start() for match in table.finditer(script)]
        if len(starts) != 1:
            return None
        script = script[: starts[0]] + entries + script[starts[0] :]
    return script


def _performance() -> str:
    entry = {
        "key": DR,
        "title": TITLE,
        "description": DESCRIPTION,
        "group": TITLE,
        "isMinimization": True,
        "isPercentage": True,
        "userVisible": True,
    }
    return f"{DR}:{json.dumps(entry)},"


def _fairness() -> str:
    return "".join(_fairness_entry(mode, *texts) for mode, texts in FAIRNESS_METRICS.items())


def _fairness_entry(mode: str, title: str, description: str) -> str:
    key = f"{DR}_{mode}"
    entry = {
        "key": key,
        "title": title,
        "description": description,
        "fairnessMetric": DR,
        "fairnessMode": mode,
    }
    tasks = 'supportedTasks:new Set(["binaryClassification"])'
    return f"{key}:{{...{json.dumps(entry)},{tasks}}},"
