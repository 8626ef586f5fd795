"""The same work on many things at once, through joblib, on whichever backend is active."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

__all__ = ["allow_large_graphs", "call_each"]


def call_each(
    function: Callable[..., Any],
    tasks: Sequence[Any],
    shared: Sequence[Any],
    *,
    n_jobs: int | None = None,
    prefer: str | None = None,
) -> list[Any]:
    """Return `function(task, *shared)` of each task, in their order.

    Parameters
    ----------
    function : callable
    tasks : sequence
        What differs from call to call; small.
    shared : sequence
        What all calls need, such as large arrays. A Dask cluster gets it once, not per task, and
        its scheduler can hand it out again when a worker dies.
    n_jobs, prefer
        As for `joblib.Parallel`.

    Examples
    --------
    >>> call_each(pow, [2, 3], [10])
    [1024, 59049]
    """
    if len(tasks) == 1:
        return [function(tasks[0], *shared)]
    placed = _placed(shared, n_jobs)
    run = Parallel(n_jobs=n_jobs, prefer=prefer)
    return list(run(delayed(_call)(function, task, *placed) for task in tasks))


def _placed(shared: Sequence[Any], n_jobs: int | None) -> list[Any]:
    """What to pass on: the things themselves, or where a cluster has them."""
    client = getattr(get_active_backend()[0], "client", None)
    # On a cluster with a single core joblib stays in this process.
    if client is None or effective_n_jobs(n_jobs) == 1:
        return list(shared)
    # Scattered data die with the worker that has them; the result of a task is made again.
    with allow_large_graphs():
        return [client.submit(_same, thing, pure=False) for thing in shared]


def _same(thing: Any) -> Any:
    return thing


@contextmanager
def allow_large_graphs() -> Iterator[None]:
    """Let large things travel in a task graph of Dask, where they outlive workers, unwarned."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield


def _call(function: Callable[..., Any], task: Any, *placed: Any) -> Any:
    # Workers get things, not futures; this process gets futures if all workers but one die now.
    return function(task, *(part.result() if _is_future(part) else part for part in placed))


def _is_future(part: Any) -> bool:
    return hasattr(part, "add_done_callback")
