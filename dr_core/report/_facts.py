"""Facts about the audit: data, models, method, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dr_core._utils import format_count
from dr_core.report._plausible import format_rules
from dr_core.report._words import format_name
from dr_core.risk import describe_missing

__all__ = ["collect_facts"]

EXACT_METHOD = "exact: every perturbation with its probability"


def collect_facts(settings: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
    """Return the facts given by the caller, then those in the settings of the comparison.

    >>> collect_facts({"rows": 1200}, {"data": "loans"}) | {"versions": ""}
    {'data': 'loans', 'rows': '1,200', 'risk': 'exact: every perturbation with its probability', \
'intervals': 'none (n_boot=0)', 'seed': 'None', 'versions': ''}
    """
    own = {name: fact for name, fact in _iter_setting_facts(settings) if name not in given}
    return {str(name): str(fact) for name, fact in given.items()} | own


def _iter_setting_facts(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    known = settings.keys()
    if "rows" in known:
        yield "rows", "; ".join(_iter_row_facts(settings))
    if "models" in known:
        yield "models", _format_mapping(settings["models"], ": ")
    if "privileged" in known:
        yield "privileged", "; ".join(_iter_privileged(settings["privileged"]))
    if "favorable" in known:
        yield "favourable", str(settings["favorable"])
    if "coupled" in known:
        yield "coupled", "; ".join(format_rules(settings["coupled"]))
    yield "risk", _describe_method(settings)
    if "reference_rows" in known:
        yield "plausibility", f"based on {settings['reference_rows']:,} reference rows"
    yield "intervals", _describe_intervals(settings)
    yield "seed", str(settings.get("random_state"))
    if "provider" in known:
        yield "group measures by", str(settings["provider"])
    if "versions" in known:
        yield "versions", _format_mapping(settings["versions"], " ", ", ")
    if "date" in known:
        yield "date", settings["date"].replace("T", " ").replace("+00:00", " UTC")


def _iter_privileged(privileged: Mapping[str, Any]) -> Iterator[str]:
    """Yield the privileged values of each attribute; a range is described already.

    >>> list(_iter_privileged({"race": ["White", "Asian"], "age": "age >= 25"}))
    ['race = White, Asian', 'age >= 25']
    """
    for name, values in privileged.items():
        if isinstance(values, str):
            yield format_name(values)
        else:
            yield f"{format_name(name)} = {format_name(', '.join(map(str, values)))}"


def _iter_row_facts(settings: Mapping[str, Any]) -> Iterator[str]:
    people = (
        f" about {format_count(settings['people'], 'person', 'people')}"
        if "people" in settings
        else ""
    )
    yield f"{settings['rows']:,}{people}{', weighted' * bool(settings.get('weighted'))}"
    for name, count in settings.get("not_perturbed", {}).items():
        partly = settings["partly_perturbed"][name]
        yield from (f"{format_name(name)}: {note}" for note in describe_missing(count, partly))


def _format_mapping(items: Mapping[str, Any], between: str, after: str = "; ") -> str:
    return after.join(
        f"{format_name(name)}{between}{format_name(item)}" for name, item in items.items()
    )


def _describe_method(settings: Mapping[str, Any]) -> str:
    draws = settings.get("n_samples")
    method = f"mean of {draws} random draw(s) for each row" if draws else EXACT_METHOD
    p, notes = settings.get("p", 1.0), settings.get("notes", ())
    chance = () if p == 1 else (f"each attribute is perturbed with probability {p}",)
    return "; ".join([method, *chance, *notes])


def _describe_intervals(settings: Mapping[str, Any]) -> str:
    if not settings.get("n_boot"):
        return "none (n_boot=0)"
    of_people = " of people" if "people" in settings else ""
    return (
        f"{100 * settings['confidence']:g} %; Clopper-Pearson interval for discriminative risk, "
        f"{settings['n_boot']:,} bootstrap replicates{of_people} for the other measures "
        "(gaps: of the signed difference)"
    )
