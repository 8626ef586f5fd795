"""Add discriminative risk and the data to the script of the page."""

from __future__ import annotations

import json
import re
from typing import Any

from fairlearn_dr.dashboard._content import RISK_DESCRIPTION, RISK_KEY, RISK_TITLE

__all__ = ["add_risk", "fill_placeholders", "format_literal", "has_data_placeholder"]

APP_ID, CONFIG, DATA = "__rai_app_id__", '"__rai_config__"', '"__rai_model_data__"'
"""Placeholders of the id, the settings and the data in the files of the page."""

PERFORMANCE_TABLE = re.compile(r"(?<!\w)accuracy_score:\{")
FAIRNESS_TABLE = re.compile(r"(?<!\w)accuracy_score_difference:\{")
"""Starts of the tables of performance and of fairness metrics in the script."""

FAIRNESS_METRICS = {
    "difference": (
        f"{RISK_TITLE} difference",
        "The largest discriminative risk of the groups minus the smallest. It is 0 when all "
        "groups have the same.",
    ),
    "ratio": (
        f"{RISK_TITLE} ratio",
        "The smallest discriminative risk of the groups divided by the largest. It is 1 when all "
        "groups have the same.",
    ),
    "max": (f"Maximum {RISK_TITLE.lower()}", "The largest discriminative risk of the groups."),
}
"""Title and description of the risk for each comparison of groups in the page."""


def has_data_placeholder(script: str) -> bool:
    """Return whether this file of the page contains the placeholder of the data."""
    return DATA in script


def fill_placeholders(script: str, *, app_id: str, config: Any, data: Any) -> str:
    """Replace the placeholders in a file of the page."""
    script = script.replace(APP_ID, app_id)
    return script.replace(CONFIG, format_literal(config)).replace(DATA, format_literal(data))


def format_literal(data: Any) -> str:
    r"""Return the data as a JavaScript string of JSON that is safe inside an HTML page.

    Examples
    --------
    >>> print(format_literal(["</script>"]))
    "[\"\u003c/script>\"]"
    """
    return json.dumps(json.dumps(data)).replace("<", r"\u003c")


def add_risk(script: str) -> str | None:
    """Add discriminative risk to the tables of the script; return None if one is not found.

    Examples
    --------
    >>> print(add_risk("performance={accuracy_score:{}}, fairness={no_such_table:{}}"))
    None
    """
    tables = {
        PERFORMANCE_TABLE: _format_performance_entry(),
        FAIRNESS_TABLE: "".join(
            _format_fairness_entry(mode, *texts) for mode, texts in FAIRNESS_METRICS.items()
        ),
    }
    for table, entries in tables.items():
        starts = [match.start() for match in table.finditer(script)]
        if len(starts) != 1:
            return None
        script = script[: starts[0]] + entries + script[starts[0] :]
    return script


def _format_performance_entry() -> str:
    entry = {
        "key": RISK_KEY,
        "title": RISK_TITLE,
        "description": RISK_DESCRIPTION,
        "group": RISK_TITLE,
        "isMinimization": True,
        "isPercentage": True,
        "userVisible": True,
    }
    return f"{RISK_KEY}:{json.dumps(entry)},"


def _format_fairness_entry(mode: str, title: str, description: str) -> str:
    key = f"{RISK_KEY}_{mode}"
    entry = {
        "key": key,
        "title": title,
        "description": description,
        "fairnessMetric": RISK_KEY,
        "fairnessMode": mode,
    }
    tasks = 'supportedTasks:new Set(["binaryClassification"])'
    return f"{key}:{{...{json.dumps(entry)},{tasks}}},"
