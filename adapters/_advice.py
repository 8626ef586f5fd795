"""Messages of `learn_attributes`, with what helps where data become an AIF360 dataset."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from dr_core.plugins import LEARNED

__all__ = ["advise_datasets"]

DATASET_ADVICE = [
    (
        rf"drop these rows or pass {LEARNED}",
        "drop these rows: datasets of AIF360 cannot hold missing protected attributes",
    ),
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
    """Replace advice in errors and warnings that needs `learn_attributes(...)` as privileged.

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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except ValueError as error:
            raise ValueError(_advise(str(error))) from None
    for one in caught:
        warnings.warn(_advise(str(one.message)), one.category, stacklevel=5)


def _advise(message: str) -> str:
    for pattern, advice in DATASET_ADVICE:
        message = re.sub(pattern, advice, message)
    return message
