"""The paper's statistics: paired t-tests, average ranks, Friedman's test and Nemenyi's.

Every function takes a table of values with the methods in columns: `folds` has one row for each
block (a data set, or a data set and attribute) and fold, `means` one row for each block. `better`
says which values are good, "low" or "high". A method whose value is undefined ranks last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scikit_posthocs
from scipy import stats

from benchmarks.paper.figures import COLOURS

LEVEL = 0.05

HIGHLIGHTED = {"POAF": COLOURS[5], "EPAF-C": COLOURS[0], "EPAF-D": COLOURS[2]}
"""Colours of the paper's methods in diagrams; others are grey."""


def means(folds: pd.DataFrame) -> pd.DataFrame:
    """Mean over folds, `folds` being indexed by block and fold; undefined values left out."""
    blocks = folds.index.names[:-1]
    return folds.groupby(level=blocks, sort=False).mean()


def win_tie_loss(folds: pd.DataFrame, reference: str, better: str) -> pd.Series:
    """On how many blocks `reference` beats, equals and loses to each method, as "w/t/l".

    By two-tailed paired t-tests over the folds, at the level of 5 %.
    """
    blocks = [block for _, block in folds.groupby(level=folds.index.names[:-1], sort=False)]
    verdicts = {
        method: [verdict(block[reference], block[method], better) for block in blocks]
        for method in folds.columns.drop(reference)
    }
    return pd.Series(
        {
            method: "/".join(str(found.count(verdict)) for verdict in (1, 0, -1))
            for method, found in verdicts.items()
        }
    )


def verdict(ours: pd.Series, theirs: pd.Series, better: str) -> int:
    """1 where `ours` is significantly better, -1 where it is worse, 0 for a tie.

    >>> import pandas as pd
    >>> ours = pd.Series([0.10, 0.11, 0.12, 0.10])
    >>> verdict(ours, ours + [0.05, 0.06, 0.05, 0.06], "low"), verdict(ours, ours, "low")
    (1, 0)
    """
    gain = (theirs - ours if better == "low" else ours - theirs).dropna().to_numpy()
    if len(gain) < 2 or np.ptp(gain) == 0:  # nothing varies, so that there is nothing to test
        return int(np.sign(gain[0])) if len(gain) > 1 else 0
    significant = stats.ttest_1samp(gain, 0).pvalue < LEVEL
    return int(np.sign(gain.mean())) if significant else 0


def average_ranks(means: pd.DataFrame, better: str) -> pd.Series:
    """Average over the blocks of each method's rank, 1 for the best, ties shared."""
    return _ranks(means, better).mean()


def _ranks(means: pd.DataFrame, better: str) -> pd.DataFrame:
    # What differs in the sixteenth digit is a tie that arithmetic broke.
    return means.round(12).rank(axis=1, ascending=better == "low", na_option="bottom")


def friedman(means: pd.DataFrame, better: str) -> float:
    """p-value of Friedman's test that all methods perform alike."""
    return float(stats.friedmanchisquare(*_ranks(means, better).to_numpy().T).pvalue)


def critical_difference(n_methods: int, n_blocks: int) -> float:
    """Average ranks that differ by more are significantly different by Nemenyi's test.

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    quantile = stats.studentized_range.ppf(1 - LEVEL, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks)))


def critical_difference_diagram(means: pd.DataFrame, better: str, ax: Any, title: str) -> None:
    """Draw average ranks, methods that Nemenyi's test cannot tell apart joined by a bar."""
    ranks = _ranks(means, better)
    apart = scikit_posthocs.posthoc_nemenyi_friedman(ranks.reset_index(drop=True))
    scikit_posthocs.critical_difference_diagram(
        ranks.mean(),
        apart,
        alpha=LEVEL,
        ax=ax,
        color_palette={name: HIGHLIGHTED.get(name, "0.35") for name in ranks},
        label_fmt_left="{label} ({rank:.1f})",
        label_fmt_right="({rank:.1f}) {label}",
    )
    p, difference = friedman(means, better), critical_difference(means.shape[1], len(means))
    ax.set_title(f"{title}\nFriedman p = {p:.2g}, critical difference {difference:.1f}")
    ax.grid(False)


def summary(folds: pd.DataFrame, reference: str, better: str) -> pd.DataFrame:
    """Average rank of each method, and `reference`'s wins, ties and losses against it."""
    ranks = average_ranks(means(folds), better)
    return pd.DataFrame(
        {"average rank": ranks, "win/tie/loss": win_tie_loss(folds, reference, better)}
    ).reindex(folds.columns)
