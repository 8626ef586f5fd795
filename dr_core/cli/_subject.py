"""The audited data: rows, labels and sensitive attributes, from a shipped data set or a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Number
from pathlib import Path
from shlex import quote as quote_for_shell
from typing import Any

from dr_core import datasets
from dr_core._tables import (
    PERSON,
    Partitions,
    Table,
    Y,
    as_partitions,
    as_table,
    detect_file_format,
    factorize,
    iter_chunks,
    read_table,
)
from dr_core._utils import Array, quote
from dr_core.cli._data_quality import (
    Cleaning,
    Finding,
    check_frame,
    check_identifier,
    check_values,
)
from dr_core.cli._files import simplify_types
from dr_core.perturbation import (
    Range,
    Rules,
    SensitiveAttributes,
    at_least,
    at_most,
    between,
    learn_attributes,
)

__all__ = ["Subject", "load_chunked_file", "load_file", "load_shipped", "read_rules"]

NO_CLEANING = Cleaning()

MAX_NUMERIC_CLASSES = 20
"""A numeric label with more values is a quantity, not a class."""

MAX_EXAMPLES = 10
"""Values that the example of a message lists."""

BOUND = re.compile(r"(?P<column>.+?)(?P<sign>>=|<=|>|<)(?P<number>[^<>=]+)")
"""One end of a privileged range, such as age>=25."""

BOUNDS = {
    ">=": at_least,
    "<=": at_most,
    ">": lambda low: between(low, float("inf"), inclusive="neither"),
    "<": lambda high: between(float("-inf"), high, inclusive="neither"),
}


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows to audit.

    Attributes
    ----------
    name : name of the data set or file
    X, y : features and labels; for a file read in chunks, partitions and the label column's name
    n_rows : number of rows
    attributes : sensitive attributes, with all their values
    favorable : favourable label; None if y is a quantity
    meaning : favourable label in words
    person : identity of the person whom each row is about, in the form of y; None if unknown
    findings : what in the data can make the audit misleading; None if they were not checked
    identifier : column that identifies each row, which is not in X; None if there is none
    changes : what was changed in the data
    hashes : SHA-256 of files, by path, that are known because they were read completely
    reference : rows by which plausibility is judged; None if it is not
    n_left_out : number of rows of the file that lack a value and were left out
    path : file of the rows; empty for a shipped data set
    """

    name: str
    X: Any
    y: Any
    n_rows: int
    attributes: SensitiveAttributes
    favorable: Any
    meaning: str
    person: Any = None
    findings: Sequence[Finding] | None = None
    identifier: Any = None
    changes: Sequence[Finding] = ()
    hashes: Mapping[Path, str] = field(default_factory=dict)
    reference: Any = None
    n_left_out: int = 0
    path: Path = Path()

    @property
    def is_regression(self) -> bool:
        """Whether y is a quantity."""
        return self.favorable is None

    def at(self, rows: Array | None) -> tuple[Any, Any]:
        """Return X and y of these rows; of all rows if None."""
        return (self.X, self.y) if rows is None else (self.X.iloc[rows], self.y.iloc[rows])

    def person_at(self, rows: Array | None) -> Any:
        """Return the identities of the people of these rows; of all rows if None."""
        return self.person if rows is None or self.person is None else self.person.iloc[rows]

    @property
    def is_chunked(self) -> bool:
        """Whether the rows are read in chunks."""
        return isinstance(self.X, Partitions)


def load_shipped(name: str, coupled: Path | None = None) -> Subject:
    """Load a shipped data set, with a file of rules for coupled columns."""
    bunch = datasets.load(name)
    rules = read_rules(coupled, as_table(bunch.data))
    attributes = learn_attributes(bunch.data, bunch.privileged, coupled=rules)
    favorable = bunch.favorable
    return Subject(
        name,
        bunch.data,
        bunch.target,
        len(bunch.data),
        attributes,
        favorable,
        bunch.target_names[0 if favorable is None else favorable],
    )


