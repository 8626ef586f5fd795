"""Columns as codes: integers in a small range are numbered without a hash table."""

import numpy as np
import pandas as pd
import pytest

from dr_core._tables import factorize, find_first, joint_positions

RNG = np.random.default_rng(0)
LATE = np.append(np.zeros(5_000, int), [7, -3, 7])
"""Values that the first rows do not show."""

COLUMNS = {
    "small integers": RNG.integers(-5, 5, 3_000),
    "values that appear late": LATE,
    "bytes from end to end": np.array([127, -128, 0, 127], np.int8),
    "booleans": RNG.random(100) < 0.5,
    "integers far from 0": np.array([2**62 + 1, 2**62, 2**62 + 1]),
    "integers beyond 63 bits": np.array([2**64 - 1, 2**64 - 2], np.uint64),
    "a wide range": np.array([-(2**63), 2**63 - 1, 0]),
    "a series": pd.Series([3, 1, 3], index=[5, 6, 7]),
    "integers with missing values": pd.Series([3, None, 1], dtype="Int64"),
    "nothing": np.array([], int),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_codes_and_values_are_those_of_pandas(name):
    codes, values = factorize(COLUMNS[name])
    expected, distinct = pd.factorize(COLUMNS[name])
    np.testing.assert_array_equal(codes, expected)
    assert values == pd.Index(distinct).tolist()
    assert [type(value) for value in values] == [type(v) for v in pd.Index(distinct).tolist()]


@pytest.mark.parametrize("columns", [LATE[None], np.stack([LATE, LATE[::-1]])])
def test_combinations_are_numbered_in_the_order_of_appearance(columns):
    rows = list(map(tuple, columns.T.tolist()))
    order = list(dict.fromkeys(rows))
    assert joint_positions(columns).tolist() == [order.index(row) for row in rows]
    assert find_first(joint_positions(columns)).tolist() == [rows.index(row) for row in order]


def test_no_number_appears_in_no_rows():
    assert find_first(np.array([], int)).tolist() == []
