"""Arguments, and the order of events."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.model_selection import train_test_split

from dr_core import datasets
from dr_core._utils import check_whole, check_writable, write_whole
from dr_core.cli._models import default_model, load_model
from dr_core.cli._subject import Subject, chunked_file, shipped, user_file
from dr_core.cli._terminal import (
    make_console,
    print_comparison,
    print_datasets,
    print_risk,
    visible,
)
from dr_core.comparison import compare
from dr_core.report import environment
from dr_core.risk import Plausibility, RiskAssessment, assess_risk

__all__ = ["main"]

BAD_INPUT = 2
"""Exit code for input that cannot be audited."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells know it."""

TEST_SHARE = 0.3
TOLERANCE = 0.05
CHUNK_ROWS = 5_000

CHUNKED = "read the file so many rows at a time, if it is larger than memory; needs --model"
NO_VOTES = "bounds and pruning of an ensemble need rows in memory: not in the report of chunks."
COUPLED = "columns that follow a sensitive attribute, such as relationship: see the documentation"
INDIVIDUALS = "people concerned to show in the report: personal data (%(default)s)"


def main(arguments: Sequence[str] | None = None, *, console: Console | None = None) -> int:
    """Run `dr-audit`; return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the command line when left out.
    console : rich Console, optional
        Where to print; standard output when left out.

    Examples
    --------
    >>> main(["--list"])  # doctest: +ELLIPSIS
    +...
    | ricci     | 118    | Race=W ...
    0
    """
    options = _parser().parse_args(arguments)
    try:
        return _run(options, console or make_console())
    except (ValueError, TypeError, ImportError, OSError) as error:
        print(f"dr-audit: {visible(' '.join(str(error).split()))}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("dr-audit: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dr-audit",
        description="How many decisions of a model change when only sensitive attributes do?",
    )
    add = parser.add_argument
    add("source", nargs="?", help="a shipped data set (see --list), or a CSV or Parquet file")
    add("--list", action="store_true", help="list the shipped data sets")
    add("--label", metavar="COLUMN", help="label column of the file")
    add("--favorable", metavar="LABEL", help="the favourable label")
    add("--privileged", nargs="+", default=[], metavar="COLUMN=VALUE", help="who is privileged")
    add("--coupled", type=Path, metavar="RULES.json", help=COUPLED)
    add("--model", type=Path, metavar="FILE", help="a fitted model; without it one is trained")
    add("--trust-pickle", action="store_true", help="load a pickled model, which can run any code")
    add("--chunk-rows", type=int, metavar="N", help=CHUNKED)
    add("--tolerance", type=float, help="how far a numeric prediction may move unnoticed")
    add("--n-boot", type=int, default=1000, metavar="N", help="bootstrap replicates (%(default)s)")
    add("--seed", type=int, default=0, help="of the split, the model, the bootstrap (%(default)s)")
    add("--json", type=Path, metavar="FILE", help="also write the values as JSON")
    add("--html", type=Path, metavar="FILE", help="also write a report to read in a browser")
    add("--individuals", type=int, default=0, metavar="N", help=INDIVIDUALS)
    return parser


