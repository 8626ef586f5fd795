"""Sensitive attributes, coupled columns, and x → x̃; no model anywhere.

- `_attributes`: who is privileged, and the domain of values
- `_attribute`: one attribute, and what its values may become
- `_ranges`: ranges of a quantity as groups
- `_spelling`: values that differ only in case or blanks
- `_couplings`: columns that follow an attribute
- `_dummies`: 0/1 columns that encode one attribute, of which one is given as sensitive
- `_variants`: every x̃ with its probability, or drawn at random, as codes
- `_plan`: scenarios, and x with all x̃ chunk by chunk (`iter_perturbed`)
- `_perturb`: the public verbs
- `_pairs`: which x̃ contain combinations rarely or never seen in the data
- `_rarity`: the test that finds such combinations
- `_suggestions`: columns that may have to follow an attribute
"""

from dr_core.perturbation._attribute import (
    MARGINALISED,
    NEITHER,
    PRIVILEGED,
    Attribute,
    OneHot,
)
from dr_core.perturbation._attributes import (
    ALL,
    MISSING_LABEL,
    SensitiveAttributes,
    check_privileged,
    describe_empty_groups,
    learn_attributes,
)
from dr_core.perturbation._couplings import Couplings, Rules
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
    iter_perturbed,
)
from dr_core.perturbation._ranges import Range, at_least, at_most, between
from dr_core.perturbation._rarity import ALPHA, MAX_RARE_SHARE, expected_counts
from dr_core.perturbation._spelling import find_spellings
from dr_core.perturbation._suggestions import Suggestions, suggest_couplings
from dr_core.perturbation._variants import Variants

__all__ = [
    "ALL",
    "ALPHA",
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
    "at_least",
    "at_most",
    "between",
    "check_privileged",
    "describe_empty_groups",
    "enumerate_perturbations",
    "expected_counts",
    "find_spellings",
    "iter_perturbed",
    "learn_attributes",
    "learn_pair_check",
    "perturb",
    "suggest_couplings",
]
