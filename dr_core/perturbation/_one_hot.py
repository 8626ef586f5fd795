"""One sensitive attribute, or coupled column, in several 0/1 columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dr_core._tables import Table, read_zero_one
from dr_core._utils import Array, format_count, quote

__all__ = ["OneHot", "encode_one_hot", "read_one_hot"]


@dataclass(frozen=True)
class OneHot:
    """A sensitive attribute that is one-hot encoded in X.

    Parameters
    ----------
    columns : sequence of column names (or positions)
        The 0/1 columns of the attribute, one for each value.
    privileged : column name, or a collection of them
        The columns of the privileged values.
    dropped : hashable, optional
        Name of the value without a column, if the encoding dropped one. Rows with 0 in all columns
        have this value. It may be privileged.

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core import perturb
    >>> X = pd.DataFrame({"age": [30, 40], "sex_Female": [0, 1], "sex_Male": [1, 0]})
    >>> perturb(X, {"sex": OneHot(["sex_Female", "sex_Male"], privileged="sex_Male")})
       age  sex_Female  sex_Male
    0   30           1         0
    1   40           0         1
    """

    columns: Sequence[Hashable]
    privileged: Any
    dropped: Hashable | None = None


def encode_one_hot(table: Table, name: Any, columns: Sequence[Any], has_dropped: bool) -> Array:
    """Return the codes of a one-hot attribute; rows without a 1 have the dropped value."""
    codes, n_ones, is_missing = read_one_hot(table, columns)
    is_dropped = (n_ones == 0) & ~is_missing & has_dropped
    wrong = (codes < 0) & ~is_missing & ~is_dropped
    if wrong.any():
        raise ValueError(
            f"one-hot attribute {name!r}: {format_count(int(wrong.sum()), 'row')} without exactly "
            f"one 1 among {quote(columns)}. If the encoding dropped a value, name it: "
            "OneHot(..., dropped=...)."
        )
    # The code of the dropped value follows those of the columns.
    return np.where(is_dropped, len(columns), codes)


def read_one_hot(table: Table, columns: Sequence[Any]) -> tuple[Array, Array, Array]:
    """Read one-hot columns.

    Returns
    -------
    codes : (n,) position of the only 1 of each row; -1 for rows with a missing value, without a 1
        or with more than one
    n_ones : (n,) number of ones
    is_missing : (n,) whether any of the columns is missing

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core._tables import as_table
    >>> table = as_table(pd.DataFrame({"a": [1, 0, 0, 1], "b": [0, 1, 0, None]}))
    >>> [found.tolist() for found in read_one_hot(table, ["a", "b"])]
    [[0, 1, -1, -1], [1, 1, 0, 1], [False, False, False, True]]
    """
    # Rows of `hot` are the columns: a = (1, 0, 0, 1) and b = (0, 1, 0, -1), where -1 is missing.
    # The position of the largest value in each column of `hot`, (0, 1, 0, 0), is the position of
    # the 1, if there is exactly one.
    hot = np.stack([read_zero_one(table.factorize(column), column) for column in columns])
    n_ones, is_missing = (hot == 1).sum(axis=0), hot.min(axis=0) < 0
    codes = np.where((n_ones == 1) & ~is_missing, hot.argmax(axis=0), -1)
    return codes, n_ones, is_missing
