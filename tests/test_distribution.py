"""What is released installs in an empty environment, is small, and tells its types."""

import os
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PACKAGES = ["dr_core", "fairlearn_dr", "aif360_dr", "dr_adapters", "dr_integrations"]
FOLDERS = {"dr_adapters": "adapters"}
MOST_BYTES = 3_000_000
SMOKE = """
import dr_core
from dr_core import assess_risk, compare, datasets

ricci = datasets.load("ricci")
rule = lambda X: (X["Combine"] > 70 + 5 * (X["Race"] != "W")).astype(int)
assert 0.19 < assess_risk(rule, ricci.data, ricci.privileged).value < 0.20
assert "site-packages" in dr_core.__file__
"""


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_citation_has_the_version_and_the_authors_of_the_project():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["version"]
    assert citation["authors"] == PROJECT["authors"]


def test_the_version_stands_in_one_place():
    assert version("discriminative-risk") == PROJECT["version"]
    sources = [
        path
        for package in (FOLDERS.get(package, package) for package in PACKAGES)
        for path in (ROOT / package).rglob("*.py")
    ]
    assert [
        path for path in sources if PROJECT["version"] in path.read_text(encoding="utf-8")
    ] == []


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The wheel and the sdist that `python -m build` makes."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", folder, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    return {path.suffix: path for path in folder.iterdir()}


@pytest.mark.fresh
def test_the_wheel_is_small(released):
    assert released[".whl"].stat().st_size < MOST_BYTES


@pytest.mark.fresh
@pytest.mark.parametrize("package", PACKAGES)
def test_the_wheel_ships_type_information(package, released):
    assert f"{package}/py.typed" in zipfile.ZipFile(released[".whl"]).namelist()


@pytest.mark.fresh
def test_the_sdist_has_what_it_takes_to_test_and_to_document(released):
    with tarfile.open(released[".gz"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        "CHANGELOG.md",
        "CITATION.cff",
        "conftest.py",
        "docs/conf.py",
        "tests/dr_core/risk/test_assessment.py",
    }
    assert not wanted - names


@pytest.mark.fresh
@pytest.mark.parametrize("suffix", [".whl", ".gz"], ids=["wheel", "sdist"])
def test_it_works_in_an_empty_environment(suffix, released, tmp_path):
    venv.create(tmp_path, with_pip=True)
    programs = tmp_path / "bin"
    environment = {**os.environ, "PYTHONPATH": ""}

    def run(program, *arguments):
        subprocess.run([programs / program, *arguments], check=True, cwd=tmp_path, env=environment)

    run("pip", "install", "--quiet", released[suffix])
    run("python", "-c", SMOKE)
    run("dr-audit", "ricci")
