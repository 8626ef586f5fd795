"""Cells of tables that are significantly and by far too rare."""

import numpy as np
import pytest
from effort import effort
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from textbook import couplings as textbook

from dr_core.perturbation._rarity import (
    _compute_p_values,
    _find_significant,
    expected_counts,
    find_rare_cells,
)

ALPHA = 0.87654321  # no p-value of a small table is equal to it, or to a fraction of it
TABLES = arrays(
    np.int64, array_shapes(min_dims=2, max_dims=2, max_side=4), elements=st.integers(0, 6)
)


def find_rare_by_hand(tables, rare, alpha):
    p_values, n_tests = {}, 0
    for key, counts in enumerate(tables):
        rows, columns, n = counts.sum(axis=1), counts.sum(axis=0), int(counts.sum())
        for a, v in np.ndindex(counts.shape):
            seen, margins = int(counts[a, v]), (int(rows[a]), int(columns[v]))
            if min(margins) > 0:
                n_tests += 1
                if seen <= rare * margins[0] * margins[1] / n:
                    p_values[key, a, v] = textbook.lower_tail(seen, *margins, n)
    return textbook.holm(p_values, n_tests, alpha)


@effort(some=100, many=300)
@given(st.lists(TABLES, min_size=1, max_size=3), st.sampled_from([0.0, 0.3, 0.9]))
def test_rare_cells_are_those_of_the_textbook(tables, rare):
    found = find_rare_cells(dict(enumerate(tables)), rare=rare, alpha=ALPHA)
    ours = {(key, a, v) for key, cells in found.items() for a, v in np.argwhere(cells)}
    assert ours == find_rare_by_hand(tables, rare, ALPHA)


@pytest.mark.parametrize(
    "counts",
    [[[9, 0], [0, 9]], [[3, 40], [60, 50]], [[1246, 791], [1, 978]], [[1, 999], [90, 0]]],
)
def test_p_values_are_sums_of_hypergeometric_probabilities(counts):
    counts = np.array(counts)
    rows, columns, n = counts.sum(axis=1), counts.sum(axis=0), int(counts.sum())
    expected = [
        float(textbook.lower_tail(int(counts[a, v]), int(rows[a]), int(columns[v]), n))
        for a, v in np.ndindex(counts.shape)
    ]
    ours = _compute_p_values(counts, np.ones_like(counts, dtype=bool))
    np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-300)


@given(st.lists(st.floats(0, 0.1), max_size=8), st.integers(0, 20))
def test_significance_is_that_of_holm(p_values, n_others):
    n_tests = len(p_values) + n_others
    ours = _find_significant(np.array(p_values), n_tests, 0.05)
    expected = textbook.holm(dict(enumerate(p_values)), n_tests, 0.05)
    # Equal p-values are all significant or none is, by the step of the last of them.
    assert sorted(np.array(p_values)[ours]) == sorted(p_values[i] for i in expected)


def test_all_cells_count_even_those_that_are_not_rare():
    table = {"rare": np.array([[6, 0], [0, 6]])}  # two cells with a p-value of 1 / 924
    others = {i: np.full((2, 5), 10) for i in range(10)}
    assert find_rare_cells(table, alpha=0.01)
    assert not find_rare_cells(table | others, alpha=0.01)


def test_empty_rows_and_columns_are_not_judged():
    table = np.array([[6, 0, 0], [0, 6, 0], [0, 0, 0]])
    wide = np.pad(table, ((0, 50), (0, 50)))
    (found,) = find_rare_cells({"wide": wide}, alpha=4.01 / 924).values()
    assert np.argwhere(found).tolist() == [[0, 1], [1, 0]]


def test_what_is_significant_but_not_by_far_is_not_rare():
    table = np.array([[4000, 1000], [1000, 4000]])
    assert not find_rare_cells({"common": table})
    assert find_rare_cells({"common": table}, rare=0.5)


def test_a_single_pair_that_chance_would_have_shown_twice_is_not_rare():
    table = np.array([[0, 27], [10, 81]])
    assert expected_counts(table)[0, 0] == pytest.approx(2.29, abs=0.01)
    assert not find_rare_cells({"ricci": table})


def test_without_tables_nothing_is_rare():
    assert find_rare_cells({}) == {}
