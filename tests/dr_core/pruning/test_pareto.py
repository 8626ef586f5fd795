from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textbook.pruning import dominates, weakly_dominates

from dr_core.pruning._pareto import Archive, find_nondominated, hypervolume

points = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=20)


def archive(scores):
    errors, risks = np.array(scores, dtype=float).reshape(-1, 2).T
    return Archive(np.eye(len(scores), dtype=bool), errors, risks, errors + risks)


@given(points)
def test_front_is_what_nothing_dominates(scores):
    kept = find_nondominated(*np.array(scores).T)
    front = {scores[i] for i in np.flatnonzero(kept)}
    assert front == {a for a in scores if not any(dominates(b, a) for b in scores)}


@given(points)
def test_of_equal_points_the_last_stays(scores):
    for i in np.flatnonzero(find_nondominated(*np.array(scores).T)):
        assert scores[i] not in scores[i + 1 :]


@given(points)
def test_front_equals_offering_one_after_the_other(scores):
    kept = []
    for i, score in enumerate(scores):
        if not any(dominates(scores[j], score) for j in kept):
            kept = [j for j in kept if not weakly_dominates(score, scores[j])] + [i]
    assert np.flatnonzero(find_nondominated(*np.array(scores).T)).tolist() == kept


def test_update_keeps_the_old_before_the_new():
    old, new = archive([(0.1, 0.9), (0.9, 0.1)]), archive([(0.9, 0.1), (0.5, 0.5)])
    updated = old.update(new)
    assert updated.errors.tolist() == [0.1, 0.9, 0.5]
    assert len(updated) == 3


def test_archive_contains_the_candidates_it_was_given():
    found = archive([(0.1, 0.9), (0.9, 0.1)])
    assert found.contains(np.array([True, False]))
    assert not found.contains(np.array([True, True]))


def test_hypervolume_of_a_staircase():
    assert hypervolume([0.0, 0.5], [0.5, 0.0], (1, 1)) == pytest.approx(0.75)


def test_hypervolume_ignores_what_is_beyond_the_reference():
    assert hypervolume([0.0, 2.0], [2.0, 0.0], (1, 1)) == 0


@given(points, st.tuples(st.integers(0, 6), st.integers(0, 6)))
def test_hypervolume_counts_the_dominated_cells_of_a_grid(scores, reference):
    cells = product(range(reference[0]), range(reference[1]))
    area = sum(any(weakly_dominates(score, cell) for score in scores) for cell in cells)
    assert hypervolume(*np.array(scores).T, reference) == area


@given(points, st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_hypervolume_never_shrinks_with_another_point(scores, extra):
    errors, risks = np.array([*scores, extra]).T
    assert hypervolume(errors, risks, (6, 6)) >= hypervolume(errors[:-1], risks[:-1], (6, 6))
