from concurrent.futures import Future

import joblib
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from dr_core._utils._parallel import call_each, use_one_blas_thread


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_results_stand_in_the_order_of_the_tasks(backend):
    with joblib.parallel_config(backend=backend):
        assert call_each(pow, [3, 1, 2], [2], n_jobs=2) == [9, 1, 4]


def test_one_task_needs_no_backend():
    with joblib.parallel_config(backend="loky"):
        assert call_each(lambda task, shared: [*shared, task], ["b"], [["a"]]) == [["a", "b"]]


class Cluster(joblib.parallel.SequentialBackend):
    """A cluster that loses its workers as soon as they have been given something."""

    client = property(lambda self: self)

    def effective_n_jobs(self, n_jobs):
        self.asked = getattr(self, "asked", 0) + 1
        return 2 if self.asked == 1 else 1

    def submit(self, function, thing, pure):
        future = Future()
        future.set_result(function(thing))
        return future


def test_what_a_cluster_was_given_is_fetched_back_when_its_workers_are_gone():
    with joblib.parallel_config(backend=Cluster()):
        assert call_each(pow, [3, 4], [2], n_jobs=2) == [9, 16]


def count_blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_threads_that_overlap_restore_the_limit_of_before():
    first, second = use_one_blas_thread(), use_one_blas_thread()
    with threadpool_limits(2, user_api="blas"):
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert count_blas_threads() == {1}
        second.__exit__(None, None, None)
        assert count_blas_threads() == {2}


def test_products_use_one_thread_within_the_context_only():
    with threadpool_limits(2, user_api="blas"):
        with use_one_blas_thread():
            assert count_blas_threads() == {1}
        assert count_blas_threads() == {2}
