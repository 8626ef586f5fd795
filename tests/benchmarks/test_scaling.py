import numpy as np
import pytest

from benchmarks.paper import scaling
from benchmarks.speed.measure import ensemble_votes


def test_speed_up_is_the_median_of_what_each_repeat_gains():
    times = np.array([[4.0, 2.0, 2.0], [8.0, 2.0, 2.0], [9.0, 9.0, 1.0]])
    found = scaling.summaries("machines", times)
    assert [row["speed-up"] for row in found] == [1, 2, 4]
    assert [row["efficiency"] for row in found] == [1, 1, pytest.approx(4 / 3)]


def test_the_time_with_machines_is_that_of_the_slowest_group_and_of_what_follows(monkeypatch):
    seconds = {20: 8.0, 10: 3.0, 4: 1.0}  # by members: all, one group of two, what they kept
    timed = []

    def alone(votes, k):
        timed.append(votes.n_members)
        return np.arange(k), seconds[votes.n_members]

    monkeypatch.setattr(scaling, "alone", alone)
    assert scaling.apart(ensemble_votes(20, 50), 2, groups=2) == 3.0 + 1.0
    assert timed == [10, 10, 4]
