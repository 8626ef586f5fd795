"""`dr-audit --verify`: repeat an audit, and compare everything in its record."""

from __future__ import annotations

import io
import json
import shlex
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeGuard

from rich.console import Console
from rich.text import Text

from dr_core import datasets
from dr_core._utils import find_repeated, quote
from dr_core.cli._differences import ABSENT, Difference, iter_differences
from dr_core.cli._files import STANDARD
from dr_core.cli._provenance import HOST_LIBRARIES, RECORD_FORMAT, describe_inputs
from dr_core.cli._terminal import escape_unprintable

__all__ = ["check_given_alone", "verify"]

DIFFERENT = 1
"""Exit code if anything that is compared is not the same."""

RUN_DATES = {("settings", "date"), ("provenance", "date")}
"""Paths that need a value, but another one in each run."""

FORMAT = ("provenance", "format")

VERSIONS = {("settings", "versions"), ("provenance", "versions")}
"""Paths of versions of libraries, which may differ, and are then named."""

ADDED: dict[tuple[str, ...], int] = {FORMAT: 1}
"""Paths that records of an earlier format than this one lack."""

INPUTS = ("provenance", "inputs")

MAX_SHOWN = 3
"""Differences that are shown of each section of the record."""

VERIFIED = "VERIFIED: same input, same settings, same results. Not compared: the date."

NOT_GIVEN = object()

Run = Callable[[Namespace, Console], int]


def check_given_alone(parser: ArgumentParser, arguments: Sequence[str]) -> None:
    """Raise ValueError for arguments that cannot be combined with --verify.

    Parameters
    ----------
    parser : parser of the command line
    arguments : arguments of the command
    """
    unset = dict.fromkeys(vars(parser.parse_args([])), NOT_GIVEN)
    found = vars(parser.parse_args(arguments, Namespace(**unset)))
    source = found.pop("source")
    allowed = ("verify", "trust_pickle")
    given = [] if source in (None, NOT_GIVEN) else [repr(source)]
    given += [
        f"--{name.replace('_', '-')}"
        for name, value in found.items()
        if value is not NOT_GIVEN and name not in allowed
    ]
    if given:
        raise ValueError(
            f"--verify cannot be combined with {', '.join(given)}: it repeats the audit with the "
            "recorded options. Leave out these arguments, or run a new audit without --verify."
        )


def verify(
    path: Path, parser: ArgumentParser, trust_pickle: bool, run: Run, console: Console
) -> int:
    """Repeat the audit of a JSON file; return 0 if everything that it computes is the same.

    Parameters
    ----------
    path : JSON output of an audit
    parser : parser of the command line
    trust_pickle : whether the user of --verify trusts a pickled model; a record cannot say so
    run : function that runs the command with these options
    console : output
    """
    record = _read_record(path)
    command = record["provenance"]["command"]
    options = _read_options(command[1:], parser, trust_pickle)
    repeated = f"repeating: {escape_unprintable(shlex.join(command))}"
    console.print(Text(repeated, style="dim"), soft_wrap=True)
    try:
        again = _repeat(options, run)
    except (ValueError, TypeError, OSError) as error:
        changed = list(_iter_changed_inputs(record, options))
        if not changed:
            raise
        _print_differences(console, changed)
        reason = " ".join(str(error).split())
        _print_different(console, f"the audit cannot be repeated: {reason}")
        return DIFFERENT
    differences = [
        one
        for one in iter_differences(record, again)
        if not _is_expected(one, _get_format(record))
    ]
    notes = [one for one in differences if _is_other_version(one, again)]
    for note in dict.fromkeys(map(_describe_version, notes)):
        console.print(Text(f"note: {escape_unprintable(note)}", style="dim"))
    return _conclude(console, [one for one in differences if one not in notes])


def _conclude(console: Console, differences: list[Difference]) -> int:
    """Print the differences, and what they mean for the audit; return the exit code."""
    if not differences:
        console.print(Text(VERIFIED, style="bold green"))
        return 0
    _print_differences(console, differences)
    of_input = [one for one in differences if one.path[:2] == INPUTS]
    if not of_input:
        console.print("The input is the same.")
    elif len(of_input) == len(differences):
        console.print("Only provenance.inputs differs: all settings and results are the same.")
    return DIFFERENT


def _print_differences(console: Console, differences: Iterable[Difference]) -> None:
    """Print the first differences of each section, and the number of the others."""
    sections = defaultdict(list)
    for one in differences:
        sections[one.path[0]].append(one)
    for name, found in sections.items():
        for one in found[:MAX_SHOWN]:
            _print_different(console, str(one))
        if len(found) > MAX_SHOWN:
            _print_different(console, f"further entries of {name}: {len(found) - MAX_SHOWN:,}")


def _print_different(console: Console, text: str) -> None:
    console.print(Text(f"DIFFERENT: {escape_unprintable(text)}", style="bold red"), soft_wrap=True)


