"""Arguments of the command, and the steps of an audit."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from dr_core import datasets
from dr_core._utils import Array, check_integer, quote, write_atomically
from dr_core.cli._arguments import ArgumentParser
from dr_core.cli._data_quality import NUMBERS, Cleaning, Finding
from dr_core.cli._files import STANDARD, save_standard_input
from dr_core.cli._gate import EXIT_CODES, check_limits, check_options, write_junit
from dr_core.cli._messages import advise_options
from dr_core.cli._models import default_model, load_model
from dr_core.cli._outputs import check_outputs, write_output
from dr_core.cli._provenance import (
    collect_provenance,
    describe_inputs,
    describe_provenance,
)
from dr_core.cli._reference import read_reference
from dr_core.cli._streams import discard_unread_output
from dr_core.cli._subject import Subject, load_chunked_file, load_file, load_shipped
from dr_core.cli._terminal import (
    escape_unprintable,
    make_console,
    print_comparison,
    print_datasets,
    print_quantity,
    print_stage,
    print_verdict,
)
from dr_core.cli._verify import check_given_alone, verify
from dr_core.comparison import (
    Individuals,
    Verdict,
    compare,
    describe_environment,
    find_shifted,
)
from dr_core.report import (
    QuantityAudit,
    describe_left_out,
    make_environment,
    render_quantity,
)
from dr_core.risk import Plausibility, ShiftAssessment, assess_shift

__all__ = ["main"]

BAD_INPUT = 2
"""Exit code for bad input, and for an audit that cannot be completed."""

OUT_OF_MEMORY = (
    "dr-audit: out of memory. Read the file in chunks: --chunk-rows 100000 --model FILE."
)

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""

TEST_SHARE = 0.3

NUMBER_ERROR = re.compile(r"\b(float|int|isnan|numeric|dtypes?|string|str)\b", re.IGNORECASE)
"""Words of the errors that models raise for text instead of numbers."""

TYPE_ERROR = re.compile(r"could not convert string|ufunc 'isnan'")
"""Errors that models raise for columns of another type than those they were fitted on."""

PREDICTED_ROWS = 5_000
"""Rows in memory that are predicted at a time."""

EPILOG = """\
examples:
  dr-audit income
  dr-audit loans.csv --label repaid --favorable yes --privileged sex=male race=White,Asian
  dr-audit loans.parquet --label repaid --favorable yes --privileged sex=male \\
      --model model.skops --html audit.html --json audit.json
  dr-audit loans.csv --label repaid --favorable yes --privileged sex=male --max-risk 0.05
  cat loans.csv | dr-audit - --label repaid --favorable yes --privileged sex=male --json -

exit codes:
  0    the audit was completed; if there are limits, they are kept
  1    a limit is exceeded, or --verify found a difference
  3    the data cannot tell whether a limit is kept
  2    bad input, or the audit could not be completed
  130  interrupted
