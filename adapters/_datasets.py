"""Convert data between fairlearn's form and AIF360 datasets, without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import (
    Array,
    as_table,
    check_column,
    check_numbers,
    check_weights,
    quote,
)

from ._forms import ColumnForm, FrameForm, as_column, as_frame
from ._schema import (
    METADATA_KEY,
    Schema,
    learn_feature_codings,
    learn_labels,
    learn_sensitive,
    make_sensitive_frame,
)

__all__ = [
    "FairlearnData",
    "build_dataset",
    "check_dataset",
    "groups",
    "to_aif360",
    "to_fairlearn",
]


@dataclass(frozen=True, eq=False)
class FairlearnData:
    """Data in the form that fairlearn's functions take.

    Attributes
    ----------
    X : features
    y : true labels
        The labels of the dataset, unless it holds predicted labels.
    sensitive_features : DataFrame, or Series if one was passed to `to_aif360`
    sample_weight : weights, or None if none were passed and all are 1
    privileged : privileged value of each sensitive feature
    y_pred, scores : predicted labels and scores, or None if not passed
    """

    X: Any
    y: Any
    sensitive_features: Any
    sample_weight: Any
    privileged: Mapping[Any, Any]
    y_pred: Any = None
    scores: Any = None


def to_aif360(
    X: Any,
    y: Any,
    *,
    sensitive_features: Any = None,
    privileged: Mapping[Any, Any],
    favorable_label: Any = 1,
    sample_weight: Any = None,
    y_pred: Any = None,
    scores: Any = None,
) -> Any:
    """Convert data in fairlearn's form to an AIF360 dataset.

    All values become numbers. `to_fairlearn` restores the original data, also after AIF360 has
    split, copied, reweighed or relabelled the dataset.

    Parameters
    ----------
    X : DataFrame or array of shape (n, d)
        Columns of any type. A missing number becomes a number next to the median.
    y : Series or array of shape (n,)
        True labels with two values. Numbers keep their values; other labels become 1 (favorable)
        and 0.
    sensitive_features : Series, DataFrame or array, optional
        By default, columns of X. Sensitive features that are not in X become features of the
        dataset too, because AIF360 expects protected attributes among the features.
    privileged : mapping
        The privileged value of each sensitive feature, or a collection of privileged values.
        Numbers keep their values. Of two other values, the privileged one becomes 1 and the other
        0; three or more become 0, 1, 2 and so on.
    favorable_label : label
    sample_weight : Series or array of shape (n,), optional
    y_pred : Series or array of shape (n,), optional
        Predicted labels. If passed, they are the labels of the dataset, which can be used as
        AIF360's `classified_dataset`.
    scores : Series or array of shape (n,), optional
        Probabilities of the favorable label.

    Returns
    -------
    aif360.datasets.BinaryLabelDataset
        Its instance names are the positions of the rows, as strings.

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["Male", "Female", "Male"], "age": [30, None, 50]})
    >>> dataset = to_aif360(X, ["no", "yes", "yes"], privileged={"sex": "Male"},
    ...                     favorable_label="yes")
    >>> dataset.features
    array([[ 1., 30.],
           [ 0., 40.],
           [ 1., 50.]])
    >>> to_fairlearn(dataset).X
          sex   age
    0    Male  30.0
    1  Female   NaN
    2    Male  50.0
    """
    frame, form = as_frame(as_table(X).native)
    truth, label_form = _read_labels("y", y, len(frame))
    predicted, prediction_form = _read_labels("y_pred", y_pred, len(frame))
    sensitive = make_sensitive_frame(sensitive_features, frame, privileged)
    columns = learn_sensitive(sensitive, privileged)
    labels = learn_labels(truth, predicted, favorable_label)
    schema = Schema(
        form,
        learn_feature_codings(frame, sensitive, columns),
        columns,
        _get_sensitive_form(sensitive_features, sensitive),
        labels,
        label_form,
        privileged,
        y=None if predicted is None else labels.encode(truth),
        prediction_form=prediction_form,
        score_form=None if scores is None else as_column(scores)[1],
        weight_form=None if sample_weight is None else as_column(sample_weight)[1],
    )
    features, protected = schema.encode(frame, sensitive)
    dataset = build_dataset(schema, features, protected, labels.encode(truth))
    if predicted is not None:
        dataset.labels = labels.encode(predicted)
        dataset.scores = (dataset.labels == labels.favorable).astype(float)
    if scores is not None:
        dataset.scores = check_numbers("scores", scores, len(frame)).reshape(-1, 1)
    dataset.instance_weights = check_weights(sample_weight, len(frame))
    return dataset


def build_dataset(schema: Schema, features: Array, protected: Array, labels: Array) -> Any:
    """Create an AIF360 dataset from numbers, with their schema in its metadata.

    Parameters
    ----------
    schema : Schema
    features : array of shape (n, n_features)
    protected : array of shape (n, n_attributes)
    labels : array of shape (n, 1)

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["m", "f"]})
    >>> schema = to_aif360(X, [0, 1], privileged={"sex": "m"}).metadata[METADATA_KEY]
    >>> ones = np.ones((3, 1))
    >>> build_dataset(schema, ones, ones, ones).feature_names
    ['sex']
    """
    names, label = list(schema.features), _make_label_name(schema)
    attributes = [str(column.name) for column in schema.sensitive]
    # AIF360 reads protected attributes from the columns of the frame. X may hold an attribute in
    # another coding (3 and 7 for 0 and 1), so the original features are set afterwards.
    numbers = pd.DataFrame(np.column_stack([features, labels]), columns=[*names, label])
    for attribute, column in zip(attributes, protected.T, strict=True):
        numbers[attribute] = column
    dataset = _import_aif360_datasets().BinaryLabelDataset(
        df=numbers,
        label_names=[label],
        protected_attribute_names=attributes,
        privileged_protected_attributes=[column.privileged for column in schema.sensitive],
        unprivileged_protected_attributes=[column.unprivileged for column in schema.sensitive],
        favorable_label=schema.labels.favorable,
        unfavorable_label=schema.labels.unfavorable,
    )
    dataset.features = features
    del dataset.metadata["params"]["df"]
    dataset.metadata[METADATA_KEY] = replace(schema, instance_names=dataset.instance_names)
    return dataset


def to_fairlearn(dataset: Any) -> FairlearnData:
    """Convert an AIF360 dataset to data in fairlearn's form.

    Parameters
    ----------
    dataset : aif360.datasets.StructuredDataset
        A dataset that `to_aif360` created is restored with its original types, index and values,
        also after AIF360 has modified it. For any other dataset, its numbers are returned in
        frames.

    Returns
    -------
    FairlearnData

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["Male", "Female"], "age": [30, 40]}, index=["ann", "bob"])
    >>> dataset = to_aif360(X, [0, 1], privileged={"sex": "Male"})
    >>> back = to_fairlearn(dataset.subset([1]))
    >>> back.X
            sex  age
    bob  Female   40
    >>> back.y, back.privileged
    (array([1]), {'sex': 'Male'})
    """
    check_dataset(dataset)
    schema = dataset.metadata.get(METADATA_KEY)
    if schema is None:
        return _convert_without_schema(dataset)
    rows = schema.find_rows(dataset)
    truth = dataset.labels
    if schema.y is not None:
        truth = schema.y if rows is None else schema.y[rows]
    return FairlearnData(
        X=_restore_features(dataset, schema, rows),
        y=_restore_labels(truth, schema, schema.label_form, rows),
        sensitive_features=_restore_sensitive(dataset, schema, rows),
        sample_weight=_restore_weights(dataset, schema, rows),
        privileged=schema.privileged,
        y_pred=_restore_labels(dataset.labels, schema, schema.prediction_form, rows),
        scores=_restore_numbers(dataset.scores, schema.score_form, rows),
    )


def groups(
    dataset: Any, attribute: str | None = None
) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Return the unprivileged and privileged groups of a dataset, in AIF360's format.

    A row is privileged if it has a privileged value of every protected attribute, otherwise
    unprivileged.

    Parameters
    ----------
    dataset : aif360.datasets.StructuredDataset
    attribute : str, optional
        Protected attribute that defines the groups. By default, all of them do.

    Returns
    -------
    unprivileged_groups, privileged_groups : lists of dicts

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["f", "m", "f", "m"], "race": ["x", "y", "z", "x"]})
    >>> dataset = to_aif360(X, [0, 1, 1, 0], privileged={"sex": "m", "race": "x"})
    >>> groups(dataset, "sex")
    ([{'sex': 0.0}], [{'sex': 1.0}])
    >>> unprivileged, privileged = groups(dataset)
    >>> unprivileged
    [{'sex': 0.0}, {'race': 1.0}, {'race': 2.0}]
    >>> privileged
    [{'sex': 1.0, 'race': 0.0}]
    """
    check_dataset(dataset)
    names = _get_attribute_names(dataset, attribute)
    positions = [dataset.protected_attribute_names.index(name) for name in names]
    unprivileged = [dataset.unprivileged_protected_attributes[i] for i in positions]
    privileged = [dataset.privileged_protected_attributes[i] for i in positions]
    return (
        [
            {name: float(value)}
            for name, values in zip(names, unprivileged, strict=True)
            for value in values
        ],
        [
            {name: float(value) for name, value in zip(names, values, strict=True)}
            for values in product(*privileged)
        ],
    )


