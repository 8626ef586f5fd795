"""Advice in messages about arguments of `learn_attributes`."""

from __future__ import annotations

from typing import Any

__all__ = ["LEARNED", "advise_argument", "advise_domain"]

LEARNED = r"learn_attributes\(X, privileged, .*? has this argument\)"
"""Pattern of what `advise_argument` returns, for those who must advise something else."""


def advise_argument(argument: str) -> str:
    """Return what to pass to a function, which may lack an argument of `learn_attributes`.

    Examples
    --------
    >>> print(advise_argument("domain={...}"))
    learn_attributes(X, privileged, domain={...}) as privileged (or just domain={...}, if the
    function has this argument)
    """
    return (
        f"learn_attributes(X, privileged, {argument}) as privileged (or just {argument}, if the "
        "function has this argument)"
    )


def advise_domain(name: Any) -> str:
    """Return how to learn the frequencies of the values of a range from other rows.

    A list of distinct values would do for an attribute that is given by its values. For a range,
    it would say that all values are equally frequent, and were learned from so many rows.
    """
    return advise_argument(f"domain={{{name!r}: X_train[{name!r}]}}")