"""

SOURCE_HELP = (
    "a shipped data set (see --list), a CSV, TSV, Parquet, Feather or Excel file, or - for CSV "
    "or Parquet from standard input"
)
CHUNK_ROWS_HELP = "rows to read at a time from a file larger than memory; needs --model"
REFERENCE_HELP = "rows by which the plausibility of perturbed rows is judged; by default the data"
COUPLED_HELP = "rules for columns that follow a sensitive attribute; see the documentation"
INDIVIDUALS_HELP = "affected people to show in the report: personal data (%(default)s)"
PRIVILEGED_HELP = "privileged values, such as sex=Male, or a range, such as 'age>=25' (in quotes)"
MAX_RISK_HELP = "largest discriminative risk, such as 0.05, or sex=0.02 for one attribute"
MAX_GAP_HELP = "largest gap, such as demographic_parity=0.1"
LOCAL_LAW_HELP = "add the impact ratios of New York City's Local Law 144 to the report"
VERIFY_HELP = (
    "repeat the audit of a JSON file, and compare everything in it; takes no other options"
)
NORMALIZE_HELP = (
    "replace text values that differ only in case or blanks by the most frequent spelling of them"
)
MISSING_HELP = (
    "keep rows that lack a sensitive value, without perturbing this value, or drop rows that lack "
    "one or a label"
)
ID_HELP = "column that identifies a row: not used by the model, shown with --individuals"
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
    with discard_unread_output():
        return _report_errors(arguments, console)


def _report_errors(arguments: Sequence[str] | None, console: Console | None) -> int:
    """Run the command; print an error as one line, and return its exit code."""
    parser = _make_parser()
    try:
        options = parser.parse_args(arguments)
        options.arguments = list(sys.argv[1:] if arguments is None else arguments)
        to_stdout = STANDARD in (options.json, options.html, options.junit)
        console = console or make_console(stderr=to_stdout)
        if options.verify:
            check_given_alone(parser, options.arguments)
            return verify(options.verify, parser, options.trust_pickle, _run, console)
        return _run(options, console)
    except MemoryError:
        print(OUT_OF_MEMORY, file=sys.stderr)
        return BAD_INPUT
    except (ValueError, TypeError, ImportError, OSError) as error:
        message = advise_options(" ".join(str(error).split()))
        print(f"dr-audit: {escape_unprintable(message)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("dr-audit: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _make_parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="dr-audit",
        description="How many decisions of a model change when only sensitive attributes do?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("source", nargs="?", help=SOURCE_HELP)
    add("--version", action="version", version=f"dr-audit {version('discriminative-risk')}")
    add("--list", action="store_true", help="list the shipped data sets")
    add("--label", metavar="COLUMN", help="label column of the file")
    add("--favorable", metavar="LABEL", help="the favourable label")
    add("--privileged", nargs="+", default=[], metavar="COLUMN=VALUE", help=PRIVILEGED_HELP)
    add("--person", metavar="COLUMN", help=PERSON_HELP)
    add("--id", metavar="COLUMN", help=ID_HELP)
    add("--normalize", action="store_true", help=NORMALIZE_HELP)
    add("--drop", nargs="+", default=[], metavar="COLUMN", help="columns to leave out")
    add("--missing", choices=("keep", "drop"), help=MISSING_HELP)
    add("--coupled", type=Path, metavar="RULES.json", help=COUPLED_HELP)
    add("--reference", type=Path, metavar="FILE", help=REFERENCE_HELP)
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
    add("--json", type=Path, metavar="FILE", help="also write the values as JSON; - for stdout")
    add("--html", type=Path, metavar="FILE", help="also write an HTML report; - for stdout")
    add("--max-risk", nargs="+", default=[], metavar="LIMIT", help=MAX_RISK_HELP)
    add("--max-gap", nargs="+", default=[], metavar="MEASURE=LIMIT", help=MAX_GAP_HELP)
    add("--junit", type=Path, metavar="FILE", help="also write the limits as a JUnit file")
    add("--local-law-144", action="store_true", help=LOCAL_LAW_HELP)
    add("--verify", type=Path, metavar="FILE", help=VERIFY_HELP)
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
    with _name_texts(subject), _name_lacking_columns(model, subject, options):
        return audit(options, console, subject, model, rows, facts)


def _check_outputs(options: argparse.Namespace) -> None:
    """Raise an error for outputs that cannot be written, before the audit starts."""
    named = (None, str(STANDARD), *datasets.names())
    source = None if options.source in named else Path(options.source)
    inputs = {"the data": source, "--model": options.model, "--coupled": options.coupled}
    inputs |= {"--reference": options.reference}
    outputs = {"--json": options.json, "--html": options.html, "--junit": options.junit}
    check_outputs(inputs, outputs)
    check_options(options)
    if options.html:
        make_environment()
    elif options.individuals or options.local_law_144:
        raise ValueError("--individuals and --local-law-144 need a report: add --html FILE.")


def _audit_quantity(
    options: argparse.Namespace,
    console: Console,
    subject: Subject,
    model: Any,
    rows: Any,
    facts: dict[str, str],
) -> int:
    check_integer("--individuals", options.individuals, at_least=0)
    if options.max_risk or options.max_gap:
        raise ValueError("--max-risk and --max-gap need a label with classes.")
    X, y = subject.at(rows)
    shift_options = {"y": y, "tolerance": options.tolerance, "person": subject.person_at(rows)}
    shift_options |= {"response": "predict"} | _get_chunk_options(subject)
    attributes = [subject.attributes.uncoupled]
    attributes += [subject.attributes] if subject.attributes.has_couplings else []
    shift, *coupled = [assess_shift(model, X, one, **shift_options) for one in attributes]
    settings = {"rows": shift.n_rows, "random_state": options.seed}
    settings |= describe_environment({"model": model})
    evidence = _collect_evidence(options, subject, rows, settings)
    audit = QuantityAudit(
        shift,
        coupled[0] if coupled else None,
        [found for one in (shift, *coupled) for found in _assess_plausibility(subject, one)],
        settings,
        evidence,
        _locate(_find_shifted(options.individuals, subject, model, X), subject, rows),
    )
    print_quantity(console, audit, facts)
    _print_notes([], shift.notes)
    write_output(console, options.json, partial(_write_text, audit.to_json))
    facts |= describe_provenance(evidence["provenance"])
    page = partial(render_quantity, audit, f"Audit of {subject.name}", facts)
    write_output(console, options.html, partial(_write_text, page))
    return 0


def _find_shifted(n: int, subject: Subject, model: Any, X: Any) -> dict[str, Individuals]:
    """Return the people whose prediction moves furthest, if asked for."""
    return {"model": find_shifted(model, X, subject.attributes.uncoupled, n)} if n else {}


def _write_text(make: Callable[[], str], path: Path | None) -> str:
    """Return a text, and write it to a file if there is a path."""
    text = f"{make().rstrip()}\n"
    if path is not None:
        write_atomically(path, text)
    return text


def _assess_plausibility(subject: Subject, shift: ShiftAssessment) -> list[Plausibility]:
    """Return the plausibility of the perturbed rows; nothing for rows in chunks."""
    return [] if subject.is_chunked else [shift.plausibility(subject.reference)]


def _audit_classes(
    options: argparse.Namespace,
    console: Console,
    subject: Subject,
    model: Any,
    rows: Any,
    facts: dict[str, str],
) -> int:
    if options.tolerance is not None:
        raise ValueError("--tolerance needs a label that is a quantity; this label has classes.")
    what = ", bounds and pruning" if options.html and not subject.is_chunked else ""
    print_stage(f"auditing the model{what}")
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
            reference=subject.reference,
            **_get_chunk_options(subject),
        )
    verdict = check_limits(options, comparison)
    evidence = _collect_evidence(options, subject, rows, comparison.settings, verdict)
    evidence |= {"local_law_144": True} if options.local_law_144 else {}
    individuals = _locate(comparison.individuals, subject, rows)
    comparison = replace(comparison, evidence=evidence, individuals=individuals)
    print_comparison(console, comparison, facts)
    if verdict is not None:
        print_verdict(console, verdict)
    more = [NO_ENSEMBLES_NOTE] if options.html and subject.is_chunked else []
    _print_notes(notes, [*more, *comparison.settings.get("notes", ())])
    write_output(console, options.json, comparison.to_json)
    title = f"Audit of {subject.name}"
    facts |= describe_provenance(evidence["provenance"])
    to_html = partial(comparison.to_html, title=title, facts=facts)
    write_output(console, options.html, to_html)
    if verdict is None:
        return 0
    write_output(console, options.junit, partial(write_junit, verdict))
    return EXIT_CODES[verdict.outcome]


def _locate(
    individuals: dict[str, Individuals], subject: Subject, rows: Array | None
) -> dict[str, Individuals]:
    """Return the individuals with their rows and identifiers in the input."""
    return {name: _locate_model(some, subject, rows) for name, some in individuals.items()}


def _locate_model(some: Individuals, subject: Subject, rows: Array | None) -> Individuals:
    positions = some.rows
    if not subject.is_chunked:
        positions = subject.at(rows)[0].index.to_numpy()[some.rows]
    identifiers = None
    if subject.identifier is not None:
        column = subject.identifier
        identifiers = str(column.name), column.loc[positions].tolist()
    where = "in the data, from 1, without the header"
    return replace(some, rows=positions + 1, row_meaning=where, identifiers=identifiers)


def _collect_evidence(
    options: argparse.Namespace,
    subject: Subject,
    rows: Any,
    settings: dict[str, Any],
    verdict: Verdict | None = None,
) -> dict[str, Any]:
    """Return what is known about data and run, for JSON and report."""
    source = {"split": _describe_split(subject, rows, options.seed)}
    inputs = describe_inputs(options, subject.path, subject.hashes)
    provenance = collect_provenance(options, source, settings, inputs)
    evidence: dict[str, Any] = {"provenance": provenance}
    evidence["columns"] = [str(name) for name in subject.X.keys()]  # noqa: SIM118
    evidence |= {"rows_left_out": subject.n_left_out} if subject.n_left_out else {}
    if subject.findings is not None:
        found = [*subject.findings, *subject.changes]
        evidence["data_quality"] = [finding.to_dict() for finding in found]
    return evidence if verdict is None else evidence | {"verdict": verdict.to_dict()}


@contextmanager
def _record_notes() -> Iterator[list[warnings.WarningMessage]]:
    """Record the warnings that are meant for users, and silence all others."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield notes


