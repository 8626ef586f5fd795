"""The list of equivalent mutants is about code that is there."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LISTED = tomllib.loads((ROOT / "tests/mutation/equivalent.toml").read_text(encoding="utf-8"))
ENTRIES = [(module, entry) for module, own in LISTED.items() for entry in own]


@pytest.mark.parametrize(("module", "entry"), ENTRIES, ids=[entry["line"] for _, entry in ENTRIES])
def test_the_line_of_an_equivalent_mutant_is_in_its_module(module, entry):
    source = (ROOT / "dr_core" / f"{module}.py").read_text(encoding="utf-8")
    assert entry["line"] in map(str.strip, source.splitlines())


@pytest.mark.parametrize(("module", "entry"), ENTRIES, ids=[entry["line"] for _, entry in ENTRIES])
def test_every_equivalent_mutant_has_a_reason(module, entry):
    assert entry["reason"].endswith(".")
