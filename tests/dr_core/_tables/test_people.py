from collections import defaultdict
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dr_core._tables import People, PeopleCounts

ROWS = st.lists(
    st.tuples(st.sampled_from("abcde"), st.integers(0, 2), st.sampled_from([0.1, 1.0, 1e9])),
    min_size=1,
)


def count(rows, weighted=True):
    person, value, weight = map(np.array, zip(*rows, strict=True))
    return People((PeopleCounts.of(person, value[None], weight if weighted else None),))


def as_dict(people):
    counts = people.counts
    keys = zip(counts.people[counts.person], counts.values[counts.value, 0], strict=True)
    return dict(zip(keys, zip(counts.counts, counts.weights, strict=True), strict=True))


@given(ROWS)
def test_rows_are_counted_by_person_and_value(rows):
    expected = defaultdict(lambda: [0, 0.0])
    for person, value, weight in rows:
        expected[person, value][0] += 1
        expected[person, value][1] += weight
    found = as_dict(count(rows))
    assert found.keys() == expected.keys()
    for key, (n, weight) in found.items():
        assert n == expected[key][0]
        assert weight == pytest.approx(expected[key][1])


@given(ROWS, st.lists(st.integers(1, 40), max_size=10), st.booleans())
def test_people_in_parts_are_those_of_the_whole(rows, places, weighted):
    whole = count(rows, weighted).counts
    cuts = [0, *sorted({place for place in places if place < len(rows)}), len(rows)]
    parts = [rows[a:b] for a, b in pairwise(cuts)]
    both = reduce(add, (count(part, weighted) for part in parts)).counts
    assert both.people.tolist() == whole.people.tolist()
    for name in ("values", "person", "value", "counts", "weights", "rank"):
        np.testing.assert_array_equal(getattr(both, name), getattr(whole, name))


def test_parts_are_merged_before_there_are_many():
    parts = (count([(str(i % 7), i % 2, 1.0)]) for i in range(1000))
    people = reduce(add, parts)
    assert len(people.parts) <= 10
    assert sum(map(len, people.parts)) < 60
    assert people.counts.counts.sum() == 1000


@pytest.mark.parametrize("identities", [[3, 1, 3], ["b", "a", "b"], [2, "a", 2]])
def test_identities_may_be_numbers_or_text(identities):
    person = np.array(identities, dtype=object)
    counts = PeopleCounts.of(person, np.zeros((1, 3)), None)
    assert counts.people.tolist() == identities[:2]
    assert sorted(counts.rank) == [0, 1]
    assert counts.total(np.ones(1)).tolist() == [2.0, 1.0]


def test_dates_may_be_identities():
    person = pd.to_datetime(["2020-01-02", "2020-01-01"]).to_numpy()
    assert PeopleCounts.of(person, np.zeros((1, 2)), None).rank.tolist() == [1, 0]
