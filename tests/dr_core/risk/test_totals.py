"""What an assessment adds up, whichever way the rows are cut."""

import numpy as np

from dr_core._utils import exact_sums
from dr_core.risk._totals import DirectionSums


def directions(before, after, mass, are_numbers):
    return DirectionSums.of(np.array(before), np.array(after), np.array(mass), are_numbers)


def shares(some, total):
    return some.table(exact_sums(np.array([total]))[0]).values.tolist()


def test_classes_keep_what_they_become():
    some = directions([1, 2, 2], [2, 1, 1], [1.0, 2.0, 3.0], are_numbers=False)
    assert shares(some, 12.0) == [[1, 2, 1 / 12], [2, 1, 5 / 12]]


def test_three_classes_keep_what_they_become():
    some = directions([1, 2, 3, 2], [2, 3, 1, 1], [1.0, 2.0, 3.0, 4.0], are_numbers=False)
    expected = [[1, 2, 1 / 16], [2, 1, 4 / 16], [2, 3, 2 / 16], [3, 1, 3 / 16]]
    assert shares(some, 16.0) == expected


def test_classes_beside_numbers_count_as_numbers():
    # A part whose predictions all happen to be whole looks like classes, until others are added.
    whole = directions([1, 2, 3], [2, 1, 1], [1.0, 2.0, 3.0], are_numbers=False)
    others = directions([0.5, 0.5], [0.75, 0.25], [8.0, 16.0], are_numbers=True)
    expected = [["any", "higher", 9 / 32], ["any", "lower", 21 / 32]]
    assert shares(whole + others, 32.0) == shares(others + whole, 32.0) == expected


def test_classes_stay_classes_together():
    one = directions(["a"], ["b"], [1.0], are_numbers=False)
    other = directions(["a", "b"], ["b", "a"], [2.0, 4.0], are_numbers=False)
    assert shares(one + other, 8.0) == [["a", "b", 3 / 8], ["b", "a", 4 / 8]]


def test_sums_of_parts_are_exact():
    one = directions(["a"], ["b"], [1.0], are_numbers=False)
    other = directions(["b"], ["a"], [2.0], are_numbers=False)
    exact = {
        ("a", "b"): exact_sums(np.array([1.0]))[0],
        ("b", "a"): exact_sums(np.array([2.0]))[0],
    }
    assert (one + other).mass == (other + one).mass == exact
