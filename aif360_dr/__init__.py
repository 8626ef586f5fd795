"""Discriminative risk in AIF360 pipelines.

`DiscriminativeRiskMetric` extends `ClassificationMetric` with discriminative risk.
`Chain` joins preprocessing, a model and postprocessing. `perturb_dataset` perturbs protected
attributes. `POAFPruning` and `EPAFPruning` prune ensembles. `AttributeMarginalization` averages a
model over the protected attributes.
`DRTextExplainer` and `DRJSONExplainer` explain the results.
"""

try:
    import aif360.metrics  # noqa: F401
except ImportError as error:
    raise ImportError(
        "aif360_dr needs AIF360: pip install 'discriminative-risk[aif360]'"
    ) from error

from aif360_dr._chain import Chain
from aif360_dr._chain import check_is_model as check_is_model
from aif360_dr._explainers import DRJSONExplainer, DRTextExplainer
from aif360_dr._marginalization import AttributeMarginalization
from aif360_dr._metric import DiscriminativeRiskMetric
from aif360_dr._models import EstimatorTransformer
from aif360_dr._models import predict_with_scores as predict_with_scores
from aif360_dr._perturbation import perturb_dataset
from aif360_dr._pruning import EPAFPruning, POAFPruning
from aif360_dr._randomized import find_dataset_distribution as find_dataset_distribution

__all__ = [
    "AttributeMarginalization",
    "Chain",
    "DRJSONExplainer",
    "DRTextExplainer",
    "DiscriminativeRiskMetric",
    "EPAFPruning",
    "EstimatorTransformer",
    "POAFPruning",
    "perturb_dataset",
]