def check_dataset(dataset: Any) -> None:
    """Raise TypeError if dataset is not an AIF360 dataset.

    Examples
    --------
    >>> check_dataset([0, 1])
    Traceback (most recent call last):
    TypeError: dataset is a list; pass an AIF360 dataset, such as to_aif360 returns.
    """
    if not isinstance(dataset, _import_aif360_datasets().StructuredDataset):
        raise TypeError(
            f"dataset is a {type(dataset).__name__}; pass an AIF360 dataset, such as to_aif360 "
            "returns."
        )


def _import_aif360_datasets() -> ModuleType:
    """Import `aif360.datasets` at the first call; AIF360 is optional."""
    try:
        import aif360.datasets
    except ImportError as error:
        raise ImportError(
            "dr_adapters needs AIF360 for this: pip install 'discriminative-risk[aif360]'"
        ) from error
    return aif360.datasets


def _get_attribute_names(dataset: Any, attribute: str | None) -> list[str]:
    names: list[str] = dataset.protected_attribute_names
    if attribute is None:
        return names
    if attribute not in names:
        raise ValueError(
            f"attribute {attribute!r} is not a protected attribute; there are {quote(names)}."
        )
    return [attribute]


def _read_labels(name: str, labels: Any, n_rows: int) -> tuple[Any, Any]:
    if labels is None:
        return None, None
    check_column(name, labels, n_rows)
    return as_column(labels)


