"""Section of the report on ensembles: bounds, and the suggested sub-ensemble."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from dr_core._utils import format_count, format_percent
from dr_core.comparison import EnsembleAudit
from dr_core.pruning import ACCURACY_TOLERANCE
from dr_core.report._drawings import (
    SHARE_SCALE,
    Cell,
    Column,
    ReportTable,
    make_bar,
    make_heading,
    make_text_cell,
    make_value_cell,
)
from dr_core.report._plots import Plot, make_front_plot
from dr_core.report._words import format_name, format_points_interval

__all__ = ["VoteSection", "make_vote_section"]

CHOSEN_ELSEWHERE = (
    " The suggested vote was chosen on the selection rows: on the evaluation rows that these "
    "bounds are computed from, it is fixed beforehand."
)


SCORE_TITLES = {
    "error": "Error",
    "risk": "DR",
    "recall": "Recall",
    "selection_rate": "Selection rate",
    "balanced_accuracy": "Balanced accuracy",
}
"""Columns of the scores, and their titles."""


class VoteSection(NamedTuple):
    """Bounds and pruning of one model."""

    model: str
    sentences: list[str]
    bounds: ReportTable
    suggestion: SuggestedVote | None


class SuggestedVote(NamedTuple):
    """A smaller vote with less risk on held-out rows."""

    members: str
    plot: Plot
    scores: ReportTable
    front: ReportTable


def make_vote_section(name: Any, found: EnsembleAudit, *, n_left_out: int) -> VoteSection:
    """Return the section of the model of this name.

    Parameters
    ----------
    name : name of the model
    found : EnsembleAudit
    n_left_out : number of rows that lack all sensitive values, which are not in the section
    """
    suggestion = None
    if found.is_improvement:
        members = ", ".join(map(str, found.pruned.members.tolist()))
        tables = _make_score_table(found), _make_front_table(found)
        suggestion = SuggestedVote(members, _plot_front(found), *tables)
    advice = _iter_advice(found) if suggestion else _iter_other_ways(found)
    left_out = _describe_left_out(n_left_out)
    return VoteSection(str(name), [*advice, *left_out], _make_bound_table(found), suggestion)


def _describe_left_out(n_rows: int) -> list[str]:
    """Return a sentence on the rows that lack all sensitive values, if there are any.

    >>> _describe_left_out(1)
    ['1 row that lacks all sensitive values is left out of this section.']
    """
    rows = "1 row that lacks" if n_rows == 1 else f"{n_rows:,} rows that lack"
    is_left = "is" if n_rows == 1 else "are"
    return [f"{rows} all sensitive values {is_left} left out of this section."] * (n_rows > 0)


def _get_score(found: EnsembleAudit, vote: str, on: str) -> Any:
    scores = found.scores
    return next(scores[(scores["vote"] == vote) & (scores["on"] == on)].itertuples())


def _iter_advice(found: EnsembleAudit) -> Iterator[str]:
    full, suggested = (_get_score(found, vote, "judge") for vote in ("full", "suggested"))
    yield (
        f"The model is a vote of {found.n_members} members. The suggested sub-ensemble has "
        f"{format_count(suggested.members, 'member')}. Of the searched sub-ensembles whose error "
        f"is within {100 * ACCURACY_TOLERANCE:g} percentage points of the lowest, it has the "
        "lowest discriminative risk."
    )
    yield (
        f"On {full.rows:,} held-out rows, the discriminative risk of the vote changes "
        f"{_describe_change(found, 'risk')}, and its error {_describe_change(found, 'error')}. "
        f"{_format_risk_change(found)}"
    )
    yield f"Balanced accuracy changes {_describe_change(found, 'balanced_accuracy')}."
    if not math.isnan(full.recall):
        yield (
            f"Recall of the favourable label {format_name(found.favorable)} changes "
            f"{_describe_change(found, 'recall')}, and the share of rows with this prediction "
            f"{_describe_change(found, 'selection_rate')}. A lower discriminative risk is no gain "
            "if it comes from predicting one class less often."
        )
    if found.pruned.predicts_one_class:
        yield (
            "The suggested sub-ensemble predicts one class for nearly everybody. Do not use it "
            "without looking at recall and selection rate."
        )


def _describe_change(found: EnsembleAudit, name: str) -> str:
    """Return "from 1.0 % to 2.0 %", the change of a score on the held-out rows."""
    before, after = (getattr(_get_score(found, v, "judge"), name) for v in ("full", "suggested"))
    return f"from {format_percent(before)} to {format_percent(after)}"


def _iter_other_ways(found: EnsembleAudit) -> Iterator[str]:
    full, best = (_get_score(found, vote, "judge") for vote in ("full", "suggested"))
    yield (
        f"The model is a vote of {found.n_members} members. No smaller vote with less "
        "discriminative risk at little loss of accuracy was found: on "
        f"{full.rows:,} held-out rows, the best candidate of "
        f"{format_count(best.members, 'member')} changes the risk "
        f"{_describe_change(found, 'risk')} and balanced accuracy "
        f"{_describe_change(found, 'balanced_accuracy')}. {_format_risk_change(found)}"
    )
    yield (
        "Other ways to lower the discriminative risk: train a model without the sensitive "
        "columns, or average the predictions over the values of the sensitive attributes. Both "
        "bring it to 0; proxies among the other columns stay, so read the group measures too."
    )


def _format_risk_change(found: EnsembleAudit) -> str:
    interval = format_points_interval(*found.risk_change).removesuffix(" pp")
    return f"95 % interval of the change of the risk: {interval} percentage points."


def _plot_front(found: EnsembleAudit) -> Plot:
    full, suggested = (_get_score(found, vote, "choose") for vote in ("full", "suggested"))
    points = ((row.error, row.risk) for row in (full, suggested))
    return make_front_plot(found.pruned.front, *points)


def _make_score_table(found: EnsembleAudit) -> ReportTable:
    rows = [
        [
            make_heading(f"{row.vote} vote"),
            make_text_cell("selection" if row.on == "choose" else "evaluation"),
            make_value_cell(row.rows, f"{row.rows:,}"),
            make_value_cell(row.members, str(row.members)),
            *(make_value_cell(getattr(row, name)) for name in SCORE_TITLES),
        ]
        for row in found.scores.itertuples()
    ]
    titles = "Number of rows", "Members", *SCORE_TITLES.values()
    about = {"Recall": "of", "Selection rate": "share predicted as"}
    label = f"the favourable label {format_name(found.favorable)}"
    columns = [
        Column(title, f"{about[title]} {label}" if title in about else "") for title in titles
    ]
    return ReportTable(
        "The full and the suggested vote, on the selection and the evaluation rows",
        [Column("Vote"), Column("Rows used for"), *columns],
        rows,
    )


def _make_front_table(found: EnsembleAudit) -> ReportTable:
    chosen = tuple(found.pruned.members.tolist())
    rows = [
        [
            make_heading(f"{i + 1}"),
            make_value_cell(len(row.members), str(len(row.members))),
            make_value_cell(row.error),
            make_value_cell(row.risk),
            make_text_cell("yes" if tuple(row.members) == chosen else "no"),
        ]
        for i, row in enumerate(found.pruned.front.itertuples())
    ]
    columns = [Column(title) for title in ("Members", "Error", "DR")]
    return ReportTable(
        "Pareto front of the sub-ensembles, on the selection rows",
        [Column("Candidate"), *columns, Column("Suggested")],
        rows,
    )


def _make_bound_table(found: EnsembleAudit) -> ReportTable:
    frame, risk = found.bounds, _get_score(found, "suggested", "judge").risk
    rows = [
        [
            make_heading(row.name),
            _make_bound_cell(row.value, row.actual),
            *([_make_bound_cell(row.suggested, risk)] if found.is_improvement else []),
            make_text_cell(row.holds_for),
        ]
        for row in frame.itertuples(index=False)
    ]
    return ReportTable(
        "Bounds on the discriminative risk of the vote",
        [
            Column("Bound"),
            Column("Full vote", scale=SHARE_SCALE),
            *([Column("Suggested vote", scale=SHARE_SCALE)] if found.is_improvement else []),
            Column("Holds for"),
        ],
        rows,
        "The dashed mark is the risk. A bound of 100 % or more says nothing about the risk. "
        "Bounds for the population hold with a probability of 95 %, if the model was trained on "
        "other rows." + (CHOSEN_ELSEWHERE if found.is_improvement else ""),
    )


def _make_bound_cell(value: float, actual: float) -> Cell:
    shown = "does not apply" if math.isnan(value) else _format_bound(value)
    return make_value_cell(value, shown, bar=make_bar(SHARE_SCALE, value, tick=actual))


def _format_bound(value: float) -> str:
    """Format a bound on a risk, which is at most 100 % in any case.

    >>> _format_bound(0.4), _format_bound(388.845), _format_bound(math.inf)
    ('40.0 %', '100 % or more, uninformative', '100 % or more, uninformative')
    """
    return "100 % or more, uninformative" if value >= 1 else format_percent(value)
