"""Arguments of the command, and the steps of an audit."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from dr_core import datasets
from dr_core._utils import Array, check_integer, check_writable, write_atomically
from dr_core.cli._models import default_model, load_model
from dr_core.cli._subject import Subject, load_chunked_file, load_file, load_shipped
from dr_core.cli._terminal import (
    escape_unprintable,
    make_console,
    print_comparison,
    print_datasets,
    print_quantity,
)
from dr_core.comparison import compare, describe_environment
from dr_core.report import QuantityAudit, make_environment, render_quantity
from dr_core.risk import Plausibility, ShiftAssessment, assess_shift

__all__ = ["main"]

BAD_INPUT = 2
"""Exit code for bad input."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""

TEST_SHARE = 0.3

PREDICTED_ROWS = 5_000
"""Rows in memory that are predicted at a time."""

CHUNK_ROWS_HELP = "rows to read at a time from a file larger than memory; needs --model"
COUPLED_HELP = "rules for columns that follow a sensitive attribute; see the documentation"
INDIVIDUALS_HELP = "affected people to show in the report: personal data (%(default)s)"
PERSON_HELP = "column that says whom a row is about, if people have several rows"
NO_ENSEMBLES_NOTE = (
    "bounds and pruning of an ensemble need rows in memory: they are not in the report of chunks."
)


def main(arguments: Sequence[str] | None = None, *, console: Console | None = None) -> int:
    """Run `dr-audit`; return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the command line by default.
    console : rich Console, optional
        Output; standard output by default.

    Examples
    --------
    >>> main(["--list"])  # doctest: +ELLIPSIS
    +...
    | ricci     | 118    | Race=W ...
    0
    """
    options = _make_parser().parse_args(arguments)
    try:
        return _run(options, console or make_console())
    except (ValueError, TypeError, ImportError, OSError) as error:
        print(f"dr-audit: {escape_unprintable(' '.join(str(error).split()))}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("dr-audit: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="dr-audit",
        description="How many decisions of a model change when only sensitive attributes do?",
    )
    add = parser.add_argument
    add("source", nargs="?", help="a shipped data set (see --list), or a CSV or Parquet file")
    add("--list", action="store_true", help="list the shipped data sets")
    add("--label", metavar="COLUMN", help="label column of the file")
    add("--favorable", metavar="LABEL", help="the favourable label")
    add("--privileged", nargs="+", default=[], metavar="COLUMN=VALUE", help="privileged values")
    add("--person", metavar="COLUMN", help=PERSON_HELP)
    add("--coupled", type=Path, metavar="RULES.json", help=COUPLED_HELP)
    add("--model", type=Path, metavar="FILE", help="a fitted model; by default one is trained")
    add("--trust-pickle", action="store_true", help="load a pickled model, which can run any code")
    add("--chunk-rows", type=int, metavar="N", help=CHUNK_ROWS_HELP)
    add(
        "--tolerance",
        type=float,
        help="also count numeric predictions that move by more than this",
    )
    add("--n-boot", type=int, default=1000, metavar="N", help="bootstrap replicates (%(default)s)")
    add("--seed", type=int, default=0, help="seed of split, model and bootstrap (%(default)s)")
    add("--json", type=Path, metavar="FILE", help="also write the values as JSON")
    add("--html", type=Path, metavar="FILE", help="also write an HTML report")
    add("--individuals", type=int, default=0, metavar="N", help=INDIVIDUALS_HELP)
    return parser


def _run(options: argparse.Namespace, console: Console) -> int:
    if options.list:
        print_datasets(console)
        return 0
    check_integer("--seed", options.seed, at_least=0)
    _check_outputs(options)
    subject, model, rows, facts = _prepare(options)
    audit = _audit_quantity if subject.is_regression else _audit_classes
    audit(options, console, subject, model, rows, facts)
    return 0


def _check_outputs(options: argparse.Namespace) -> None:
    """Raise an error for outputs that cannot be written, before the audit starts."""
    for path in filter(None, (options.json, options.html)):
        check_writable(path)
    if options.html:
        make_environment()
    elif options.individuals:
        raise ValueError("--individuals needs a report: add --html FILE.")


def _audit_quantity(
    options: argparse.Namespace,
    console: Console,
    subject: Subject,
    model: Any,
    rows: Any,
    facts: dict[str, str],
) -> None:
    if options.individuals:
        raise ValueError("--individuals needs a label with classes; this label is a quantity.")
    X, y = subject.at(rows)
    shift_options = {"y": y, "tolerance": options.tolerance, "person": subject.person_at(rows)}
    shift_options |= {"response": "predict"} | _get_chunk_options(subject)
    attributes = [subject.attributes.uncoupled]
    attributes += [subject.attributes] if subject.attributes.has_couplings else []
    shift, *coupled = [assess_shift(model, X, one, **shift_options) for one in attributes]
    audit = QuantityAudit(
        shift,
        coupled[0] if coupled else None,
        [found for one in (shift, *coupled) for found in _assess_plausibility(subject, one)],
        {"rows": shift.n_rows, "random_state": options.seed}
        | describe_environment({"model": model}),
    )
    if options.json:
        write_atomically(options.json, audit.to_json() + "\n")
    if options.html:
        page = render_quantity(audit, f"Audit of {subject.name}", facts)
        write_atomically(options.html, page)
    print_quantity(console, audit, facts)


