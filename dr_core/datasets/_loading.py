"""Read a shipped data set."""

from __future__ import annotations

from importlib.resources import as_file, files

import pandas as pd
from sklearn.utils import Bunch

from dr_core._utils import listed
from dr_core.datasets._catalogue import CATALOGUE

__all__ = ["load", "names"]


def names() -> list[str]:
    """Names of the shipped data sets.

    >>> names()
    ['ricci', 'credit', 'income', 'ppr', 'ppvr', 'lawschool']
    """
    return list(CATALOGUE)


def load(name: str) -> Bunch:
    """Load a shipped data set.

    Parameters
    ----------
    name : {"ricci", "credit", "income", "ppr", "ppvr", "lawschool"}

    Returns
    -------
    Bunch
        `data`, a DataFrame of raw, readable columns; `target`, a Series of 0 and 1, where 1 is the
        positive label of the paper (lawschool: a float); `privileged`, ready for `assess_risk`;
        `target_names`; and `description`, with the credit.

    Examples
    --------
    >>> income = load("income")
    >>> income.data.shape, int(income.target.sum()), income.privileged
    ((30162, 13), 7508, {'race': 'White', 'sex': 'Male'})
    """
    if name not in list(CATALOGUE):
        raise ValueError(f"no data set is called {name!r}; there are {listed(CATALOGUE)}.")
    entry = CATALOGUE[name]
    with as_file(files("dr_core.datasets").joinpath("data", f"{name}.csv.gz")) as path:
        frame = pd.read_csv(path)
    target = frame.pop(entry.label)
    if entry.favorable is not None:
        target = (target == entry.favorable).astype(int)
    return Bunch(
        data=frame,
        target=target,
        privileged=dict(entry.privileged),
        target_names=list(entry.target_names),
        description=entry.description,
    )
