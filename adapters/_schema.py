"""The schema of a converted dataset: how features, sensitive features and labels became numbers.

`to_aif360` stores the schema in the metadata of the dataset, and `to_fairlearn` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from dr_core import OneHot, learn_attributes
from dr_core.plugins import (
    Array,
    Attribute,
    check_privileged,
    factorize,
    have_fractions,
    quote,
    sort_values,
)

from ._advice import advise_datasets
from ._codings import (
    CategoryCoding,
    Coding,
    is_numeric_column,
    learn_coding,
    make_category_coding,
)
from ._forms import ColumnForm, FrameForm, convert_foreign_frame
from ._one_hot import expand_codes
from ._originals import Originals

__all__ = [
    "METADATA_KEY",
    "BinaryLabels",
    "Schema",
    "SensitiveColumn",
    "check_single_columns",
    "learn_feature_codings",
    "learn_labels",
    "learn_sensitive",
    "make_sensitive_frame",
]

METADATA_KEY = "dr_adapters"
"""Key of the schema in the metadata of a dataset."""


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """One sensitive feature.

    Attributes
    ----------
    name : name of the feature
    coding : Coding
    privileged, unprivileged : arrays of the encoded values
    is_quantity : whether a range is privileged, not single values
    """

    name: Any
    coding: Coding
    privileged: Array
    unprivileged: Array
    is_quantity: bool = False

    @property
    def words(self) -> dict[float, Any]:
        """The values of an attribute in words, by their codes; {} for numbers."""
        if not isinstance(self.coding, CategoryCoding):
            return {}
        codes = np.sort(np.concatenate([self.privileged, self.unprivileged]))
        return dict(zip(codes.tolist(), self.coding.decode(codes), strict=True))


@dataclass(frozen=True, eq=False)
class BinaryLabels:
    """The two labels and their encoded values.

    Attributes
    ----------
    coding : Coding
    favorable, unfavorable : float
    """

    coding: Coding
    favorable: float
    unfavorable: float

    def encode(self, column: pd.Series) -> Array:
        """Return the encoded labels, shape (n, 1)."""
        return self.coding.encode(column).reshape(-1, 1)

    @property
    def favorable_label(self) -> Any:
        """The original favorable label."""
        return pd.Series(self.coding.decode(np.array([self.favorable]))).tolist()[0]

    @property
    def classes(self) -> Array:
        """Both original labels, sorted."""
        both = self.coding.decode(np.array([self.unfavorable, self.favorable]))
        return np.array(sort_values(list(both)))


@dataclass(frozen=True, eq=False)
class Schema:
    """How a dataset was created. It is immutable, so copies of a dataset share it.

    Attributes
    ----------
    frame : FrameForm of X
    features : mapping of feature name to Coding
        The columns of X, then the sensitive features that are not in X.
    sensitive : list of SensitiveColumn
    sensitive_form : FrameForm, or ColumnForm if a Series was passed
    labels : BinaryLabels
    label_form : ColumnForm of y
    privileged : mapping, as passed
    instance_names : list of str
        Names of the rows when the dataset was created.
    y : encoded true labels if the dataset holds predicted labels, otherwise None
    prediction_form, score_form, weight_form : ColumnForm, or None if not passed
    one_hot : names of the one-hot features of columns that are encoded so
    originals : numbers that features had when the dataset was created
    """

    frame: FrameForm
    features: Mapping[str, Coding]
    sensitive: list[SensitiveColumn]
    sensitive_form: FrameForm | ColumnForm
    labels: BinaryLabels
    label_form: ColumnForm
    privileged: Mapping[Any, Any]
    instance_names: list[str] = field(default_factory=list)
    y: Array | None = None
    prediction_form: ColumnForm | None = None
    score_form: ColumnForm | None = None
    weight_form: ColumnForm | None = None
    one_hot: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    originals: Originals | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Schema:
        return self

    @property
    def feature_names(self) -> list[str]:
        """Names of the features of the dataset."""
        return [one for name in self.features for one in self.one_hot.get(name, (name,))]

    @property
    def n_columns(self) -> int:
        """Number of features that are columns of X."""
        return len(self.frame.columns)

    def find_rows(self, dataset: Any) -> Array | None:
        """Return the positions of a dataset's rows in the original data.

        None means all rows, in order. Instance names are these positions as text.
        """
        if dataset.instance_names == self.instance_names:
            return None
        names, n = dataset.instance_names, len(self.instance_names)
        if not all(name.isdecimal() and int(name) < n for name in names):
            raise ValueError(
                "instance_names are not those that to_aif360 set; keep them, or delete "
                f"metadata[{METADATA_KEY!r}] to convert the dataset as it is."
            )
        return np.fromiter(map(int, names), np.intp, len(names))

    def replace_rows(self, X: FrameForm, sensitive: FrameForm) -> Schema:
        """Return a schema with the same codings for other rows that have no labels or weights."""
        return replace(
            self,
            frame=FrameForm(X.index, self.frame.columns, X.dtype),
            sensitive_form=sensitive,
            label_form=replace(self.label_form, index=sensitive.index),
            y=None,
            prediction_form=None,
            score_form=None,
            weight_form=None,
        )

    def encode(self, X: pd.DataFrame, sensitive: pd.DataFrame) -> tuple[Array, Array]:
        """Return the encoded features and protected attributes of any rows."""
        protected = [column.coding.encode(sensitive[column.name]) for column in self.sensitive]
        by_name = {
            str(c.name): numbers for c, numbers in zip(self.sensitive, protected, strict=True)
        }
        # Names of features are those of X's columns, then of the sensitive features outside X:
        # ["age", "sex"] with the column "age" of X and "sex" in sensitive.
        names = list(self.features)
        own = [
            self._expand(name, self.features[name].encode(X[column]))
            for name, column in zip(names, self.frame.columns, strict=False)
        ]
        return (
            np.column_stack(own + [by_name[name] for name in names[self.n_columns :]]),
            np.column_stack(protected),
        )

    def _expand(self, name: str, numbers: Array) -> Array:
        """Return a column, or its one-hot features, (n,) or (n, k)."""
        features = self.one_hot.get(name)
        return numbers if features is None else expand_codes(numbers, len(features))

    def remember(self, dataset: Any) -> Schema:
        """Return the schema with the names of a new dataset's rows and the numbers it has."""
        columns = dict(zip(dataset.feature_names, dataset.features.T, strict=True))
        sensitive = [column.coding for column in self.sensitive]
        originals = Originals.of(self.features, columns, dataset.protected_attributes, sensitive)
        return replace(self, instance_names=dataset.instance_names, originals=originals)


