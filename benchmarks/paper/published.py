"""What the paper reports, as tidy tables.

The figures are facts of Y. Bian, FAccT 2026, copied to `published.json`. Tables are named after
experiment and measure: `aware_accuracy_pct`, `aware_f1`, `aware_DR`, `aware_DP`, `aware_EOpp`,
`aware_PP`, and `pruning_DR_E`, `pruning_accuracy_pct_E` for E in bagging, adaboostm1, samme.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd


def tables() -> list[str]:
    """Names of all published tables."""
    return list(_facts()["tables"])


def published(table: str) -> pd.DataFrame:
    """One row for each data set, attribute and method, with its mean and std over the folds.

    `attribute` is None in the pruning tables. Methods have the paper's names.

    >>> published("aware_DR").query("dataset == 'ppr' and method == 'POAF'").values.tolist()
    [['ppr', 'sex', 'POAF', 0.2, 0.0165], ['ppr', 'race', 'POAF', 0.2, 0.0165]]
    """
    columns = ["dataset", "attribute", "method", "mean", "std"]
    return pd.DataFrame(
        [
            [dataset, attribute or None, method, *values]
            for row, of_methods in _table(table)["rows"].items()
            for dataset, _, attribute in [row.partition("/")]
            for method, values in of_methods.items()
        ],
        columns=columns,
    )


def average_ranks(table: str) -> pd.Series:
    """Average rank of each method, 1 the best.

    >>> average_ranks("pruning_DR_bagging").idxmin()
    'POAF'
    """
    return pd.Series(_table(table)["average_rank"], name="average rank")


def win_tie_loss(table: str) -> pd.Series:
    """How often POAF wins, ties and loses against each other method, such as "2/7/0".

    >>> win_tie_loss("aware_DR")["Bagging"]
    '2/7/0'
    """
    counts = pd.Series(_table(table)["win_tie_loss_of_POAF"], name="win/tie/loss of POAF")
    return counts.drop("POAF")


def dataset_counts() -> dict[str, dict[str, Any]]:
    """Instances, features and privileged rows of each data set, as the paper counts them."""
    return dict(_facts()["datasets"])


def _table(name: str) -> dict[str, Any]:
    return dict(_facts()["tables"][name])


@cache
def _facts() -> dict[str, Any]:
    return dict(json.loads((Path(__file__).parent / "published.json").read_text("utf-8")))
