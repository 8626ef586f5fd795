"""What is imported, and when: one new process says it after each step."""

import json
import subprocess
import sys

import pytest

STEPS = """
import json, sys
import pandas, sklearn.ensemble
loaded = {"pandas and scikit-learn": sorted(sys.modules)}
import dr_core
loaded["dr_core"] = sorted(sys.modules)
import dr_adapters
loaded["dr_adapters"] = sorted(sys.modules)

import pandas as pd
from dr_core import assess_risk, collect_votes, compare, epaf
from sklearn.ensemble import RandomForestClassifier

X = pd.DataFrame({"sex": [0, 1] * 20, "score": range(40)})
y = [0, 0, 1, 1] * 10
forest = RandomForestClassifier(4, random_state=0).fit(X, y)
assess_risk(forest, [X[:9], X[9:]], {"sex": 1}, y=y)
compare({"forest": forest}, [X[:9], X[9:]], y, {"sex": 1})
epaf(collect_votes(forest, X, y, {"sex": 1}, n_jobs=2), 2, n_groups=2)
loaded["an audit"] = sorted(sys.modules)
print(json.dumps(loaded))
"""


@pytest.fixture(scope="module")
def loaded():
    """The modules that are loaded after each step."""
    command = [sys.executable, "-c", STEPS]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {step: set(names) for step, names in json.loads(done.stdout).items()}


def test_the_core_imports_no_other_fairness_library_and_draws_nothing(loaded):
    assert not {"fairlearn", "aif360", "matplotlib", "dask"} & loaded["dr_core"]


def test_importing_the_core_imports_nothing_that_is_needed_only_sometimes(loaded):
    heavy = {"aif360", "dask", "fairlearn", "jinja2", "matplotlib", "polars", "rich", "skops"}
    # Besides what scikit-learn and pandas import themselves.
    assert not heavy & (loaded["dr_core"] - loaded["pandas and scikit-learn"])


def test_importing_the_adapters_imports_neither_library(loaded):
    assert not {"aif360", "fairlearn"} & loaded["dr_adapters"]


def test_nothing_of_dask_is_imported_unless_it_is_used(loaded):
    assert not {"dask", "distributed", "pyarrow.parquet"} & loaded["an audit"]