def _describe_version(one: Difference) -> str:
    recorded = "not recorded" if one.recorded is ABSENT else one.recorded
    found = "not installed" if one.found is ABSENT else one.found
    return f"{one.path[-1]} was {recorded}, is {found}"


def _is_other_version(one: Difference, again: Mapping[str, Any]) -> bool:
    """Return whether a library has another version, or is installed in one of the runs only."""
    is_version = one.path[:2] in VERSIONS and len(one.path) == 3
    is_removed = one.recorded is ABSENT and one.path[-1] in again["settings"]["versions"]
    is_text = all(isinstance(value, str) or value is ABSENT for value in (one.recorded, one.found))
    known = {*HOST_LIBRARIES, *again["settings"]["versions"]}
    return is_version and not is_removed and is_text and one.path[-1] in known


def _is_expected(one: Difference, record_format: int) -> bool:
    """Return whether each run has another value, or records of this format lack the path."""
    if one.recorded is ABSENT:
        return record_format < ADDED.get(one.path, 0)
    return one.path == FORMAT or (one.path in RUN_DATES and isinstance(one.recorded, str))


def _repeat(options: Namespace, run: Run) -> dict[str, Any]:
    """Run the command again without its own outputs, and return its JSON output."""
    with TemporaryDirectory(prefix="dr-audit-") as folder:
        options.json, options.junit = Path(folder) / "again.json", None
        # Only an audit with a report examines the ensemble.
        options.html = Path(folder) / "again.html" if options.html else None
        run(options, Console(file=io.StringIO()))
        return dict(json.loads(options.json.read_text(encoding="utf-8")))


# What the record says


def _read_record(path: Path) -> dict[str, Any]:
    """Read the JSON output of an audit; raise ValueError if it cannot be repeated."""
    try:
        text = path.read_text(encoding="utf-8")
        record = json.loads(text, object_pairs_hook=_make_object)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"--verify: {path.name!r} cannot be read as JSON: {error}.") from error
    provenance = record.get("provenance") if isinstance(record, dict) else None
    command = provenance.get("command") if isinstance(provenance, dict) else None
    if not _is_words(command):
        raise ValueError(
            f"--verify: {path.name!r} has no provenance; pass a file that dr-audit --json wrote."
        )
    if command[0] != "dr-audit":
        raise ValueError(
            f"--verify: the recorded command of {path.name!r} is not one of dr-audit: "
            f"{shlex.join(command)}. It is not run; pass a file that dr-audit --json wrote."
        )
    record_format = _get_format(record)
    if record_format not in range(RECORD_FORMAT + 1):
        raise ValueError(
            f"--verify: {path.name!r} has format {record_format!r}, and this version of dr-audit "
            f"reads formats up to {RECORD_FORMAT}; use the version that wrote the file."
        )
    return dict(record)


# Python takes the last of several values of a key, and other readers may show the first.
def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    repeated = find_repeated(key for key, _ in pairs)
    if repeated:
        raise ValueError(f"an object has several values of {quote(repeated)}")
    return dict(pairs)


def _is_words(command: Any) -> TypeGuard[list[str]]:
    is_list = isinstance(command, list) and all(isinstance(word, str) for word in command)
    return is_list and bool(command)


def _get_format(record: Mapping[str, Any]) -> Any:
    return record["provenance"].get(FORMAT[-1], 0)


def _read_options(arguments: list[str], parser: ArgumentParser, trust_pickle: bool) -> Namespace:
    """Return the recorded options; raise ValueError if they are no audit that can be repeated."""
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            options = parser.parse_args(arguments)
    except SystemExit:
        options = Namespace(source=None)
    except ValueError as error:
        raise ValueError(f"--verify: the recorded command cannot be repeated: {error}") from error
    if options.source is None or options.list or options.verify:
        raise ValueError(
            f"--verify: the recorded command is no audit: {shlex.join(['dr-audit', *arguments])}."
        )
    if options.source == str(STANDARD):
        raise ValueError(
            "--verify: the data came from standard input, which cannot be read again; audit a "
            "file to get a record that can be verified."
        )
    _check_are_there(options)
    options.arguments, options.trust_pickle = arguments, trust_pickle
    return options


def _check_are_there(options: Namespace) -> None:
    """Raise ValueError if an input of the recorded command is missing."""
    data = [] if options.source in datasets.names() else [Path(options.source)]
    others = filter(None, (options.model, options.coupled, options.reference))
    missing = [repr(str(path)) for path in (*data, *others) if not path.is_file()]
    if missing:
        raise ValueError(
            f"--verify: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; run "
            "the command in the folder in which the audit was run."
        )


def _iter_changed_inputs(record: Mapping[str, Any], options: Namespace) -> Iterator[Difference]:
    """Yield how the input files differ from those of the record."""
    recorded = record["provenance"].get(INPUTS[-1], ABSENT)
    now = describe_inputs(options, Path(options.source))
    yield from iter_differences(recorded, now, INPUTS)