def learn_feature_codings(
    X: pd.DataFrame,
    frame: pd.DataFrame,
    sensitive: list[SensitiveColumn],
    *,
    keep_missing: bool = False,
) -> dict[str, Coding]:
    """Return the coding of each feature by its name.

    A sensitive feature in X has the coding of the protected attribute.

    Parameters
    ----------
    X : DataFrame
    frame : DataFrame of the sensitive features
    sensitive : list of SensitiveColumn
    keep_missing : whether missing numbers stay NaN

    Examples
    --------
    >>> list(learn_feature_codings(pd.DataFrame({"age": [1], 0: [2]}), pd.DataFrame(), []))
    ['age', '0']
    """
    protected = {column.name: column.coding for column in sensitive}
    codings = {
        str(name): protected[name]
        if name in protected and _are_columns_equal(X[name], frame[name])
        else learn_coding(X[name], keep_missing=keep_missing)
        for name in X.columns
    }
    if len(codings) < len(X.columns):
        raise ValueError(
            f"columns of X have the same name as text: {quote(map(str, X.columns))}. Rename "
            "them: feature names of AIF360 are strings."
        )
    return codings | {
        str(column.name): column.coding for column in sensitive if column.name not in X.columns
    }


def check_single_columns(privileged: Any) -> None:
    """Raise an error unless `privileged` maps names of single columns to their values."""
    check_privileged(privileged)
    if not isinstance(privileged, Mapping):
        raise TypeError(
            f"privileged is a {type(privileged).__name__}; pass a mapping, such as "
            '{"sex": "Male"}. Datasets of AIF360 cannot hold missing protected attributes: drop '
            "or fill these rows first. Functions of aif360_dr have the arguments domain and "
            "coupled."
        )
    for name, value in privileged.items():
        if isinstance(value, OneHot):
            _refuse_one_hot(name, value)


