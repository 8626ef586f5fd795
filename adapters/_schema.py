"""What AIF360's numbers mean: the schema that travels in the metadata of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import Array, listed

from ._codings import Coding, learn_coding
from ._forms import ColumnForm, FrameForm
from ._labels import Labels
from ._sensitive import SensitiveColumn

__all__ = ["KEY", "Schema", "feature_codings", "same_column"]

KEY = "dr_adapters"
"""Where the schema is in the metadata of a dataset."""


@dataclass(frozen=True, eq=False)
class Schema:
    """How a dataset was made, and so how to take it back.

    Copies of a dataset share it: it is never changed.

    Attributes
    ----------
    frame : FrameForm of X
    features : Coding of each feature by its name; those of X, then sensitive ones X does not have
    sensitive : list of SensitiveColumn
    sensitive_form : FrameForm, or ColumnForm when one Series was given
    labels : Labels
    label_form : ColumnForm of y
    privileged : what the user passed
    instance_names : list of str
        Names of the rows in the dataset as it was made.
    y : true labels as numbers, when the dataset holds predicted ones
    prediction_form, score_form, weight_form : ColumnForm, or None when there were none
    """

    frame: FrameForm
    features: Mapping[str, Coding]
    sensitive: list[SensitiveColumn]
    sensitive_form: FrameForm | ColumnForm
    labels: Labels
    label_form: ColumnForm
    privileged: Mapping[Any, Any]
    instance_names: list[str] = field(default_factory=list)
    y: Array | None = None
    prediction_form: ColumnForm | None = None
    score_form: ColumnForm | None = None
    weight_form: ColumnForm | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Schema:
        return self

    @property
    def n_own(self) -> int:
        """How many of the features are columns of X."""
        return len(self.frame.columns)

    def rows(self, dataset: Any) -> Array | None:
        """Positions of a dataset's rows in the data that was given; None for all, in order."""
        if dataset.instance_names == self.instance_names:
            return None
        names, n = dataset.instance_names, len(self.instance_names)
        if not all(name.isdecimal() and int(name) < n for name in names):
            raise ValueError(
                "instance_names are not those that to_aif360 gave to the rows; keep them, or drop "
                f"metadata[{KEY!r}] to convert the dataset as it is."
            )
        return np.fromiter(map(int, names), np.intp, len(names))

    def for_rows(self, X: FrameForm, sensitive: FrameForm) -> Schema:
        """The same codings for other rows, of which nothing but X is known yet."""
        unlabelled = replace(self.label_form, index=sensitive.index)
        nothing: dict[str, Any] = dict.fromkeys(
            ["y", "prediction_form", "score_form", "weight_form"]
        )
        columns = FrameForm(X.index, self.frame.columns, X.dtype)
        return replace(
            self, frame=columns, sensitive_form=sensitive, label_form=unlabelled, **nothing
        )

    def encode(self, X: pd.DataFrame, sensitive: pd.DataFrame) -> tuple[Array, Array]:
        """Features and protected attributes of other data, as numbers."""
        protected = [column.coding.encode(sensitive[column.name]) for column in self.sensitive]
        by_name = {
            str(c.name): numbers for c, numbers in zip(self.sensitive, protected, strict=True)
        }
        names = list(self.features)
        own = [
            self.features[name].encode(X[column])
            for name, column in zip(names, self.frame.columns, strict=False)
        ]
        return (
            np.column_stack(own + [by_name[name] for name in names[self.n_own :]]),
            np.column_stack(protected),
        )


def feature_codings(
    X: pd.DataFrame, frame: pd.DataFrame, sensitive: list[SensitiveColumn]
) -> dict[str, Coding]:
    """Coding of each feature by its name; a sensitive one in X shares the attribute's coding.

    Examples
    --------
    >>> list(feature_codings(pd.DataFrame({"age": [1], 0: [2]}), pd.DataFrame(), []))
    ['age', '0']
    """
    protected = {column.name: column.coding for column in sensitive}
    codings = {
        str(name): protected[name]
        if name in protected and same_column(X[name], frame[name])
        else learn_coding(X[name])
        for name in X.columns
    }
    if len(codings) < len(X.columns):
        raise ValueError(
            f"columns of X have the same name as text: {listed(map(str, X.columns))}. AIF360 "
            "names features by text; rename them."
        )
    return codings | {
        str(column.name): column.coding for column in sensitive if column.name not in X.columns
    }


def same_column(one: pd.Series, other: pd.Series) -> bool:
    """Whether two columns hold the same values in the same order, whatever their indices.

    Examples
    --------
    >>> same_column(pd.Series([1, 2]), pd.Series([1, 2], index=["a", "b"]))
    True
    """
    return one is other or (one.dtype == other.dtype and one.array.equals(other.array))
