import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import pruning as textbook
from textbook.ensembles import random_votes
from textbook.voting import Ensemble

from dr_core import Votes
from dr_core.pruning._exhaustive import evaluate_all, exhaustive_front, list_subsets
from dr_core.pruning._objectives import bi_objective, scalar_objective
from dr_core.pruning._ties import TieRule


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.data())
def test_equals_brute_force(seed, data):
    m = data.draw(st.integers(1, 6))
    votes = random_votes(
        np.random.default_rng(seed),
        m,
        data.draw(st.integers(1, 15)),
        n_classes=data.draw(st.integers(1, 3)),
        weights=data.draw(st.sampled_from(["uniform", "whole", "adaboost"])),
        weighted_rows=data.draw(st.booleans()),
    )
    k, ties = data.draw(st.integers(1, m)), data.draw(st.sampled_from(["cautious", "lowest"]))
    front = exhaustive_front(votes, k, ties=ties).front
    found = set(zip(front["error"], front["risk"], strict=True))
    assert found == textbook.true_front(Ensemble.of(votes), k, ties)


@pytest.mark.parametrize(("weights", "n_classes"), [("uniform", 2), ("adaboost", 3)])
def test_equals_brute_force_for_ten_members(weights, n_classes):
    random = np.random.default_rng(1)
    votes = random_votes(random, 10, 12, weights=weights, n_classes=n_classes)
    front = exhaustive_front(votes).front
    found = set(zip(front["error"], front["risk"], strict=True))
    assert found == textbook.true_front(Ensemble.of(votes), 10)


def test_weights_that_differ_by_one_part_in_a_billion_are_distinguished():
    # The second member outvotes the first by less than float32 resolves.
    votes = Votes([[0], [1]], [[0], [1]], [1], weights=[2**30, 2**30 + 1])
    errors, _ = evaluate_all(votes, np.array([[True, True]]), TieRule("cautious"))
    assert errors.tolist() == [0.0]


def test_scores_are_those_of_the_members():
    votes = random_votes(np.random.default_rng(0), 8, 60)
    for members, error, risk, objective in exhaustive_front(votes).front.itertuples(index=False):
        assert bi_objective(votes.subset(members)) == (error, risk)
        assert objective == scalar_objective(votes.subset(members))


def test_of_equal_points_the_lowest_objective_is_shown():
    # either member alone, or both: no error, no risk of the vote; only together they share changes
    votes = Votes([[0, 0], [0, 0], [0, 0]], [[0, 0], [0, 0], [0, 1]], [0, 0])
    found = exhaustive_front(votes)
    assert found.front["members"].tolist() == [(0,)]
    assert found.n_judged == 4  # three alone and all together


def test_all_subsets_are_listed_once():
    subsets = list_subsets(5, 3)
    assert len(np.unique(subsets, axis=0)) == len(subsets) == 5 + 10 + 10


def test_the_largest_ensembles_are_accepted(monkeypatch):
    monkeypatch.setattr("dr_core.pruning._exhaustive.MAX_EXHAUSTIVE_MEMBERS", 3)
    assert exhaustive_front(random_votes(np.random.default_rng(0), 3, 5)).n_judged == 4


def test_large_ensembles_are_refused():
    votes = random_votes(np.random.default_rng(0), 21, 5)
    with pytest.raises(ValueError, match=r"at most 20 members; got 21\. Use poaf or epaf"):
        exhaustive_front(votes)


def test_max_members_is_checked():
    with pytest.raises(ValueError, match="max_members must be an integer from 1 to 3"):
        exhaustive_front(random_votes(np.random.default_rng(0), 3, 5), 4)


def test_min_risk_may_be_selected():
    votes = random_votes(np.random.default_rng(0), 8, 60)
    found = exhaustive_front(votes, selection="min_risk", accuracy_tolerance=1)
    assert found.risk == found.front["risk"].min()
