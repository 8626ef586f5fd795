"""Models × attributes × measures, side by side.

- `_compare`: `compare`, and the measures of each model
- `_comparison`: its result
- `_groups`: risk by group and direction, and rates of each group
- `_score_shift`: how far the scores of models move
- `_individuals`: rows most at risk
- `_policy`: limits on risk and gaps, decided on intervals
- `_ensemble_audit`: bounds and pruning of models that are votes
- `_plot`: the picture of a comparison
- `_markdown`: the comparison as Markdown
"""

from dr_core.comparison._compare import (
    COUPLED_RISK,
    IMPLAUSIBLE_SHARE,
    PLAUSIBLE_RISK,
    compare,
)
from dr_core.comparison._comparison import (
    Comparison,
    describe_environment,
    describe_plan,
    to_plain,
)
from dr_core.comparison._ensemble_audit import EnsembleAudit, to_records
from dr_core.comparison._groups import IMPACT_RATIO
from dr_core.comparison._individuals import Individuals, find_shifted
from dr_core.comparison._plot import DRAWN_MEASURES
from dr_core.comparison._policy import (
    FAIL,
    PASS,
    UNDECIDED,
    Decision,
    Verdict,
)
from dr_core.comparison._score_shift import SCORE_SHIFT

__all__ = [
    "COUPLED_RISK",
    "DRAWN_MEASURES",
    "FAIL",
    "IMPACT_RATIO",
    "IMPLAUSIBLE_SHARE",
    "PASS",
    "PLAUSIBLE_RISK",
    "SCORE_SHIFT",
    "UNDECIDED",
    "Comparison",
    "Decision",
    "EnsembleAudit",
    "Individuals",
    "Verdict",
    "compare",
    "describe_environment",
    "describe_plan",
    "find_shifted",
    "to_plain",
    "to_records",
]
