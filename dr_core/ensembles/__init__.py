"""Members of a fitted ensemble, their votes, and the way back to an estimator."""

from dr_core.ensembles._collect import collect_votes
from dr_core.ensembles._ensembles import (
    LABELS,
    POSITIONS,
    Ensemble,
    as_ensemble,
    check_features,
    check_is_vote,
)
from dr_core.ensembles._export import export
from dr_core.ensembles._votes import (
    EXACT_IN_FLOAT32,
    MAX_VOTES_PER_BLOCK,
    Leaders,
    Votes,
    check_votes,
    find_leaders,
)

__all__ = [
    "EXACT_IN_FLOAT32",
    "LABELS",
    "MAX_VOTES_PER_BLOCK",
    "POSITIONS",
    "Ensemble",
    "Leaders",
    "Votes",
    "as_ensemble",
    "check_features",
    "check_is_vote",
    "check_votes",
    "collect_votes",
    "export",
    "find_leaders",
]
