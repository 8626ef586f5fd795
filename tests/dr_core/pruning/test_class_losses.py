import numpy as np
import pandas as pd
import pytest
from textbook.ensembles import random_votes

from dr_core import Votes
from dr_core.pruning import exhaustive_front, poaf
from dr_core.pruning._class_losses import compute_class_losses
from dr_core.pruning._result import select_from_front
from dr_core.pruning._ties import TieRule

CAUTIOUS = TieRule("cautious")


def textbook_losses(votes, members):
    """Plain loops: the largest rise of a class's error, with unequal numbers of votes only."""

    def error(label, kept):
        rows = [i for i in range(votes.n_instances) if votes.y[i] == label]
        wrong = 0
        for i in rows:
            ballots = [votes.votes[j][i] for j in kept]
            wrong += 2 * ballots.count(label) <= len(ballots)
        return wrong / len(rows)

    everyone = range(votes.n_members)
    return max(error(label, members) - error(label, everyone) for label in set(votes.y.tolist()))


@pytest.mark.parametrize("seed", range(3))
def test_losses_are_those_of_plain_loops(seed):
    votes = random_votes(np.random.default_rng(seed), 7, 40, n_classes=2)
    members = [(0,), (1, 2, 4), (0, 3, 4, 5, 6), (2, 5)]
    found = compute_class_losses(votes, pd.DataFrame({"members": members}), CAUTIOUS)
    assert found == pytest.approx([textbook_losses(votes, one) for one in members])


# Nine of ten people are of class 0. Three members see half of the others, and change on two
# instances; member 3 predicts 0 for everybody and never changes.
SEEING = [0] * 18 + [1, 0]
VOTES = Votes(
    [SEEING, SEEING, SEEING, [0] * 20],
    [[1, 1, *SEEING[2:]]] * 3 + [[0] * 20],
    y=[0] * 18 + [1, 1],
)


@pytest.mark.parametrize("prune", [exhaustive_front, poaf])
def test_risk_is_not_lowered_by_losing_a_class(prune):
    found = prune(VOTES, 3, selection="min_risk", accuracy_tolerance=0.05)
    assert found.risk == 0.1
    assert found.front["risk"].min() == 0


@pytest.mark.parametrize("prune", [exhaustive_front, poaf])
def test_a_class_may_be_lost_within_the_tolerance(prune):
    found = prune(VOTES, 3, selection="min_risk", accuracy_tolerance=0.5)
    assert found.members.tolist() == [3]


def test_the_smallest_loss_takes_the_place_of_a_tolerance_that_none_keeps():
    front = pd.DataFrame(
        {"members": [(0,), (1,), (2,)], "error": [0.1, 0.11, 0.2], "risk": [0.3, 0.2, 0.1]}
    )
    assert select_from_front(front, "min_risk", 0.02, [0.05, 0.04, 0.0]) == 1
