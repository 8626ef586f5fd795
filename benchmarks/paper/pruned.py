"""One piece of RQ4: an ensemble, pruned by every method, judged on test rows.

Votes are kept on disk, so that methods can be run anew without training again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from joblib import Memory

from benchmarks.paper.protocol import (
    FOLDS,
    KEPT,
    PAPER,
    Data,
    Fold,
    folds,
    load,
    make_ensemble,
    recommended_poaf,
)
from dr_core import PruningResult, Votes, epaf, poaf
from dr_core._utils import Array
from dr_core.metrics import measure, tally_predictions
from dr_core.pruning import baselines, scalar_objective

FULL = "Ensem"
"""The paper's name for the ensemble that is not pruned."""

TIE_FREE = "POAF, tie-free"
"""POAF that counts a tied vote as wrong and as changed, and so keeps odd sizes."""

GROUPS = 2
"""Groups of EPAF-D: with three, each of 11 members would keep all it has."""

OVERALL = {
    "DR": "discriminative_risk",
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "F1": "f1",
}
BY_ATTRIBUTE = {
    "DP": "demographic_parity",
    "EOpp": "equal_opportunity",
    "PP": "predictive_parity",
}
"""Measures by the paper's name, and by ours."""

JOINT = "joint"
"""The attribute of rows that compare those privileged in every attribute with all others."""

votes_on_disk = Memory(Path(__file__).parent / "results" / "pieces", verbose=0)

Prune = Callable[..., PruningResult]
Row = dict[str, Any]


@votes_on_disk.cache
def votes_of(
    dataset: str,
    fold: int,
    ensemble: str,
    protocol: str,
    seed: int,
    quick: bool,
    individual: str = "DT",
) -> tuple[Votes, Votes]:
    """Votes on the rows to prune on, and on test rows."""
    data = load(dataset, quick)
    rows = folds(data.y, seed)[fold]
    draw = FOLDS * seed + fold
    model = make_ensemble(ensemble, draw, individual)
    model.fit(*data.rows(rows.train if protocol == PAPER else rows.fitted))
    pruned_on = data.votes(model, pruning_rows(rows, protocol), "pruning", protocol, draw)
    # Draws of their own: test rows are perturbed as if nobody had seen the others.
    return pruned_on, data.votes(model, rows.test, "pruning", protocol, draw + 1000)


def pruning_rows(fold: Fold, protocol: str) -> Array:
    """Rows to prune on: those trained on, or those held out."""
    return fold.train if protocol == PAPER else fold.held_out


def prune_by_baselines(**piece: Any) -> list[Row]:
    """Rows of the full ensemble and of all baselines."""
    data, (votes, unseen) = load(piece["dataset"], piece["quick"]), votes_of(**piece)
    rows = folds(data.y, piece["seed"])[piece["fold"]]
    test, pruned_on = Judge(data, rows.test), Judge(data, pruning_rows(rows, piece["protocol"]))
    options = {"groups": pruned_on.jointly_privileged(votes), "random_state": 0}
    methods = {name: partial(prune, **options) for name, prune in baselines.methods().items()}
    full = test.rows(unseen, method=FULL, seconds=0.0)
    return full + [row for item in methods.items() for row in test.pruned(*item, votes, unseen)]


def prune_by_ours(**piece: Any) -> list[Row]:
    """Rows of EPAF and POAF, and of POAF without ties."""
    data, (votes, unseen) = load(piece["dataset"], piece["quick"]), votes_of(**piece)
    test = Judge(data, folds(data.y, piece["seed"])[piece["fold"]].test)
    methods = our_methods(piece["protocol"]) | {TIE_FREE: tie_free_poaf(piece["protocol"])}
    return [row for item in methods.items() for row in test.pruned(*item, votes, unseen)]


