"""Counts of pairs of values."""

from operator import add

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dr_core import at_least, at_most, between, datasets, learn_attributes
from dr_core._tables import as_table
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
    assert gain.encode(table)[:80].max() == 0


def test_an_unknown_value_is_neither_known_nor_missing():
    category = Category("title", ("Mr", "Ms"))
    table = as_table(pd.DataFrame({"title": ["Ms", "Dr", None]}))
    assert category.encode(table).tolist() == [1, 3, 2]


NUMBERS = [*range(25), 2**53, 2**53 + 1]


@pytest.mark.parametrize(
    "column",
    [
        np.array(NUMBERS, dtype=np.int64),
        np.array(NUMBERS, dtype=np.uint64),
        np.array(NUMBERS, dtype=object),
        pd.array(NUMBERS, dtype="Int64"),
        pd.Categorical(NUMBERS),
        pl.Series(NUMBERS),
    ],
    ids=["int64", "uint64", "object", "Int64", "category", "polars"],
)
def test_integers_are_binned_alike_whatever_their_type(column):
    make = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    table = as_table(make({"sex": [*"MF" * 13, "M"], "x": column}))
    (_, category) = read_categories(table, learn_attributes(table, {"sex": "M"}), bins=5)
    assert category.edges.tolist() == [6, 11, 16, 21]
    assert category.labels[-1] == "21 and above"
    assert category.encode(table).tolist() == [0] * 6 + [1] * 5 + [2] * 5 + [3] * 5 + [4] * 6


@pytest.mark.parametrize("dtype", ["float32", "float64", "Float64", object])
def test_missing_numbers_are_a_category_of_their_own(dtype):
    numbers = [*np.arange(20) / 4, None]
    table = as_table(
        pd.DataFrame({"sex": [*"MF" * 10, "M"], "x": pd.Series(numbers, dtype=dtype)})
    )
    (_, category) = read_categories(table, learn_attributes(table, {"sex": "M"}), bins=2)
    assert category.labels == ("below 2.5", "2.5 and above")
    assert category.encode(table).tolist() == [0] * 10 + [1] * 10 + [2]


def bin_range(numbers, condition, bins=3):
    """Return the attribute of a column of numbers with a range, and its category."""
    table = as_table(pd.DataFrame({"age": numbers, "other": 0}))
    attributes = learn_attributes(table, {"age": condition})
    return attributes.attributes[0], read_categories(table, attributes, bins)[0]


@settings(max_examples=50)
@given(
    st.lists(st.integers(0, 40), min_size=100, max_size=400),
    st.sampled_from([at_least(30), at_most(3.5), between(5, 9), lambda age: age in {1, 20, 21}]),
)
def test_a_bin_of_a_range_has_values_of_one_group(numbers, condition):
    attribute, category = bin_range([*range(41), *numbers], condition)
    bins = category.encode_values(attribute.values)
    for code in set(bins.tolist()):
        assert len(set(attribute.is_privileged[bins == code].tolist())) == 1
    assert set(bins.tolist()) == set(range(len(category.labels)))


def test_each_side_of_a_range_has_as_many_bins_as_its_rows_allow():
    # Of three bins, each needs 3 * 15 rows: 40 rows below 10 are one, 90 rows from 10 on are two.
    _, category = bin_range([*[*range(10)] * 4, *[*range(10, 20)] * 9], at_least(10))
    assert category.labels == ("below 10", "10 to 14", "15 and above")
    # 200 rows below 20: edges are rows 67 and 133, with the values 6 and 13. And so on.
    _, category = bin_range([*range(100)] * 10, between(20, 59))
    assert category.edges.tolist() == [6, 13, 20, 33, 46, 60, 73, 86]


def test_a_range_of_few_values_is_not_binned():
    _, category = bin_range([18, 19, 20] * 100, at_least(19))
    assert (category.labels, category.edges) == ((18, 19, 20), None)


def test_bins_of_a_range_are_those_of_the_reference_rows():
    table = as_table(pd.DataFrame({"age": [*range(100)] * 10}))
    attributes = learn_attributes(table, {"age": at_least(50)})
    young = as_table(pd.DataFrame({"age": [*range(50)] * 10}))
    (category,) = read_categories(young, attributes, bins=2)
    assert category.labels == ("below 25", "25 to 49", "50 and above")


def test_columns_of_many_numbers_are_not_turned_into_python_objects():
    table = as_table(pd.DataFrame({"sex": ["M", "F"] * 50, "x": np.arange(100) / 7}))
    attributes = learn_attributes(table, {"sex": "M"})
    count_pairs(table, attributes, read_categories(table, attributes))
    assert list(table._factorized) == ["sex"]
