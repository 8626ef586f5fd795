"""Reference rows: real people by whom the plausibility of perturbed rows is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from dr_core._tables import as_table, read_table, restore_integers
from dr_core._utils import quote
from dr_core.cli._data_quality import Cleaning, Finding
from dr_core.cli._files import simplify_types
from dr_core.cli._subject import Subject

__all__ = ["read_reference"]


def read_reference(
    path: Path, subject: Subject, cleaning: Cleaning, person: Any = None, *, is_trained_on: bool
) -> tuple[pd.DataFrame, list[Finding]]:
    """Read the columns of the audited data from a file of reference rows.

    Rows without a sensitive value are kept if such rows are audited, and left out otherwise.

    Parameters
    ----------
    path : table of any kind that the command reads
    subject : the audited data
    cleaning : what is changed in the audited data; spellings follow theirs
    person : column of identities; if the file has it, one row of each person is kept
    is_trained_on : whether the types of the audited data were simplified

    Returns
    -------
    frame : DataFrame of the reference rows
    changes : list of Finding
        What was done with rows that lack a sensitive value.
    """
    if not path.is_file():
        raise ValueError(f"--reference: the file {str(path)!r} does not exist.")
    frame, needed = read_table(path), list(subject.X.keys())
    absent = [name for name in needed if name not in frame.columns]
    if absent:
        raise ValueError(
            f"--reference: {path.name!r} lacks columns of {subject.name!r}: {quote(absent)}."
        )
    if person in frame.columns:
        frame = frame[~frame[person].duplicated() | frame[person].isna()]
    frame = frame[needed]
    if is_trained_on:
        frame = simplify_types(frame)
    if cleaning.normalize:
        frame = frame.assign(**{name: _spell(frame, name, subject, cleaning) for name in needed})
    changes: list[Finding] = []
    if cleaning.missing != "keep":
        frame, changes = _drop_missing(frame, [n for n in subject.attributes.names if n in needed])
    _check_values(path, frame, subject)
    return frame, changes


def _drop_missing(frame: pd.DataFrame, names: list[Any]) -> tuple[pd.DataFrame, list[Finding]]:
    """Return the rows that have all sensitive values, and a finding for each incomplete column."""
    n_rows, counts = len(frame), frame[names].isna().sum()
    changes = [
        Finding(
            "--reference",
            str(name),
            f"is missing in {count:,} of {n_rows:,} reference rows",
            "the check of plausibility leaves these rows out",
        )
        for name, count in counts[counts > 0].items()
    ]
    return frame.dropna(subset=names), changes


def _spell(frame: pd.DataFrame, name: str, subject: Subject, cleaning: Cleaning) -> pd.Series:
    """Return a column with texts spelled as in the audited data."""
    known = [value for value in as_table(subject.X).distinct(name) if isinstance(value, str)]
    return frame[name].map(
        lambda value: cleaning.find_spelling(value, known) if isinstance(value, str) else value
    )


def _check_values(path: Path, frame: pd.DataFrame, subject: Subject) -> None:
    """Raise ValueError if there is no row, or a sensitive value that the data do not have."""
    if frame.empty:
        raise ValueError(f"--reference: {path.name!r} has no rows with all sensitive values.")
    for attribute in subject.attributes:
        found = restore_integers(frame[attribute.name].dropna().unique())
        unknown = set(found) - set(attribute.values)
        if unknown and attribute.condition is None:
            raise ValueError(
                f"--reference: column {attribute.name!r} of {path.name!r} has the values "
                f"{quote(unknown)}, which {subject.name!r} does not have; leave these rows out."
            )
