"""Members of a fitted ensemble, their votes, and the way back to an estimator."""

from dr_core.ensembles._collect import collect_votes
from dr_core.ensembles._ensembles import (
    LABELS,
    POSITIONS,
    Ensemble,
    as_ensemble,
    check_features,
)
from dr_core.ensembles._export import export
from dr_core.ensembles._votes import (
    BLOCK,
    EXACT_IN_FLOAT32,
    Leaders,
    Votes,
    blocks,
    checked_votes,
    leaders,
)

__all__ = [
    "BLOCK",
    "EXACT_IN_FLOAT32",
    "LABELS",
    "POSITIONS",
    "Ensemble",
    "Leaders",
    "Votes",
    "as_ensemble",
    "blocks",
    "check_features",
    "checked_votes",
    "collect_votes",
    "export",
    "leaders",
]
