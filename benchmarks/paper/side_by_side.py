"""Published figures beside measured ones."""

from __future__ import annotations

import pandas as pd

from benchmarks.paper import published
from benchmarks.paper.output import mean_and_std

MISSING = "—"


def values(table: str, folds: dict[str, pd.DataFrame], digits: int = 4) -> pd.DataFrame:
    """Mean ± standard deviation by block and method, published and of each protocol.

    Parameters
    ----------
    table : name of the published table
    folds : by protocol, a table as in `statistics`: methods in columns, blocks and folds in rows
    digits : after the decimal point
    """
    texts = {"published": _published(table, digits)}
    texts |= {protocol: _measured(one, digits) for protocol, one in folds.items()}
    order = list(texts.values())[-1].index
    return pd.DataFrame(texts).reindex(order).fillna(MISSING).reset_index()


def ranks(table: str, measured: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Average rank, and wins, ties and losses of POAF, published and of each protocol.

    `measured` holds what `statistics.summary` returns. The paper ranks the methods it lists.
    """
    texts = {
        "published rank": published.average_ranks(table),
        "published w/t/l": published.win_tie_loss(table),
    }
    for protocol, summary in measured.items():
        texts[f"{protocol} rank"] = summary["average rank"].round(2)
        texts[f"{protocol} w/t/l"] = summary["win/tie/loss"]
    order = list(measured.values())[-1].index
    return pd.DataFrame(texts).reindex(order).astype(object).fillna(MISSING).reset_index()


def _published(table: str, digits: int) -> pd.Series:
    found = published.published(table).dropna(axis="columns", how="all")
    index = [name for name in ("dataset", "attribute", "method") if name in found]
    found = found.set_index(index)
    pairs = zip(found["mean"], found["std"], strict=True)
    texts = [f"{mean:.{digits}f} ± {std:.{digits}f}" for mean, std in pairs]
    return pd.Series(texts, found.index)


def _measured(folds: pd.DataFrame, digits: int) -> pd.Series:
    blocks = folds.groupby(level=folds.index.names[:-1], sort=False)
    texts = blocks.agg(lambda column: mean_and_std(column, digits))
    return texts.rename_axis(columns="method").stack()
