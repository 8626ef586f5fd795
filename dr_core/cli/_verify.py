"""`dr-audit --verify`: repeat an audit, and compare its numbers with those of a record."""

from __future__ import annotations

import io
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.text import Text

from dr_core.cli._files import STANDARD
from dr_core.cli._provenance import (
    iter_changed_inputs,
    iter_differences,
    iter_other_versions,
    read_record,
)
from dr_core.cli._terminal import escape_unprintable

__all__ = ["verify"]

DIFFERENT = 1
"""Exit code if the numbers or the input are not the same."""

Run = Callable[[Namespace, Console], int]


def verify(
    path: Path, parser: ArgumentParser, trust_pickle: bool, run: Run, console: Console
) -> int:
    """Repeat the audit of a JSON file; return 0 if its input and its numbers are the same.

    Parameters
    ----------
    path : JSON output of an audit
    parser : parser of the command line
    trust_pickle : whether the user of --verify trusts a pickled model; a record cannot say so
    run : function that runs the command with these options
    console : output
    """
    record = read_record(path)
    changed = list(iter_changed_inputs(record))
    _print_differences(console, changed)
    try:
        again = _repeat(record["provenance"]["command"][1:], parser, trust_pickle, run)
    except (ValueError, OSError) as error:
        if not changed:
            raise
        _print_differences(console, [f"the audit cannot be repeated: {error}"])
        return DIFFERENT
    for text in iter_other_versions(record, again):
        console.print(Text(f"note: {escape_unprintable(text)}", style="dim"))
    differences = list(iter_differences(record, again))
    _print_differences(console, differences)
    if not changed and not differences:
        console.print(Text("VERIFIED: same input, same numbers.", style="bold green"))
        return 0
    return DIFFERENT


def _print_differences(console: Console, differences: Iterable[str]) -> None:
    for text in differences:
        console.print(Text(f"DIFFERENT: {escape_unprintable(text)}", style="bold red"))


def _repeat(
    arguments: list[str], parser: ArgumentParser, trust_pickle: bool, run: Run
) -> dict[str, Any]:
    """Run the command again without its own outputs, and return its JSON output."""
    options = parser.parse_args(arguments)
    if options.source == str(STANDARD):
        raise ValueError(
            "--verify: the data came from standard input, which cannot be read again."
        )
    options.arguments, options.trust_pickle = arguments, trust_pickle
    options.html = options.junit = options.verify = None
    options.individuals, options.local_law_144 = 0, False
    with TemporaryDirectory(prefix="dr-audit-") as folder:
        options.json = Path(folder) / "again.json"
        run(options, Console(file=io.StringIO()))
        return dict(json.loads(options.json.read_text(encoding="utf-8")))
