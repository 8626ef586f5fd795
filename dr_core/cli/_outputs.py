"""Files that the command writes: never over its own input, and named when they are written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dr_core._utils import check_writable
from dr_core.cli._files import STANDARD
from dr_core.cli._terminal import escape_unprintable

__all__ = ["check_outputs", "write_output"]


def check_outputs(inputs: Mapping[str, Path | None], outputs: Mapping[str, Path | None]) -> None:
    """Raise an error if an output cannot be written, or is an input or another output.

    Parameters
    ----------
    inputs, outputs : paths by what they are, such as "--model"; None if not given

    Examples
    --------
    >>> check_outputs({"the data": Path("a.csv")}, {"--html": Path("a.csv")})
    Traceback (most recent call last):
    ...
    ValueError: --html would overwrite the data, 'a.csv'; choose another file.
    """
    read, written = (_get_given(paths) for paths in (inputs, outputs))
    for option, path in written.items():
        if path != STANDARD:
            check_writable(path)
        for name, other in read.items():
            if _is_same_file(path, other):
                raise ValueError(
                    f"{option} would overwrite {name}, {str(other)!r}; choose another file."
                )
    for (option, path), (name, other) in combinations(written.items(), 2):
        if _is_same_file(path, other):
            raise ValueError(
                f"{option} and {name} are the same file, {str(path)!r}; choose two files."
            )


def write_output(console: Console, path: Path | None, write: Callable[[Path | None], str]) -> None:
    """Write a file with this function, and print its path; do nothing if there is no path.

    The function returns the text, and writes it to a file if it is given one.
    """
    if path == STANDARD:
        sys.stdout.write(f"{write(None).rstrip()}\n")
    elif path is not None:
        write(path)
        console.print(Text(f"Wrote {escape_unprintable(path)}"), soft_wrap=True)


def _get_given(paths: Mapping[str, Path | None]) -> dict[str, Path]:
    return {name: path for name, path in paths.items() if path is not None}


def _is_same_file(path: Path, other: Path) -> bool:
    """Return whether two paths are one file, also through links; devices are not files."""
    if path.exists() and other.exists():
        return path.is_file() and os.path.samefile(path, other)
    return path.resolve() == other.resolve()
