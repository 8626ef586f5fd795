"""The reference of the site has all that is public."""

import importlib
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parents[2] / "docs" / "api.rst"


@pytest.mark.parametrize("package", ["dr_core", "fairlearn_dr", "aif360_dr", "dr_adapters"])
def test_every_public_name_is_in_the_reference(package):
    listed = {line.strip() for line in REFERENCE.read_text(encoding="utf-8").splitlines()}
    public = set(importlib.import_module(package).__all__) - {"datasets"}
    assert not public - listed
