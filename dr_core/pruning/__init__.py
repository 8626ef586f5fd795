"""Pruning an ensemble to be fairer at little cost in accuracy.

`poaf` searches for the Pareto front of error and discriminative risk, `epaf` is a fast greedy
alternative, `exhaustive_front` is the certain answer for small ensembles, and `baselines` holds
the methods they are compared with.
"""

from dr_core.pruning.epaf import epaf
from dr_core.pruning.exhaustive import exhaustive_front
from dr_core.pruning.poaf import poaf
from dr_core.pruning.result import PruningResult

__all__ = ["PruningResult", "epaf", "exhaustive_front", "poaf"]