def our_methods(protocol: str) -> dict[str, Prune]:
    """EPAF and POAF, the latter as published or as recommended."""
    published = partial(poaf, neighbourhood="paper", n_iter=KEPT, ties="lowest", random_state=0)
    return {
        "EPAF-C": partial(epaf, ties="lowest"),
        "EPAF-D": partial(epaf, n_groups=GROUPS, ties="lowest", random_state=0),
        "POAF": published if protocol == PAPER else recommended_poaf,
    }


def tie_free_poaf(protocol: str) -> Prune:
    """The POAF of a protocol, with this library's rule for ties."""
    if protocol == PAPER:
        return partial(poaf, neighbourhood="paper", n_iter=KEPT, random_state=0)
    return partial(recommended_poaf, ties="cautious")


class Judge:
    """Measures of votes on some rows of a data set."""

    def __init__(self, data: Data, rows: Array) -> None:
        self.data, self._rows = data, rows

    def pruned(self, method: str, prune: Prune, votes: Votes, unseen: Votes) -> list[Row]:
        """Rows of what a method keeps, with the seconds it took."""
        start = perf_counter()
        members = prune(votes, KEPT).members
        seconds = perf_counter() - start
        return self.rows(unseen.subset(members), method=method, seconds=seconds)

    def rows(self, votes: Votes, **known: Any) -> list[Row]:
        """One row for each attribute; what does not depend on it stands in all of them.

        Data sets with several attributes have one more row, `JOINT`.
        """
        known |= {"size": votes.n_members, "objective": scalar_objective(votes)}
        known |= measures_without_ties(votes)
        return [
            {"attribute": name, **known, **self._measures(votes, privileged)}
            for name, privileged in self._groups(votes).items()
        ]

    def _groups(self, votes: Votes) -> dict[str, Array]:
        """Who is privileged in each attribute, and in all of them if there are several."""
        names = self.data.attributes.names
        groups = {str(name).lower(): self._privileged(votes, name) for name in names}
        return groups | ({JOINT: self.jointly_privileged(votes)} if len(names) > 1 else {})

    def jointly_privileged(self, votes: Votes) -> Array:
        """Who is privileged in every attribute, one for each column of the votes."""
        names = self.data.attributes.names
        groups = self._privileged(votes, names[0])
        for name in names[1:]:
            groups = groups & self._privileged(votes, name)
        return groups

    def _privileged(self, votes: Votes, attribute: str) -> Array:
        return self.data.privileged(attribute, self._rows)[votes.rows]

    @staticmethod
    def _measures(votes: Votes, privileged: Array) -> dict[str, float]:
        names = OVERALL | BY_ATTRIBUTE
        tally = tally_predictions(
            privileged.astype(int),
            votes.y,
            votes.vote,
            votes.perturbed_vote,
            votes.classes.tolist(),
            votes.row_units,
        )
        found = measure(tally.table, 1, list(names.values()))
        gap = abs(_accuracy(votes, privileged) - _accuracy(votes, ~privileged))
        return {short: float(found[name]) for short, name in names.items()} | {"accuracy gap": gap}


def _accuracy(votes: Votes, of: Array) -> float:
    return float(np.average(votes.vote[of] == votes.y[of], weights=votes.row_units[of]))


def measures_without_ties(votes: Votes) -> dict[str, float]:
    """Share of tied votes; DR and accuracy when a tied vote counts as changed and as wrong.

    A vote that is tied on x and on x̃ counts as changed only if a member changed: the rule of
    ``ties="cautious"``. It favours no class.
    """
    plain, perturbed = (_is_tied(totals) for totals in (votes.totals, votes.perturbed_totals))
    moved = (votes.vote != votes.perturbed_vote) | (plain != perturbed)
    changed = moved | (plain & perturbed & (votes.inconsistency_units > 0))
    right = (votes.vote == votes.y) & ~plain
    return {
        "tied": votes.share(plain),
        "DR, ties undecided": votes.share(changed),
        "accuracy, ties undecided": votes.share(right),
    }


def _is_tied(totals: Array) -> Array:
    """Where the two classes with the most votes have equally many, (n,)."""
    first, second = np.sort(totals, axis=0)[-2:][::-1]
    return np.asarray(first == second)
