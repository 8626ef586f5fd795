"""The reference of the site has all that is public."""

import importlib
import inspect
import re
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name

import pytest

REFERENCE = (Path(__file__).parents[2] / "docs" / "api.rst").read_text(encoding="utf-8")


PACKAGES = ["dr_core", "fairlearn_dr", "aif360_dr", "aif360_dr.sklearn", "dr_adapters"]
PACKAGES += ["dr_integrations"]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_in_the_reference(package):
    listed = {line.removeprefix(".. py:data::").strip() for line in REFERENCE.splitlines()}
    public = set(importlib.import_module(package).__all__) - {"datasets"}
    assert not public - listed


def iter_properties(package):
    for name in importlib.import_module(package).__all__:
        found = getattr(importlib.import_module(package), name)
        for member in vars(found) if inspect.isclass(found) else ():
            if isinstance(inspect.getattr_static(found, member), property | cached_property):
                yield f"{name}.{member}", inspect.getattr_static(found, member).__doc__ or ""


@pytest.mark.parametrize("package", PACKAGES)
def test_no_summary_of_a_property_has_a_colon(package):
    """Sphinx would show the words before the colon as the type."""
    assert [name for name, text in iter_properties(package) if ":" in text.split("\n")[0]] == []


def test_every_name_for_host_packages_is_in_its_section():
    _, section = REFERENCE.split("\nFor host packages\n")
    public = set(importlib.import_module("dr_core.plugins").__all__)
    assert not public - set(re.findall(r"\w+", section))


def test_every_listed_name_exists():
    """Sphinx warns of a name that does not; this says so without building the site."""
    package = None
    for line in REFERENCE.splitlines():
        if line.startswith(".. currentmodule:: "):
            package = line.rpartition(" ")[2]
        elif name := re.fullmatch(r"   ([\w.]+)", line):
            assert resolve_name(f"{package}.{name[1]}") is not None
