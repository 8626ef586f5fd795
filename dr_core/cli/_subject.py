"""What is audited: rows, labels, and who is privileged, from a shipped data set or a file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from numbers import Number
from pathlib import Path
from typing import Any

from dr_core import datasets
from dr_core._tables import Chunks, Table, Y, as_partitions, as_table, iter_chunks, read_table
from dr_core._utils import Array, listed
from dr_core.cli._rules import read_rules, values_by_text
from dr_core.perturbation import SensitiveAttributes, learn_attributes

__all__ = ["Subject", "chunked_file", "shipped", "user_file"]

MOST_CLASSES = 20
"""A numeric label with more values is a quantity to predict, not a class."""


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows to audit.

    Attributes
    ----------
    name : what to call them
    X, y : features and labels; of a file read in chunks, the chunks and the label column's name
    n_rows : how many there are
    attributes : sensitive attributes, with all their values
    favorable : the favourable label; None when y is a quantity
    meaning : the favourable label in words
    """

    name: str
    X: Any
    y: Any
    n_rows: int
    attributes: SensitiveAttributes
    favorable: Any
    meaning: str

    @property
    def is_regression(self) -> bool:
        """Whether y is a quantity."""
        return self.favorable is None

    def at(self, rows: Array | None) -> tuple[Any, Any]:
        """X and y of these rows; of all, if None."""
        return (self.X, self.y) if rows is None else (self.X.iloc[rows], self.y.iloc[rows])

    @property
    def is_chunked(self) -> bool:
        """Whether the rows are read a chunk at a time."""
        return isinstance(self.X, Chunks)


def shipped(name: str, coupled: Path | None = None) -> Subject:
    """One of the data sets of the paper, with a file of rules for coupled columns."""
    bunch = datasets.load(name)
    rules = read_rules(coupled, as_table(bunch.data))
    attributes = learn_attributes(bunch.data, bunch.privileged, coupled=rules)
    favorable = 1 if len(bunch.target_names) == 2 else None
    return Subject(
        name,
        bunch.data,
        bunch.target,
        len(bunch.data),
        attributes,
        favorable,
        bunch.target_names[-1],
    )


def user_file(
    path: Path,
    label: str | None,
    favorable: str | None,
    privileged: Sequence[str],
    coupled: Path | None = None,
) -> Subject:
    """Rows of a CSV or Parquet file.

    Parameters
    ----------
    path : file ending in .csv, .csv.gz or .parquet
    label : name of the label column
    favorable : the favourable label, as text
    privileged : texts such as "sex=Male" or "race=White,Asian"
    coupled : file of rules for coupled columns, see `read_rules`
    """
    frame = read_table(_checked(path))
    _check_columns(path, label, privileged, frame.columns)
    if frame.empty:
        raise ValueError(f"{path.name} has no rows.")
    if frame[label].isna().any():
        raise ValueError(f"label column {label!r} is missing in {frame[label].isna().sum()} rows.")
    y = frame.pop(label)
    attributes = _attributes(as_table(frame), privileged, coupled)
    attributes.encode(as_table(frame))  # refuses missing values before a model is trained
    favorable_label = _favorable(y.unique().tolist(), favorable)
    meaning = str(favorable_label)
    return Subject(path.name, frame, y, len(frame), attributes, favorable_label, meaning)


def chunked_file(
    path: Path,
    label: str | None,
    favorable: str | None,
    privileged: Sequence[str],
    coupled: Path | None,
    rows: int,
) -> Subject:
    """Rows of a CSV or Parquet file that is never read as a whole.

    Parameters
    ----------
    path, label, favorable, privileged, coupled
        As for `user_file`.
    rows : rows of a chunk
    """
    chunks = iter_chunks(_checked(path), rows)
    _check_columns(path, label, privileged, chunks.columns)
    data = as_partitions(chunks, {Y: label}, want_labels=True)
    attributes = _attributes(data.table, privileged, coupled)
    favorable_label = _favorable(data.labels, favorable)
    meaning = str(favorable_label)
    return Subject(path.name, chunks, label, data.n_rows, attributes, favorable_label, meaning)


def _check_columns(
    path: Path, label: str | None, privileged: Sequence[str], columns: Collection[Any]
) -> None:
    if label is None or not privileged:
        raise ValueError("a file needs --label COLUMN and --privileged COLUMN=VALUE ...")
    if label not in columns:
        raise ValueError(f"label column {label!r} is not in {path.name}: {listed(columns)}.")


def _attributes(
    table: Table, privileged: Sequence[str], coupled: Path | None
) -> SensitiveAttributes:
    table.read({text.partition("=")[0] for text in privileged} & set(table.keys()))
    chosen = dict(_parse_privileged(text, table) for text in privileged)
    if len(chosen) < len(privileged):
        raise ValueError("--privileged names a column twice; join its values: race=White,Asian.")
    return learn_attributes(table, chosen, coupled=read_rules(coupled, table))


def _checked(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(
            f"{str(path)!r} is neither a file nor one of the data sets {listed(datasets.names())}."
        )
    return path


def _parse_privileged(text: str, table: Table) -> tuple[str, Any]:
    column, equals, wanted = text.partition("=")
    if not equals:
        raise ValueError(f"--privileged takes COLUMN=VALUE; it got {text!r}.")
    if column not in table.keys():  # noqa: SIM118
        raise ValueError(
            f"sensitive column {column!r} is not in the file, which has {listed(table.keys())}."
        )
    values = values_by_text(table.distinct(column))
    parts = [wanted] if wanted in values else wanted.split(",")
    return column, [values.get(part, part) for part in parts]


def _favorable(values: list[Any], favorable: str | None) -> Any:
    labels = values_by_text(values)
    if favorable is not None:
        if favorable not in labels:
            raise ValueError(
                f"--favorable {favorable!r} is not a label; there are {listed(labels)}."
            )
        return labels[favorable]
    if len(labels) > MOST_CLASSES and all(isinstance(value, Number) for value in values):
        return None
    if set(labels.values()) == {0, 1}:
        return labels.get("1", labels.get("1.0", True))
    raise ValueError(f"say which label is favourable: --favorable, one of {listed(labels)}.")
