import joblib
import numpy as np
import pandas as pd
import pytest
from textbook import pruning as textbook
from textbook.ensembles import random_votes
from textbook.voting import Ensemble

from dr_core import Votes
from dr_core.pruning._epaf import epaf
from dr_core.pruning._objectives import bi_objective, scalar_objective

kinds = pytest.mark.parametrize(
    ("weights", "n_classes"), [("uniform", 2), ("uniform", 3), ("adaboost", 2), ("adaboost", 3)]
)


def small(seed=0, m=9, n=40, **options):
    return random_votes(np.random.default_rng(seed), m, n, **options)


@kinds
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("trade_off", [0.3, 0.5])
def test_same_sub_ensemble_as_algorithm_2(weights, n_classes, seed, trade_off):
    votes = small(seed, weights=weights, n_classes=n_classes)
    evaluate = textbook.Evaluation(Ensemble.of(votes), trade_off)
    size = 3 if (weights, n_classes) == ("uniform", 2) else 4
    expected = textbook.epaf_c(evaluate, list(range(9)), size)
    assert epaf(votes, 4, trade_off=trade_off).members.tolist() == sorted(expected)
    published = textbook.epaf_c(evaluate, list(range(9)), 4)
    found = epaf(votes, 4, trade_off=trade_off, ties="lowest")
    assert found.members.tolist() == sorted(published)


@kinds
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("ties", ["cautious", "lowest"])
def test_same_sub_ensemble_as_algorithm_3(weights, n_classes, seed, n_groups, ties):
    votes = small(seed, weights=weights, n_classes=n_classes)
    expected = textbook.epaf_d(Ensemble.of(votes), 4, 0.4, n_groups, seed, ties)
    found = epaf(votes, 4, trade_off=0.4, n_groups=n_groups, ties=ties, random_state=seed)
    assert tuple(found.members) == expected


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_the_answer_is_the_same_on_any_backend(backend):
    votes = small(m=20, n=100)
    alone = epaf(votes, 6, n_groups=4, random_state=0)
    with joblib.parallel_config(backend=backend):
        together = epaf(votes, 6, n_groups=4, n_jobs=2, random_state=0)
    assert together.members.tolist() == alone.members.tolist()
    pd.testing.assert_frame_equal(together.front, alone.front)


@pytest.mark.parametrize("n_groups", [1, 3])
@pytest.mark.parametrize("k", [1, 5, 9])
def test_never_more_than_max_members(k, n_groups):
    found = epaf(small(), k, n_groups=n_groups, random_state=0)
    assert 1 <= len(found.members) <= k
    assert all(len(members) <= k for members in found.front["members"])


@pytest.mark.parametrize("n_groups", [1, 3])
def test_scores_are_those_of_the_members(n_groups):
    votes = small(weights="adaboost")
    found = epaf(votes, 5, n_groups=n_groups, random_state=0)
    part = votes.subset(found.members)
    assert (found.error, found.risk) == bi_objective(part)
    assert found.objective == pytest.approx(scalar_objective(part), abs=1e-14)


def test_central_pruning_needs_no_random_numbers():
    assert epaf(small(), 4, random_state=1).members.tolist() == epaf(small(), 4).members.tolist()


def test_starts_with_the_best_single_member():
    votes = Votes([[0, 1], [0, 0], [1, 1]], [[1, 1], [0, 0], [1, 1]], [0, 0])
    assert epaf(votes, 1).members.tolist() == [1]


def test_of_equal_members_the_first_is_kept():
    votes = Votes([[0, 1]] * 3, [[0, 1]] * 3, [0, 0], weights=[2, 2, 1])
    assert epaf(votes, 2).members.tolist() == [0, 1]


def test_prefers_members_that_do_not_change_together():
    # equal errors and risks; the third changes where the first does not
    votes = Votes([[0, 0], [0, 0], [0, 0]], [[1, 0], [1, 0], [0, 1]], [0, 0])
    assert epaf(votes, 2, ties="lowest").members.tolist() == [0, 2]


def test_front_is_of_sub_ensembles_looked_at():
    found = epaf(small(), 5)
    assert found.n_judged == 3  # the first 1, 3 and 5 members
    assert found.front["risk"].is_monotonic_decreasing


def test_a_member_of_weight_zero_is_never_kept():
    votes = small(m=4)
    weighted = Votes(votes.votes, votes.perturbed, votes.y, [0, 1, 1, 0], classes=votes.classes)
    assert epaf(weighted, 4, ties="lowest").members.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_members": 10}, "max_members must be an integer from 1 to 9"),
        ({"trade_off": -1}, "trade_off"),
        ({"n_groups": 0}, "n_groups must be an integer from 1 to 9"),
        ({"n_groups": 10}, "got 10"),
    ],
)
def test_bad_arguments_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        epaf(small(), **{"max_members": 3, **options})
