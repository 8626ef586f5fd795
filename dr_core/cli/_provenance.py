"""Where numbers come from: hashes of files, command line, and versions."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Iterator, Mapping
from hashlib import file_digest
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from dr_core import datasets
from dr_core.cli._files import STANDARD

__all__ = ["RECORD_FORMAT", "collect_provenance", "describe_inputs", "describe_provenance"]

RECORD_FORMAT = 1
"""Number of the layout of the JSON output; records of before it was written have 0.

Increase it if the output gets a new part, and add the part to `ADDED` of `--verify`.
"""

HOST_LIBRARIES = ("fairlearn", "aif360", "scipy", "skops", "joblib")
"""Distributions whose versions are recorded beside those of the comparison, if installed."""


def collect_provenance(
    options: Namespace,
    facts: Mapping[str, Any],
    settings: Mapping[str, Any],
    inputs: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what is needed to repeat an audit, and to see whether its input is the same.

    Parameters
    ----------
    options : options of the command, with its `arguments`
    facts : what else is known, such as the split
    settings : settings of the comparison, with date and versions
    inputs : files that were read, of `describe_inputs`
    """
    versions = settings.get("versions", {}) | dict(_iter_host_versions())
    return {
        "format": RECORD_FORMAT,
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


def describe_inputs(
    options: Namespace, data: Path, hashes: Mapping[Path, str] | None = None
) -> dict[str, dict[str, Any]]:
    """Return name, SHA-256 and size of each file that these options read.

    Parameters
    ----------
    options : options of the command
    data : file of the rows, if they are not those of a shipped data set
    hashes : SHA-256 of files that were read already
    """
    paths = {name: getattr(options, name) for name in ("model", "coupled", "reference")}
    described = {"data": _describe_data(options.source, data, hashes)}
    return described | {name: _describe_file(path) for name, path in paths.items() if path}


def _describe_data(source: str, path: Path, hashes: Mapping[Path, str] | None) -> dict[str, Any]:
    if source not in datasets.names():
        # Standard input was written to a temporary file, which is no name to remember.
        name = "standard input" if source == str(STANDARD) else source
        return _describe_file(path, hashes) | {"name": name}
    with as_file(files("dr_core.datasets").joinpath("data", f"{source}.csv.gz")) as shipped:
        return _describe_file(shipped) | {"name": source}


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