def make_sensitive_frame(
    features: Any, X: pd.DataFrame, privileged: Mapping[Any, Any]
) -> pd.DataFrame:
    """Return the sensitive features as a DataFrame.

    Parameters
    ----------
    features : Series, DataFrame, array, or None to take them from X
    X : DataFrame
    privileged : mapping

    Examples
    --------
    >>> X = pd.DataFrame({"age": [20, 30]})
    >>> make_sensitive_frame(["f", "m"], X, {"sex": "m"})
      sex
    0   f
    1   m
    """
    check_single_columns(privileged)
    if features is None:
        lacking = [name for name in privileged if name not in X.columns]
        if lacking:
            raise ValueError(
                f"sensitive column {lacking[0]!r} is not in X, which has {quote(X.columns)}; "
                "pass it as sensitive_features."
            )
        return X[list(privileged)]
    frame = _name_columns(features, privileged)
    if len(frame) != len(X):
        raise ValueError(f"sensitive_features has length {len(frame)}, but X has {len(X)} rows.")
    if set(frame.columns) != set(privileged):
        raise ValueError(
            f"sensitive_features has columns {quote(frame.columns)}, but privileged names "
            f"{quote(privileged)}; each needs its privileged value."
        )
    return frame


def learn_sensitive(frame: pd.DataFrame, privileged: Mapping[Any, Any]) -> list[SensitiveColumn]:
    """Learn the coding of each sensitive feature.

    Numbers keep their values. Of two other values, the privileged one becomes 1 and the other 0.
    Three or more values become 0, 1, 2 and so on, in sorted order.

    Examples
    --------
    >>> race = pd.DataFrame({"race": ["White", "Black", "Other"]})
    >>> [column] = learn_sensitive(race, {"race": "White"})
    >>> column.coding.encode(race["race"]), column.privileged, column.unprivileged
    (array([2., 0., 1.]), array([2.]), array([0., 1.]))
    """
    ordered = {name: privileged[name] for name in frame.columns}
    # Levels of the index are no sensitive features here, whatever their names are.
    with advise_datasets():
        attributes = learn_attributes(frame.reset_index(drop=True), ordered)
    for attribute in attributes:
        _check_no_missing_sensitive(frame[attribute.name])
    return [_learn_sensitive_column(each, frame[each.name]) for each in attributes]


def learn_labels(y: pd.Series, y_pred: pd.Series | None, favorable: Any) -> BinaryLabels:
    """Learn both labels. Numbers keep their values; other labels become 1 (favorable) and 0.

    Examples
    --------
    >>> labels = learn_labels(pd.Series(["no", "yes"]), None, "yes")
    >>> labels.favorable, labels.unfavorable, labels.classes
    (1.0, 0.0, array(['no', 'yes'], dtype='<U3'))
    """
    others = _find_other_labels(y, y_pred, favorable)
    is_numeric = is_numeric_column(y)
    if is_numeric == isinstance(favorable, str) and favorable not in _get_distinct_labels(y):
        raise ValueError(
            f"favorable_label is {favorable!r}, but y has the labels "
            f"{quote(_get_distinct_labels(y))}."
        )
    if is_numeric:
        other = float(others[0]) if others else float(not favorable)
        return BinaryLabels(learn_coding(y), float(favorable), other)
    return BinaryLabels(make_category_coding([*(others or [None]), favorable], y), 1.0, 0.0)


