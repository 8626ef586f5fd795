"""Threads of BLAS, which slow down thousands of small products."""

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from dr_core import Votes, poaf
from dr_core.pruning._exchange import ExchangeSearch


def test_a_search_uses_one_thread(monkeypatch):
    seen, run = [], ExchangeSearch.run

    def run_and_count(*args):
        seen.extend(pool["num_threads"] for pool in threadpool_info() if is_blas(pool))
        return run(*args)

    monkeypatch.setattr(ExchangeSearch, "run", run_and_count)
    random = np.random.default_rng(0)
    votes, y = random.integers(0, 2, (2, 21, 30)), random.integers(0, 2, 30)
    with threadpool_limits(2, user_api="blas"):
        poaf(Votes(*votes, y=y), 10, n_iter=3, random_state=0)
    assert set(seen) == {1}


def is_blas(pool):
    return pool["user_api"] == "blas"
