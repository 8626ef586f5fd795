"""Lossless conversion of data and models between fairlearn and AIF360."""

from ._datasets import groups, to_aif360, to_fairlearn
from ._fairlearn_data import FairlearnData
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
