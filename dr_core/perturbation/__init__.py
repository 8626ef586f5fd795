"""Sensitive attributes, coupled columns, and x → x̃; no model anywhere.

- `_attributes`: who is privileged, the domain of values, and what each value may become
- `_plan`: scenarios, and x with all x̃ chunk by chunk (`iter_perturbed`)
- `_sampling`: x̃ that are drawn at random
- `_ranges`: ranges of a quantity as groups
- `_one_hot`: an attribute in several 0/1 columns
- `_dummies`: such columns, of which one is given as sensitive
- `_copies`: columns that depend on an attribute alone, and so may encode it, too
- `_levels`: index levels that follow the attribute of the same name
- `_couplings`: columns that follow an attribute
- `_drivers`: what moves such a column, replacements or a function
- `_advice`: what messages advise about arguments of `learn_attributes`
- `_perturb`: the public verbs
- `_pairs`: which x̃ contain combinations rarely or never seen in the data
- `_rarity`: the test that finds such combinations
- `_suggestions`: columns that may have to follow an attribute
"""

from dr_core.perturbation._advice import LEARNED, advise_domain
from dr_core.perturbation._attributes import (
    ALL,
    MARGINALISED,
    MISSING_LABEL,
    NEITHER,
    PRIVILEGED,
    Attribute,
    SensitiveAttributes,
    check_privileged,
    learn_attributes,
)
from dr_core.perturbation._copies import find_copies
from dr_core.perturbation._couplings import Couplings, Rules
from dr_core.perturbation._dummies import find_dummies
from dr_core.perturbation._one_hot import OneHot
from dr_core.perturbation._pairs import (
    MAX_BINS,
    PairCheck,
    PairCounts,
    learn_pair_check,
)
from dr_core.perturbation._perturb import Perturbations, enumerate_perturbations, perturb
from dr_core.perturbation._plan import (
    CodedRows,
    PerturbationPlan,
    PerturbedChunk,
    Scenario,
    Variants,
    iter_perturbed,
)
from dr_core.perturbation._ranges import Range, as_condition, at_least, at_most, between
from dr_core.perturbation._rarity import ALPHA, MAX_RARE_SHARE, expected_counts
from dr_core.perturbation._suggestions import Suggestions, suggest_couplings

__all__ = [
    "ALL",
    "ALPHA",
    "LEARNED",
    "MARGINALISED",
    "MAX_BINS",
    "MAX_RARE_SHARE",
    "MISSING_LABEL",
    "NEITHER",
    "PRIVILEGED",
    "Attribute",
    "CodedRows",
    "Couplings",
    "OneHot",
    "PairCheck",
    "PairCounts",
    "PerturbationPlan",
    "Perturbations",
    "PerturbedChunk",
    "Range",
    "Rules",
    "Scenario",
    "SensitiveAttributes",
    "Suggestions",
    "Variants",
    "advise_domain",
    "as_condition",
    "at_least",
    "at_most",
    "between",
    "check_privileged",
    "enumerate_perturbations",
    "expected_counts",
    "find_copies",
    "find_dummies",
    "iter_perturbed",
    "learn_attributes",
    "learn_pair_check",
    "perturb",
    "suggest_couplings",
]
