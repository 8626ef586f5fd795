"""A comparison as Markdown, for model cards and pull requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from dr_core.metrics import PERFORMANCE_MEASURES

__all__ = ["escape_markdown", "render_markdown"]

LEGEND = (
    "Fairness measures: best value 0 (disparate impact: 1). A discriminative risk above 0 proves "
    "that sensitive attributes alone change decisions. A discriminative risk of 0 does not "
    "show that a model is fair: other columns can be proxies for the attributes."
)

SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")
"""Characters that Markdown or HTML would interpret."""


def render_markdown(
    values: pd.DataFrame, headlines: Mapping[Any, str], facts: Mapping[str, str]
) -> str:
    """Return sentences, tables, limits and facts, without headings.

    Parameters
    ----------
    values : DataFrame
        Those of a `Comparison`.
    headlines : mapping
        From a model to the sentence that sums up its risk, in Markdown.
    facts : mapping
        How the values were computed.
    """
    several = len(headlines) > 1
    sentences = (
        f"**{escape_markdown(model)}**: {sentence}" if several else sentence
        for model, sentence in headlines.items()
    )
    listed = "\n".join(f"- {name}: {escape_markdown(fact)}" for name, fact in facts.items())
    return "\n\n".join([*sentences, *_iter_tables(values), LEGEND, listed]) + "\n"


def escape_markdown(text: Any) -> str:
    r"""Return text that Markdown shows as it is, in one line.

    >>> escape_markdown("a|b <i>\n"), escape_markdown("sex")
    ('a\\|b \\<i\\>', 'sex')
    """
    return SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def _iter_tables(values: pd.DataFrame) -> Iterator[str]:
    """Yield a table of fairness measures by attribute, then one of performance."""
    performance = values["measure"].isin(PERFORMANCE_MEASURES)
    attributes = list(values["attribute"].unique())
    if not performance.all():
        yield _make_table(values[~performance], attributes, attributes)
    if performance.any():
        yield _make_table(values[performance], attributes[-1:], ["all rows"])


def _make_table(values: pd.DataFrame, attributes: Sequence[Any], titles: Sequence[Any]) -> str:
    """Return a table with a row for each measure and model, a column for each attribute."""
    with_model = values["model"].nunique() > 1
    lines = [["measure", *["model"] * with_model, *titles], ["---"] * (1 + with_model)]
    lines[1] += ["---"] * len(titles)
    for (measure, model), rows in values.groupby(["measure", "model"], sort=False):
        cells = {row.attribute: _format_value(row) for row in rows.itertuples()}
        start = [str(measure).replace("_", " "), *[model] * with_model]
        lines.append([*start, *(cells.get(name, "") for name in attributes)])
    return "\n".join(map(_format_line, lines))


def _format_line(cells: Iterable[Any]) -> str:
    return f"| {' | '.join(map(escape_markdown, cells))} |"


def _format_value(row: Any) -> str:
    """Return a value with its interval, if there is one."""
    if pd.isna(row.value):
        return "undefined"
    low, high = getattr(row, "low", None), getattr(row, "high", None)
    return f"{row.value:.4f}" + ("" if pd.isna(low) else f" ({low:.4f} to {high:.4f})")
