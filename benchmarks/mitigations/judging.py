"""Data sets, folds, and what is measured on the rows that were left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks.mitigations.methods import ENSEMBLES, Training, iter_pruned, iter_retrained
from dr_core import SensitiveAttributes, compare, datasets, learn_attributes

REPEATS = {"credit": 6, "ppvr": 4, "ppr": 4, "lawschool": 1, "income": 1}
"""Data sets, and how often they are cut into five folds anew: small ones oftener."""

SLOW_REPEATS = {"credit": 2, "ppvr": 1, "ppr": 1, "lawschool": 1, "income": 1}
"""The same for ways that fit ensembles many times over."""

MAX_ROWS = 4_000
"""Rows, drawn at random, of data sets that have more."""

FOLDS, FIRST_SEED = 5, 1000
"""Seeds below were looked at while methods were developed; these were not."""

SPOUSES = {2: {"Husband": "Wife"}, 3: {"Wife": "Husband"}}
COUPLED = {"income": {"relationship": {"sex": SPOUSES}}}
"""Columns that follow an attribute."""

MEASURES = {
    "discriminative_risk": "DR",
    "discriminative_risk_coupled": "DR coupled",
    "accuracy": "accuracy",
    "recall": "recall",
    "specificity": "specificity",
    "demographic_parity": "DP",
    "equal_opportunity": "EOpp",
}


@cache
def load(name: str) -> tuple[pd.DataFrame, pd.Series, SensitiveAttributes]:
    """Return X, y and the sensitive attributes; lawschool: is the average above the median?"""
    bunch = datasets.load(name)
    X, y = datasets.binarize(bunch), bunch.target
    X = X.drop(columns="-".join(bunch.privileged))
    if name == "lawschool":
        y = (y > y.median()).astype(int)
    rows = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
    X, y = X.iloc[np.sort(rows)].reset_index(drop=True), y.iloc[np.sort(rows)]
    # Values 0 and 1 of one attribute, 2 and 3 of the next: a group of fairlearn, such as "0,3",
    # then tells which columns it is of.
    privileged = {one: 2 * j + 1 for j, one in enumerate(bunch.privileged)}
    X = X.assign(**{one: X[one] + value - 1 for one, value in privileged.items()})
    attributes = learn_attributes(X, privileged, coupled=COUPLED.get(name))
    return X, y.reset_index(drop=True), attributes


def iter_pieces(repeats: Mapping[str, int], quick: bool) -> Iterator[dict[str, Any]]:
    """Yield what can be judged apart, a fold of a data set for each ensemble.

    Votes of AdaBoost have weights, which takes POAF longer: they are judged in one repeat.
    """
    for dataset, n_repeats in ({"credit": 1} if quick else repeats).items():
        for repeat, kind in product(range(n_repeats), ENSEMBLES):
            if not repeat or kind != "AdaBoost":
                yield from (
                    {"dataset": dataset, "ensemble": kind, "repeat": repeat, "fold": fold}
                    for fold in range(2 if quick else FOLDS)
                )


def judge_retrained(dataset: str, ensemble: str, repeat: int, fold: int) -> list[dict[str, Any]]:
    """Measure the whole ensemble, and the ways that fit or average it anew, in one fold."""
    return _judge(iter_retrained, dataset, ensemble, repeat, fold)


def judge_pruned(dataset: str, ensemble: str, repeat: int, fold: int) -> list[dict[str, Any]]:
    """Measure an ensemble of two thirds of the rows, and its pruned votes, in one fold."""
    return _judge(iter_pruned, dataset, ensemble, repeat, fold)


def _judge(
    iter_models: Callable[..., Any], dataset: str, ensemble: str, repeat: int, fold: int
) -> list[dict[str, Any]]:
    X, y, attributes = load(dataset)
    seed = FIRST_SEED + repeat
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(X, y)
    train, test = list(folds)[fold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of rare values and of the other libraries
        models = dict(iter_models(ensemble, Training(X, y, attributes, seed).take(train)))
        return _measure(models, X.iloc[test], y.iloc[test], attributes)


def _measure(
    models: dict[str, Any], X: pd.DataFrame, y: pd.Series, attributes: SensitiveAttributes
) -> list[dict[str, Any]]:
    measures = [name for name in MEASURES if name != "discriminative_risk_coupled"]
    table = compare(models, X, y, attributes, measures=measures, reference=False).table()
    everything = table.xs("all", level="attribute").rename(columns=MEASURES)
    found = everything.reindex(columns=list(MEASURES.values()))
    found["balanced accuracy"] = (found["recall"] + found["specificity"]) / 2
    found["selection rate"] = found["recall"] * y.mean() + (1 - found["specificity"]) * (
        1 - y.mean()
    )
    return found.rename_axis("way").reset_index().to_dict("records")
