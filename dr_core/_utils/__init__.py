"""Checks of arguments, exact numbers, seeds, files and joblib."""

from dr_core._utils._checks import (
    Array,
    check_choice,
    check_column,
    check_confidence,
    check_models,
    check_not_negative,
    check_numbers,
    check_probability,
    check_rare,
    check_some_weights,
    check_weights,
    check_weighty,
    check_whole,
    is_number,
    is_whole,
    listed,
    rescaled,
    shortened,
    sorted_values,
)
from dr_core._utils._equality import differs
from dr_core._utils._exact_sums import UNIT, exact_squares, exact_sums, rounded, share
from dr_core._utils._files import check_writable, most_unpacked, write_whole
from dr_core._utils._intervals import Interval, chernoff, wilson
from dr_core._utils._parallel import call_each, in_the_graph
from dr_core._utils._random import RandomState, as_generator, skip, skipped
from dr_core._utils._units import whole_units

__all__ = [
    "UNIT",
    "Array",
    "Interval",
    "RandomState",
    "as_generator",
    "call_each",
    "check_choice",
    "check_column",
    "check_confidence",
    "check_models",
    "check_not_negative",
    "check_numbers",
    "check_probability",
    "check_rare",
    "check_some_weights",
    "check_weights",
    "check_weighty",
    "check_whole",
    "check_writable",
    "chernoff",
    "differs",
    "exact_squares",
    "exact_sums",
    "in_the_graph",
    "is_number",
    "is_whole",
    "listed",
    "most_unpacked",
    "rescaled",
    "rounded",
    "share",
    "shortened",
    "skip",
    "skipped",
    "sorted_values",
    "whole_units",
    "wilson",
    "write_whole",
]
