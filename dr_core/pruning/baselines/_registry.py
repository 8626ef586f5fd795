"""The paper's pruning baselines by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from dr_core._utils import Array, as_generator
from dr_core.ensembles import Votes
from dr_core.pruning._arguments import checked_max_members, voters
from dr_core.pruning._objectives import scalar_objective
from dr_core.pruning._result import PruningResult
from dr_core.pruning.baselines import (
    _drep as drep,
)
from dr_core.pruning.baselines import (
    _information as information,
)
from dr_core.pruning.baselines import (
    _ordering as ordering,
)
from dr_core.pruning.baselines import (
    _pareto_ep as pareto_ep,
)
from dr_core.pruning.baselines import (
    _ranking as ranking,
)
from dr_core.pruning.baselines import (
    _two_stage as two_stage,
)

Selection = Callable[..., Sequence[int] | Array]


@dataclass(frozen=True)
class Baseline:
    """One method of the registry.

    Parameters
    ----------
    select : callable
        From `votes` and `max_members` to the members kept.
    needs : str, optional
        What else `select` takes by keyword: "groups" or "rng".
    """

    select: Selection
    needs: str | None = None


BASELINES = {
    "KL": Baseline(ordering.kl_divergence),
    "KP": Baseline(ordering.kappa),
    "RE": Baseline(ordering.reduced_error),
    "CM": Baseline(ordering.complementarity),
    "OO": Baseline(ordering.orientation),
    "DREP": Baseline(drep.diversity_regularised),
    "SEP": Baseline(pareto_ep.single_objective, needs="rng"),
    "OEP": Baseline(pareto_ep.ordering_based),
    "PEP": Baseline(pareto_ep.pareto, needs="rng"),
    "MRMR": Baseline(information.max_relevance_min_redundancy),
    "MRMC": Baseline(information.max_relevance_max_complementarity),
    "Disc.EP": Baseline(information.discriminative),
    "TSP.AP": Baseline(two_stage.accuracy_decile),
    "TSP.DP": Baseline(two_stage.diversity_decile),
    "DR": Baseline(ranking.by_discriminative_risk),
    "DP": Baseline(ranking.by_demographic_parity, needs="groups"),
    "EOpp": Baseline(ranking.by_equal_opportunity, needs="groups"),
    "PP": Baseline(ranking.by_predictive_parity, needs="groups"),
}
"""Every baseline under the name the paper gives it, in the paper's order."""


def methods() -> dict[str, Callable[..., PruningResult]]:
    """Every baseline of the paper, ready to call like `poaf` and `epaf`.

    Returns
    -------
    dict
        From the paper's name of a method to
        ``method(votes, max_members, *, groups=None, random_state=None, **options)``, which
        returns a PruningResult.

    See Also
    --------
    prune : The same by name, with the parameters explained.

    Examples
    --------
    >>> list(methods())
    ['KL', 'KP', 'RE', 'CM', 'OO', 'DREP', 'SEP', 'OEP', 'PEP', 'MRMR', 'MRMC', 'Disc.EP',
     'TSP.AP', 'TSP.DP', 'DR', 'DP', 'EOpp', 'PP']
    >>> votes = Votes([[0, 1], [0, 0], [1, 1]], [[0, 1], [1, 0], [0, 1]], y=[0, 1])
    >>> methods()["RE"](votes, max_members=1).members
    array([0])
    """
    return {name: partial(prune, name) for name in BASELINES}


def prune(
    name: str,
    votes: Votes,
    max_members: int,
    *,
    groups: npt.ArrayLike | None = None,
    random_state: int | np.random.Generator | None = None,
    **options: Any,
) -> PruningResult:
    """Prune an ensemble by one of the paper's baselines.

    Members of weight 0 have no voice in the ensemble and are never kept.

    Parameters
    ----------
    name : str
        One of `methods()`.
    votes : Votes
        What the members say.
    max_members : int
        How many to keep. OO, DREP, SEP, OEP, PEP and TSP choose the number themselves, and keep
        at most as many; no method keeps none.
    groups : array of bool of shape (n,), optional
        Which instances are privileged; DP, EOpp and PP need it, the others ignore it.
    random_state : int or numpy.random.Generator, optional
        For SEP and PEP, the others draw nothing.
    **options
        Passed on to the method: `n_iter` of SEP and PEP, `share` of DREP.

    Returns
    -------
    PruningResult
        Its front is the sub-ensemble kept, the only one judged for both error and risk.

    Examples
    --------
    Three members, of whom the second is fair and the third copies the first:

    >>> votes = Votes(
    ...     votes=[[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]],
    ...     perturbed=[[0, 0, 1, 1], [1, 0, 1, 0], [0, 0, 1, 1]],
    ...     y=[1, 1, 0, 0],
    ... )
    >>> prune("RE", votes, 1).members
    array([0])
    >>> prune("DR", votes, 1).members
    array([1])
    >>> prune("DP", votes, 1, groups=[True, True, False, False]).members
    array([1])
    """
    method = _found(name)
    pool = voters(votes)
    size = min(checked_max_members(max_members, votes), len(pool))
    if method.needs == "groups":
        options["groups"] = _checked_groups(name, groups, votes.n_instances)
    if method.needs == "rng":
        options["rng"] = as_generator(random_state)
    members = pool[list(method.select(votes.subset(pool), size, **options))]
    return _result(votes, np.sort(members))


def _result(votes: Votes, members: Array) -> PruningResult:
    kept = votes.subset(members)
    values = {"error": kept.error, "risk": kept.risk, "objective": scalar_objective(kept)}
    front = pd.DataFrame([{"members": tuple(members.tolist()), **values}])
    return PruningResult(members=members, front=front, n_judged=1, **values)


def _found(name: str) -> Baseline:
    if name not in BASELINES:
        raise ValueError(f"Unknown pruning method {name!r}; use one of {', '.join(BASELINES)}.")
    return BASELINES[name]


def _checked_groups(name: str, groups: npt.ArrayLike | None, n_instances: int) -> Array:
    """Return the groups as a bool array (n,) with both groups in it."""
    if groups is None:
        raise ValueError(
            f"{name} compares groups; pass groups=, a bool array, True for the privileged."
        )
    privileged = np.asarray(groups)
    if privileged.shape != (n_instances,) or privileged.dtype.kind != "b":
        raise ValueError(
            f"groups must be a bool array of shape ({n_instances},), one for each instance; "
            f"found {privileged.dtype} of shape {privileged.shape}."
        )
    if privileged.all() or not privileged.any():
        raise ValueError("groups must hold both privileged (True) and other (False) instances.")
    return privileged
