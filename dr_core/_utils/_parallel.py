"""Parallel calls through joblib, on the active backend; threads of BLAS."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

__all__ = ["allow_large_graphs", "call_each", "use_one_blas_thread"]


def call_each(
    function: Callable[..., Any],
    tasks: Sequence[Any],
    shared: Sequence[Any],
    *,
    n_jobs: int | None = None,
    prefer: str | None = None,
) -> list[Any]:
    """Return `function(task, *shared)` for each task, in the order of the tasks.

    Parameters
    ----------
    function : callable
    tasks : sequence
        Arguments that differ between calls; small.
    shared : sequence
        Arguments of all calls, such as large arrays. They are sent to a Dask cluster once, not
        per task, and its scheduler can send them again when a worker dies.
    n_jobs, prefer
        As for `joblib.Parallel`.

    Examples
    --------
    >>> call_each(pow, [2, 3], [10])
    [1024, 59049]
    """
    if len(tasks) == 1:
        return [function(tasks[0], *shared)]
    arguments = _place(shared, n_jobs)
    run = Parallel(n_jobs=n_jobs, prefer=prefer)
    return list(run(delayed(_call)(function, task, *arguments) for task in tasks))


def _place(shared: Sequence[Any], n_jobs: int | None) -> list[Any]:
    """Return the arguments themselves, or futures of them on a cluster."""
    client = getattr(get_active_backend()[0], "client", None)
    # With a single core joblib runs in this process.
    if client is None or effective_n_jobs(n_jobs) == 1:
        return list(shared)
    # Scattered data are lost with their worker; the result of a task is computed again.
    with allow_large_graphs():
        return [client.submit(_return, value, pure=False) for value in shared]


def _return(value: Any) -> Any:
    return value


@contextmanager
def allow_large_graphs() -> Iterator[None]:
    """Suppress the warning of Dask about large objects in a task graph.

    Objects in the graph survive the death of a worker.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield


def _call(function: Callable[..., Any], task: Any, *arguments: Any) -> Any:
    # Workers receive values; this process receives futures if all workers but one have died.
    return function(task, *(part.result() if _is_future(part) else part for part in arguments))


def _is_future(part: Any) -> bool:
    return hasattr(part, "add_done_callback")


@contextmanager
def use_one_blas_thread() -> Iterator[None]:
    """Return a context in which products of matrices use one thread.

    Threads of BLAS wait for each other after each product in loops that use the processor. If
    other programs need the same cores, a search with thousands of small products takes ten times
    the processor time with two threads.
    """
    _BLAS_LIMIT.enter()
    try:
        yield
    finally:
        _BLAS_LIMIT.leave()


class _BlasLimit:
    """The limit of one thread, which belongs to the process and not to a thread of Python.

    The first context to enter sets it, and the last to leave removes it. If each of two contexts
    that overlap restored what it found, the second would restore the limit of the first.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_inside = 0
        self._limiter: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._limiter = _get_thread_pools().limit(limits=1, user_api="blas")
            self._n_inside += 1

    def leave(self) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limiter.restore_original_limits()


_BLAS_LIMIT = _BlasLimit()


@cache
def _get_thread_pools() -> ThreadpoolController:
    return ThreadpoolController()  # looks at all loaded libraries, which takes milliseconds