def load_file(
    path: Path,
    label: str | None,
    favorable: str | None,
    privileged: Sequence[str],
    coupled: Path | None = None,
    person: str | None = None,
    cleaning: Cleaning = NO_CLEANING,
    identifier: str | None = None,
    *,
    is_trained_on: bool = True,
) -> Subject:
    """Load a CSV or Parquet file.

    Parameters
    ----------
    path : file ending in .csv, .csv.gz or .parquet
    label : name of the label column
    favorable : favourable label, as text
    privileged : texts such as "sex=Male", "race=White,Asian" or "age>=25"
    coupled : file of rules for coupled columns, see `read_rules`
    person : name of the column that says whom each row is about
    cleaning : what to change before the audit
    identifier : name of the column that identifies each row, which is left out of X
    is_trained_on : whether a model will be trained on these rows
    """
    frame = read_table(_check_is_file(path))
    if is_trained_on:
        frame = simplify_types(frame)
    label = _check_columns(path, label, privileged, person, frame.columns)
    sensitive = _find_sensitive(privileged, frame.columns)
    _check_identifier(identifier, frame.columns, [label, *sensitive])
    given, frame = frame, cleaning.apply(frame, label, sensitive)
    if frame.empty:
        raise ValueError(f"{path.name} has no rows.")
    changes = list(cleaning.iter_changes(given, frame, label, sensitive))
    left_out = {name: frame[name] for name in (person, identifier) if name is not None}
    frame = frame.drop(columns=list(left_out))
    parts = [split_privileged(text, frame.columns) for text in privileged]
    ranges = [column for column, sign, _ in parts if sign in BOUNDS]
    findings = check_frame(frame, label, sensitive, ranges=ranges, is_trained_on=is_trained_on)
    if identifier is not None and person is None:
        findings += check_identifier(left_out[identifier])
    y = frame.pop(label)
    attributes = _learn_file_attributes(as_table(frame), privileged, coupled, cleaning)
    favorable_label = _find_favorable(factorize(y).values, favorable, cleaning)
    people, identifiers = (left_out.get(name or "") for name in (person, identifier))
    known = attributes, favorable_label, str(favorable_label), people, findings, identifiers
    n_left_out = len(given) - len(frame)
    return Subject(
        path.name, frame, y, len(frame), *known, changes, n_left_out=n_left_out, path=path
    )


def load_chunked_file(
    path: Path,
    label: str | None,
    favorable: str | None,
    privileged: Sequence[str],
    coupled: Path | None,
    rows: int,
    person: str | None = None,
    cleaning: Cleaning = NO_CLEANING,
) -> Subject:
    """Open a CSV or Parquet file that is read in chunks.

    Parameters
    ----------
    path, label, favorable, privileged, coupled, person, cleaning
        As for `load_file`; rows in chunks can only be kept as they are.
    rows : number of rows of a chunk
    """
    if cleaning.normalize or cleaning.drop or cleaning.missing == "drop":
        raise ValueError(
            "--normalize, --drop and --missing drop need rows in memory: leave out --chunk-rows, "
            "or clean the file."
        )
    chunks = iter_chunks(_check_is_file(path), rows, **_find_options(path))
    label = _check_columns(path, label, privileged, person, chunks.columns)
    chunks.remember({label, *_find_sensitive(privileged, chunks.columns)})
    data = as_partitions(chunks, {Y: label, PERSON: person}, want_labels=True)
    attributes = _learn_file_attributes(data, privileged, coupled, cleaning)
    favorable_label = _find_favorable(data.labels, favorable, cleaning)
    values = {label: data.labels} | {str(a.name): a.values for a in attributes}
    findings = [
        one for key, found in values.items() for one in check_values(key, dict.fromkeys(found, 1))
    ]
    changes = _list_missing(data, attributes, cleaning)
    known = attributes, favorable_label, str(favorable_label), person, findings, None, changes
    return Subject(path.name, data, label, data.n_rows, *known, chunks.hashes, path=path)


def _list_missing(
    data: Partitions, attributes: SensitiveAttributes, cleaning: Cleaning
) -> list[Finding]:
    """Return what was done with the rows of chunks that lack a sensitive value."""
    known = {str(name): sum(data.value_counts(name).values()) for name in attributes.names}
    n_rows = data.n_rows
    return [f for key, n in known.items() for f in cleaning.iter_missing(key, n_rows - n, n_rows)]


def _find_options(path: Path) -> dict[str, Any]:
    """Return how to read the chunks of a file, for CSV files as detected."""
    if ".csv" not in path.suffixes and ".tsv" not in path.suffixes:
        return {}
    found = detect_file_format(path)
    return found.options | ({"converters": found.converters} if found.numbers else {})


