"""The paper's own encoding of its data sets."""

from __future__ import annotations

import pandas as pd
from sklearn.utils import Bunch

__all__ = ["binarize"]


def binarize(dataset: Bunch) -> pd.DataFrame:
    """Encode the features of a data set as the paper does.

    Categorical columns become 0/1 columns, one for each value. A sensitive attribute becomes one
    column, 1 for privileged. With two sensitive attributes a last column, "a-b", is 1 for rows
    that are privileged in both.

    Examples
    --------
    >>> from dr_core import datasets
    >>> datasets.binarize(datasets.load("income")).shape
    (30162, 99)
    """
    if not {"data", "privileged"} <= set(dir(dataset)):
        raise TypeError(
            f"dataset is a {type(dataset).__name__}; pass what datasets.load(name) returns."
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
