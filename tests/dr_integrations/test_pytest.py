"""The pytest plugin, in real runs of pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLUGIN = "dr_integrations._pytest"
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
        "PASSED",
    ),
    "a biased model fails": (
        "def test_it(dr_audit):\n    dr_audit(biased, *GIVEN, max_risk=0.05)",
        "FAILED",
    ),
    "a model that the rows cannot judge fails": (
        "def test_it(dr_audit):\n    dr_audit(rule, *GIVEN, max_risk=0.001)",
        "FAILED",
    ),
    "or is skipped": (
        "def test_it(dr_audit):\n    dr_audit(rule, *GIVEN, max_risk=0.001, undecided='skip')",
        "SKIPPED",
    ),
    "labels that are words need the favourable one": (
        "WORDS = ricci.data, ricci.target.map({0: 'no', 1: 'yes'}), ricci.privileged\n"
        "def test_it(dr_audit):\n"
        "    word = lambda X: rule(X).map({0: 'no', 1: 'yes'})\n"
        "    with pytest.raises(ValueError, match='favorable'):\n"
        "        dr_audit(word, *WORDS, max_risk=0.05)\n"
        "    dr_audit(word, *WORDS, max_risk=0.05, favorable='yes')",
        "PASSED",
    ),
    "limits of the marker count": (
        "@pytest.mark.dr_audit(max_risk=0.05)\n"
        "def test_it(dr_audit):\n    dr_audit(biased, *GIVEN, measures=['discriminative_risk'])",
        "FAILED",
    ),
}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """One run of pytest on all cases, each in a module of its own."""
    folder = tmp_path_factory.mktemp("models")
    for number, (test, _) in enumerate(CASES.values()):
        (folder / f"test_model_{number}.py").write_text(SETUP + "\n\n" + test + "\n")
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    # Installed, the plugin is loaded by its entry point, and -p finds it loaded already.
    command = [sys.executable, "-m", "pytest", "-v", "--strict-markers", "-p", PLUGIN]
    command += ["--rootdir", str(folder), "-p", "no:cacheprovider", str(folder)]
    environment = os.environ | {"PYTHONPATH": paths, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


@pytest.mark.parametrize("case", CASES)
def test_models_are_tested_like_anything_else(done, case):
    number, outcome = list(CASES).index(case), CASES[case][1]
    line = f"test_model_{number}.py::test_it {outcome}"
    assert line in done.stdout, done.stdout + done.stderr


def test_failures_fail_the_run(done):
    assert done.returncode == 1


def test_a_failure_says_which_limit_is_exceeded(done):
    assert "FAIL: discriminative risk of model for Race" in done.stdout


def test_the_plugin_loads_nothing_before_it_is_used():
    code = "import sys, dr_integrations._pytest; assert 'dr_core' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
