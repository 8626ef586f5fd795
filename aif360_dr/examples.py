"""A small dataset for the examples in docstrings."""

from __future__ import annotations

import pandas as pd
from aif360.datasets import BinaryLabelDataset

__all__ = ["hiring"]


def hiring() -> BinaryLabelDataset:
    """Return a dataset of eight applicants: sex, race (three values), years of experience, hired.

    Examples:
        >>> hiring().feature_names
        ['sex', 'race', 'years']
    """
    frame = pd.DataFrame(
        {
            "sex": [0, 0, 0, 0, 1, 1, 1, 1],
            "race": [0, 1, 2, 1, 0, 1, 2, 1],
            "years": [1, 3, 5, 7, 1, 3, 5, 7],
            "hired": [0, 0, 1, 1, 0, 1, 1, 1],
        }
    )
    return BinaryLabelDataset(
        df=frame,
        label_names=["hired"],
        protected_attribute_names=["sex", "race"],
        privileged_protected_attributes=[[1.0], [1.0]],
        unprivileged_protected_attributes=[[0.0], [0.0, 2.0]],
    )
