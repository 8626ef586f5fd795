"""Who computes the established measures: this library, or another one through its plugin.

A provider is a function `(y_true, y_pred, privileged, sample_weight) -> {measure: value}` on 0/1
labels and a boolean array of who is privileged. Plugins register it as an entry point of the group
`discriminative_risk.providers`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from dr_core.encoding import Array, listed

__all__ = ["Provider", "load_provider"]

Provider = Callable[[Array, Array, Array, Array], dict[str, float]]

CORE = "core"


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