def _print_notes(notes: list[warnings.WarningMessage], more: Iterable[str] = ()) -> None:
    for note in dict.fromkeys([*(str(note.message) for note in notes), *more]):
        print(f"dr-audit: note: {escape_unprintable(advise_options(note))}", file=sys.stderr)


def _get_chunk_options(subject: Subject) -> dict[str, Any]:
    progress = {"progress": sys.stderr.isatty()}
    return progress if subject.is_chunked else progress | {"chunk_size": PREDICTED_ROWS}


def _prepare(options: argparse.Namespace) -> tuple[Subject, Any, Any, dict[str, str]]:
    """Return the subject, the fitted model, the rows to audit (None: all), and facts."""
    print_stage(f"reading {options.source}")
    with _record_notes() as notes:
        subject = _load_subject(options)
        reference, changes = _load_reference(options, subject)
        subject = replace(subject, reference=reference, changes=[*subject.changes, *changes])
    # A model that cannot be loaded is one line of its own.
    given = options.model
    model = load_model(given, trust_pickle=options.trust_pickle) if given else None
    # The checks of the data warn of spelling themselves.
    _print_notes([note for note in notes if "differ only in case" not in str(note.message)])
    for finding in subject.findings or ():
        print(f"dr-audit: warning: {escape_unprintable(finding)}", file=sys.stderr)
    for change in subject.changes:
        print(f"dr-audit: note: {escape_unprintable(change)}", file=sys.stderr)
    if given:
        _check_not_dropped(model, options.drop)
        return subject, model, None, _collect_facts(subject, given.name, subject.n_rows)
    train, test = _split(subject, options.seed)
    print_stage(f"training a random forest on {len(train):,} rows")
    model = default_model(
        subject.X, regression=subject.is_regression, random_state=options.seed
    ).fit(*subject.at(train))
    facts = _collect_facts(subject, "random forest trained on the other rows", len(test))
    return subject, model, test, facts