def _get_sensitive_form(features: Any, frame: pd.DataFrame) -> FrameForm | ColumnForm:
    if isinstance(features, pd.Series):
        return as_column(features)[1]
    return FrameForm(frame.index, frame.columns)


def _make_label_name(schema: Schema) -> str:
    name = schema.label_form.name
    name = "label" if name is None else str(name)
    while name in schema.features:
        name += "_"
    return name


def _restore_features(dataset: Any, schema: Schema, rows: Array | None) -> Any:
    names = list(schema.features)
    if dataset.feature_names == names:
        own = zip(schema.features.values(), dataset.features.T[: schema.n_columns], strict=False)
        return schema.frame.restore([coding.decode(column) for coding, column in own], rows)
    # Features were added, removed or reordered: known names are decoded, others stay numbers.
    kept = [name for name in dataset.feature_names if name not in names[schema.n_columns :]]
    original = dict(zip(names, schema.frame.columns, strict=False))
    columns = [dataset.features[:, dataset.feature_names.index(name)] for name in kept]
    values = [
        schema.features[name].decode(column) if name in schema.features else column
        for name, column in zip(kept, columns, strict=True)
    ]
    renamed = pd.Index([original.get(name, name) for name in kept])
    return schema.frame.restore(values, rows, renamed)


def _restore_labels(
    labels: Array, schema: Schema, form: ColumnForm | None, rows: Array | None
) -> Any:
    if form is None:
        return None
    return form.restore(schema.labels.coding.decode(labels.ravel()), rows)


def _restore_sensitive(dataset: Any, schema: Schema, rows: Array | None) -> Any:
    numbers = zip(schema.sensitive, dataset.protected_attributes.T, strict=True)
    values = [column.coding.decode(number) for column, number in numbers]
    if isinstance(schema.sensitive_form, ColumnForm):
        return schema.sensitive_form.restore(values[0], rows)
    return schema.sensitive_form.restore(values, rows)


def _restore_weights(dataset: Any, schema: Schema, rows: Array | None) -> Any:
    if schema.weight_form is None and (dataset.instance_weights == 1).all():
        return None
    index = schema.frame.index
    form = schema.weight_form or ColumnForm(index, "sample_weight", np.dtype(float))
    return _restore_numbers(dataset.instance_weights, form, rows)


def _restore_numbers(numbers: Array, form: ColumnForm | None, rows: Array | None) -> Any:
    """Return numbers in their original dtype, or as floats if it cannot represent them."""
    if form is None:
        return None
    numbers = np.ravel(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        is_exact = (numbers.astype(form.dtype).astype(float) == numbers).all()
    dtype = form.dtype if is_exact else float
    return form.restore(pd.Series(numbers).astype(dtype).array, rows)


def _convert_without_schema(dataset: Any) -> FairlearnData:
    """Return the numbers of a dataset that `to_aif360` did not create, in frames."""
    index = pd.Index(dataset.instance_names)

    def frame(numbers: Array, columns: list[str]) -> pd.DataFrame:
        return pd.DataFrame(numbers, index=index, columns=columns)

    names = dataset.protected_attribute_names
    privileged = zip(names, dataset.privileged_protected_attributes, strict=True)
    return FairlearnData(
        X=frame(dataset.features.copy(), dataset.feature_names),
        y=pd.Series(dataset.labels.ravel(), index=index, name=dataset.label_names[0]),
        sensitive_features=frame(dataset.protected_attributes.copy(), names),
        sample_weight=pd.Series(dataset.instance_weights, index=index, name="sample_weight"),
        privileged={name: [float(value) for value in values] for name, values in privileged},
    )
