"""Pruning an ensemble to reduce its discriminative risk at little cost in accuracy.

`poaf` searches for the Pareto front of error and discriminative risk, `epaf` is a fast greedy
alternative, `exhaustive_front` finds the true front of small ensembles, and `baselines` holds the
methods they are compared with.
"""

from dr_core.pruning._display import ParetoFrontDisplay
from dr_core.pruning._epaf import epaf
from dr_core.pruning._exhaustive import exhaustive_front
from dr_core.pruning._held_out import prune_and_estimate
from dr_core.pruning._objectives import scalar_objective, tandem_risks
from dr_core.pruning._pareto import hypervolume
from dr_core.pruning._poaf import poaf
from dr_core.pruning._promise import PROMISE_CLAIM
from dr_core.pruning._result import ACCURACY_TOLERANCE, PruningResult
from dr_core.pruning._scores import is_nearly_one_class, score_vote

__all__ = [
    "ACCURACY_TOLERANCE",
    "PROMISE_CLAIM",
    "ParetoFrontDisplay",
    "PruningResult",
    "epaf",
    "exhaustive_front",
    "hypervolume",
    "is_nearly_one_class",
    "poaf",
    "prune_and_estimate",
    "scalar_objective",
    "score_vote",
    "tandem_risks",
]