def _run(options: argparse.Namespace, console: Console) -> int:
    if options.list:
        print_datasets(console)
        return 0
    check_whole("--seed", options.seed, at_least=0)
    _check_outputs(options)
    subject, model, rows, facts = _prepare(options)
    audit = _audit_quantity if subject.is_regression else _audit_classes
    audit(options, console, subject, model, rows, facts)
    return 0


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse what cannot be written before the work is done, not after it."""
    for path in filter(None, (options.json, options.html)):
        check_writable(path)
    if options.html:
        environment()
    elif options.individuals:
        raise ValueError("--individuals is for the report: add --html FILE.")


def _audit_quantity(
    options: argparse.Namespace,
    console: Console,
    subject: Subject,
    model: Any,
    rows: Any,
    facts: dict[str, str],
) -> None:
    if options.html:
        raise ValueError("--html is for a label that has classes; this one is a quantity.")
    tolerance = options.tolerance
    if tolerance is None and subject.is_chunked:
        raise ValueError("the label is a quantity: with --chunk-rows, say --tolerance too.")
    if tolerance is None:
        tolerance = TOLERANCE * float(subject.y.std())
    X, y = subject.at(rows)
    how = {"y": y, "tolerance": tolerance} | _in_chunks(subject)
    risk = assess_risk(model, X, subject.attributes.uncoupled, **how)
    table, checked = risk.table(), _plausibility(subject, risk)
    if subject.attributes.couplings:
        coupled = assess_risk(model, X, subject.attributes, **how)
        table.insert(1, "risk_coupled", coupled.table()["risk"])
        checked += _plausibility(subject, coupled)
    if options.json:
        write_whole(options.json, table.to_json(orient="index", indent=2) + "\n")
    print_risk(console, table, checked, facts | {"tolerance": f"{tolerance:.4g}"})


def _plausibility(subject: Subject, risk: RiskAssessment) -> list[Plausibility]:
    """What is known of perturbed rows; nothing where rows are not all in memory."""
    return [] if subject.is_chunked else [risk.plausibility(subject.X)]


def _audit_classes(
    options: argparse.Namespace,
    console: Console,
    subject: Subject,
    model: Any,
    rows: Any,
    facts: dict[str, str],
) -> None:
    if options.tolerance is not None:
        raise ValueError("--tolerance is for a label that is a quantity; this one has classes.")
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        comparison = compare(
            {"model": model},
            *subject.at(rows),
            subject.attributes,
            favorable=subject.favorable,
            n_boot=options.n_boot,
            random_state=options.seed,
            ensembles=options.html is not None and not subject.is_chunked,
            individuals=options.individuals,
            reference=None if subject.is_chunked else subject.X,
            **_in_chunks(subject),
        )
    if options.json:
        comparison.to_json(options.json)
    if options.html:
        comparison.to_html(options.html, title=f"Audit of {subject.name}", facts=facts)
    print_comparison(console, comparison, facts)
    told = [str(note.message) for note in notes] + [NO_VOTES] * (
        options.html is not None and subject.is_chunked
    )
    for note in dict.fromkeys(told):
        print(f"dr-audit: note: {visible(note)}", file=sys.stderr)


def _in_chunks(subject: Subject) -> dict[str, Any]:
    progress = {"progress": sys.stderr.isatty()}
    return progress if subject.is_chunked else progress | {"chunk_size": CHUNK_ROWS}


def _prepare(options: argparse.Namespace) -> tuple[Subject, Any, Any, dict[str, str]]:
    """What to audit, the fitted model, the rows it is audited on (None: all), facts about them."""
    subject = _subject(options)
    if options.model:
        model = load_model(options.model, trust_pickle=options.trust_pickle)
        return subject, model, None, _facts(subject, options.model.name, subject.n_rows)
    strata = None if subject.is_regression else subject.y
    train, test = train_test_split(
        np.arange(subject.n_rows), test_size=TEST_SHARE, random_state=options.seed, stratify=strata
    )
    model = default_model(
        subject.X, regression=subject.is_regression, random_state=options.seed
    ).fit(*subject.at(train))
    facts = _facts(subject, "random forest trained on the other rows", len(test))
    return subject, model, test, facts


def _subject(options: argparse.Namespace) -> Subject:
    if options.source is None:
        raise ValueError("name a data set or a file; dr-audit --list shows the data sets.")
    if options.source in datasets.names():
        if options.label or options.favorable or options.privileged:
            raise ValueError(
                "--label, --favorable and --privileged are for files; the data set "
                f"{options.source!r} brings its own."
            )
        if options.chunk_rows:
            raise ValueError("--chunk-rows is for files; the shipped data sets are small.")
        return shipped(options.source, options.coupled)
    file = Path(options.source), options.label, options.favorable, options.privileged
    if options.chunk_rows is None:
        return user_file(*file, options.coupled)
    if not options.model:
        raise ValueError("--chunk-rows needs a model that was fitted elsewhere: --model FILE.")
    return chunked_file(*file, options.coupled, options.chunk_rows)


def _facts(subject: Subject, model: str, n_rows: int) -> dict[str, str]:
    privileged = (f"{a.name} = {', '.join(map(str, a.privileged))}" for a in subject.attributes)
    facts = {
        "data": f"{subject.name}, {n_rows:,} of {subject.n_rows:,} rows",
        "model": model,
        "privileged": "; ".join(privileged),
        "favourable": subject.meaning,
    }
    return facts if not subject.is_regression else facts | {"favourable": "(a quantity)"}
