import numpy as np
import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from textbook.ensembles import random_votes
from textbook.pruning import scores_of
from textbook.voting import Ensemble

from dr_core import Votes
from dr_core.pruning._odd_votes import OddVoteExplorer


def scores(votes, selected):
    return scores_of(Ensemble.of(votes), tuple(np.flatnonzero(selected)), "cautious")


@st.composite
def odd_selections(draw):
    """Votes of two classes and equal weights, and sub-ensembles of odd sizes."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, n = random.integers([1, 1], [9, 41])
    votes = random_votes(random, m, n, n_classes=2, weighted_rows=bool(random.integers(2)))
    sizes = random.integers((m + 1) // 2, size=3) * 2 + 1
    return votes, [np.isin(np.arange(m), random.permutation(m)[:size]) for size in sizes]


@effort(some=40, many=200)
@given(odd_selections())
def test_sub_ensembles_score_as_computed_from_scratch(drawn):
    votes, selections = drawn
    explorer = OddVoteExplorer(votes, votes.n_members)
    for selected in selections:
        assert explorer.evaluate(selected) == scores(votes, selected)


@effort(some=40, many=200)
@given(odd_selections())
def test_neighbours_score_as_computed_from_scratch(drawn):
    votes, selections = drawn
    explorer = OddVoteExplorer(votes, votes.n_members)
    for selected in selections:
        found = explorer.explore(selected)
        kept = np.flatnonzero(found.errors < np.inf)
        expected = [scores(votes, members) for members in found.get_selected(selected, kept)]
        pairs = zip(found.errors[kept], found.risks[kept], strict=True)
        assert list(pairs) == expected


def test_neighbours_differ_in_any_two_members():
    explorer = OddVoteExplorer(random_votes(np.random.default_rng(0), 5, 20), 5)
    found = explorer.explore(np.arange(5) < 3)
    neighbours = found.get_selected(np.arange(5) < 3, np.arange(10))
    assert sorted(neighbours.sum(axis=1)) == [1] * 3 + [3] * 6 + [5]
    assert explorer.n_judged == 10


def test_neighbours_that_are_too_large_are_not_judged():
    explorer = OddVoteExplorer(random_votes(np.random.default_rng(0), 5, 20), 3)
    found = explorer.explore(np.arange(5) < 3)
    assert np.isinf(found.errors).sum() == 1
    assert explorer.n_judged == 9


@pytest.mark.parametrize("most", [2**24 - 1, 2**24 + 1, 2**52 + 1])
def test_sums_of_row_units_are_exact(most):
    plain, perturbed = [[1, 0], [0, 1]], [[1, 0], [1, 1]]
    votes = Votes(plain, perturbed, y=[1, 1], sample_weight=[most, most // 2 + 3])
    selected = np.array([True, False])
    found = OddVoteExplorer(votes, 1).explore(selected)
    assert (found.errors[0], found.risks[0]) == scores(votes, ~selected)


def test_close_instances_are_counted_in_blocks(monkeypatch):
    votes, selected = random_votes(np.random.default_rng(0), 6, 200), np.arange(6) < 3
    whole = OddVoteExplorer(votes, 6).explore(selected)
    monkeypatch.setattr("dr_core.pruning._odd_votes.MAX_VOTES_PER_BLOCK", 32)
    parts = OddVoteExplorer(votes, 6).explore(selected)
    assert (parts.errors == whole.errors).all()
    assert (parts.risks == whole.risks).all()