def _check_not_dropped(model: Any, dropped: Sequence[str]) -> None:
    """Raise ValueError if a column that the model was fitted on was left out."""
    needed = [name for name in dropped if name in getattr(model, "feature_names_in_", ())]
    if needed:
        raise ValueError(
            f"--drop: the model was fitted on {quote(needed)}; leave these columns in the data."
        )


@contextmanager
def _name_lacking_columns(
    model: Any, subject: Subject, options: argparse.Namespace
) -> Iterator[None]:
    """Explain an error that names a column that the model was fitted on and the data lack.

    A model that does not use such a column raises none.
    """
    try:
        yield
    except (ValueError, KeyError) as error:
        fitted = getattr(model, "feature_names_in_", ())
        lacking = [name for name in fitted if name not in subject.X.keys()]  # noqa: SIM118
        # Libraries quote names of columns. Other words, such as type, can be names by chance.
        quoted = re.findall(r"['\"](.*?)['\"]", str(error))
        named = [name for name in lacking if str(name) in quoted]
        if not named:
            raise
        taken = [one for one in ("--id", "--person") if getattr(options, one[2:]) in named]
        remedy = f"leave out {taken[0]}" if taken else "add them to the data"
        raise ValueError(
            f"--model: {options.model.name!r} was fitted on the columns {quote(named)}, which "
            f"{subject.name!r} lacks; {remedy}, or pass a model that does not need them. ({error})"
        ) from error


