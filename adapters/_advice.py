"""Errors of `learn_attributes`, with what helps where data become an AIF360 dataset."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from dr_core.plugins import LEARNED

__all__ = ["advise_datasets"]

DATASET_ADVICE = [
    (rf"Leave it out, or pass all its values: {LEARNED}", "Leave it out, or convert more rows"),
    (rf"pass another range, or {LEARNED}", "pass another range"),
    (
        rf"if the numbers are codes, pass all of them: {LEARNED}",
        "if the numbers are codes, replace them by words",
    ),
]
"""Advice that a dataset cannot follow, and what to do instead."""


@contextmanager
def advise_datasets() -> Iterator[None]:
    """Replace advice in errors that needs `learn_attributes(...)` as privileged.

    Examples
    --------
    >>> import pandas as pd
    >>> from dr_core import learn_attributes
    >>> with advise_datasets():
    ...     learn_attributes(pd.DataFrame({"sex": ["f", "f"]}), {"sex": "f"})
    Traceback (most recent call last):
    ValueError: sensitive attribute 'sex' needs at least two values; it has 'f'. Leave it out, \
or convert more rows.
    """
    try:
        yield
    except ValueError as error:
        message = str(error)
        for pattern, advice in DATASET_ADVICE:
            message = re.sub(pattern, advice, message)
        raise ValueError(message) from None
