"""Standard output and error that may be closed, as `dr-audit ... | head -1` and `2>&-` do.

The audit goes on: its files and its exit code must not depend on who reads the text.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["discard_unread_output"]


@contextmanager
def discard_unread_output() -> Iterator[None]:
    """Discard what is written to standard output or error while they are closed.

    Examples
    --------
    >>> with discard_unread_output():
    ...     print("read")
    read
    """
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as null:
        # Python has None for a stream that was closed before it started.
        streams = [_ClosableStream(stream or null) for stream in before]
        sys.stdout, sys.stderr = streams
        try:
            yield
        finally:
            for stream in streams:
                stream.flush()  # here, because an error at the exit of Python sets the exit code
            sys.stdout, sys.stderr = before


class _ClosableStream:
    """A text stream that goes to the null device once its reader has closed it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except BrokenPipeError:
            self._discard()
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._discard()

    def _discard(self) -> None:
        # The buffer of the stream is not lost: it is written to the null device later.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self._stream.fileno())
        os.close(null)
