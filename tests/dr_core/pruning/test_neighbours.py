import numpy as np
import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from textbook.ensembles import random_votes
from textbook.pruning import scores_of
from textbook.voting import Ensemble

from dr_core import Votes
from dr_core.pruning._exhaustive import list_subsets
from dr_core.pruning._neighbours import SubEnsembleEvaluator
from dr_core.pruning._steps import Steps
from dr_core.pruning._ties import TieRule

CAUTIOUS = TieRule("cautious")
ties_rules = st.sampled_from(["cautious", "lowest"])


def selections(m):
    return st.lists(st.booleans(), min_size=m, max_size=m).filter(any)


@st.composite
def ensembles(draw):
    return random_votes(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        draw(st.integers(2, 7)),
        draw(st.integers(1, 40)),
        n_classes=draw(st.integers(1, 4)),
        weights=draw(st.sampled_from(["uniform", "whole", "adaboost"])),
        weighted_rows=draw(st.booleans()),
    )


def scores(votes, selected, ties="cautious"):
    return scores_of(Ensemble.of(votes), tuple(np.flatnonzero(selected)), ties)


@effort(some=50, many=300)
@given(ensembles(), st.booleans(), st.booleans(), ties_rules, st.data())
def test_neighbours_score_as_computed_from_scratch(votes, exchange, odd, ties, data):
    selected = np.array(data.draw(selections(votes.n_members)))
    steps = Steps.from_selected(selected, votes.n_members, exchange, odd)
    found = SubEnsembleEvaluator(votes, TieRule(ties)).evaluate_neighbours(selected, steps)
    neighbours = found.get_selected(selected, np.arange(len(found.errors)))
    expected = [scores(votes, members, ties) for members in neighbours]
    assert list(zip(found.errors, found.risks, strict=True)) == expected


def test_swaps_are_exact_up_to_the_largest_sum_of_row_units():
    member, other = [[1, 0], [1, 0]], [[0, 1], [1, 1]]
    plain, perturbed = zip(member, other, strict=True)
    largest = [2**52 + 1, 2**51 + 3]
    votes = Votes(plain, perturbed, y=[1, 1], sample_weight=largest)
    selected = np.array([True, False])
    found = SubEnsembleEvaluator(votes, CAUTIOUS).evaluate_neighbours(
        selected, Steps.from_selected(selected, 1, exchange=True)
    )
    assert (found.errors[0], found.risks[0]) == scores(votes, ~selected)


@given(ensembles(), ties_rules, st.data())
def test_evaluating_from_the_nearest_equals_evaluating_from_scratch(votes, ties, data):
    evaluator = SubEnsembleEvaluator(votes, TieRule(ties))
    for _ in range(4):
        selected = np.array(data.draw(selections(votes.n_members)))
        assert evaluator.evaluate(selected) == scores(votes, selected, ties)


@pytest.mark.parametrize("most", [2**15 - 1, 2**15, 2**15 + 1])
def test_totals_do_not_overflow_where_two_bytes_cease_to_hold_them(most):
    votes = Votes([[1], [1], [0]], [[1], [0], [0]], [1], weights=[most - 3, 1, 2])
    evaluator = SubEnsembleEvaluator(votes, CAUTIOUS)
    for selected in list_subsets(3, 3):
        assert evaluator.evaluate(selected) == scores(votes, selected)


def test_memory_for_running_totals_is_bounded(monkeypatch):
    monkeypatch.setattr("dr_core.pruning._neighbours.MAX_TOTALS_BYTES", 0)
    votes = random_votes(np.random.default_rng(0), 5, 50)
    evaluator = SubEnsembleEvaluator(votes, CAUTIOUS)
    for selected in np.eye(5, dtype=bool):
        assert evaluator.evaluate(selected) == scores(votes, selected)
    assert len(evaluator._known) == 1


def test_critical_instances_are_counted_in_blocks(monkeypatch):
    votes, selected = random_votes(np.random.default_rng(0), 6, 200), np.arange(6) < 4
    steps = Steps.from_selected(selected, 6, exchange=True)
    whole = SubEnsembleEvaluator(votes, CAUTIOUS).evaluate_neighbours(selected, steps)
    monkeypatch.setattr("dr_core.pruning._neighbours.MAX_VOTES_PER_BLOCK", 32)
    parts = SubEnsembleEvaluator(votes, CAUTIOUS).evaluate_neighbours(selected, steps)
    assert (parts.errors == whole.errors).all()
    assert (parts.risks == whole.risks).all()


@pytest.mark.parametrize(
    ("selected", "max_members", "exchange", "n_steps"),
    [
        ([1, 1, 0, 0, 0], 3, False, 2 + 3),
        ([1, 1, 0, 0, 0], 2, False, 2),
        ([1, 0, 0, 0, 0], 2, False, 4),
        ([1, 1, 0, 0, 0], 2, True, 2 + 6),
        ([1, 0, 0, 0, 0], 1, True, 4),
    ],
)
def test_steps_lead_to_no_empty_and_no_oversized_sub_ensemble(
    selected, max_members, exchange, n_steps
):
    steps = Steps.from_selected(np.array(selected, dtype=bool), max_members, exchange)
    assert len(steps.first) == len(steps.second) == n_steps


@pytest.mark.parametrize(
    ("selected", "max_members", "exchange", "n_steps"),
    [
        ([1, 0, 0, 0, 0], 3, False, 6),
        ([1, 0, 0, 0, 0], 2, False, 0),
        ([1, 1, 1, 0, 0], 3, False, 3),
        ([1, 1, 1, 0, 0], 5, False, 3 + 1),
        ([1, 1, 1, 0, 0], 3, True, 3 + 6),
    ],
)
def test_odd_sizes_stay_odd(selected, max_members, exchange, n_steps):
    selected = np.array(selected, dtype=bool)
    steps = Steps.from_selected(selected, max_members, exchange, odd=True)
    assert steps.singles.size == 0
    assert steps.pairs.shape == (2, n_steps)


def test_every_evaluation_is_counted():
    evaluator = SubEnsembleEvaluator(random_votes(np.random.default_rng(0), 5, 9), CAUTIOUS)
    selected = np.arange(5) < 2
    evaluator.evaluate(selected)
    evaluator.evaluate_neighbours(selected, Steps.from_selected(selected, 5, exchange=False))
    assert evaluator.n_judged == 1 + 5
