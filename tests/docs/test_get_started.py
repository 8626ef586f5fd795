"""Whoever copies a "Get started" page block by block reaches what it promises."""

import json
import os
import shlex
import shutil
import subprocess
import venv
from pathlib import Path

import pytest
from run_page import blocks, kept
from run_page import run as run_block

from dr_core.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "docs" / "get_started" / f"{name}.md" for name in ("fairlearn", "aif360", "auditors")
]
RUNNER = ROOT / "tests" / "shared" / "run_page.py"
INSTALLATION = "pip install"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_works_where_all_is_installed(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    session = {"__name__": "__main__"}
    for language, code, promised in blocks(page):
        if INSTALLATION in code:
            continue
        if language == "bash":
            found = run_command(code, capsys)
        else:
            found = run_block(code, language, session)
        assert_promise_is_kept(promised, found)


@pytest.mark.fresh
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_works_in_a_fresh_environment(page, tmp_path):
    checkout, environment = tmp_path / "checkout", tmp_path / "environment"
    shutil.copytree(
        ROOT, checkout, ignore=shutil.ignore_patterns(".*", "_build", "build", "*.egg-info")
    )
    venv.create(environment, with_pip=True)
    printed = run(page, environment / "bin" / "python", checkout)
    for (_, _, promised), found in zip(blocks(page), printed, strict=True):
        assert_promise_is_kept(promised, found)


def run_command(code, capsys):
    """What the command prints here; in a fresh environment it is a process of its own."""
    program, *arguments = shlex.split(code.replace("\\\n", " "))
    assert program == "dr-audit"
    assert main(arguments) == 0
    return capsys.readouterr().out


def run(page, python, folder):
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    done = subprocess.run(
        [python, RUNNER, page],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_promise_is_kept(promised, found):
    if promised is not None:
        assert kept(promised, found), f"promised:\n{promised}\nfound:\n{found}"