@contextmanager
def _name_texts(subject: Subject) -> Iterator[None]:
    """Explain an error of a model that gets text in a column of numbers."""
    try:
        yield
    except (ValueError, TypeError) as error:
        found = [one for one in subject.findings or () if one.check == NUMBERS]
        texts = " ".join(f"C{str(one)[1:]}" for one in found)
        if not found and TYPE_ERROR.search(str(error)) and not subject.is_chunked:
            columns = subject.X.select_dtypes(exclude="number").columns
            texts = (
                "It was probably trained on columns of other types; in the data, the columns of "
                f"text are {quote(columns)}, and all others are numbers."
            )
        if not texts or not NUMBER_ERROR.search(str(error)):
            raise
        raise ValueError(f"the model cannot predict these rows: {error}. {texts}") from error


def _describe_split(subject: Subject, rows: Array | None, seed: int) -> dict[str, Any] | None:
    """Return how the rows to audit were chosen; None if all rows are audited."""
    if rows is None:
        return None
    by = "people" if subject.person is not None else "rows, stratified by the label"
    return {"audited_share": TEST_SHARE, "seed": seed, "by": by}


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
        own = options.label, options.favorable, options.privileged, options.person, options.id
        if any(own):
            raise ValueError(
                "--label, --favorable, --privileged, --person and --id are for files; the data "
                f"set {options.source!r} defines its own."
            )
        if options.normalize or options.drop or options.missing:
            raise ValueError(
                "--normalize, --drop and --missing are for files; the shipped data sets are clean."
            )
        if options.chunk_rows:
            raise ValueError("--chunk-rows is for files; the shipped data sets are small.")
        return load_shipped(options.source, options.coupled)
    is_standard = options.source == str(STANDARD)
    path = save_standard_input() if is_standard else Path(options.source)
    file = path, options.label, options.favorable, options.privileged
    cleaning = Cleaning(options.normalize, options.drop, options.missing)
    if options.chunk_rows is None:
        is_trained_on = options.model is None
        more = options.coupled, options.person, cleaning, options.id
        return load_file(*file, *more, is_trained_on=is_trained_on)
    if not options.model:
        raise ValueError("--chunk-rows needs a fitted model: add --model FILE.")
    if options.id:
        raise ValueError("--id needs rows in memory: leave out --chunk-rows.")
    return load_chunked_file(*file, options.coupled, options.chunk_rows, options.person, cleaning)


def _load_reference(options: argparse.Namespace, subject: Subject) -> tuple[Any, list[Finding]]:
    """Return the rows by which plausibility is judged, and what was changed in them.

    There are no such rows for a file in chunks without `--reference`. The check counts people, so
    it gets one row of each person.
    """
    if options.reference is None:
        if subject.is_chunked:
            return None, []
        return subject.X if subject.person is None else subject.X[~subject.person.duplicated()], []
    if subject.is_chunked and subject.is_regression:
        raise ValueError("--reference needs rows in memory if the label is a quantity.")
    cleaning = Cleaning(options.normalize, options.drop, options.missing)
    is_trained_on = options.model is None
    person = options.person
    return read_reference(
        options.reference, subject, cleaning, person, is_trained_on=is_trained_on
    )


def _collect_facts(subject: Subject, model: str, n_rows: int) -> dict[str, str]:
    n_left_out = subject.n_left_out
    data = f"{subject.name}, {n_rows:,} of {subject.n_rows + n_left_out:,} rows"
    left_out = f"; {describe_left_out(n_left_out)}" if n_left_out else ""
    facts = {
        "data": f"{data}{left_out}",
        "model": model,
        "privileged": "; ".join(attribute.description for attribute in subject.attributes),
        "favourable": subject.meaning,
    }
    return facts if not subject.is_regression else facts | {"favourable": "(a quantity)"}