def _assess_plausibility(subject: Subject, shift: ShiftAssessment) -> list[Plausibility]:
    """Return the plausibility of the perturbed rows; nothing for rows in chunks."""
    return [] if subject.is_chunked else [shift.plausibility(subject.X)]


def _audit_classes(
    options: argparse.Namespace,
    console: Console,
    subject: Subject,
    model: Any,
    rows: Any,
    facts: dict[str, str],
) -> None:
    if options.tolerance is not None:
        raise ValueError("--tolerance needs a label that is a quantity; this label has classes.")
    with _record_notes() as notes:
        comparison = compare(
            {"model": model},
            *subject.at(rows),
            subject.attributes,
            favorable=subject.favorable,
            person=subject.person_at(rows),
            n_boot=options.n_boot,
            random_state=options.seed,
            ensembles=options.html is not None and not subject.is_chunked,
            individuals=options.individuals,
            reference=None if subject.is_chunked else subject.X,
            **_get_chunk_options(subject),
        )
    if options.json:
        comparison.to_json(options.json)
    if options.html:
        comparison.to_html(options.html, title=f"Audit of {subject.name}", facts=facts)
    print_comparison(console, comparison, facts)
    _print_notes(notes, [NO_ENSEMBLES_NOTE] if options.html and subject.is_chunked else [])


@contextmanager
def _record_notes() -> Iterator[list[warnings.WarningMessage]]:
    """Record the warnings that are meant for users, and silence all others."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield notes


def _print_notes(notes: list[warnings.WarningMessage], more: Iterable[str] = ()) -> None:
    for note in dict.fromkeys([*(str(note.message) for note in notes), *more]):
        print(f"dr-audit: note: {escape_unprintable(note)}", file=sys.stderr)


def _get_chunk_options(subject: Subject) -> dict[str, Any]:
    progress = {"progress": sys.stderr.isatty()}
    return progress if subject.is_chunked else progress | {"chunk_size": PREDICTED_ROWS}


def _prepare(options: argparse.Namespace) -> tuple[Subject, Any, Any, dict[str, str]]:
    """Return the subject, the fitted model, the rows to audit (None: all), and facts."""
    with _record_notes() as notes:
        subject = _load_subject(options)
    _print_notes(notes)
    if options.model:
        model = load_model(options.model, trust_pickle=options.trust_pickle)
        return subject, model, None, _collect_facts(subject, options.model.name, subject.n_rows)
    train, test = _split(subject, options.seed)
    model = default_model(
        subject.X, regression=subject.is_regression, random_state=options.seed
    ).fit(*subject.at(train))
    facts = _collect_facts(subject, "random forest trained on the other rows", len(test))
    return subject, model, test, facts


def _split(subject: Subject, seed: int) -> tuple[Array, Array]:
    """Return the rows to train on and those to audit; all rows of a person are in one part."""
    if subject.person is not None:
        splitter = GroupShuffleSplit(n_splits=1, test_size=TEST_SHARE, random_state=seed)
        train, test = next(splitter.split(subject.X, groups=subject.person))
        return train, test
    strata = None if subject.is_regression else subject.y
    rows = np.arange(subject.n_rows)
    train, test = train_test_split(rows, test_size=TEST_SHARE, random_state=seed, stratify=strata)
    return train, test


def _load_subject(options: argparse.Namespace) -> Subject:
    if options.source is None:
        raise ValueError("pass a data set or a file; dr-audit --list shows the data sets.")
    if options.source in datasets.names():
        if options.label or options.favorable or options.privileged or options.person:
            raise ValueError(
                "--label, --favorable, --privileged and --person are for files; the data set "
                f"{options.source!r} defines its own."
            )
        if options.chunk_rows:
            raise ValueError("--chunk-rows is for files; the shipped data sets are small.")
        return load_shipped(options.source, options.coupled)
    file = Path(options.source), options.label, options.favorable, options.privileged
    if options.chunk_rows is None:
        return load_file(*file, options.coupled, options.person)
    if not options.model:
        raise ValueError("--chunk-rows needs a fitted model: add --model FILE.")
    return load_chunked_file(*file, options.coupled, options.chunk_rows, options.person)


def _collect_facts(subject: Subject, model: str, n_rows: int) -> dict[str, str]:
    privileged = (f"{a.name} = {', '.join(map(str, a.privileged))}" for a in subject.attributes)
    facts = {
        "data": f"{subject.name}, {n_rows:,} of {subject.n_rows:,} rows",
        "model": model,
        "privileged": "; ".join(privileged),
        "favourable": subject.meaning,
    }
    return facts if not subject.is_regression else facts | {"favourable": "(a quantity)"}
