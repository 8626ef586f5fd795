"""Writing of result files, complete or not at all."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path
from secrets import token_hex

__all__ = ["check_writable", "get_max_unpacked", "write_atomically"]

MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO = 2**30, 100
"""A compressed file is refused if it unpacks to more bytes, and to more times its size."""


def check_writable(path: str | Path) -> Path:
    """Return the path; raise OSError if it is a folder or its folder cannot be written to."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not os.access(path.parent, os.W_OK) and (path.is_file() or not path.exists()):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return path


def write_atomically(path: str | Path, text: str) -> None:
    """Write a text file so that no reader ever finds a part of it.

    The text is written to a temporary file in the same folder, which then replaces the file. A
    device or a pipe, such as /dev/stdout, is written to directly.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "a.txt", "hello")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    try:
        _write(check_writable(path).resolve(), text)
    except OSError as error:
        if error.filename is None:  # such as a full disk, found while writing
            error.filename = str(path)
        raise


def _write(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    temporary = path.with_name(f".{path.name[:50]}.{token_hex(8)}")
    try:
        # Created with the permissions of the file that it replaces.
        opener = partial(os.open, mode=0o666 if mode is None else mode)
        with open(temporary, "x", encoding="utf-8", opener=opener) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def get_max_unpacked(path: Path) -> int:
    """Return the number of bytes that a compressed file may unpack to."""
    return max(MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO * path.stat().st_size)
