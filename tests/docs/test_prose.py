"""Docstrings, messages and pages use the terms of the field."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("dr_core", "fairlearn_dr", "aif360_dr", "adapters", "dr_integrations")
    for path in (ROOT / folder).rglob("*.py")
]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "SUPPORT.md")]
PAGES += [
    path
    for pattern in ("*.md", "get_started/*.md", "gallery/*.py")
    for path in (ROOT / "docs").glob(pattern)
]
BETTER = {
    r"whole numbers?": "integer",
    r"truth values?": "boolean",
    r"at the most": "at most",
    r"(is|are|be) told": "given, shown",
    r"(is|are) said": "stated",
    r"(goes|gone|went) through": "iterates over",
    r"had no say": "held-out",
    r"hardly exists?": "rarely or never seen in the data",
    r"(some|no)body|someone": "a person, no row",
    r"hangs? on": "depends on",
    r"owes? it": "depends on",
    r"at hand": "available",
    r"a handful": "a few",
    r"the other way round": "the reverse",
    r"read it so": "this means",
    r"hard to believe": "implausible",
    r"no surprises?": "(state the fact)",
    r"none of its business|its own affair": "(state the fact)",
}
"""Wording to avoid, and what to write instead."""


@pytest.mark.parametrize("words", BETTER)
def test_text_uses_the_terms_of_the_field(words):
    found = [
        f"{path.relative_to(ROOT)}: {match.group()!r}, write {BETTER[words]!r}"
        for path in (*SOURCES, *PAGES)
        for match in re.finditer(rf"\b{words}\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    ]
    assert found == []
