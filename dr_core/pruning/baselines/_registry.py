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
from dr_core.pruning._objectives import scalar_objective
from dr_core.pruning._result import (
    PruningResult,
    check_max_members,
    describe_kept,
    find_voting_members,
)
from dr_core.pruning.baselines._information import (
    discriminative_pruning,
    max_relevance_max_complementarity,
    max_relevance_min_redundancy,
)
from dr_core.pruning.baselines._ordering import (
    complementarity_pruning,
    diversity_regularised_pruning,
    kappa_pruning,
    kl_divergence_pruning,
    orientation_pruning,
    reduced_error_pruning,
)
from dr_core.pruning.baselines._pareto_ep import (
    ordering_based_pruning,
    pareto_pruning,
    single_objective_pruning,
)
from dr_core.pruning.baselines._ranking import (
    accuracy_decile_pruning,
    diversity_decile_pruning,
    rank_by_demographic_parity,
    rank_by_discriminative_risk,
    rank_by_equal_opportunity,
    rank_by_predictive_parity,
)

PruningFunction = Callable[..., Sequence[int] | Array]
"""From `votes` and `max_members` to the indices of the members kept."""


@dataclass(frozen=True)
class Baseline:
    """One method of the registry.

    Parameters
    ----------
    select : callable
        From `votes` and `max_members` to the members kept.
    needs : str, optional
        Another keyword argument of `select`: "groups" or "rng".
    """

    select: PruningFunction
    needs: str | None = None


BASELINES = {
    "KL": Baseline(kl_divergence_pruning),
    "KP": Baseline(kappa_pruning),
    "RE": Baseline(reduced_error_pruning),
    "CM": Baseline(complementarity_pruning),
    "OO": Baseline(orientation_pruning),
    "DREP": Baseline(diversity_regularised_pruning),
    "SEP": Baseline(single_objective_pruning, needs="rng"),
    "OEP": Baseline(ordering_based_pruning),
    "PEP": Baseline(pareto_pruning, needs="rng"),
    "MRMR": Baseline(max_relevance_min_redundancy),
    "MRMC": Baseline(max_relevance_max_complementarity),
    "Disc.EP": Baseline(discriminative_pruning),
    "TSP.AP": Baseline(accuracy_decile_pruning),
    "TSP.DP": Baseline(diversity_decile_pruning),
    "DR": Baseline(rank_by_discriminative_risk),
    "DP": Baseline(rank_by_demographic_parity, needs="groups"),
    "EOpp": Baseline(rank_by_equal_opportunity, needs="groups"),
    "PP": Baseline(rank_by_predictive_parity, needs="groups"),
}
"""The paper's 14 baselines by its names, in its order; then rankings by fairness, which are ours.

KL, MRMC, TSP.AP and TSP.DP are readings of their publications.
"""


def methods() -> dict[str, Callable[..., PruningResult]]:
    """Return every baseline, callable like `poaf` and `epaf`.

    Returns
    -------
    dict
        From the paper's name of a method to
        ``method(votes, max_members, *, groups=None, random_state=None, **options)``, which
        returns a PruningResult.

    See Also
    --------
    prune : Runs one method by name; documents the parameters.

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

    Members of weight 0 are never kept.

    Parameters
    ----------
    name : str
        One of `methods()`.
    votes : Votes
        Votes of the members on x and x̃.
    max_members : int
        Number of members to keep. OO, DREP, SEP, OEP, PEP and TSP may keep fewer, but at
        least one.
    groups : bool array of shape (n,), optional
        Which instances are privileged. Required by DP, EOpp and PP, ignored by the others.
    random_state : int or numpy.random.Generator, optional
        Seed of SEP and PEP; the other methods are deterministic.
    **options
        Options of the method: `n_iter` of SEP and PEP, `share` of DREP.

    Returns
    -------
    PruningResult
        Its front holds only the sub-ensemble kept.

    Examples
    --------
    The second of three members is fair; the third equals the first:

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
    method = _get_baseline(name)
    k, pool = check_max_members(max_members, votes), find_voting_members(votes)
    if method.needs == "groups":
        options["groups"] = _check_privileged(name, groups, votes.n_instances)
    if method.needs == "rng":
        options["rng"] = as_generator(random_state)
    members = pool[list(method.select(votes.subset(pool), min(k, len(pool)), **options))]
    return _evaluate_kept(votes, np.sort(members))


def _evaluate_kept(votes: Votes, members: Array) -> PruningResult:
    kept = votes.subset(members)
    values = {"error": kept.error, "risk": kept.risk, "objective": scalar_objective(kept)}
    front = pd.DataFrame([{"members": tuple(members.tolist()), **values}])
    return describe_kept(votes, members=members, front=front, n_judged=1, **values)


def _get_baseline(name: str) -> Baseline:
    if name not in BASELINES:
        raise ValueError(f"Unknown pruning method {name!r}; use one of {', '.join(BASELINES)}.")
    return BASELINES[name]


def _check_privileged(name: str, groups: npt.ArrayLike | None, n_instances: int) -> Array:
    """Return `groups` as a bool array (n,), or raise ValueError if it does not hold two groups."""
    if groups is None:
        raise ValueError(
            f"{name} compares groups, but groups is None; pass groups=, a bool array that is True "
            "for the privileged instances."
        )
    privileged = np.asarray(groups)
    if privileged.shape != (n_instances,) or privileged.dtype.kind != "b":
        raise ValueError(
            f"groups must be a bool array of shape ({n_instances},), one value per instance; "
            f"got {privileged.dtype} of shape {privileged.shape}."
        )
    if privileged.all() or not privileged.any():
        raise ValueError(
            "groups must hold both privileged (True) and other (False) instances; "
            f"got only {bool(privileged.all())}."
        )
    return privileged
