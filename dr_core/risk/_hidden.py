"""What a low risk can hide.

Perturbing all attributes together can change fewer predictions than perturbing one of them. A
model that does not use the attributes has no risk, whatever its proxies do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import nan
from typing import Any

import numpy as np

from dr_core._utils import format_percent, round_probability, share
from dr_core.perturbation import ALL

__all__ = ["describe_hidden_risk", "describe_zero_risk"]


def describe_hidden_risk(
    risks: Mapping[Any, float],
    format_name: Callable[[Any], str] = str,
    format_share: Callable[[float], str] = format_percent,
    effect: str = "changes more predictions",
    weights: Mapping[Any, int] | None = None,
) -> str:
    """Return a sentence if one attribute alone has more risk than all together; else "".

    Parameters
    ----------
    risks : mapping
        Discriminative risk of each attribute alone, and of "all"; without one of them there is
        nothing to say.
    format_name, format_share : functions that return a name or a share as it is shown
    effect : what the attribute alone does
    weights : mapping, optional
        Weight of the rows that are perturbed in each case, if values are missing. What changes is
        then compared, and shares of different rows are not shown beside each other.

    Examples
    --------
    >>> describe_hidden_risk({"sex": 0.162, "race": 0.1, "all": 0.143})
    'Perturbing sex alone changes more predictions (16.2 %) than all attributes together (14.3 %).'
    >>> describe_hidden_risk({"sex": 0.162, "race": 0.1, "all": 0.2})
    ''
    >>> describe_hidden_risk({"sex": 0.162, "all": 0.1}, weights={"sex": 50, "all": 100})
    ''
    """
    together = risks.get(ALL, nan)
    # 10 % of 50 rows are fewer changes than 8 % of 100 rows: of these 100, they are 5 %.
    known = weights if weights and ALL in weights else {}
    parts = {name: share(weight, known[ALL]) for name, weight in known.items()}
    alone = {name: risk * parts.get(name, 1.0) for name, risk in risks.items() if name != ALL}
    most = max(alone, key=alone.__getitem__, default=ALL)
    of_one, of_all = round_probability(np.array([alone.get(most, nan), together]))
    if not of_one > of_all:  # nor is NaN, for what is not known
        return ""
    has_same_rows = parts.get(most, 1.0) == 1
    shares = (f" ({format_share(risk)})" if has_same_rows else "" for risk in (of_one, of_all))
    return "Perturbing {} alone {}{} than all attributes together{}.".format(
        format_name(most), effect, *shares
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
