"""Section of the report on what was not tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dr_core._utils import format_count, format_enumeration
from dr_core.perturbation import ALL
from dr_core.report._words import format_name

__all__ = ["describe_left_out", "iter_untested"]

MAX_NAMED_COLUMNS = 20


def iter_untested(settings: Mapping[str, Any], evidence: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each thing that the audit leaves open.

    Parameters
    ----------
    settings : settings of the comparison; "unperturbed" are the columns that were not perturbed
    evidence : what the caller added; "columns" are the columns of the data, for settings without
        "unperturbed"; "rows_left_out" is the number of rows without a sensitive value or a label
        that are not audited

    Examples
    --------
    >>> next(iter_untested({"unperturbed": ["age", "pay"]}, {}))
    'Columns that were not perturbed: age and pay. Some of them may be sensitive, or proxies.'
    """
    changed = [*settings.get("privileged", {}), *settings.get("coupled", {})]
    columns = [name for name in evidence.get("columns", ()) if str(name) not in changed]
    others = settings.get("unperturbed", columns)
    if others:
        yield (
            f"Columns that were not perturbed: {_name_columns(others)}. Some of them may be "
            "sensitive, or proxies."
        )
    if evidence.get("rows_left_out"):
        text = describe_left_out(evidence["rows_left_out"])
        yield f"{text[0].upper()}{text[1:]}."
    yield from _iter_left_out(settings)
    yield "Other people than those whom the rows represent, such as applicants of next year."
    yield "Whether the labels are correct, or were themselves decided unfairly."
    yield "Changes of the model or of the data after this audit."


def describe_left_out(n_rows: int) -> str:
    """Describe the rows that are not audited because they lack a value.

    >>> describe_left_out(1)
    'left out: 1 row without a sensitive value or a label'
    """
    return f"left out: {format_count(n_rows, 'row')} without a sensitive value or a label"


def _iter_left_out(settings: Mapping[str, Any]) -> Iterator[str]:
    missing = settings.get("not_perturbed", {})
    counts = [_count_rows(name, n) for name, n in missing.items() if n and name != ALL]
    if counts:
        yield f"Attributes in rows where they are missing: {format_enumeration(counts)}."
    elif missing.get(ALL):
        yield "Rows in which all sensitive values are missing: they were not perturbed."
    if settings.get("p", 1.0) != 1.0:
        chance = f"{settings['p']:g}"
        yield f"All attributes at once: each was perturbed with probability {chance} only."
    if not settings.get("n_boot"):
        yield "How uncertain the numbers are: confidence intervals were not computed."
    if "reference_rows" not in settings:
        yield "Whether the perturbed rows are plausible: they were not compared with the data."


def _count_rows(name: Any, n: int) -> str:
    return f"{format_name(name)} in {format_count(n, 'row')}"


def _name_columns(names: Sequence[Any]) -> str:
    shown = [format_name(name) for name in names[:MAX_NAMED_COLUMNS]]
    rest = len(names) - len(shown)
    return format_enumeration([*shown, f"{rest} more"] if rest else shown)
