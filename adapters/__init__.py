"""A lossless bridge between the data and models of fairlearn and AIF360 users."""

from ._datasets import FairlearnData, to_aif360, to_fairlearn
from ._groups import groups
from ._indexed_frames import from_aif360_sklearn, to_aif360_sklearn
from ._models import as_estimator, as_transformer

__all__ = [
    "FairlearnData",
    "as_estimator",
    "as_transformer",
    "from_aif360_sklearn",
    "groups",
    "to_aif360",
    "to_aif360_sklearn",
    "to_fairlearn",
]
