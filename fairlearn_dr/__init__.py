"""Discriminative risk in fairlearn's API: metrics, postprocessors, a scorer and plots."""

try:
    import fairlearn.metrics  # noqa: F401
except ImportError as error:
    raise ImportError(
        "fairlearn_dr needs fairlearn: pip install 'discriminative-risk[fairlearn]'"
    ) from error

from fairlearn_dr._frames import dr_metric_frame
from fairlearn_dr._marginalization import AttributeMarginalizer
from fairlearn_dr._metrics import (
    discriminative_risk,
    discriminative_risk_difference,
    discriminative_risk_group_max,
    discriminative_risk_group_min,
    discriminative_risk_ratio,
    favorable_to_unfavorable_rate,
    perturbed_predictions,
    score_shift,
    unfavorable_to_favorable_rate,
)
from fairlearn_dr._plots import (
    plot_bounds,
    plot_comparison,
    plot_pareto_front,
    plot_risk_by_group,
    plot_shift_by_group,
)
from fairlearn_dr._postprocessing import EPAFPruner, POAFPruner
from fairlearn_dr._scorer import risk_scorer
from fairlearn_dr.dashboard import show_dashboard

__all__ = [
    "AttributeMarginalizer",
    "EPAFPruner",
    "POAFPruner",
    "discriminative_risk",
    "discriminative_risk_difference",
    "discriminative_risk_group_max",
    "discriminative_risk_group_min",
    "discriminative_risk_ratio",
    "dr_metric_frame",
    "favorable_to_unfavorable_rate",
    "perturbed_predictions",
    "plot_bounds",
    "plot_comparison",
    "plot_pareto_front",
    "plot_risk_by_group",
    "plot_shift_by_group",
    "risk_scorer",
    "score_shift",
    "show_dashboard",
    "unfavorable_to_favorable_rate",
]
