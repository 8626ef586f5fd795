"""Convert data between fairlearn's form and AIF360 datasets, without loss."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from dr_core.plugins import (
    Array,
    as_table,
    check_choice,
    check_column,
    check_numbers,
    check_row_order,
    check_weights,
    quote,
)

from ._fairlearn_data import FairlearnData
from ._features import decode_features
from ._foreign import convert_foreign, get_scores
from ._forms import ColumnForm, FrameForm, as_column, as_frame, check_dense
from ._one_hot import name_one_hot
from ._schema import (
    METADATA_KEY,
    Schema,
    learn_feature_codings,
    learn_labels,
    learn_sensitive,
    make_sensitive_frame,
)

__all__ = [
    "build_dataset",
    "check_dataset",
    "groups",
    "to_aif360",
    "to_fairlearn",
]


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
    one_hot: bool = False,
    missing: str = "median",
) -> Any:
    """Convert data in fairlearn's form to an AIF360 dataset.

    All values become numbers. `to_fairlearn` restores the original data, also after AIF360 has
    split, copied, reweighed or relabelled the dataset.

    Parameters
    ----------
    X : DataFrame (pandas, polars) or array of shape (n, d)
        Columns of any type.
    y : Series or array of shape (n,)
        True labels with two values. Numbers keep their values; other labels become 1 (favorable)
        and 0.
    sensitive_features : Series, DataFrame or array, optional
        By default, columns of X. Sensitive features that are not in X become features of the
        dataset too, because AIF360 expects protected attributes among the features.
    privileged : mapping
        The privileged value of each sensitive feature, or a collection of privileged values.
        Numbers keep their values. In an attribute with two values in words, the privileged one
        becomes 1 and the other 0. Three or more values in words become 0, 1, 2 and so on. Values
        must not be missing. An attribute in one-hot columns must be added as one column; an error
        for `OneHot` says how.
    favorable_label : label
    sample_weight : Series or array of shape (n,), optional
    y_pred : Series or array of shape (n,), optional
        Predicted labels. If passed, they are the labels of the dataset, which can be used as
        AIF360's `classified_dataset`.
    scores : Series or array of shape (n,), optional
        Probabilities of the favorable label.
    one_hot : bool
        Whether columns in words that are not sensitive become one-hot features, named
        `column=value` as in AIF360. By default, their values become 0, 1, 2 and so on.
    missing : {"median", "keep"}
        Whether a missing number becomes a number next to the median, or stays NaN for models that
        accept NaN. Missing words are a value of their own.

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
    check_choice("missing", missing, ("median", "keep"))
    check_dense(X)
    frame, form = as_frame(as_table(X).native)
    others = {"y": y, "sensitive_features": sensitive_features, "sample_weight": sample_weight}
    check_row_order(X, others | {"y_pred": y_pred, "scores": scores})
    truth, label_form = _read_labels("y", y, len(frame))
    predicted, prediction_form = _read_labels("y_pred", y_pred, len(frame))
    sensitive = make_sensitive_frame(sensitive_features, frame, privileged)
    columns = learn_sensitive(sensitive, privileged)
    labels = learn_labels(truth, predicted, favorable_label)
    codings = learn_feature_codings(frame, sensitive, columns, keep_missing=missing == "keep")
    schema = Schema(
        form,
        codings,
        columns,
        _get_sensitive_form(sensitive_features, sensitive),
        labels,
        label_form,
        privileged,
        y=None if predicted is None else labels.encode(truth),
        prediction_form=prediction_form,
        score_form=None if scores is None else as_column(scores)[1],
        weight_form=None if sample_weight is None else as_column(sample_weight)[1],
        one_hot=name_one_hot(codings, [str(name) for name in privileged]) if one_hot else {},
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
    names, label = schema.feature_names, _make_label_name(schema)
    _check_names_differ(names)
    attributes = [str(column.name) for column in schema.sensitive]
    # AIF360 reads protected attributes from the columns of the frame. X may hold an attribute in
    # another coding (3 and 7 for 0 and 1), so the original features are set afterwards.
    has_gaps = bool(np.isnan(features).any())  # which AIF360 refuses
    filled = np.nan_to_num(features) if has_gaps else features
    numbers = pd.DataFrame(np.column_stack([filled, labels]), columns=[*names, label])
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
    if has_gaps:
        # Metrics of AIF360 compare datasets, in which NaN differs from itself.
        dataset.ignore_fields.add("features")
    del dataset.metadata["params"]["df"]
    dataset.metadata[METADATA_KEY] = schema.remember(dataset)
    # The names of values are kept where AIF360's own datasets keep them.
    dataset.metadata["protected_attribute_maps"] = [column.words for column in schema.sensitive]
    quantities = [str(column.name) for column in schema.sensitive if column.is_quantity]
    if quantities:
        dataset.metadata["quantities"] = quantities  # read by aif360_dr
    return dataset


def to_fairlearn(dataset: Any) -> FairlearnData:
    """Convert an AIF360 dataset to data in fairlearn's form.

    Parameters
    ----------
    dataset : aif360.datasets.StructuredDataset
        A dataset that `to_aif360` created is restored with its original types, index and values,
        also after AIF360 has modified it. Features that are not codes any more, because they were
        scaled, are returned as numbers. Of any other dataset, words are restored from its
        `label_maps`, `protected_attribute_maps` and one-hot features `column=value`.

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
        return convert_foreign(dataset)
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
        scores=_restore_scores(dataset, schema, rows),
        favorable_label=schema.labels.favorable_label,
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


def _check_names_differ(names: list[str]) -> None:
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(
            f"several features of the dataset would be called {quote(repeated)}; rename the "
            "columns of X, or their values."
        )


def _make_label_name(schema: Schema) -> str:
    name = schema.label_form.name
    name = "label" if name is None else str(name)
    while name in schema.feature_names:
        name += "_"
    return name


def _restore_features(dataset: Any, schema: Schema, rows: Array | None) -> Any:
    columns = dict(zip(dataset.feature_names, dataset.features.T, strict=True))
    names, values = decode_features(columns, dataset.protected_attributes, schema, rows)
    # Features may have been added, removed or reordered.
    changed = None if names == list(schema.frame.columns) else pd.Index(names, tupleize_cols=False)
    return schema.frame.restore(values, rows, changed)


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


def _restore_scores(dataset: Any, schema: Schema, rows: Array | None) -> Any:
    """Return scores as they were passed, or those that a model has set."""
    scores = get_scores(dataset)
    if schema.score_form is not None or scores is None:
        return _restore_numbers(dataset.scores, schema.score_form, rows)
    index = schema.label_form.index
    return _restore_numbers(scores, ColumnForm(index, "scores", np.dtype(float)), rows)


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
