"""What a host package may use of the core, beyond `dr_core` itself."""

from dr_core._tables import Table, as_partitions, as_table, encode, factorize, joint_positions
from dr_core._utils import (
    Array,
    as_generator,
    check_choice,
    check_column,
    check_models,
    check_numbers,
    check_probability,
    check_some_weights,
    check_weights,
    check_whole,
    is_number,
    listed,
    rescaled,
    sorted_values,
)
from dr_core.ensembles import check_features
from dr_core.metrics import Tally, tally_profiles
from dr_core.perturbation import MISSING, NEITHER, Attribute, CodedRows, Rules, check_privileged
from dr_core.pruning import ACCURACY_TOLERANCE
from dr_core.risk import (
    Plan,
    Response,
    cut_rows,
    differs,
    individual_risk,
    prediction_function,
    predictor,
)

__all__ = [
    "ACCURACY_TOLERANCE",
    "MISSING",
    "NEITHER",
    "Array",
    "Attribute",
    "CodedRows",
    "Plan",
    "Response",
    "Rules",
    "Table",
    "Tally",
    "as_generator",
    "as_partitions",
    "as_table",
    "check_choice",
    "check_column",
    "check_features",
    "check_models",
    "check_numbers",
    "check_privileged",
    "check_probability",
    "check_some_weights",
    "check_weights",
    "check_whole",
    "cut_rows",
    "differs",
    "encode",
    "factorize",
    "individual_risk",
    "is_number",
    "joint_positions",
    "listed",
    "prediction_function",
    "predictor",
    "rescaled",
    "sorted_values",
    "tally_profiles",
]
