"""Format of a text file of rows: its encoding, its separator, and how it writes numbers."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

__all__ = ["FALLBACK_ENCODING", "SAMPLE_BYTES", "TextFormat", "detect_format"]

SEPARATORS = (",", ";", "\t", "|")

SEPARATOR_NAMES = {";": "semicolon", "\t": "tab", "|": "vertical bar"}

BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}

FALLBACK_ENCODING = "cp1252"
"""Windows' superset of Latin-1, in which nearly all bytes are a letter."""

SAMPLE_BYTES, SAMPLE_LINES = 2**20, 200
"""Start of a file from which separator and numbers are detected."""

CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\x81\x8d\x8f\x90\x9d]")
"""Bytes that no text in `FALLBACK_ENCODING` has."""

GERMAN_NUMBER = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?")
ENGLISH_NUMBER = re.compile(r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?")
MISSING_TEXTS = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "n/a"})


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written.

    Attributes
    ----------
    encoding : name of the encoding
    separator : character between cells
    numbers : for columns of numbers that pandas reads as text, their way of writing:
        "German" for 1.234,5 and "English" for 1,234.5
    """

    encoding: str = "utf-8"
    separator: str = ","
    numbers: dict[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """Options of `pandas.read_csv` that are not its defaults."""
        options: dict[str, Any] = {}
        if self.encoding != "utf-8":
            options["encoding"] = self.encoding
        if self.separator != ",":
            options["sep"] = self.separator
        return options

    @property
    def converters(self) -> dict[str, Callable[[str], float]]:
        """Functions that convert the text of a cell, for columns of numbers."""
        return {key: PARSERS[how] for key, how in self.numbers.items()}

    def convert(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Convert columns of numbers that were read as text, if all their cells are numbers."""
        converted = {}
        for key, parse in self.converters.items():
            try:
                converted[key] = frame[key].fillna("").map(parse)
            except ValueError:  # text after the sample
                continue
        return frame.assign(**converted)

    def __str__(self) -> str:
        parts = [f"encoding {self.encoding}"] if self.encoding == FALLBACK_ENCODING else []
        if self.separator in SEPARATOR_NAMES:
            parts.append(f"separator {SEPARATOR_NAMES[self.separator]}")
        for how, example in (("German", "1.234,5"), ("English", "1,234.5")):
            columns = [key for key, found in self.numbers.items() if found == how]
            parts += [f"numbers like {example} in {', '.join(columns)}"] if columns else []
        return ", ".join(parts)


def detect_format(content: bytes) -> TextFormat:
    r"""Detect the format of a file from its first bytes.

    Examples
    --------
    >>> found = detect_format("Größe;Lohn\nklein;1.234,50\ngroß;7,5\n".encode("latin-1"))
    >>> print(found)
    encoding cp1252, separator semicolon, numbers like 1.234,5 in Lohn
    """
    encoding = _detect_encoding(content)
    text = content.decode(encoding, errors="ignore")
    # The last line may be cut.
    lines = text.splitlines()[:SAMPLE_LINES]
    lines = lines[:-1] if len(content) >= SAMPLE_BYTES and len(lines) > 1 else lines
    try:
        separator = _detect_separator(lines)
        return TextFormat(encoding, separator, _detect_numbers(lines, separator))
    except csv.Error:  # such as a cell of more than 100,000 characters
        return TextFormat(encoding)


def _detect_encoding(content: bytes) -> str:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return encoding
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character may be cut at the end of the sample.
        if error.start >= len(content) - 3:
            return "utf-8"
        if CONTROL.search(content):
            raise ValueError("it is not text") from error
        return FALLBACK_ENCODING
    return "utf-8"


def _detect_separator(lines: list[str]) -> str:
    """Return the separator that cuts all lines into the same, largest number of cells."""
    counts = {separator: _count_cells(lines, separator) for separator in SEPARATORS}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] > 1 else ","


def _count_cells(lines: list[str], separator: str) -> int:
    """Return the number of cells of each line; 0 if it differs between lines."""
    counts = {len(row) for row in csv.reader(lines, delimiter=separator) if row}
    return counts.pop() if len(counts) == 1 else 0


def _detect_numbers(lines: list[str], separator: str) -> dict[str, str]:
    """Return the columns of numbers with a decimal comma or separators of thousands."""
    header, *rows = [row for row in csv.reader(lines, delimiter=separator) if row] or [[]]
    columns = {
        name: {cell.strip() for cell in cells} - MISSING_TEXTS
        for name, *cells in zip(header, *rows, strict=False)
    }
    found = {}
    for name, texts in columns.items():
        ways = _find_ways(texts, separator) if any("," in text for text in texts) else []
        if ways:
            found[name] = ways[0]
    if "German" in found.values():
        # Beside 7,5 in another column, 1.234 is a number of thousands.
        for name, texts in columns.items():
            if any("." in text for text in texts) and _matches(GERMAN_NUMBER, texts):
                found.setdefault(name, "German")
    return found


def _find_ways(texts: set[str], separator: str) -> list[str]:
    """Return the ways in which all texts are numbers; 1,234 is German beside semicolons."""
    ways = {"German": GERMAN_NUMBER, "English": ENGLISH_NUMBER}
    order = ways if separator == ";" else reversed(ways)
    return [how for how in order if _matches(ways[how], texts)]


def _matches(pattern: re.Pattern[str], texts: set[str]) -> bool:
    return all(pattern.fullmatch(text) for text in texts)


def _make_parser(thousands: str, decimal: str) -> Callable[[str], float]:
    def parse(text: str) -> float:
        text = text.strip()
        if text in MISSING_TEXTS:
            return float("nan")
        return float(text.replace(thousands, "").replace(decimal, "."))

    return parse


PARSERS = {"German": _make_parser(".", ","), "English": _make_parser(",", ".")}
