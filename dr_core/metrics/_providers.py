"""Who computes the established measures: this library, or another one through its plugin.

A provider is a function `(y_true, y_pred, privileged, sample_weight) -> {measure: value}` on 0/1
labels and a boolean array of who is privileged. Plugins register it as an entry point of the group
`discriminative_risk.providers`.

Established measures see a row by its group, y and f(x) alone. So a provider is given one row for
each combination of these, with the weight of all rows that are alike.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from threading import Lock
from typing import Any

import numpy as np

from dr_core._utils import Array, listed
from dr_core.metrics._tally import Tally
from dr_core.perturbation import MARGINALISED, NEITHER, PRIVILEGED

__all__ = ["Provider", "load_provider", "provide_measures"]

Provider = Callable[[Array, Array, Array, Array], dict[str, float]]

CORE = "core"

_ONE_AT_A_TIME = Lock()


@contextmanager
def _suppress_warnings() -> Iterator[None]:
    """Let another library compute without warnings, one thread after the other.

    Filters of warnings belong to the whole process: two threads that set and restore them at
    once would leave the wrong ones behind.
    """
    with _ONE_AT_A_TIME, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def load_provider(name: str) -> Provider | None:
    """Find a provider by name; None stands for this library itself.

    Examples
    --------
    >>> load_provider("core") is None
    True
    """
    if name == CORE:
        return None
    found = {entry.name: entry for entry in entry_points(group="discriminative_risk.providers")}
    if name not in found:
        raise ValueError(
            f"provider {name!r} is unknown; there are {listed([CORE, *sorted(found)])}."
        )
    provider: Provider = found[name].load()
    return provider


def _get_weighted_rows(tally: Tally, favorable: int) -> tuple[Array, Array, Array, Array]:
    """Labels and predictions as 0/1, who is privileged, and the weight of each such row.

    Examples
    --------
    >>> from dr_core.metrics import tally_predictions
    >>> tally = tally_predictions([1, 0, 0], [1, 1, 1], [1, 0, 0], [1, 1, 0], [0, 1])
    >>> [column.tolist() for column in _get_weighted_rows(tally, favorable=1)]
    [[1, 1], [0, 1], [False, True], [2.0, 1.0]]
    """
    weights = tally.weights[[MARGINALISED, PRIVILEGED]].sum(axis=-1)
    groups, y, f = np.nonzero(weights)
    is_favorable = ((codes == favorable).astype(int) for codes in (y, f))
    return *is_favorable, groups == 1, weights[groups, y, f]


def provide_measures(
    provider: Provider, tally: Tally, favorable: int, values: Mapping[str, Any], attribute: Any
) -> dict[str, float]:
    """Return the measures that a provider computes, where they are defined.

    Other libraries fill in 0 or ∞ for what is undefined, so only those that are not NaN in
    `values` are taken over.
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
        del provided["accuracy"]  # providers see the favourable class against the rest
    return {
        name: value
        for name, value in provided.items()
        if name in values and not np.isnan(values[name])
    }