def _check_columns(
    path: Path,
    label: str | None,
    privileged: Sequence[str],
    person: str | None,
    columns: Collection[Any],
) -> str:
    """Return the label column; raise ValueError if a column is not there."""
    if label is None or not privileged:
        raise ValueError("a file needs --label COLUMN and --privileged COLUMN=VALUE ...")
    if label not in columns:
        raise ValueError(
            f"label column {label!r} is not in {path.name}; its columns are {quote(columns)}."
        )
    if person is not None and (person not in columns or person == label):
        others = [name for name in columns if name != label]
        raise ValueError(
            f"--person must be another column of {path.name} than the label, one of "
            f"{quote(others)}; got {person!r}."
        )
    taken = {label: "the label", person: "the column of --person"}
    for text in privileged:
        column = split_privileged(text, columns)[0]
        if column in taken:
            raise ValueError(
                f"--privileged {text!r}: {column!r} is {taken[column]}, which the model does not "
                "get; pass sensitive columns."
            )
    return label


def _check_identifier(
    identifier: str | None, columns: Collection[Any], needed: Collection[str]
) -> None:
    if identifier is not None and (identifier not in columns or identifier in needed):
        others = [name for name in columns if name not in needed]
        raise ValueError(
            "--id must be a column other than the label and the sensitive ones, one of "
            f"{quote(others)}; got {identifier!r}."
        )


def split_privileged(text: str, columns: Collection[Any]) -> tuple[str, str, str]:
    """Split COLUMN=VALUE, or COLUMN>=NUMBER with another sign; "" if there is no sign.

    The name of a column may have signs, too.

    >>> split_privileged("a=b=1", ["a=b"]), split_privileged("sex=Male", [])
    (('a=b', '=', '1'), ('sex', '=', 'Male'))
    >>> split_privileged("age>=25", ["age"])
    ('age', '>=', '25')
    """
    known = [name for name in map(str, columns) if text.startswith(f"{name}=")]
    bound = BOUND.fullmatch(text)
    if bound is not None and not known:
        return bound["column"], bound["sign"], bound["number"]
    column = max(known, key=len, default=text.partition("=")[0])
    return column, text[len(column) : len(column) + 1], text[len(column) + 1 :]


def _find_sensitive(privileged: Sequence[str], columns: Collection[Any]) -> list[str]:
    """Return the columns that --privileged names, of those that there are."""
    named = (split_privileged(text, columns)[0] for text in privileged)
    return [name for name in dict.fromkeys(named) if name in columns]


def _learn_file_attributes(
    table: Table | Partitions,
    privileged: Sequence[str],
    coupled: Path | None,
    cleaning: Cleaning,
) -> SensitiveAttributes:
    table.read(_find_sensitive(privileged, table.keys()))
    chosen: dict[str, Any] = {}
    for text in privileged:
        column, value = _parse_privileged(text, table, cleaning)
        chosen[column] = _combine(column, chosen[column], value) if column in chosen else value
    missing = "keep" if cleaning.missing == "keep" else "error"
    return learn_attributes(table, chosen, coupled=read_rules(coupled, table), missing=missing)


def _check_is_file(path: Path) -> Path:
    if not path.is_file():
        raise ValueError(
            f"{str(path)!r} is neither a file nor one of the data sets {quote(datasets.names())}."
        )
    return path


def _parse_privileged(text: str, table: Table | Partitions, cleaning: Cleaning) -> tuple[str, Any]:
    column, sign, wanted = split_privileged(text, table.keys())
    if not sign:
        raise ValueError(
            f"--privileged must be COLUMN=VALUE, or a range such as 'age>=25'; got {text!r}."
        )
    if column not in table.keys():  # noqa: SIM118
        _check_no_negation(text, column, wanted, table)
        raise ValueError(
            f"sensitive column {column!r} is not in the file; its columns are "
            f"{quote(table.keys())}."
        )
    if sign in BOUNDS:
        return column, BOUNDS[sign](_parse_number(text, wanted))
    values = _map_texts(table.distinct(column))
    parts = [wanted] if wanted in values else wanted.split(",")
    return column, [values.get(_find_text(part, values, cleaning), part) for part in parts]


def _check_no_negation(text: str, column: str, unwanted: str, table: Table | Partitions) -> None:
    """Raise ValueError for COLUMN!=VALUE, where the name of the column seems to end in "!"."""
    name = column.removesuffix("!")
    if name == column or name not in table.keys():  # noqa: SIM118
        return
    others = [one for one in _map_texts(table.distinct(name)) if one != unwanted]
    example = quote_for_shell(f"{name}={','.join(others[:MAX_EXAMPLES])}")
    raise ValueError(
        f"--privileged {text!r}: != is not supported; list the privileged values, separated by "
        f"commas, such as --privileged {example}."
    )


