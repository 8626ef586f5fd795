"""Checks of a file before it is audited, and what `--normalize`, `--drop` and `--missing` do."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from shlex import quote as quote_for_shell
from typing import Any

import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_float_dtype, is_numeric_dtype

from dr_core._tables import restore_integers
from dr_core._utils import find_non_numbers, find_repeated, format_count, format_percent, quote
from dr_core.report import MIN_GROUP_ROWS

__all__ = ["NUMBERS", "Cleaning", "Finding", "check_frame", "check_identifier", "check_values"]

MIN_MISSING_SHARE = 0.05
"""Smaller shares of missing values are not reported."""

MIN_NUMERIC_SHARE = 0.9
"""Text of which at least this share are numbers is probably a column of numbers."""

NUMBERS = "numbers"
"""Check for cells that are no numbers in columns of numbers."""

MIN_CHECKED_ROWS = 50
"""With fewer rows, all values of any column may differ."""

DISTINCT_SHARE = 0.95
"""Share of distinct values from which on text identifies a row."""

FREE_TEXT_SHARE, FREE_TEXT_WORDS = 0.5, 3
"""Text with at least this share of distinct values and so many words is free text."""

MAX_SAMPLE = 1_000
"""Values of a column that are read as dates or words."""

DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{4}/\d{1,2}/\d{1,2}|"
    r"\d{1,2}[./-]\d{1,2}[./-](\d{4}|\d{2})( .*)?"
)
IDENTIFIER_KIND = "an identifier"
IDENTIFIER = re.compile(r"(^|[^a-z])(id|uuid|key|number|nr|no)($|[^a-z])|[a-z](ID|Id)$", re.ASCII)


@dataclass(frozen=True)
class Finding:
    """Something in the data that can make an audit misleading, or that was changed in them.

    Attributes
    ----------
    check : what was checked, such as "spelling", or the option that changed it
    column : name of the column
    message : what was found
    remedy : what to do, or was done
    """

    check: str
    column: str
    message: str
    remedy: str

    def __str__(self) -> str:
        return f"column {self.column!r} {self.message}; {self.remedy}."

    def to_dict(self) -> dict[str, str]:
        """Return the finding in plain types."""
        return asdict(self)


@dataclass(frozen=True)
class Cleaning:
    """What to change in the rows before they are audited.

    Attributes
    ----------
    normalize : whether to replace values that differ only in case or blanks by one spelling
    drop : columns to leave out
    missing : "keep" or "drop" rows without a label or a sensitive value; None to refuse them
    """

    normalize: bool = False
    drop: Sequence[str] = ()
    missing: str | None = None

    def apply(self, frame: pd.DataFrame, label: str, sensitive: Collection[str]) -> pd.DataFrame:
        """Return the frame with these changes.

        Examples
        --------
        >>> sex = ["Male", "male ", "Male"]
        >>> frame = pd.DataFrame({"sex": sex, "y": [1, 0, 1], "id": [1, 2, 3]})
        >>> Cleaning(normalize=True, drop=["id"]).apply(frame, "y", ["sex"])
            sex  y
        0  Male  1
        1  Male  0
        2  Male  1
        """
        frame = frame.drop(columns=self._check_drop(frame.columns, [label, *sensitive]))
        if self.normalize:
            frame = frame.assign(**{key: _normalize(frame[key]) for key in _find_text(frame)})
        return self._handle_missing(frame, label, sensitive)

    def iter_changes(
        self, before: pd.DataFrame, after: pd.DataFrame, label: str, sensitive: Collection[str]
    ) -> Iterator[Finding]:
        """Yield what `apply` changed in the values and rows of a frame.

        Examples
        --------
        >>> frame = pd.DataFrame({"sex": ["Male", "male ", None], "y": [1, 0, 1]})
        >>> cleaning = Cleaning(normalize=True, missing="keep")
        >>> after = cleaning.apply(frame, "y", ["sex"])
        >>> for change in cleaning.iter_changes(frame, after, "y", ["sex"]):
        ...     change.message
        "had other spellings in 1 of 3 rows: 'male '"
        'is missing in 1 of 3 rows'
        """
        if self.normalize:
            kept = before.loc[after.index]
            yield from (
                change
                for key in _find_text(after)
                for change in _iter_respelled(key, kept[key], after[key])
            )
        needed = [label, *sensitive] if self.missing == "drop" else sensitive
        for key in needed if self.missing else ():
            yield from self.iter_missing(key, int(before[key].isna().sum()), len(before))

    def iter_missing(self, column: str, n_missing: int, n_rows: int) -> Iterator[Finding]:
        """Yield what was done with rows that lack a value, if there are any."""
        if n_missing:
            done = "left out" if self.missing == "drop" else "kept, this value unperturbed"
            message = f"is missing in {n_missing:,} of {n_rows:,} rows"
            yield Finding(f"--missing {self.missing}", column, message, f"these rows were {done}")

    def find_spelling(self, text: str, known: Iterable[str]) -> str:
        """Return the known spelling of a value that the user named; the text itself if none.

        >>> Cleaning(normalize=True).find_spelling("male ", ["Male", "Female"])
        'Male'
        """
        if not self.normalize or text in known:
            return text
        return next((one for one in known if _fold(one) == _fold(text)), text)

    def _check_drop(self, columns: Collection[str], needed: Collection[str]) -> list[str]:
        repeated = find_repeated(self.drop)
        if repeated:
            raise ValueError(f"--drop names {quote(repeated)} twice; name each column once.")
        for name in self.drop:
            if name not in columns:
                raise ValueError(
                    f"--drop: column {name!r} is not in the file, which has {quote(columns)}."
                )
            if name in needed:
                raise ValueError(
                    f"--drop: column {name!r} is the label or a sensitive column, which the audit "
                    "needs."
                )
        return list(self.drop)

    def _handle_missing(
        self, frame: pd.DataFrame, label: str, sensitive: Collection[str]
    ) -> pd.DataFrame:
        if self.missing == "drop":
            return frame.dropna(subset=[label, *sensitive])
        n_unlabelled = int(frame[label].isna().sum())
        if n_unlabelled:
            remedy = "pass --missing drop to leave them out"
            if self.missing == "keep":
                remedy = (
                    "--missing keep is for sensitive values: remove these rows from the file, or "
                    "pass --missing drop, which also leaves out rows without a sensitive value"
                )
            raise ValueError(
                f"label column {label!r} has missing values in "
                f"{format_count(n_unlabelled, 'row')}; {remedy}."
            )
        counts = frame[list(sensitive)].isna().sum()
        for name, count in counts[counts > 0].items() if self.missing is None else ():
            raise ValueError(
                f"sensitive column {name!r} has missing values in {format_count(count, 'row')}; "
                "pass --missing drop to leave these rows out, or --missing keep to audit them "
                "without perturbing this value."
            )
        return frame


def check_frame(
    frame: pd.DataFrame,
    label: str,
    sensitive: Collection[str],
    *,
    ranges: Collection[str] = (),
    is_trained_on: bool,
) -> list[Finding]:
    """Return what in the rows of a file can make an audit misleading.

    Parameters
    ----------
    frame : DataFrame
    label : name of the label column
    sensitive : names of the sensitive columns
    ranges : those of them whose values are no groups, because a range is privileged
    is_trained_on : whether a model will be trained on these columns
    """
    found = [f for key in _find_text(frame) for f in check_values(key, frame[key].value_counts())]
    found += _iter_label_findings(label, frame[label])
    groups = [key for key in sensitive if key not in ranges]
    found += (f for key in groups for f in _iter_small_groups(key, frame[key]))
    found += (f for key in frame for f in _iter_missing(key, frame[key]))
    texts = [key for key in _find_text(frame) if key != label]
    mixed = [f for key in texts for f in _iter_non_numbers(key, frame[key].dropna())]
    found += mixed
    if is_trained_on:
        known = {label, *sensitive, *(one.column for one in mixed)}
        features = [key for key in frame if key not in known]
        found += (f for key in features for f in _iter_unfit_features(key, frame[key]))
    return found


def check_values(column: str, counts: Mapping[Any, int] | pd.Series) -> Iterator[Finding]:
    """Yield a finding for values that differ in case, blanks or accents only.

    Examples
    --------
    >>> for finding in check_values("sex", {"male": 9, " Male": 1, "female": 10}):
    ...     finding.message
    "has values that differ in case or blanks only: 'male', ' Male'"
    """
    by_key, by_letters = defaultdict(list), defaultdict(list)
    for value in counts.keys():  # noqa: SIM118, of a Series too
        if isinstance(value, str):
            by_key[_fold(value)].append(value)
    for key, values in by_key.items():
        by_letters[_strip_accents(key)].append(values[0])
    for values in filter(lambda values: len(values) > 1, by_key.values()):
        message = f"has values that differ in case or blanks only: {quote(values)}"
        yield Finding("spelling", column, message, "unify the spelling with --normalize")
    for values in filter(lambda values: len(values) > 1, by_letters.values()):
        message = f"has values that differ in accents only: {quote(values)}"
        yield Finding("spelling", column, message, "correct them in the file if they are the same")


def check_identifier(column: pd.Series) -> Iterator[Finding]:
    """Yield a finding for an identifier that several rows have.

    Examples
    --------
    >>> for finding in check_identifier(pd.Series([7, 7, 7, 8], name="badge")):
    ...     finding.message
    'identifies 4 rows, but has 2 values: 3 rows share theirs with others'
    """
    n_rows, n_values = column.count(), column.nunique()
    if n_values < n_rows:
        n_shared = int(column.dropna().duplicated(keep=False).sum())
        message = (
            f"identifies {n_rows:,} rows, but has {n_values:,} values: {n_shared:,} rows share "
            "theirs with others"
        )
        remedy = (
            "intervals count each row as a person and are too short if people have several rows: "
            f"pass --person {quote_for_shell(str(column.name))}, so that they count people; if "
            "rows were copied by mistake, remove them"
        )
        yield Finding("identifier", str(column.name), message, remedy)


def _fold(value: str) -> str:
    """Return a value without outer and repeated blanks and without case."""
    return " ".join(unicodedata.normalize("NFC", value).split()).casefold()


def _strip_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def _normalize(column: pd.Series) -> pd.Series:
    """Replace each text by the most frequent spelling of it, without outer blanks."""
    trimmed = column.map(
        lambda value: " ".join(value.split()) if isinstance(value, str) else value
    )
    counts = trimmed.value_counts().sort_index(key=lambda index: index.astype(str))
    spellings: dict[str, Any] = {}
    for value in counts.sort_values(ascending=False, kind="stable").index:
        spellings.setdefault(_fold(str(value)), value)
    return trimmed.map(lambda value: spellings[_fold(value)] if isinstance(value, str) else value)


def _iter_respelled(key: str, before: pd.Series, after: pd.Series) -> Iterator[Finding]:
    """Yield a finding for the values that got another spelling, if there are any."""
    changed = before[before.notna() & (before != after)]
    if len(changed):
        others = quote(changed.value_counts().index)
        message = f"had other spellings in {len(changed):,} of {len(before):,} rows: {others}"
        yield Finding("--normalize", key, message, "replaced by the most frequent one")


def _find_text(frame: pd.DataFrame) -> list[str]:
    return [
        key
        for key in frame
        if not is_numeric_dtype(frame[key]) and not is_datetime64_any_dtype(frame[key])
    ]


def _iter_label_findings(label: str, column: pd.Series) -> Iterator[Finding]:
    values = restore_integers(column.dropna().unique().tolist())
    if len(values) == 1:
        message = f"has the single value {values[0]!r}"
        yield Finding("label", label, message, "there is nothing to predict, check the label")
    if len(values) > 2 and not is_numeric_dtype(column):
        message = f"has {len(values)} values, {quote(values)}, as the label"
        remedy = (
            "DR and accuracy count each of them, the other measures count the favourable one "
            "against the rest; for all numbers of the favourable one against the rest, audit a "
            "label column with two values, and a model that predicts these"
        )
        yield Finding("label", label, message, remedy)


def _iter_small_groups(key: str, column: pd.Series) -> Iterator[Finding]:
    counts = column.value_counts()
    small = counts[counts < MIN_GROUP_ROWS]
    if len(small) and len(counts) < len(column) / 2:
        shown = zip(restore_integers(small.index), small, strict=True)
        listed = ", ".join(f"{value!r} ({count})" for value, count in islice(shown, 6))
        message = f"has groups below {MIN_GROUP_ROWS} rows: {listed}"
        yield Finding("small groups", key, message, "their rates are uncertain, see the intervals")


def _iter_missing(key: str, column: pd.Series) -> Iterator[Finding]:
    share = float(column.isna().mean())
    if share >= MIN_MISSING_SHARE:
        message = f"has missing values in {format_percent(share)} of the rows"
        yield Finding("missing values", key, message, "check that they are missing at random")


def _iter_non_numbers(key: str, column: pd.Series) -> Iterator[Finding]:
    """Yield a finding for the few cells that are no numbers in a column of numbers."""
    counts = column.value_counts()
    exceptions = find_non_numbers(counts.index)
    n_rows = int(counts[exceptions].sum())
    if exceptions and n_rows <= (1 - MIN_NUMERIC_SHARE) * len(column):
        values = format_count(len(exceptions), "value")
        message = (
            f"has {values} among numbers, in {format_count(n_rows, 'row')}, "
            f"that {'is' if len(exceptions) == 1 else 'are'} no number: {quote(exceptions)}"
        )
        remedy = (
            "the whole column is read as text; if it has numbers, correct these cells or make "
            "them empty"
        )
        yield Finding(NUMBERS, key, message, remedy)


def _iter_unfit_features(key: str, column: pd.Series) -> Iterator[Finding]:
    """Yield a finding for a column that a model should not be trained on."""
    kind, name = _find_unfit_kind(str(key), column.dropna()), quote_for_shell(str(key))
    if kind:
        remedy = f"the model is trained on it; leave it out with --drop {name}"
        if kind == IDENTIFIER_KIND:
            remedy += f", or with --id {name}, which names people in the report"
        yield Finding("feature", key, f"looks like {kind}", remedy)


def _find_unfit_kind(key: str, column: pd.Series) -> str | None:
    if is_datetime64_any_dtype(column):
        return "dates"
    if len(column) < MIN_CHECKED_ROWS or is_float_dtype(column):
        return None
    distinct = column.nunique() / len(column)
    if is_numeric_dtype(column):
        is_counter = distinct == 1 and (IDENTIFIER.search(key) or column.is_monotonic_increasing)
        return IDENTIFIER_KIND if is_counter else None
    texts = column.iloc[:MAX_SAMPLE].astype(str)
    if texts.map(lambda text: DATE.fullmatch(text.strip()) is not None).mean() >= DISTINCT_SHARE:
        return "dates"
    if distinct >= FREE_TEXT_SHARE and texts.str.split().map(len).mean() >= FREE_TEXT_WORDS:
        return "free text"
    return IDENTIFIER_KIND if distinct >= DISTINCT_SHARE else None
