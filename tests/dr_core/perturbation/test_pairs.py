"""Counts of pairs of values."""

from operator import add

import numpy as np
import pandas as pd
import pytest

from dr_core import datasets, learn_attributes
from dr_core._tables import as_table, factorize
from dr_core.perturbation._pairs import Category, count_pairs, read_categories


@pytest.fixture(scope="module")
def income():
    return datasets.load("income")


def test_counts_of_parts_add_up_to_those_of_the_whole(income):
    table = as_table(income.data)
    attributes = learn_attributes(table, income.privileged)
    categories = read_categories(table, attributes)
    whole = count_pairs(table, attributes, categories)
    half = len(income.data) // 2
    halves = [as_table(income.data[:half]), as_table(income.data[half:])]
    summed = add(*(count_pairs(part, attributes, categories) for part in halves))
    for pair, counts in whole.counts.items():
        np.testing.assert_array_equal(summed.counts[pair], counts)


def test_counts_of_other_categories_do_not_add_up(income):
    table = as_table(income.data.head(50))
    attributes = learn_attributes(table, {"sex": "Male"})
    one, other = (
        count_pairs(table, attributes, read_categories(table, attributes)) for _ in range(2)
    )
    with pytest.raises(ValueError, match="same categories"):
        one + other


def test_a_value_that_most_rows_have_is_a_bin_of_its_own():
    X = pd.DataFrame({"sex": ["M", "F"] * 50, "gain": [0] * 80 + list(range(1, 21))})
    table = as_table(X)
    gain = read_categories(table, learn_attributes(table, {"sex": "M"}))[-1]
    assert gain.labels[0] == "below 1"
    assert gain.encode(table.factorize("gain"))[:80].max() == 0


def test_an_unknown_value_is_neither_known_nor_missing():
    category = Category("title", ("Mr", "Ms"))
    column = factorize(np.array(["Ms", "Dr", None], dtype=object))
    assert category.encode(column).tolist() == [1, 3, 2]
