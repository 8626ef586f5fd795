"""The pytest plugin, in real runs of pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETUP = """
import pytest
from dr_core import datasets

ricci = datasets.load("ricci")
GIVEN = ricci.data, ricci.target, ricci.privileged


def rule(X):
    return (X["Combine"] > 70).astype(int)


def biased(X):
    return ((X["Combine"] > 70) & (X["Race"] == "W")).astype(int)
"""
CASES = {
    "a fair model passes": (
        "def test_it(dr_audit):\n    assert dr_audit(rule, *GIVEN, max_risk=0.05).values.size",
        {"passed": 1},
    ),
    "a biased model fails": (
        "def test_it(dr_audit):\n    dr_audit(biased, *GIVEN, max_risk=0.05)",
        {"failed": 1},
    ),
    "a model that the rows cannot judge fails": (
        "def test_it(dr_audit):\n    dr_audit(rule, *GIVEN, max_risk=0.001)",
        {"failed": 1},
    ),
    "or is skipped": (
        "def test_it(dr_audit):\n    dr_audit(rule, *GIVEN, max_risk=0.001, undecided='skip')",
        {"skipped": 1},
    ),
    "limits of the marker count": (
        "@pytest.mark.dr_audit(max_risk=0.05)\n"
        "def test_it(dr_audit):\n    dr_audit(biased, *GIVEN, measures=['discriminative_risk'])",
        {"failed": 1},
    ),
}


def run_pytest(folder, test, *options):
    (folder / "test_model.py").write_text(SETUP + "\n\n" + test + "\n")
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    # Installed, the plugin is loaded by its entry point, and -p finds it loaded already.
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "dr_pytest"]
    command += ["--rootdir", str(folder), "-p", "no:cacheprovider", *options, str(folder)]
    environment = os.environ | {"PYTHONPATH": paths, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


@pytest.mark.parametrize("case", CASES)
def test_models_are_tested_like_anything_else(tmp_path, case):
    test, outcome = CASES[case]
    done = run_pytest(tmp_path, test)
    for word, count in outcome.items():
        assert f"{count} {word}" in done.stdout, done.stdout + done.stderr
    assert done.returncode == int("failed" in outcome)


def test_a_failure_says_which_limit_is_exceeded(tmp_path):
    done = run_pytest(tmp_path, CASES["a biased model fails"][0])
    assert "FAIL: discriminative risk of model for Race" in done.stdout


def test_the_plugin_loads_nothing_before_it_is_used():
    code = "import sys, dr_pytest; assert 'dr_core' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
