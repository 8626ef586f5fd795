"""What the report says of models that are votes: bounds, and what pruning suggests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from dr_core.comparison import EnsembleAudit
from dr_core.pruning import ACCURACY_TOLERANCE
from dr_core.report._drawings import UNIT, Plot, bar, front_plot
from dr_core.report._tables import Cell, Column, Table, heading, text, value_cell
from dr_core.report._words import number, percent

__all__ = ["VoteSection", "vote_section"]


class VoteSection(NamedTuple):
    """Bounds and pruning of one model."""

    model: str
    sentences: list[str]
    members: str
    plot: Plot
    scores: Table
    front: Table
    bounds: Table


def vote_section(name: Any, found: EnsembleAudit) -> VoteSection:
    """What to say of the model of this name."""
    return VoteSection(
        str(name),
        list(_advice(found)),
        ", ".join(map(str, found.pruned.members.tolist())),
        _front_plot(found),
        _scores(found),
        _front(found),
        _bounds(found),
    )


def _score(found: EnsembleAudit, vote: str, on: str) -> Any:
    scores = found.scores
    return next(scores[(scores["vote"] == vote) & (scores["on"] == on)].itertuples())


def _advice(found: EnsembleAudit) -> Iterator[str]:
    full, suggested = (_score(found, vote, "judge") for vote in ("full", "suggested"))
    yield (
        f"The model is a vote of {found.n_members} members. Of all sub-ensembles searched, the "
        f"suggested one has the lowest discriminative risk whose error is within "
        f"{ACCURACY_TOLERANCE:g} of the lowest: {suggested.members} members."
    )
    yield (
        f"On {full.rows:,} rows that had no say in the choice, the discriminative risk of the "
        f"vote goes from {percent(full.risk)} to {percent(suggested.risk)}, and its error from "
        f"{percent(full.error)} to {percent(suggested.error)}."
    )


def _front_plot(found: EnsembleAudit) -> Plot:
    full, suggested = (_score(found, vote, "choose") for vote in ("full", "suggested"))
    ends = ((row.error, row.risk) for row in (full, suggested))
    return front_plot(found.pruned.front, *ends)


def _scores(found: EnsembleAudit) -> Table:
    rows = [
        [
            heading(f"{row.vote} vote"),
            text("choosing" if row.on == "choose" else "judging"),
            value_cell(row.rows, f"{row.rows:,}"),
            value_cell(row.members, str(row.members)),
            value_cell(row.error),
            value_cell(row.risk),
        ]
        for row in found.scores.itertuples()
    ]
    columns = [Column(t) for t in ("Number of rows", "Members", "Error", "DR")]
    return Table(
        "The full and the suggested vote, on the rows that chose and on those that judge",
        [Column("Vote"), Column("Rows used for"), *columns],
        rows,
    )


def _front(found: EnsembleAudit) -> Table:
    chosen = tuple(found.pruned.members.tolist())
    rows = [
        [
            heading(f"{i + 1}"),
            value_cell(len(row.members), str(len(row.members))),
            value_cell(row.error),
            value_cell(row.risk),
            text("yes" if tuple(row.members) == chosen else "no"),
        ]
        for i, row in enumerate(found.pruned.front.itertuples())
    ]
    columns = [Column(title) for title in ("Members", "Error", "DR")]
    return Table(
        "Pareto front of the sub-ensembles, on the rows that chose",
        [Column("Candidate"), *columns, Column("Suggested")],
        rows,
    )


def _bounds(found: EnsembleAudit) -> Table:
    frame = found.bounds
    rows = [
        [
            heading(row.name),
            _bound(row.value, row.actual),
            _bound(row.suggested, _score(found, "suggested", "judge").risk),
            text("yes" if row.guaranteed else "no"),
        ]
        for row in frame.itertuples(index=False)
    ]
    return Table(
        "Bounds on the discriminative risk of the vote",
        [
            Column("Bound"),
            Column("Full vote"),
            Column("Suggested vote"),
            Column("Guaranteed"),
        ],
        rows,
        "Bars end at 1; the mark in a bar is the risk itself. A bound of 1 or more says nothing.",
    )


def _bound(value: float, actual: float) -> Cell:
    shown = "does not apply" if math.isnan(value) else number(value)
    return value_cell(value, shown, bar=bar(UNIT, value, tick=actual))
