"""What was audited, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dr_core.report._plausible import rule_words
from dr_core.report._words import name_in_text

__all__ = ["audit_facts"]

EXACT = "exact: every perturbation with its probability"


def audit_facts(settings: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
    """What the caller says of the audit, then what the settings of the comparison tell.

    >>> audit_facts({"rows": 1200}, {"data": "loans"}) | {"versions": ""}
    {'data': 'loans', 'rows': '1,200', 'risk': 'exact: every perturbation with its probability', \
'intervals': 'none asked for (n_boot=0)', 'seed': 'None', 'versions': ''}
    """
    own = {name: fact for name, fact in _facts(settings) if name not in given}
    return {str(name): str(fact) for name, fact in given.items()} | own


def _facts(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    known = settings.keys()
    if "rows" in known:
        yield "rows", f"{settings['rows']:,}{', weighted' * bool(settings.get('weighted'))}"
    if "models" in known:
        yield "models", _pairs(settings["models"], ": ")
    if "privileged" in known:
        who = {name: ", ".join(map(str, v)) for name, v in settings["privileged"].items()}
        yield "privileged", _pairs(who, " = ")
    if "favorable" in known:
        yield "favourable", str(settings["favorable"])
    if "coupled" in known:
        yield "coupled", "; ".join(rule_words(settings["coupled"]))
    yield "risk", _method(settings)
    if "reference_rows" in known:
        yield "plausibility", f"judged by {settings['reference_rows']:,} reference rows"
    yield "intervals", _intervals(settings)
    yield "seed", str(settings.get("random_state"))
    if "provider" in known:
        yield "group measures by", str(settings["provider"])
    if "versions" in known:
        yield "versions", _pairs(settings["versions"], " ", ", ")
    if "date" in known:
        yield "date", settings["date"].replace("T", " ").replace("+00:00", " UTC")


def _pairs(items: Mapping[str, Any], between: str, after: str = "; ") -> str:
    return after.join(
        f"{name_in_text(name)}{between}{name_in_text(item)}" for name, item in items.items()
    )


def _method(settings: Mapping[str, Any]) -> str:
    draws = settings.get("n_samples")
    how = f"mean of {draws} random draw(s) for each row" if draws else EXACT
    chance = settings.get("p", 1.0)
    return how if chance == 1 else f"{how}; each attribute is perturbed with probability {chance}"


def _intervals(settings: Mapping[str, Any]) -> str:
    if not settings.get("n_boot"):
        return "none asked for (n_boot=0)"
    return (
        f"{100 * settings['confidence']:g} %; Wilson's for discriminative risk, "
        f"{settings['n_boot']:,} bootstrap replicates for the others"
    )
