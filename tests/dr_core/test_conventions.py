"""Conventions of the engine: frozen dataclasses, arguments that have names."""

import importlib
import inspect
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
def defined():
    """The classes and functions of the engine, by name."""
    names = ["dr_core." + ".".join(path.with_suffix("").parts) for path in MODULES]
    modules = [importlib.import_module(name) for name in names if not name.endswith("_dask")]
    return {
        (module.__name__, name): value
        for module in [*modules, importlib.import_module("dr_core.bounds")]
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__
    }


@pytest.fixture(scope="module")
def dataclasses(defined):
    """The dataclasses of the engine, by name."""
    classes = {name: one for (_, name), one in defined.items() if isinstance(one, type)}
    return {name: one for name, one in classes.items() if is_dataclass(one)}


def test_every_dataclass_is_frozen_except_a_running_count(dataclasses):
    changeable = {name for name, one in dataclasses.items() if not one.__dataclass_params__.frozen}
    assert changeable == {"RepeatCheck"}


def test_dataclasses_that_hold_arrays_or_tables_compare_by_identity(dataclasses):
    by_value = {name for name, one in dataclasses.items() if one.__dataclass_params__.eq}
    assert by_value == BY_VALUE


def test_every_argument_before_the_options_can_be_passed_by_name(defined):
    functions = [one for one in defined.values() if inspect.isfunction(one)]
    classes = [one for one in defined.values() if isinstance(one, type)]
    functions += [
        one for each in classes for one in vars(each).values() if inspect.isfunction(one)
    ]
    positional = {
        one.__qualname__
        for one in functions
        for parameter in inspect.signature(one).parameters.values()
        if one.__module__.startswith("dr_core") and parameter.kind is parameter.POSITIONAL_ONLY
    }
    assert not positional
