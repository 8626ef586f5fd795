"""What a low risk can hide.

Perturbing all attributes together can change fewer predictions than perturbing one of them. A
model that does not use the attributes has no risk, whatever its proxies do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan
from typing import Any

import numpy as np

from dr_core._utils import format_percent, round_probability
from dr_core.perturbation import ALL

__all__ = ["describe_hidden_risk", "describe_zero_risk"]


def describe_hidden_risk(
    risks: Mapping[Any, float],
    format_name: Callable[[Any], str] = str,
    format_share: Callable[[float], str] = format_percent,
    effect: str = "changes more predictions",
) -> str:
    """Return a sentence if one attribute alone has more risk than all together; else "".

    Parameters
    ----------
    risks : mapping
        Discriminative risk of each attribute alone, and of "all"; without one of them there is
        nothing to say.
    format_name, format_share : functions that return a name or a share as it is shown
    effect : what the attribute alone does

    Examples
    --------
    >>> describe_hidden_risk({"sex": 0.162, "race": 0.1, "all": 0.143})
    'Perturbing sex alone changes more predictions (16.2 %) than all attributes together (14.3 %).'
    >>> describe_hidden_risk({"sex": 0.162, "race": 0.1, "all": 0.2})
    ''
    """
    together = risks.get(ALL, nan)
    alone = {name: risk for name, risk in risks.items() if name != ALL}
    most = max(alone, key=alone.__getitem__, default=ALL)
    of_one, of_all = round_probability(np.array([risks.get(most, nan), together]))
    if not of_one > of_all:  # nor is NaN, for what is not known
        return ""
    return (
        f"Perturbing {format_name(most)} alone {effect} "
        f"({format_share(alone[most])}) than all attributes together ({format_share(together)})."
    )


def describe_zero_risk(risks: Mapping[Any, float], format_name: Callable[[Any], str] = str) -> str:
    """Return a sentence if every risk is 0; else "".

    Parameters
    ----------
    risks : mapping
        Discriminative risk, or mean shift, of each attribute alone, and of "all".
    format_name : function that returns a name as it is shown

    Examples
    --------
    >>> describe_zero_risk({"sex": 0.0, "race": 0.0, "all": 0.0})
    'No prediction changes, so the model probably does not use sex, race. Other columns can be \
proxies: read the gaps between groups, too.'
    >>> describe_zero_risk({"sex": 0.01})
    ''
    """
    if not risks or any(risks.values()):  # NaN, for what is not known, is true
        return ""
    names = ", ".join(format_name(name) for name in risks if name != ALL) or "the attributes"
    return (
        f"No prediction changes, so the model probably does not use {names}. Other columns can be "
        "proxies: read the gaps between groups, too."
    )