def _refuse_one_hot(name: Any, one_hot: OneHot) -> None:
    columns = list(one_hot.columns)
    values = f"X[{columns!r}].idxmax(axis=1)"
    if one_hot.dropped is not None:
        values += f".where(X[{columns!r}].any(axis=1), {one_hot.dropped!r})"
    raise ValueError(
        f"privileged[{name!r}] is OneHot; a protected attribute of AIF360 is one column. Add it "
        f"to X, as X.assign(**{{{name!r}: {values}}}), and pass privileged={{{name!r}: "
        f"{one_hot.privileged!r}}}. The one-hot columns stay features; pass carried_by="
        f"{{{name!r}: {columns!r}}} to aif360_dr, so that they change with it."
    )


def _learn_sensitive_column(attribute: Attribute, column: pd.Series) -> SensitiveColumn:
    values, is_privileged = list(attribute.values), attribute.is_privileged
    if is_numeric_column(column):
        coding: Coding = learn_coding(column)
        numbers = np.array([float(value) for value in values])
    else:
        # argsort puts the unprivileged one of two values first, so that it becomes 0:
        # "Male" (privileged), "Female"  ->  order 1, 0  ->  "Female" 0, "Male" 1
        order = np.argsort(is_privileged) if len(values) == 2 else np.arange(len(values))
        values, is_privileged = [values[i] for i in order], is_privileged[order]
        coding = make_category_coding(values, column)
        numbers = np.arange(len(values), dtype=float)
    groups = numbers[is_privileged], numbers[~is_privileged]
    return SensitiveColumn(attribute.name, coding, *groups, attribute.condition is not None)


def _name_columns(features: Any, privileged: Mapping[Any, Any]) -> pd.DataFrame:
    """Return sensitive features as a DataFrame; those without a name are named by privileged."""
    if isinstance(features, str):
        raise TypeError(
            f"sensitive_features is the string {features!r}; pass the values, such as "
            f"X[{features!r}], or leave it out if privileged names columns of X."
        )
    if isinstance(features, pd.DataFrame):
        return features
    if isinstance(features, pd.Series):
        return features.to_frame(
            next(iter(privileged)) if features.name is None else features.name
        )
    if isinstance(features, Mapping):
        return pd.DataFrame(features)
    foreign = convert_foreign_frame(features)
    if foreign is not None:
        return foreign
    array = np.asarray(features)
    array = array.reshape(len(array), -1)
    if array.shape[1] != len(privileged):
        raise ValueError(
            f"sensitive_features has {array.shape[1]} columns, but privileged names "
            f"{quote(privileged)}."
        )
    return pd.DataFrame(array, columns=list(privileged))


def _check_no_missing_sensitive(column: pd.Series) -> None:
    count = int(column.isna().sum())
    if count:
        raise ValueError(
            f"sensitive feature {column.name!r} is missing in {count} of {len(column)} rows. "
            "Fill or drop them: AIF360 does not accept missing protected attributes. The argument "
            "missing of to_aif360 is about other columns."
        )


def _are_columns_equal(one: pd.Series, other: pd.Series) -> bool:
    """Return whether two columns hold the same values in the same order, for any index."""
    return one is other or (one.dtype == other.dtype and one.array.equals(other.array))


def _find_other_labels(y: pd.Series, y_pred: pd.Series | None, favorable: Any) -> list[Any]:
    columns = [y] if y_pred is None else [y, y_pred]
    found = dict.fromkeys(value for column in columns for value in _get_distinct_labels(column))
    others = [value for value in found if value != favorable]
    if y_pred is not None and have_fractions(y_pred.to_numpy()):
        raise ValueError(
            f"y_pred has {quote(_get_distinct_labels(y_pred), 3)}, which are scores, not labels. "
            "Pass them as scores=, and the predicted labels as y_pred."
        )
    if len(others) > 1:
        raise ValueError(
            f"y has the labels {quote(found)}; it must have favorable_label, {favorable!r}, and "
            "one other label."
        )
    return others


def _get_distinct_labels(column: pd.Series) -> list[Any]:
    return factorize(column).values
