"""What is audited: rows, labels, and who is privileged, from a shipped data set or a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dr_core import datasets
from dr_core.attributes import SensitiveAttributes, learn_attributes
from dr_core.encoding import listed

__all__ = ["Subject", "shipped", "user_file"]

MOST_CLASSES = 20
"""A numeric label with more values is a quantity to predict, not a class."""


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows to audit.

    Attributes
    ----------
    name : what to call them
    X, y : features and labels
    attributes : sensitive attributes, with all their values
    favorable : the favourable label; None when y is a quantity
    meaning : the favourable label in words
    """

    name: str
    X: pd.DataFrame
    y: pd.Series
    attributes: SensitiveAttributes
    favorable: Any
    meaning: str

    @property
    def is_regression(self) -> bool:
        """Whether y is a quantity."""
        return self.favorable is None


def shipped(name: str) -> Subject:
    """One of the data sets of the paper."""
    bunch = datasets.load(name)
    attributes = learn_attributes(bunch.data, bunch.privileged)
    favorable = 1 if len(bunch.target_names) == 2 else None
    return Subject(name, bunch.data, bunch.target, attributes, favorable, bunch.target_names[-1])


def user_file(
    path: Path, label: str | None, favorable: str | None, privileged: Sequence[str]
) -> Subject:
    """Rows of a CSV or Parquet file.

    Parameters
    ----------
    path : file ending in .csv, .csv.gz or .parquet
    label : name of the label column
    favorable : the favourable label, as text
    privileged : texts such as "sex=Male" or "race=White,Asian"
    """
    frame = _read(path)
    if label is None or not privileged:
        raise ValueError("a file needs --label COLUMN and --privileged COLUMN=VALUE ...")
    if label not in frame:
        raise ValueError(f"label column {label!r} is not in {path.name}: {listed(frame.columns)}.")
    if frame.empty:
        raise ValueError(f"{path.name} has no rows.")
    if frame[label].isna().any():
        raise ValueError(f"label column {label!r} is missing in {frame[label].isna().sum()} rows.")
    y = frame.pop(label)
    chosen = dict(_parse_privileged(text, frame) for text in privileged)
    if len(chosen) < len(privileged):
        raise ValueError("--privileged names a column twice; join its values: race=White,Asian.")
    favorable_label = _favorable(y, favorable)
    attributes = learn_attributes(frame, chosen)
    return Subject(path.name, frame, y, attributes, favorable_label, str(favorable_label))


def _read(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise ValueError(
            f"{str(path)!r} is neither a file nor one of the data sets {listed(datasets.names())}."
        )
    if path.suffix in (".parquet", ".pq"):
        return pd.read_parquet(path)
    if path.name.endswith((".csv", ".csv.gz")):
        return pd.read_csv(path)
    raise ValueError(f"{path.name!r} must end in .csv, .csv.gz or .parquet.")


def _parse_privileged(text: str, frame: pd.DataFrame) -> tuple[str, Any]:
    column, equals, wanted = text.partition("=")
    if not equals:
        raise ValueError(f"--privileged takes COLUMN=VALUE; it got {text!r}.")
    if column not in frame:
        raise ValueError(
            f"sensitive column {column!r} is not in the file, which has {listed(frame.columns)}."
        )
    values = {str(value): value for value in frame[column].dropna().unique().tolist()}
    parts = [wanted] if wanted in values else wanted.split(",")
    return column, [values.get(part, part) for part in parts]


def _favorable(y: pd.Series, favorable: str | None) -> Any:
    labels = {str(value): value for value in y.unique().tolist()}
    if favorable is not None:
        if favorable not in labels:
            raise ValueError(
                f"--favorable {favorable!r} is not a label; there are {listed(labels)}."
            )
        return labels[favorable]
    if pd.api.types.is_numeric_dtype(y) and len(labels) > MOST_CLASSES:
        return None
    if set(labels.values()) == {0, 1}:
        return labels.get("1", labels.get("1.0", True))
    raise ValueError(f"say which label is favourable: --favorable, one of {listed(labels)}.")
