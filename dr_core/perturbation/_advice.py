"""Advice in messages about arguments of `learn_attributes`."""

from __future__ import annotations

__all__ = ["LEARNED", "advise_argument"]

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
