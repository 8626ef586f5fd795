"""Data of fairlearn users as AIF360 datasets, and back, without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import Array, as_table, check_column, check_numbers, check_weights

from ._forms import ColumnForm, FrameForm, as_column, as_frame
from ._labels import learn_labels
from ._optional import aif360_datasets, require_dataset
from ._schema import KEY, Schema, feature_codings
from ._sensitive import learn_sensitive, sensitive_frame

__all__ = ["FairlearnData", "build_dataset", "to_aif360", "to_fairlearn"]


@dataclass(frozen=True, eq=False)
class FairlearnData:
    """Data as fairlearn's functions take it.

    Attributes
    ----------
    X : features
    y : true labels; the dataset's labels when it does not hold predicted ones besides
    sensitive_features : frame, or Series if one was given
    sample_weight : or None when none was given and all are 1
    privileged : privileged value of each sensitive feature
    y_pred, scores : predicted labels and scores, when they were given
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
    """Turn the data of a fairlearn user into an AIF360 dataset.

    Everything becomes numbers that models can take, and `to_fairlearn` turns back, also after
    AIF360 has split, copied, reweighed or relabelled the dataset.

    Parameters
    ----------
    X : DataFrame or array of shape (n, d)
        Columns of any type. Missing numbers become a number next to the median.
    y : Series or array of shape (n,)
        True labels, two of them. Numbers stay, anything else becomes 1 (favorable) and 0.
    sensitive_features : Series, DataFrame or array, optional
        Left out, they are columns of X. Features that X does not have become features of the
        dataset too, as AIF360 expects of protected attributes.
    privileged : mapping
        The privileged value of each sensitive feature, or a collection of them. Numbers keep their
        values; two values in words become 1 (privileged) and 0, more of them 0, 1, 2 and so on.
    favorable_label : label
    sample_weight : Series or array of shape (n,), optional
    y_pred : Series or array of shape (n,), optional
        Predicted labels: the dataset then is a classified one, and holds these as its labels.
    scores : Series or array of shape (n,), optional
        Probabilities of the favorable label.

    Returns
    -------
    aif360.datasets.BinaryLabelDataset
        Its instance names are the positions of the rows.

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
    truth, label_form = _label_column("y", y, len(frame))
    predicted, prediction_form = _label_column("y_pred", y_pred, len(frame))
    sensitive = sensitive_frame(sensitive_features, frame, privileged)
    columns = learn_sensitive(sensitive, privileged)
    labels = learn_labels(truth, predicted, favorable_label)
    schema = Schema(
        form,
        feature_codings(frame, sensitive, columns),
        columns,
        _sensitive_form(sensitive_features, sensitive),
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
    """Put numbers into an AIF360 dataset that knows what they mean.

    Parameters
    ----------
    schema : Schema
    features, protected, labels : arrays of shape (n, features), (n, attributes), (n, 1)

    Examples
    --------
    >>> X = pd.DataFrame({"sex": ["m", "f"]})
    >>> schema = to_aif360(X, [0, 1], privileged={"sex": "m"}).metadata[KEY]
    >>> more = np.ones((3, 1))
    >>> build_dataset(schema, more, more, more).feature_names
    ['sex']
    """
    names, label = list(schema.features), _label_name(schema)
    attributes = [str(column.name) for column in schema.sensitive]
    # AIF360 reads protected attributes off the features, which may hold them in another coding.
    numbers = pd.DataFrame(np.column_stack([features, labels]), columns=[*names, label])
    for attribute, column in zip(attributes, protected.T, strict=True):
        numbers[attribute] = column
    dataset = aif360_datasets().BinaryLabelDataset(
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
    dataset.metadata[KEY] = replace(schema, instance_names=dataset.instance_names)
    return dataset


def to_fairlearn(dataset: Any) -> FairlearnData:
    """Turn an AIF360 dataset into data for fairlearn.

    Parameters
    ----------
    dataset : aif360.datasets.StructuredDataset
        One that `to_aif360` made, whatever AIF360 did with it since: it comes back with its
        original types, index and words. Or any other: its numbers come back in frames.

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
    require_dataset(dataset)
    schema = dataset.metadata.get(KEY)
    if schema is None:
        return _foreign(dataset)
    rows = schema.rows(dataset)
    has_predictions = schema.prediction_form is not None
    return FairlearnData(
        X=_features(dataset, schema, rows),
        y=_labels(_true_labels(dataset, schema, rows), schema, schema.label_form, rows),
        sensitive_features=_sensitive(dataset, schema, rows),
        sample_weight=_weights(dataset, schema, rows),
        privileged=schema.privileged,
        y_pred=_labels(dataset.labels, schema, schema.prediction_form, rows)
        if has_predictions
        else None,
        scores=_given(dataset.scores, schema.score_form, rows),
    )


def _label_column(name: str, labels: Any, n_rows: int) -> tuple[Any, Any]:
    if labels is None:
        return None, None
    check_column(name, labels, n_rows)
    return as_column(labels)


def _sensitive_form(features: Any, frame: pd.DataFrame) -> FrameForm | ColumnForm:
    if isinstance(features, pd.Series):
        return as_column(features)[1]
    return FrameForm(frame.index, frame.columns)


def _label_name(schema: Schema) -> str:
    name = schema.label_form.name
    name = "label" if name is None else str(name)
    while name in schema.features:
        name += "_"
    return name


def _features(dataset: Any, schema: Schema, rows: Array | None) -> Any:
    names = list(schema.features)
    if dataset.feature_names == names:
        own = zip(schema.features.values(), dataset.features.T[: schema.n_own], strict=False)
        return schema.frame.give([coding.decode(column) for coding, column in own], rows)
    kept = [name for name in dataset.feature_names if name not in names[schema.n_own :]]
    original = dict(zip(names, schema.frame.columns, strict=False))
    columns = [dataset.features[:, dataset.feature_names.index(name)] for name in kept]
    values = [
        schema.features[name].decode(column) if name in schema.features else column
        for name, column in zip(kept, columns, strict=True)
    ]
    return schema.frame.give(values, rows, pd.Index([original.get(name, name) for name in kept]))


def _true_labels(dataset: Any, schema: Schema, rows: Array | None) -> Array:
    if schema.y is None:
        return dataset.labels
    return schema.y if rows is None else schema.y[rows]


def _labels(labels: Array, schema: Schema, form: Any, rows: Array | None) -> Any:
    return form.give(schema.labels.coding.decode(labels.ravel()), rows)


def _sensitive(dataset: Any, schema: Schema, rows: Array | None) -> Any:
    numbers = zip(schema.sensitive, dataset.protected_attributes.T, strict=True)
    values = [column.coding.decode(number) for column, number in numbers]
    if isinstance(schema.sensitive_form, ColumnForm):
        return schema.sensitive_form.give(values[0], rows)
    return schema.sensitive_form.give(values, rows)


def _weights(dataset: Any, schema: Schema, rows: Array | None) -> Any:
    if schema.weight_form is None and (dataset.instance_weights == 1).all():
        return None
    index = schema.frame.index
    form = schema.weight_form or ColumnForm(index, "sample_weight", np.dtype(float))
    return _given(dataset.instance_weights, form, rows)


def _given(numbers: Array, form: ColumnForm | None, rows: Array | None) -> Any:
    if form is None:
        return None
    numbers = np.ravel(numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        held = (numbers.astype(form.dtype).astype(float) == numbers).all()
    return form.give(pd.Series(numbers).astype(form.dtype if held else float).array, rows)


def _foreign(dataset: Any) -> FairlearnData:
    """Numbers of a dataset that was not made here, in frames."""
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
