"""Decode the features of a dataset that `to_aif360` created."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dr_core.plugins import Array

from ._codings import NumberCoding, TimeCoding
from ._one_hot import collapse_codes
from ._originals import Originals
from ._schema import Schema

__all__ = ["decode_features"]


def decode_features(
    columns: Mapping[str, Array], protected: Array, schema: Schema, rows: Array | None
) -> tuple[list[Any], list[Any]]:
    """Return the names and the values of the columns of X.

    Features that are known are decoded. Others stay numbers, and so do those that are not codes
    any more.

    Parameters
    ----------
    columns : features of the dataset, by name
    protected : protected attributes of the dataset
    schema : Schema
    rows : positions of the rows when the dataset was created; None for all
    """
    extra = list(schema.features)[schema.n_columns :]
    columns = _collapse(columns, schema)
    originals: Any = schema.originals
    codes = originals.find_codes(columns, protected, rows, schema.features)
    names = dict(zip(schema.features, schema.frame.columns, strict=False))
    kept = {name: numbers for name, numbers in columns.items() if name not in extra}
    return [names.get(name, name) for name in kept], [
        _decode(name, numbers, schema, originals, rows, name in codes)
        for name, numbers in kept.items()
    ]


def _decode(
    name: str,
    numbers: Array,
    schema: Schema,
    originals: Originals,
    rows: Array | None,
    is_code: bool,
) -> Any:
    coding = schema.features.get(name)
    if name in originals.gaps:
        numbers = originals.restore_gaps(name, numbers, rows)
    if coding is None or (name in originals.coded and not is_code):
        return numbers
    if isinstance(coding, NumberCoding | TimeCoding):
        coding = replace(coding, missing=None)  # NaN stands where values were missing
    return coding.decode(numbers)


def _collapse(columns: Mapping[str, Array], schema: Schema) -> dict[str, Array]:
    """Return the features with one-hot features as codes, where they are one-hot."""
    collapsed = dict(columns)
    for name, features in schema.one_hot.items():
        present = [columns[one] for one in features if one in columns]
        codes = collapse_codes(present) if len(present) == len(features) else None
        if codes is not None:
            # The codes take the place of the first one-hot feature.
            collapsed = {
                name if key == features[0] else key: codes if key == features[0] else numbers
                for key, numbers in collapsed.items()
                if key == features[0] or key not in features
            }
    return collapsed