def _find_text(text: str, values: Mapping[str, Any], cleaning: Cleaning) -> str:
    """Return the text under which a value that the user named is known; the text itself if none.

    >>> _find_text("1.0", {"1": 1, "2": 2}, NO_CLEANING)
    '1'
    """
    if text in values:
        return text
    try:
        number = float(text)
    except ValueError:
        return cleaning.find_spelling(text, values)
    return next((one for one, value in values.items() if value == number), text)


def _parse_number(text: str, number: str) -> float:
    try:
        value = float(number)
    except ValueError:
        raise ValueError(f"--privileged {text!r} needs a number; got {number!r}.") from None
    return int(value) if value.is_integer() else value


def _combine(column: str, one: Any, other: Any) -> Range:
    """Return the range of a column given by its lower and its upper end."""
    if isinstance(one, Range) and isinstance(other, Range):
        low, high = (one, other) if one.low > other.low else (other, one)
        if low.high == float("inf") and high.low == -float("inf"):
            mixed = "left" if low.inclusive == "both" else "right"
            inclusive = low.inclusive if low.inclusive == high.inclusive else mixed
            _check_overlap(column, low, high, inclusive)
            return between(low.low, high.high, inclusive=inclusive)
    raise ValueError(
        f"--privileged names the column {column!r} twice; pass all its values at once, as in "
        "race=White,Asian, or the two ends of a range, as in 'age>=25' 'age<65'."
    )


def _check_overlap(column: str, low: Range, high: Range, inclusive: str) -> None:
    if low.low > high.high or (low.low == high.high and inclusive != "both"):
        first, second = (one.describe(column)[1] for one in (high, low))
        raise ValueError(
            f"--privileged: {first!r} and {second!r} exclude each other. Both must be true of a "
            "privileged value; a union of ranges cannot be given on the command line. Pass one "
            f"range, or add a column to the file that has the groups of {column!r}."
        )


def _find_favorable(values: list[Any], favorable: str | None, cleaning: Cleaning) -> Any:
    labels = _map_texts(values)
    if favorable is not None:
        favorable = _find_text(favorable, labels, cleaning)
        if favorable not in labels:
            raise ValueError(
                f"--favorable must be one of the labels {quote(labels)}; got {favorable!r}."
            )
        return labels[favorable]
    if len(labels) > MAX_NUMERIC_CLASSES and all(isinstance(value, Number) for value in values):
        return None
    if set(labels.values()) == {0, 1}:
        return labels.get("1", True)
    raise ValueError(f"pass --favorable, the favourable label: one of {quote(labels)}.")


def read_rules(path: Path | None, table: Table | Partitions) -> Rules | None:
    """Read rules such as {"relationship": {"sex": {"Female": {"Husband": "Wife"}}}}.

    Keys of JSON objects are strings. A string that represents a value of its column is replaced
    by this value.

    Parameters
    ----------
    path : JSON file, or None for no rules
    table : Table with the columns that the rules are about
    """
    if path is None:
        return None
    if not path.is_file():
        raise ValueError(f"--coupled: the file {str(path)!r} does not exist.")
    try:
        rules = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name!r} cannot be read as JSON: {error}.") from error
    if not isinstance(rules, dict):
        raise ValueError(f"{path.name!r} must contain one JSON object of rules; got {rules!r}.")
    return {column: _convert_drivers(column, drivers, table) for column, drivers in rules.items()}


def _convert_drivers(column: str, drivers: Any, table: Table | Partitions) -> Any:
    """Convert the rules of a column; `learn_attributes` raises on rules of another shape."""
    if not isinstance(drivers, dict):
        return drivers
    return {
        driver: _convert_keys(
            cases, driver, table, lambda moves: _convert_moves(moves, column, table)
        )
        for driver, cases in drivers.items()
    }


def _convert_moves(moves: Any, column: str, table: Table | Partitions) -> Any:
    values = _get_values_by_text(column, table)
    return _convert_keys(moves, column, table, lambda new: values.get(str(new), new))


def _convert_keys(
    mapping: Any, column: str, table: Table | Partitions, convert: Callable[[Any], Any]
) -> Any:
    """Replace the keys by values of the column, and convert what they map to."""
    if not isinstance(mapping, dict):
        return mapping
    values = _get_values_by_text(column, table)
    return {values.get(key, key): convert(value) for key, value in mapping.items()}


def _get_values_by_text(column: str, table: Table | Partitions) -> dict[str, Any]:
    known = column in table.keys()  # noqa: SIM118
    return _map_texts(table.distinct(column)) if known else {}


def _map_texts(values: Iterable[Any]) -> dict[str, Any]:
    """Return the values by their text.

    >>> _map_texts([1, 0])
    {'1': 1, '0': 0}
    """
    return {str(value): value for value in values}
