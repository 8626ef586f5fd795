"""Packages import one way, and none does work when it is imported."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    "dr_core": {"fairlearn", "aif360", "fairlearn_dr", "aif360_dr", "dr_adapters"},
    "fairlearn_dr": {"aif360", "aif360_dr", "dr_adapters"},
    "aif360_dr": {"fairlearn", "fairlearn_dr", "dr_adapters"},
    "adapters": set(),
}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("package", FORBIDDEN)
def test_arrows_between_packages_point_one_way(package):
    for path in (ROOT / package).rglob("*.py"):
        assert not FORBIDDEN[package] & set(imported(path)), path


@pytest.mark.parametrize(
    ("package", "library", "extra"),
    [("fairlearn_dr", "fairlearn", "fairlearn"), ("aif360_dr", "aif360", "aif360")],
)
def test_a_plugin_without_its_library_names_its_extra(package, library, extra):
    script = f"import sys; sys.modules[{library!r}] = None; import {package}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode != 0
    assert f"pip install 'discriminative-risk[{extra}]'" in done.stderr.splitlines()[-1]


def test_the_core_imports_no_other_fairness_library_and_draws_nothing():
    names = {"fairlearn", "aif360", "matplotlib", "dask"}
    script = f"import dr_core, sys; print(sorted({names} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
