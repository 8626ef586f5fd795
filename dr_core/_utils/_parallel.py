"""Parallel calls through joblib, on the active backend; threads of BLAS."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
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


def use_one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which products of matrices use one thread.

    Threads of BLAS wait for each other after each product in loops that use the processor. If
    other programs need the same cores, a search with thousands of small products takes ten times
    the processor time with two threads.
    """
    return _get_thread_pools().limit(limits=1, user_api="blas")


@cache
def _get_thread_pools() -> ThreadpoolController:
    return ThreadpoolController()  # looks at all loaded libraries, which takes milliseconds
