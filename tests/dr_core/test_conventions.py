"""Which dataclasses of the engine are frozen, and which of them compare by value."""

import importlib
from dataclasses import is_dataclass
from pathlib import Path

import pytest

import dr_core

ROOT = Path(dr_core.__file__).parent
ROOMS = ("_tables", "_utils", "comparison", "ensembles", "metrics", "perturbation", "risk")
MODULES = [path.relative_to(ROOT) for room in ROOMS for path in sorted((ROOT / room).glob("*.py"))]
BY_VALUE = {
    *("Bootstrap", "Decision", "DirectionSums", "GroupsFold", "IndividualsFold", "Level"),
    *("MeanSample", "OneHot", "PerturbationPlan", "Predicate", "ProbabilityFold", "Range"),
    *("RatesFold", "RepeatCheck", "ShiftFold", "TextFormat", "ThresholdFold", "Together"),
    *("ToleranceFold", "Verdict", "_AfterSteps", "_Distribution"),
}
"""All others have arrays, tables or models as fields, and compare by identity."""


@pytest.fixture(scope="module")
def dataclasses():
    """The dataclasses of the engine, by name."""
    names = ["dr_core." + ".".join(path.with_suffix("").parts) for path in MODULES]
    modules = [importlib.import_module(name) for name in names if not name.endswith("_dask")]
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, type) and is_dataclass(value)
    }


def test_every_dataclass_is_frozen_except_a_running_count(dataclasses):
    changeable = {name for name, one in dataclasses.items() if not one.__dataclass_params__.frozen}
    assert changeable == {"RepeatCheck"}


def test_dataclasses_that_hold_arrays_or_tables_compare_by_identity(dataclasses):
    by_value = {name for name, one in dataclasses.items() if one.__dataclass_params__.eq}
    assert by_value == BY_VALUE
