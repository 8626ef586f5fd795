"""Where numbers come from: hashes of files, command line, versions; and `--verify`."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from collections.abc import Iterator, Mapping
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import as_file, files
from math import isclose
from pathlib import Path
from typing import Any

from dr_core import datasets

__all__ = [
    "collect_provenance",
    "describe_provenance",
    "iter_changed_inputs",
    "iter_differences",
    "iter_other_versions",
    "read_record",
]

HOST_LIBRARIES = ("fairlearn", "aif360", "scipy", "skops", "joblib")
"""Distributions whose versions are recorded beside those of the comparison, if installed."""

RESULTS = ("values", "directions", "groups", "group_rates", "shift", "errors")
"""Parts of the JSON output that a run with the same input must repeat."""


def collect_provenance(
    options: Namespace,
    facts: Mapping[str, Any],
    settings: Mapping[str, Any],
    hashes: Mapping[Path, str],
) -> dict[str, Any]:
    """Return what is needed to repeat an audit, and to see whether its input is the same.

    Parameters
    ----------
    options : options of the command, with its `arguments`
    facts : what else is known, such as the split
    settings : settings of the comparison, with date and versions
    hashes : SHA-256 of files that were read already
    """
    paths = {name: getattr(options, name) for name in ("model", "coupled", "reference")}
    inputs = {"data": _describe_data(options.source, hashes)}
    inputs |= {name: _describe_file(path) for name, path in paths.items() if path}
    versions = settings.get("versions", {}) | dict(_iter_host_versions())
    return {
        "command": ["dr-audit", *options.arguments],
        "inputs": inputs,
        "label": options.label,
        "favorable": None if "favorable" not in settings else str(settings["favorable"]),
        "seed": options.seed,
        **facts,
        "versions": versions,
        "date": settings["date"],
    }


def describe_provenance(provenance: Mapping[str, Any]) -> dict[str, str]:
    """Return the provenance as facts for the report."""
    hashes = {
        f"SHA-256 of {name}": f"{entry['sha256']} ({entry['name']}, {entry['bytes']:,} bytes)"
        for name, entry in provenance["inputs"].items()
    }
    versions = ", ".join(f"{name} {number}" for name, number in provenance["versions"].items())
    return {"command": shlex.join(provenance["command"]), **hashes, "versions": versions}


def _describe_data(source: str, hashes: Mapping[Path, str] | None = None) -> dict[str, Any]:
    if source not in datasets.names():
        return _describe_file(Path(source), hashes)
    with as_file(files("dr_core.datasets").joinpath("data", f"{source}.csv.gz")) as path:
        return _describe_file(path) | {"name": source}


def _describe_file(path: Path, hashes: Mapping[Path, str] | None = None) -> dict[str, Any]:
    digest = (hashes or {}).get(path) or _compute_hash(path)
    return {"name": str(path), "sha256": digest, "bytes": path.stat().st_size}


def _compute_hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _iter_host_versions() -> Iterator[tuple[str, str]]:
    for name in HOST_LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def read_record(path: Path) -> dict[str, Any]:
    """Read the JSON output of an audit; raise ValueError if it cannot be repeated."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"--verify: {path.name!r} cannot be read as JSON: {error}.") from error
    command = record.get("provenance", {}).get("command") if isinstance(record, dict) else None
    if not _is_command(command):
        raise ValueError(
            f"--verify: {path.name!r} has no provenance; pass a file that dr-audit --json wrote."
        )
    return dict(record)


def _is_command(command: Any) -> bool:
    is_list = isinstance(command, list) and all(isinstance(word, str) for word in command)
    return is_list and command[:1] == ["dr-audit"]


def iter_changed_inputs(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each input file that is not the same any more."""
    for name, entry in record["provenance"].get("inputs", {}).items():
        now = _compute_sha256(entry["name"])
        if now != entry["sha256"]:
            yield f"{name}: SHA-256 of {entry['name']!r} was {entry['sha256']}, is {now}"


def _compute_sha256(source: str) -> str | None:
    try:
        return str(_describe_data(source)["sha256"])
    except OSError:
        return None


def iter_differences(record: Mapping[str, Any], again: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each part of the results that is not the same."""
    for part in RESULTS:
        yield from _iter_changed(part, record.get(part, []), again.get(part, []))


def _iter_changed(part: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        before, after = list(before.items()), list(after.items())
    changed = sum(not _is_same(*pair) for pair in zip(before, after, strict=False))
    changed += abs(len(before) - len(after))
    if changed:
        yield f"{part}: {changed} of {len(before)} rows are different"


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two results are equal; threads of a forest may add up in another order.

    >>> _is_same({"value": 0.1}, {"value": 0.1 + 1e-16}), _is_same([0.1], [0.2])
    (True, False)
    """
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        # A later version may add a key.
        return one.keys() <= other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_is_same(*pair) for pair in pairs)
    return bool(one == other)


def iter_other_versions(record: Mapping[str, Any], again: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each library of another version."""
    before, now = (one["provenance"]["versions"] for one in (record, again))
    for name, number in before.items():
        if now.get(name) != number:
            yield f"{name} was {number}, is {now.get(name, 'not installed')}"
