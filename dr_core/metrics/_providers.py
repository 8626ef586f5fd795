"""Established measures as computed by another library, through its plugin.

A provider is a function `(y_true, y_pred, privileged, sample_weight) -> {measure: value}`. The
labels are 0/1, and `privileged` is a boolean array. Plugins register a provider as an entry point
of the group `discriminative_risk.providers`.

Established measures depend on a row only through its group, y and f(x). So a provider gets one row
for each combination of these, with the total weight of the rows that have it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from threading import Lock
from typing import Any

import numpy as np

from dr_core._utils import Array, quote
from dr_core.metrics._tally import Tally
from dr_core.perturbation import MARGINALISED, NEITHER, PRIVILEGED

__all__ = ["Provider", "load_provider", "provide_measures"]

Provider = Callable[[Array, Array, Array, Array], dict[str, float]]

CORE = "core"
"""Name of this library as a provider."""

_WARNINGS_LOCK = Lock()


@contextmanager
def _suppress_warnings() -> Iterator[None]:
    """Suppress warnings of another library, in one thread at a time.

    Warning filters belong to the whole process. Two threads that set and restore them at the same
    time could leave the wrong filters in place.
    """
    with _WARNINGS_LOCK, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def load_provider(name: str) -> Provider | None:
    """Return the provider of this name, None for this library itself.

    Examples
    --------
    >>> load_provider("core") is None
    True
    """
    if name == CORE:
        return None
    found = {entry.name: entry for entry in entry_points(group="discriminative_risk.providers")}
    if name not in found:
        raise ValueError(f"provider must be one of {quote([CORE, *sorted(found)])}; got {name!r}.")
    provider: Provider = found[name].load()
    return provider


def _get_weighted_rows(tally: Tally, favorable: int) -> tuple[Array, Array, Array, Array]:
    """Return 0/1 labels, 0/1 predictions, whether privileged, and weight of the distinct rows.

    Examples
    --------
    >>> from dr_core.metrics import tally_predictions
    >>> tally = tally_predictions([1, 0, 0], [1, 1, 1], [1, 0, 0], [1, 1, 0], [0, 1])
    >>> [column.tolist() for column in _get_weighted_rows(tally, favorable=1)]
    [[1, 1], [0, 1], [False, True], [2.0, 1.0]]
    """
    weights = tally.table[[MARGINALISED, PRIVILEGED]].sum(axis=-1)
    # Each cell with weight becomes one row. In the example, the two rows that are marginalised
    # with y = 1 and f(x) = 0 share a cell and become one row of weight 2.
    groups, y, f = np.nonzero(weights)
    is_favorable = ((codes == favorable).astype(int) for codes in (y, f))
    return *is_favorable, groups == 1, weights[groups, y, f]


def provide_measures(
    provider: Provider, tally: Tally, favorable: int, values: Mapping[str, Any], attribute: Any
) -> dict[str, float]:
    """Return the measures that a provider computes, if they are defined.

    Other libraries replace undefined values with 0 or ∞. So a measure that is NaN in `values` is
    left out.
    """
    weight = tally.weights.sum(axis=(1, 2, 3))
    if not (weight[MARGINALISED] and weight[PRIVILEGED]):
        return {}
    if tally.group_rows[NEITHER]:
        raise ValueError(
            f"{attribute!r} has missing values, which other providers cannot handle. Drop these "
            'rows, or use provider="core".'
        )
    with _suppress_warnings():
        provided = provider(*_get_weighted_rows(tally, favorable))
    if len(tally.classes) > 2:
        provided.pop("accuracy", None)  # that of the favourable class against the rest
    return {
        name: value
        for name, value in provided.items()
        if name in values and not np.isnan(values[name])
    }
