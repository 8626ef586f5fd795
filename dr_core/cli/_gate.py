"""Limits of the command: `--max-risk`, `--max-gap`, exit codes, and JUnit files."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring  # nosec B405

from dr_core._utils import find_repeated, quote, write_atomically
from dr_core.comparison import FAIL, PASS, UNDECIDED, Comparison, Decision, Verdict
from dr_core.perturbation import ALL

__all__ = ["EXIT_CODES", "check_limits", "check_options", "write_junit"]

EXIT_CODES = {PASS: 0, FAIL: 1, UNDECIDED: 3}
"""Exit code by outcome; 2 is for bad input."""


def check_options(options: Namespace) -> None:
    """Raise ValueError if limits lack their intervals, or a JUnit file lacks limits."""
    if options.junit and not _has_limits(options):
        raise ValueError("--junit needs a limit: add --max-risk or --max-gap.")
    if _has_limits(options) and not options.n_boot:
        raise ValueError("--max-risk and --max-gap need intervals: leave out --n-boot 0.")
    for option, texts in (("--max-risk", options.max_risk), ("--max-gap", options.max_gap)):
        _parse_limits(option, texts)


def check_limits(options: Namespace, comparison: Comparison) -> Verdict | None:
    """Return the decisions on the limits of the command; None if there are none."""
    if not _has_limits(options):
        return None
    risks = _parse_limits("--max-risk", options.max_risk)
    return comparison.check(
        max_risk=risks or None, max_gap=_parse_limits("--max-gap", options.max_gap)
    )


def _has_limits(options: Namespace) -> bool:
    return bool(options.max_risk or options.max_gap)


def _parse_limits(option: str, texts: Sequence[str]) -> dict[str, float]:
    """Return limits by name, from texts such as "sex=0.05".

    >>> _parse_limits("--max-risk", ["0.05", "sex=0.02"])
    {'all': 0.05, 'sex': 0.02}
    """
    named = [(text, *_split_limit(option, text)) for text in texts]
    for repeated in find_repeated(name for _, name, _ in named):
        same = quote(text for text, name, _ in named if name == repeated)
        raise ValueError(f"{option}: {same} limit {repeated!r} more than once; pass one of them.")
    return {name: limit for _, name, limit in named}


def _split_limit(option: str, text: str) -> tuple[str, float]:
    """Return name and number of a limit; a risk without a name is that of all attributes."""
    name, equals, number = text.rpartition("=")
    try:
        limit = float(number)
    except ValueError:
        raise ValueError(f"{option} must be a number or NAME=NUMBER; got {text!r}.") from None
    if not equals and option != "--max-risk":
        raise ValueError(f"{option} must be NAME=NUMBER; got {text!r}.")
    return name if equals else ALL, limit


def write_junit(verdict: Verdict, path: Path | None) -> str:
    """Return the verdict as a JUnit file, one test for each limit, and write it to a path."""
    outcomes = [decision.outcome for decision in verdict.decisions]
    counts = {"failures": outcomes.count(FAIL), "errors": outcomes.count(UNDECIDED)}
    suite = Element("testsuite", name="dr-audit", tests=str(len(outcomes)))
    suite.attrib |= {name: str(count) for name, count in counts.items()}
    for decision in verdict.decisions:
        _add_test(suite, decision)
    if verdict.notes:
        SubElement(suite, "system-out").text = "\n".join(verdict.notes)
    indent(suite)
    text = f"{tostring(suite, encoding='unicode')}\n"
    if path is not None:
        write_atomically(path, text)
    return text


def _add_test(suite: Element, decision: Decision) -> None:
    name = f"{decision.measure} for {decision.attribute} at most {decision.limit:g}"
    test = SubElement(suite, "testcase", classname=f"dr-audit.{decision.model}", name=name)
    if decision.outcome != PASS:
        tag = "failure" if decision.outcome == FAIL else "error"
        SubElement(test, tag, type=decision.outcome, message=str(decision))
