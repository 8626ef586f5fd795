"""Whoever copies a "Get started" page block by block reaches what it promises."""

import json
import os
import shutil
import subprocess
import sys
import venv
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest
from run_page import blocks

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "docs" / "get_started" / f"{name}.md" for name in ("fairlearn", "aif360", "auditors")
]
RUNNER = ROOT / "tests" / "shared" / "run_page.py"
INSTALLATION = "pip install"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_works_where_all_is_installed(page, tmp_path):
    printed = run(page, Path(sys.executable), tmp_path, INSTALLATION)
    assert_promises_are_kept(page, printed, skip=INSTALLATION)


@pytest.mark.fresh
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_works_in_a_fresh_environment(page, tmp_path):
    checkout, environment = tmp_path / "checkout", tmp_path / "environment"
    shutil.copytree(
        ROOT, checkout, ignore=shutil.ignore_patterns(".*", "_build", "build", "*.egg-info")
    )
    venv.create(environment, with_pip=True)
    assert_promises_are_kept(page, run(page, environment / "bin" / "python", checkout))


def run(page, python, folder, *skip):
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    done = subprocess.run(
        [python, RUNNER, page, *skip],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_promises_are_kept(page, printed, skip=None):
    promises = [promised for _, code, promised in blocks(page) if not skip or skip not in code]
    for promised, found in zip(promises, printed, strict=True):
        if promised is not None:
            assert kept(promised, found), f"promised:\n{promised}\nfound:\n{found}"


def kept(promised, found):
    return OutputChecker().check_output(promised, found, ELLIPSIS | NORMALIZE_WHITESPACE)
