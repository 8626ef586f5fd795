"""Load a shipped data set, and encode it as the paper does."""

from __future__ import annotations

from importlib.resources import as_file, files

import pandas as pd
from sklearn.utils import Bunch

from dr_core._utils import quote
from dr_core.datasets._catalogue import CATALOGUE

__all__ = ["binarize", "load", "names"]


def names() -> list[str]:
    """Return the names of the shipped data sets.

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
        `data`, a DataFrame of raw columns; `target`, a Series of 0 and 1, where 1 is the
        positive label of the paper (lawschool: a float); `favorable`, the target that is
        favourable for the person (ppr and ppvr: 0, no recidivism; lawschool: None);
        `privileged`, ready for `assess_risk`; `target_names`; and `description`, with the credit.

    Examples
    --------
    >>> income = load("income")
    >>> income.data.shape, int(income.target.sum()), income.privileged
    ((30162, 13), 7508, {'race': 'White', 'sex': 'Male'})
    """
    if name not in list(CATALOGUE):
        raise ValueError(f"name must be one of the data sets {quote(CATALOGUE)}; got {name!r}.")
    entry = CATALOGUE[name]
    with as_file(files("dr_core.datasets").joinpath("data", f"{name}.csv.gz")) as path:
        frame = pd.read_csv(path)
    target = frame.pop(entry.label)
    if entry.positive is not None:
        target = (target == entry.positive).astype(int)
    return Bunch(
        data=frame,
        target=target,
        privileged=dict(entry.privileged),
        target_names=list(entry.target_names),
        favorable=entry.favorable,
        description=entry.description,
    )


def binarize(dataset: Bunch) -> pd.DataFrame:
    """Encode the features of a data set as the paper does.

    Each value of a categorical column becomes a 0/1 column. A sensitive attribute becomes one
    column, 1 for privileged. With two sensitive attributes, a last column "a-b" is 1 for rows
    that are privileged in both.

    Examples
    --------
    >>> from dr_core import datasets
    >>> datasets.binarize(datasets.load("income")).shape
    (30162, 99)
    """
    if not {"data", "privileged"} <= set(dir(dataset)):
        raise TypeError(
            f"dataset must be the result of datasets.load(name); got a {type(dataset).__name__}."
        )
    data = dataset.data
    sensitive = pd.DataFrame({a: data[a] == value for a, value in dataset.privileged.items()})
    categorical = [
        column
        for column in data.columns.difference(sensitive.columns, sort=False)
        if not pd.api.types.is_numeric_dtype(data[column])
    ]
    encoded = pd.get_dummies(data.assign(**sensitive), columns=categorical)
    if sensitive.shape[1] > 1:
        encoded["-".join(sensitive.columns)] = sensitive.all(axis=1)
    return encoded.astype(dict.fromkeys(encoded.select_dtypes("bool").columns, int))
